"""What a reader calls in a notebook: `check`, `hint`, `question`, `trace`, `solution` and `progress`."""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.declare import ExerciseChecks, key
from autograder.judging.verdict import Status
from autograder.notebook.progress import ProgressError, answered_beside, count_answer, keep, kept_beside
from autograder.notebook.progress import as_html as progress_html
from autograder.notebook.progress import as_text as progress_text
from autograder.notebook.subject import Signature, find, is_outdated, signature_fault, silence

if TYPE_CHECKING:
    from autograder.judging.verdict import Outcome

_MAX_PRINTED = 4_000
_MISSED = (Status.FAILED, Status.ERROR)
_NO_SOLUTIONS = (
    "There are no reference solutions in this installation. They are in a clone of the course, in "
    "`solutions/{}`, and in the book under each exercise, unless your class uses the edition without solutions."
)
_OTHER_INPUTS = "studying alone"
"""What the inputs are drawn under where a reader runs the hidden checks."""


class Points(float):
    """The points that a check cell earned: a float to nbgrader, invisible beside the report on a page."""

    def _repr_html_(self) -> str:
        # nbgrader reads the points from the cell's result, so there has to be one; JupyterLab shows an empty one with its
        # prompt. Where these names mean nothing the rule does nothing.
        return (
            "<style>.jp-OutputArea-child:has(> .jp-OutputArea-output .course-points) {display: none}</style>"
            "<span class='course-points'></span>"
        )


def check(*subject: Any, points: float | None = None, extra_credit: bool = False, hidden: bool = False) -> Points:
    """Run the visible checks of an exercise on your function or class, and show a report.

    Args:
        *subject: The function or class that you wrote.
        points: What the exercise is worth in your class, if that is not what the course gives it.
        extra_credit: Whether your class gets these points on top of the maximum.
        hidden: Whether to run the hidden checks, too, on other inputs: for those who study alone, since it takes the reference solutions of a clone.

    Returns:
        The exercise's points times the share of the visible points that you earned, which is what plain nbgrader
        stores for the cell; zero when there was nothing to check, and for extra credit, which plain nbgrader knows nothing of.
    """
    __tracebackhide__ = True
    found = find("check", subject, sys._getframe(1).f_globals)
    if isinstance(found, str):
        show_text(found)
        return Points(0)
    exercise, subject_found = found
    if hidden:
        folder = _solutions(exercise)
        if folder is None:
            show_text(_NO_SOLUTIONS.format(exercise.chapter))
            return Points(0)
        outcomes = _run_all(exercise, subject_found, folder)
    else:
        outcomes = _run(exercise, subject_found)
    shown = exercise.worth(exercise.points if points is None else points, extra_credit=extra_credit)
    _show(shown, outcomes)
    possible, earned = sum(outcome.points for outcome in outcomes), sum(outcome.earned for outcome in outcomes)
    if kernel_shell() is not None and not hidden:
        keep(exercise, int(earned))
    return Points(min(shown.required, shown.required * earned / possible))  # nbgrader stops at a hair more.


def hint(*subject: Any) -> None:
    """Show the hint for the first visible check that your function or class does not pass yet.

    Args:
        *subject: The function or class that you wrote, or its stub.
    """
    __tracebackhide__ = True
    found = find("hint", subject, sys._getframe(1).f_globals)
    if isinstance(found, str):
        show_text(found)
        return
    exercise, subject_found = found
    missed = [outcome for outcome in _run(exercise, subject_found) if not outcome.earned]
    show_text(_hint_on(missed[0]) if missed else _hint_on_hidden(exercise))


def question(*subject: Any, kind: str = "") -> None:
    """Ask a question about your own function or class, or judge your answer to the one that was asked last.

    `question(f)` asks, and `question(f, "b")` answers. `question(f, kind="why")` asks an open question: why is the code as it is? The
    questions have nothing to do with points.

    Args:
        *subject: The function or class that you wrote, and then, to answer, the letter of an option, or your words.
        kind: `why` for the open question.
    """
    __tracebackhide__ = True
    found = find("question", subject[:1], sys._getframe(1).f_globals)
    if isinstance(found, str):
        show_text(found)
        return
    from autograder.notebook import quiz

    exercise, code = found
    if kind not in ("", "why"):
        show_text(f'There is no kind {kind!r} of question: leave it out, or write kind="why".')
        return
    try:
        if kind:
            _show_quiz(quiz.ask_why(exercise, str(subject[1]) if len(subject) > 1 else ""))
        elif len(subject) == 1:
            _show_quiz(quiz.ask(exercise, code))
        else:
            judged = quiz.answer(exercise, code, subject[1])
            if judged.counts and kernel_shell() is not None:
                count_answer(exercise, judged.is_right)
            _show_quiz(judged.told)
    except quiz.UnaskableError as error:
        show_text(str(error))


