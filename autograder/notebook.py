"""What a reader calls in a notebook: `check`, `hint` and `solution`."""

from __future__ import annotations

import ast
import contextlib
import inspect
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.declare import ExerciseChecks, chapters, find_exercise, key, load_exercises

if TYPE_CHECKING:
    from autograder.judging import Outcome


class Points(float):
    """The points that a check cell earned: a float to nbgrader, invisible beside the report on a page."""

    def _repr_html_(self) -> str:
        return ""


def check(subject: Any) -> Points:
    """Run the visible checks of an exercise on your function or class, and show a report.

    Args:
        subject: The function or class that you wrote.

    Returns:
        The exercise's points times the share of the visible points that you earned, which is what plain nbgrader
        stores for the cell; zero when there was nothing to check.
    """
    found = _find(subject, sys._getframe(1).f_globals)
    if isinstance(found, str):
        _show_text(found)
        return Points(0)
    exercise, subject = found
    outcomes = _run(exercise, subject)
    _show(exercise, outcomes)
    visible = sum(outcome.points for outcome in outcomes)
    return Points(exercise.points * sum(outcome.earned for outcome in outcomes) / visible)


def hint(subject: Any) -> None:
    """Show the hint for the first visible check that your function or class does not pass yet.

    Args:
        subject: The function or class that you wrote, or its stub.
    """
    found = _find(subject, sys._getframe(1).f_globals)
    if isinstance(found, str):
        _show_text(found)
        return
    exercise, subject = found
    missed = [outcome for outcome in _run(exercise, subject) if not outcome.earned]
    if missed:
        _show_text(f"{missed[0].name}. {missed[0].hint}")
    else:
        hidden = " ".join(f"({n}) {c.hint}" for n, c in enumerate((c for c in exercise.checks if c.hidden), 1))
        _show_text(f"All visible checks pass. What the hidden ones look at: {hidden}")


def solution(subject: Any) -> None:
    """Show the reference solution, read as text from the `solutions/` of your clone.

    Args:
        subject: The function or class that you wrote, or its stub.
    """
    found = _find(subject, sys._getframe(1).f_globals)
    if isinstance(found, str):
        _show_text(found)
        return
    exercise, _ = found
    folder = Path(__file__).parent.parent / "solutions" / exercise.chapter
    if not folder.is_dir():
        _show_text(f"There are no reference solutions here: {folder} is not part of this installation.")
        return
    _show_code(solution_source(folder, exercise.exercise.name, markers=False))


def solution_source(folder: Path, name: str, *, markers: bool) -> str:
    """The text of one reference solution.

    Args:
        folder: The chapter's folder in `solutions/`.
        name: The exercise.
        markers: Whether to keep the lines that mark where the reader's part begins and ends.

    Raises:
        ValueError: No module in the folder defines it.
    """
    for path in sorted(folder.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name:
                lines = text.splitlines()
                end = node.end_lineno or len(lines)
                while end < len(lines) and _is_marker(lines[end]):
                    end += 1
                start = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                lines = lines[start - 1 : end]
                return "\n".join(line for line in lines if markers or not _is_marker(line))
    raise ValueError(f"no module in {folder} defines {name}")


def _is_marker(line: str) -> bool:
    return line.strip() in ("### BEGIN SOLUTION", "### END SOLUTION")


def _run(exercise: ExerciseChecks, subject: Any) -> list[Outcome]:
    # Imported here, not above: they import torch, for which importing `check` need not wait.
    from autograder.judging import judge_exercise
    from autograder.probing import answers, probes_of
    from autograder.recorded import read_answers
    from autograder.rules import forbidden_use

    visible = exercise.visible
    # A warning on stderr would cost all the cell's points under plain nbgrader.
    with contextlib.redirect_stderr(sys.stdout):
        got = {key(probe): answers(probe, subject) for probe in probes_of(visible.checks)}
    forbidden = forbidden_use(_source(subject), exercise.exercise.forbids)
    return judge_exercise(visible, got, read_answers(exercise.chapter), forbidden=forbidden)


def _source(subject: Any) -> str:
    """The code of a function, or of a class's methods: Python does not find the source of a notebook's class."""
    parts = vars(subject).values() if inspect.isclass(subject) else [subject]
    sources = []
    for part in parts:
        try:
            sources.append(textwrap.dedent(inspect.getsource(part)))
        except (OSError, TypeError):
            continue
    return "\n".join(sources)


def _find(subject: Any, names: Mapping[str, Any]) -> tuple[ExerciseChecks, Any] | str:
    """The exercise that the subject answers, or a sentence on why there is none."""
    known = [exercise.name for chapter in chapters() for exercise in load_exercises(chapter)]
    made_by = type(subject).__name__
    if made_by in known:
        return f"This is an object made by {made_by}. Give the class itself, without calling it: check({made_by})."
    if isinstance(subject, str):
        return "This is a string. Give the function or class itself, without quotation marks: check(name)."
    if not callable(subject):
        return (
            f"This is a value of type {made_by}. Give the function or class itself, without calling it: "
            "check(name) and not check(name(...))."
        )
    bound = [name for name in known if names.get(name) is subject]
    name = str(bound[0] if bound else getattr(subject, "__name__", f"An object of type {made_by}"))
    exercise = find_exercise(name)
    if exercise is None:
        return f"{name} is not an exercise. The exercises are {', '.join(known)}."
    return exercise, subject


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
    return bool(shell and hasattr(shell, "kernel"))


def _show(exercise: ExerciseChecks, outcomes: list[Outcome]) -> None:
    from autograder.report import as_html, as_text

    if not _in_notebook():
        print(as_text(exercise, outcomes))
        return
    _display({"text/html": as_html(exercise, outcomes), "text/plain": as_text(exercise, outcomes)})


def _show_text(text: str) -> None:
    if _in_notebook():
        from autograder.report import note_html

        _display({"text/html": note_html(text), "text/plain": text})
    else:
        print(text)


def _show_code(source: str) -> None:
    if _in_notebook():
        from IPython.display import Code, display

        display(Code(source, language="python"))
    else:
        print(source)


def _display(data: dict[str, str]) -> None:
    from IPython.display import display

    display(data, raw=True)
