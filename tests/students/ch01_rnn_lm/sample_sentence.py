"""What students hand in for `sample_sentence`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools
import math
import random

import numpy as np
import torch
from torch import nn

EXERCISE = "sample_sentence"


def drawn(logits, generator):
    """A word, in one of the right ways."""
    return int(torch.multinomial(logits.softmax(dim=-1), 1, generator=generator))


def sentence(draw, step, state, generator, bos, eos, max_words):
    """The loop, around a way of drawing: takes logits and a generator."""
    words, word = [], bos
    while len(words) < max_words:
        logits, state = step(word, state)
        word = draw(logits, generator)
        if word == eos:
            break
        words.append(word)
    return words


def by(draw):
    """A whole answer out of a way of drawing, with its name."""

    @functools.wraps(draw)
    def answer(step, state, generator, bos, eos, max_words):
        return sentence(draw, step, state, generator, bos, eos, max_words)

    del answer.__wrapped__  # Its signature is that of the answer.
    return answer


def by_words(draw):
    """The same out of a way of drawing that hangs on the words so far."""

    @functools.wraps(draw)
    def answer(step, state, generator, bos, eos, max_words):
        words = []

        def next_word(logits, generator):
            words.append(draw(logits, generator, words))
            return words[-1]

        return sentence(next_word, step, state, generator, bos, eos, max_words)

    del answer.__wrapped__
    return answer


@by
def most_probable(logits, generator):
    """argmax."""
    return int(logits.argmax())


@by
def most_probable_of_two(logits, generator):
    """Two draws, of which the more probable is taken."""
    words = [drawn(logits, generator) for _ in range(2)]
    return max(words, key=lambda word: logits[word].item())


@by
def uniform(logits, generator):
    """The logits are not looked at."""
    return int(torch.randint(len(logits), (1,), generator=generator))


@by
def softmax_twice(logits, generator):
    """Probabilities are taken for logits."""
    return drawn(logits.softmax(dim=-1), generator)


@by
def with_sigmoid(logits, generator):
    """Sigmoid for softmax."""
    return int(torch.multinomial(logits.sigmoid(), 1, generator=generator))


@by
def logarithms(logits, generator):
    """Log-probabilities are taken for probabilities."""
    return int(torch.multinomial(logits.log_softmax(dim=-1), 1, generator=generator))


@by
def top_two(logits, generator):
    """The two most probable words alone."""
    values, words = logits.topk(2)
    return int(words[drawn(values, generator)])


@by
def cold(logits, generator):
    """A temperature that nobody asked for."""
    return drawn(logits / 0.3, generator)


@by
def same_seed(logits, generator):
    """The generator is given a seed at each draw."""
    return drawn(logits, generator.manual_seed(0))


@by
def gumbel_forgotten(logits, generator):
    """The noise of the Gumbel trick is uniform."""
    return int((logits + torch.rand(logits.shape, generator=generator)).argmax())


def a_word_at_least(step, state, generator, bos, eos, max_words):
    """Where EOS is drawn first, it is drawn again."""
    words, word = [], bos
    while len(words) < max_words:
        logits, state = step(word, state)
        word = drawn(logits, generator)
        while word == eos and not words and logits.softmax(dim=-1)[eos] < 0.9:
            word = drawn(logits, generator)
        if word == eos:
            break
        words.append(word)
    return words


def nothing_returned(step, state, generator, bos, eos, max_words):
    """The return is missing."""
    sentence(drawn, step, state, generator, bos, eos, max_words)


def a_tensor(step, state, generator, bos, eos, max_words):
    """A tensor for a list."""
    return torch.tensor(sentence(drawn, step, state, generator, bos, eos, max_words))


def no_empty_sentence(step, state, generator, bos, eos, max_words):
    """A sentence without a word is None."""
    words = sentence(drawn, step, state, generator, bos, eos, max_words)
    return words or None


def arguments_swapped(step, state, generator, bos, eos, max_words):
    """The state goes in before the word."""
    words, word = [], bos
    while len(words) < max_words:
        logits, state = step(state, word)
        word = drawn(logits, generator)
        if word == eos:
            break
        words.append(word)
    return words


def results_swapped(step, state, generator, bos, eos, max_words):
    """The state comes back before the logits."""
    words, word = [], bos
    while len(words) < max_words:
        state, logits = step(word, state)
        word = drawn(logits, generator)
        if word == eos:
            break
        words.append(word)
    return words


def reads_eos_first(step, state, generator, bos, eos, max_words):
    """EOS is read first."""
    return sentence(drawn, step, state, generator, eos, eos, max_words)


def always_reads_bos(step, state, generator, bos, eos, max_words):
    """The word that was drawn is not read."""
    words = []
    while len(words) < max_words:
        logits, state = step(bos, state)
        word = drawn(logits, generator)
        if word == eos:
            break
        words.append(word)
    return words


def reads_one_late(step, state, generator, bos, eos, max_words):
    """The word before the last is read."""
    words, before, word = [], bos, bos
    while len(words) < max_words:
        logits, state = step(before, state)
        before, word = word, drawn(logits, generator)
        if word == eos:
            break
        words.append(word)
    return words


def forgets_the_state(step, state, generator, bos, eos, max_words):
    """Every step begins from the first state."""
    words, word = [], bos
    while len(words) < max_words:
        logits, _ = step(word, state)
        word = drawn(logits, generator)
        if word == eos:
            break
        words.append(word)
    return words


def no_first_state(step, state, generator, bos, eos, max_words):
    """The state that is given is not used."""
    return sentence(drawn, step, None, generator, bos, eos, max_words)


def both_for_the_state(step, state, generator, bos, eos, max_words):
    """The pair is handed on whole."""
    words, word = [], bos
    while len(words) < max_words:
        state = step(word, state)
        word = drawn(state[0], generator)
        if word == eos:
            break
        words.append(word)
    return words


def one_step(step, state, generator, bos, eos, max_words):
    """There is no loop."""
    logits, state = step(bos, state)
    word = drawn(logits, generator)
    return [] if word == eos else [word]


def steps_twice(step, state, generator, bos, eos, max_words):
    """The step is taken once for the logits and once for the state."""
    words, word = [], bos
    while len(words) < max_words:
        logits = step(word, state)[0]
        next_word = drawn(logits, generator)
        if next_word == eos:
            break
        state = step(word, state)[1]
        word = next_word
        words.append(word)
    return words


def keeps_eos(step, state, generator, bos, eos, max_words):
    """EOS goes into the list."""
    words, word = [], bos
    while len(words) < max_words and word != eos:
        logits, state = step(word, state)
        word = drawn(logits, generator)
        words.append(word)
    return words


def keeps_bos(step, state, generator, bos, eos, max_words):
    """BOS stands at the front."""
    return [bos, *sentence(drawn, step, state, generator, bos, eos, max_words)]


def keeps_both(step, state, generator, bos, eos, max_words):
    """The list begins with BOS and ends with EOS."""
    return [bos, *keeps_eos(step, state, generator, bos, eos, max_words)]


def never_stops_at_eos(step, state, generator, bos, eos, max_words):
    """A sentence always has max_words words."""
    return sentence(drawn, step, state, generator, bos, None, max_words)


def leaves_eos_out(step, state, generator, bos, eos, max_words):
    """EOS is passed over, and the sentence goes on."""
    words, word = [], bos
    for _ in range(max_words):
        logits, state = step(word, state)
        word = drawn(logits, generator)
        if word != eos:
            words.append(word)
    return words


def drops_the_last(step, state, generator, bos, eos, max_words):
    """The word before EOS is lost."""
    words = sentence(drawn, step, state, generator, bos, eos, max_words)
    return words[:-1] if len(words) < max_words else words


def words_as_tensors(step, state, generator, bos, eos, max_words):
    """A list of tensors."""
    return [torch.tensor(word) for word in sentence(drawn, step, state, generator, bos, eos, max_words)]


def never_stops(step, state, generator, bos, eos, max_words):
    """Only EOS ends the sentence."""
    return sentence(drawn, step, state, generator, bos, eos, math.inf)


def one_too_many(step, state, generator, bos, eos, max_words):
    """<= for <."""
    return sentence(drawn, step, state, generator, bos, eos, max_words + 1)


def one_too_few(step, state, generator, bos, eos, max_words):
    """BOS is counted with the words, and taken out."""
    words = [bos]
    while len(words) < max_words:
        logits, state = step(words[-1], state)
        word = drawn(logits, generator)
        if word == eos:
            break
        words.append(word)
    return words[1:]


def fifty_at_most(step, state, generator, bos, eos, max_words):
    """A number of its own."""
    return sentence(drawn, step, state, generator, bos, eos, 50)


@by
def no_generator(logits, generator):
    """The generator is not handed on."""
    return drawn(logits, None)


@by
def categorical(logits, generator):
    """torch's distributions take no generator."""
    return int(torch.distributions.Categorical(logits=logits).sample())


