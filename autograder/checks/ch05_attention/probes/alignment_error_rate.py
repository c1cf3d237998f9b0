"""What is asked of `alignment_error_rate`.

Links are drawn as tables (N, W, W), True where a source word and a target word are linked, and handed over as sets: the
predicted ones as `set`, the gold ones as `frozenset`, as `Pair` has them. Only where possible links are the question are there
others than the sure ones.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch05_attention.probes.hard_alignment import table
from autograder.declare import probe
from autograder.draw import Draw

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
    rates = [error_rate([a], [s], [p]) for a, s, p in zip(*sets_of(*tables), strict=True)]
    return {"error rate": rates, **dict(zip(("predicted", "sure", "possible"), tables, strict=True))}


@probe("alignment_error_rate", draws=2)
def all_sure(error_rate, draw: Draw):
    """One sentence at a time, with sure links alone."""
    return _by_sentence(error_rate, tables_of(draw, 8))


@probe("alignment_error_rate", draws=2)
def only_possible(error_rate, draw: Draw):
    """One sentence at a time, with more possible links than sure ones."""
    return _by_sentence(error_rate, tables_of(draw, 8, only_possible=True))


@probe("alignment_error_rate", draws=2)
def several(error_rate, draw: Draw):
    """Four sentences at a time."""
    corpora = [tables_of(draw, 4) for _ in range(6)]
    predicted, sure, possible = (torch.stack(tables) for tables in zip(*corpora, strict=True))
    rates = [error_rate(*sets_of(*corpus)) for corpus in corpora]
    return {"error rate": rates, "predicted": predicted, "sure": sure, "possible": possible}


@probe("alignment_error_rate", draws=2)
def some_empty(error_rate, draw: Draw):
    """Four sentences at a time, of which one has no predicted link and one no gold link."""
    rates = []
    for _ in range(6):
        predicted, sure, possible = tables_of(draw, 4)
        predicted[1] = False
        sure[2] = possible[2] = False
        rates.append(error_rate(*sets_of(predicted, sure, possible)))
    return {"error rate": rates}


@probe("alignment_error_rate", draws=2)
def sets(error_rate, draw: Draw):
    """One sentence at a time, all of it sets or all of it frozen ones; and the sets as they are after the call."""
    rates, after = [], []
    for of_one in zip(*map(_links, tables_of(draw, 4)), strict=True):
        given = [[set(links)] for links in of_one]
        rates.append(error_rate(*([frozenset(links)] for links in of_one)))
        rates.append(error_rate(*given))
        after.append([table(set().union(*sentences), _WORDS) for sentences in given])
    return {"error rate": rates, "after": after}
