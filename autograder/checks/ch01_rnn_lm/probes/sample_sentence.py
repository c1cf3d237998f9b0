"""What is asked of `sample_sentence`.

Where the probabilities are the question, the loop is not, and the other way round. A word is drawn many times as the first of a
sentence of its own, which a slip in the loop does not change. And where the loop is looked at, one word has all the probability.
"""

from collections.abc import Callable
from operator import index
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError, numbers_in

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


def _generator(draw: Draw) -> torch.Generator:
    return torch.Generator().manual_seed(int(draw.integers(0, 2**62)))


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


def _plain(result: Any) -> Any:
    """A list of words, in which NumPy's whole numbers do as well as Python's own; all else as it is."""
    if not isinstance(result, (list, tuple)):
        return result
    return [int(word) if isinstance(word, np.integer) else word for word in result]


def words_of(result: Any) -> list[Any]:
    """What came back, which should be a list.

    Raises:
        MisuseError: It is none.
    """
    result = numbers_in(result, "expected a list of integers, and the result is")
    if not isinstance(result, (list, tuple)):
        raise MisuseError(f"the result is {kind_of(result)}, expected a list of integers")
    return _plain(result)


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


@probe("sample_sentence", draws=2)
def one_word(sample_sentence, draw: Draw):
    """How often each word is the first of a sentence."""
    bos, eos = _bos_and_eos(draw, WORDS)
    rows = _rows_of_logits(draw, bos, eos, _BOTH)
    return {"draws": _drawn(sample_sentence, rows, draw, bos, eos, 300), "logits": rows, "bos": bos, "eos": eos}


THREE = 3
"""How many words a sentence has, and how many it is made of, where they are looked at together."""


@probe("sample_sentence", draws=2)
def three_words(sample_sentence, draw: Draw):
    """How often each sentence of three words is drawn, where each place has its own probabilities and any word may come again."""
    bos, eos, *words = draw.normal(THREE + 2).argsort().tolist()
    shares = torch.tensor([0.56, 0.28, 0.16])
    table = torch.full((THREE, THREE + 2), -_SURE)
    for row in table:
        row[words] = shares[draw.normal(THREE).argsort()].log() + draw.normal(1, scale=5.0)
    generator, number = _generator(draw), {word: place for place, word in enumerate(words)}
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


@probe("sample_sentence")
def chain(sample_sentence, draw: Draw):
    """What `step` is called with, five times; nothing ends the sentence."""
    bos, eos = _bos_and_eos(draw, _MANY)
    step, state = _Chain(_other_words(draw, 5, bos, eos), 5), int(draw.integers(1, 1000))
    try:
        sample_sentence(step, state, _generator(draw), bos, eos, 50)
    except _EnoughError:
        pass
    return {"words read": step.read, "states read": step.states, "bos": bos, "state": state}


@probe("sample_sentence")
def ending(sample_sentence, draw: Draw):
    """A sentence that EOS ends."""
    bos, eos = _bos_and_eos(draw, _MANY)
    words = _other_words(draw, int(draw.integers(2, 6)), bos, eos)
    told = f"step was called again after EOS was drawn, which is the id {eos} here"
    step = _Chain([*words, eos], len(words) + 1, told)
    result = sample_sentence(step, 0, _generator(draw), bos, eos, 50)
    return {"words": words_of(result), "bos": bos, "eos": eos}


@probe("sample_sentence")
def most(sample_sentence, draw: Draw):
    """A sentence that nothing ends but the number of its words."""
    bos, eos = _bos_and_eos(draw, _MANY)
    number = int(draw.integers(3, 8))
    step = _Chain(
        _other_words(draw, number + 5, bos, eos),
        number + 2,
        f"with max_words = {number}, step was called {number + 3} times",
    )
    result = sample_sentence(step, 0, _generator(draw), bos, eos, number)
    return {"words": words_of(result), "bos": bos, "max_words": number}


@probe("sample_sentence", draws=2)
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


@probe("sample_sentence", draws=2)
def far(sample_sentence, draw: Draw):
    """Logits far from zero, one of them minus infinity, with a gradient behind them."""
    bos, eos = _bos_and_eos(draw, WORDS)
    away = torch.tensor([[1000.0], [-1000.0], [200.0], [-200.0]])
    rows = _rows_of_logits(draw, bos, eos, _STEEP) + away
    rows[:, bos] = float("-inf")
    weight = torch.ones((), requires_grad=True)
    return {"draws": _drawn(sample_sentence, rows * weight, draw, bos, eos, 100)}


@probe("sample_sentence")
def short(sample_sentence, draw: Draw):
    """Sentences of no word, because EOS comes first or none is wanted, of one, and of all that are wanted with EOS behind them."""
    bos, eos = _bos_and_eos(draw, _MANY)
    words = _other_words(draw, 4, bos, eos)
    asked = {
        "EOS comes first": ([eos], 5),
        "EOS comes first, and one word is wanted": ([eos], 1),
        "one word is wanted": (words, 1),
        "EOS comes after as many words as are wanted": ([*words[:3], eos], 3),
        "EOS is the last word that is wanted": ([*words[:3], eos], 4),
        "no word is wanted": (words, 0),
        "BOS is drawn, which is a word then": ([words[0], bos, words[1], eos], 9),
    }
    return {
        name: _plain(sample_sentence(_Chain(given, 8, "the loop does not end"), 0, _generator(draw), bos, eos, number))
        for name, (given, number) in asked.items()
    }


@probe("sample_sentence")
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

    words = sample_sentence(step, state, _generator(draw), bos, eos, 6)
    return {"words": _plain(words), "the table of logits": table, "the state": state[0]}
