"""The checks of `sample_sentence`."""

import math
from collections.abc import Callable
from operator import index
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import chi_square_tail, difference, distribution, is_close, likeliest
from autograder.judging.verdict import Verdict, failed, passed

EXERCISE = Exercise("sample_sentence", "a sentence, sampled word by word", minutes=20, difficulty=2)


_MOST = 200


@in_use(gradients=False, dtypes=False, devices=False)
def in_chapter(sample_sentence, draw: Draw) -> Use:
    """A model that is sure of each word, the id 0 among them and some twice in a row; it is stopped, then it ends. One that is sure of none."""
    generator = draw.generator()

    def call(words: list[int], max_words: int) -> list[Any]:
        def step(word: int, place: int) -> tuple[Tensor, int]:
            logits = torch.zeros(9)
            logits[words[place]] = 90.0
            return logits, place + 1

        def sure_of_none(word: int, place: int) -> tuple[Tensor, int]:
            if place == _MOST:
                raise MisuseError(f"with max_words = {_MOST}, step was called once more")
            return torch.cat([torch.tensor([6.0]), torch.zeros(399), torch.tensor([-_SURE])]), place + 1

        many = words_of(sample_sentence(sure_of_none, 0, generator, 400, 400, _MOST))
        return [words_of(sample_sentence(step, 0, generator, 8, 7, max_words)), len(many), len(set(many)) > 30]

    words = draw.integers(0, 7, 40).repeat_interleave(2).tolist()
    return Use(call, (words, 23), ([*words[:11], 7, *words], 60))


WORDS = 8
"""The size of the vocabulary where probabilities are the question."""
_MANY = 200
"""Its size where the loop is."""
_STEEP, _BOTH = [8.0, 8.0, 8.0, 8.0], [4.0, 4.0, 8.0, 8.0]
"""How far the logits of each row reach: at 4 several words are probable, at 8 one is much more so than the others."""
_CALLS = 30
"""After how many a loop over few words does not end."""
_SURE = 60.0
"""The logit of a word that has all the probability."""
Step = Callable[[int, Any], tuple[Tensor, Any]]


class _EnoughError(Exception):
    """Ends a student's loop when what it was run for has been seen."""


def _sure_of(word: int, size: int) -> Tensor:
    logits = torch.zeros(size)
    logits[word] = _SURE
    return logits


def _bos_and_eos(draw: Draw, size: int) -> tuple[int, int]:
    """The ids of the two, neither of them always the same."""
    bos, eos = draw.normal(size).argsort()[:2].tolist()
    return bos, eos


class State:
    """Stands for a model's state where nothing is asked about it."""


def _id_of(word: Any) -> int:
    """The id that a step was given, out of a tensor too if it is the only one there.

    Raises:
        MisuseError: It is none.
    """
    try:
        return index(word)
    except TypeError as error:
        told = f"step was called with a word that is {kind_of(word)}, expected its id: step(word, state)"
        raise MisuseError(told) from error


def _rows_of_logits(draw: Draw, bos: int, eos: int, spreads: list[float]) -> Tensor:
    """Logits whose probabilities are well apart, in an order that is drawn; BOS has next to none of it."""
    rows = torch.stack([torch.linspace(0.0, spread, WORDS)[draw.normal(WORDS).argsort()] for spread in spreads])
    rows += draw.normal(len(spreads), WORDS, scale=0.1)
    rows[:, eos], rows[:, bos] = 3.4, -_SURE
    return rows


def words_of(result: Any) -> list[Any]:
    """The words that came back, in a list or in something else that holds them: `ending` looks at that.

    Raises:
        MisuseError: Nothing holds words.
    """
    result = result.tolist() if isinstance(result, Tensor) else result
    if not isinstance(result, (list, tuple)):
        raise MisuseError(f"the result is {kind_of(result)}, expected a list of integers")
    return [int(word) if isinstance(word, (np.integer, Tensor)) else word for word in result]


