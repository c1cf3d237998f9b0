"""Keeps what a student wrote as text from doing anything in the browser or the terminal of the person who reads it.

nbconvert, with which nbgrader shows Markdown, renders HTML as it stands and links and pictures whatever they lead to, changes
addresses after that, fails at a picture that is not there, and takes minutes over a line made to be slow. So the text is cleaned,
then rendered as nbgrader will render it, and the page is held against a list of what is known to be safe. Whatever is not on that
list is shown as it was typed.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from typing import Any

import bleach
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbconvert.filters.strings import strip_files_prefix
from nbformat import NotebookNode

# Characters: rendered of one cell, rendered of a notebook, shown of a notebook.
_MAX_RENDERED = 8_000
_MAX_RENDERED_IN_ALL = 24_000
_MAX_SHOWN = 200_000
# The Markdown parser reads all that follows again for each of these.
_MAX_SLOW = {"|": 400, r"\\[": 50, r"\\(": 50}
# Other languages have lexers that a few lines keep busy for minutes, and `mermaid` is drawn by a script.
_LANGUAGES = ("python", "python3", "py", "ipython", "pycon", "text", "console", "bash", "sh", "json", "latex", "tex")
_MAX_LINE = 200
_NO_TAG = re.compile(r"&lt;(?![A-Za-z/!?])")
# Browsers read over these in an address.
_UNREAD = re.compile(r"[\x00-\x20\x7f-\xa0]+")
_HOST = re.compile(
    r"https?://((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9])\.?(?::\d{1,5})?(?:[/?#]|$)",
    re.IGNORECASE,
)
_HERE = ("localhost", "localdomain", "local", "internal", "lan", "arpa")
_BITMAP = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]*={0,2}")
_HTML = bleach.sanitizer.ALLOWED_TAGS
_TAG = re.compile(r'<(/?)([a-z][a-z0-9]*)((?:\s+[a-z]+(?:="[^"<>]*")?)*)\s*/?>')
_ATTRIBUTE = re.compile(r'([a-z]+)(?:="([^"]*)")?')
_ANY = re.compile(r".*", re.DOTALL)
_CLASS = re.compile(r"language-[\w+#.-]+|highlight|anchor-link|task-list-item(?:-checkbox)?|[a-z][a-z0-9]{0,2}")
_WORDS = ("em", "strong", "code", "del", "b", "i", "br", "span")
_BLOCKS = ("p", "pre", "blockquote", "ul", "li", "hr", "table", "thead", "tbody", "tr", "dl", "dt", "dd", "div")
_TAGS: dict[str, dict[str, re.Pattern[str]]] = {
    **{name: {"class": _CLASS} for name in (*_WORDS, *_BLOCKS)},
    **{f"h{level}": {"id": _ANY} for level in range(1, 7)},
    **{name: {"style": re.compile(r"text-align:\s?(?:left|right|center)")} for name in ("th", "td")},
    "ol": {"start": re.compile(r"\d{1,9}")},
    "input": {"class": _CLASS, "type": re.compile("checkbox"), "disabled": _ANY, "checked": _ANY},
    "a": {"class": _CLASS, "href": _ANY, "title": _ANY},
    "img": {"src": _ANY, "alt": _ANY, "title": _ANY},
    **{name: {"title": _ANY} for name in ("abbr", "acronym")},
}
# Commands of MathJax that link, load, show on a click, give names or styles to parts of the page, or make commands of their own.
_COMMANDS = (
    "href url style class cssId data htmlData require unicode toggle mathtip texttip tooltip action includegraphics enclose "
    "def edef gdef xdef let newcommand renewcommand providecommand newenvironment renewenvironment DeclareMathOperator csname"
)
_COMMAND = re.compile(rf"\\(?:{'|'.join(_COMMANDS.split())})(?![A-Za-z])")
_AUTOLINK = re.compile(r"<(https?://[^\s<>]+)>", re.IGNORECASE)
# What leads where it may not, in Markdown; each is taken apart so that it is text.
_PICTURE_ELSEWHERE = re.compile(r"!\[(?![^\]\n]{0,200}\]\(<?(?:attachment:|data:image/(?:png|jpeg|gif|webp);base64,))")
_INLINE_LINK = re.compile(r"(?<!\\)\[(?=[^\]\n]{0,200}\]\(\s{0,9}<?([^\s)>]{0,300}))")
_BARE_LINK = re.compile(r"(https?):(//[^\s<>)\]]*)", re.IGNORECASE)


def make_harmless(notebook: NotebookNode, given: Iterable[str]) -> None:
    """Make the text of a repaired submission safe to show, in place.

    Args:
        notebook: The submission.
        given: The sources that were given, which are ours.
    """
    ours = set(given)
    shown, rendered = _MAX_SHOWN, _MAX_RENDERED_IN_ALL
    for cell in notebook.cells:
        if cell.cell_type == "code" or cell.source in ours:
            continue
        length = _length(cell.source)
        if cell.cell_type == "raw" or length > rendered:
            cell.source = _as_typed(cell.source, shown)
        else:
            rendered -= length
            cell.source = harmless(cell.source, cell.get("attachments", {}))
        # A raw cell would reach the page as it stands.
        cell.cell_type = "markdown"
        shown -= min(shown, length)


def harmless(source: str, attachments: Mapping[str, Any]) -> str:
    """Markdown that shows what this Markdown shows, as far as that is safe, and else the text as it was typed.

    A link leads to another host, by http or https, or is plain text. A picture is one that was pasted in; one from elsewhere
    becomes a link.

    Args:
        source: What a person wrote.
        attachments: The pictures that were pasted into it, by name, as a notebook holds them.
    """
    if _length(source) <= _MAX_RENDERED and all(source.count(mark) <= most for mark, most in _MAX_SLOW.items()):
        for text in (_without_html(source, _HTML), _unlinked(_without_html(source, _HTML - {"a"}))):
            if _is_safe(text, attachments):
                return text
    return _as_typed(source, _MAX_SHOWN)


def leads_elsewhere(address: str, here: str = "") -> bool:
    """Whether an address is a page on another host, as far as its name tells.

    Numbers for hosts, names without a dot, and names that are kept for one's own network are not.

    Args:
        address: The address, as an attribute of a link has it after its entities were read.
        here: The name of the host that shows the link.
    """
    found = _HOST.match(_UNREAD.sub("", address))
    if not found or "\\" in address:
        return False
    host = found[1].lower()
    return host.rsplit(".", 1)[-1] not in _HERE and host != here.lower().rstrip(".")


def is_bitmap(address: str) -> bool:
    """Whether an address holds a picture itself, of a kind that can carry nothing else."""
    return bool(_BITMAP.fullmatch(address))


def printable(text: str) -> str:
    r"""Text for a terminal, in one line: what would steer it, or turn letters around, is shown as an escape such as `\x1b`."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def as_markdown(text: str) -> str:
    """Markdown, in one line, that shows a sentence as it is: for messages that name what a student chose."""
    return (
        re.sub(r"([\\`*_{}\[\]()#+.!~|$&<>:-])", r"\\\1", printable(text))
        .replace("\\<", "&lt;")
        .replace("\\&", "&amp;")
    )


