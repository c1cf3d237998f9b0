"""The chapter on pictures on a folder of a reader's own, of few pictures and without boxes: every cell runs, and prints no nan."""

import re
from pathlib import Path

import numpy as np
from PIL import Image

from tests.cells import run_cells


def test_every_cell_runs(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    lines = []
    for number in range(22):
        shape = (50 + number, 70, 3)
        Image.fromarray(draw.integers(0, 255, shape, dtype=np.uint8)).save(tmp_path / f"p{number}.png")
        lines.append(f"p{number}.png\tThing {number % 3} is here.")
    (tmp_path / "captions.txt").write_text("\n".join(lines), encoding="utf-8")
    printed = run_cells("ch11_pictures", tmp_path, SEQLAB_PICTURES=str(tmp_path))
    assert not re.search(r"\bnan\b", printed), printed
