"""What is right about `wordpiece_tokenize`, and what is said when it is not."""

from typing import Any

from autograder.checks.ch10_bert.probes import wordpiece_tokenize as probes
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_MARKS = "every piece but the first is looked up and written with ##"
_LONGEST = "the longest piece that fits is taken, from the left"
_UNKNOWN = "a word in which nothing fits at some place is [UNK] as a whole"
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
                f"{came} came back for {word!r} with the vocabulary {shown}: {_told(found, word, vocabulary, right)}"
            )
    return failed(f"{len(got['pieces'])} answers came back for {len(asked)} words")


def _told(found: list[str], word: str, vocabulary: list[str], right: list[str]) -> str:
    """What is wrong about the pieces that were found."""
    if not word:
        return "a word of no letters has no pieces, expected an empty list"
    if right == [_UNK]:
        return _of_unknown(found, word, vocabulary)
    if _UNK in found:
        return "the word can be cut from left to right, each time with the longest piece that fits; expected no [UNK]"
    if found == _bare(right):
        return "the pieces after the first lack ##"
    if found and found == right[: len(found)]:
        return f"it stops after {len(found)} piece{'s' * (len(found) != 1)}, and letters are left"
    if any(piece.startswith("##") != (place > 0) for place, piece in enumerate(found)):
        return "## belongs before every piece but the first"
    strange = next((piece for piece in found if piece not in vocabulary), None)
    if strange is not None:
        return f"the vocabulary does not hold {strange!r}. Look up what you write"
    return _longer(found, word, vocabulary) or "the pieces together are not the word"


def _of_unknown(found: list[str], word: str, vocabulary: list[str]) -> str:
    """What is wrong about pieces of a word that has none."""
    if found == [word]:
        return "the word came back as it is, though the vocabulary does not hold it; expected ['[UNK]']"
    if found and _UNK in _bare(found):
        return "[UNK] stands for a part of the word, expected it in the place of all its pieces"
    longer = _longer(found, word, vocabulary) if "".join(_bare(found)) == word else ""
    if longer:
        return f"{longer}, and with that one the rest cannot be cut: the word is unknown"
    return "at one place nothing fits, so that the word has no pieces; expected ['[UNK]'] alone"


def _longer(found: list[str], word: str, vocabulary: list[str]) -> str:
    """The first piece in the place of which there is a longer one; empty if each is the longest."""
    start = 0
    for piece in found:
        mark = "##" * (start > 0)
        if any(
            (mark + word[start:end]) in vocabulary for end in range(start + len(piece) - len(mark) + 1, len(word) + 1)
        ):
            return f"a longer piece than {piece!r} fits at its place"
        start += len(piece) - len(mark)
    return ""


marks = judge(
    _MARKS,
    probe=probes.marks,
    points=2,
    any_length=True,
    hint="Of “flightless”, the vocabulary may hold flight and ##less: that mark says that something stands before the piece. Look up "
    "what you write, and go on until no letter is left.",
)(_all)

longest = judge(
    _LONGEST,
    probe=probes.longest,
    points=2,
    any_length=True,
    needs=(_MARKS,),
    hint="Try all that is left of the word first, then all but its last letter, and so on: the first that the vocabulary holds is the longest.",
)(_all)

unknown = judge(
    _UNKNOWN,
    probe=probes.unknown,
    points=2,
    any_length=True,
    needs=(_MARKS,),
    hint="When not even one letter is found, there is no cut: forget the pieces that you have. The loop must end there, too.",
)(_all)

dead_ends = judge(
    "no other cut is tried when the longest pieces lead nowhere",
    probe=probes.dead_ends,
    points=1,
    any_length=True,
    hidden=True,
    needs=(_MARKS, _LONGEST, _UNKNOWN),
    hint="The search is greedy: what has been taken stays taken. If the rest cannot be cut, the word is unknown, even if a shorter piece "
    "would have led to an end.",
)(_all)

small = judge(
    "words of one letter or none, and a vocabulary that answers `in` alone",
    probe=probes.small,
    points=1,
    any_length=True,
    hidden=True,
    needs=(_MARKS, _UNKNOWN),
    hint="A vocabulary may be a set, a dict or anything else that answers `piece in vocabulary`: ask it nothing more. Of a word without letters "
    "nothing is left to cut.",
)(_all)
