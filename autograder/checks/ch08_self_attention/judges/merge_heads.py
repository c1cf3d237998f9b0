"""What is right about `merge_heads`, and what is said when it is not."""

from typing import Any

from autograder.checks.ch08_self_attention.probes import merge_heads as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_ORDER = "the pieces stand behind each other, head 0's first"
_POSITIONS = "a position gets its own pieces"


@judge(
    _ORDER,
    probe=probes.one_position,
    points=1,
    hint="With three heads of two numbers each, a position's vector is: head 0's two, head 1's two, head 2's two. The result has three "
    "dimensions, (B, T, num_heads · d_k).",
)
def head_after_head(got: Any, want: Any) -> Verdict:
    """The order of the pieces, of one position."""
    merged, states = got["merged"], want["states"]
    if is_close(merged, want["merged"]):
        return passed()
    if is_close(merged, states.permute(0, 2, 3, 1).flatten(start_dim=2)):
        return failed(
            "the heads' numbers are dealt out in turn: every head's first, then every head's second; expected all of head 0's first"
        )
    if is_close(merged, states.flip(1).transpose(1, 2).flatten(start_dim=2)):
        return failed("the heads came back in the reverse order")
    return failed(f"merged: {difference(merged, want['merged'])}")


@judge(
    _POSITIONS,
    probe=probes.positions,
    points=2,
    needs=(_ORDER,),
    hint="Bring the heads behind the positions first, (B, T, num_heads, d_k); then make one dimension of the last two. view and reshape only "
    "count on, whatever the dimensions mean: they cannot carry a number to another place.",
)
def own_pieces(got: Any, want: Any) -> Verdict:
    """What went where."""
    merged, states = got["merged"], want["states"]
    if is_close(merged, want["merged"]):
        return passed()
    if is_close(merged, states.reshape(merged.shape)):
        return failed(
            "the states were reshaped to (B, T, num_heads · d_k) at once, without a transposition: a row holds one head's pieces of several "
            "positions, expected all heads' pieces of one position"
        )
    if any(is_close(merged, states.permute(0, 3, *rest).flatten(start_dim=2)) for rest in ((1, 2), (2, 1))):
        return failed("a row holds one number of every position, expected all numbers of one position")
    return failed(f"merged: {difference(merged, want['merged'])}")


sizes = judge(
    "any sizes will do: one sentence, one position, one head, heads of one number",
    probe=probes.sizes,
    points=1,
    hidden=True,
    needs=(_ORDER, _POSITIONS),
    hint="Take every size from states. The result has three dimensions, also where some of them are 1.",
)(close())

other_kinds = judge(
    "whole numbers, half precision and views work, the gradient comes back, and the argument stays as it was",
    probe=probes.other_kinds,
    points=1,
    arguments=True,
    needs=(_ORDER, _POSITIONS),
    hint="What an attention returns may lie in memory in any order: view needs numbers that lie side by side, reshape does not. A new tensor "
    "such as torch.zeros(...) is float32 unless you say otherwise; one made of lists or arrays has no gradient.",
)(close())
