"""The checks of `sample_next`."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, note_slip
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import chi_square_tail, is_close, likeliest, never_drawn
from autograder.judging.verdict import JudgeFunction, Verdict, failed, passed

EXERCISE = Exercise("sample_next", "draw a word at a temperature", minutes=10, difficulty=1)


@in_use(gradients=False)
def in_chapter(sample_next, draw: Draw) -> Use:
    """A batch with words that are impossible and a filter, then one row; which word is drawn is chance's."""
    generator = draw.generator()

    def keep(logits: Tensor) -> Tensor:
        return logits.masked_fill(logits < logits.mean(dim=-1, keepdim=True), -math.inf)

    def call(logits: Tensor, *more: Any) -> Tensor:
        return torch.zeros_like(sample_next(logits, generator, *more), dtype=torch.int64)  # Any integers will do.

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


_SHARES = (0.5, 0.2, 0.1, 0.08, 0.05, 0.04, 0.02, 0.01)
"""The probabilities of the words of a row, in some order."""
WORDS, _ROWS = len(_SHARES), 3
_MANY, _SOME = 3000, 1000
"""How often words are drawn of each row, where a slightly wrong temperature is the question, and where it is not."""
REACH = 2.0
"""How far below the largest of its row a logit may be for the filter to keep it: below a tenth of the largest probability, nearly."""
_ALPHA, _FITS = 5e-9, 1e-6
"""How unlikely draws are that do not pass for right ones, and that do not pass for those of a mistake."""
_FEW = 10
"""Words that are expected less often count as one in a chi-square test."""


def shares_of_rows(draw: Draw) -> Tensor:
    """Probabilities that are well apart, in an order that is drawn: (rows, V)."""
    return torch.tensor(_SHARES)[draw.normal(_ROWS, WORDS).argsort(dim=-1)]


def _words(sample_next: Callable[..., Any], logits: Tensor, *args: Any) -> Tensor:
    """The words that are drawn for each row.

    Raises:
        MisuseError: They are no whole numbers, one for each row.
    """
    words = sample_next(logits, *args)
    if isinstance(words, Tensor) and tuple(words.shape) == (len(logits), 1):
        note_slip("the result has shape (B, 1), expected (B,)")
        words = words[:, 0]
    wanted = f"expected integers, one for each row: shape ({len(logits)},)"
    if not isinstance(words, Tensor) or words.is_floating_point() or tuple(words.shape) != (len(logits),):
        raise MisuseError(f"the result is {kind_of(words)}, {wanted}")
    words = words.long()
    if ((words < 0) | (words >= logits.shape[-1])).any():
        raise MisuseError(f"a word is not one of the ids from 0 to {logits.shape[-1] - 1}, {wanted}")
    return words


def _drawn(sample_next: Callable[..., Any], rows: Tensor, draw: Draw, times: int, *args: Any) -> Tensor:
    """How often each word is drawn of each row of logits, all rows so many times in one batch: (rows, V)."""
    words = _words(sample_next, rows.repeat_interleave(times, dim=0), draw.generator(), *args)
    return torch.stack([torch.bincount(of_row, minlength=WORDS) for of_row in words.view(len(rows), times)])


_VOCABULARY, _RANGES = 400, (50, 100, 200)
"""A row of so many words, and the ranks at which the next range of words begins."""


def _of_ranges(sample_next: Callable[..., Any], draw: Draw) -> tuple[Tensor, Tensor]:
    """How often words of each range of ranks are drawn of a row of many words, (1, ranges), and the probabilities of the ranges.

    The most probable word has 0.013, and the least probable one less than a hundredth of that.
    """
    ranks = draw.normal(_VOCABULARY).argsort()
    logits = ranks * (-5 / _VOCABULARY)
    words = _words(sample_next, logits.repeat(_SOME, 1), draw.generator())
    ranges = torch.bucketize(ranks, torch.tensor(_RANGES), right=True)
    number = len(_RANGES) + 1
    shares = torch.bincount(ranges, weights=logits.softmax(dim=0), minlength=number)
    return torch.bincount(ranges[words], minlength=number).unsqueeze(0), shares.unsqueeze(0)