class _OneWord:
    """A step that gives the logits when it is first called; when it is called with the word that was drawn, this is enough."""

    def __init__(self, logits: Tensor, bos: int, eos: int) -> None:
        self._logits, self._bos, self._end = logits, bos, _sure_of(eos, WORDS)
        self.drawn: int | None = None
        self._calls = 0

    def start(self) -> None:
        """Makes ready for a sentence."""
        self.drawn, self._calls = None, 0

    def __call__(self, word: Any, state: Any) -> tuple[Tensor, Any]:
        self._calls += 1
        word = _id_of(word)
        if self._calls == 1:
            return self._logits.clone(), state
        if self._calls > _CALLS:
            raise MisuseError(
                f"step was called {_CALLS} times for a sentence of at most 3 words, although EOS was drawn: the loop does not "
                f"end"
            )
        if word != self._bos:
            self.drawn = word
            raise _EnoughError
        return self._end, state  # BOS was read again, which is another check's business: the sentence ends, and tells.


def _first_word(
    sample_sentence: Callable[..., Any], step: _OneWord, generator: torch.Generator, bos: int, eos: int
) -> int:
    """The first word that is drawn, EOS if the sentence ends before; what comes back besides is another check's business."""
    step.start()
    try:
        result = sample_sentence(step, State(), generator, bos, eos, 3)
    except _EnoughError:
        first = step.drawn
    else:
        first = next((word for word in words_of(result) if word != bos), eos)
    if type(first) is not int or not 0 <= first < WORDS:
        told = f"the id {first:.3g}" if type(first) in (int, float) else kind_of(first)
        raise MisuseError(f"a word that was drawn is {told}, expected a word id, here from 0 to {WORDS - 1}")
    return first


def _counted(words: list[int]) -> Tensor:
    return torch.bincount(torch.tensor(words), minlength=WORDS)


def _drawn(sample_sentence: Callable[..., Any], rows: Tensor, draw: Draw, bos: int, eos: int, times: int) -> Tensor:
    """How often each word was drawn from each row of logits, each time with a generator of its own: (rows, V)."""
    seeds = draw.integers(0, 2**62, len(rows), times).tolist()
    counts = []
    for logits, of_row in zip(rows, seeds, strict=True):
        step = _OneWord(logits, bos, eos)
        generators = (torch.Generator().manual_seed(seed) for seed in of_row)
        counts.append(_counted([_first_word(sample_sentence, step, generator, bos, eos) for generator in generators]))
    return torch.stack(counts)


_ALPHA = 1e-9
_FEW = 20


def _are_counts(draws: Tensor, right: Tensor) -> bool:
    """Whether these may be counts of as many draws as the reference's."""
    return bool((draws >= 0).all()) and torch.equal(draws.sum(dim=-1), right.sum(dim=-1))


def _chance_of(draws: Tensor, right: Tensor) -> float:
    """How likely counts, (rows, words), are to be as far from what is right as these, or further.

    It is the chi-square test against known probabilities, which sees more than that of two samples. The rarest words count as one.
    """
    statistic, freedom = 0.0, 0
    for found, expected in zip(draws.double(), right, strict=True):
        rising = expected.argsort()
        few = torch.zeros_like(expected, dtype=torch.bool)
        few[rising] = expected[rising].cumsum(dim=0) - expected[rising] < _FEW
        apart = torch.cat([(found - expected)[~few], (found - expected)[few].sum().unsqueeze(0)])
        about = torch.cat([expected[~few], expected[few].sum().unsqueeze(0)])
        statistic += (apart**2 / about).sum().item()
        freedom += len(about) - 1
    return chi_square_tail(statistic, freedom)


def by_softmax(got: Any, want: Any) -> Verdict:
    """Whether words are drawn with the probabilities that the logits give them."""
    verdict, draws = distribution("draws")(got, want), got["draws"]
    if not _are_counts(draws, want["draws"]):
        return verdict
    right = want["draws"].sum(dim=-1, keepdim=True) * want["logits"].double().softmax(dim=-1)
    if verdict.ok and _chance_of(draws, right) > _ALPHA:
        return verdict
    row, word = divmod(int((draws - right).abs().argmax()), WORDS)
    told = f"of {int(draws[row].sum())} draws {int(draws[row, word])} gave the word {word}, expected about {right[row, word]:.0f}"
    return failed(f"{told}: the difference is larger than chance allows")