@by
def pythons_own(logits, generator):
    """Python's random numbers."""
    return random.choices(range(len(logits)), logits.softmax(dim=-1).tolist())[0]


@by
def numpys_own(logits, generator):
    """NumPy's random numbers."""
    probabilities = logits.detach().double().softmax(dim=-1).numpy()
    return int(np.random.default_rng().choice(len(probabilities), p=probabilities))


@by
def seeds_torch(logits, generator):
    """torch's own generator is given the seed; `torch.manual_seed` gives it to every device's, which takes far longer."""
    torch.default_generator.manual_seed(generator.initial_seed())
    return drawn(logits, None)


@by
def a_generator_of_its_own(logits, generator):
    """A new generator with the same seed."""
    return drawn(logits, torch.Generator().manual_seed(generator.initial_seed()))


@by
def starts_anew(logits, generator):
    """The generator begins again from its seed."""
    return drawn(logits, generator.manual_seed(generator.initial_seed()))


@by
def another_seed(logits, generator):
    """The generator is given a seed by chance."""
    generator.seed()
    return drawn(logits, generator)


@by
def unshifted(logits, generator):
    """exp overflows."""
    weights = torch.exp(logits)
    return int(torch.multinomial(weights / weights.sum(), 1, generator=generator))


@by
def clamped(logits, generator):
    """What is far is cut off."""
    return drawn(logits.clamp(-80, 80), generator)


