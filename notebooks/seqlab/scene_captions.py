"""What can be said of a scene of digits, in English and in French; and whether what was said of one is true.

A caption names all things of a scene, each once, and goes from one to a neighbour: "a red three is left of a blue seven , which is above a
green two ." The same scene has many true captions: it may be read from either end, and sizes may be named or left out.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, permutations

import sacrebleu

LANGUAGES = ("english", "french")
COLOURS = ("red", "green", "blue", "yellow", "purple")
SIZES = ("small", "large")
RELATIONS = ("left", "right", "above", "below")

_WORDS: dict[str, dict[str, str]] = {
    "english": {
        "digits": "zero one two three four five six seven eight nine",
        "colours": "red green blue yellow purple",
        "sizes": "small large",
        "left": "left of",
        "right": "right of",
        "above": "above",
        "below": "below",
        "which": ", which is",
        "is": "is",
        "there": "there is",
        "alone": "stands alone",
        "this": "this is",
    },
    "french": {
        "digits": "zéro un deux trois quatre cinq six sept huit neuf",
        "colours": "rouge vert bleu jaune violet",
        "sizes": "petit grand",
        "left": "à gauche d'",
        "right": "à droite d'",
        "above": "au-dessus d'",
        "below": "au-dessous d'",
        "which": ", qui est",
        "is": "est",
        "there": "il y a",
        "alone": "est seul",
        "this": "c' est",
    },
}


@dataclass(frozen=True, slots=True)
class Thing:
    """A digit in a scene.

    Attributes:
        digit: Which digit it is, 0 to 9.
        colour: The number of its colour in `COLOURS`.
        size: The number of its size in `SIZES`.
        box: Its ink's top, left, bottom and right, in pixels; the last two are the first row and column outside.
        place: Row and column of the quarter of the picture that it is in.
        image: Which handwritten image it is, by its number in the data set.
    """

    digit: int
    colour: int
    size: int
    box: tuple[int, int, int, int]
    place: tuple[int, int]
    image: int


@dataclass(frozen=True, slots=True)
class Caption:
    """A caption and what its words name.

    Attributes:
        words: The words.
        names: A pair for each word that names a digit: which word it is, and which thing of the scene it names; both from 0.
    """

    words: tuple[str, ...]
    names: tuple[tuple[int, int], ...] = ()


def relation(one: tuple[int, int], other: tuple[int, int]) -> str | None:
    """Where the one place lies as seen from the other, a word of `RELATIONS`; None where they are not neighbours."""
    down, along = one[0] - other[0], one[1] - other[1]
    if abs(down) + abs(along) != 1:
        return None
    if along:
        return "left" if along < 0 else "right"
    return "above" if down < 0 else "below"


def captions_of(things: Sequence[Thing], language: str) -> list[Caption]:
    """All true captions of some things, in an order that is always the same.

    Args:
        things: One to four things.
        language: One of `LANGUAGES`.

    Raises:
        ValueError: If there are no words in that language.
    """
    _known(language)
    return [_caption(things, *form, language) for form in _forms(tuple(thing.place for thing in things))]


def references_of(things: Sequence[Thing], language: str, number: int, generator: random.Random) -> tuple[Caption, ...]:
    """Draws some of the true captions of a scene, all different."""
    _known(language)
    forms = generator.sample(_forms(tuple(thing.place for thing in things)), number)
    return tuple(_caption(things, *form, language) for form in forms)


def describes(words: Sequence[str], things: Sequence[Thing], language: str = "english") -> bool:
    """Whether a caption is true of a scene and names each of its things once.

    Args:
        words: The caption.
        things: The scene's things.
        language: One of `LANGUAGES`.
    """
    return caption_named(words, things, language) is not None


def caption_named(words: Sequence[str], things: Sequence[Thing], language: str = "english") -> Caption | None:
    """A caption with what its words name, if it is true of a scene; otherwise None."""
    said = tuple(words)
    return next((caption for caption in captions_of(things, language) if caption.words == said), None)


def mirrored(words: Sequence[str], language: str = "english") -> list[str]:
    """A caption with left and right swapped."""
    _known(language)
    left, right = {"english": ("left", "right"), "french": ("gauche", "droite")}[language]
    return [{left: right, right: left}.get(word, word) for word in words]


def caption_bleu(written: Sequence[Sequence[str]], references: Sequence[Sequence[Sequence[str]]]) -> float:
    """Corpus BLEU of captions with several references each, from 0 to 100, as sacreBLEU computes it.

    Args:
        written: The words of each caption.
        references: The references of each caption, each as its words; their number may differ.

    Raises:
        ValueError: If there are no captions, not references for each, or a picture without any.
    """
    if len(written) != len(references) or not written or not all(references):
        raise ValueError(
            f"there are {len(written)} captions and references for {len(references)} pictures: give one caption and at least one "
            "reference for each picture"
        )
    most = max(map(len, references))
    streams = [[" ".join(own[i]) if i < len(own) else None for own in references] for i in range(most)]
    return float(
        sacrebleu.corpus_bleu([" ".join(words) for words in written], streams, tokenize="none", force=True).score  # type: ignore[arg-type]
    )


@cache
def words_of(kind: str, language: str) -> tuple[str, ...]:
    """The words of a kind in a language, such as "digits", "colours" or "sizes"."""
    _known(language)
    return tuple(_WORDS[language][kind].split())


def _known(language: str) -> None:
    if language not in LANGUAGES:
        raise ValueError(f"language is {language!r}: the captions are in {' or '.join(LANGUAGES)}")


_Form = tuple[tuple[int, ...], tuple[str, ...], str, bool]
"""The order in which things are named, where each stands as seen from the next, how the caption begins, and whether it says sizes."""


@cache
def _forms(places: tuple[tuple[int, int], ...]) -> tuple[_Form, ...]:
    """All forms of a caption of things that stand in these places."""
    found = []
    for order in permutations(range(len(places))):
        steps = [relation(places[i], places[j]) for i, j in pairwise(order)]
        if None not in steps:
            for opening in ("there", "alone", "this") if len(places) == 1 else ("is", "there"):
                found += [(order, tuple(step or "" for step in steps), opening, sized) for sized in (False, True)]
    return tuple(found)


def _caption(
    things: Sequence[Thing],
    order: tuple[int, ...],
    steps: tuple[str, ...],
    opening: str,
    sized: bool,
    language: str,
) -> Caption:
    """One caption, in the order of the things that is given."""
    said = _WORDS[language]
    words: list[str] = said[opening].split() if opening in ("there", "this") else []
    names = []
    for position, thing in enumerate(order):
        if position:
            if position > 1:
                words += said["which"].split()
            elif opening == "is":
                words += said["is"].split()
            words += said[steps[position - 1]].split()
        for word, is_name in _named(things[thing], sized, language):
            if is_name:
                names.append((len(words), thing))
            words.append(word)
    if opening == "alone":
        words += said["alone"].split()
    return Caption((*words, "."), tuple(names))


def _named(thing: Thing, sized: bool, language: str) -> Iterator[tuple[str, bool]]:
    """The words for a thing, each with whether it is the digit's name."""
    digit, colour, size = (
        words_of(kind, language)[number]
        for kind, number in (("digits", thing.digit), ("colours", thing.colour), ("sizes", thing.size))
    )
    adjectives = [(size, False)] * sized
    if language == "english":
        yield from (("a", False), *adjectives, (colour, False), (digit, True))
    else:
        yield from (("un", False), *adjectives, (digit, True), (colour, False))