def sharpness(counts: Tensor, shares: Tensor) -> tuple[float, float]:
    """How much more probable the words that were drawn are than they should be, in standard deviations, and on average: the mean of their logs.

    Args:
        counts: How often each word was drawn, (rows, V).
        shares: Their probabilities, (rows, V), none of them 0.
    """
    logs, times = shares.log(), counts.sum(dim=-1, keepdim=True)
    mean = (shares * logs).sum(dim=-1, keepdim=True)
    spread = (times * shares * (logs - mean).square()).sum().sqrt()
    found = (counts * logs).sum()
    return float((found - (times * mean).sum()) / spread), float(found / counts.sum())


def as_unlikely(counts: Tensor, shares: Tensor) -> float:
    """How likely words that are drawn with these probabilities are to be as far from them, or further.

    Of two tests the smaller chance: the chi-square test of all words, and, where there are many draws, one of whether they are drawn from
    a distribution that is sharper or flatter.
    """
    counts, shares = counts.double(), shares.double()
    expected = counts.sum(dim=-1, keepdim=True) * shares
    statistic, freedom = 0.0, 0
    for pair in torch.stack([counts, expected], dim=1):  # (2, V)
        few = pair[1] < _FEW
        found, wanted = torch.cat([pair[:, ~few], pair[:, few].sum(dim=1, keepdim=True)], dim=1)
        statistic += ((found - wanted).square() / wanted)[wanted > 0].sum().item()
        freedom += int((wanted > 0).sum()) - 1
    chance = chi_square_tail(statistic, freedom)
    if (expected[shares > 0] < _FEW).any():
        return chance
    deviation, _ = sharpness(counts, shares.clamp(min=torch.finfo(torch.float64).tiny))
    return min(chance, chi_square_tail(deviation**2, 1))


def drawn_with_shares(*names: str) -> JudgeFunction:
    """A judge of counts, (rows, V), of words that should be drawn with the probabilities that the reference's entry `shares` holds for each.

    It fails right draws less than once in ten million times; of 9,000 draws, made twice, it sees a temperature that is 8 % off 99 times in 100,
    and a word of probability 0.01 that is never drawn, or one of 0.05 that is drawn half as often.
    """

    def compare(got: Any, want: Any) -> Verdict:
        for name, shares in zip(names, want["shares"], strict=True):
            counts, draws = got[name], want[name].sum(dim=-1)
            if (counts < 0).any() or not torch.equal(counts.sum(dim=-1), draws):
                return failed(f"{name}: these are not the counts of {int(draws.sum())} draws")
            verdict = never_drawn(counts, shares == 0)
            if verdict.ok and as_unlikely(counts, shares) < _ALPHA:
                apart = (counts - draws.unsqueeze(-1) * shares).abs()
                row, word = (int(place) for place in (apart == apart.max()).nonzero()[0])
                told = f"in row {row}, word {word} was drawn {int(counts[row, word])} times in {int(draws[row])} draws"
                verdict = failed(f"{told}, expected about {round(float(draws[row] * shares[row, word]))}")
            if not verdict.ok:
                return verdict
        return passed()

    return compare


def other_sharpness(counts: Tensor, shares: Tensor) -> str:
    """Whether the words are drawn as at another temperature, and at which, where the right one counts as 1; empty where not."""
    counts, shares = counts.double(), shares.double()
    _, found = sharpness(counts, shares)
    low, high = 0.05, 20.0
    for _ in range(50):  # The higher the temperature, the less probable are the words that are drawn.
        temperature = (low * high) ** 0.5
        as_drawn = (shares.log() / temperature).softmax(dim=-1)
        low, high = (
            (temperature, high) if float((as_drawn * shares.log()).sum(dim=-1).mean()) > found else (low, temperature)
        )
    if not 0.06 < temperature < 19 or as_unlikely(counts, as_drawn) < _FITS:
        return ""
    return f"{temperature:.2f}"


