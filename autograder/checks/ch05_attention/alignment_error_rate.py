"""The checks of `alignment_error_rate`."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import plain_number
from autograder.asking.usage import Use, in_use
from autograder.checks.ch05_attention.hard_alignment import table
from autograder.declare import Exercise, check
from autograder.judging.compare import difference, is_close, up_to_a_factor

EXERCISE = Exercise("alignment_error_rate", "predicted links, compared with gold links", minutes=15, difficulty=2)


@in_use(gradients=False, dtypes=False, devices=False)
def in_chapter(alignment_error_rate, draw: Draw) -> Use:
    """A test set in which sentences come again and one has no links at all, then a single sentence."""
    predicted, sure, possible = sets_of(*tables_of(draw, 20, only_possible=True))
    some = [[*links, links[3], frozenset()] for links in (predicted, sure, possible)]

    def call(*links: Any) -> Any:
        return plain_number(alignment_error_rate(*links))

    return Use(call, tuple(some), sets_of(*tables_of(draw, 1, only_possible=True)))


_WORDS = 6


def _links(drawn: Tensor) -> list[list[tuple[int, int]]]:
    """The links of each sentence."""
    of_all: list[list[tuple[int, int]]] = [[] for _ in drawn]
    for sentence, source, target in drawn.nonzero().tolist():
        of_all[sentence].append((source, target))
    return of_all


def _ranks(draw: Draw, sentences: int) -> Tensor:
    """The places of each table in an order of their own, from 0."""
    return draw.normal(sentences, _WORDS * _WORDS).argsort(dim=-1)


def tables_of(draw: Draw, sentences: int, *, only_possible: bool = False) -> tuple[Tensor, Tensor, Tensor]:
    """Predicted, sure and possible links of some sentences; without `only_possible` the last two are the same."""
    order, other = _ranks(draw, sentences), _ranks(draw, sentences)
    numbers = draw.integers(3, 10, 2, sentences, 1)
    sure = order < numbers[0]
    possible = order < numbers[0] + numbers[1] if only_possible else sure
    right = (other < 20) & possible | (order == 0)  # About half of the gold links, and at least one.
    wrong = other < draw.integers(1, 6, sentences, 1)
    predicted = right | wrong
    shape = (sentences, _WORDS, _WORDS)
    return predicted.reshape(shape), sure.reshape(shape), possible.reshape(shape)


def sets_of(predicted: Tensor, sure: Tensor, possible: Tensor) -> tuple[list[Any], list[Any], list[Any]]:
    """The links of each sentence, as they are handed over."""
    return (
        [set(links) for links in _links(predicted)],
        [frozenset(links) for links in _links(sure)],
        [frozenset(links) for links in _links(possible)],
    )


def _by_sentence(error_rate: Callable[..., Any], tables: tuple[Tensor, Tensor, Tensor]) -> dict[str, Any]:
    """The rate of each sentence alone."""
    rates = [plain_number(error_rate([a], [s], [p])) for a, s, p in zip(*sets_of(*tables), strict=True)]
    return {"error rate": rates, **dict(zip(("predicted", "sure", "possible"), tables, strict=True))}


def _first_wrong(got: Any, want: Any, numbers: dict[str, Tensor]) -> str:
    """The first rate that is wrong, with the numbers of links that it comes from."""
    rates = zip(got["error rate"], want["error rate"], strict=True)
    place, (rate, right) = next((place, pair) for place, pair in enumerate(rates) if not is_close(*pair))
    told = ", ".join(f"{name} = {int(values[place])}" for name, values in numbers.items())
    return f"with {told}: {difference(rate, right)}"


def _number(links: Tensor) -> Tensor:
    """The number of links in each table, or in all tables of a corpus."""
    return links.flatten(1).sum(dim=1)


@check(
    "one sentence whose gold links are all sure",
    points=1,
    draws=2,
    hint="The intersection of two sets is a & s, and len() returns its size. The possible links include the sure "
    "ones, so a sure link that is predicted counts in A ∩ S and again in A ∩ P.",
)
def all_sure(error_rate, draw: Draw):
    """One sentence at a time, with sure links alone."""
    return _by_sentence(error_rate, tables_of(draw, 8))


@all_sure.explain
def counts(got, want):
    """How many links there are."""
    links, gold = want["predicted"], want["sure"]
    numbers = {"|A|": links, "|S| = |P|": gold, "|A ∩ S|": links & gold}
    return _first_wrong(got, want, {name: _number(tables) for name, tables in numbers.items()})


@check(
    "a link that is only possible is right if it is predicted, and not missed if it is not predicted",
    points=2,
    needs=all_sure,
    draws=2,
    hint="Predicted links have to be among the possible ones, and sure links must not be missed. Which of these two "
    "sets is counted in the denominator?",
)
def only_possible(error_rate, draw: Draw):
    """One sentence at a time, with more possible links than sure ones."""
    return _by_sentence(error_rate, tables_of(draw, 8, only_possible=True))


@only_possible.explain
def counts_of_both(got, want):
    """How many links there are of each kind."""
    links, gold, loose = want["predicted"], want["sure"], want["possible"]
    numbers = {"|A|": links, "|S|": gold, "|P|": loose, "|A ∩ S|": links & gold, "|A ∩ P|": links & loose}
    return _first_wrong(got, want, {name: _number(tables) for name, tables in numbers.items()})


@check(
    "for several sentences the numbers of links are summed first",
    points=1,
    needs=all_sure,
    draws=2,
    compare=up_to_a_factor(),
    hint="Long sentences have more links than short ones, and each link counts the same. Add up the numerators and "
    "the denominators over the sentences, and divide once at the end.",
)
def several(error_rate, draw: Draw):
    """Four sentences at a time."""
    corpora = [tables_of(draw, 4) for _ in range(6)]
    predicted, sure, possible = (torch.stack(tables) for tables in zip(*corpora, strict=True))
    rates = [plain_number(error_rate(*sets_of(*corpus))) for corpus in corpora]
    return {"error rate": rates, "predicted": predicted, "sure": sure, "possible": possible}


@several.explain
def counts_of_all(got, want):
    """How many links there are in all sentences."""
    links, gold = want["predicted"], want["sure"]
    numbers = {"Σ|A|": links, "Σ|S|": gold, "Σ|A ∩ S|": links & gold}
    return _first_wrong(got, want, {name: _number(tables) for name, tables in numbers.items()})


@check(
    "a sentence without predicted links, or without gold links, counts too",
    points=1,
    hidden=True,
    needs=(all_sure, several),
    draws=2,
    compare=up_to_a_factor(),
    hint="A sentence without predicted links still has gold links that are missed, and a sentence without gold links "
    "still has predicted links that are wrong.",
)
def some_empty(error_rate, draw: Draw):
    """Four sentences at a time, of which one has no predicted link and one no gold link; then none has a predicted link, or none a gold one."""
    rates = []
    for _ in range(6):
        predicted, sure, possible = tables_of(draw, 4)
        predicted[1] = False
        sure[2] = possible[2] = False
        rates.append(plain_number(error_rate(*sets_of(predicted, sure, possible))))
    predicted, sure, possible = tables_of(draw, 4)
    none = torch.zeros_like(sure)
    rates += [plain_number(error_rate(*sets_of(*links))) for links in ((none, sure, possible), (predicted, none, none))]
    return {"error rate": rates}


@check(
    "sets and frozen sets both work, and are not changed",
    points=1,
    needs=all_sure,
    draws=2,
    compare=up_to_a_factor(),
    arguments=True,
    hint="The caller still needs the links, so do not remove anything from the sets or the lists. Operators such as & "
    "work on set and frozenset alike and make a new set.",
)
def sets(error_rate, draw: Draw):
    """One sentence at a time, all of it sets or all of it frozen ones; and the sets as they are after the call."""
    rates, after = [], []
    for of_one in zip(*map(_links, tables_of(draw, 4)), strict=True):
        given = [[set(links)] for links in of_one]
        rates.append(plain_number(error_rate(*([frozenset(links)] for links in of_one))))
        rates.append(plain_number(error_rate(*given)))
        after.append([table(set().union(*sentences), _WORDS) for sentences in given])
    return {"error rate": rates, "after": after}
