"""MyST Markdown to plain Markdown: what a student notebook shows in Jupyter, VS Code and Colab.

Citations and recorded numbers become text, admonitions become block quotes, dropdowns fold as HTML does. What is not understood is an
error, so that no raw directive or role reaches a student.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from pathlib import Path

from pybtex.database import BibliographyData, Entry, parse_file
from pybtex.richtext import Text

from autograder.building.numbers import ROLES, reference

# A span of code is matched too, to be left as it is.
_ROLE = re.compile(
    r"(?<!`)(?P<ticks>`+)(?!`)(?:(?!\n\n).)+?(?<!`)(?P=ticks)(?!`)|\{(?P<role>[A-Za-z][\w:.+-]*)\}`(?P<text>[^`]+)`",
    re.DOTALL,
)
_FENCE = re.compile(
    r"^(?P<indent>[ \t]*)(?P<fence>:{3,}|`{3,}|~{3,})[ \t]*(?:\{(?P<name>[\w-]+)\})?[ \t]*(?P<title>.*)$"
)
_UNSEEN = re.compile(r"\([\w:-]+\)=\s*|%.*")
_LABEL = re.compile(r"(\$\$)[ \t]*\([\w:-]+\)[ \t]*$", re.MULTILINE)
_OPTION = re.compile(r"^:[\w-]+:.*$")
# What a title may hold: code, a formula, words that are bold or slanted.
_INLINE = re.compile(
    r"(?P<ticks>`+)(?P<code>.+?)(?P=ticks)|\$(?P<math>[^$]+)\$|\*\*(?P<strong>.+?)\*\*|\*(?P<em>.+?)\*"
)


class PlainError(ValueError):
    """MyST that has no plain form here."""


class Plain:
    """Turns the Markdown of one chapter plain, cell by cell from its start: the bibliography lists what came before it."""

    def __init__(self, bibliography: Path | None, numbers: Mapping[str, float]) -> None:
        self._entries: BibliographyData | None = parse_file(str(bibliography)) if bibliography else None
        self._numbers = numbers
        self._cited: set[str] = set()

    def __call__(self, text: str) -> str:
        """The text without directives and roles.

        Raises:
            PlainError: It uses a role or directive that is not known here.
        """
        return "\n".join(self._blocks(text.split("\n")))

    def _blocks(self, lines: list[str]) -> list[str]:
        out: list[str] = []
        prose: list[str] = []
        at = 0
        while at < len(lines):
            match = _FENCE.match(lines[at])
            if not match or (match["fence"][0] == "`" and "`" in match["title"]):
                prose.append(lines[at])
                at += 1
                continue
            out += self._prose(prose)
            prose = []
            end = next((n for n in range(at + 1, len(lines)) if lines[n].strip() == match["fence"]), None)
            if end is None:
                raise PlainError(f"the block {lines[at].strip()!r} does not end")
            out += self._block(match, lines[at : end + 1])
            at = end + 1
        return out + self._prose(prose)

    def _block(self, match: re.Match[str], lines: list[str]) -> list[str]:
        """A directive made plain, or a block of code as it is."""
        if match["name"] is None:
            if match["fence"][0] == ":":
                raise PlainError(
                    f"the block {lines[0].strip()!r} is not a directive: expected {match['fence']}{{name}}"
                )
            return lines
        inside = _inside(match, lines)
        return [f"{match['indent']}{line}".rstrip() for line in self._directive(match["name"], match["title"], inside)]

    def _prose(self, lines: list[str]) -> list[str]:
        if not lines:
            return []
        text = "\n".join(line for line in lines if not _UNSEEN.fullmatch(line))
        return _ROLE.sub(self._role, _LABEL.sub(r"\1", text)).split("\n")

    def _directive(self, name: str, title: str, inside: list[str]) -> list[str]:
        if name == "math":
            return ["$$", *inside, "$$"]
        if name == "bibliography":
            return [_reference(self._entry(key)) for key in sorted(self._cited)]
        if name == "dropdown":
            return _details("".join(self._prose([title])), self._blocks(inside))
        if name not in ("note", "tip", "important", "warning", "admonition", "hint", "seealso"):
            raise PlainError(
                f"the directive {name!r} has no plain form: write it differently, or add it to plain_markdown.py"
            )
        heading = "".join(self._prose([title])) or name.capitalize()
        return [f"> **{heading}**", ">", *(f"> {line}".rstrip() for line in _trimmed(self._blocks(inside)))]

    def _role(self, match: re.Match[str]) -> str:
        if match["role"] is None:
            return match[0]
        role, text = match["role"], match["text"]
        if role in ("cite:t", "cite:p", "cite"):
            return self._cite(text.split(","), parenthesis=role != "cite:t")
        if role == "glue:text":
            name, _, form = text.partition(":")
            if name not in self._numbers:
                raise PlainError(f"the text quotes {name!r}, which no cell records")
            try:
                return format(self._numbers[name], form)
            except ValueError as error:
                raise PlainError(f"the text quotes {name!r} with the format {form!r}: {error}") from error
        if role in ROLES:
            try:
                return reference(role, text).text
            except ValueError as error:
                raise PlainError(str(error)) from error
        if role in ("doc", "ref", "numref", "term"):
            return text.partition(" <")[0]
        if role == "eq":
            return "the formula above"
        if role == "math":
            return f"${text}$"
        raise PlainError(f"the role {role!r} has no plain form: write it differently, or add it to plain_markdown.py")

    def _cite(self, keys: list[str], *, parenthesis: bool) -> str:
        cited = [self._entry(key.strip()) for key in keys]
        if parenthesis:
            return "(" + "; ".join(f"{_authors(entry)}, {entry.fields['year']}" for entry in cited) + ")"
        return " and ".join(f"{_authors(entry)} ({entry.fields['year']})" for entry in cited)

    def _entry(self, key: str) -> Entry:
        if self._entries is None or key not in self._entries.entries:
            raise PlainError(f"the text cites {key!r}, which is not in references.bib")
        entry = self._entries.entries[key]
        if "author" not in entry.persons or not {"title", "year"} <= set(entry.fields.keys()):
            raise PlainError(f"{key!r} in references.bib lacks its author, title or year")
        self._cited.add(key)
        return entry


def fold(text: str) -> str:
    """The text with its dropdowns as HTML, which Jupyter shows folded and the site too; the rest stays as it is.

    Raises:
        PlainError: A dropdown's title has a role in it, which HTML would show raw.
    """
    lines, out, at = text.split("\n"), [], 0
    while at < len(lines):
        match = _FENCE.match(lines[at])
        ends = (n for n in range(at + 1, len(lines)) if match and lines[n].strip() == match["fence"])
        end = next(ends, at)
        if match and match["name"] == "dropdown" and end > at:
            out += _details(match["title"], fold("\n".join(_inside(match, lines[at : end + 1]))).split("\n"))
        else:
            out += lines[at : end + 1]
        at = end + 1
    return "\n".join(out)


def _details(title: str, inside: list[str]) -> list[str]:
    """A block that unfolds; the blank lines around what is inside make Markdown of it."""
    return [
        '<details class="question">',
        f"<summary>{_inline(title)}</summary>",
        "",
        *_trimmed(inside),
        "",
        "</details>",
    ]


def _inline(title: str) -> str:
    """A title as HTML: Markdown does not look into the line of a summary."""
    if any(match["role"] for match in _ROLE.finditer(title)):
        raise PlainError(f"the title of the dropdown {title!r} has a role: write it without")
    out, at = [], 0
    for match in _INLINE.finditer(title):
        out.append(_words(title[at : match.start()]))
        at = match.end()
        if match["math"]:
            # So both Jupyter's MathJax and the site's know it for a formula.
            out.append(f'<span class="math notranslate nohighlight">\\({escape(match["math"], quote=False)}\\)</span>')
        elif match["code"]:
            out.append(f"<code>{escape(match['code'], quote=False)}</code>")
        else:
            name = "strong" if match["strong"] else "em"
            out.append(f"<{name}>{_inline(match[name])}</{name}>")
    return "".join(out) + _words(title[at:])


def _words(text: str) -> str:
    """Words as HTML, with the apostrophe that the site gives to all others."""
    return escape(text, quote=False).replace("'", "’")


def _inside(match: re.Match[str], lines: list[str]) -> list[str]:
    """What a directive holds, without its options."""
    inside = [line.removeprefix(match["indent"]) for line in lines[1:-1]]
    while inside and _OPTION.match(inside[0]):
        inside = inside[1:]
    return inside


def _trimmed(lines: list[str]) -> list[str]:
    """The lines without blank ones at either end."""
    full = [n for n, line in enumerate(lines) if line.strip()]
    return lines[full[0] : full[-1] + 1] if full else []


def _reference(entry: Entry) -> str:
    """One line of the list of what was cited."""
    people = [
        " ".join([*p.first_names, *p.middle_names, *p.prelast_names, *p.last_names]) for p in entry.persons["author"]
    ]
    fields = entry.fields
    venue = (
        fields.get("booktitle") or fields.get("journal") or fields.get("publisher") or fields.get("howpublished", "")
    )
    line = f"{', '.join(people)} ({fields['year']}). *{fields['title']}*.{f' {venue}.' if venue else ''}"
    return f"- {Text.from_latex(line)}"


def _authors(entry: Entry) -> str:
    found = [" ".join(person.prelast_names + person.last_names) for person in entry.persons["author"]]
    names = [str(Text.from_latex(name)) for name in found]
    if len(names) > 2:
        return f"{names[0]} et al."
    return " and ".join(names)
