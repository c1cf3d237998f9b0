"""Measures how strict the checks are: `python -m autograder.mutants` for all exercises, or with names of exercises and chapters."""

from __future__ import annotations

import difflib
import json
import os
import secrets
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Column, Table

from autograder.bar import progress
from autograder.checkout import write_whole
from autograder.declare import chapters, load_exercises
from autograder.mutants.lists import equivalents, keep_survivors, to_kill
from autograder.mutants.making import Mutant, mutants_of
from autograder.mutants.run import HIDDEN, SURVIVED, VISIBLE, all_grounds, run_all
from autograder.notebook.subject import exercise_names

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "build" / "mutants.json"
WORKERS = len(os.sched_getaffinity(0))
_START = 0.02
"""Seconds that it takes to start a process for a mutant."""
console = Console(highlight=False)


def main(names: Sequence[str]) -> None:
    """Run the mutants of these exercises, or of all; print and write how they ended.

    Args:
        names: Exercises or chapters.
    """
    chosen = exercises(names)
    secret = secrets.token_hex(8)
    console.print(f"making the mutants of {len(chosen)} exercises, secret seed {secret} …")
    grounds = all_grounds(ROOT / "solutions", secret, chosen)
    made = {ground.checks.exercise.name: mutants_of(ground.checks.exercise.name, ground.subject) for ground in grounds}
    known = equivalents()
    made = {name: to_kill(mutants, known.get(name, {})) for name, mutants in made.items()}
    jobs = [(mutant, ground) for ground in grounds for mutant in made[ground.checks.exercise.name].values()]
    seconds = sum(_START + ground.seconds for _, ground in jobs) / WORKERS
    console.print(f"{len(jobs)} mutants, about {seconds / 60:.0f} minutes on {WORKERS} cores")
    ends: dict[str, list[tuple[Mutant, str]]] = {name: [] for name in made}
    with progress(console) as bar:
        task = bar.add_task("mutants", total=len(jobs))
        for mutant, end in run_all(jobs, secret, WORKERS):
            ends[mutant.exercise].append((mutant, end))
            bar.advance(task)
    survived = {mutant for ended in ends.values() for mutant, end in ended if end == SURVIVED}
    survivors = {name: {key: m for key, m in mutants.items() if m in survived} for name, mutants in made.items()}
    figures = {name: counts([end for _, end in ended]) for name, ended in ends.items()}
    tell(figures, survivors)
    OUT.parent.mkdir(exist_ok=True)
    write_whole(OUT, (json.dumps(figures, indent=2) + "\n").encode(), 0o644)
    if not names:
        keep_survivors(secret, survivors)


def exercises(names: Sequence[str]) -> list[str]:
    """The exercises that are meant; all of them where nothing is named.

    Args:
        names: Exercises or chapters.

    Raises:
        SystemExit: There is nothing of such a name.
    """
    by_chapter = {chapter: [exercise.name for exercise in load_exercises(chapter)] for chapter in chapters()}
    known = by_chapter | {name: [name] for name in exercise_names()}
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0)[0]
            raise SystemExit(f"there is no exercise or chapter {name!r}; the nearest is {near}")
    return list(dict.fromkeys(exercise for name in names or by_chapter for exercise in known[name]))


def counts(ends: Sequence[str]) -> dict[str, int]:
    """How many mutants there are, and how many ended in each way."""
    return {
        "mutants": len(ends),
        "killed_visible": ends.count(VISIBLE),
        "killed_hidden": ends.count(HIDDEN),
        "survivors": ends.count(SURVIVED),
    }


def tell(figures: Mapping[str, Mapping[str, int]], survivors: Mapping[str, Mapping[str, Mutant]]) -> None:
    """Print the table, and below it each survivor with what was changed.

    Args:
        figures: The counts by exercise.
        survivors: Those that no check missed, by exercise and key.
    """
    table = Table(Column("exercise", overflow="fold"), "mutants", "visible check", "hidden alone", "survivors")
    for name, row in figures.items():
        table.add_row(name, *map(str, row.values()))
    table.add_section()
    table.add_row(
        "together", *(str(sum(column)) for column in zip(*(row.values() for row in figures.values()), strict=True))
    )
    console.print(table)
    for name, mutants in survivors.items():
        for mutant in mutants.values():
            console.print(f"\n{name}, {mutant.operator.replace('_', ' ')}", markup=False)
            console.print(mutant.diff, markup=False, soft_wrap=True)


if __name__ == "__main__":
    main(sys.argv[1:])