def _length(source: str) -> int:
    """How much there is to read, but for pictures that stand in the text themselves."""
    return len(_BITMAP.sub("", source))


def _without_html(source: str, tags: Iterable[str]) -> str:
    """The text without HTML but for a few tags; Markdown and formulas keep their signs, with none of which a tag begins."""
    cleaned: str = bleach.clean(_AUTOLINK.sub(r"\1", source), tags=frozenset(tags), protocols=("http", "https"))
    return _NO_TAG.sub("<", cleaned).replace("&gt;", ">").replace("&amp;", "&")


def _unlinked(source: str) -> str:
    """The text with every link and picture taken apart that leads where it may not."""
    source = _PICTURE_ELSEWHERE.sub("[", source)
    source = _INLINE_LINK.sub(lambda link: link[0] if _may_lead(html.unescape(link[1])) else r"\[", source)
    return _BARE_LINK.sub(
        lambda link: link[0] if leads_elsewhere(html.unescape(link[0])) else rf"{link[1]}\:{link[2]}", source
    )


def _may_lead(address: str) -> bool:
    return address.startswith(("#", "attachment:")) or leads_elsewhere(address) or is_bitmap(address)


class _Strict(IPythonRenderer):
    """nbconvert's renderer, which gives up at a block of code that it should not highlight."""

    def block_code(self, code: str, info: str | None = None) -> str:
        if info and info.split()[:1] and info.split()[0] not in _LANGUAGES:
            raise ValueError(f"no block of code is highlighted as {info}")
        return str(super().block_code(code, info))


def _is_safe(source: str, attachments: Mapping[str, Any]) -> bool:
    """Whether nbgrader's page of this text holds nothing but what is known to be safe."""
    try:
        renderer = _Strict(escape=False, attachments=dict(attachments))
        page = strip_files_prefix(MarkdownWithMath(renderer=renderer).render(source))
    except Exception:  # noqa: BLE001 - what does not render here would not render there either
        return False
    tags = list(_TAG.finditer(page))
    if len(tags) != page.count("<") or not all(map(_is_safe_tag, tags)):
        return False
    return not _COMMAND.search(html.unescape(_TAG.sub("", page)))


def _is_safe_tag(tag: re.Match[str]) -> bool:
    allowed = _TAGS.get(tag[2])
    if allowed is None:
        return False
    for name, value in _ATTRIBUTE.findall(tag[3]):
        value = html.unescape(value)
        if name not in allowed or not allowed[name].fullmatch(value):
            return False
        if name == "href" and not (value.startswith("#") or leads_elsewhere(value)):
            return False
        if name == "src" and not is_bitmap(value):
            return False
    return True


def _as_typed(source: str, room: int) -> str:
    """As much of the text as there is room for, in a block of code that nothing in it can end."""
    shown = re.sub(rf"([^\n]{{{_MAX_LINE}}})", r"\1\n", source[:room])
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * max(longest + 1, 3)
    rest = f"\n\n{len(source) - room} more characters are in the file that was handed in." if len(source) > room else ""
    return f"{fence}\n{shown}\n{fence}{rest}"
