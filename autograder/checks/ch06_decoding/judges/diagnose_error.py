"""What is right about `diagnose_error`, and what is said when it is not."""

from typing import Any

from autograder.checks.ch06_decoding.probes import diagnose_error as probes
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_FAULT = "a reference with a higher score means a search error, one with a lower score a model error"
_NONE = "if the words are the same, there is no error"
_NAMES = ("none", "search", "model")
_SWAPPED = {"search": "model", "model": "search", "none": "none"}


@judge(
    _FAULT,
    probe=probes.others,
    points=2,
    hint="Ask which score is higher. If it is the reference's, the model prefers the reference, and the search did not offer it.",
)
def whose_fault(got: Any, want: Any) -> Verdict:
    """Cases of both kinds."""
    mine, right = got["said"], want["said"]
    if mine == right:
        return passed()
    odd = [word for word in mine if word not in _NAMES]
    if odd:
        return failed(f"{odd[0][:40]!r} was returned, expected one of {', '.join(map(repr, _NAMES))}")
    if mine == [_SWAPPED[word] for word in right]:
        return failed("'search' and 'model' are swapped")
    if len(set(mine)) == 1:
        return failed(f"{mine[0]!r} was returned in each of {len(mine)} cases")
    wrong = sum(word != other for word, other in zip(mine, right, strict=True))
    at = next(i for i, (word, other) in enumerate(zip(mine, right, strict=True)) if word != other)
    return failed(f"{wrong} of {len(right)} cases are wrong: for {want['cases'][at]}, {mine[at]!r} was returned")


def _all(got: Any, want: Any) -> Verdict:
    """All cases."""
    for name in _NAMES[:1] + _NAMES[2:] + _NAMES[1:2]:
        wrong = [at for at, right in enumerate(want["said"]) if right == name != got["said"][at]]
        if wrong:
            mine = got["said"][wrong[0]]
            told = repr(mine) if mine in _NAMES else "another word"
            return failed(
                f"{told} was returned, expected {name!r}, in {len(wrong)} of {want['said'].count(name)} such cases, "
                f"such as for {want['cases'][wrong[0]]}"
            )
    return passed()


same_words = judge(
    _NONE,
    probe=probes.the_same,
    points=1,
    needs=(_FAULT,),
    hint="Compare the words first, all of them and in order. Two scores of the same sentence may differ by rounding, "
    "so unequal scores do not mean that the words differ.",
)(_all)

equal_scores = judge(
    "equal scores are a model error",
    probe=probes.equal,
    points=1,
    hidden=True,
    needs=(_FAULT,),
    hint="If the two scores are equal, no search had a reason to prefer the reference. Is one of your comparisons >= where it has to be >?",
)(_all)

lists_or_tuples = judge(
    "the words may come in a list or in a tuple",
    probe=probes.tuples,
    points=1,
    hidden=True,
    needs=(_FAULT, _NONE),
    hint="In Python [1, 2] == (1, 2) is False. Turn both into lists before you compare them.",
)(_all)
