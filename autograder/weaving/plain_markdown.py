"""MyST Markdown to plain Markdown: what a student notebook shows in Jupyter, VS Code and Colab.

Citations and recorded numbers become text, admonitions become block quotes. What is not understood is an error, so that no raw
directive or role reaches a student.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from pybtex.database import BibliographyData, Entry, parse_file
from pybtex.richtext import Text

from autograder.weaving.numbers import ROLES, reference

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
                raise PlainError(f"the block {lines[0].strip()!r} is no directive: expected {match['fence']}{{name}}")
            return lines
        inside = [line.removeprefix(match["indent"]) for line in lines[1:-1]]
        while inside and _OPTION.match(inside[0]):
            inside = inside[1:]
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
        if name not in ("note", "tip", "important", "warning", "admonition", "hint", "seealso", "dropdown"):
            raise PlainError(
                f"the directive {name!r} has no plain form: write it otherwise, or teach it to plain_markdown"
            )
        heading = "".join(self._prose([title])) or name.capitalize()
        inside = self._blocks(inside)
        while inside and not inside[0].strip():
            inside = inside[1:]
        while inside and not inside[-1].strip():
            inside = inside[:-1]
        return [f"> **{heading}**", ">", *(f"> {line}".rstrip() for line in inside)]

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
        raise PlainError(f"the role {role!r} has no plain form: write it otherwise, or teach it to plain_markdown")

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
