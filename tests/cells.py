"""The cells of a chapter's text as a program, for tests of what a reader may bring along."""

import subprocess
import sys
from pathlib import Path

import jupytext

from autograder.checkout import Checkout, making_environment

CHECKOUT = Checkout(Path(__file__).resolve().parent.parent)
SHORTER = Path(__file__).with_name("short_corpora.py")


def run_cells(chapter: str, folder: Path, **environment: str) -> str:
    """Run all code of a chapter's text at the smoke budget and on as little data as its notebook in the tests; what it prints.

    The text runs as it stands, in a process of its own and without a kernel, which would take as long as the cells.

    Args:
        chapter: The chapter's name.
        folder: An empty folder or one of the test's own, for the program.
        environment: What is set beside the test's own environment.
    """
    script = folder / "chapter.py"
    cells = jupytext.read(CHECKOUT.text(chapter), fmt="md:myst").cells
    code = [SHORTER.read_text(encoding="utf-8"), *(cell.source for cell in cells if cell.cell_type == "code")]
    script.write_text("\n\n".join(code), encoding="utf-8")
    variables = {**making_environment("smoke"), "MPLBACKEND": "Agg", **environment}
    done = subprocess.run([sys.executable, script], env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
