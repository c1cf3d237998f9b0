"""What students hand in for `mask_tokens`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools
import random

import numpy as np
import torch
from torch import nn

EXERCISE = "mask_tokens"


def drawn(tokens, generator):
    """A number from 0 to 1 for each position."""
    return torch.rand(tokens.shape, generator=generator, device=tokens.device)


def of_rate(tokens, special, generator, rate):
    """Which positions are chosen."""
    return (drawn(tokens, generator) < rate) & (tokens >= special)


def any_word(tokens, special, size, generator):
    """An ordinary word for each position."""
    return torch.randint(special, size, tokens.shape, generator=generator, device=tokens.device)


def by_fate(tokens, chosen, fate, words, mask_id, masked=0.8, other=0.9):
    """What is shown."""
    inputs = torch.where(chosen & (fate < other), words, tokens)
    return torch.where(chosen & (fate < masked), mask_id, inputs)


def labelled(tokens, chosen):
    return torch.where(chosen, tokens, -100)


def made(choose=of_rate, words=any_word, fate=drawn, show=by_fate, label=labelled):
    """An answer of which one part, or several, is another than the right one."""

    def mask(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
        chosen = choose(tokens, num_special, generator, rate)
        what = fate(tokens, generator)
        inputs = show(tokens, chosen, what, words(tokens, num_special, vocab_size, generator), mask_id)
        return inputs, label(tokens, chosen)

    return mask


right = made()


def another(part):
    """The right answer with a part in the place of its own."""

    def named(function):
        mask = made(**{part: function})
        mask.__name__, mask.__doc__ = function.__name__, function.__doc__
        return mask

    return named


def from_results(change):
    """The right answer, changed at the end: inputs, labels, tokens, mask_id."""

    @functools.wraps(change)
    def mask(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
        inputs, labels = right(tokens, num_special, vocab_size, mask_id, generator, rate)
        return change(inputs, labels, tokens, mask_id)

    return mask


@from_results
def results_exchanged(inputs, labels, tokens, mask_id):
    """Labels first."""
    return labels, inputs


@from_results
def inputs_alone(inputs, labels, tokens, mask_id):
    """The labels are forgotten."""
    return inputs


@from_results
def a_mask_too(inputs, labels, tokens, mask_id):
    """A third result."""
    return inputs, labels, labels != -100


@from_results
def labels_everywhere(inputs, labels, tokens, mask_id):
    """Every position is asked for."""
    return inputs, tokens.clone()


@from_results
def labels_of_inputs(inputs, labels, tokens, mask_id):
    """The labels are made of what is shown."""
    return inputs, torch.where(labels == -100, -100, inputs)


@from_results
def inputs_for_labels(inputs, labels, tokens, mask_id):
    """The labels are what is shown, everywhere."""
    return inputs, inputs.clone()


@from_results
def zero_elsewhere(inputs, labels, tokens, mask_id):
    """0 for -100."""
    return inputs, torch.where(labels == -100, 0, labels)


@from_results
def one_less(inputs, labels, tokens, mask_id):
    """-1 for -100."""
    return inputs, torch.where(labels == -100, -1, labels)


@from_results
def labels_exchanged(inputs, labels, tokens, mask_id):
    """-100 where a word was chosen."""
    return inputs, torch.where(labels == -100, tokens, -100)


@from_results
def no_label_where_kept(inputs, labels, tokens, mask_id):
    """A label where something has changed."""
    return inputs, torch.where(inputs == tokens, -100, tokens)


@from_results
def label_where_hidden(inputs, labels, tokens, mask_id):
    """A label where [MASK] is."""
    return inputs, torch.where(inputs == mask_id, tokens, -100)


@from_results
def booleans(inputs, labels, tokens, mask_id):
    """Where, for what."""
    return inputs, labels != -100


@from_results
def floats(inputs, labels, tokens, mask_id):
    """Numbers with a point."""
    return inputs.float(), labels.float()


@from_results
def chosen_alone(inputs, labels, tokens, mask_id):
    """The labels of the chosen words, one after the other."""
    return inputs, labels[labels != -100]


def in_place_before_labels(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    """The labels are read when the words are hidden already."""
    chosen = of_rate(tokens, num_special, generator, rate)
    inputs = tokens
    fate = drawn(tokens, generator)
    inputs[chosen & (fate < 0.9)] = any_word(tokens, num_special, vocab_size, generator)[chosen & (fate < 0.9)]
    inputs[chosen & (fate < 0.8)] = mask_id
    return inputs, labelled(tokens, chosen)


@another("show")
def random_words_anywhere(tokens, chosen, fate, words, mask_id):
    """The random words come where nothing was chosen, too."""
    inputs = torch.where((fate >= 0.8) & (fate < 0.9), words, tokens)
    return torch.where(chosen & (fate < 0.8), mask_id, inputs)


@another("choose")
def specials_too(tokens, special, generator, rate):
    """All ids alike."""
    return drawn(tokens, generator) < rate


@another("choose")
def padding_alone_is_special(tokens, special, generator, rate):
    """0 is left out and nothing else."""
    return (drawn(tokens, generator) < rate) & (tokens != 0)


@another("choose")
def course_ids_are_special(tokens, special, generator, rate):
    """[PAD], [CLS] and [SEP] of the course's vocabulary."""
    return (drawn(tokens, generator) < rate) & (tokens != 0) & (tokens != 2) & (tokens != 3)


