"""The translation chapters on corpora of a reader's own that have nothing of what the grammar has: every cell runs, and prints no nan."""

import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import jupytext
import pytest

from autograder.house import House

HOUSE = House(Path(__file__).resolve().parent.parent)


Rows = list[tuple[list[str], list[str]]]


def long_sentences() -> Rows:
    """Few pairs, none of them short, in no language; a target has twice the words of its source, and some words occur only once."""
    draw = random.Random(0)
    rows = []
    for number in range(80):
        source = [f"a{draw.randrange(30)}" for _ in range(draw.randrange(11, 20))]
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
    """The text runs as it stands, in a process of its own and without a kernel, which would take as long as the cells."""
    path, script = tmp_path / "pairs.tsv", tmp_path / "chapter.py"
    path.write_text("".join(f"{' '.join(one)}\t{' '.join(other)}\n" for one, other in pairs()), encoding="utf-8")
    cells = jupytext.read(HOUSE.text(chapter), fmt="md:myst").cells
    script.write_text("\n\n".join(cell.source for cell in cells if cell.cell_type == "code"), encoding="utf-8")
    environment = {
        **os.environ,
        "SEQLAB_CORPUS": str(path),
        "SEQLAB_BUDGET": "smoke",
        "MPLBACKEND": "Agg",
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join([str(HOUSE.root), str(HOUSE.library.parent)]),
    }
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert chapter in SHOW_NAN or not re.search(r"\bnan\b", done.stdout), done.stdout
