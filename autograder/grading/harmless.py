"""Keeps what a student wrote as text from doing anything in the browser of the person who reads it.

nbconvert, with which formgrader and the feedback show Markdown, renders HTML as it stands and links whatever they lead to, fails at
a picture that is not there, and takes minutes over a line made to be slow. So the text is cleaned and then rendered as it will be;
what is still not safe is shown as it was typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html.parser import HTMLParser

import bleach
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode

# Characters: rendered of one cell, shown of a notebook. The worst of as many takes a second, and some seconds.
_MAX_RENDERED = 20_000
_MAX_SHOWN = 200_000
# nbconvert reads a line again for each bracket in it.
_MAX_BRACKETS = 50
_MAX_LINE = 200
_NO_TAG = re.compile(r"&lt;(?![A-Za-z/!?])")
# Pages and mail, and whatever has no scheme: no colon, or one behind a path.
_LINK = re.compile(r"https?:|mailto:|[^:]*$|[^:]*[/?#]", re.IGNORECASE)
_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp);", re.IGNORECASE)
# Browsers read over these in an address.
_UNREAD = re.compile(r"[\x00-\x20]+")


def make_harmless(notebook: NotebookNode, given: Iterable[str]) -> None:
    """Make the text of a repaired submission safe to show, in place.

    Args:
        notebook: The submission.
        given: The sources that were given, which are ours.
    """
    ours = set(given)
    room = _MAX_SHOWN
    for cell in notebook.cells:
        if cell.cell_type == "code" or cell.source in ours:
            continue
        if cell.cell_type == "raw":
            cell.source = cell.source.replace("<", "&lt;")
            continue
        length = len(cell.source)
        cleaned = _cleaned(cell) if length <= min(room, _MAX_RENDERED) else None
        cell.source = _as_typed(cell.source, room) if cleaned is None else cleaned
        room -= min(room, length)


def _cleaned(cell: NotebookNode) -> str | None:
    """The text without HTML that could do something, or None if it would still not be safe to render."""
    renderer = IPythonRenderer(escape=False, attachments=cell.get("attachments", {}))
    reader = _Addresses()
    try:
        # Markdown and formulas need these, and no tag begins with one of them.
        cleaned = _NO_TAG.sub("<", bleach.clean(cell.source)).replace("&gt;", ">").replace("&amp;", "&")
        page = MarkdownWithMath(renderer=renderer).render(cleaned)
        reader.feed(page)
    except Exception:  # noqa: BLE001 - what does not render here would not render there either
        return None
    safe = all(_LINK.match(link) for link in reader.links) and all(
        _LINK.match(picture) or _PICTURE.match(picture) for picture in reader.pictures
    )
    return str(cleaned) if safe and all(line.count("[") <= _MAX_BRACKETS for line in page.split("\n")) else None


class _Addresses(HTMLParser):
    """Collects where a rendered text leads to and what it shows."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.pictures: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src"):
                (self.links if name == "href" else self.pictures).append(_UNREAD.sub("", value or ""))


def _as_typed(source: str, room: int) -> str:
    """As much of the text as there is room for, in a block of code that nothing in it can end."""
    shown = re.sub(rf"([^\n]{{{_MAX_LINE}}})", r"\1\n", source[:room])
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * max(longest + 1, 3)
    rest = f"\n\n{len(source) - room} more characters are in the file that was handed in." if len(source) > room else ""
    return f"{fence}\n{shown}\n{fence}{rest}"
