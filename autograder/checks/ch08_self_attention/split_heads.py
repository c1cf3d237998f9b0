"""The checks of `split_heads`."""

from functools import partial

from autograder.asking.draw import Draw
from autograder.asking.usage import Use, in_use
from autograder.checks.ch08_self_attention.errors import error_of, not_refused
from autograder.checks.ch08_self_attention.heads import of_other_kinds
from autograder.declare import Exercise, check

EXERCISE = Exercise("split_heads", "split each vector into one for each head", minutes=10, difficulty=1)


@in_use()
def in_chapter(split_heads, draw: Draw) -> Use:
    """Vectors that come transposed, as from a model whose batch is not first; then one long sentence, of an odd size."""
    return Use(split_heads, (draw.normal(21, 3, 12).transpose(0, 1), 4), (draw.normal(1, 24, 9), 3))


@check(
    "head h gets the h-th block of consecutive components",
    points=1,
    hint="Write down the numbers 0 to 5 as one vector and split it for three heads: 0 1, 2 3, 4 5. A reshape "
    "fills the last dimension first. The result is (B, num_heads, T, d_k), here with T = 1.",
)
def one_position(split_heads, draw: Draw):
    """One position alone: only the cut is looked at."""
    return {"heads": split_heads(draw.normal(2, 1, 6), 3)}


@check(
    "every position keeps its own components, and the heads come before the positions",
    points=2,
    needs=one_position,
    hint="First split, (B, T, num_heads, d_k), where each position still has its own components; then swap two "
    "dimensions. view and reshape keep all values in their order in memory: they cannot swap dimensions.",
)
def positions(split_heads, draw: Draw):
    """As many positions as numbers in a piece, so that the two can change places."""
    return {"heads": split_heads(draw.normal(2, 3, 12), 4)}


@check(
    "a d_model that is not divisible by num_heads raises an error",
    points=1,
    needs=one_position,
    hint="Raise ValueError with a message that says what was wrong. Which remainder tells you that d_model is "
    "not a multiple of num_heads?",
)
def refused(split_heads, draw: Draw):
    """Numbers of heads that do not share out the vector evenly; and one that does."""
    answers = {}
    for size, heads in ((8, 3), (9, 4), (2, 4)):
        states = draw.normal(2, 3, size)
        answers[f"d_model = {size} with {heads} heads"] = error_of(partial(split_heads, states, heads))
    return {"refused": answers, "heads": split_heads(draw.normal(2, 1, 6), 3)}


refused.explain(not_refused)


@check(
    "all sizes work: one sentence, one position, one head, heads of size one",
    points=1,
    hidden=True,
    needs=(one_position, positions),
    hint="Take every size from states and num_heads. The result has four dimensions, even where some of them are 1.",
)
def sizes(split_heads, draw: Draw):
    """No two sizes equal; one sentence with one position, or with one head; one head; heads of size one."""
    cases = {
        "no two sizes equal": (2, 5, 12, 4),
        "one sentence, one position": (1, 1, 6, 2),
        "one sentence, one head": (1, 3, 4, 1),
        "one head": (2, 3, 4, 1),
        "heads of size one": (2, 3, 4, 4),
    }
    return {name: split_heads(draw.normal(*shape), heads) for name, (*shape, heads) in cases.items()}


@check(
    "integers, half precision and views work, there is a gradient, and the argument is not changed",
    points=1,
    needs=(one_position, positions),
    arguments=True,
    hint="A new tensor such as torch.zeros(...) is float32 by default; one made from lists or arrays has no "
    "gradient. view needs contiguous tensors, reshape does not.",
)
def other_kinds(split_heads, draw: Draw):
    """Whole numbers, half precision, a view, and the gradient; and the argument after the call."""
    states = draw.normal(2, 5, 6)
    return {
        **of_other_kinds(lambda given: split_heads(given, 3), draw, 2, 5, 6),
        "a new tensor": split_heads(states, 3),
        "the argument": states,
    }
