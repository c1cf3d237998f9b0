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

from autograder.house import House
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
    have = {(row["variant"], row["seed"]) for row in rows}
    waiting = [(v, s) for s in sweep.SEEDS for v in sweep.VARIANTS if (v, s) not in have]
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
    have = [(row["variant"], row["seed"]) for row in stored["rows"]]
    wanted = [(variant, seed) for variant in sweep.VARIANTS for seed in sweep.SEEDS]
    if sorted(have) != sorted(wanted):
        found.append(f"{sweep.NAME}: {len(set(wanted) - set(have))} of {len(wanted)} rows are missing")
    return found


@contextlib.contextmanager
def _environment() -> Iterator[None]:
    """What the workers see: the course's own corpus, the full budget, and one thread, since two get into each other's way."""
    kept = dict(os.environ)
    os.environ.pop("SEQLAB_CORPUS", None)
    os.environ |= {"SEQLAB_BUDGET": "full", "OMP_NUM_THREADS": "1"}
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
    return [row for row in stored["rows"] if row["variant"] in sweep.VARIANTS and row["seed"] in sweep.SEEDS]


def _write(table: Path, sweep: ModuleType, sources: dict[str, str], rows: list[Row]) -> None:
    """Write the table whole or not at all; a row a line, in the sweep's own order."""
    order = {each: number for number, each in enumerate((v, s) for v in sweep.VARIANTS for s in sweep.SEEDS)}
    lines = [json.dumps(row) for row in sorted(rows, key=lambda row: order[row["variant"], row["seed"]])]
    head = f'"settings": {json.dumps(sweep.SETTINGS)},\n"sources": {json.dumps(sources, indent=1)},\n'
    text = "{\n" + head + '"rows": [\n' + ",\n".join(lines) + "\n]\n}\n"
    table.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=table.parent, delete=False, encoding="utf-8") as file:
        file.write(text)
    Path(file.name).replace(table)