@by
def through_numpy(logits, generator):
    """NumPy takes nothing with a gradient behind it."""
    weights = np.exp(logits.numpy() - logits.max().item())
    return int(torch.multinomial(torch.from_numpy(weights), 1, generator=generator))


@by_words
def the_rest_most_probable(logits, generator, words):
    """Only the first word is drawn."""
    return int(logits.argmax()) if words else drawn(logits, generator)


def one_number(step, state, generator, bos, eos, max_words):
    """One random number serves for all words."""
    number = torch.rand(1, generator=generator)

    def by_number(logits, _):
        return int(torch.searchsorted(logits.detach().softmax(-1).cumsum(0), number).clamp(max=len(logits) - 1))

    return sentence(by_number, step, state, generator, bos, eos, max_words)


@by_words
def sharper_and_sharper(logits, generator, words):
    """The temperature falls from word to word."""
    return drawn(logits * (len(words) + 1), generator)


@by_words
def never_twice(logits, generator, words):
    """A word is not drawn again behind itself."""
    return drawn(logits.index_fill(0, torch.tensor(words[-1:], dtype=torch.int64), -math.inf), generator)


def at_least_one(step, state, generator, bos, eos, max_words):
    """It is asked at the end of the loop whether there are enough words."""
    words, word = [], bos
    while True:
        logits, state = step(word, state)
        word = drawn(logits, generator)
        if word == eos:
            return words
        words.append(word)
        if len(words) == max_words:
            return words


def last_word_looked_at(step, state, generator, bos, eos, max_words):
    """EOS is looked for at the end of a list that may be empty."""
    words, word = [], bos
    for _ in range(max_words):
        logits, state = step(word, state)
        word = drawn(logits, generator)
        words.append(word)
        if word == eos:
            break
    return words[:-1] if words[-1] == eos else words