@check(
    "without temperature and filter, a word is drawn with probability softmax(logits)",
    compare=drawn_with_shares("draws", "ranges"),
    points=1,
    draws=2,
    hint="The softmax of a row's logits gives each word its probability, and torch.multinomial draws with these probabilities, for each row "
    "of a batch. It returns (B, 1). Without a filter, keep is None.",
)
def plain(sample_next, draw: Draw):
    """Neither temperature nor filter; and the words of a large vocabulary.

    Of these, it sees 99 times in 100 where the least probable words, together 7 % of the probability, are never drawn.
    """
    shares = shares_of_rows(draw)
    rows = shares.log() + draw.normal(_ROWS, 1)
    draws = _drawn(sample_next, rows, draw, _MANY)
    ranges, of_ranges = _of_ranges(sample_next, draw)
    return {"draws": draws, "ranges": ranges, "logits": rows, "shares": [shares, of_ranges]}


@plain.explain
def least_probable(got, want):
    """Whether it is a question of a large vocabulary, and how often its less probable words are drawn."""
    if not drawn_with_shares("draws")(got, {**want, "shares": want["shares"][:1]}).ok:
        return None
    found, share = int(got["ranges"][0, -1]), float(want["shares"][1][0, -1])
    return f"of {_VOCABULARY} words, the less probable half was drawn {found} times in {_SOME} draws, expected about {round(_SOME * share)}"


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
    if told := always_one(draws, logits) or likeliest(draws, mistakes.items()):
        return told
    temperature = other_sharpness(draws, want["shares"][0])
    return f"the words are drawn as if the logits had been divided by {temperature}" if temperature else None


def first_wrong(got, want) -> tuple[str, float]:
    """The first of two temperatures at which the words are drawn with other probabilities, or else the second; and its name."""
    cold, hot = zip(("cold", "hot"), want["temperatures"], strict=True)
    alone = {**want, "shares": want["shares"][:1]}
    return hot if drawn_with_shares("cold")(got, alone).ok else cold


def _at_temperatures(
    sample_next, draw: Draw, cold: float, hot: float, keep: Callable[..., Any] | None = None
) -> dict[str, Any]:
    """What is drawn at two temperatures, of logits that give the words their shares there."""
    found: dict[str, Any] = {"logits": [], "shares": [], "temperatures": [cold, hot]}
    times = _SOME if keep else _MANY
    for name, temperature in (("cold", cold), ("hot", hot)):
        shares = shares_of_rows(draw)
        rows = temperature * (shares.log() + draw.normal(_ROWS, 1))
        found[name] = _drawn(sample_next, rows, draw, times, temperature, *([keep] if keep else []))
        if keep:
            shares = torch.where(keep(shares.log()).isfinite(), shares, 0.0)
        found["logits"].append(rows)
        found["shares"].append(shares / shares.sum(dim=-1, keepdim=True))
    return found


@check(
    "the temperature divides the logits",
    compare=drawn_with_shares("cold", "hot"),
    points=2,
    needs=plain,
    draws=2,
    hint="softmax(logits / temperature): dividing by a small number makes the differences between logits larger, so "
    "the most likely word gains probability. Dividing probabilities changes nothing once they are normalised "
    "again.",
)
def temperatures(sample_next, draw: Draw):
    """A temperature far below 1 and one above."""
    return _at_temperatures(
        sample_next, draw, 0.06 + 0.01 * int(draw.integers(0, 4)), 3.0 + 0.05 * int(draw.integers(0, 20))
    )


