"""What is asked of `wordpiece_tokenize`.

The letters of a word are all different, so that a piece fits at one place of it and at no other. Each word has a vocabulary of
its own, with pieces in it that only a mistake would take.
"""

from collections.abc import Callable, Iterable
from typing import Any

from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError

LETTERS = "abcdefghijklmnopqrstuvwxyz"
_PATIENCE = 40
"""How many times the vocabulary may be asked for each square of a word's length; an honest search needs one half."""

Case = tuple[str, list[str]]
"""A word and the pieces of its vocabulary."""


class _Pieces(dict[str, int]):
    """A vocabulary, pieces and their ids, that ends a search which has no end."""

    def __init__(self, word: str, pieces: Iterable[str]) -> None:
        super().__init__((piece, number) for number, piece in enumerate(pieces))
        self._guard = Guard(word)

    def __contains__(self, piece: object) -> bool:
        self._guard.count()
        return super().__contains__(piece)


class _Container:
    """A vocabulary that answers `in` and nothing else."""

    def __init__(self, word: str, pieces: Iterable[str]) -> None:
        self._pieces, self._guard = frozenset(pieces), Guard(word)

    def __contains__(self, piece: object) -> bool:
        self._guard.count()
        return piece in self._pieces

    def __iter__(self):
        raise MisuseError("the code loops over the vocabulary; expected only `piece in vocabulary`")


class Guard:
    """Counts how often a vocabulary is asked.

    Args:
        word: The word that is being cut.
    """

    def __init__(self, word: str) -> None:
        self._word, self._left = word, _PATIENCE * (len(word) + 1) ** 2

    def count(self) -> None:
        """One question more.

        Raises:
            MisuseError: There have been more than any search needs.
        """
        self._left -= 1
        if self._left < 0:
            raise MisuseError(
                f"the loop does not end for the word {self._word!r}: the vocabulary was asked "
                f"{_PATIENCE * (len(self._word) + 1) ** 2} times. If no piece fits, the loop makes no progress"
            )


def _letters(draw: Draw, number: int) -> str:
    """So many different letters."""
    return "".join(LETTERS[place] for place in draw.normal(len(LETTERS)).argsort()[:number].tolist())


def _cut(word: str, *lengths: int) -> list[str]:
    """The word in parts of these lengths."""
    parts, start = [], 0
    for length in lengths:
        parts.append(word[start : start + length])
        start += length
    return parts


def _parts(draw: Draw, number: int) -> list[str]:
    """The parts, of two to four letters, of a word that is drawn."""
    lengths = draw.integers(2, 5, number).tolist()
    return _cut(_letters(draw, sum(lengths)), *lengths)


def _of_one_cut(draw: Draw, number: int) -> Case:
    """A word of so many pieces that can be cut in one way only, beside pieces whose marks are the wrong ones."""
    parts = _parts(draw, number)
    word, rest = "".join(parts), "".join(parts[1:])
    pieces = [parts[0], *(f"##{part}" for part in parts[1:])]
    pieces += [f"##{word}", f"##{parts[0]}"]
    return word, pieces + ([rest, *parts[1:]] if rest else [])


def _of_many_cuts(draw: Draw) -> Case:
    """A word of three pieces whose every letter is a piece too, and with pieces that lie across the cuts."""
    first, second, third = _parts(draw, 3)
    word = first + second + third
    across = [second[1:] + third, first[-1:] + second + third]
    longest = [first, f"##{second}", f"##{third}"]
    shorter = [first[:-1], f"##{second[:-1]}"]
    return word, [*longest, *shorter, *(f"##{part}" for part in across), word[0], *(f"##{letter}" for letter in word)]


def _with_a_gap(draw: Draw, at: int) -> Case:
    """A word of three parts of which one is in no vocabulary, though a longer and a wrongly marked piece have its letters."""
    parts = _parts(draw, 3)
    pieces = [parts[0], *(f"##{part}" for part in parts[1:])]
    gap = pieces.pop(at)
    decoy = f"##{parts[at]}" if at == 0 else parts[at]
    return "".join(parts), [*pieces, decoy, f"{gap}#"]


def _of_a_dead_end(draw: Draw) -> Case:
    """A word whose longest beginning leaves a rest that does not fit, where a shorter one would do."""
    first, second, third = _parts(draw, 3)
    return first + second + third, [
        first + second[:1],
        first,
        f"##{second}",
        f"##{second[1:]}{third[:1]}",
        f"##{third}",
    ]


def cut_up(wordpiece_tokenize: Callable[..., Any], cases: list[Case], vocabulary: Callable[..., Any] = _Pieces) -> Any:
    """What came back for each word, and what was asked."""
    cases = [(word, list(dict.fromkeys(pieces))) for word, pieces in cases]
    found = []
    for word, pieces in cases:
        result = wordpiece_tokenize(word, vocabulary(word, pieces))
        if not isinstance(result, (list, tuple)) or not all(isinstance(piece, str) for piece in result):
            wrong = result if not isinstance(result, (list, tuple)) else next(p for p in result if type(p) is not str)
            inside = "a list in which one piece is " if isinstance(result, (list, tuple)) else ""
            raise MisuseError(f"what it returned is {inside}{_kind_of(wrong)}, expected a list of strings, the pieces")
        found.append([str(piece) for piece in result])
    return {"pieces": found, "words": [word for word, _ in cases], "vocabularies": [pieces for _, pieces in cases]}


def _kind_of(value: Any) -> str:
    return "one string" if isinstance(value, str) else kind_of(value)


def _shuffled(draw: Draw, cases: list[Case]) -> list[Case]:
    return [cases[place] for place in draw.normal(len(cases)).argsort().tolist()]


@probe("wordpiece_tokenize")
def marks(wordpiece_tokenize, draw: Draw):
    """Words of one, two, three and four pieces that can be cut in one way."""
    return cut_up(wordpiece_tokenize, [_of_one_cut(draw, number) for number in (1, 2, 3, 4)])


@probe("wordpiece_tokenize")
def longest(wordpiece_tokenize, draw: Draw):
    """Words that can be cut in many ways."""
    return cut_up(wordpiece_tokenize, [_of_many_cuts(draw) for _ in range(3)])


@probe("wordpiece_tokenize")
def unknown(wordpiece_tokenize, draw: Draw):
    """Words in which nothing fits at the beginning, in the middle or at the end, and words that can be cut."""
    gaps = [_with_a_gap(draw, at) for at in (0, 1, 2)]
    return cut_up(wordpiece_tokenize, _shuffled(draw, gaps + [_of_one_cut(draw, 3) for _ in range(2)]))


@probe("wordpiece_tokenize")
def dead_ends(wordpiece_tokenize, draw: Draw):
    """Words that another cut than the greedy one would save, and words that can be cut."""
    return cut_up(
        wordpiece_tokenize,
        _shuffled(draw, [*(_of_a_dead_end(draw) for _ in range(2)), *(_of_many_cuts(draw) for _ in range(2))]),
    )


@probe("wordpiece_tokenize")
def small(wordpiece_tokenize, draw: Draw):
    """A word of no letters, words of one letter and a long one, with a vocabulary that answers `in` alone."""
    known, unknown = list(_letters(draw, 2))
    parts = _parts(draw, 5)
    cases = [
        ("", ["", "##", known]),
        (known, [known, f"##{known}"]),
        (unknown, [known, f"##{unknown}"]),
        ("".join(parts), [parts[0], *(f"##{part}" for part in parts[1:])]),
    ]
    return cut_up(wordpiece_tokenize, cases, _Container)
