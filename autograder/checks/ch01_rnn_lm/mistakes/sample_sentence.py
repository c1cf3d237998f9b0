"""Mistakes in `sample_sentence`, and right answers in other styles."""

import functools
import math
import random

import numpy as np
import torch
from torch import nn

from autograder.checks.ch01_rnn_lm.sample_sentence import (
    chain,
    ending,
    far,
    many_words,
    most,
    one_word,
    seeded,
    short,
    three_words,
    untouched,
)
from autograder.judging.catalogue import mistake, right


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


@right
def usual(step, state, generator, bos, eos, max_words):
    words, word = [], bos
    while len(words) < max_words:
        logits, state = step(word, state)
        word = drawn(logits, generator)
        if word == eos:
            break
        words.append(word)
    return words


@mistake(one_word, "the word with the largest logit is always taken, expected a random draw")
@by
def most_probable(logits, generator):
    return int(logits.argmax())


@mistake(one_word, "two words are drawn, and the more probable one is taken; expected one draw")
@by
def most_probable_of_two(logits, generator):
    words = [drawn(logits, generator) for _ in range(2)]
    return max(words, key=lambda word: logits[word].item())


@mistake(one_word, "all words are drawn equally often: the logits make no difference")
@by
def uniform(logits, generator):
    return int(torch.randint(len(logits), (1,), generator=generator))


@mistake(one_word, "the softmax is applied twice, the second time to probabilities")
@by
def softmax_twice(logits, generator):
    return drawn(logits.softmax(dim=-1), generator)


@mistake(one_word, "the logits go through a sigmoid, expected a softmax")
@by
def with_sigmoid(logits, generator):
    return int(torch.multinomial(logits.sigmoid(), 1, generator=generator))


@mistake(one_word, "torch.multinomial gets log-probabilities, expected probabilities")
@by
def logarithms(logits, generator):
    return int(torch.multinomial(logits.log_softmax(dim=-1), 1, generator=generator))


@mistake(one_word, "only the two most probable words are ever drawn, expected all of them")
@by
def top_two(logits, generator):
    values, words = logits.topk(2)
    return int(words[drawn(values, generator)])


@mistake(one_word, "the logits are divided by a temperature below 1, expected the softmax of the logits as they are")
@by
def cold(logits, generator):
    return drawn(logits / 0.3, generator)


@mistake(one_word, "the generator is seeded again before each draw")
@by
def same_seed(logits, generator):
    return drawn(logits, generator.manual_seed(0))


@mistake(
    one_word,
    "uniform noise is added to the logits before argmax; for a draw from the softmax it has to be Gumbel noise",
)
@by
def gumbel_forgotten(logits, generator):
    return int((logits + torch.rand(logits.shape, generator=generator)).argmax())


@mistake(one_word, "EOS is never drawn first, as if a sentence had to have at least one word")
def a_word_at_least(step, state, generator, bos, eos, max_words):
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


@mistake(one_word, "there is no return")
def nothing_returned(step, state, generator, bos, eos, max_words):
    sentence(drawn, step, state, generator, bos, eos, max_words)


@mistake(ending, "the result is a tensor, expected a list of integers")
def a_tensor(step, state, generator, bos, eos, max_words):
    return torch.tensor(sentence(drawn, step, state, generator, bos, eos, max_words))


@mistake(ending, "the result is a tuple, expected a list of integers")
def a_tuple(step, state, generator, bos, eos, max_words):
    return tuple(sentence(drawn, step, state, generator, bos, eos, max_words))


@mistake(one_word, "for a sentence without words None is returned, expected an empty list")
def no_empty_sentence(step, state, generator, bos, eos, max_words):
    words = sentence(drawn, step, state, generator, bos, eos, max_words)
    return words or None


mistake(one_word, "step is called with the state before the word").made_in(
    usual, arguments_swapped={"(word, state)": "(state, word)"}
)
mistake(one_word, "the results of step are taken as state and logits, expected logits and state").made_in(
    usual, results_swapped={"logits, state": "state, logits"}
)


