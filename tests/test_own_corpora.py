"""The translation chapters on corpora of a reader's own that have nothing of what the grammar has: every cell runs, and prints no nan."""

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cells import run_cells

Rows = list[tuple[list[str], list[str]]]


def long_sentences() -> Rows:
    """Few pairs, none of them short, in no language; a target has twice the words of its source, and some words occur only once."""
    draw = random.Random(0)
    rows = []
    for number in range(40):
        source = [f"a{draw.randrange(30)}" for _ in range(draw.randrange(11, 14))]
        rows.append(([*source, f"once{number}"], [mark + word for word in source for mark in "bc"]))
    return rows


def single_words() -> Rows:
    """Pairs of one word each that occurs nowhere else, so that the vocabularies have nothing but the specials."""
    return [([f"a{number}"], [f"b{number}"]) for number in range(60)]


LONG_ONLY = ("ch06_decoding", "ch09_transformer")
"""The chapters that take longest."""
ALL = ("ch03_seq2seq", "ch04_bottleneck", "ch05_attention", "ch07_bleu", *LONG_ONLY)
SHOW_NAN = ("ch04_bottleneck", "ch05_attention")
"""The chapters that say where NaN comes from show some, whatever the corpus."""
CASES = [(chapter, long_sentences) for chapter in ALL] + [(c, single_words) for c in ALL if c not in LONG_ONLY]


@pytest.mark.parametrize(("chapter", "pairs"), CASES)
def test_every_cell_runs(chapter: str, pairs: Callable[[], Rows], tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{' '.join(one)}\t{' '.join(other)}\n" for one, other in pairs()), encoding="utf-8")
    printed = run_cells(chapter, tmp_path, SEQLAB_CORPUS=str(path))
    assert chapter in SHOW_NAN or not re.search(r"\bnan\b", printed), printed
