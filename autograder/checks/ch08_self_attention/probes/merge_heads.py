"""What is asked of `merge_heads`."""

from autograder.checks.ch08_self_attention.probes.heads import of_other_kinds
from autograder.declare import probe
from autograder.draw import Draw


@probe("merge_heads")
def one_position(merge_heads, draw: Draw):
    """One position alone: only the order of the pieces is looked at."""
    states = draw.normal(2, 3, 1, 2)
    return {"merged": merge_heads(states), "states": states}


@probe("merge_heads")
def positions(merge_heads, draw: Draw):
    """As many positions as numbers in a piece, so that the two can change places."""
    states = draw.normal(2, 4, 3, 3)
    return {"merged": merge_heads(states), "states": states}


@probe("merge_heads")
def sizes(merge_heads, draw: Draw):
    """No two sizes equal; one sentence with one position; one head; heads of size one."""
    cases = {
        "no two sizes equal": (2, 4, 5, 3),
        "one sentence, one position": (1, 2, 1, 3),
        "one head": (2, 1, 3, 4),
        "heads of size one": (2, 4, 3, 1),
    }
    return {name: merge_heads(draw.normal(*shape)) for name, shape in cases.items()}


@probe("merge_heads")
def other_kinds(merge_heads, draw: Draw):
    """Whole numbers, half precision, a view, and the gradient; and the argument after the call."""
    states = draw.normal(2, 3, 5, 2)
    return {
        **of_other_kinds(merge_heads, draw, 2, 3, 5, 2),
        "a new tensor": merge_heads(states),
        "the argument": states,
    }
