"""A chapter's number is in its name alone; the text refers to it by role.

In the book's text {chapter}`attention` is the word and the number and leads there, {chapter}`Attention` has a capital,
{chapter}`attention#scores` leads to a section, and {number}`attention` is the number alone. In the student notebook the
same appears as plain text. To insert a chapter, you rename chapters and change no text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from autograder.declare import chapters, slug_of

ROLES = ("chapter", "number")
NAME = re.compile(r"ch(?P<number>\d\d)_\w+")
"""What a chapter is called."""
_ASKED = re.compile(r"(?P<slug>\w+)(?:#(?P<section>[\w-]+))?")


@dataclass(frozen=True)
class Reference:
    """What a role means.

    Args:
        text: What is read.
        chapter: The name of the chapter that it leads to.
        section: The section there; empty for the whole page.
    """

    text: str
    chapter: str
    section: str


def number_of(chapter: str) -> int:
    """The number of the chapter of this name, such as 4 for ch05_attention."""
    match = NAME.fullmatch(chapter)
    if not match:
        raise ValueError(f"{chapter!r} is not the name of a chapter: expected one such as ch05_attention")
    return int(match["number"])


def reference(role: str, asked: str) -> Reference:
    """What {role}`asked` stands for.

    Args:
        role: One of `ROLES`.
        asked: The chapter's name without its number, with a capital where the sentence begins; perhaps a # and a section.

    Raises:
        ValueError: There is no such chapter.
    """
    by_slug = {slug_of(name): name for name in chapters()}
    match = _ASKED.fullmatch(asked)
    name = by_slug.get(match["slug"].lower()) if match else None
    if match is None or name is None:
        raise ValueError(f"{{{role}}}`{asked}` names no chapter: expected one of {', '.join(by_slug)}")
    number = number_of(name)
    word = "Chapter" if asked[0].isupper() else "chapter"
    return Reference(f"{word} {number}" if role == "chapter" else str(number), name, match["section"] or "")


def setup(app: Any) -> dict[str, bool]:
    """Give the roles to Sphinx, which builds the site."""
    from docutils import nodes
    from sphinx.util.docutils import SphinxRole

    class Numbered(SphinxRole):
        def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
            try:
                found = reference(self.name, self.text)
            except ValueError as error:
                return [], [self.inliner.reporter.error(str(error), line=self.lineno)]
            page = self.env.app.builder.get_relative_uri(self.env.docname, found.chapter)
            leads_to = f"{page}#{found.section}" if found.section else page
            return [nodes.reference(self.rawtext, found.text, refuri=leads_to, internal=True)], []

    for role in ROLES:
        app.add_role(role, Numbered())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
