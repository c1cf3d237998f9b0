"""What is asked of `split_heads`."""

from autograder.checks.ch08_self_attention.probes.heads import of_other_kinds
from autograder.declare import probe
from autograder.draw import Draw

HEADS, SIZE = 3, 2


@probe("split_heads")
def one_position(split_heads, draw: Draw):
    """One position alone: only the cut is looked at."""
    states = draw.normal(2, 1, HEADS * SIZE)
    return {"heads": split_heads(states, HEADS), "states": states}


@probe("split_heads")
def positions(split_heads, draw: Draw):
    """As many positions as numbers in a piece, so that the two can change places."""
    states = draw.normal(2, 3, 12)
    return {"heads": split_heads(states, 4), "states": states}


@probe("split_heads")
def sizes(split_heads, draw: Draw):
    """No two sizes equal; one sentence with one position; one head; heads of size one."""
    cases = {
        "no two sizes equal": (2, 5, 12, 4),
        "one sentence, one position": (1, 1, 6, 2),
        "one head": (2, 3, 4, 1),
        "heads of size one": (2, 3, 4, 4),
    }
    return {name: split_heads(draw.normal(*shape), heads) for name, (*shape, heads) in cases.items()}


@probe("split_heads")
def other_kinds(split_heads, draw: Draw):
    """Whole numbers, half precision, a view, and the gradient; and the argument after the call."""
    states = draw.normal(2, 5, 6)
    return {
        **of_other_kinds(lambda given: split_heads(given, 3), draw, 2, 5, 6),
        "a new tensor": split_heads(states, 3),
        "the argument": states,
    }


@probe("split_heads")
def refused(split_heads, draw: Draw):
    """Numbers of heads that do not share out the vector evenly; and one that does."""
    answers = {}
    for size, heads in ((8, 3), (9, 4), (2, 4)):
        try:
            split_heads(draw.normal(2, 3, size), heads)
        except ValueError:
            answers[f"d_model = {size} with {heads} heads"] = "ValueError"
        except Exception as error:  # noqa: BLE001 - whatever a student's code raises
            answers[f"d_model = {size} with {heads} heads"] = type(error).__name__
        else:
            answers[f"d_model = {size} with {heads} heads"] = "no error"
    return {"refused": answers, "heads": split_heads(draw.normal(2, 1, 6), 3)}