def word_for_word(got: Any, want: Any) -> Verdict:
    """Whether lists of words, which may have other lengths than the reference's, are the same, and so is all else."""
    for name, right in want.items():
        mine = got[name]
        if isinstance(right, list) and mine != right:
            return failed(f"{name}: {_parting(mine, right)}")
        if not isinstance(right, list) and not is_close(mine, right):
            return failed(f"{name}: {difference(mine, right)}")
    return passed()


def _parting(words: list[int], right: list[int]) -> str:
    """How a sentence parts from the right one."""
    if len(words) != len(right):
        return f"the number of words is {len(words)}, expected {len(right)}"
    at = next(i for i, (word, expected) in enumerate(zip(words, right, strict=True)) if word != expected)
    return f"word {at + 1} is {words[at]}, expected {right[at]}, which was drawn"


def by_the_generator(got: Any, want: Any) -> Verdict:
    """Whether draws depend on the given generator alone, and this goes on from word to word."""
    if not got["torch's own generator is left alone"]:
        return failed("a draw used torch's global generator, or the code seeded it; expected only the given generator")
    if not got["the same seed gives the same words"]:
        return failed(
            "two generators with the same seed gave different sentences: some draw does not use the generator"
        )
    if (got["draws"] > 0).sum() <= 2 * len(got["draws"]):
        return failed(
            "one generator gave the same word in every sentence: it restarts each time, expected it to continue"
        )
    if not got["another seed gives other words"]:
        return failed("generators with different seeds gave the same sentences")
    return distribution("draws")(got, want)


