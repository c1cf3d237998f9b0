"""Lists that have to be exactly those of the reference, and what says the same in another form."""

from typing import Any

import numpy as np

from autograder.asking.probing import MisuseError, in_list, note_slip, numbers_in
from autograder.asking.serialization import kind_of
from autograder.judging.verdict import Verdict, failed, passed


def same_lists(got: Any, want: Any) -> Verdict:
    """Compares lists of any length, by name."""
    wrong = next((name for name in want if got[name] != want[name]), None)
    return (
        passed() if wrong is None else failed(f"{wrong}: came back {got[wrong]!r:.150}, expected {want[wrong]!r:.150}")
    )


def in_form(result: Any, kind: type, name: str) -> Any:
    """The list of integers, or of bools, that a result says in another form, which is a slip; all else as it is.

    Every check that gets the result calls it, whichever part it looks at, so that such a slip is the same in all of them.

    Args:
        result: One of several results.
        kind: `int` or `bool`.
        name: What it is called.
    """
    told = f"{_expected(kind)}, but {name} is"
    result = in_list(result, told)
    if not isinstance(result, list):
        return result
    items = [numbers_in(item, f"{told} a list with an element that is") for item in result]
    if not all(_says(item, kind) for item in items):
        return result
    other = next((item for item in items if not _is_of(item, kind)), None)
    if other is not None:
        note_slip(f"{told} a list with an element that is {kind_of(other)}")
    return [kind(item) for item in items]


def plain_list(result: Any, kind: type, name: str) -> list[Any]:
    """The list of integers, or of bools, that a result is or says.

    Raises:
        MisuseError: It is none.
    """
    result = in_form(result, kind, name)
    if not isinstance(result, list):
        raise MisuseError(f"{name} is {kind_of(result)}, {_expected(kind)}")
    wrong = [item for item in result if not _is_of(item, kind)]
    if wrong:
        raise MisuseError(f"{name} is a list with an element that is {kind_of(wrong[0])}, {_expected(kind)}")
    return result


def _expected(kind: type) -> str:
    return f"expected a list of {'bools' if kind is bool else 'integers'}"


def _is_of(item: Any, kind: type) -> bool:
    """Whether it is of the kind, or of NumPy's."""
    if kind is bool:
        return isinstance(item, (bool, np.bool_))
    return isinstance(item, (int, np.integer)) and not isinstance(item, bool)


def _says(item: Any, kind: type) -> bool:
    """Whether it is a number that the kind can hold."""
    if not isinstance(item, (int, float, np.integer, np.bool_)):
        return False
    return item in (0, 1) if kind is bool else float(item).is_integer()
