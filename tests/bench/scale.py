"""How grading grows with the class: an instructor's commands on classes of many sizes, all submissions distinct.

It is the whole command that is measured, as it is typed, with its start: the seconds for which processors computed, which the cores
of a machine share, and which depend little on what else runs there.
"""

from __future__ import annotations

import contextlib
import copy
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
from nbformat import NotebookNode

from autograder.checkout import Course
from autograder.samples.course import CHAPTER, Student, answer_cell, make_course, submissions, submit
from seqlab.plots import PALETTE, use_style
from tests.bench.grading import UNFIT, console
from tests.processes import descendants, memory

SIZES = (100, 300, 1_000)
CURVES = {
    "graded_cpu_s": ("graded for the first time", "blue", "o", 9),
    "feedback_cpu_s": ("feedback pages", "red", "s", 22),
    "again_cpu_s": ("graded again, nothing changed", "green", "^", 8),
}
"""What is drawn of a row: its label, colour and marker, and how far above the last point the label stands."""
_LOOK = 2.0
"""Seconds between two looks at the memory: a look holds up the processes that it looks at."""


def scale() -> list[dict[str, float]]:
    """Processors' seconds and peak memory for a class of each size: graded, again, again with one changed, and its feedback."""
    found = []
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            course = make_course(Path(folder) / "course")
            made = [make() for name, make in submissions(Student(course)).items() if name not in UNFIT]
            for number in range(size):
                _hand_in(course, made, number)
            graded, peak = _timed(course, "grade")
            again, _ = _timed(course, "grade")
            _hand_in(course, made, 0, "again")
            one_changed, _ = _timed(course, "grade")
            feedback, _ = _timed(course, "feedback")
            feedback_again, _ = _timed(course, "feedback")
        found.append(
            {
                "submissions": size,
                "graded_cpu_s": round(graded, 1),
                "again_cpu_s": round(again, 1),
                "one_changed_cpu_s": round(one_changed, 1),
                "feedback_cpu_s": round(feedback, 1),
                "feedback_again_cpu_s": round(feedback_again, 1),
                "peak_mb": peak >> 20,
            }
        )
    return found


def draw(found: list[dict[str, float]], file: Path) -> None:
    """Draw what each command takes by the size of the class.

    Args:
        found: What `scale` gave.
        file: The SVG file to write.
    """
    use_style()
    plt.rcParams["svg.hashsalt"] = "scale"
    figure, axes = plt.subplots(figsize=(5.6, 3.8))
    sizes = [row["submissions"] for row in found]
    for name, (label, colour, marker, above) in CURVES.items():
        seconds = [row[name] for row in found]
        axes.plot(sizes, seconds, marker=marker, color=PALETTE[colour])
        axes.annotate(
            label, (sizes[-1], seconds[-1]), (-6, above), textcoords="offset points", ha="right", color=PALETTE[colour]
        )
    axes.set(
        title="Time grows in proportion to the class",
        xlabel="submissions of ten exercises",
        ylabel="CPU seconds, of all cores together",
        ylim=(0, 1.15 * max(row["graded_cpu_s"] for row in found)),
    )
    axes.set_xticks(sizes)
    figure.savefig(file, metadata={"Date": None})
    plt.close(figure)


def _hand_in(course: Course, made: list[NotebookNode], number: int, remark: str = "") -> None:
    """Hand in one of these notebooks with code that no other has."""
    notebook = copy.deepcopy(made[number % len(made)])
    answer_cell(notebook, "masked_softmax").source += f"\n# {number} {remark}\n"
    submit(course, f"student-{number:04}", notebook)


def _timed(course: Course, command: str) -> tuple[float, int]:
    """Run one of the commands for the chapter. Returns the processors' seconds and the most memory that it took."""
    console.print(f"{command}, {len(list((course.root / 'submitted').iterdir()))} submissions …")
    program = str(Path(sys.executable).parent / "autograder")
    before = _waited_for()
    process = subprocess.Popen(
        [program, command, CHAPTER, "--course", str(course.root)], stdout=subprocess.DEVNULL, env=dict(os.environ)
    )
    peak = 0
    while process.returncode is None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_LOOK)
        peak = max(peak, memory({process.pid} | descendants(process.pid)))
    if process.returncode:
        raise RuntimeError(f"autograder {command} ended with {process.returncode}")
    return _waited_for() - before, peak


def _waited_for() -> float:
    """The processors' seconds of all that this process started, and of what that started, and that has ended."""
    times = os.times()
    return times.children_user + times.children_system
