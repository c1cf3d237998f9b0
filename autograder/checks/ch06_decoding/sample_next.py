"""The checks of `sample_next`."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import distribution, is_close, likeliest, never_drawn
from autograder.judging.verdict import failed

EXERCISE = Exercise("sample_next", "draw a word at a temperature", minutes=10, difficulty=1)


@in_use(gradients=False)
def in_chapter(sample_next, draw: Draw) -> Use:
    """A batch with words that are impossible and a filter, then one row; which word is drawn is chance's."""
    generator = draw.generator()

    def keep(logits: Tensor) -> Tensor:
        return logits.masked_fill(logits < logits.mean(dim=-1, keepdim=True), -math.inf)

    def call(logits: Tensor, *more: Any) -> Tensor:
        return torch.zeros_like(sample_next(logits, generator, *more))

    rows = int(draw.integers(2, 1000))
    logits = draw.normal(rows, 400) / 9
    return Use(call, (logits, 0.7, keep), (logits[: rows // 2].masked_fill(logits[: rows // 2] < 0, -math.inf), 2.0))


def always_one(draws: Tensor, logits: Tensor) -> str:
    """What is said where every row of the same logits was given the same word; empty where not.

    All draws of a row of logits are made in one batch.
    """
    if not (draws.max(dim=-1).values == draws.sum(dim=-1)).all():
        return ""
    if torch.equal(draws.argmax(dim=-1), logits.argmax(dim=-1)):
        return "every draw gave the most probable word, the argmax; expected a random draw"
    return "all rows with the same logits got the same word: expected a separate draw for each row of the batch"


WORDS = 8
_ROWS, _TIMES = 3, 400
REACH = 1.2
"""How far below the largest of its row a logit may be for the filter to keep it."""
_ROUNDING = 1e-3


def rows_of_logits(draw: Draw) -> Tensor:
    """Logits whose probabilities are well apart, in an order that is drawn: (rows, V)."""
    ladder = torch.linspace(0.0, 3.5, WORDS)
    rows = torch.stack([ladder[draw.normal(WORDS).argsort()] for _ in range(_ROWS)])
    return rows + draw.normal(_ROWS, WORDS, scale=0.1)


def _words(sample_next: Callable[..., Any], logits: Tensor, *args: Any) -> Tensor:
    """The words that are drawn for each row.

    Raises:
        MisuseError: They are no whole numbers, one for each row.
    """
    words = sample_next(logits, *args)
    wanted = f"expected integers, one for each row: shape ({len(logits)},)"
    if not isinstance(words, Tensor) or words.is_floating_point() or tuple(words.shape) != (len(logits),):
        raise MisuseError(f"the result is {kind_of(words)}, {wanted}")
    words = words.long()
    if ((words < 0) | (words >= logits.shape[-1])).any():
        raise MisuseError(f"a word is not one of the ids from 0 to {logits.shape[-1] - 1}, {wanted}")
    return words


def _drawn(sample_next: Callable[..., Any], rows: Tensor, draw: Draw, *args: Any) -> Tensor:
    """How often each word is drawn of each row, all rows many times in one batch: (rows, V)."""
    words = _words(sample_next, rows.repeat_interleave(_TIMES, dim=0), draw.generator(), *args)
    return torch.stack([torch.bincount(of_row, minlength=WORDS) for of_row in words.view(len(rows), _TIMES)])


@check(
    "without temperature and filter, a word is drawn with probability softmax(logits)",
    reads=("draws",),
    compare=distribution(),
    points=1,
    draws=2,
    hint="The softmax of a row's logits gives each word its probability, and torch.multinomial draws with these probabilities, for each row "
    "of a batch. It returns (B, 1). Without a filter, keep is None.",
)
def plain(sample_next, draw: Draw):
    """Neither temperature nor filter."""
    rows = rows_of_logits(draw)
    return {"draws": _drawn(sample_next, rows, draw), "logits": rows}


@plain.explain
def other_probabilities(got, want):
    """The probabilities with which the words were drawn."""
    draws, logits = got["draws"], want["logits"].double()
    first = logits.softmax(dim=-1)[:1].expand_as(logits)
    mistakes = {
        "all words are drawn equally often: the logits make no difference": torch.ones_like(logits),
        "the softmax was applied twice, the second time to probabilities": logits.softmax(dim=-1).softmax(dim=-1),
        "the words are drawn with the logits as they are, expected with their softmax": logits.clamp(min=0.0),
        "all rows are drawn with the probabilities of the first": first,
        "the softmax runs over the rows, dim=0, expected over the words, dim=-1": logits.softmax(dim=0),
    }
    return always_one(draws, logits) or likeliest(draws, mistakes.items())


def first_wrong(got, want) -> tuple[str, float]:
    """The first of two temperatures at which the words are drawn with other probabilities, or else the second; and its name."""
    cold, hot = zip(("cold", "hot"), want["temperatures"], strict=True)
    return hot if distribution("cold")(got, want).ok else cold


@check(
    "the temperature divides the logits",
    compare=distribution("cold", "hot"),
    points=2,
    needs=plain,
    draws=2,
    hint="softmax(logits / temperature): dividing by a small number makes the differences between logits larger, so "
    "the most likely word gains probability. Dividing probabilities changes nothing once they are normalised "
    "again.",
)
def temperatures(sample_next, draw: Draw):
    """A temperature below 1 and one above."""
    rows = rows_of_logits(draw)
    cold, hot = 0.3 + 0.01 * int(draw.integers(0, 10)), 3.0 + 0.05 * int(draw.integers(0, 20))
    return {
        "cold": _drawn(sample_next, rows, draw, cold),
        "hot": _drawn(sample_next, rows, draw, hot),
        "logits": rows,
        "temperatures": [cold, hot],
    }


@temperatures.explain
def other_temperature(got, want):
    """What was done with the temperature."""
    name, temperature = first_wrong(got, want)
    draws, logits = got[name], want["logits"].double()
    mistakes = {
        "the logits are multiplied by the temperature, expected divided by it": logits * temperature,
        "the temperature makes no difference": logits,
        "the probabilities are divided by the temperature and go through another softmax; divide the logits": (
            logits.softmax(dim=-1) / temperature
        ),
    }
    drawn = ((told, scores.softmax(dim=-1)) for told, scores in mistakes.items())
    message = always_one(draws, logits) or likeliest(draws, drawn)
    return f"at temperature {temperature:.2f}, {message}" if message else None


def near_the_largest(logits: Any) -> Tensor:
    """A filter: removes what is more than `REACH` below the largest logit of its row."""
    if not isinstance(logits, Tensor) or logits.dim() != 2 or logits.shape[-1] != WORDS:
        raise MisuseError(f"keep was called with {kind_of(logits)}, expected logits of shape (B, V)")
    return logits.masked_fill(logits < logits.amax(dim=-1, keepdim=True) - REACH, float("-inf"))


def follows_filter(got, want):
    """Whether the words are drawn with the right probabilities, and none that is removed."""
    verdict = distribution("cold", "hot")(got, want)
    for name, temperature in zip(("cold", "hot"), want["temperatures"], strict=True):
        if verdict.ok:
            scaled = want["logits"] / temperature
            verdict = never_drawn(got[name], scaled < scaled.amax(dim=-1, keepdim=True) - REACH - _ROUNDING)
    return verdict


@check(
    "the filter gets the logits at that temperature, and words that it removes are not drawn",
    compare=follows_filter,
    points=2,
    needs=(plain, temperatures),
    draws=2,
    hint="First divide, then filter, then apply the softmax, which gives the probability of the removed words to those that are left. "
    "torch's softmax gives minus infinity the probability 0; your own must do the same.",
)
def filtered(sample_next, draw: Draw):
    """A filter for which it matters what it is given, with temperatures below and above 1."""
    rows = rows_of_logits(draw)
    return {
        "cold": _drawn(sample_next, rows, draw, 0.6, near_the_largest),
        "hot": _drawn(sample_next, rows, draw, 2.0, near_the_largest),
        "logits": rows,
        "temperatures": [0.6, 2.0],
    }


@filtered.explain
def other_filter(got, want):
    """What was done with the filter."""
    name, temperature = first_wrong(got, want)
    logits = want["logits"].double()
    mistakes = {
        "the filter was given the logits before they were divided": near_the_largest(logits),
        "the filter makes no difference: is what it returns used, and is it given logits, not probabilities?": logits,
    }
    drawn = ((told, (scores / temperature).softmax(dim=-1)) for told, scores in mistakes.items())
    message = likeliest(got[name], drawn)
    return f"at temperature {temperature:.2f}, {message}" if message else None


def draws_with_generator(got, want):
    """Whether the generator alone decides which words are drawn, with the right probabilities."""
    told = {
        "torch's own generator is left alone": (
            "a draw used torch's global generator, or its seed was set; expected only the given generator to be used"
        ),
        "the same seed gives the same words": (
            "two generators with the same seed gave different words: some draw is not made with the generator"
        ),
        "a generator goes on from call to call": (
            "one generator gave the same words at every call: do not set its seed again"
        ),
        "another seed gives other words": "generators with different seeds gave the same words",
    }
    wrong = next((message for name, message in told.items() if not got[name]), "")
    return failed(wrong) if wrong else distribution("draws")(got, want)


@check(
    "every draw uses the given generator",
    compare=draws_with_generator,
    points=2,
    needs=plain,
    draws=2,
    hint="torch's random functions take generator=...; without it they use torch's global generator, which the whole program shares. Pass "
    "the given generator on, and do not set any seed.",
)
def seeded(sample_next, draw: Draw):
    """Words that are drawn one call after the other with one generator; with another of the same seed; and of another seed."""
    rows, times = rows_of_logits(draw), 8
    seed, other = draw.integers(0, 2**62, 2).tolist()
    before = torch.default_generator.get_state()
    found = []
    for of_this in (seed, seed, other):
        generator, batch = torch.Generator().manual_seed(of_this), rows.repeat_interleave(times, dim=0)
        found.append(torch.stack([_words(sample_next, batch, generator) for _ in range(12)]))  # (12, rows * times)
    words = torch.cat([found[0], found[2]]).view(-1, _ROWS, times)
    return {
        "the same seed gives the same words": torch.equal(found[0], found[1]),
        "another seed gives other words": not torch.equal(found[0], found[2]),
        "a generator goes on from call to call": not (found[0] == found[0][:1]).all().item(),
        "torch's own generator is left alone": torch.equal(before, torch.default_generator.get_state()),
        "draws": torch.stack([torch.bincount(words[:, row].flatten(), minlength=WORDS) for row in range(_ROWS)]),
    }


@check(
    "logits far from zero, impossible words and logits with a gradient work too",
    points=1,
    hidden=True,
    needs=(plain, temperatures, filtered),
    draws=2,
    compare=distribution("draws", impossible="impossible"),
    hint="exp of a number far from zero underflows to 0 or overflows; torch's softmax avoids both. And a model's logits may require a "
    "gradient: torch's own functions accept them as they are.",
)
def far(sample_next, draw: Draw):
    """Logits far from zero, one of them minus infinity, with a gradient behind them."""
    rows = rows_of_logits(draw) + torch.tensor([[1000.0], [-1000.0], [200.0]])
    rows[:, int(draw.integers(0, WORDS))] = float("-inf")
    weight = torch.ones((), requires_grad=True)
    return {"draws": _drawn(sample_next, rows * weight, draw, 1.5), "impossible": rows.isneginf()}


def leaves_logits(got, want):
    """Whether the logits are the same after many calls, and the words drawn with the right probabilities."""
    changed = not is_close(got["logits"], want["logits"])
    return failed("the logits that were given have changed") if changed else distribution("draws")(got, want)


@check(
    "the logits are not changed, and a batch may have one row",
    compare=leaves_logits,
    points=1,
    needs=(plain, temperatures, seeded),
    draws=2,
    arguments=True,
    hint="`logits /= temperature` changes the model's own tensor, so the next call divides it again; squeeze() without a dimension also "
    "removes a batch dimension of size one.",
)
def untouched(sample_next, draw: Draw):
    """What became of the logits; and one row alone, often."""
    one = rows_of_logits(draw)[:1].clone()
    words = torch.cat([_words(sample_next, one, draw.generator(), 2.0) for _ in range(25)])
    return {"logits": one, "draws": torch.bincount(words, minlength=WORDS).unsqueeze(0)}