@mistake(chain, "EOS is read first, expected BOS")
def reads_eos_first(step, state, generator, bos, eos, max_words):
    return sentence(drawn, step, state, generator, eos, eos, max_words)


mistake(chain, "BOS is read at every step; from the second step on, expected the word that was drawn last").made_in(
    usual, always_reads_bos={"words, word = [], bos": "words = []", "step(word, state)": "step(bos, state)"}
)


@mistake(chain, "each step reads the last word but one, expected the one that was drawn last")
def reads_one_late(step, state, generator, bos, eos, max_words):
    words, before, word = [], bos, bos
    while len(words) < max_words:
        logits, state = step(before, state)
        before, word = word, drawn(logits, generator)
        if word == eos:
            break
        words.append(word)
    return words


mistake(chain, "every step starts from the first state, expected the state that the previous step returned").made_in(
    usual, forgets_the_state={"logits, state": "logits, _"}
)


@mistake(chain, "the first step does not get the given state")
def no_first_state(step, state, generator, bos, eos, max_words):
    return sentence(drawn, step, None, generator, bos, eos, max_words)


mistake(chain, "both results of step are passed on as the state, expected the second one").made_in(
    usual, both_for_the_state={"logits, state": "state", "(logits, generator)": "(state[0], generator)"}
)


@mistake(chain, "there is only one step, expected a loop until EOS or max_words")
def one_step(step, state, generator, bos, eos, max_words):
    logits, state = step(bos, state)
    word = drawn(logits, generator)
    return [] if word == eos else [word]


@mistake(chain, "step is called twice for each word")
def steps_twice(step, state, generator, bos, eos, max_words):
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


@mistake(ending, "EOS is returned as the last word of the sentence")
def keeps_eos(step, state, generator, bos, eos, max_words):
    words, word = [], bos
    while len(words) < max_words and word != eos:
        logits, state = step(word, state)
        word = drawn(logits, generator)
        words.append(word)
    return words


@mistake(ending, "BOS is returned as the first word of the sentence")
def keeps_bos(step, state, generator, bos, eos, max_words):
    return [bos, *sentence(drawn, step, state, generator, bos, eos, max_words)]


@mistake(ending, "BOS is returned as the first word of the sentence, and EOS as the last")
def keeps_both(step, state, generator, bos, eos, max_words):
    return [bos, *keeps_eos(step, state, generator, bos, eos, max_words)]


mistake(ending, "the loop does not stop at EOS").made_in(reads_eos_first, never_stops_at_eos={"eos, eos": "bos, None"})


@mistake(ending, "EOS is left out, but the loop goes on after it")
def leaves_eos_out(step, state, generator, bos, eos, max_words):
    words, word = [], bos
    for _ in range(max_words):
        logits, state = step(word, state)
        word = drawn(logits, generator)
        if word != eos:
            words.append(word)
    return words


mistake(ending, "the last word before EOS is dropped as well").made_in(
    no_empty_sentence, drops_the_last={"words or None": "words[:-1] if len(words) < max_words else words"}
)


@mistake(ending, "the words are tensors, expected integers")
def words_as_tensors(step, state, generator, bos, eos, max_words):
    return [torch.tensor(word) for word in sentence(drawn, step, state, generator, bos, eos, max_words)]


@mistake(most, "max_words is ignored, so only EOS ends the sentence")
def never_stops(step, state, generator, bos, eos, max_words):
    return sentence(drawn, step, state, generator, bos, eos, math.inf)


mistake(most, "there may be max_words + 1 words").made_in(never_stops, one_too_many={"math.inf": "max_words + 1"})


@mistake(most, "BOS is counted among the max_words words")
def one_too_few(step, state, generator, bos, eos, max_words):
    words = [bos]
    while len(words) < max_words:
        logits, state = step(words[-1], state)
        word = drawn(logits, generator)
        if word == eos:
            break
        words.append(word)
    return words[1:]


