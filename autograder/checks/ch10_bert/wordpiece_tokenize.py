"""The checks of `wordpiece_tokenize`."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, in_list
from autograder.asking.rules import TOKENIZERS
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.checks.ch10_bert.lists import same_lists
from autograder.declare import Exercise, check

EXERCISE = Exercise(
    "wordpiece_tokenize",
    "the longest piece that fits, again and again",
    minutes=20,
    difficulty=2,
    forbids=(TOKENIZERS,),
)


@in_use(gradients=False, dtypes=False, devices=False)
def in_chapter(wordpiece_tokenize, draw: Draw) -> Use:
    """Words as a text has them: capitals, marks, accents, letters that come again, and one that is very long."""

    def call(words: list[str], pieces: list[str]) -> dict[str, list[str]]:
        found = cut_up(wordpiece_tokenize, [Case(word, pieces) for word in words])["pieces"]
        return {f"what came back for {word!r:.20}": cut for word, cut in zip(words, found, strict=True)}

    letters = ["e", "##e", "##l", "##s", "##é", "##.", "##S", "U", "f", "##a", "##f", "-", "##-", "1", "##9"]
    pieces = [
        *letters,
        "selfelf" * 9,
        "#un",
        "un",
        "##un",
        "##el",
        "elf",
        "##elf",
        "self",
        "##seen",
        "caf",
        "Un",
        "[UNK]",
        "##",
        "",
    ]
    words = [
        "elf",
        "unself",
        "Unself",
        "ELF",
        "café",
        "U.S.",
        "elf-elf",
        "199",
        "elfun" * 30,
        "selfelf" * 9,
        "selfless",
        "unseen",
        "[UNK]",
        "#",
        "#unself",
        "fz",
    ]
    words.append("".join("elfsun"[place] for place in draw.integers(0, 6, 30).tolist()))
    order = draw.normal(len(words)).argsort().tolist()
    return Use(call, ([words[place] for place in order], pieces), (words[:5], pieces[: int(draw.integers(5, 20))]))


_UNK = "[UNK]"
_MOST = 12
_WANTED = "expected a list of strings, the pieces"


def _bare(pieces: list[str]) -> list[str]:
    return [piece.removeprefix("##") for piece in pieces]


def _told(found: list[str], word: str, vocabulary: list[str], right: list[str], beginning: list[str]) -> str:
    """What is wrong about the pieces that were found."""
    if not word:
        return "the empty word has no pieces, expected an empty list"
    if right == [_UNK]:
        return _of_unknown(found, word, beginning)
    if _UNK in found:
        return "the word can be split from left to right, each time with the longest piece that fits; expected no [UNK]"
    if found and found == right[: len(found)]:
        return f"it stops after {len(found)} piece{'s' * (len(found) != 1)}, but letters are left"
    if any(piece.startswith("##") != (place > 0) for place, piece in enumerate(found)):
        return "## belongs before every piece except the first"
    strange = next((piece for piece in found if piece not in vocabulary), None)
    if strange is not None:
        return f"{strange!r} is not in the vocabulary: look up every piece that you return"
    return _longer(found, right) or "the concatenated pieces are not the word"


def _of_unknown(found: list[str], word: str, beginning: list[str]) -> str:
    """What is wrong about pieces of a word that has none."""
    if found == [word]:
        return "the word was returned unsplit, although it is not in the vocabulary; expected ['[UNK]']"
    if found and _UNK in _bare(found):
        return "[UNK] replaces a part of the word, expected it instead of all pieces"
    longer = _longer(found, beginning) if "".join(_bare(found)) == word else ""
    if longer:
        return f"{longer}, and after that one the rest cannot be split: the word is unknown"
    return "at one position no piece fits, so the word has no pieces; expected only ['[UNK]']"


def _longer(found: list[str], right: list[str]) -> str:
    """That a longer piece belongs in the place of the first one that differs; empty if that is not so."""
    for piece, other in zip(found, right, strict=False):
        if piece != other:
            return f"a longer piece than {piece!r} fits at its position" if len(other) > len(piece) else ""
    return ""


LETTERS = "abcdefghijklmnopqrstuvwxyz"
_PATIENCE = 40
"""How many times the vocabulary may be asked for each square of a word's length; an honest search needs one half."""


