"""The checks of `merge_heads`."""

from autograder.asking.draw import Draw
from autograder.asking.usage import Use, in_use
from autograder.checks.ch08_self_attention.heads import of_other_kinds
from autograder.declare import Exercise, check

EXERCISE = Exercise("merge_heads", "merge the heads into one vector", minutes=5, difficulty=1)


@in_use()
def in_chapter(merge_heads, draw: Draw) -> Use:
    """Pieces as `split_heads` gives them, which are a view; then one long sentence."""
    return Use(merge_heads, (draw.normal(3, 21, 4, 3).transpose(1, 2),), (draw.normal(1, 2, 24, 5),))


@check(
    "the pieces are concatenated, head 0's first",
    points=1,
    hint="With three heads of two components each, a position's vector is: head 0's two, head 1's two, head 2's "
    "two. The result has three dimensions, (B, T, num_heads · d_k).",
)
def one_position(merge_heads, draw: Draw):
    """One position alone: only the order of the pieces is looked at."""
    return {"merged": merge_heads(draw.normal(2, 3, 1, 2))}


@check(
    "each position gets its own pieces",
    points=2,
    needs=one_position,
    hint="Move the heads after the positions first, (B, T, num_heads, d_k); then flatten the last two dimensions "
    "into one. view and reshape keep all values in their order in memory: they cannot swap dimensions.",
)
def positions(merge_heads, draw: Draw):
    """As many positions as numbers in a piece, so that the two can change places."""
    return {"merged": merge_heads(draw.normal(2, 4, 3, 3))}


@check(
    "all sizes work: one sentence, one position, one head, heads of size one",
    points=1,
    hidden=True,
    needs=(one_position, positions),
    hint="Take every size from states. The result has three dimensions, even where some of them are 1.",
)
def sizes(merge_heads, draw: Draw):
    """No two sizes equal; one sentence with one position, or with one head; one head; heads of size one."""
    cases = {
        "no two sizes equal": (2, 4, 5, 3),
        "one sentence, one position": (1, 2, 1, 3),
        "one sentence, one head": (1, 1, 3, 4),
        "one head": (2, 1, 3, 4),
        "heads of size one": (2, 4, 3, 1),
    }
    return {name: merge_heads(draw.normal(*shape)) for name, shape in cases.items()}


@check(
    "integers, half precision and views work, there is a gradient, and the argument is not changed",
    points=1,
    needs=(one_position, positions),
    arguments=True,
    hint="The output of attention may be in any order in memory: view needs contiguous tensors, reshape does "
    "not. A new tensor such as torch.zeros(...) is float32 by default; one made from lists or arrays has no "
    "gradient.",
)
def other_kinds(merge_heads, draw: Draw):
    """Whole numbers, half precision, a view, and the gradient; and the argument after the call."""
    states = draw.normal(2, 3, 5, 2)
    return {
        **of_other_kinds(merge_heads, draw, 2, 3, 5, 2),
        "a new tensor": merge_heads(states),
        "the argument": states,
    }
