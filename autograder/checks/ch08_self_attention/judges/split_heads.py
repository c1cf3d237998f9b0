"""What is right about `split_heads`, and what is said when it is not."""

from typing import Any

from autograder.checks.ch08_self_attention.judges.dimensions import changed_places
from autograder.checks.ch08_self_attention.probes import split_heads as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_CUT = "head h gets the h-th run of neighbouring numbers"
_POSITIONS = "every position keeps its own numbers, and the heads stand before the positions"


@judge(
    _CUT,
    probe=probes.one_position,
    points=1,
    hint="Write the numbers 0 to 5 down as one vector and cut it for three heads: 0 1, 2 3, 4 5. A reshape counts on in its last "
    "dimension first. The result is (B, num_heads, T, d_k), here with T = 1.",
)
def runs_of_neighbours(got: Any, want: Any) -> Verdict:
    """The cut, of one position."""
    heads, states = got["heads"], want["states"]
    if is_close(heads, want["heads"]):
        return passed()
    batch, length, _ = states.shape
    dealt = states.reshape(batch, length, probes.SIZE, probes.HEADS).permute(0, 3, 1, 2)
    if is_close(heads, dealt):
        return failed(
            "the numbers were dealt out to the heads in turn, 0 3 and 1 4 and 2 5; expected runs: 0 1, 2 3, 4 5"
        )
    if is_close(heads, want["heads"].flip(1)):
        return failed("the heads came back in the reverse order")
    return failed(f"heads: {difference(heads, want['heads'])}")


@judge(
    _POSITIONS,
    probe=probes.positions,
    points=2,
    needs=(_CUT,),
    hint="Cut first, (B, T, num_heads, d_k), where each position still has its own numbers; then let two dimensions change places. "
    "view and reshape only count on, whatever the dimensions mean: they cannot carry a number to another place.",
)
def positions_stay(got: Any, want: Any) -> Verdict:
    """The dimensions, and what went where."""
    heads, states = got["heads"], want["states"]
    if is_close(heads, want["heads"]):
        return passed()
    if is_close(heads, states.reshape(heads.shape)):
        return failed(
            "the states were reshaped to (B, num_heads, T, d_k) at once, without a transposition: each head got all numbers of some "
            "positions, expected some numbers of all positions"
        )
    told = changed_places(heads, want["heads"], ("B", "num_heads", "T", "d_k"))
    return failed(told or f"heads: {difference(heads, want['heads'])}")


@judge(
    "a d_model that cannot be shared out is refused",
    probe=probes.refused,
    points=1,
    needs=(_CUT,),
    hint="Raise ValueError with a sentence that says what was wrong. Which remainder tells that d_model is no multiple of num_heads?",
)
def refuses(got: Any, want: Any) -> Verdict:
    """A ValueError where it is due, and none where it is not."""
    for case, raised in got["refused"].items():
        if raised == "no error":
            return failed(f"{case} went through, expected a ValueError")
        if raised != "ValueError":
            return failed(f"{case} ended in {raised}, expected a ValueError of your own that says what was wrong")
    return close("heads")(got, want)


sizes = judge(
    "any sizes will do: one sentence, one position, one head, heads of one number",
    probe=probes.sizes,
    points=1,
    hidden=True,
    needs=(_CUT, _POSITIONS),
    hint="Take every size from states and num_heads. The result has four dimensions, also where some of them are 1.",
)(close())

other_kinds = judge(
    "whole numbers, half precision and views work, the gradient comes back, and the argument stays as it was",
    probe=probes.other_kinds,
    points=1,
    arguments=True,
    needs=(_CUT, _POSITIONS),
    hint="A new tensor such as torch.zeros(...) is float32 unless you say otherwise; one made of lists or arrays has no gradient. view "
    "needs numbers that lie side by side, reshape does not.",
)(close())