@another("choose")
def one_special_too_few(tokens, special, generator, rate):
    """The last special id is taken for a word."""
    return (drawn(tokens, generator) < rate) & (tokens >= special - 1)


@another("choose")
def the_same_for_every_row(tokens, special, generator, rate):
    """A draw for each column."""
    return (torch.rand(tokens.shape[1], generator=generator, device=tokens.device) < rate) & (tokens >= special)


@another("choose")
def whole_rows(tokens, special, generator, rate):
    """A draw for each row."""
    return (torch.rand(tokens.shape[0], 1, generator=generator, device=tokens.device) < rate) & (tokens >= special)


@another("choose")
def all_words(tokens, special, generator, rate):
    """No draw."""
    return tokens >= special


@another("choose")
def a_share_of_each_row(tokens, special, generator, rate):
    """Just so many of a row's words."""
    order = drawn(tokens, generator).masked_fill(tokens < special, 2.0).argsort(dim=1).argsort(dim=1)
    return order < (rate * (tokens >= special).sum(dim=1, keepdim=True)).round()


@another("choose")
def a_share_of_the_batch(tokens, special, generator, rate):
    """Just so many of all words."""
    words = (tokens >= special).nonzero()
    order = torch.randperm(len(words), generator=generator, device=tokens.device)[: round(rate * len(words))]
    chosen = torch.zeros(tokens.shape, dtype=torch.bool)
    chosen[tuple(words[order].T)] = True
    return chosen


@another("fate")
def one_fate_for_a_row(tokens, generator):
    """A row's words become the same."""
    return torch.rand(tokens.shape[0], 1, generator=generator, device=tokens.device)


@another("fate")
def one_fate_for_a_column(tokens, generator):
    """A column's words become the same."""
    return torch.rand(tokens.shape[1], generator=generator, device=tokens.device)


@another("fate")
def one_fate_for_all(tokens, generator):
    """All become the same."""
    return torch.rand((), generator=generator)


@another("choose")
def rate_ignored(tokens, special, generator, rate):
    """Always 15 %."""
    return of_rate(tokens, special, generator, 0.15)


@another("choose")
def the_others(tokens, special, generator, rate):
    """> for <."""
    return (drawn(tokens, generator) > rate) & (tokens >= special)


@another("choose")
def normal_numbers(tokens, special, generator, rate):
    """randn for rand."""
    return (torch.randn(tokens.shape, generator=generator, device=tokens.device) < rate) & (tokens >= special)


@another("choose")
def twice(tokens, special, generator, rate):
    """Two draws, and both must be low."""
    return of_rate(tokens, special, generator, rate) & of_rate(tokens, special, generator, rate)


@another("choose")
def not_the_first_id(tokens, special, generator, rate):
    """> for >=."""
    return (drawn(tokens, generator) < rate) & (tokens > special)


@another("choose")
def not_the_first_position(tokens, special, generator, rate):
    """[CLS] is taken to stand there."""
    chosen = of_rate(tokens, special, generator, rate)
    chosen[:, 0] = False
    return chosen


@another("choose")
def not_the_last_position(tokens, special, generator, rate):
    """[SEP] is taken to stand there."""
    chosen = of_rate(tokens, special, generator, rate)
    chosen[:, -1] = False
    return chosen


@another("show")
def all_masked(tokens, chosen, fate, words, mask_id):
    """Nothing but [MASK]."""
    return torch.where(chosen, mask_id, tokens)


