"""Says in a notebook what to do when a name is missing because the kernel was restarted.

It listens to IPython's own event after a cell: the traceback stays as it is, and a sentence is added below it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from autograder.notebook.commands import kernel_shell, show_text
from autograder.notebook.subject import exercise_names, near

_SET_UP = "torch"
"""What every chapter's set-up cell imports."""
_ABOVE = "Choose Run → Run All Above Selected Cell, then run this cell again."


def watch() -> None:
    """Begin to listen, where a kernel runs this; asking for it twice does no harm."""
    shell = kernel_shell()
    if shell is not None:
        shell.events.register("post_run_cell", _after_cell)


def _after_cell(result: Any) -> None:
    error, shell = result.error_in_exec, kernel_shell()
    if type(error) is NameError and error.name and shell is not None:
        show_text(advice(error.name, shell.user_ns))


def advice(missing: str, names: Collection[str]) -> str:
    """What to do about a name that is not defined; empty where nothing better is known than the traceback.

    Args:
        missing: The name.
        names: The names of the notebook.
    """
    known = exercise_names()
    slip = near(missing, known)
    if missing not in known and slip:
        return f"`{missing}` is not defined. Did you mean `{slip}`?"
    if _SET_UP not in names:
        return f"`{missing}` is not defined: the set-up cell at the top has not been run since the kernel started. {_ABOVE}"
    if missing in known:
        return (
            f"`{missing}` is not defined: the cell that defines it has not been run since the kernel started, or it "
            f"ended in an error. {_ABOVE}"
        )
    return ""
