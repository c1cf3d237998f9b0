"""What is right about `sample_next`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch06_decoding.probes import sample_next as probes
from autograder.compare import distribution, is_close, likeliest, never_drawn
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_DRAWN = "without temperature and filter, a word is drawn with probability softmax(logits)"
_WARM = "the temperature divides the logits"
_FILTER = "the filter gets the logits at that temperature, and words that it removes are not drawn"
_SEEDED = "every draw uses the given generator"

_ROUNDING = 1e-3

_follows = distribution("draws")


def _are_counts(draws: Tensor, want: Tensor) -> bool:
    return bool((draws >= 0).all() and (draws <= want.sum()).all() and torch.equal(draws.sum(dim=-1), want.sum(dim=-1)))


@judge(
    _DRAWN,
    probe=probes.plain,
    points=1,
    hint="The softmax of a row's logits gives each word its probability, and torch.multinomial draws with these probabilities, for each row "
    "of a batch. It returns (B, 1). Without a filter, keep is None.",
)
def follows_softmax(got: Any, want: Any) -> Verdict:
    """Many draws of each row."""
    verdict, draws, logits = _follows(got, want), got["draws"], want["logits"].double()
    if verdict.ok or not _are_counts(draws, want["draws"]):
        return verdict
    told = _always_one(draws, logits)
    if told:
        return failed(told)
    first = logits.softmax(dim=-1)[:1].expand_as(logits)
    mistakes = {
        "all words are drawn equally often: the logits make no difference": torch.ones_like(logits),
        "the softmax was applied twice, the second time to probabilities": logits.softmax(dim=-1).softmax(dim=-1),
        "the words are drawn with the logits as they are, expected with their softmax": logits.clamp(min=0.0),
        "all rows are drawn with the probabilities of the first": first,
        "the softmax runs over the rows, dim=0, expected over the words, dim=-1": logits.softmax(dim=0),
    }
    message = likeliest(draws, mistakes.items())
    return failed(message) if message else verdict


def _always_one(draws: Tensor, logits: Tensor) -> str:
    """What is said where every row of the same logits was given the same word; empty where not.

    All draws of a row of logits are made in one batch.
    """
    if not (draws.max(dim=-1).values == draws.sum(dim=-1)).all():
        return ""
    if torch.equal(draws.argmax(dim=-1), logits.argmax(dim=-1)):
        return "every draw gave the most probable word, the argmax; expected a random draw"
    return "all rows with the same logits got the same word: expected a separate draw for each row of the batch"


@judge(
    _WARM,
    probe=probes.temperatures,
    points=2,
    needs=(_DRAWN,),
    hint="softmax(logits / temperature): dividing by a small number makes the differences between logits larger, so "
    "the most likely word gains probability. Dividing probabilities changes nothing once they are normalised "
    "again.",
)
def divides(got: Any, want: Any) -> Verdict:
    """A temperature below 1 and one above."""
    logits = want["logits"].double()
    for name, temperature in zip(("cold", "hot"), want["temperatures"], strict=True):
        draws = got[name]
        verdict = distribution(name)(got, want)
        if verdict.ok:
            continue
        if not _are_counts(draws, want[name]):
            return verdict
        mistakes = {
            "the logits are multiplied by the temperature, expected divided by it": logits * temperature,
            "the temperature makes no difference": logits,
            "the probabilities are divided by the temperature and go through another softmax; divide the logits": (
                logits.softmax(dim=-1) / temperature
            ),
        }
        drawn = ((name, scores.softmax(dim=-1)) for name, scores in mistakes.items())
        message = _always_one(draws, logits) or likeliest(draws, drawn)
        return failed(f"at temperature {temperature:.2f}, {message}") if message else verdict
    return passed()


@judge(
    _FILTER,
    probe=probes.filtered,
    points=2,
    needs=(_DRAWN, _WARM),
    hint="First divide, then filter, then apply the softmax, which gives the probability of the removed words to those that are left. "
    "torch's softmax gives minus infinity the probability 0; your own must do the same.",
)
def filters_what_is_divided(got: Any, want: Any) -> Verdict:
    """A filter with a temperature below 1 and one above."""
    logits = want["logits"].double()
    for name, temperature in zip(("cold", "hot"), want["temperatures"], strict=True):
        verdict = distribution(name)(got, want)
        if verdict.ok:
            scaled = want["logits"] / temperature
            removed = scaled < scaled.amax(dim=-1, keepdim=True) - probes.REACH - _ROUNDING
            verdict = never_drawn(got[name], removed)
            if verdict.ok:
                continue
            return failed(f"at temperature {temperature:.2f}, the filter removed a word: {verdict.message}")
        if not _are_counts(got[name], want[name]):
            return verdict
        mistakes = {
            "the filter was given the logits before they were divided": probes.near_the_largest(logits),
            "the filter makes no difference: is what it returns used, and is it given logits, not probabilities?": logits,
        }
        drawn = ((told, (scores / temperature).softmax(dim=-1)) for told, scores in mistakes.items())
        message = likeliest(got[name], drawn)
        return failed(f"at temperature {temperature:.2f}, {message}") if message else verdict
    return passed()


@judge(
    _SEEDED,
    probe=probes.seeded,
    points=2,
    needs=(_DRAWN,),
    hint="torch's random functions take generator=...; without it they use torch's global generator, which the whole program shares. Pass "
    "the given generator on, and do not set any seed.",
)
def draws_with_generator(got: Any, want: Any) -> Verdict:
    """The same seed twice, and another one."""
    if not got["torch's own generator is left alone"]:
        return failed(
            "a draw used torch's global generator, or its seed was set; expected only the given generator to be used"
        )
    if not got["the same seed gives the same words"]:
        return failed(
            "two generators with the same seed gave different words: some draw is not made with the generator"
        )
    if not got["a generator goes on from call to call"]:
        return failed("one generator gave the same words at every call: do not set its seed again")
    if not got["another seed gives other words"]:
        return failed("generators with different seeds gave the same words")
    return _follows(got, want)


far = judge(
    "logits far from zero, impossible words and logits with a gradient work too",
    probe=probes.far,
    points=1,
    hidden=True,
    needs=(_DRAWN, _WARM, _FILTER),
    hint="exp of a number far from zero underflows to 0 or overflows; torch's softmax avoids both. And a model's logits may require a "
    "gradient: torch's own functions accept them as they are.",
)(distribution("draws", impossible="impossible"))


@judge(
    "the logits are not changed, and a batch may have one row",
    probe=probes.untouched,
    points=1,
    arguments=True,
    needs=(_DRAWN, _WARM, _SEEDED),
    hint="`logits /= temperature` changes the model's own tensor, so the next call divides it again; squeeze() without a dimension also "
    "removes a batch dimension of size one.",
)
def leaves_logits(got: Any, want: Any) -> Verdict:
    """The logits after many calls, and the words."""
    if not is_close(got["logits"], want["logits"]):
        return failed("the logits that were given have changed")
    return _follows(got, want)