mistake(most, "the limit is a fixed number, expected max_words").made_in(never_stops, fifty_at_most={"math.inf": "50"})


@mistake(seeded, "the draw is made without generator=generator")
@by
def no_generator(logits, generator):
    return drawn(logits, None)


@mistake(seeded, "Categorical.sample() uses torch's global generator, and takes no other")
@by
def categorical(logits, generator):
    return int(torch.distributions.Categorical(logits=logits).sample())


@mistake(seeded, "random.choices uses Python's own generator, expected the given one")
@by
def pythons_own(logits, generator):
    return random.choices(range(len(logits)), logits.softmax(dim=-1).tolist())[0]


@mistake(seeded, "NumPy's own generator is used, expected the given one")
@by
def numpys_own(logits, generator):
    probabilities = logits.detach().double().softmax(dim=-1).numpy()
    return int(np.random.default_rng().choice(len(probabilities), p=probabilities))


@mistake(seeded, "torch's global generator is seeded and used, expected the given one")
@by
def seeds_torch(logits, generator):
    torch.default_generator.manual_seed(generator.initial_seed())
    return drawn(logits, None)


@mistake(seeded, "each draw starts again from the generator's seed, expected the generator to continue")
@by
def a_generator_of_its_own(logits, generator):
    return drawn(logits, torch.Generator().manual_seed(generator.initial_seed()))


@mistake(seeded, "each draw starts again from the generator's seed, expected the generator to continue")
@by
def starts_anew(logits, generator):
    return drawn(logits, generator.manual_seed(generator.initial_seed()))


@mistake(seeded, "generator.seed() gives the generator a random seed")
@by
def another_seed(logits, generator):
    generator.seed()
    return drawn(logits, generator)


@mistake(far, "exp of a logit far from zero is 0 or infinite; torch's softmax avoids both")
@by
def unshifted(logits, generator):
    weights = torch.exp(logits)
    return int(torch.multinomial(weights / weights.sum(), 1, generator=generator))


@mistake(far, "the logits are clamped, which changes those far from zero")
@by
def clamped(logits, generator):
    return drawn(logits.clamp(-80, 80), generator)


@mistake(far, "the logits are converted to NumPy, which takes no tensor that requires a gradient")
@by
def through_numpy(logits, generator):
    weights = np.exp(logits.numpy() - logits.max().item())
    return int(torch.multinomial(torch.from_numpy(weights), 1, generator=generator))


@mistake(many_words, "only the first word is drawn, and the others are the most probable ones")
@by_words
def the_rest_most_probable(logits, generator, words):
    return int(logits.argmax()) if words else drawn(logits, generator)


@mistake(many_words, "one random number is used for all words of a sentence, expected a new one for each")
def one_number(step, state, generator, bos, eos, max_words):
    number = torch.rand(1, generator=generator)

    def by_number(logits, _):
        return int(torch.searchsorted(logits.detach().softmax(-1).cumsum(0), number).clamp(max=len(logits) - 1))

    return sentence(by_number, step, state, generator, bos, eos, max_words)


@mistake(many_words, "the logits are multiplied by a factor that grows from word to word")
@by_words
def sharper_and_sharper(logits, generator, words):
    return drawn(logits * (len(words) + 1), generator)


@mistake(three_words, "the word drawn last cannot be drawn again at the next step; expected all words to be possible")
@by_words
def never_twice(logits, generator, words):
    return drawn(logits.index_fill(0, torch.tensor(words[-1:], dtype=torch.int64), -math.inf), generator)


@mistake(short, "max_words is tested only after a word is added, so there is a word even if max_words is 0")
def at_least_one(step, state, generator, bos, eos, max_words):
    words, word = [], bos
    while True:
        logits, state = step(word, state)
        word = drawn(logits, generator)
        if word == eos:
            return words
        words.append(word)
        if len(words) == max_words:
            return words


