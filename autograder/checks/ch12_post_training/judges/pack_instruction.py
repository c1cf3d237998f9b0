"""What is right about `pack_instruction`, and what is said when it is not."""

from typing import Any

from autograder.checks.ch12_post_training.probes import pack_instruction as probes
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_SEQUENCE = "the sequence is BOS, the instruction, the answer mark, the answer, the end mark"
_WRITTEN = "the model has to write the answer and the end mark, and nothing before them"


def _named(tokens: list[int], want: Any) -> str:
    """The sequence in words."""
    names = {want["bos_id"]: "<bos>", want["answer_id"]: "<answer>", want["eos_id"]: "<eos>"}
    names |= {piece: f"p{place}" for place, piece in enumerate(want["prompt"], 1)}
    names |= {piece: f"a{place}" for place, piece in enumerate(want["answer"], 1)}
    return " ".join(names.get(token, "?") for token in tokens[:16]) + " …" * (len(tokens) > 16)


@judge(
    _SEQUENCE,
    probe=probes.sequence,
    points=2,
    any_length=True,
    hint="Write the sequence down in the order given in the name of the check: three marks and two lists. Lists are joined with +.",
)
def in_order(got: Any, want: Any) -> Verdict:
    """The ids and their order."""
    tokens, right = got["tokens"], want["tokens"]
    if tokens == right:
        return passed()
    told = f"the instruction p1 … with the answer a1 … came back as {_named(tokens, want)}"
    if "?" in told:
        return failed(f"{told}: each ? is an id that was not given")
    prompt = len(want["prompt"])
    mistakes = {
        "the end mark is missing": right[:-1],
        "BOS is missing": right[1:],
        "the answer mark is missing": right[: prompt + 1] + right[prompt + 2 :],
        "the answer and the instruction are swapped": [
            right[0],
            *want["answer"],
            want["answer_id"],
            *want["prompt"],
            right[-1],
        ],
    }
    for message, wrong in mistakes.items():
        if tokens == wrong:
            return failed(f"{told}: {message}")
    return failed(f"{told}, which is not the order in the check's name")


@judge(
    _WRITTEN,
    probe=probes.written,
    points=2,
    needs=(_SEQUENCE,),
    any_length=True,
    hint="The list has one bool for each id. When the model is used, it is given everything up to the answer mark, and it has to stop on its own.",
)
def one_for_each(got: Any, want: Any) -> Verdict:
    """A bool for each id."""
    found, right = got["is_answer"], want["is_answer"]
    if found == right:
        return passed() if got["tokens"] == want["tokens"] else failed("the bools are right, but the sequence is wrong")
    prompt, answer = want["lengths"]
    told = f"for a prompt of {prompt} pieces and an answer of {answer}"
    given = prompt + 2
    mistakes = {
        "the end mark is not among what has to be written: trained like this, a model never stops": right[:-1]
        + [False],
        "the answer mark is among what has to be written, but it is given": [False] * (given - 1)
        + [True] * (answer + 2),
        "everything has to be written, the instruction too": [True] * len(right),
        "everything but BOS has to be written, the instruction too": [False] + [True] * (len(right) - 1),
        "nothing has to be written": [False] * len(right),
        "False and True are swapped": [not each for each in right],
        "the first piece of the answer does not have to be written": [False] * (given + 1) + [True] * answer,
        "only the end mark has to be written": [False] * (len(right) - 1) + [True],
        "the marks have no bools of their own": [False] * prompt + [True] * answer,
        "the bools are shifted by one, to the positions that predict what has to be written: leave that shift to the loss": right[
            1:
        ]
        + [False],
    }
    for message, wrong in mistakes.items():
        if found == wrong:
            return failed(f"{told}, {message}")
    if len(found) != len(right):
        return failed(f"{told}, {len(found)} bools came back, expected {len(right)}, one for each id of the sequence")
    first = next(place for place, both in enumerate(zip(found, right, strict=True)) if both[0] != both[1])
    return failed(f"{told}, the bool at {first} is {found[first]}")


@judge(
    "the instruction and the answer are left as they were",
    probe=probes.again,
    points=1,
    arguments=True,
    needs=(_SEQUENCE, _WRITTEN),
    any_length=True,
    hint="The same instruction may be packed again with another answer. append, extend, insert and += change a list in place; + makes a new one.",
)
def leaves_lists(got: Any, want: Any) -> Verdict:
    """The lists after two calls, and what came back."""
    if got["lists"] != want["lists"]:
        return failed("a list that was given has changed")
    wrong = next((name for name in want if got[name] != want[name]), None)
    return passed() if wrong is None else failed(f"when one prompt was packed with two answers, {wrong} was wrong")


@judge(
    "the instruction or the answer may be empty, and any id may be in them",
    probe=probes.empty,
    points=1,
    hidden=True,
    needs=(_SEQUENCE, _WRITTEN),
    any_length=True,
    hint="The three marks are always there, whatever the lists hold. Count by lengths rather than looking for an id "
    "in the sequence.",
)
def of_any_length(got: Any, want: Any) -> Verdict:
    """Instructions at the edge of what is allowed."""
    for name, right in want.items():
        if got[name] != right:
            shown = got[name] if len(str(got[name])) < 200 else "something long"
            return failed(f"where {name}, what came back is {shown}")
    return passed()