def trace(answers: Any, *names: str) -> Points:
    """Show the questions whose inputs are drawn from your id, and how your answers are read. They are judged when the notebook is graded.

    Args:
        answers: Your id, and an answer to each question.
        *names: The exercises that the questions are about.

    Returns:
        Zero: plain nbgrader, which knows no student here, cannot judge them.
    """
    from autograder.notebook import quiz

    _show_quiz(quiz.ask_own(answers, names))
    return Points(0)


def solution(*subject: Any) -> None:
    """Show the reference solution, read as text from the `solutions/` of your clone.

    Args:
        *subject: The function or class that you wrote, or its stub.
    """
    found = find("solution", subject, sys._getframe(1).f_globals)
    if isinstance(found, str):
        show_text(found)
        return
    exercise, _ = found
    folder = _solutions(exercise)
    if folder is None:
        show_text(_NO_SOLUTIONS.format(exercise.chapter))
        return
    _show_code(solution_source(folder, exercise.exercise.name, markers=False))


def progress() -> None:
    """Show each chapter's exercises and visible points so far, and what is next, as the last calls of `check` left them."""
    try:
        kept, answered = kept_beside(Path.cwd()), answered_beside(Path.cwd())
    except ProgressError as error:
        show_text(str(error))
        return
    if kernel_shell() is None:
        print(progress_text(kept, answered))
        return
    _display({"text/html": progress_html(kept, answered), "text/plain": progress_text(kept, answered)})


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
    """The outcomes of the visible checks.

    Raises:
        KeyboardInterrupt: The reader stopped it; the message says where their code was.
    """
    __tracebackhide__ = True
    # Imported here, not above: they import torch, for which importing `check` need not wait.
    from autograder.asking.probing import FORBIDDEN, answers, own_settings, probes_of
    from autograder.judging.expected_answers import read_answers, read_signatures
    from autograder.judging.known_mistakes import known_causes
    from autograder.judging.outcomes import judge_exercise

    name, visible, shell = exercise.exercise.name, exercise.visible, kernel_shell()
    if shell is not None and is_outdated(name, subject, shell.user_ns.get("In", [])):
        show_text(
            f"The cell that you ran last to define `{name}` failed with an error. What follows is about the previous version."
        )
    with _stopped_in(name), _cut_short():
        got = {key(probe): answers(probe, subject) for probe in probes_of(visible.checks)}
    with own_settings():
        want, causes = read_answers(exercise.chapter), known_causes(exercise.chapter)
        outcomes = judge_exercise(visible, got, want, causes=causes)
    expected = read_signatures(exercise.chapter)[name]
    if any(outcome.message in FORBIDDEN for outcome in outcomes):
        return outcomes
    fault = _fault(outcomes, name, subject, expected)
    if fault:
        return [replace(o, message=fault, hint="") if o.status in _MISSED else o for o in outcomes]
    with _stopped_in(name), _cut_short():
        return _with_example(outcomes, exercise, subject)


def _run_all(exercise: ExerciseChecks, subject: Any, folder: Path) -> list[Outcome]:
    """The outcomes of all checks, hidden ones included, which nothing of is kept from the reader."""
    from autograder.asking.probing import answers, own_settings, probes_of
    from autograder.judging.outcomes import judge_exercise

    # By name: a wheel for students has all that is imported, and these know the answers.
    catalogue, reference = (
        importlib.import_module(f"autograder.judging.{name}") for name in ("catalogue", "reference")
    )
    with _stopped_in(exercise.exercise.name), _cut_short():
        got = {key(probe): answers(probe, subject, _OTHER_INPUTS) for probe in probes_of(exercise.checks)}
    with own_settings():
        module = reference.load_reference(folder.parent, exercise.chapter)
        want = reference.reference_answers(module, (exercise,), _OTHER_INPUTS)
        causes = catalogue.CausesUnder((exercise,), _OTHER_INPUTS)
        outcomes = judge_exercise(exercise, got, want, causes=causes)
    return [replace(outcome, hidden=False) for outcome in outcomes]


def _solutions(exercise: ExerciseChecks) -> Path | None:
    """Where the chapter's reference solutions are; None where there are none."""
    folder = Path(__file__).parents[2] / "solutions" / exercise.chapter
    return folder if folder.is_dir() else None


