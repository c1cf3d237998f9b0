"""Keeps what a student wrote as text from doing anything in the browser or the terminal of the person who reads it.

nbconvert, with which nbgrader shows Markdown, renders HTML unescaped, and links and pictures wherever they lead,
changes addresses after that, fails at a picture that is not there, and takes minutes over a line made to be slow. So
the text is rendered as nbgrader will render it, and the page is compared with a list of what is known to be safe. A
text that passes is left as it is; one that does not has its tags, and then its links, made plain text, except for those
in code and formulas; and what even then does not pass is shown as it was typed.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, unquote

from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbconvert.filters.strings import strip_files_prefix
from nbformat import NotebookNode

# Characters: rendered of one cell, rendered of a notebook, shown of a notebook.
_MAX_RENDERED = 8_000
_MAX_RENDERED_IN_ALL = 24_000
_MAX_SHOWN = 200_000
# Bytes of pictures: shown of one cell, shown of a notebook. A picture counts as often as it is shown.
_MAX_PICTURES = 8 << 20
_MAX_PICTURES_IN_ALL = 16 << 20
TOO_MANY_PICTURES = "The pictures are not shown: together they are too large. They are in the file that was handed in."
# The Markdown parser reads all that follows again for each of these.
_MAX_SLOW = {"|": 400, r"\\[": 50, r"\\(": 50}
# Other languages have lexers that a few lines keep busy for minutes, and `mermaid` is drawn by a script.
_LANGUAGES = ("python", "python3", "py", "ipython", "pycon", "text", "console", "bash", "sh", "json", "latex", "tex")
_MAX_LINE = 200
# Browsers read over these in an address.
_UNREAD = re.compile(r"[\x00-\x20\x7f-\xa0]+")
_HOST = re.compile(
    r"https?://((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9])\.?(?::\d{1,5})?(?:[/?#]|$)",
    re.IGNORECASE,
)
_HERE = ("localhost", "localdomain", "local", "internal", "lan", "arpa")
_BITMAP = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]*={0,2}")
_TAG = re.compile(r'<(/?)([a-z][a-z0-9]*)((?:\s+[a-z]+(?:="[^"<>]*")?)*)\s*/?>')
_ATTRIBUTE = re.compile(r'([a-z]+)(?:="([^"]*)")?')
_ANY = re.compile(r".*", re.DOTALL)
_CLASS = re.compile(r"language-[\w+#.-]+|highlight|anchor-link|task-list-item(?:-checkbox)?|[a-z][a-z0-9]{0,2}")
_WORDS = (
    "em",
    "strong",
    "b",
    "i",
    "u",
    "s",
    "del",
    "ins",
    "sub",
    "sup",
    "small",
    "mark",
    "code",
    "kbd",
    "br",
    "center",
)
_BLOCKS = ("blockquote", "ul", "ol", "li", "hr", "details", "summary")
_MADE = ("p", "pre", "span", "table", "thead", "tbody", "tr", "dl", "dt", "dd", "div")
_EMPTY = ("br", "hr", "img", "input")
_SIZE = re.compile(r"\d{1,4}(?:px|%)?")
_TAGS: dict[str, dict[str, re.Pattern[str]]] = {
    **{name: {"class": _CLASS} for name in (*_WORDS, *_BLOCKS, *_MADE)},
    **{f"h{level}": {"id": _ANY} for level in range(1, 7)},
    **{name: {"style": re.compile(r"text-align:\s?(?:left|right|center)")} for name in ("th", "td")},
    "ol": {"start": re.compile(r"\d{1,9}")},
    "input": {"class": _CLASS, "type": re.compile("checkbox"), "disabled": _ANY, "checked": _ANY},
    "a": {"class": _CLASS, "href": _ANY, "title": _ANY},
    "img": {"src": _ANY, "alt": _ANY, "title": _ANY, "width": _SIZE, "height": _SIZE},
}
# The tags that a student may write.
_PLAIN_TAG = rf"</?(?:{'|'.join((*_WORDS, *_BLOCKS))})\s?/?>"
_PICTURE_TAG = r'<img(?:\s+(?:src|alt|title|width|height)="[^"<>]*")+\s?/?>'
_KEPT = re.compile(rf"{_PLAIN_TAG}|{_PICTURE_TAG}")
# Commands of MathJax that link, load, show on a click, give names or styles to parts of the page, or make commands of their own.
_COMMANDS = (
    "href url style class cssId data htmlData require unicode toggle mathtip texttip tooltip action includegraphics enclose "
    "def edef gdef xdef let newcommand renewcommand providecommand newenvironment renewenvironment DeclareMathOperator csname"
)
_COMMAND = re.compile(rf"\\(?:{'|'.join(_COMMANDS.split())})(?![A-Za-z])")
# Where a sign means itself: code and formulas.
_LITERAL = (
    r"(?ms:^[ >]*(?P<fence>`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^[ >]*(?P=fence)[`~]*[ \t]*$|\Z)"
    r"|(?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)"
    r"|(?<!\\)\$\$.*?(?<!\\)\$\$|(?<![$\\])\$(?!\$).+?(?<![$\\])\$|\\\\\[.*?\\\\\]|\\\\\(.*?\\\\\)"
    r"|\\begin\{(?P<name>[a-z]*\*?)\}.*?\\end\{(?P=name)\})"
)
_CODE = re.compile(_LITERAL)
_CODE_OR_INDENTED = re.compile(rf"(?:(?<=\n\n)|\A)(?:(?: {{4}}|\t)[^\n]*(?:\n|\Z))+|{_LITERAL}")
_AUTOLINK = re.compile(r"<(https?://[^\s<>]+)>", re.IGNORECASE)
_ANY_PICTURE_TAG = re.compile(
    r"""<img((?:\s+[a-z]+\s*=\s*(?:"[^"<>]*"|'[^'"<>]*'|[^\s"'<>=`]+))+)\s*/?>""", re.IGNORECASE
)
_ANY_ATTRIBUTE = re.compile(r"""([A-Za-z]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))""")
_LINK_TAG = re.compile(
    r"""<a\s+href=(["']?)(https?://[^\s"'<>()]{1,300})\1(?:\s[^<>]{0,200})?>([^<>\[\]\n]{1,200})</a>""", re.IGNORECASE
)
_NO_TAG = re.compile(rf"<(?!(?:{_PLAIN_TAG[1:]}|{_PICTURE_TAG[1:]}|{_AUTOLINK.pattern[1:]}))", re.IGNORECASE)
# What leads where it may not, in Markdown; each is taken apart so that it is text.
_PASTED = re.compile(
    r'!\[([^\]\n]{0,200})\]\(<?attachment:((?:[^()>\n]|\([^()\n]{0,99}\)){1,300}?)>?(?:[ \t]+"[^"\n]{0,200}")?\)'
)
_PICTURE_ELSEWHERE = re.compile(r"!\[(?![^\]\n]{0,200}\]\(<?(?:attachment:|data:image/(?:png|jpeg|gif|webp);base64,))")
_LINK = re.compile(r"(?<![\\!])\[([^\[\]\n]{0,200})\]\(<?([^\s()<>]{0,300})>?\)")
_INLINE_LINK = re.compile(r"(?<!\\)\[(?=[^\]\n]{0,200}\]\(\s{0,9}<?([^\s)>]{0,300}))")
_DEFINED_LINK = re.compile(r"^( {0,3})\[(?=[^\]\n]{1,200}\]:\s{0,9}<?([^\s>]{0,300}))", re.MULTILINE)
_BARE_LINK = re.compile(r"(https?):(//[^\s<>)\]]*)", re.IGNORECASE)
_SOURCE = re.compile(r'\bsrc="((?:attachment|data):[^"<>]*)"')


class TooManyPictures(ValueError):
    """Pictures that are too large, counted as often as they are shown."""


def sanitize(notebook: NotebookNode, given: Iterable[str]) -> None:
    """Make the text of a repaired submission safe to show, in place.

    Args:
        notebook: The submission.
        given: The sources that were given, which are ours.
    """
    ours = set(given)
    shown, rendered, pictures = _MAX_SHOWN, _MAX_RENDERED_IN_ALL, _MAX_PICTURES_IN_ALL
    for cell in notebook.cells:
        if cell.cell_type == "code" or cell.source in ours:
            continue
        length = _length(cell.source)
        if cell.cell_type == "raw" or length > rendered:
            cell.source = _as_typed(cell.source, shown)
        else:
            rendered -= length
            cell.source, used = _sanitized(cell.source, cell.get("attachments", {}), pictures)
            pictures -= used
        # A raw cell would reach the page as it stands.
        cell.cell_type = "markdown"
        shown -= min(shown, length)


def sanitized(source: str, attachments: Mapping[str, Any]) -> str:
    """Markdown that shows what this Markdown shows, as far as that is safe, and else the text as it was typed.

    A link leads to another host, by http or https, or is plain text. A picture is one that was pasted in; one from elsewhere
    becomes a link, and one that is missing becomes the words that stand for it.

    Args:
        source: What a person wrote.
        attachments: The pictures that were pasted into it, by name, as a notebook holds them.
    """
    return _sanitized(source, attachments, _MAX_PICTURES)[0]


def _sanitized(source: str, attachments: Mapping[str, Any], room: int) -> tuple[str, int]:
    """The same with room for so many bytes of pictures; and the bytes that it shows."""
    rest = ""
    if _length(source) <= _MAX_RENDERED and all(source.count(mark) <= most for mark, most in _MAX_SLOW.items()):
        tried = set()
        for text in _tries(source, attachments):
            if text in tried:
                continue
            tried.add(text)
            renderer = _Strict(attachments, min(room, _MAX_PICTURES))
            before = renderer.room
            try:
                if _is_safe(text, renderer):
                    return text, before - renderer.room
            except TooManyPictures:
                rest = f"\n\n{TOO_MANY_PICTURES}"
                break
    return _as_typed(source, _MAX_SHOWN) + rest, 0


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


def _tries(source: str, attachments: Mapping[str, Any]) -> Iterator[str]:
    """The text as it is, but for pasted pictures that are missing or oddly named, and then with less and less of its markup."""

    def pasted(found: re.Match[str]) -> str:
        name = _name(found[2], attachments)
        if name is None:
            return found[1]
        return f"![{found[1]}](attachment:{quote(name)})" if " " in found[2] else found[0]

    def picture(found: re.Match[str]) -> str:
        return _picture(found, attachments)

    def without_odd_tags(text: str) -> str:
        text = _LINK_TAG.sub(r"[\3](\2)", _ANY_PICTURE_TAG.sub(picture, text))
        return _NO_TAG.sub("&lt;", re.sub(_PLAIN_TAG, lambda tag: tag[0].lower(), text, flags=re.IGNORECASE))

    def without_tags(text: str) -> str:
        return _AUTOLINK.sub(r"\1", text).replace("<", "&lt;")

    def without_pasted(text: str) -> str:
        return _PASTED.sub(pasted, text)

    source = _outside(_CODE_OR_INDENTED, without_pasted, source) if "attachment:" in source else source
    yield source
    plain = _outside(_CODE_OR_INDENTED, without_odd_tags, source)
    yield plain
    yield _outside(_CODE_OR_INDENTED, _unlinked, plain)
    yield _outside(_CODE, lambda text: _unlinked(without_tags(text)), source)


def _outside(literal: re.Pattern[str], change: Callable[[str], str], source: str) -> str:
    """The text, changed but for its code and formulas."""
    parts, end = [], 0
    for found in literal.finditer(source):
        parts += [change(source[end : found.start()]), found[0]]
        end = found.end()
    return "".join([*parts, change(source[end:])])


def _name(written: str, attachments: Mapping[str, Any]) -> str | None:
    """The name of a pasted picture that an address names, with its signs escaped or not."""
    return next((name for name in (written, unquote(written)) if name in attachments), None)


def _picture(tag: re.Match[str], attachments: Mapping[str, Any]) -> str:
    """The tag of a pasted picture with no more than its place, words and size; a link to one elsewhere, or the words alone."""
    found = {name.lower(): html.unescape("".join(values)) for name, *values in _ANY_ATTRIBUTE.findall(tag[1])}
    address, words = found.get("src", ""), html.escape(found.get("alt", ""))
    if leads_elsewhere(address):
        return f"[{words or 'picture'}]({address})"
    if not is_bitmap(address) and (
        not address.startswith("attachment:") or _name(address.removeprefix("attachment:"), attachments) is None
    ):
        return words or tag[0]
    kept = [
        f'{name}="{html.escape(found[name])}"' for name in ("src", "alt", "title", "width", "height") if name in found
    ]
    return f"<img {' '.join(kept)}>"


def _unlinked(source: str) -> str:
    """The text with every link and picture taken apart that leads where it may not."""
    source = _PICTURE_ELSEWHERE.sub("[", _AUTOLINK.sub(r"\1", source))
    source = _LINK.sub(lambda link: link[0] if _may_lead(html.unescape(link[2])) else link[1], source)
    source = _INLINE_LINK.sub(lambda link: link[0] if _may_lead(html.unescape(link[1])) else r"\[", source)
    source = _DEFINED_LINK.sub(lambda link: link[0] if _may_lead(html.unescape(link[2])) else rf"{link[1]}\[", source)
    return _BARE_LINK.sub(
        lambda link: link[0] if leads_elsewhere(html.unescape(link[0])) else rf"{link[1]}\:{link[2]}", source
    )


def _may_lead(address: str) -> bool:
    return address.startswith(("#", "attachment:")) or leads_elsewhere(address) or is_bitmap(address)


class PictureRenderer(IPythonRenderer):
    """nbconvert's renderer with no picture but pasted ones, as long as there is room for them.

    It finds them by either spelling of their names, in tags too, and shows the words that stand for one that is not there.

    Args:
        attachments: The pasted pictures, by name.
        room: How many bytes of pictures there is room for.
        options: Those of nbconvert's renderer.
    """

    def __init__(self, attachments: Mapping[str, Any], room: int = _MAX_PICTURES, **options: Any) -> None:
        super().__init__(escape=False, attachments=dict(attachments), **options)
        self.room = room

    def embedded(self, address: str) -> str | None:
        """The picture itself, as an address, that an address stands for.

        Raises:
            TooManyPictures: There is no room for it.
        """
        kind, data = "", address
        if address.startswith("attachment:"):
            name = _name(address.removeprefix("attachment:"), self.attachments)
            kind, data = next(iter(self.attachments[name].items()), ("", "")) if name is not None else ("", "")
        self.room -= len(data) * 3 // 4
        if self.room < 0:
            raise TooManyPictures
        found = f"data:{kind};base64,{data}" if kind else data
        return found if is_bitmap(found) else None

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """A pasted picture, or the words that stand for one."""
        found = self.embedded(url)
        return html.escape(html.unescape(text)) if found is None else str(super().image(text, found, title))

    def inline_html(self, html: str) -> str:
        """A tag."""
        return str(super().inline_html(self._with_pictures(html)))

    def block_html(self, html: str) -> str:
        """A paragraph that begins with a tag."""
        return str(super().block_html(self._with_pictures(html)))

    def _with_pictures(self, markup: str) -> str:
        return _SOURCE.sub(lambda source: f'src="{self.embedded(html.unescape(source[1])) or source[1]}"', markup)


class _Strict(PictureRenderer):
    """The renderer of nbconvert, which gives up at what it should not show; for pictures it shows a short one."""

    def embedded(self, address: str) -> str:
        if super().embedded(address) is None:
            raise ValueError("no picture")
        return "data:image/png;base64,AAAA"

    def block_code(self, code: str, info: str | None = None) -> str:
        if info and info.split()[:1] and info.split()[0] not in _LANGUAGES:
            raise ValueError(f"no block of code is highlighted as {info}")
        return str(super().block_code(code, info))

    def _with_pictures(self, markup: str) -> str:
        if "<" in _KEPT.sub("", markup):
            raise ValueError("a tag that is not known to be safe")
        return super()._with_pictures(markup)


def _is_safe(source: str, renderer: _Strict) -> bool:
    """Whether nbgrader's page of this text holds nothing but what is known to be safe, and ends every tag that it begins."""
    try:
        page = strip_files_prefix(MarkdownWithMath(renderer=renderer).render(source))
    except TooManyPictures:
        raise
    except Exception:  # noqa: BLE001 - what does not render here would not render there either
        return False
    tags = list(_TAG.finditer(page))
    if len(tags) != page.count("<") or not all(map(_is_safe_tag, tags)) or not _are_paired(tags):
        return False
    return not _COMMAND.search(html.unescape(_TAG.sub("", page)))


def _are_paired(tags: Iterable[re.Match[str]]) -> bool:
    """Whether every tag is ended, inside the one that it stands in."""
    begun: list[str] = []
    for tag in tags:
        if tag[2] in _EMPTY:
            continue
        if not tag[1]:
            begun.append(tag[2])
        elif not begun or begun.pop() != tag[2]:
            return False
    return not begun


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
    """As much of the text as there is room for, in a block of code that nothing in it can end; without pictures in it."""
    source = _BITMAP.sub("data:image/\N{HORIZONTAL ELLIPSIS}", source)
    shown = re.sub(rf"([^\n]{{{_MAX_LINE}}})", r"\1\n", source[:room])
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * max(longest + 1, 3)
    rest = f"\n\n{len(source) - room} more characters are in the file that was handed in." if len(source) > room else ""
    return f"{fence}\n{shown}\n{fence}{rest}"
