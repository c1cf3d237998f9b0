"""Reads a corpus of the reader's own, so that every translation chapter also runs on real text.

It knows three forms: two aligned files with one sentence per line, one file of tab-separated pairs as Tatoeba and Anki
write them, and the verses of `seqlab.verses`. The words come out as the grammar's do: lower case, punctuation apart, French elisions split.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from seqlab.grammar import Pair
from seqlab.verses import PREFIX, named_translations, verse_chapters

_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ´`", "'"))

_TOKEN = re.compile(
    r"""
    aujourd'hui
    | (?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu)'(?=\s?\w)   # elided before a vowel: l', qu', lorsqu'
    | '(?:s|m|d|re|ve|ll)\b                                # English endings: 's, 'm, 'll
    | \w+(?:-\w+)*(?='(?:s|m|d|re|ve|ll)\b)                # the word before such an ending
    | \d+(?:[.,]\d+)*
    | \w+(?:['-]\w+)*
    | \.\.+
    | \S
    """,
    re.VERBOSE,
)


def tokenize(sentence: str) -> tuple[str, ...]:
    """Cuts a sentence of a European language into words.

    Args:
        sentence: The sentence as it was written.

    Returns:
        Its words in lower case and its punctuation marks; an elided word keeps its apostrophe and is a word of its own:
        "L’ami d'Anne." becomes l' ami d' anne . (and "Anne's" becomes anne 's).
    """
    text = unicodedata.normalize("NFC", sentence).translate(_APOSTROPHES).lower()
    return tuple(_TOKEN.findall(text))


def own_pairs(location: str, max_words: int) -> list[list[Pair]]:
    """Reads the reader's pairs, without those that are empty, too long or repeated.

    Args:
        location: Two file names with a comma between them, the name of one tab-separated file, or what
            `seqlab.verses.named_translations` knows.
        max_words: The most words on either side.

    Returns:
        The pairs in their order, without links, in groups that belong together: the verses of a chapter, or else one
        pair each.

    Raises:
        ValueError: If a file cannot be read, or the two files or the two columns do not fit together.
    """
    if location.startswith(PREFIX):
        groups: Iterator[list[tuple[str, str]]] = verse_chapters(location)
    else:
        groups = ([pair] for pair in _sentences(location))
    known: set[Pair] = set()
    found = []
    for group in groups:
        pairs = dict.fromkeys(Pair(tokenize(one), tokenize(other), frozenset(), frozenset()) for one, other in group)
        new = [
            pair
            for pair in pairs
            if 0 < len(pair.source) <= max_words and 0 < len(pair.target) <= max_words and pair not in known
        ]
        known.update(new)
        if new:
            found.append(new)
    return found


def name_of(location: str) -> str:
    """Returns the file names in a location without their folders, or the titles of two translations.

    Args:
        location: What `own_pairs` reads.
    """
    if location.startswith(PREFIX):
        return " and ".join(each.title for each in named_translations(location))
    return ", ".join(path.name for path in _paths(location))


def _paths(location: str) -> list[Path]:
    if Path(location).expanduser().is_file():
        return [Path(location).expanduser()]
    paths = [Path(part.strip()).expanduser() for part in location.split(",")]
    if len(paths) > 2:
        raise ValueError(
            f"SEQLAB_CORPUS is {location!r}, which names {len(paths)} files: "
            "name two aligned files with a comma between them, or one tab-separated file"
        )
    return paths


def _sentences(location: str) -> Iterator[tuple[str, str]]:
    paths = _paths(location)
    if len(paths) == 1:
        yield from _columns(paths[0])
        return
    source, target = map(_lines, paths)
    shorter, longer = sorted((source, target), key=len)
    if any(line.strip() for line in longer[len(shorter) :]):
        raise ValueError(
            f"{paths[0]} has {len(source)} lines and {paths[1]} {len(target)}: "
            "aligned files need as many, line for line"
        )
    yield from zip_longest(source, target, fillvalue="")


def _columns(path: Path) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        source, tab, rest = line.partition("\t")
        if not tab:
            raise ValueError(
                f"line {number} of {path} has no tab: write source, tab, target "
                "(or name two files in SEQLAB_CORPUS, with a comma between them)"
            )
        yield source, rest.partition("\t")[0]


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 at byte {error.start}: save it as UTF-8") from error
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror}): check SEQLAB_CORPUS") from error
    return text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")