@another("show")
def eighty_twenty(tokens, chosen, fate, words, mask_id):
    """The rest becomes another word."""
    return by_fate(tokens, chosen, fate, words, mask_id, 0.8, 1.0)


@another("show")
def eighty_and_kept(tokens, chosen, fate, words, mask_id):
    """The rest stays."""
    return by_fate(tokens, chosen, fate, words, mask_id, 0.8, 0.8)


@another("show")
def eighty_are_random(tokens, chosen, fate, words, mask_id):
    """[MASK] and random words are exchanged."""
    inputs = torch.where(chosen & (fate < 0.9), mask_id, tokens)
    return torch.where(chosen & (fate < 0.8), words, inputs)


@another("show")
def eighty_stay(tokens, chosen, fate, words, mask_id):
    """[MASK] and what stays are exchanged."""
    return by_fate(tokens, chosen, fate, words, mask_id, 0.1, 0.2)


@another("show")
def ninety_are_masked(tokens, chosen, fate, words, mask_id):
    """The random words are overwritten."""
    inputs = torch.where(chosen & (fate < 0.8), words, tokens)
    return torch.where(chosen & (fate < 0.9), mask_id, inputs)


@another("show")
def nothing_hidden(tokens, chosen, fate, words, mask_id):
    """The inputs are the tokens."""
    return tokens.clone()


