"""Mistakes in `mask_tokens`, and right answers in other styles."""

import functools
import random

import numpy as np
import torch
from torch import nn

from autograder.checks.ch10_bert.mask_tokens import (
    apart,
    eighty_ten_ten,
    left,
    many,
    never_special,
    rates,
    seeded,
    small,
    words,
)
from autograder.judging.catalogue import mistake, right


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


usual = made()
right(usual)


def another(part):
    """The right answer with a part in the place of its own."""

    def named(function):
        mask = made(**{part: function})
        mask.__name__ = function.__name__
        return mask

    return named


def from_results(change):
    """The right answer, changed at the end: inputs, labels, tokens, mask_id."""

    @functools.wraps(change)
    def mask(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
        inputs, labels = usual(tokens, num_special, vocab_size, mask_id, generator, rate)
        return change(inputs, labels, tokens, mask_id)

    return mask


@mistake(many, "the labels are returned first, expected the inputs first")
@from_results
def results_exchanged(inputs, labels, tokens, mask_id):
    return labels, inputs


mistake(many, "only the inputs are returned, expected the labels too").made_in(
    results_exchanged, inputs_alone={"labels, inputs": "inputs"}
)
mistake(many, "a third result is returned, expected inputs and labels").made_in(
    results_exchanged, a_mask_too={"labels, inputs": "inputs, labels, labels != -100"}
)


@mistake(many, "the labels are the original ids everywhere, expected -100 wherever no word was chosen")
@from_results
def labels_everywhere(inputs, labels, tokens, mask_id):
    return inputs, tokens.clone()


mistake(many, "the labels are read from the inputs, expected from the original tokens").made_in(
    labels_everywhere, labels_of_inputs={"tokens.clone()": "torch.where(labels == -100, -100, inputs)"}
)
mistake(
    many, "the labels are the inputs themselves, expected the original ids, and -100 wherever no word was chosen"
).made_in(labels_everywhere, inputs_for_labels={"tokens.clone": "inputs.clone"})
mistake(many, "the label is 0 where no word was chosen, expected -100").made_in(
    labels_everywhere, zero_elsewhere={"tokens.clone()": "torch.where(labels == -100, 0, labels)"}
)
mistake(many, "the label is -1 where no word was chosen, expected -100").made_in(
    labels_everywhere, one_less={"tokens.clone()": "torch.where(labels == -100, -1, labels)"}
)
mistake(many, "the labels are inverted: -100 belongs where no word was chosen").made_in(
    labels_everywhere, labels_exchanged={"tokens.clone()": "torch.where(labels == -100, tokens, -100)"}
)
mistake(many, "a chosen word that stays has no label").made_in(
    labels_everywhere, no_label_where_kept={"tokens.clone()": "torch.where(inputs == tokens, -100, tokens)"}
)
mistake(many, "only words that became [MASK] have a label, expected all chosen words").made_in(
    labels_everywhere, label_where_hidden={"tokens.clone()": "torch.where(inputs == mask_id, tokens, -100)"}
)
mistake(many, "the labels say which words were chosen, expected their ids").made_in(
    labels_everywhere, booleans={"tokens.clone()": "labels != -100"}
)


@mistake(many, "inputs and labels are floats, expected integers")
@from_results
def floats(inputs, labels, tokens, mask_id):
    return inputs.float(), labels.float()


mistake(many, "there are labels for the chosen words only, expected one for each position").made_in(
    labels_everywhere, chosen_alone={"tokens.clone()": "labels[labels != -100]"}
)


@mistake(many, "the tokens are changed in place before the labels are read from them")
def in_place_before_labels(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    chosen = of_rate(tokens, num_special, generator, rate)
    inputs = tokens
    fate = drawn(tokens, generator)
    inputs[chosen & (fate < 0.9)] = any_word(tokens, num_special, vocab_size, generator)[chosen & (fate < 0.9)]
    inputs[chosen & (fate < 0.8)] = mask_id
    return inputs, labelled(tokens, chosen)


@mistake(many, "random words also replace words that were not chosen")
@another("show")
def random_words_anywhere(tokens, chosen, fate, words, mask_id):
    inputs = torch.where((fate >= 0.8) & (fate < 0.9), words, tokens)
    return torch.where(chosen & (fate < 0.8), mask_id, inputs)


@mistake(never_special, "special ids are chosen like words")
@another("choose")
def specials_too(tokens, special, generator, rate):
    return drawn(tokens, generator) < rate


@mistake(never_special, "only the id 0 is left out, expected all ids below num_special")
@another("choose")
def padding_alone_is_special(tokens, special, generator, rate):
    return (drawn(tokens, generator) < rate) & (tokens != 0)


@mistake(never_special, "only some fixed ids are left out, expected all ids below num_special")
@another("choose")
def course_ids_are_special(tokens, special, generator, rate):
    return (drawn(tokens, generator) < rate) & (tokens != 0) & (tokens != 2) & (tokens != 3)


@mistake(never_special, "the last special id is treated as a word")
@another("choose")
def one_special_too_few(tokens, special, generator, rate):
    return (drawn(tokens, generator) < rate) & (tokens >= special - 1)


@mistake(apart, "one draw is made for each column, expected one for each position of each row")
@another("choose")
def the_same_for_every_row(tokens, special, generator, rate):
    return (torch.rand(tokens.shape[1], generator=generator, device=tokens.device) < rate) & (tokens >= special)


@mistake(apart, "one draw is made for each row, expected one for each position")
@another("choose")
def whole_rows(tokens, special, generator, rate):
    return (torch.rand(tokens.shape[0], 1, generator=generator, device=tokens.device) < rate) & (tokens >= special)


@mistake(apart, "all words are chosen, whatever the rate is")
@another("choose")
def all_words(tokens, special, generator, rate):
    return tokens >= special


@mistake(apart, "a fixed share of each row is chosen, expected a draw for each word")
@another("choose")
def a_share_of_each_row(tokens, special, generator, rate):
    order = drawn(tokens, generator).masked_fill(tokens < special, 2.0).argsort(dim=1).argsort(dim=1)
    return order < (rate * (tokens >= special).sum(dim=1, keepdim=True)).round()


@mistake(apart, "a fixed share of the batch is chosen, expected a draw for each word")
@another("choose")
def a_share_of_the_batch(tokens, special, generator, rate):
    words = (tokens >= special).nonzero()
    order = torch.randperm(len(words), generator=generator, device=tokens.device)[: round(rate * len(words))]
    chosen = torch.zeros(tokens.shape, dtype=torch.bool)
    chosen[tuple(words[order].T)] = True
    return chosen


@mistake(apart, "one draw decides what all chosen words of a row become, expected one for each")
@another("fate")
def one_fate_for_a_row(tokens, generator):
    return torch.rand(tokens.shape[0], 1, generator=generator, device=tokens.device)


@mistake(apart, "one draw decides what all chosen words of a column become, expected one for each")
@another("fate")
def one_fate_for_a_column(tokens, generator):
    return torch.rand(tokens.shape[1], generator=generator, device=tokens.device)


@mistake(apart, "one draw decides what all chosen words become, expected one for each")
@another("fate")
def one_fate_for_all(tokens, generator):
    return torch.rand((), generator=generator)


@mistake(rates, "the rate is always 0.15, whatever was given")
@another("choose")
def rate_ignored(tokens, special, generator, rate):
    return of_rate(tokens, special, generator, 0.15)


@mistake(rates, "a word is chosen if the number drawn for it is above the rate, expected below")
@another("choose")
def the_others(tokens, special, generator, rate):
    return (drawn(tokens, generator) > rate) & (tokens >= special)


@mistake(rates, "the numbers are drawn from a normal distribution, expected a uniform one between 0 and 1")
@another("choose")
def normal_numbers(tokens, special, generator, rate):
    return (torch.randn(tokens.shape, generator=generator, device=tokens.device) < rate) & (tokens >= special)


@mistake(rates, "two draws decide whether a word is chosen, expected one")
@another("choose")
def twice(tokens, special, generator, rate):
    return of_rate(tokens, special, generator, rate) & of_rate(tokens, special, generator, rate)


@mistake(rates, "the first ordinary id, num_special, is never chosen")
@another("choose")
def not_the_first_id(tokens, special, generator, rate):
    return (drawn(tokens, generator) < rate) & (tokens > special)


@mistake(rates, "the first position is never chosen")
@another("choose")
def not_the_first_position(tokens, special, generator, rate):
    chosen = of_rate(tokens, special, generator, rate)
    chosen[:, 0] = False
    return chosen


@mistake(rates, "the last position is never chosen")
@another("choose")
def not_the_last_position(tokens, special, generator, rate):
    chosen = of_rate(tokens, special, generator, rate)
    chosen[:, -1] = False
    return chosen


@mistake(eighty_ten_ten, "all chosen words become [MASK]")
@another("show")
def all_masked(tokens, chosen, fate, words, mask_id):
    return torch.where(chosen, mask_id, tokens)


@mistake(eighty_ten_ten, "no chosen word stays as it is")
@another("show")
def eighty_twenty(tokens, chosen, fate, words, mask_id):
    return by_fate(tokens, chosen, fate, words, mask_id, 0.8, 1.0)


@mistake(eighty_ten_ten, "no chosen word becomes a random one")
@another("show")
def eighty_and_kept(tokens, chosen, fate, words, mask_id):
    return by_fate(tokens, chosen, fate, words, mask_id, 0.8, 0.8)


@mistake(eighty_ten_ten, "the shares of [MASK] and of random words are swapped")
@another("show")
def eighty_are_random(tokens, chosen, fate, words, mask_id):
    inputs = torch.where(chosen & (fate < 0.9), mask_id, tokens)
    return torch.where(chosen & (fate < 0.8), words, inputs)


@mistake(eighty_ten_ten, "the shares of [MASK] and of words that stay are swapped")
@another("show")
def eighty_stay(tokens, chosen, fate, words, mask_id):
    return by_fate(tokens, chosen, fate, words, mask_id, 0.1, 0.2)


@mistake(
    eighty_ten_ten,
    "the random words are overwritten with [MASK], so 90 % of the chosen words become [MASK] and none a random word",
)
@another("show")
def ninety_are_masked(tokens, chosen, fate, words, mask_id):
    inputs = torch.where(chosen & (fate < 0.8), words, tokens)
    return torch.where(chosen & (fate < 0.9), mask_id, inputs)


@mistake(eighty_ten_ten, "the inputs are the tokens: nothing is masked")
@another("show")
def nothing_hidden(tokens, chosen, fate, words, mask_id):
    return tokens.clone()


@mistake(
    eighty_ten_ten, "10 % of the words that did not become [MASK] become random ones, expected 10 % of all chosen words"
)
def ten_of_the_rest(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    chosen = of_rate(tokens, num_special, generator, rate)
    masked = chosen & (drawn(tokens, generator) < 0.8)
    other = chosen & ~masked & (drawn(tokens, generator) < 0.1)
    inputs = torch.where(other, any_word(tokens, num_special, vocab_size, generator), tokens)
    return inputs.masked_fill(masked, mask_id), labelled(tokens, chosen)


@mistake(
    eighty_ten_ten, "random words also replace some of the [MASK]s, expected only words that did not become [MASK]"
)
def overwritten(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    chosen = of_rate(tokens, num_special, generator, rate)
    inputs = tokens.masked_fill(chosen & (drawn(tokens, generator) < 0.8), mask_id)
    other = chosen & (drawn(tokens, generator) < 0.5)
    return torch.where(other, any_word(tokens, num_special, vocab_size, generator), inputs), labelled(tokens, chosen)


mistake(
    eighty_ten_ten, "random words also replace some of the [MASK]s, expected only words that did not become [MASK]"
).made_in(overwritten, a_tenth_overwritten={"drawn(tokens, generator) < 0.5": "drawn(tokens, generator) < 0.1"})


@mistake(
    eighty_ten_ten, "one number decides whether a word is chosen and what it becomes, expected two independent draws"
)
def one_draw_for_both(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    number = drawn(tokens, generator)
    chosen = (number < rate) & (tokens >= num_special)
    words = any_word(tokens, num_special, vocab_size, generator)
    return by_fate(tokens, chosen, number, words, mask_id), labelled(tokens, chosen)


@mistake(eighty_ten_ten, "what a chosen word becomes depends on its position, expected a draw")
def in_order_of_place(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    chosen = of_rate(tokens, num_special, generator, rate)
    number = chosen.flatten().cumsum(0).view(tokens.shape) / chosen.sum().clamp(min=1)
    words = any_word(tokens, num_special, vocab_size, generator)
    return by_fate(tokens, chosen, number, words, mask_id), labelled(tokens, chosen)


@mistake(words, "the random words are drawn from all ids, the special ones too")
@another("words")
def special_words(tokens, special, size, generator):
    return torch.randint(0, size, tokens.shape, generator=generator, device=tokens.device)


@mistake(
    words, "the random words are drawn from 0 to vocab_size - num_special, expected from num_special to vocab_size"
)
@another("words")
def too_low(tokens, special, size, generator):
    return torch.randint(0, size - special, tokens.shape, generator=generator, device=tokens.device)


@mistake(words, "the random words are drawn up to vocab_size, which is no id: randint leaves out its upper end")
@another("words")
def one_beyond(tokens, special, size, generator):
    return torch.randint(special, size + 1, tokens.shape, generator=generator, device=tokens.device)


@mistake(words, "the last ordinary id is never drawn as a random word: randint leaves out its upper end")
@another("words")
def not_the_last_word(tokens, special, size, generator):
    return torch.randint(special, size - 1, tokens.shape, generator=generator, device=tokens.device)


@mistake(words, "the first ordinary id, num_special, is never drawn as a random word")
@another("words")
def not_the_first_word(tokens, special, size, generator):
    return torch.randint(special + 1, size, tokens.shape, generator=generator, device=tokens.device)


@mistake(words, "one random word is drawn for all positions, expected one for each")
@another("words")
def one_word_for_all(tokens, special, size, generator):
    return torch.randint(special, size, (1,), generator=generator, device=tokens.device).expand(tokens.shape)


@mistake(words, "one random word is drawn for each row, expected one for each position")
@another("words")
def one_word_for_a_row(tokens, special, size, generator):
    return torch.randint(special, size, (tokens.shape[0], 1), generator=generator, device=tokens.device).expand(
        tokens.shape
    )


@mistake(words, "one random word is drawn for each column, expected one for each position")
@another("words")
def one_word_for_a_column(tokens, special, size, generator):
    return torch.randint(special, size, (tokens.shape[1],), generator=generator, device=tokens.device).expand(
        tokens.shape
    )


@mistake(seeded, "the draws are made without the given generator")
@another("words")
def no_generator_for_words(tokens, special, size, generator):
    return torch.randint(special, size, tokens.shape)


@mistake(seeded, "the draws are made without the given generator")
@another("choose")
def no_generator_for_the_choice(tokens, special, generator, rate):
    return of_rate(tokens, special, None, rate)


@mistake(seeded, "rand_like is used, which takes no generator")
@another("fate")
def rand_like(tokens, generator):
    return torch.rand_like(tokens.float())


@mistake(seeded, "the draws are made without the given generator")
@another("choose")
def pythons_own(tokens, special, generator, rate):
    return torch.tensor([[random.random() < rate for _ in row] for row in tokens]) & (tokens >= special)


@mistake(seeded, "the draws are made without the given generator")
@another("choose")
def numpys_own(tokens, special, generator, rate):
    return torch.from_numpy(np.random.rand(*tokens.shape) < rate) & (tokens >= special)


def of_another_generator(begin):
    """The right answer with a generator that is made of the one that is given."""

    @functools.wraps(begin)
    def mask(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
        return usual(tokens, num_special, vocab_size, mask_id, begin(generator), rate)

    return mask


@mistake(seeded, "a new generator with a fixed seed is used, expected the given one")
@of_another_generator
def always_zero(generator):
    return torch.Generator().manual_seed(0)


mistake(seeded, "the given generator is reset to its seed at every call, expected it to continue").made_in(
    always_zero, starts_anew={"torch.Generator().manual_seed(0)": "generator.manual_seed(generator.initial_seed())"}
)


@mistake(seeded, "torch's global generator is seeded and used, expected the given one")
@of_another_generator
def seeds_torch(generator):
    return torch.manual_seed(int(torch.randint(2**60, (), generator=generator)))


@mistake(seeded, "a new generator without a seed is used, expected the given one")
@of_another_generator
def unseeded(generator):
    made = torch.Generator()
    made.seed()
    return made


@mistake(left, "the tokens are changed in place")
def in_place(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    inputs, labels = usual(tokens, num_special, vocab_size, mask_id, generator, rate)
    return tokens.copy_(inputs), labels


@mistake(left, "the tokens are changed in place, after the labels are read from them")
def in_place_with_labels(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    chosen = of_rate(tokens, num_special, generator, rate)
    labels, fate = labelled(tokens, chosen), drawn(tokens, generator)
    inputs = tokens
    inputs[chosen & (fate < 0.9)] = any_word(tokens, num_special, vocab_size, generator)[chosen & (fate < 0.9)]
    inputs[chosen & (fate < 0.8)] = mask_id
    return inputs, labels


@mistake(small, "view fails on a tensor that is not contiguous")
def viewed(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    inputs, labels = usual(tokens.view(-1), num_special, vocab_size, mask_id, generator, rate)
    return inputs.view(tokens.shape), labels.view(tokens.shape)


mistake(small, "a dimension of size one is removed that belongs to the result").made_in(
    results_exchanged, squeezed={"labels, inputs": "inputs.squeeze(), labels.squeeze()"}
)


@mistake(rates, "if the draws choose no word, the first position is chosen anyway, expected none")
@another("choose")
def one_at_least(tokens, special, generator, rate):
    chosen = of_rate(tokens, special, generator, rate)
    if not chosen.any():
        chosen[0, 0] = True
    return chosen


@mistake(rates, "a batch in which no word is chosen raises an error")
def refuses_nothing(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    inputs, labels = usual(tokens, num_special, vocab_size, mask_id, generator, rate)
    assert (labels != -100).nonzero()[0].numel() == 2
    return inputs, labels


@mistake(apart, "the chosen words are shuffled and cut at 80 % and 90 %, expected a draw for each")
def just_eighty_percent(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
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


@mistake(words, "the random word is never the original one, expected any ordinary one")
def never_the_word_itself(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    ordinary = vocab_size - num_special
    steps = torch.randint(1, ordinary, tokens.shape, generator=generator, device=tokens.device)
    words = num_special + (tokens - num_special + steps) % ordinary
    chosen = of_rate(tokens, num_special, generator, rate)
    return by_fate(tokens, chosen, drawn(tokens, generator), words, mask_id), labelled(tokens, chosen)


mistake(many, "inputs and labels are int32, expected the dtype of the tokens").made_in(
    results_exchanged, short_integers={"labels, inputs": "inputs.int(), labels.int()"}
)


@mistake(rates, "one draw is made for each id, expected one for each position")
@another("choose")
def one_draw_for_an_id(tokens, special, generator, rate):
    numbers = torch.rand(int(tokens.max()) + 1, generator=generator, device=tokens.device)
    return (numbers[tokens] < rate) & (tokens >= special)


@mistake(rates, "whole per cents from 0 to 99 are compared with <=, so that one word in a hundred too many is chosen")
@another("choose")
def per_cents(tokens, special, generator, rate):
    drawn = torch.randint(0, 100, tokens.shape, generator=generator, device=tokens.device)
    return (drawn <= round(100 * rate)) & (tokens >= special)


@mistake(rates, "the rate is rounded to one decimal")
@another("choose")
def tenths(tokens, special, generator, rate):
    return of_rate(tokens, special, generator, round(rate, 1))


@mistake(rates, "in a row of which no word was chosen, one is chosen all the same; expected none")
@another("choose")
def one_of_each_row(tokens, special, generator, rate):
    chosen, words = of_rate(tokens, special, generator, rate), tokens >= special
    best = drawn(tokens, generator).masked_fill(~words, -1.0).argmax(dim=1, keepdim=True)
    added = torch.zeros_like(chosen).scatter(1, best, True) & words & ~chosen.any(dim=1, keepdim=True)
    return chosen | added


@mistake(eighty_ten_ten, "85 % of the chosen words become [MASK], expected 80 %")
@another("show")
def eighty_five(tokens, chosen, fate, words, mask_id):
    return by_fate(tokens, chosen, fate, words, mask_id, 0.85, 0.925)


@mistake(eighty_ten_ten, "15 % of the chosen words become random ones and 5 % stay, expected 10 % each")
@another("show")
def fifteen_and_five(tokens, chosen, fate, words, mask_id):
    return by_fate(tokens, chosen, fate, words, mask_id, 0.8, 0.95)


@mistake(eighty_ten_ten, "one draw decides what all words of an id become, expected one for each position")
@another("fate")
def one_fate_for_an_id(tokens, generator):
    return torch.rand(int(tokens.max()) + 1, generator=generator, device=tokens.device)[tokens]


@mistake(
    words,
    "the random word is a rounded number, so that the first and the last ordinary id come half as often as the others",
)
@another("words")
def rounded_words(tokens, special, size, generator):
    return (special + drawn(tokens, generator) * (size - 1 - special)).round().long()


@mistake(words, "special ids are drawn too and raised to num_special, which comes too often")
@another("words")
def raised(tokens, special, size, generator):
    return torch.randint(0, size, tokens.shape, generator=generator, device=tokens.device).clamp(min=special)


@mistake(words, "the random words are drawn from the words of the batch, expected any of the ordinary ids")
@another("words")
def words_of_the_batch(tokens, special, size, generator):
    ordinary = tokens[tokens >= special] if (tokens >= special).any() else tokens.flatten()
    return ordinary[torch.randint(len(ordinary), tokens.shape, generator=generator, device=tokens.device)]


@mistake(words, "the random words come from a normal distribution, expected a uniform one")
@another("words")
def normal_words(tokens, special, size, generator):
    numbers = torch.randn(tokens.shape, generator=generator, device=tokens.device)
    return (numbers * (size - special) / 6 + (size + special) / 2).long().clamp(special, size - 1)


@mistake(eighty_ten_ten, "the draw is rounded to tenths, so 75 % of the chosen words become [MASK] and 15 % stay")
@another("fate")
def rounded_to_tenths(tokens, generator):
    return (drawn(tokens, generator) * 10).round() / 10


@mistake(words, "the random word depends on the draw that chose the position: only the first of the ordinary ids come")
def from_the_draw_that_chose(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    number = drawn(tokens, generator)
    chosen, other = (number < rate) & (tokens >= num_special), num_special + number * (vocab_size - num_special)
    return by_fate(tokens, chosen, drawn(tokens, generator), other.long(), mask_id), labelled(tokens, chosen)


@mistake(eighty_ten_ten, "the cases are told apart by 0.12 and 0.135, which is right only for a rate of 0.15")
def for_the_usual_rate(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    number, words = drawn(tokens, generator), any_word(tokens, num_special, vocab_size, generator)
    chosen = (number < rate) & (tokens >= num_special)
    return by_fate(tokens, chosen, number, words, mask_id, 0.12, 0.135), labelled(tokens, chosen)


@right
def position_by_position(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
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


@right
def one_draw_for_all(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    number = torch.rand(tokens.shape, generator=generator, device=tokens.device) / rate
    chosen = (number < 1) & ~(tokens < num_special)
    words = (vocab_size - num_special) * torch.rand(
        tokens.shape, generator=generator, device=tokens.device, dtype=torch.float64
    )
    words = num_special + words.floor().long()
    return by_fate(tokens, chosen, number, words, mask_id), labelled(tokens, chosen)


@right
def with_bernoulli(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
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


@right
def for_the_chosen_alone(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    where = (torch.rand(tokens.shape, generator=generator, device=tokens.device) < rate) & (tokens >= num_special)
    words = tokens[where]
    fate = torch.multinomial(
        torch.tensor([0.8, 0.1, 0.1], device=tokens.device), max(1, len(words)), True, generator=generator
    )[: len(words)]
    other = torch.randint(num_special, vocab_size, words.shape, generator=generator, device=tokens.device)
    shown = torch.where(fate == 0, torch.full_like(words, mask_id), torch.where(fate == 1, other, words))
    inputs = tokens.clone().masked_scatter(where, shown)
    return inputs, torch.full_like(tokens, -100).masked_scatter(where, words)


@right
def through_numpy(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
    source = np.random.default_rng(int(torch.randint(2**62, (), generator=generator)))
    old = tokens.numpy()
    chosen = (source.random(old.shape) > 1 - rate) & (old >= num_special)
    fate = source.choice(3, size=old.shape, p=[0.8, 0.1, 0.1])
    inputs = np.where(chosen & (fate == 0), mask_id, old)
    inputs = np.where(chosen & (fate == 1), source.integers(num_special, vocab_size, old.shape), inputs)
    return torch.from_numpy(inputs).to(tokens), torch.from_numpy(np.where(chosen, old, -100)).to(tokens)


@right
def python_seeded_by_torch(tokens, num_special, vocab_size, mask_id, generator, rate=0.15):
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
        return usual(tokens, num_special, vocab_size, mask_id, generator, rate)


right(Mask())


right(functools.partial(with_bernoulli))
