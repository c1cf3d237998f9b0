"""Store a notebook's numbers beside its outputs, so that prose and tests can quote them.

A recorded number is an output that no front end shows. Its form is the one in which Jupyter Book's
``glue`` looks for values; writing it here keeps the notebooks free of that dependency.
"""

from typing import SupportsFloat

from IPython import get_ipython
from IPython.display import display

_PREFIX = "application/papermill.record/"


def record(**values: SupportsFloat) -> None:
    """Store each value as a plain float under its name; outside a notebook, do nothing.

    Args:
        **values: Numbers, or tensors and arrays of one element.

    Raises:
        ValueError: If a value is not one number.
    """
    for name, value in values.items():
        try:
            number = float(value)
        except (TypeError, ValueError, RuntimeError) as error:
            raise ValueError(f"{name} is {value!r}: record takes single numbers") from error
        if get_ipython():
            display(
                {f"{_PREFIX}text/plain": repr(number)},
                raw=True,
                metadata={"scrapbook": {"name": name, "mime_prefix": _PREFIX}},
            )