@mistake(short, "an EOS that is drawn first is skipped, expected a sentence without words")
def never_empty(step, state, generator, bos, eos, max_words):
    words, word = [], bos
    for _ in range(max_words):
        logits, state = step(word, state)
        word = drawn(logits, generator)
        if word != eos:
            words.append(word)
        elif words:
            break
    return words


@mistake(short, "the last word of the list is looked at, but the list may be empty")
def last_word_looked_at(step, state, generator, bos, eos, max_words):
    words, word = [], bos
    for _ in range(max_words):
        logits, state = step(word, state)
        word = drawn(logits, generator)
        words.append(word)
        if word == eos:
            break
    return words[:-1] if words[-1] == eos else words


@mistake(untouched, "the logits that step returns are changed in place: the largest is subtracted from all of them")
@by
def shifts_in_place(logits, generator):
    logits -= logits.max()
    return drawn(logits, generator)


@mistake(untouched, "the logits that step returns are changed in place: their exponentials replace them")
@by
def exponentials_in_place(logits, generator):
    weights = logits.sub_(logits.max().item()).exp_()
    return int(torch.multinomial(weights, 1, generator=generator))


@mistake(short, "the draw excludes BOS; expected BOS to be drawn like any other word")
def forbids_bos(step, state, generator, bos, eos, max_words):
    def draw(logits, generator):
        return drawn(logits.masked_fill(torch.arange(len(logits)) == bos, -math.inf), generator)

    return sentence(draw, step, state, generator, bos, eos, max_words)


@mistake(one_word, "the logits are divided by a temperature above 1, expected the softmax of the logits as they are")
@by
def warm(logits, generator):
    return drawn(logits / 2, generator)


@mistake(many_words, "the logits are divided by a temperature below 1, expected the softmax of the logits as they are")
@by
def cool(logits, generator):
    return drawn(logits / 0.85, generator)


@mistake(many_words, "the logits are divided by a temperature below 1, expected the softmax of the logits as they are")
@by
def a_little_cool(logits, generator):
    return drawn(logits / 0.9, generator)


@mistake(many_words, "the logits are divided by a temperature above 1, expected the softmax of the logits as they are")
@by
def a_little_warm(logits, generator):
    return drawn(logits / 1.1, generator)


@mistake(
    many_words,
    "the least probable words, a few per cent of the probability, are left out; expected every word to be possible",
)
@by
def nucleus(logits, generator):
    return of_nucleus(logits, 0.95, generator)


@mistake(
    many_words,
    "the least probable words, a few per cent of the probability, are left out; expected every word to be possible",
)
@by
def large_nucleus(logits, generator):
    return of_nucleus(logits, 0.97, generator)


def of_nucleus(logits, share, generator):
    """A word of the most probable ones that have the share of the probability."""
    probabilities, words = logits.softmax(dim=-1).sort(descending=True)
    kept = probabilities.cumsum(dim=0) - probabilities < share
    return int(words[torch.multinomial(probabilities * kept, 1, generator=generator)])


@mistake(many_words, "only the 50 most probable words are ever drawn, expected all of them")
@by
def top_fifty(logits, generator):
    values, words = logits.topk(min(50, len(logits)))
    return int(words[drawn(values, generator)])


@mistake(many_words, "EOS is drawn with half its probability, expected it like any other word")
def eos_seldom(step, state, generator, bos, eos, max_words):
    def draw(logits, generator):
        halved = torch.where(torch.arange(len(logits)) == eos, 0.5, 1.0)
        return int(torch.multinomial(logits.softmax(dim=-1) * halved, 1, generator=generator))

    return sentence(draw, step, state, generator, bos, eos, max_words)


@mistake(many_words, "-log u is added to the logits before argmax, which is no Gumbel noise: that is -log(-log u)")
@by
def exponential_noise(logits, generator):
    return int((logits - torch.rand(logits.shape, generator=generator).log()).argmax())


