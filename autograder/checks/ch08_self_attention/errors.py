"""Which errors a student's code raises where it has to refuse its arguments."""

from collections.abc import Callable
from typing import Any

NONE = "no error"


def error_of(call: Callable[[], Any]) -> str:
    """The name of the error that a call raises."""
    try:
        call()
    except NotImplementedError:  # It is not written yet.
        raise
    except Exception as error:  # noqa: BLE001 - whatever a student's code raises
        return type(error).__name__
    return NONE


def not_refused(got: Any, want: Any) -> str | None:
    """An explanation of answers whose entry `refused` has the name of an error for each case."""
    for case, raised in got["refused"].items():
        if raised == NONE:
            return f"{case} raised no error, expected a ValueError"
        if raised != "ValueError":
            return (
                f"{case} raised {raised:.60}, expected a ValueError of your own with a message that says what was wrong"
            )
    return None
