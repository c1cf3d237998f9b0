"""The two lists of mutants that no check misses: those that are equivalent, by hand, and the other survivors, by the last run."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

from autograder.checkout import write_whole
from autograder.mutants.making import Mutant

EQUIVALENTS = Path(__file__).with_name("equivalents.toml")
SURVIVORS = Path(__file__).with_name("survivors.json")


def equivalents() -> dict[str, dict[str, str]]:
    """By exercise, what no check could tell from the original, with the reason: keys of mutants, and names of operators."""
    return tomllib.loads(EQUIVALENTS.read_text())


def to_kill(mutants: Mapping[str, Mutant], reasons: Mapping[str, str]) -> dict[str, Mutant]:
    """The mutants of an exercise that are to be killed: all but the equivalent ones.

    Args:
        mutants: By their keys.
        reasons: What is equivalent, of `equivalents`.
    """
    return {key: mutant for key, mutant in mutants.items() if key not in reasons and mutant.operator not in reasons}


def known_survivors() -> tuple[str, dict[str, list[str]]]:
    """The secret of the last run over everything, and by exercise the keys of the mutants that survived it."""
    found = json.loads(SURVIVORS.read_text())
    return found["secret"], found["survivors"]


def keep_survivors(secret: str, survivors: Mapping[str, Iterable[str]]) -> None:
    """Write down which mutants survived a run over everything."""
    found = {"secret": secret, "survivors": {name: list(keys) for name, keys in survivors.items() if keys}}
    write_whole(SURVIVORS, (json.dumps(found, indent=1, ensure_ascii=False) + "\n").encode(), 0o644)
