"""What is right about `merge_heads`, and what is said when it is not."""

from typing import Any

from autograder.checks.ch08_self_attention.probes import merge_heads as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_ORDER = "the pieces are concatenated, head 0's first"
_POSITIONS = "each position gets its own pieces"


@judge(
    _ORDER,
    probe=probes.one_position,
    points=1,
    hint="With three heads of two components each, a position's vector is: head 0's two, head 1's two, head 2's "
    "two. The result has three dimensions, (B, T, num_heads · d_k).",
)
def head_after_head(got: Any, want: Any) -> Verdict:
    """The order of the pieces, of one position."""
    merged, states = got["merged"], want["states"]
    if is_close(merged, want["merged"]):
        return passed()
    if is_close(merged, states.permute(0, 2, 3, 1).flatten(start_dim=2)):
        return failed(
            "the components of the heads alternate: the first of every head, then the second of every head; "
            "expected all of head 0 first"
        )
    if is_close(merged, states.flip(1).transpose(1, 2).flatten(start_dim=2)):
        return failed("the heads are in reverse order")
    return failed(f"merged: {difference(merged, want['merged'])}")


@judge(
    _POSITIONS,
    probe=probes.positions,
    points=2,
    needs=(_ORDER,),
    hint="Move the heads after the positions first, (B, T, num_heads, d_k); then flatten the last two dimensions "
    "into one. view and reshape keep all values in their order in memory: they cannot swap dimensions.",
)
def own_pieces(got: Any, want: Any) -> Verdict:
    """What went where."""
    merged, states = got["merged"], want["states"]
    if is_close(merged, want["merged"]):
        return passed()
    if is_close(merged, states.reshape(merged.shape)):
        return failed(
            "the states were reshaped to (B, T, num_heads · d_k) directly, without a transposition: a row holds "
            "the pieces of one head at several positions, expected the pieces of all heads at one position"
        )
    if any(is_close(merged, states.permute(0, 3, *rest).flatten(start_dim=2)) for rest in ((1, 2), (2, 1))):
        return failed("a row holds one component from every position, expected all components from one position")
    return failed(f"merged: {difference(merged, want['merged'])}")


sizes = judge(
    "all sizes work: one sentence, one position, one head, heads of size one",
    probe=probes.sizes,
    points=1,
    hidden=True,
    needs=(_ORDER, _POSITIONS),
    hint="Take every size from states. The result has three dimensions, even where some of them are 1.",
)(close())

other_kinds = judge(
    "integers, half precision and views work, there is a gradient, and the argument is not changed",
    probe=probes.other_kinds,
    points=1,
    arguments=True,
    needs=(_ORDER, _POSITIONS),
    hint="The output of attention may be in any order in memory: view needs contiguous tensors, reshape does "
    "not. A new tensor such as torch.zeros(...) is float32 by default; one made from lists or arrays has no "
    "gradient.",
)(close())
