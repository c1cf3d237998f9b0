"""What is right about `wordpiece_tokenize`, and what is said when it is not."""

from typing import Any

from autograder.checks.ch10_bert.probes import wordpiece_tokenize as probes
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_MARKS = "every piece except the first is looked up and returned with ##"
_LONGEST = "the longest piece that fits is taken, from the left"
_UNKNOWN = "a word in which no piece fits at some position is [UNK] as a whole"
_UNK = "[UNK]"
_MOST = 12


def _bare(pieces: list[str]) -> list[str]:
    return [piece.removeprefix("##") for piece in pieces]


def _all(got: Any, want: Any) -> Verdict:
    """All words, each with its vocabulary."""
    if got["pieces"] == want["pieces"]:
        return passed()
    asked = list(zip(want["words"], want["vocabularies"], want["pieces"], strict=True))
    for found, (word, vocabulary, right) in zip(got["pieces"], asked, strict=False):
        if found != right:
            shown = ", ".join(piece or "''" for piece in vocabulary[:_MOST]) + ", …" * (len(vocabulary) > _MOST)
            came = str(found) if len(str(found)) < 100 else f"{str(found)[:100]}…"
            return failed(
                f"the result for {word!r} with the vocabulary {shown} is {came}: "
                f"{_told(found, word, vocabulary, right)}"
            )
    return failed(f"there are {len(got['pieces'])} results for {len(asked)} words")


def _told(found: list[str], word: str, vocabulary: list[str], right: list[str]) -> str:
    """What is wrong about the pieces that were found."""
    if not word:
        return "the empty word has no pieces, expected an empty list"
    if right == [_UNK]:
        return _of_unknown(found, word, vocabulary)
    if _UNK in found:
        return "the word can be split from left to right, each time with the longest piece that fits; expected no [UNK]"
    if found == _bare(right):
        return "the pieces after the first lack ##"
    if found and found == right[: len(found)]:
        return f"it stops after {len(found)} piece{'s' * (len(found) != 1)}, but letters are left"
    if any(piece.startswith("##") != (place > 0) for place, piece in enumerate(found)):
        return "## belongs before every piece except the first"
    strange = next((piece for piece in found if piece not in vocabulary), None)
    if strange is not None:
        return f"{strange!r} is not in the vocabulary: look up every piece that you return"
    return _longer(found, word, vocabulary) or "the concatenated pieces are not the word"


def _of_unknown(found: list[str], word: str, vocabulary: list[str]) -> str:
    """What is wrong about pieces of a word that has none."""
    if found == [word]:
        return "the word was returned unsplit, although it is not in the vocabulary; expected ['[UNK]']"
    if found and _UNK in _bare(found):
        return "[UNK] replaces a part of the word, expected it instead of all pieces"
    longer = _longer(found, word, vocabulary) if "".join(_bare(found)) == word else ""
    if longer:
        return f"{longer}, and after that one the rest cannot be split: the word is unknown"
    return "at one position no piece fits, so the word has no pieces; expected only ['[UNK]']"


def _longer(found: list[str], word: str, vocabulary: list[str]) -> str:
    """The first piece in the place of which there is a longer one; empty if each is the longest."""
    start = 0
    for piece in found:
        mark = "##" * (start > 0)
        if any(
            (mark + word[start:end]) in vocabulary for end in range(start + len(piece) - len(mark) + 1, len(word) + 1)
        ):
            return f"a longer piece than {piece!r} fits at its position"
        start += len(piece) - len(mark)
    return ""


marks = judge(
    _MARKS,
    probe=probes.marks,
    points=2,
    any_length=True,
    hint="For “flightless”, the vocabulary may contain flight and ##less: the prefix ## says that the piece "
    "continues a word. Look up every piece that you return, and continue until no letters are left.",
)(_all)

longest = judge(
    _LONGEST,
    probe=probes.longest,
    points=2,
    any_length=True,
    needs=(_MARKS,),
    hint="Try all the remaining letters first, then all except the last one, and so on: the first piece in the "
    "vocabulary is the longest.",
)(_all)

unknown = judge(
    _UNKNOWN,
    probe=probes.unknown,
    points=2,
    any_length=True,
    needs=(_MARKS,),
    hint="If not even a single letter is found, there is no way to split the word: discard the pieces that you "
    "have. The loop must end in this case, too.",
)(_all)

dead_ends = judge(
    "no other way to split is tried when the longest pieces lead nowhere",
    probe=probes.dead_ends,
    points=1,
    any_length=True,
    hidden=True,
    needs=(_MARKS, _LONGEST, _UNKNOWN),
    hint="The search is greedy and never goes back. If the rest cannot be split, the word is unknown, even if a "
    "shorter piece would have led to a solution.",
)(_all)

small = judge(
    "words of one letter or none, and a vocabulary that supports only `in`",
    probe=probes.small,
    points=1,
    any_length=True,
    hidden=True,
    needs=(_MARKS, _UNKNOWN),
    hint="A vocabulary may be a set, a dict or any other object that supports `piece in vocabulary`: use nothing "
    "else of it. If the word is empty, there is nothing to split.",
)(_all)