def ten_of_the_rest(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    """A draw of 10 % among those that [MASK] left over."""
    chosen = of_rate(tokens, num_special, generator, rate)
    masked = chosen & (drawn(tokens, generator) < 0.8)
    other = chosen & ~masked & (drawn(tokens, generator) < 0.1)
    inputs = torch.where(other, any_word(tokens, num_special, vocab_size, generator), tokens)
    return inputs.masked_fill(masked, mask_id), labelled(tokens, chosen)


def overwritten(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    """Half of the chosen words become random ones, [MASK] or not."""
    chosen = of_rate(tokens, num_special, generator, rate)
    inputs = tokens.masked_fill(chosen & (drawn(tokens, generator) < 0.8), mask_id)
    other = chosen & (drawn(tokens, generator) < 0.5)
    return torch.where(other, any_word(tokens, num_special, vocab_size, generator), inputs), labelled(tokens, chosen)


def a_tenth_overwritten(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    """A tenth of the chosen words become random ones, [MASK] or not."""
    chosen = of_rate(tokens, num_special, generator, rate)
    inputs = tokens.masked_fill(chosen & (drawn(tokens, generator) < 0.8), mask_id)
    other = chosen & (drawn(tokens, generator) < 0.1)
    return torch.where(other, any_word(tokens, num_special, vocab_size, generator), inputs), labelled(tokens, chosen)


def one_draw_for_both(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    """What chose a word decides what becomes of it."""
    number = drawn(tokens, generator)
    chosen = (number < rate) & (tokens >= num_special)
    words = any_word(tokens, num_special, vocab_size, generator)
    return by_fate(tokens, chosen, number, words, mask_id), labelled(tokens, chosen)


def in_order_of_place(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    """The first of the chosen are hidden, the last of them stay."""
    chosen = of_rate(tokens, num_special, generator, rate)
    number = chosen.flatten().cumsum(0).view(tokens.shape) / chosen.sum().clamp(min=1)
    words = any_word(tokens, num_special, vocab_size, generator)
    return by_fate(tokens, chosen, number, words, mask_id), labelled(tokens, chosen)


@another("words")
def special_words(tokens, special, size, generator):
    """Every id may be drawn."""
    return torch.randint(0, size, tokens.shape, generator=generator, device=tokens.device)


@another("words")
def too_low(tokens, special, size, generator):
    """As many ids as there are ordinary ones, from 0 on."""
    return torch.randint(0, size - special, tokens.shape, generator=generator, device=tokens.device)


@another("words")
def one_beyond(tokens, special, size, generator):
    """The upper end is taken to be included."""
    return torch.randint(special, size + 1, tokens.shape, generator=generator, device=tokens.device)


@another("words")
def not_the_last_word(tokens, special, size, generator):
    """The upper end is left out twice."""
    return torch.randint(special, size - 1, tokens.shape, generator=generator, device=tokens.device)


@another("words")
def not_the_first_word(tokens, special, size, generator):
    """The lower end is left out."""
    return torch.randint(special + 1, size, tokens.shape, generator=generator, device=tokens.device)


@another("words")
def one_word_for_all(tokens, special, size, generator):
    """One random word."""
    return torch.randint(special, size, (1,), generator=generator, device=tokens.device).expand(tokens.shape)


@another("words")
def one_word_for_a_row(tokens, special, size, generator):
    """One random word for each row."""
    return torch.randint(special, size, (tokens.shape[0], 1), generator=generator, device=tokens.device).expand(
        tokens.shape
    )


@another("words")
def one_word_for_a_column(tokens, special, size, generator):
    """One random word for each column."""
    return torch.randint(special, size, (tokens.shape[1],), generator=generator, device=tokens.device).expand(
        tokens.shape
    )


@another("words")
def no_generator_for_words(tokens, special, size, generator):
    """One of the draws is made without the generator."""
    return torch.randint(special, size, tokens.shape)


@another("choose")
def no_generator_for_the_choice(tokens, special, generator, rate):
    """torch's own generator."""
    return of_rate(tokens, special, None, rate)


@another("fate")
def rand_like(tokens, generator):
    """rand_like takes none."""
    return torch.rand_like(tokens.float())


@another("choose")
def pythons_own(tokens, special, generator, rate):
    """Python's random numbers."""
    return torch.tensor([[random.random() < rate for _ in row] for row in tokens]) & (tokens >= special)


@another("choose")
def numpys_own(tokens, special, generator, rate):
    """NumPy's random numbers."""
    return torch.from_numpy(np.random.rand(*tokens.shape) < rate) & (tokens >= special)


def of_another_generator(begin):
    """The right answer with a generator that is made of the one that is given."""

    @functools.wraps(begin)
    def mask(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
        return right(tokens, num_special, vocab_size, mask_id, begin(generator), rate)

    return mask


@of_another_generator
def always_zero(generator):
    """A generator of its own, always of the same seed."""
    return torch.Generator().manual_seed(0)


@of_another_generator
def starts_anew(generator):
    """The generator begins again from its seed."""
    return generator.manual_seed(generator.initial_seed())


@of_another_generator
def seeds_torch(generator):
    """torch's own generator is given a seed."""
    return torch.manual_seed(int(torch.randint(2**60, (), generator=generator)))


@of_another_generator
def unseeded(generator):
    """A generator of its own, of any seed."""
    made = torch.Generator()
    made.seed()
    return made


def in_place(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    """The caller's tokens become the inputs."""
    inputs, labels = right(tokens, num_special, vocab_size, mask_id, generator, rate)
    return tokens.copy_(inputs), labels


def in_place_with_labels(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    """The labels are made first, and then the caller's tokens are hidden."""
    chosen = of_rate(tokens, num_special, generator, rate)
    labels, fate = labelled(tokens, chosen), drawn(tokens, generator)
    inputs = tokens
    inputs[chosen & (fate < 0.9)] = any_word(tokens, num_special, vocab_size, generator)[chosen & (fate < 0.9)]
    inputs[chosen & (fate < 0.8)] = mask_id
    return inputs, labels


def viewed(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    """view() wants another layout."""
    inputs, labels = right(tokens.view(-1), num_special, vocab_size, mask_id, generator, rate)
    return inputs.view(tokens.shape), labels.view(tokens.shape)


@from_results
def squeezed(inputs, labels, tokens, mask_id):
    """A batch of one row loses a dimension."""
    return inputs.squeeze(), labels.squeeze()


@another("choose")
def one_at_least(tokens, special, generator, rate):
    """If no word was chosen, the first is."""
    chosen = of_rate(tokens, special, generator, rate)
    if not chosen.any():
        chosen[0, 0] = True
    return chosen


def refuses_nothing(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    """What is empty cannot be indexed."""
    inputs, labels = right(tokens, num_special, vocab_size, mask_id, generator, rate)
    assert (labels != -100).nonzero()[0].numel() == 2
    return inputs, labels


def just_eighty_percent(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    """The chosen words are shuffled, and cut at 80 and at 90 %."""
    chosen = of_rate(tokens, num_special, generator, rate)
    places = chosen.nonzero()
    places = places[torch.randperm(len(places), generator=generator, device=tokens.device)]
    a, b = round(0.8 * len(places)), round(0.9 * len(places))
    inputs = tokens.clone()
    inputs[tuple(places[:a].T)] = mask_id
    inputs[tuple(places[a:b].T)] = torch.randint(
        num_special, vocab_size, (b - a,), generator=generator, device=tokens.device
    )
    return inputs, labelled(tokens, chosen)


def never_the_word_itself(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    """Random words that are others than the one that stood there."""
    ordinary = vocab_size - num_special
    steps = torch.randint(1, ordinary, tokens.shape, generator=generator, device=tokens.device)
    words = num_special + (tokens - num_special + steps) % ordinary
    chosen = of_rate(tokens, num_special, generator, rate)
    return by_fate(tokens, chosen, drawn(tokens, generator), words, mask_id), labelled(tokens, chosen)


_LABELS = "a label is the original id, and positions without a label are unchanged"
_SPECIAL = "special ids are never chosen"
_EACH = "the draw for each word is independent"
_RATE = "each ordinary word is chosen with probability rate"
_SPLIT = "of the chosen words 80 % become [MASK], 10 % a random word, and 10 % stay"
_WORDS = "the random word can be any ordinary one, all equally likely"
_SEEDED = "every draw is made with the given generator"
_LEFT = "the tokens are not changed"
_SMALL = "a batch may have one row, one word, or no word that can be chosen"

WRONG = {
    just_eighty_percent: _EACH,
    never_the_word_itself: _WORDS,
    results_exchanged: _LABELS,
    inputs_alone: _LABELS,
    a_mask_too: _LABELS,
    labels_everywhere: _LABELS,
    labels_of_inputs: _LABELS,
    inputs_for_labels: _LABELS,
    zero_elsewhere: _LABELS,
    one_less: _LABELS,
    labels_exchanged: _LABELS,
    no_label_where_kept: _LABELS,
    label_where_hidden: _LABELS,
    booleans: _LABELS,
    floats: _LABELS,
    chosen_alone: _LABELS,
    in_place_before_labels: _LABELS,
    random_words_anywhere: _LABELS,
    specials_too: _SPECIAL,
    padding_alone_is_special: _SPECIAL,
    course_ids_are_special: _SPECIAL,
    one_special_too_few: _SPECIAL,
    the_same_for_every_row: _EACH,
    whole_rows: _EACH,
    all_words: _EACH,
    a_share_of_each_row: _EACH,
    a_share_of_the_batch: _EACH,
    one_fate_for_a_row: _EACH,
    one_fate_for_a_column: _EACH,
    one_fate_for_all: _EACH,
    rate_ignored: _RATE,
    the_others: _RATE,
    normal_numbers: _RATE,
    twice: _RATE,
    not_the_first_id: _RATE,
    not_the_first_position: _RATE,
    not_the_last_position: _RATE,
    all_masked: _SPLIT,
    eighty_twenty: _SPLIT,
    eighty_and_kept: _SPLIT,
    eighty_are_random: _SPLIT,
    eighty_stay: _SPLIT,
    ninety_are_masked: _SPLIT,
    nothing_hidden: _SPLIT,
    ten_of_the_rest: _SPLIT,
    overwritten: _SPLIT,
    a_tenth_overwritten: _SPLIT,
    one_draw_for_both: _SPLIT,
    in_order_of_place: _SPLIT,
    special_words: _WORDS,
    too_low: _WORDS,
    one_beyond: _WORDS,
    not_the_last_word: _WORDS,
    not_the_first_word: _WORDS,
    one_word_for_all: _WORDS,
    one_word_for_a_row: _WORDS,
    one_word_for_a_column: _WORDS,
    no_generator_for_words: _SEEDED,
    no_generator_for_the_choice: _SEEDED,
    rand_like: _SEEDED,
    pythons_own: _SEEDED,
    numpys_own: _SEEDED,
    always_zero: _SEEDED,
    starts_anew: _SEEDED,
    seeds_torch: _SEEDED,
    unseeded: _SEEDED,
    in_place: _LEFT,
    in_place_with_labels: _LEFT,
    viewed: _SMALL,
    squeezed: _SMALL,
    one_at_least: _SMALL,
    refuses_nothing: _SMALL,
}


def position_by_position(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    """Loops, with draws where they are needed and nowhere else."""
    inputs, labels = tokens.clone(), torch.full_like(tokens, -100)
    for b, row in enumerate(tokens.tolist()):
        for s, token in enumerate(row):
            if token < num_special or torch.rand(1, generator=generator).item() >= rate:
                continue
            labels[b, s] = token
            number = torch.rand(1, generator=generator).item()
            if number < 0.8:
                inputs[b, s] = mask_id
            elif number < 0.9:
                inputs[b, s] = torch.randint(num_special, vocab_size, (1,), generator=generator).item()
    return inputs, labels


def one_draw_for_all(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    """One number decides on both, in the right shares."""
    number = torch.rand(tokens.shape, generator=generator, device=tokens.device) / rate
    chosen = (number < 1) & ~(tokens < num_special)
    words = (vocab_size - num_special) * torch.rand(
        tokens.shape, generator=generator, device=tokens.device, dtype=torch.float64
    )
    words = num_special + words.floor().long()
    return by_fate(tokens, chosen, number, words, mask_id), labelled(tokens, chosen)


def with_bernoulli(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    """As in a well-known library: 80 % of the chosen, then half of the rest."""
    inputs, labels = tokens.clone(), tokens.clone()
    matrix = torch.full(labels.shape, rate, device=labels.device)
    matrix.masked_fill_(tokens < num_special, value=0.0)
    masked_indices = torch.bernoulli(matrix, generator=generator).bool()
    labels[~masked_indices] = -100
    replaced = (
        torch.bernoulli(torch.full(labels.shape, 0.8, device=labels.device), generator=generator).bool()
        & masked_indices
    )
    inputs[replaced] = mask_id
    rest = (
        torch.bernoulli(torch.full(labels.shape, 0.5, device=labels.device), generator=generator).bool()
        & masked_indices
        & ~replaced
    )
    words = torch.randint(
        num_special, vocab_size, labels.shape, dtype=torch.long, generator=generator, device=tokens.device
    )
    inputs[rest] = words[rest]
    return inputs, labels


def for_the_chosen_alone(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    """Draws for the chosen words only, in one row."""
    where = (torch.rand(tokens.shape, generator=generator, device=tokens.device) < rate) & (tokens >= num_special)
    words = tokens[where]
    fate = torch.multinomial(
        torch.tensor([0.8, 0.1, 0.1], device=tokens.device), max(1, len(words)), True, generator=generator
    )[: len(words)]
    other = torch.randint(num_special, vocab_size, words.shape, generator=generator, device=tokens.device)
    shown = torch.where(fate == 0, torch.full_like(words, mask_id), torch.where(fate == 1, other, words))
    inputs = tokens.clone().masked_scatter(where, shown)
    return inputs, torch.full_like(tokens, -100).masked_scatter(where, words)


def through_numpy(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    """NumPy, seeded by torch's generator."""
    source = np.random.default_rng(int(torch.randint(2**62, (), generator=generator)))
    old = tokens.numpy()
    chosen = (source.random(old.shape) > 1 - rate) & (old >= num_special)
    fate = source.choice(3, size=old.shape, p=[0.8, 0.1, 0.1])
    inputs = np.where(chosen & (fate == 0), mask_id, old)
    inputs = np.where(chosen & (fate == 1), source.integers(num_special, vocab_size, old.shape), inputs)
    return torch.from_numpy(inputs).to(tokens), torch.from_numpy(np.where(chosen, old, -100)).to(tokens)


def python_seeded_by_torch(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    """Lists, and Python's random numbers, seeded by torch's generator."""
    source = random.Random(torch.randint(2**62, (), generator=generator).item())
    inputs, labels = tokens.tolist(), [[-100] * len(row) for row in tokens.tolist()]
    for row, asked in zip(inputs, labels, strict=True):
        for place, token in enumerate(row):
            if token >= num_special and source.random() < rate:
                asked[place] = token
                shown = [mask_id] * 8 + [source.randrange(num_special, vocab_size), token]
                row[place] = source.choice(shown)
    return torch.tensor(inputs).to(tokens), torch.tensor(labels).to(tokens)


class Mask(nn.Module):
    """A module."""

    def forward(self, tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
        return right(tokens, num_special, vocab_size, mask_id, generator, rate)


RIGHT = {
    "with where": right,
    "position by position": position_by_position,
    "one draw for all": one_draw_for_all,
    "with bernoulli": with_bernoulli,
    "for the chosen alone": for_the_chosen_alone,
    "NumPy, seeded by torch": through_numpy,
    "Python, seeded by torch": python_seeded_by_torch,
    "a module": Mask(),
    "a partial": functools.partial(with_bernoulli),
}
