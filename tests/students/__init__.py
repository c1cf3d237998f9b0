"""What students hand in: a module for each exercise, with mistakes, each with the check that must name it, and right answers."""

import importlib
import pkgutil
from functools import cache
from typing import Any

from autograder.declare import chapters


@cache
def modules() -> dict[str, Any]:
    """The modules by the exercise that they answer."""
    found = []
    for chapter in chapters():
        folder = importlib.import_module(f"{__name__}.{chapter}")
        names = [module.name for module in pkgutil.iter_modules(folder.__path__)]
        found += [importlib.import_module(f"{folder.__name__}.{name}") for name in names]
    return {module.EXERCISE: module for module in found}