def each_alone(got: Any, want: Any) -> Verdict:
    """Whether each sentence is as likely as the product of its words' probabilities."""
    draws, right = got["draws"], want["draws"]
    if not got["torch's own is left alone"]:
        return failed(
            "a word after the first was drawn with torch's global generator, expected only the given generator"
        )
    if not _are_counts(draws, right):
        return distribution("draws")(got, want)
    times = int(right.sum())
    expected = times * _joint(*want["probabilities"].double())
    if _chance_of(draws, expected) > _ALPHA:
        return passed()
    at = int((draws - expected).abs().argmax())
    words = [want["words"][at // THREE**power % THREE] for power in (2, 1, 0)]
    return failed(f"{int(draws[0, at])} of {times} sentences were {words}, expected about {expected[0, at]:.0f}")


def _joint(first: Tensor, second: Tensor, third: Tensor) -> Tensor:
    """The probability of each sentence of three words that are drawn apart from each other, (1, sentences)."""
    return torch.einsum("i,j,k->ijk", first, second, third).reshape(1, -1)


@check(
    "a word is drawn with probability softmax(logits)",
    points=2,
    compare=by_softmax,
    draws=2,
    hint="The softmax of the logits gives each word its probability, and torch.multinomial draws with these probabilities. "
    "The most probable word comes up most often, but over many draws the others come up, too, each in proportion to its "
    "probability.",
)
def one_word(sample_sentence, draw: Draw):
    """How often each word is the first of a sentence."""
    bos, eos = _bos_and_eos(draw, WORDS)
    rows = _rows_of_logits(draw, bos, eos, _BOTH)
    return {"draws": _drawn(sample_sentence, rows, draw, bos, eos, 200), "logits": rows, "bos": bos, "eos": eos}


@one_word.explain
def shares(got, want):
    """In which proportions the words are drawn."""
    draws, times = got["draws"], int(want["draws"][0].sum())
    if not _are_counts(draws, want["draws"]):
        return None
    always = (draws.amax(dim=-1) == times).all()
    if always and torch.equal(draws.argmax(dim=-1), want["logits"].argmax(dim=-1)):
        return f"in {times} sentences the first word was always the most probable one; expected a random draw"
    told = likeliest(draws, _other_shares(want))
    if told:
        return f"the words are drawn as if {told}"
    if always:
        return (
            f"in {times} sentences, each with a different generator, the first word was always the same. Is the "
            "generator seeded again?"
        )
    return None


def _other_shares(want: Any) -> list[tuple[str, Tensor]]:
    """In which proportions words may be drawn by mistake; BOS, which is no word, counts as the end of the sentence."""
    logits, bos, eos = want["logits"].double(), want["bos"], want["eos"]
    words = torch.arange(WORDS)
    uniform = "the logits made no difference: all are equally frequent"
    found = [
        (uniform, torch.ones_like(logits)),
        (uniform, (words != bos).expand_as(logits).double()),
        ("there were a second softmax, of the probabilities", logits.softmax(dim=-1).softmax(dim=-1)),
        ("the logits went through a sigmoid, expected a softmax", logits.sigmoid()),
        ("EOS could not be the first word", logits.softmax(dim=-1) * (words != eos)),
    ]
    for _, each in found:
        each[:, eos] += each[:, bos]
        each[:, bos] = 0.0
    return found


class _Chain:
    """A step that is sure of each next word, and notes what it was called with.

    Args:
        words: The words that it is sure of, one at each call; of any beyond them, the last.
        calls: After how many calls it is enough.
        told: What to tell the student then; without, nothing.
    """

    def __init__(self, words: list[int], calls: int, told: str = "") -> None:
        self._words, self._calls, self._told = words, calls, told
        self.read: list[int] = []
        self.states: list[int] = []

    def __call__(self, word: Any, state: Any) -> tuple[Tensor, Any]:
        if len(self.read) == self._calls:
            raise MisuseError(self._told) if self._told else _EnoughError
        if type(state) is not int:
            wanted = "the one that it returned last" if self.read else "the one that was given"
            raise MisuseError(f"step was called with a state that is {kind_of(state)}, expected {wanted}")
        self.read.append(_id_of(word))
        self.states.append(state)
        logits = _sure_of(self._words[min(len(self.read), len(self._words)) - 1], _MANY)
        return logits, state * 3 + len(self.read)


def _other_words(draw: Draw, number: int, *unlike: int) -> list[int]:
    """Different words, none of them one of those that are named."""
    return [word for word in draw.normal(_MANY).argsort().tolist() if word not in unlike][:number]


@check(
    "step reads BOS first, and then each word with the previous state",
    points=2,
    compare=word_for_word,
    needs=one_word,
    any_length=True,
    hint="step returns two things, the logits and the state after the word. Its next call needs the word that was drawn from "
    "these logits, and this state.",
)
def chain(sample_sentence, draw: Draw):
    """What `step` is called with, five times; nothing ends the sentence."""
    bos, eos = _bos_and_eos(draw, _MANY)
    step, state = _Chain(_other_words(draw, 5, bos, eos), 5), int(draw.integers(1, 1000))
    try:
        sample_sentence(step, state, draw.generator(), bos, eos, 50)
    except _EnoughError:
        pass
    return {"words read": step.read, "states read": step.states}


@chain.explain
def reading(got, want):
    """What the first wrong call of `step` was given."""
    words, states, right = got["words read"], got["states read"], want["words read"]
    if not words:
        return "step was never called"
    if words[0] != right[0]:
        return f"the first word that was read has the id {words[0]}, expected BOS, here {right[0]}"
    for at, (word, expected) in enumerate(zip(words, right, strict=False)):
        if word != expected:
            return f"step {at + 1} read the word {word}, expected {expected}, which was drawn before it"
    for at, (state, expected) in enumerate(zip(states, want["states read"], strict=False)):
        if state != expected:
            start = "the state that the previous step returned" if at else "the given state"
            return f"step {at + 1} did not start from {start}"
    times = f"{len(words)} time{'s' * (len(words) != 1)}"
    return f"step was called only {times}, although EOS was not drawn and max_words was 50"


@check(
    "EOS ends the sentence and is not one of its words",
    points=1,
    compare=word_for_word,
    needs=(one_word, chain),
    any_length=True,
    hint="Check each word when it is drawn: at EOS, leave the loop before the word goes into the list. BOS was read but not "
    "drawn, so it is not in the list either.",
)
def ending(sample_sentence, draw: Draw):
    """A sentence that EOS ends."""
    bos, eos = _bos_and_eos(draw, _MANY)
    words = _other_words(draw, int(draw.integers(2, 6)), bos, eos)
    told = f"step was called again after EOS was drawn, which is the id {eos} here"
    step = _Chain([*words, eos], len(words) + 1, told)
    result = sample_sentence(step, 0, draw.generator(), bos, eos, 50)
    found = words_of(result)
    if not isinstance(result, list):
        raise MisuseError(f"the result is {kind_of(result)}, expected a list of integers")
    odd = next((word for word in result if isinstance(word, Tensor)), None)
    if odd is not None:
        raise MisuseError(f"the result is a list, but a word in it is {kind_of(odd)}, expected an integer")
    return {"the sentence": found}


@check(
    "there are at most max_words words",
    points=1,
    compare=word_for_word,
    needs=(one_word, chain, ending),
    any_length=True,
    hint="It can happen that EOS is never drawn. Count the words that you have, and leave the loop at max_words. BOS "
    "does not count.",
)
def most(sample_sentence, draw: Draw):
    """A sentence that nothing ends but the number of its words."""
    bos, eos = _bos_and_eos(draw, _MANY)
    number = int(draw.integers(3, 8))
    step = _Chain(
        _other_words(draw, number + 5, bos, eos),
        number + 2,
        f"with max_words = {number}, step was called {number + 3} times",
    )
    result = sample_sentence(step, 0, draw.generator(), bos, eos, number)
    return {f"with max_words = {number}": words_of(result)}


@check(
    "every draw uses the given generator",
    points=2,
    compare=by_the_generator,
    needs=one_word,
    draws=2,
    hint="torch's random functions take generator=...; without it, they use torch's global generator, which the "
    "whole program shares. Pass on the generator that you are given, and do not seed any generator.",
)
def seeded(sample_sentence, draw: Draw):
    """First words of many sentences, drawn one after the other with one generator; with another of the same seed; and of another seed."""
    bos, eos = _bos_and_eos(draw, WORDS)
    rows = _rows_of_logits(draw, bos, eos, _STEEP)
    seed, other = draw.integers(0, 2**62, 2).tolist()
    before = torch.default_generator.get_state()
    found = []
    for of_this in (seed, seed, other):
        generator = torch.Generator().manual_seed(of_this)
        steps = [_OneWord(logits, bos, eos) for logits in rows]
        found.append([[_first_word(sample_sentence, step, generator, bos, eos) for _ in range(50)] for step in steps])
    return {
        "the same seed gives the same words": found[0] == found[1],
        "another seed gives other words": found[0] != found[2],
        "torch's own generator is left alone": torch.equal(before, torch.default_generator.get_state()),
        "draws": torch.stack([_counted(one + two) for one, two in zip(found[0], found[2], strict=True)]),
    }


GROUPS = {
    "EOS": (0.2, 1),
    "the most probable word": (0.4, 1),
    "one of 10 other words": (0.12, 10),
    "one of 100 rare words": (0.18, 100),
    "one of 200 rarer words": (0.07, 200),
    "one of the 280 rarest words": (0.03, 280),
}
"""The probability of each group of words, which its words share equally, and how many words it has."""
TIMES = 2000
_OF_GROUPS = 1 + sum(size for _, size in GROUPS.values())
"""The size of their vocabulary, in which there is BOS, too."""
_LEAST = 1e-8


def by_group(draw: Draw, bos: int, eos: int, rows: int = 40) -> tuple[Tensor, Tensor]:
    """Rows of logits, (rows, V), in each of which the groups consist of other words, and the number of each word's group."""
    shares, sizes = (torch.tensor(numbers) for numbers in zip(*GROUPS.values(), strict=True))
    others = torch.tensor([word for word in range(_OF_GROUPS) if word not in (bos, eos)])
    group = torch.zeros(rows, _OF_GROUPS, dtype=torch.int64)
    for row in group:
        row[others[draw.normal(len(others)).argsort()]] = torch.arange(len(sizes)).repeat_interleave(sizes)[1:]
    logits = (shares / sizes).log()[group] + draw.normal(rows, 1, scale=5.0)
    logits[:, bos] = -_SURE
    return logits, group


def as_often(got: Any, want: Any) -> Verdict:
    """Whether each group of words is drawn as often as its probability says.

    Of two tests one sees a temperature best, by the mean logit of what was drawn, and the other what is left out, by the likelihood.
    """
    draws = got["draws"]
    if not _are_counts(draws, want["draws"]):
        return distribution("draws")(got, want)
    shares = want["shares"].double()
    right = TIMES * shares
    logits = (shares / torch.tensor([GROUPS[name][1] for name in want["groups"]])).log()
    apart = logits - (shares * logits).sum()
    tempered = (draws * apart).sum() / (right * apart**2).sum().sqrt()
    unlikely = 2 * torch.xlogy(draws.double(), draws / right).sum()
    if min(math.erfc(abs(tempered) / 2**0.5), chi_square_tail(float(unlikely), len(GROUPS) - 1)) > _LEAST:
        return passed()
    at = int(((draws - right) ** 2 / right).argmax())
    told = f"of {TIMES} draws {int(draws[0, at])} gave {want['groups'][at]}, expected about {right[0, at]:.0f}"
    return failed(f"{told}: the difference is larger than chance allows")


@check(
    "over many sentences, every word, and EOS, is drawn as often as its probability says",
    points=2,
    compare=as_often,
    needs=(one_word, chain, ending, most, seeded),
    draws=2,
    hint="Draw from the softmax of the logits as step returned them: without a temperature, and without leaving out improbable "
    "words. EOS is drawn like any other word.",
)
def many_words(sample_sentence, draw: Draw):
    """How many of 2000 draws give each group of words, of which EOS is one; the groups stand in an order that is drawn.

    In four cases of five or more it sees a temperature of 0.95 or 1.05, improbable words left out that have 3 % of the probability
    together, or an EOS with 0.65 of its own; and in practice always what is twice as far off.
    """
    bos, eos = _bos_and_eos(draw, _OF_GROUPS)
    logits, group = by_group(draw, bos, eos)
    rows, groups, order = logits.unbind(), group.tolist(), draw.normal(len(GROUPS)).argsort()
    drawn: list[int] = []

    def step(word: Any, place: int) -> tuple[Tensor, int]:
        if place:
            drawn.append(groups[len(drawn) % len(groups)][_id_of(word)])
        if len(drawn) >= TIMES:
            raise _EnoughError
        return rows[len(drawn) % len(rows)].clone(), place + 1

    generator = draw.generator()
    while len(drawn) < TIMES:
        try:
            sample_sentence(step, 0, generator, bos, eos, 2 * TIMES)
        except _EnoughError:
            break
        drawn.append(0)  # The number of EOS's group.
    counts = torch.bincount(torch.tensor(drawn), minlength=len(GROUPS))[order]
    shares = torch.tensor([share for share, _ in GROUPS.values()])[order]
    return {
        "draws": counts.unsqueeze(0),
        "shares": shares.unsqueeze(0),
        "groups": [list(GROUPS)[place] for place in order.tolist()],
    }


@many_words.explain
def proportions(got, want):
    """In which other proportions the words are drawn."""
    if not _are_counts(got["draws"], want["draws"]):
        return None
    told = likeliest(got["draws"], _other_proportions(want["shares"].double(), want["groups"]), least=1e-4)
    return told and f"the words are drawn as if {told}: {as_often(got, want).message.partition(':')[0]}"


def _other_proportions(shares: Tensor, groups: list[str]) -> list[tuple[str, Tensor]]:
    """In which proportions the groups may be drawn by mistake, (1, groups)."""
    sizes = torch.tensor([GROUPS[name][1] for name in groups])
    logits = (shares / sizes).log()
    is_eos, is_rarest = (
        torch.tensor([name == group for name in groups]) for group in (next(iter(GROUPS)), list(GROUPS)[-1])
    )
    found = [("improbable words were left out", shares * ~is_rarest)]
    for told, temperatures in {"below": (0.7, 0.8, 0.85, 0.9, 0.95), "above": (1.05, 1.1, 1.15, 1.2, 1.4)}.items():
        found += [(f"the temperature were {told} 1", sizes * (logits / each).exp()) for each in temperatures]
    for told, factor in {"rarely": 0.5, "often": 2.0}.items():
        found.append((f"EOS came too {told}", torch.where(is_eos, factor * shares, shares)))
    return found


THREE = 3
"""How many words a sentence has, and how many it is made of, where they are looked at together."""


@check(
    "each word is drawn separately, whatever came before it",
    points=1,
    compare=each_alone,
    needs=(one_word, chain, ending, most, seeded, many_words),
    draws=2,
    hint="Do the same for every word: the softmax of the logits that step has just returned, and a new draw. Keep nothing "
    "from the previous draw.",
)
def three_words(sample_sentence, draw: Draw):
    """How often each sentence of three words is drawn, where each place has its own probabilities and any word may come again."""
    bos, eos, *words = draw.normal(THREE + 2).argsort().tolist()
    shares = torch.tensor([0.56, 0.28, 0.16])
    table = torch.full((THREE, THREE + 2), -_SURE)
    for row in table:
        row[words] = shares[draw.normal(THREE).argsort()].log() + draw.normal(1, scale=5.0)
    generator, number = draw.generator(), {word: place for place, word in enumerate(words)}
    before = torch.default_generator.get_state()
    counts = torch.zeros(THREE**THREE, dtype=torch.int64)

    calls = 0

    def step(word: Any, place: int) -> tuple[Tensor, int]:
        nonlocal calls
        calls += 1
        if calls > _CALLS:
            raise MisuseError(f"step was called {_CALLS} times in a sentence of at most {THREE} words")
        return table[min(place, THREE - 1)].clone(), place + 1

    for _ in range(500):
        calls = 0
        found = words_of(sample_sentence(step, 0, generator, bos, eos, THREE))
        if len(found) != THREE or any(word not in number for word in found):
            raise MisuseError(f"the result is {found!r:.60}, expected {THREE} words, each with a probability above 0")
        first, second, third = (number[word] for word in found)
        counts[(first * THREE + second) * THREE + third] += 1
    alone = torch.equal(before, torch.default_generator.get_state())
    shares = table[:, words].softmax(dim=-1)
    return {"draws": counts.unsqueeze(0), "probabilities": shares, "words": words, "torch's own is left alone": alone}


@three_words.explain
def habits(got, want):
    """How the words of a sentence depend on each other."""
    draws = got["draws"]
    if not (got["torch's own is left alone"] and _are_counts(draws, want["draws"])):
        return None
    told = likeliest(draws, _other_habits(want["probabilities"].double()), least=1e-3)
    return f"the sentences are drawn as if {told}" if told else None


def _other_habits(shares: Tensor) -> list[tuple[str, Tensor]]:
    """How likely each sentence may be by mistake."""
    first, second, third = shares
    best = [torch.nn.functional.one_hot(row.argmax(), THREE).double() for row in shares]
    levels = (torch.arange(100_000) + 0.5) / 100_000
    one_number = sum(
        (torch.searchsorted(row.cumsum(dim=0), levels).clamp(max=THREE - 1) * THREE**power)
        for row, power in zip(shares, (2, 1, 0), strict=True)
    )
    counts = torch.bincount(torch.as_tensor(one_number), minlength=THREE**THREE)
    another = 1 - torch.eye(THREE, dtype=torch.float64)
    unlike = _joint(first, second, third).reshape((THREE,) * 3)
    unlike = unlike * another[:, :, None] * another[None, :, :]
    none_again = unlike * another[:, None, :]
    return [
        ("only the first word were random, and the others the most probable ones", _joint(first, best[1], best[2])),
        ("only two words were random, and the third the most probable one", _joint(first, second, best[2])),
        ("one random number were used for all words of a sentence", counts.double().unsqueeze(0)),
        ("no word could come twice in a row", unlike.reshape(1, -1)),
        ("no word could come twice in a sentence", none_again.reshape(1, -1)),
        ("the first logits were used for all words", _joint(first, first, first)),
    ] + [
        (f"the probabilities became {told} from word to word", _joint(*((shares.log() * power).softmax(dim=-1))))
        for told, each in (("sharper", (1.0, 2.0, 3.0)), ("sharper", (1.0, 1.5, 2.0)), ("flatter", (1.0, 0.5, 1 / 3)))
        for power in [torch.tensor(each, dtype=torch.float64).unsqueeze(1)]
    ]


@check(
    "logits far from zero, or with a gradient, work too",
    points=1,
    hidden=True,
    needs=one_word,
    draws=2,
    compare=distribution("draws"),
    hint="exp of a number far from zero is 0 or infinite; torch's softmax takes care of that. And a model's logits may "
    "require a gradient: torch's own functions accept them as they are.",
)
def far(sample_sentence, draw: Draw):
    """Logits far from zero, one of them minus infinity, with a gradient behind them."""
    bos, eos = _bos_and_eos(draw, WORDS)
    away = torch.tensor([[1000.0], [-1000.0], [200.0], [-200.0]])
    rows = _rows_of_logits(draw, bos, eos, _STEEP) + away
    rows[:, bos] = float("-inf")
    weight = torch.ones((), requires_grad=True)
    return {"draws": _drawn(sample_sentence, rows * weight, draw, bos, eos, 100)}


@check(
    "a sentence may have no word, or just one",
    points=1,
    compare=word_for_word,
    hidden=True,
    needs=(one_word, chain, ending, most),
    any_length=True,
    hint="EOS may be drawn first, max_words may be 0, and EOS may be drawn just after max_words words. Then the list is "
    "empty, or has max_words words.",
)
def short(sample_sentence, draw: Draw):
    """Sentences of no word, because EOS comes first or none is wanted, of one, and of all that are wanted with EOS behind them."""
    bos, eos = _bos_and_eos(draw, _MANY)
    words = _other_words(draw, 4, bos, eos)
    asked = {
        "EOS comes first": ([eos, *words], 5),
        "EOS comes first, and one word is wanted": ([eos], 1),
        "one word is wanted": (words, 1),
        "EOS comes after as many words as are wanted": ([*words[:3], eos], 3),
        "EOS is the last word that is wanted": ([*words[:3], eos], 4),
        "no word is wanted": (words, 0),
        "BOS is drawn, which is a word then": ([words[0], bos, words[1], eos], 9),
    }
    return {
        name: words_of(
            sample_sentence(_Chain(given, 8, "the loop does not end"), 0, draw.generator(), bos, eos, number)
        )
        for name, (given, number) in asked.items()
    }


@check(
    "what step returned is left as it was",
    points=1,
    compare=word_for_word,
    hidden=True,
    needs=(one_word, chain, most),
    any_length=True,
    hint="The logits may be a row of the model's own table. Methods that end in an underscore, and assignments such as "
    "logits[bos] = ... or logits /= ..., change it.",
)
def untouched(sample_sentence, draw: Draw):
    """A model that keeps its logits in a table and its state in a list; both as they are after a sentence."""
    bos, eos = _bos_and_eos(draw, _MANY)
    table = torch.stack([_sure_of(word, _MANY) for word in _other_words(draw, _MANY, bos, eos)])
    table = torch.cat([table, table[:2]])  # A row for each word; none is sure of EOS.
    state = [draw.normal(2)]

    guard = _Chain([eos], 8, "the loop does not end")

    def step(word: int, state: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        guard(word, 0)
        return table[_id_of(word)], [state[0] + 1]

    words = sample_sentence(step, state, draw.generator(), bos, eos, 6)
    return {"the table of logits": table, "the state": state[0], "the sentence": words_of(words)}