class Case(NamedTuple):
    """A word, the pieces of its vocabulary and, if no piece fits somewhere, the longest ones before that."""

    word: str
    pieces: list[str]
    beginning: Sequence[str] = ()


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
    return Case(word, pieces + ([rest, *parts[1:]] if rest else []))


def _of_many_cuts(draw: Draw) -> Case:
    """A word of three pieces whose every letter is a piece too, and with pieces that lie across the cuts."""
    first, second, third = _parts(draw, 3)
    word = first + second + third
    across = [second[1:] + third, first[-1:] + second + third]
    longest = [first, f"##{second}", f"##{third}"]
    shorter = [first[:-1], f"##{second[:-1]}"]
    letters = [word[0], *(f"##{letter}" for letter in word)]
    return Case(word, [*longest, *shorter, *(f"##{part}" for part in across), *letters])


def _with_a_gap(draw: Draw, at: int) -> Case:
    """A word of three parts of which one is in no vocabulary, though a longer and a wrongly marked piece have its letters."""
    parts = _parts(draw, 3)
    pieces = [parts[0], *(f"##{part}" for part in parts[1:])]
    gap = pieces.pop(at)
    decoy = f"##{parts[at]}" if at == 0 else parts[at]
    return Case("".join(parts), [*pieces, decoy, f"{gap}#"], pieces[:at])


def _of_a_dead_end(draw: Draw) -> Case:
    """A word whose longest beginning leaves a rest that does not fit, where a shorter one would do."""
    first, second, third = _parts(draw, 3)
    beginning = first + second[:1], f"##{second[1:]}{third[:1]}"
    pieces = [beginning[0], first, f"##{second}", beginning[1], f"##{third}"]
    return Case(first + second + third, pieces, beginning)


def cut_up(wordpiece_tokenize: Callable[..., Any], cases: list[Case], vocabulary: Callable[..., Any] = _Pieces) -> Any:
    """What came back for each word, and what was asked."""
    cases = [case._replace(pieces=list(dict.fromkeys(case.pieces))) for case in cases]
    found = []
    for word, pieces, _ in cases:
        result = in_list(wordpiece_tokenize(word, vocabulary(word, pieces)), f"{_WANTED}, but what it returned is")
        if not isinstance(result, list) or not all(isinstance(piece, str) for piece in result):
            wrong = next(p for p in result if type(p) is not str) if isinstance(result, list) else result
            inside = "a list in which one piece is " if isinstance(result, list) else ""
            raise MisuseError(f"what it returned is {inside}{_kind_of(wrong)}, {_WANTED}")
        found.append([str(piece) for piece in result])
    return {
        "pieces": found,
        "words": [case.word for case in cases],
        "vocabularies": [case.pieces for case in cases],
        "beginnings": [list(case.beginning) for case in cases],
    }


def _kind_of(value: Any) -> str:
    return "one string" if isinstance(value, str) else kind_of(value)


def _shuffled(draw: Draw, cases: list[Case]) -> list[Case]:
    return [cases[place] for place in draw.normal(len(cases)).argsort().tolist()]


@check(
    "every piece except the first is looked up and returned with ##",
    points=2,
    reads=("pieces",),
    compare=same_lists,
    any_length=True,
    hint="For “flightless”, the vocabulary may contain flight and ##less: the prefix ## says that the piece "
    "continues a word. Look up every piece that you return, and continue until no letters are left.",
)
def marks(wordpiece_tokenize, draw: Draw):
    """Words of one, two, three and four pieces that can be cut in one way."""
    return cut_up(wordpiece_tokenize, [_of_one_cut(draw, number) for number in (1, 2, 3, 4)])


