"""What a search of the site looks through: prose, and code that is not folded.

Sphinx indexes every text of a page: the TeX of its formulas, the labels of its figures, and each number that a cell prints.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.builders.html import StandaloneHTMLBuilder

_LEFT_OUT = {"cell_output", "tag_hide-input"}
"""The classes of what cells show, and of cells whose code is folded."""


class Builder(StandaloneHTMLBuilder):
    """Sphinx's builder of HTML with a smaller index."""

    name = "html"

    def index_page(self, pagename: str, doctree: nodes.document, title: str) -> None:
        """Enter a page in the index."""
        super().index_page(pagename, searchable(doctree), title)


def searchable(doctree: nodes.document) -> nodes.document:
    """A copy of a page without formulas, pieces of HTML, outputs and folded code."""
    copy = doctree.deepcopy()
    for part in list(copy.findall(_is_left_out)):
        part.parent.remove(part)
    return copy


def _is_left_out(part: nodes.Node) -> bool:
    if isinstance(part, nodes.math | nodes.math_block | nodes.raw):
        return True
    return isinstance(part, nodes.container) and not _LEFT_OUT.isdisjoint(part["classes"])


def setup(app: Any) -> dict[str, bool]:
    """Give it to Sphinx."""
    app.add_builder(Builder, override=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