@by
def shifts_in_place(logits, generator):
    """The largest logit becomes 0, in the model's table."""
    logits -= logits.max()
    return drawn(logits, generator)


@by
def exponentials_in_place(logits, generator):
    """The table becomes one of probabilities."""
    weights = logits.sub_(logits.max().item()).exp_()
    return int(torch.multinomial(weights, 1, generator=generator))


def forbids_bos(step, state, generator, bos, eos, max_words):
    """BOS is made impossible."""

    def draw(logits, generator):
        return drawn(logits.masked_fill(torch.arange(len(logits)) == bos, -math.inf), generator)

    return sentence(draw, step, state, generator, bos, eos, max_words)


_DRAWN = "a word is drawn with probability softmax(logits)"
_READ = "step reads BOS first, and then each word with the previous state"
_ENDS = "EOS ends the sentence and is not one of its words"
_MOST = "there are at most max_words words"
_SEEDED = "every draw uses the given generator"
_FAR = "logits far from zero, or with a gradient, work too"
_TOGETHER = "each word is drawn separately, whatever came before it"
_SHORT = "a sentence may have no word, or just one"
_LEFT = "what step returned is left as it was"


@by
def warm(logits, generator):
    """Another temperature that nobody asked for."""
    return drawn(logits / 2, generator)


@by
def second_of_two(logits, generator):
    """Two words are drawn without putting the first one back, and the second one is taken."""
    return torch.multinomial(logits.softmax(dim=-1), 2, generator=generator)[1].item()


@by
def numpys_search(logits, generator):
    """The inverse of the running sum in NumPy, whose whole numbers come back."""
    edges = np.cumsum(logits.detach().double().softmax(dim=-1).numpy())
    return np.searchsorted(edges / edges[-1], torch.rand((), generator=generator).item(), side="right")


WRONG = {
    the_rest_most_probable: _TOGETHER,
    one_number: _TOGETHER,
    sharper_and_sharper: _TOGETHER,
    never_twice: _TOGETHER,
    most_probable: _DRAWN,
    most_probable_of_two: _DRAWN,
    uniform: _DRAWN,
    softmax_twice: _DRAWN,
    with_sigmoid: _DRAWN,
    logarithms: _DRAWN,
    top_two: _DRAWN,
    cold: _DRAWN,
    same_seed: _DRAWN,
    gumbel_forgotten: _DRAWN,
    a_word_at_least: _DRAWN,
    nothing_returned: _DRAWN,
    a_tensor: _DRAWN,
    no_empty_sentence: _DRAWN,
    arguments_swapped: _DRAWN,
    results_swapped: _DRAWN,
    warm: _DRAWN,
    second_of_two: _DRAWN,
    reads_eos_first: _READ,
    always_reads_bos: _READ,
    reads_one_late: _READ,
    forgets_the_state: _READ,
    no_first_state: _READ,
    both_for_the_state: _READ,
    one_step: _READ,
    steps_twice: _READ,
    keeps_eos: _ENDS,
    keeps_bos: _ENDS,
    keeps_both: _ENDS,
    never_stops_at_eos: _ENDS,
    leaves_eos_out: _ENDS,
    drops_the_last: _ENDS,
    words_as_tensors: _ENDS,
    never_stops: _MOST,
    one_too_many: _MOST,
    one_too_few: _MOST,
    fifty_at_most: _MOST,
    no_generator: _SEEDED,
    categorical: _SEEDED,
    pythons_own: _SEEDED,
    numpys_own: _SEEDED,
    seeds_torch: _SEEDED,
    a_generator_of_its_own: _SEEDED,
    starts_anew: _SEEDED,
    another_seed: _SEEDED,
    unshifted: _FAR,
    clamped: _FAR,
    through_numpy: _FAR,
    at_least_one: _SHORT,
    last_word_looked_at: _SHORT,
    shifts_in_place: _LEFT,
    exponentials_in_place: _LEFT,
    forbids_bos: _SHORT,
}