@marks.explain
def first_wrong_word(got, want):
    """The first word whose pieces are wrong, and what they show."""
    asked = zip(*(want[name] for name in ("words", "vocabularies", "pieces", "beginnings")), strict=True)
    for found, (word, vocabulary, right, beginning) in zip(got["pieces"], asked, strict=False):
        if found != right:
            shown = ", ".join(piece or "''" for piece in vocabulary[:_MOST]) + ", …" * (len(vocabulary) > _MOST)
            came = str(found) if len(str(found)) < 100 else f"{str(found)[:100]}…"
            wrong = _told(found, word, vocabulary, right, beginning)
            return f"the result for {word!r} with the vocabulary {shown} is {came}: {wrong}"
    return None


@check(
    "the longest piece that fits is taken, from the left",
    points=2,
    needs=marks,
    reads=("pieces",),
    compare=same_lists,
    any_length=True,
    hint="Try all the remaining letters first, then all except the last one, and so on: the first piece in the "
    "vocabulary is the longest.",
)
def longest(wordpiece_tokenize, draw: Draw):
    """Words that can be cut in many ways."""
    return cut_up(wordpiece_tokenize, [_of_many_cuts(draw) for _ in range(3)])


longest.explain(first_wrong_word)


@check(
    "a word in which no piece fits at some position is [UNK] as a whole",
    points=2,
    needs=marks,
    reads=("pieces",),
    compare=same_lists,
    any_length=True,
    hint="If not even a single letter is found, there is no way to split the word: discard the pieces that you "
    "have. The loop must end in this case, too.",
)
def unknown(wordpiece_tokenize, draw: Draw):
    """Words in which nothing fits at the beginning, in the middle or at the end, and words that can be cut."""
    gaps = [_with_a_gap(draw, at) for at in (0, 1, 2)]
    return cut_up(wordpiece_tokenize, _shuffled(draw, gaps + [_of_one_cut(draw, 3) for _ in range(2)]))


unknown.explain(first_wrong_word)


@check(
    "no other way to split is tried when the longest pieces lead nowhere",
    points=1,
    hidden=True,
    needs=(marks, longest, unknown),
    reads=("pieces",),
    compare=same_lists,
    any_length=True,
    hint="The search is greedy and never goes back. If the rest cannot be split, the word is unknown, even if a "
    "shorter piece would have led to a solution.",
)
def dead_ends(wordpiece_tokenize, draw: Draw):
    """Words that another cut than the greedy one would save, and words that can be cut."""
    return cut_up(
        wordpiece_tokenize,
        _shuffled(draw, [*(_of_a_dead_end(draw) for _ in range(2)), *(_of_many_cuts(draw) for _ in range(2))]),
    )


dead_ends.explain(first_wrong_word)


@check(
    "words of one letter or none, and a vocabulary that supports only `in`",
    points=1,
    needs=(marks, unknown),
    reads=("pieces",),
    compare=same_lists,
    any_length=True,
    hint="A vocabulary may be a set, a dict or any other object that supports `piece in vocabulary`: use nothing "
    "else of it. If the word is empty, there is nothing to split.",
)
def small(wordpiece_tokenize, draw: Draw):
    """A word of no letters, words of one letter and a long one, with a vocabulary that answers `in` alone."""
    known, unknown = list(_letters(draw, 2))
    parts = _parts(draw, 5)
    cases = [
        Case("", ["", "##", known]),
        Case(known, [known, f"##{known}"]),
        Case(unknown, [known, f"##{unknown}"]),
        Case("".join(parts), [parts[0], *(f"##{part}" for part in parts[1:])]),
    ]
    return cut_up(wordpiece_tokenize, cases, _Container)


small.explain(first_wrong_word)
