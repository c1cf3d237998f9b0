"""What is right about `split_heads`, and what is said when it is not."""

from typing import Any

from autograder.checks.ch08_self_attention.judges.dimensions import changed_places
from autograder.checks.ch08_self_attention.probes import split_heads as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_CUT = "head h gets the h-th block of consecutive components"
_POSITIONS = "every position keeps its own components, and the heads come before the positions"


@judge(
    _CUT,
    probe=probes.one_position,
    points=1,
    hint="Write down the numbers 0 to 5 as one vector and split it for three heads: 0 1, 2 3, 4 5. A reshape "
    "fills the last dimension first. The result is (B, num_heads, T, d_k), here with T = 1.",
)
def runs_of_neighbours(got: Any, want: Any) -> Verdict:
    """The cut, of one position."""
    heads, states = got["heads"], want["states"]
    if is_close(heads, want["heads"]):
        return passed()
    batch, length, _ = states.shape
    dealt = states.reshape(batch, length, probes.SIZE, probes.HEADS).permute(0, 3, 1, 2)
    if is_close(heads, dealt):
        return failed("the components alternate between the heads, 0 3 and 1 4 and 2 5; expected blocks: 0 1, 2 3, 4 5")
    if is_close(heads, want["heads"].flip(1)):
        return failed("the heads are in reverse order")
    return failed(f"heads: {difference(heads, want['heads'])}")


@judge(
    _POSITIONS,
    probe=probes.positions,
    points=2,
    needs=(_CUT,),
    hint="First split, (B, T, num_heads, d_k), where each position still has its own components; then swap two "
    "dimensions. view and reshape keep all values in their order in memory: they cannot swap dimensions.",
)
def positions_stay(got: Any, want: Any) -> Verdict:
    """The dimensions, and what went where."""
    heads, states = got["heads"], want["states"]
    if is_close(heads, want["heads"]):
        return passed()
    if is_close(heads, states.reshape(heads.shape)):
        return failed(
            "the states were reshaped to (B, num_heads, T, d_k) directly, without a transposition: each head got "
            "all components of some positions, expected some components of all positions"
        )
    told = changed_places(heads, want["heads"], ("B", "num_heads", "T", "d_k"))
    return failed(told or f"heads: {difference(heads, want['heads'])}")


@judge(
    "a d_model that is not divisible by num_heads raises an error",
    probe=probes.refused,
    points=1,
    needs=(_CUT,),
    hint="Raise ValueError with a message that says what was wrong. Which remainder tells you that d_model is "
    "not a multiple of num_heads?",
)
def refuses(got: Any, want: Any) -> Verdict:
    """A ValueError where it is due, and none where it is not."""
    for case, raised in got["refused"].items():
        if raised == "no error":
            return failed(f"{case} raised no error, expected a ValueError")
        if raised != "ValueError":
            return failed(
                f"{case} raised {raised}, expected a ValueError of your own with a message that says what was wrong"
            )
    return close("heads")(got, want)


sizes = judge(
    "all sizes work: one sentence, one position, one head, heads of size one",
    probe=probes.sizes,
    points=1,
    hidden=True,
    needs=(_CUT, _POSITIONS),
    hint="Take every size from states and num_heads. The result has four dimensions, even where some of them are 1.",
)(close())

other_kinds = judge(
    "integers, half precision and views work, there is a gradient, and the argument is not changed",
    probe=probes.other_kinds,
    points=1,
    arguments=True,
    needs=(_CUT, _POSITIONS),
    hint="A new tensor such as torch.zeros(...) is float32 by default; one made from lists or arrays has no "
    "gradient. view needs contiguous tensors, reshape does not.",
)(close())