@mistake(many_words, "the probabilities are rounded to two decimals, so most words cannot be drawn")
@by
def rounded_probabilities(logits, generator):
    return int(torch.multinomial(logits.softmax(dim=-1).mul(100).round(), 1, generator=generator))


@mistake(one_word, "two different words are drawn, and the second one is taken, which is seldom the most probable one")
@by
def second_of_two(logits, generator):
    return torch.multinomial(logits.softmax(dim=-1), 2, generator=generator)[1].item()


@right
@by
def numpys_search(logits, generator):
    edges = np.cumsum(logits.detach().double().softmax(dim=-1).numpy())
    return np.searchsorted(edges / edges[-1], torch.rand((), generator=generator).item(), side="right")


@right
@by
def gumbel(logits, generator):
    noise = -torch.log(-torch.log(torch.rand(logits.shape, generator=generator)))
    return int((logits + noise).argmax())


@right
@by
def exponential_race(logits, generator):
    clocks = torch.empty(logits.shape).exponential_(generator=generator)
    return int((logits.softmax(dim=-1) / clocks).argmax())


@right
@by
def inverse_of_the_sum(logits, generator):
    edges = logits.detach().softmax(dim=-1).cumsum(dim=-1)
    number = torch.rand(1, generator=generator) * edges[-1]
    return min(int(torch.searchsorted(edges, number, right=True)), len(logits) - 1)


@right
@by
def by_hand(logits, generator):
    left = torch.rand((), generator=generator, dtype=torch.float64).item()
    probabilities = torch.exp(logits - logits.logsumexp(dim=-1)).tolist()
    for word, probability in enumerate(probabilities):
        left -= probability
        if left < 0:
            return word
    return max(range(len(probabilities)), key=probabilities.__getitem__)


@right
@by
def of_many(logits, generator):
    words = torch.multinomial(logits.double().softmax(dim=0), 5, replacement=True, generator=generator)
    return words[2].item()


@right
@by
def python_seeded_by_torch(logits, generator):
    seed = int(torch.randint(2**60, (), generator=generator))
    return random.Random(seed).choices(range(len(logits)), logits.softmax(dim=-1).tolist())[0]


@right
def for_loop(step, state, generator, bos, eos, max_words):
    words = [bos]
    for _ in range(max_words):
        logits, state = step(words[-1], state)
        probabilities = torch.softmax(logits, -1)
        next_word = torch.multinomial(probabilities, num_samples=1, generator=generator).item()
        if next_word == eos:
            return words[1:]
        words.append(next_word)
    return words[1:]


@right
def recursive(step, state, generator, bos, eos, max_words):
    if max_words == 0:
        return []
    logits, state = step(bos, state)
    word = drawn(logits, generator)
    return [] if word == eos else [word, *recursive(step, state, generator, word, eos, max_words - 1)]


@right
def tensors_until_the_end(step, state, generator, bos, eos, max_words):
    words, word = [], torch.tensor(bos)
    while len(words) < max_words:
        logits, state = step(word, state)
        word = torch.multinomial(logits.log_softmax(dim=0).exp(), 1, generator=generator)[0]
        if word == eos:
            break
        words.append(word)
    return torch.stack(words).tolist() if words else []


@right
@torch.no_grad()
def cut_at_eos(step, state, generator, bos, eos, max_words):
    words = []
    while len(words) < max_words and (not words or words[-1] != eos):
        logits, state = step(words[-1] if words else bos, state)
        words.append(drawn(logits, generator))
    return words[: words.index(eos)] if eos in words else words


class SampleSentence(nn.Module):
    """A module in the place of a function."""

    def forward(self, step, state, generator, bos, eos, max_words):
        return sentence(drawn, step, state, generator, bos, eos, max_words)


right(by(drawn))


right(SampleSentence())


right(functools.partial(sentence, drawn))
