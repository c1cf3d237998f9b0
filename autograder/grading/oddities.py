"""What in an answer's text makes it worth a look: ways of calling by another name, which no exercise needs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nbformat import NotebookNode

_ODD = re.compile(
    r"(?<![\w.])(?:eval|exec|compile|__import__|vars|globals)(?=\s*\()"
    r"|\b(?:importlib|attrgetter|methodcaller|torch\.jit|torch\._\w+|sys\.settrace|threading)\b"
)


def odd_uses(notebook: NotebookNode) -> Iterator[str]:
    """A note for the instructor on each answer that uses such things; it costs no points."""
    for cell in notebook.cells:
        mark = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "code" and mark.get("solution"):
            found = sorted(set(_ODD.findall(cell.source)))
            if found:
                name = str(mark.get("grade_id")).removesuffix("-answer")
                yield f"{name}: its code uses {', '.join(found)}, which no exercise needs and which can hide what it calls"
