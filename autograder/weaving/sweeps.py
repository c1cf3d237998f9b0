"""Runs the chapters' sweeps: experiments over settings and seeds that take too long for a notebook, stored as small tables.

A chapter's sweep is the module `sweep.py` beside its solutions: `NAME`, the stored table's; `SETTINGS`, what all runs share;
`VARIANTS` and `SEEDS`; and `run(variant, seed)`, which returns one row. Each row is stored when it is done, so that a sweep can be
stopped at any time and goes on where it was.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import multiprocessing
import os
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from types import ModuleType
from typing import Any

from autograder.house import House, making_environment
from autograder.reference import load_reference
from autograder.weaving.sources import sweep_hashes

Row = dict[str, Any]


def sweep_chapters(house: House) -> list[str]:
    """The chapters that have a sweep."""
    return sorted(path.parent.name for path in house.solutions.glob("*/sweep.py"))


def make_sweep(house: House, chapter: str, say: Callable[[str], None], *, workers: int) -> None:
    """Run what is missing of a chapter's sweep; rows that were made from other sources are made again.

    Args:
        house: The clone.
        chapter: The chapter's name.
        say: Told what is being done.
        workers: How many runs go on at once.
    """
    sweep = _load(house.solutions, chapter)
    table = house.table(sweep.NAME)
    sources = sweep_hashes(house, chapter)
    rows = _fresh_rows(table, sweep, sources)
    have = {_run_of(row) for row in rows}
    waiting = [run for run in sorted(_runs(sweep), key=lambda run: run[1]) if run not in have]
    if not waiting:
        say(f"{sweep.NAME}: all {len(have)} rows are stored")
        return
    say(f"{sweep.NAME}: {len(waiting)} of {len(have) + len(waiting)} rows to make, {workers} at once")
    context = multiprocessing.get_context("spawn")
    with _environment(), ProcessPoolExecutor(workers, mp_context=context) as pool:
        runs = {pool.submit(_run, house.solutions, chapter, *each): each for each in waiting}
        try:
            for run in as_completed(runs):
                variant, seed = runs[run]
                rows.append({"variant": variant, "seed": seed, **run.result()})
                _write(table, sweep, sources, rows)
                say(f"{sweep.NAME}: {variant}, seed {seed}; {len(rows)} of {len(have) + len(waiting)} rows are stored")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def stale_sweep(house: House, chapter: str) -> list[str]:
    """What the chapter's stored table is behind of: empty when it is fresh."""
    sweep = _load(house.solutions, chapter)
    table = house.table(sweep.NAME)
    if not table.is_file():
        return [f"{sweep.NAME}: there is no stored table; run `make sweeps`"]
    stored = json.loads(table.read_text(encoding="utf-8"))
    sources = sweep_hashes(house, chapter)
    found = [
        f"{sweep.NAME}: {path} has changed"
        for path in sorted({**stored["sources"], **sources})
        if stored["sources"].get(path) != sources.get(path)
    ]
    have, wanted = [_run_of(row) for row in stored["rows"]], _runs(sweep)
    if sorted(have) != sorted(wanted):
        found.append(f"{sweep.NAME}: {len(set(wanted) - set(have))} of {len(wanted)} rows are missing")
    return found


def _runs(sweep: ModuleType) -> list[tuple[str, int]]:
    """The variants and seeds that the sweep asks for."""
    return [(variant, seed) for variant in sweep.VARIANTS for seed in sweep.SEEDS]


def _run_of(row: Row) -> tuple[str, int]:
    return row["variant"], row["seed"]


@contextlib.contextmanager
def _environment() -> Iterator[None]:
    """Let the workers, which take over this process's environment, have the one that made files are made in."""
    kept, made_in = dict(os.environ), making_environment("full")
    os.environ.clear()
    os.environ |= made_in
    try:
        yield
    finally:
        os.environ.clear()
        os.environ |= kept


def _load(solutions: Path, chapter: str) -> ModuleType:
    package = load_reference(solutions, chapter)
    return importlib.import_module(f"{package.__name__}.sweep")


def _run(solutions: Path, chapter: str, variant: str, seed: int) -> Row:
    row: Row = _load(solutions, chapter).run(variant, seed)
    return row


def _fresh_rows(table: Path, sweep: ModuleType, sources: dict[str, str]) -> list[Row]:
    if not table.is_file():
        return []
    stored = json.loads(table.read_text(encoding="utf-8"))
    if stored["sources"] != sources:
        return []
    return [row for row in stored["rows"] if _run_of(row) in _runs(sweep)]


def _write(table: Path, sweep: ModuleType, sources: dict[str, str], rows: list[Row]) -> None:
    """Write the table whole or not at all; a row a line, in the sweep's own order."""
    runs = _runs(sweep)
    lines = [json.dumps(row) for row in sorted(rows, key=lambda row: runs.index(_run_of(row)))]
    head = f'"settings": {json.dumps(sweep.SETTINGS)},\n"sources": {json.dumps(sources, indent=1)},\n'
    text = "{\n" + head + '"rows": [\n' + ",\n".join(lines) + "\n]\n}\n"
    table.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=table.parent, delete=False, encoding="utf-8") as file:
        file.write(text)
    Path(file.name).replace(table)
