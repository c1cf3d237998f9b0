"""The checks of `pack_instruction`."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, note_slip
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.checks.ch10_bert.lists import in_form, plain_list, same_lists
from autograder.declare import Exercise, check

EXERCISE = Exercise("pack_instruction", "an instruction and its answer as one sequence", minutes=10, difficulty=1)


@in_use(gradients=False, dtypes=False, devices=False)
def in_chapter(pack_instruction, draw: Draw) -> Use:
    """Texts in which pieces come again; then a long instruction with a short answer, with 0 for a mark, in which the marks' ids come too, the end mark's last."""

    def call(prompt: list[int], answer: list[int], marks: list[int]) -> dict[str, Tensor]:
        tokens, found = as_used(pack_instruction, prompt, answer, marks)
        of = f"for a prompt of {len(prompt)} pieces and an answer of {len(answer)}"
        of += ", which hold the ids of marks too" if {*marks} & {*prompt} else ", some of which come again"
        return {f"the sequence {of}": tokens, f"what has to be written {of}": found}

    def ids(length: int) -> list[int]:
        return draw.integers(5, 12, length).tolist()

    marks = [1, 0, 2]
    return Use(call, (ids(14), ids(9), [2, 4, 3]), ([*marks, *ids(60)], [*marks, *ids(2), 2], marks))


def _named(tokens: list[int], want: Any) -> str:
    """The sequence in words."""
    names = {want["bos_id"]: "<bos>", want["answer_id"]: "<answer>", want["eos_id"]: "<eos>"}
    names |= {piece: f"p{place}" for place, piece in enumerate(want["prompt"], 1)}
    names |= {piece: f"a{place}" for place, piece in enumerate(want["answer"], 1)}
    return " ".join(names.get(token, "?") for token in tokens[:16]) + " …" * (len(tokens) > 16)


_SPECIAL = 100
"""Ids below it are those of marks."""


def _texts(draw: Draw, prompt: int, answer: int) -> tuple[list[int], list[int]]:
    """A prompt and an answer of so many pieces, all of them different."""
    ids = (draw.normal(60).argsort()[: prompt + answer] + _SPECIAL).tolist()
    return ids[:prompt], ids[prompt:]


def _marks(draw: Draw) -> dict[str, int]:
    """The ids of BOS, of the mark before an answer, and of the end mark."""
    bos_id, answer_id, eos_id = draw.normal(_SPECIAL).argsort()[:3].tolist()
    return {"bos_id": bos_id, "answer_id": answer_id, "eos_id": eos_id}


def packed(pack_instruction: Callable[..., Any], prompt: list[int], answer: list[int], **marks: int) -> tuple[Any, Any]:
    """The two results, as lists where they say lists in another form.

    Raises:
        MisuseError: They are not two.
    """
    result = pack_instruction(prompt, answer, marks["bos_id"], marks["answer_id"], marks["eos_id"])
    if not isinstance(result, (list, tuple)) or len(result) != 2:
        raise MisuseError(
            f"what it returned is {kind_of(result)}, expected two lists: the ids, and whether each has to be written"
        )
    if isinstance(result, list):
        note_slip("what it returned is a list, expected a tuple: return ids, bools, without square brackets")
    first, second = result
    if isinstance(first, (list, tuple)) and first and all(isinstance(item, bool) for item in first):
        raise MisuseError("the first result is a list of bools: are the two results in the wrong order?")
    return in_form(first, int, "the sequence"), in_form(second, bool, "the second result")


def plain_ids(result: Any) -> list[int]:
    """The ids of a sequence.

    Raises:
        MisuseError: It is no list of integers.
    """
    return plain_list(result, int, "the sequence")


def plain_bools(result: Any) -> list[bool]:
    """The list beside the ids.

    Raises:
        MisuseError: It is no list of bools.
    """
    return plain_list(result, bool, "the second result")


@check(
    "the sequence is BOS, the instruction, the answer mark, the answer, the end mark",
    points=2,
    compare=same_lists,
    any_length=True,
    hint="Write the sequence down in the order given in the name of the check: three marks and two lists. Lists are joined with +.",
)
def sequence(pack_instruction, draw: Draw):
    """The ids of a packed instruction."""
    prompt, answer = _texts(draw, *draw.integers(2, 6, 2).tolist())
    marks = _marks(draw)
    tokens, _ = packed(pack_instruction, list(prompt), list(answer), **marks)
    return {"tokens": plain_ids(tokens), "prompt": prompt, "answer": answer, **marks}


@sequence.explain
def in_words(got, want):
    """The sequence, with the names of its pieces."""
    told = f"the instruction p1 … with the answer a1 … came back as {_named(got['tokens'], want)}"
    return f"{told}: each ? is an id that was not given" if "?" in told else told


@check(
    "the model has to write the answer and the end mark, and nothing before them",
    points=2,
    needs=sequence,
    compare=same_lists,
    any_length=True,
    hint="The list has one bool for each id. When the model is used, it is given everything up to the answer mark, and it has to stop on its own.",
)
def written(pack_instruction, draw: Draw):
    """Which pieces are to be written, of a prompt and an answer that are not equally long."""
    few = int(draw.integers(2, 5))
    many = few + int(draw.integers(3, 6))
    prompt, answer = _texts(draw, *((few, many) if draw.normal() > 0 else (many, few)))
    tokens, found = packed(pack_instruction, list(prompt), list(answer), **_marks(draw))
    return {
        "is_answer": plain_bools(found),
        "tokens": plain_ids(tokens),
        "lengths": [len(prompt), len(answer)],
    }


@written.explain
def wrong_bool(got, want):
    """How many bools there are, or which is the first that is wrong."""
    found, right = got["is_answer"], want["is_answer"]
    prompt, answer = want["lengths"]
    told = f"for a prompt of {prompt} pieces and an answer of {answer}"
    if len(found) != len(right):
        return f"{told}, {len(found)} bools came back, expected {len(right)}, one for each id of the sequence"
    first = next((place for place, one in enumerate(found) if one != right[place]), None)
    return None if first is None else f"{told}, the bool at {first} is {found[first]}"


@check(
    "the instruction and the answer are left as they were",
    points=1,
    needs=(sequence, written),
    compare=same_lists,
    any_length=True,
    arguments=True,
    hint="The same instruction may be packed again with another answer. append, extend, insert and += change a list in place; + makes a new one.",
)
def again(pack_instruction, draw: Draw):
    """One prompt with two answers, what comes back, and what became of the three lists."""
    prompt, others = _texts(draw, 3, 9)
    one, other = others[:5], others[5:]
    marks = _marks(draw)
    first, second = packed(pack_instruction, prompt, one, **marks), packed(pack_instruction, prompt, other, **marks)
    return {
        "the first sequence": plain_ids(first[0]),
        "the second sequence": plain_ids(second[0]),
        "what the first has to write": plain_bools(first[1]),
        "what the second has to write": plain_bools(second[1]),
        "lists": [list(prompt), list(one), list(other)],
    }


@again.explain
def changed(got, want):
    """What became of the lists that were given."""
    return "a list that was given has changed" if got["lists"] != want["lists"] else None


@check(
    "the instruction or the answer may be empty, and any id may be in them",
    points=1,
    hidden=True,
    needs=(sequence, written),
    compare=same_lists,
    any_length=True,
    hint="The three marks are always there, whatever the lists hold. Count by lengths rather than looking for an id "
    "in the sequence.",
)
def empty(pack_instruction, draw: Draw):
    """Instructions in which the prompt, or the answer, or each, has no pieces; one in which both are the same; one in which pieces have the ids of marks."""
    words, _ = _texts(draw, int(draw.integers(2, 5)), 0)
    marks = _marks(draw)
    cases = {
        "the prompt is empty": ([], words),
        "the answer is empty": (words, []),
        "both are empty": ([], []),
        "both are the same": (words, words),
        "the prompt holds the marks' own ids": ([*marks.values()], words),
        "the answer holds the marks' own ids": (words, [*words, *marks.values()]),
    }
    found = {name: packed(pack_instruction, list(one), list(other), **marks) for name, (one, other) in cases.items()}
    return {name: [plain_ids(ids), plain_bools(marked)] for name, (ids, marked) in found.items()}


def as_used(pack_instruction: Callable[..., Any], prompt: list[int], answer: list[int], marks: list[int]) -> Any:
    """Both results as tensors, for a use as a batch makes it."""
    names = ("bos_id", "answer_id", "eos_id")
    tokens, found = packed(pack_instruction, prompt, answer, **dict(zip(names, marks, strict=True)))
    return [torch.tensor(plain_ids(tokens)), torch.tensor(plain_bools(found))]
