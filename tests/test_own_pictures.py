"""The chapter on pictures on a folder of a reader's own, of few pictures and without boxes: every cell runs, and prints no nan."""

import os
import re
import subprocess
import sys
from pathlib import Path

import jupytext
import numpy as np
from PIL import Image

from autograder.house import House

HOUSE = House(Path(__file__).resolve().parent.parent)
CHAPTER = "ch11_pictures"


def test_every_cell_runs(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    lines = []
    for number in range(22):
        shape = (50 + number, 70, 3)
        Image.fromarray(draw.integers(0, 255, shape, dtype=np.uint8)).save(tmp_path / f"p{number}.png")
        lines.append(f"p{number}.png\tThing {number % 3} is here.")
    (tmp_path / "captions.txt").write_text("\n".join(lines), encoding="utf-8")
    script = tmp_path / "chapter.py"
    cells = jupytext.read(HOUSE.text(CHAPTER), fmt="md:myst").cells
    script.write_text("\n\n".join(cell.source for cell in cells if cell.cell_type == "code"), encoding="utf-8")
    environment = {
        **os.environ,
        "SEQLAB_PICTURES": str(tmp_path),
        "SEQLAB_BUDGET": "smoke",
        "MPLBACKEND": "Agg",
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join([str(HOUSE.root), str(HOUSE.library.parent)]),
    }
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert not re.search(r"\bnan\b", done.stdout), done.stdout
