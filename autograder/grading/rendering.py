"""Turns what a notebook holds into HTML for the pages that people read: the feedback and the formgrader.

nbconvert's own way lets a page load scripts from other hosts, for formulas that a browser can draw itself, and takes minutes over
output made to be slow. Here formulas become MathML, no script is needed, links open in a new tab, and anything that
would take long is shown plainly. Most cells are the same in every notebook of a class: each is rendered once in a
process.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from nbconvert.filters.ansi import ansi2html, strip_ansi
from nbconvert.filters.markdown_mistune import MarkdownWithMath
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers.python import PythonLexer

from autograder.grading.sanitize import TOO_MANY_PICTURES, PictureRenderer, TooManyPictures, leads_elsewhere

# Each takes less than half a second when it is as slow as we could make it.
_MAX_FORMULA = 2_000
_MAX_HIGHLIGHTED = 20_000
MAX_ESCAPES = 2_000
_MAX_TEXT = 200_000
# What the parser of formulas does not know, or reads otherwise than MathJax.
_SPELLINGS = (
    (re.compile(r"\\dots[bcimo]?(?![A-Za-z])"), r"\\ldots "),
    (re.compile(r"\\textit(?![A-Za-z])"), r"\\mathit"),
    (re.compile(r"\\([tdc]?frac)\s*(\d)\s*(\d)"), r"\\\1{\2}{\3}"),
    (re.compile(r"\\label\{[^{}]*\}"), ""),
)
_OUTWARD = re.compile(r'<a (?=[^<>]*href="https?:)')


@lru_cache(maxsize=2_048)
def markdown(source: str, here: str = "") -> str:
    """The HTML of Markdown without pasted pictures.

    Args:
        source: The Markdown; what a student wrote has been made harmless.
        here: The name of the host that shows the page, to which no link leads.
    """
    return markdown_with(source, {}, here)


def in_line(source: str) -> str:
    """The HTML of a line of the course's own Markdown, without a paragraph around it."""
    return markdown(source).strip().removeprefix("<p>").removesuffix("</p>")


def markdown_with(source: str, attachments: Mapping[str, Any], here: str = "") -> str:
    """The HTML of Markdown with pasted pictures, by name, as a notebook holds them; without them where they are too large."""
    try:
        page = MarkdownWithMath(renderer=_Renderer(attachments, here)).render(source)
    except TooManyPictures:
        return f"<pre>{html.escape(source[:_MAX_TEXT])}</pre>\n<p>{TOO_MANY_PICTURES}</p>"
    except Exception:  # noqa: BLE001 - a text that cannot be rendered is shown all the same
        return f"<pre>{html.escape(source)}</pre>"
    return _OUTWARD.sub('<a target="_blank" rel="noopener noreferrer" ', page)


@lru_cache(maxsize=2_048)
def code(source: str) -> str:
    """The HTML of a cell of code, its words coloured unless there are very many."""
    if len(source) > _MAX_HIGHLIGHTED:
        return plain_code(source)
    return str(highlight(source or " ", PythonLexer(), HtmlFormatter(cssclass="highlight")))


def plain_code(source: str) -> str:
    """The HTML of a cell of code without colours."""
    return f"<div class='highlight'><pre>{html.escape(source)}</pre></div>\n"


def terminal(text: str) -> str:
    """The HTML of what a program printed, with its colours unless it changes them very often."""
    rest = ""
    if len(text) > _MAX_TEXT:
        rest = f"\n[{len(text) - _MAX_TEXT:,} more characters are not shown.]"
        text = text[:_MAX_TEXT]
    if text.count("\x1b") > MAX_ESCAPES:
        text = strip_ansi(text)
        rest += "\n[It is shown without its colours, which change too often.]"
    return str(ansi2html(text.replace("\0", "\N{SYMBOL FOR NULL}"))) + rest


@lru_cache(maxsize=8_192)
def formula(tex: str, *, display: bool) -> str:
    """The MathML of a formula, or the formula as it was typed where it cannot be read."""
    spelled = tex
    for pattern, spelling in _SPELLINGS:
        spelled = pattern.sub(spelling, spelled)
    try:
        if len(tex) > _MAX_FORMULA:
            raise MathError("too long")
        made = re.sub(r">\s+<", "><", tex2mathml(spelled.strip(), as_block=display))
        return f"<span class='display'>{made}</span>" if display else made
    except Exception:  # noqa: BLE001 - the parser raises more than its own errors
        return f"<code class='formula'>{html.escape(tex)}</code>"


class _Renderer(PictureRenderer):
    """nbconvert's renderer with formulas in MathML, links that lead elsewhere only, and no names for headings.

    A heading's name could be that of a part of the page itself.
    """

    def __init__(self, attachments: Mapping[str, Any], here: str) -> None:
        super().__init__(attachments, exclude_anchor_links=True)
        self._here = here

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """A link to another host or within the page, or its text."""
        if url.startswith("#") or leads_elsewhere(html.unescape(url), self._here):
            return str(super().link(text, url, title))
        return text

    def block_code(self, code: str, info: str | None = None) -> str:
        """A block of code; a drawing that a script would make is one."""
        return str(super().block_code(code, None if info and info.startswith("mermaid") else info))

    def inline_math(self, body: str) -> str:
        """A formula in a line."""
        return formula(body, display=False)

    def block_math(self, body: str) -> str:
        """A formula of its own."""
        return formula(body, display=True)

    def latex_environment(self, name: str, body: str) -> str:
        """A formula that an environment of LaTeX encloses."""
        return formula(f"\\begin{{{name}}}{body}\\end{{{name}}}", display=True)
