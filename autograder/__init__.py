"""Checks for the course's exercises, in a notebook and for a whole class.

See CONTRIBUTING.md for how checks, known mistakes and recorded answers fit together.
"""

import logging

from autograder.notebook.commands import check, hint, progress, question, solution, trace
from autograder.notebook.kernel_hints import watch

__all__ = ["check", "hint", "progress", "question", "solution", "trace"]

logging.getLogger(__name__).addHandler(logging.NullHandler())  # Where nobody listens, nothing is printed.
watch()