@contextlib.contextmanager
def _stopped_in(name: str) -> Iterator[None]:
    """Say where a student's code was when the reader stopped it.

    Raises:
        KeyboardInterrupt: The reader stopped it.
    """
    __tracebackhide__ = True
    from autograder.asking.probing import from_cell, place_of

    try:
        yield
    except KeyboardInterrupt as error:
        where = place_of(error) or f" (in {name})"
        told = KeyboardInterrupt(f"stopped while your code ran{where}. Is there a loop that never ends?")
        raise told.with_traceback(from_cell(error)) from None


def _fault(outcomes: list[Outcome], name: str, subject: Any, expected: Signature) -> str:
    """What can be seen without running the code, and is the cause of what was missed; empty where there is nothing."""
    fault = signature_fault(name, subject, expected)
    return fault or ("" if any(outcome.status is Status.ERROR for outcome in outcomes) else silence(name, subject))


def _with_example(outcomes: list[Outcome], exercise: ExerciseChecks, subject: Any) -> list[Outcome]:
    """The outcomes, the first missed one with a small call that the answer fails too, if one is known."""
    from autograder.judging.examples import failed_example

    first = next((place for place, outcome in enumerate(outcomes) if outcome.status in _MISSED), None)
    told = "" if first is None else failed_example(exercise.chapter, exercise.exercise.name, subject)
    if told and first is not None:
        outcomes[first] = replace(outcomes[first], message=f"{outcomes[first].message}\n{told}")
    return outcomes


def _hint_on(missed: Outcome) -> str:
    """What to think about next; an error and what is no matter of understanding come before the check's own hint."""
    name = missed.name[:1].upper() + missed.name[1:]
    if missed.status is Status.ERROR or not missed.hint:
        return f"{name}. First fix this: {missed.message}\n{missed.hint}".rstrip()
    return f"{name}. {missed.hint}"


def _hint_on_hidden(exercise: ExerciseChecks) -> str:
    """What hidden checks look at, for an answer that passes all others."""
    hidden = [f"{number}. {check.hint}" for number, check in enumerate((c for c in exercise.checks if c.hidden), 1)]
    if not hidden:
        return "All checks pass, and there are no hidden ones."
    return "\n".join(["All visible checks pass. What the hidden ones look at:", *hidden])


class _Short(io.TextIOBase):
    """Hands text on up to a length and counts the rest."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._room, self.lost = stream, _MAX_PRINTED, 0

    def write(self, text: str) -> int:
        self._stream.write(text[: self._room])
        self.lost += max(len(text) - self._room, 0)
        self._room = max(self._room - len(text), 0)
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def writable(self) -> bool:
        return True


@contextlib.contextmanager
def _cut_short() -> Iterator[None]:
    """Keep what a student's code prints short, so that the report stays in sight, and away from stderr.

    A warning on stderr would cost all the cell's points under plain nbgrader.
    """
    stream = _Short(sys.stdout)
    try:
        with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
            yield
    finally:
        if stream.lost:
            print(f"\n[Your code printed {stream.lost} more characters, which are not shown.]")


def kernel_shell() -> Any:
    """The shell of the kernel that runs this, or None outside a kernel."""
    shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
    return shell if hasattr(shell, "kernel") else None


def _show(exercise: ExerciseChecks, outcomes: list[Outcome]) -> None:
    from autograder.declare import worth_as
    from autograder.notebook.report import as_html, as_text

    outcomes = worth_as(outcomes, exercise)
    if kernel_shell() is None:
        print(as_text(exercise, outcomes))
        return
    _display({"text/html": as_html(exercise, outcomes), "text/plain": as_text(exercise, outcomes)})


def show_text(text: str) -> None:
    """Show a sentence or two; nothing where there is none."""
    if not text:
        return
    if kernel_shell() is None:
        print(text)
        return
    from autograder.notebook.report import note_html

    _display({"text/html": note_html(text), "text/plain": text})


def _show_quiz(text: str) -> None:
    if kernel_shell() is None:
        print(text)
        return
    from autograder.notebook.report import blocks_html

    _display({"text/html": blocks_html(text), "text/plain": text})


def _show_code(source: str) -> None:
    if kernel_shell() is None:
        print(source)
        return
    from IPython.display import Code, display

    display(Code(source, language="python"))


def _display(data: dict[str, str]) -> None:
    from IPython.display import display

    display(data, raw=True)