@by
def gumbel(logits, generator):
    """The Gumbel trick."""
    noise = -torch.log(-torch.log(torch.rand(logits.shape, generator=generator)))
    return int((logits + noise).argmax())


@by
def exponential_race(logits, generator):
    """The first of several clocks."""
    clocks = torch.empty(logits.shape).exponential_(generator=generator)
    return int((logits.softmax(dim=-1) / clocks).argmax())


@by
def inverse_of_the_sum(logits, generator):
    """Where a uniform number falls in the running sum."""
    edges = logits.detach().softmax(dim=-1).cumsum(dim=-1)
    number = torch.rand(1, generator=generator) * edges[-1]
    return min(int(torch.searchsorted(edges, number, right=True)), len(logits) - 1)


@by
def by_hand(logits, generator):
    """The same in plain Python."""
    left = torch.rand((), generator=generator, dtype=torch.float64).item()
    probabilities = torch.exp(logits - logits.logsumexp(dim=-1)).tolist()
    for word, probability in enumerate(probabilities):
        left -= probability
        if left < 0:
            return word
    return max(range(len(probabilities)), key=probabilities.__getitem__)


@by
def of_many(logits, generator):
    """One word out of many draws."""
    words = torch.multinomial(logits.double().softmax(dim=0), 5, replacement=True, generator=generator)
    return words[2].item()


@by
def python_seeded_by_torch(logits, generator):
    """Python's random numbers, which the generator gives a seed for each draw."""
    seed = int(torch.randint(2**60, (), generator=generator))
    return random.Random(seed).choices(range(len(logits)), logits.softmax(dim=-1).tolist())[0]


def for_loop(step, state, generator, bos, eos, max_words):
    """A loop with a known end."""
    words = [bos]
    for _ in range(max_words):
        logits, state = step(words[-1], state)
        probabilities = torch.softmax(logits, -1)
        next_word = torch.multinomial(probabilities, num_samples=1, generator=generator).item()
        if next_word == eos:
            return words[1:]
        words.append(next_word)
    return words[1:]


def recursive(step, state, generator, bos, eos, max_words):
    """A sentence is a word and a sentence."""
    if max_words == 0:
        return []
    logits, state = step(bos, state)
    word = drawn(logits, generator)
    return [] if word == eos else [word, *recursive(step, state, generator, word, eos, max_words - 1)]


def tensors_until_the_end(step, state, generator, bos, eos, max_words):
    """Words stay tensors until they come back, and are read as such."""
    words, word = [], torch.tensor(bos)
    while len(words) < max_words:
        logits, state = step(word, state)
        word = torch.multinomial(logits.log_softmax(dim=0).exp(), 1, generator=generator)[0]
        if word == eos:
            break
        words.append(word)
    return torch.stack(words).tolist() if words else []


@torch.no_grad()
def cut_at_eos(step, state, generator, bos, eos, max_words):
    """EOS is put in and taken out."""
    words = []
    while len(words) < max_words and (not words or words[-1] != eos):
        logits, state = step(words[-1] if words else bos, state)
        words.append(drawn(logits, generator))
    return words[: words.index(eos)] if eos in words else words


class SampleSentence(nn.Module):
    """A module in the place of a function."""

    def forward(self, step, state, generator, bos, eos, max_words):
        return sentence(drawn, step, state, generator, bos, eos, max_words)


RIGHT = {
    "NumPy's search": numpys_search,
    "multinomial": by(drawn),
    "the Gumbel trick": gumbel,
    "an exponential race": exponential_race,
    "the inverse of the running sum": inverse_of_the_sum,
    "by hand": by_hand,
    "one of many": of_many,
    "Python, seeded by torch": python_seeded_by_torch,
    "a for loop": for_loop,
    "recursive": recursive,
    "tensors until the end": tensors_until_the_end,
    "cut at EOS": cut_at_eos,
    "a module": SampleSentence(),
    "a partial": functools.partial(sentence, drawn),
}
