"""Writes down what the listed mistakes give, for `autograder.resembling`: `python -m tests.mistakes`."""

import io
import json
from contextlib import redirect_stdout
from typing import Any

from autograder.declare import ExerciseChecks, chapters, key, load_checks
from autograder.house import write_whole
from autograder.judging import judge_exercise
from autograder.probing import answers, probes_of
from autograder.recorded import read_answers
from autograder.resembling import fingerprint, knows_no_cause, mistakes_path
from autograder.verdict import Status
from tests import students


def mistakes_of(exercise: ExerciseChecks) -> dict[str, list[list[Any]]]:
    """By probe key, each listed mistake that its check can only tell by numbers, and the fingerprints of what it gives."""
    visible, want = exercise.visible, read_answers(exercise.chapter)
    found: dict[str, list[list[Any]]] = {}
    for subject in students.modules()[exercise.exercise.name].WRONG:
        sentence = (subject.__doc__ or "").strip().split("\n")[0]
        if not sentence:
            continue
        with redirect_stdout(io.StringIO()):
            got = {key(probe): answers(probe, subject) for probe in probes_of(visible.checks)}
            outcomes = judge_exercise(visible, got, want)
        for check, outcome in zip(visible.checks, outcomes, strict=True):
            if outcome.status is Status.FAILED and knows_no_cause(outcome.message):
                prints = [fingerprint(answer) for answer in got[key(check.probe)]]
                if all(prints):
                    of_probe = found.setdefault(key(check.probe), [])
                    of_probe.append(
                        [sentence, [[digest, float(f"{total:.6g}")] for digest, total in filter(None, prints)]]
                    )
    return found


def main() -> None:
    """Write every chapter's file."""
    for chapter in chapters():
        found: dict[str, list[list[Any]]] = {}
        for exercise in load_checks(chapter):
            found |= mistakes_of(exercise)
        lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(of_probe)}" for name, of_probe in sorted(found.items()))
        write_whole(mistakes_path(chapter), f"{{\n{lines}\n}}\n".encode(), 0o644)
        print(f"{chapter}: {sum(map(len, found.values()))} answers of {len(found)} probes")


if __name__ == "__main__":
    main()