@temperatures.explain
def other_temperature(got, want):
    """What was done with the temperature."""
    name, temperature = first_wrong(got, want)
    place = ("cold", "hot").index(name)
    draws, logits = got[name], want["logits"][place].double()
    mistakes = {
        "the logits are multiplied by the temperature, expected divided by it": logits * temperature,
        "the temperature makes no difference": logits,
        "the probabilities are divided by the temperature and go through another softmax; divide the logits": (
            logits.softmax(dim=-1) / temperature
        ),
    }
    drawn = ((told, scores.softmax(dim=-1)) for told, scores in mistakes.items())
    message = always_one(draws, logits) or likeliest(draws, drawn)
    if message:
        return f"at temperature {temperature:.2f}, {message}"
    other = other_sharpness(draws, want["shares"][place])
    return (
        f"at temperature {temperature:.2f}, the words are drawn as if it were {float(other) * temperature:.3g}"
        if other
        else None
    )


def near_the_largest(logits: Any) -> Tensor:
    """A filter: removes what is more than `REACH` below the largest logit of its row."""
    if not isinstance(logits, Tensor) or logits.dim() != 2 or logits.shape[-1] != WORDS:
        raise MisuseError(f"keep was called with {kind_of(logits)}, expected logits of shape (B, V)")
    return logits.masked_fill(logits < logits.amax(dim=-1, keepdim=True) - REACH, float("-inf"))


@check(
    "the filter gets the logits at that temperature, and words that it removes are not drawn",
    compare=drawn_with_shares("cold", "hot"),
    points=2,
    needs=(plain, temperatures),
    draws=2,
    hint="First divide, then filter, then apply the softmax, which gives the probability of the removed words to those that are left. "
    "torch's softmax gives minus infinity the probability 0; your own must do the same.",
)
def filtered(sample_next, draw: Draw):
    """A filter for which it matters what it is given, with temperatures below and above 1."""
    return _at_temperatures(sample_next, draw, 0.6, 2.0, near_the_largest)


@filtered.explain
def other_filter(got, want):
    """What was done with the filter."""
    name, temperature = first_wrong(got, want)
    logits = want["logits"][("cold", "hot").index(name)].double()
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
    return failed(wrong) if wrong else drawn_with_shares("draws")(got, want)


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
    shares, times = shares_of_rows(draw), 8
    rows = shares.log()
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
        "shares": [shares],
    }


@check(
    "logits far from zero, impossible words and logits with a gradient work too",
    points=1,
    hidden=True,
    needs=(plain, temperatures, filtered),
    draws=2,
    compare=drawn_with_shares("draws"),
    hint="exp of a number far from zero underflows to 0 or overflows; torch's softmax avoids both. And a model's logits may require a "
    "gradient: torch's own functions accept them as they are.",
)
def far(sample_next, draw: Draw):
    """Logits far from zero, one of them minus infinity, with a gradient behind them."""
    shares = shares_of_rows(draw)
    shares[:, int(draw.integers(0, WORDS))] = 0.0
    shares = shares / shares.sum(dim=-1, keepdim=True)
    rows = 1.5 * shares.log() + torch.tensor([[1000.0], [-1000.0], [200.0]])
    weight = torch.ones((), requires_grad=True)
    return {"draws": _drawn(sample_next, rows * weight, draw, _SOME, 1.5), "shares": [shares]}


def leaves_logits(got, want):
    """Whether the logits are the same after many calls, and the words drawn with the right probabilities."""
    changed = not is_close(got["logits"], want["logits"])
    return failed("the logits that were given have changed") if changed else drawn_with_shares("draws")(got, want)


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
    shares = shares_of_rows(draw)[:1]
    one = 2 * shares.log()
    words = torch.cat([_words(sample_next, one, draw.generator(), 2.0) for _ in range(25)])
    return {"logits": one, "draws": torch.bincount(words, minlength=WORDS).unsqueeze(0), "shares": [shares]}
