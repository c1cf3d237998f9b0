"""Runs the chapters' sweeps: experiments over settings and seeds that take too long for a notebook, stored as small tables.

A sweep is a module in the folder `sweeps` of a chapter's solutions, named after its table; a module there whose name begins with an underscore is what
several sweeps share. It has `SETTINGS`, what all runs share; `VARIANTS` and `SEEDS`; and `run(variant, seed)`, which returns one row and the weights that are to be stored beside the table, or none. A worker makes several
rows with one loaded module, so `run` seeds what it draws from, and a row does not depend on those before it.
Each row is stored when it is done, with the time that it took, so that a sweep can be stopped at any time and continues
where it was.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from safetensors.torch import save

from autograder.building.sources import sweep_hashes
from autograder.checkout import Checkout, making_environment
from autograder.judging.reference import load_reference

Row = dict[str, Any]


def make_sweep(checkout: Checkout, path: Path, say: Callable[[str], None], *, workers: int) -> None:
    """Run what is missing of a sweep; rows that were made from other sources are made again.

    Args:
        checkout: The clone.
        path: The sweep's module.
        say: Told what is being done.
        workers: How many runs are done at once.

    Raises:
        ValueError: Its sources have changed meanwhile; the row that shows it is not stored.
    """
    sweep = _load(path)
    table = checkout.table(path.stem)
    sources = sweep_hashes(checkout, path)
    rows = [row for row in _fresh_rows(checkout, path, sources) if _run_of(row) in _runs(sweep)]
    have = {_run_of(row) for row in rows}
    waiting = [run for run in sorted(_runs(sweep), key=lambda run: run[1]) if run not in have]
    if not waiting:
        say(f"{path.stem}: all {len(have)} rows are stored, {_computing(rows)}")
        return
    say(f"{path.stem}: {len(waiting)} of {len(have) + len(waiting)} rows to compute, {workers} at a time")
    context = multiprocessing.get_context("spawn")
    with _environment(), ProcessPoolExecutor(workers, mp_context=context) as pool:
        runs = {pool.submit(_run, path, *each): each for each in waiting}
        try:
            for run in as_completed(runs):
                variant, seed = runs[run]
                found, weights = run.result()
                if sweep_hashes(checkout, path) != sources:
                    raise ValueError(f"{path.stem}: its sources changed while it ran: run it again")
                row = {"variant": variant, "seed": seed, **found}
                if weights:
                    row["weights"] = _digest(weights)
                    _write(checkout.weights(path.stem, variant, seed), weights)
                rows.append(row)
                _write(table, _table(sweep, sources, rows))
                stored = f"{len(rows)} of {len(have) + len(waiting)} rows are stored"
                say(f"{path.stem}: {variant}, seed {seed} took {row['took'] / 60:.1f} minutes; {stored}")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def stale_sweep(checkout: Checkout, path: Path) -> list[str]:
    """Why a sweep's stored table is out of date: empty when it is fresh."""
    sweep = _load(path)
    table = checkout.table(path.stem)
    if not table.is_file():
        return [f"{path.stem}: there is no stored table; run `make sweeps`"]
    stored = json.loads(table.read_text(encoding="utf-8"))
    sources = sweep_hashes(checkout, path)
    found = [
        f"{path.stem}: {source} has changed"
        for source in sorted({**stored["sources"], **sources})
        if stored["sources"].get(source) != sources.get(source)
    ]
    have = [_run_of(row) for row in stored["rows"] if _has_weights(checkout, path, row)]
    wanted = _runs(sweep)
    if sorted(have) != sorted(wanted):
        found.append(f"{path.stem}: {len(set(wanted) - set(have))} of {len(wanted)} rows are missing")
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


def _load(path: Path) -> ModuleType:
    chapter = path.parent.parent
    package = load_reference(chapter.parent, chapter.name)
    return importlib.import_module(f"{package.__name__}.{path.parent.name}.{path.stem}")


@cache
def _loaded(path: Path) -> ModuleType:
    """A worker's sweep, loaded once, so that what it keeps for all its rows, such as a corpus or a tuned learning rate, is made once."""
    return _load(path)


def _computing(rows: list[Row]) -> str:
    """How long rows took, as far as that is stored."""
    known = [row["took"] for row in rows if "took" in row]
    minutes = f"{sum(known) / 60:.0f} minutes of computing"
    return minutes if len(known) == len(rows) else f"{len(known)} of them with their time, {minutes}"


def _run(path: Path, variant: str, seed: int) -> tuple[Row, bytes]:
    """A row, with the device and the seconds of computing that it took, and its weights in half precision as the bytes of a safetensors file, if any."""
    sweep, start = _loaded(path), time.process_time()
    row, weights = sweep.run(variant, seed)
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"
    # A new row: a sweep may keep what it returned.
    row = {**row, "device": device, "took": round(time.process_time() - start, 1)}
    return row, save({name: tensor.half().contiguous() for name, tensor in weights.items()}) if weights else b""


def _fresh_rows(checkout: Checkout, path: Path, sources: dict[str, str]) -> list[Row]:
    table = checkout.table(path.stem)
    if not table.is_file():
        return []
    stored = json.loads(table.read_text(encoding="utf-8"))
    if stored["sources"] != sources:
        return []
    return [row for row in stored["rows"] if _has_weights(checkout, path, row)]


def _has_weights(checkout: Checkout, path: Path, row: Row) -> bool:
    """Whether the weights that were stored with a row, if any, are there as they were."""
    weights = checkout.weights(path.stem, *_run_of(row))
    return "weights" not in row or (weights.is_file() and _digest(weights.read_bytes()) == row["weights"])


def _digest(weights: bytes) -> str:
    return hashlib.sha256(weights).hexdigest()[:16]


def _table(sweep: ModuleType, sources: dict[str, str], rows: list[Row]) -> bytes:
    """The table as it is stored: a row a line, in the sweep's own order."""
    runs = _runs(sweep)
    lines = [json.dumps(row) for row in sorted(rows, key=lambda row: runs.index(_run_of(row)))]
    head = f'"settings": {json.dumps(sweep.SETTINGS)},\n"sources": {json.dumps(sources, indent=1)},\n'
    return ("{\n" + head + '"rows": [\n' + ",\n".join(lines) + "\n]\n}\n").encode()


def _write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(content)
    part.replace(path)
