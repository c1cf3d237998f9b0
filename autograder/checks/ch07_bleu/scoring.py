"""What is said of wrong scores, beside which stand the matches and totals that they come from."""

import math

from autograder.judging.compare import difference


def over_the_first(answer):
    """The scores over the first of them, so that a factor of all scores, which is another check's business, does not matter."""
    first, *others = answer["scores"]
    return {"scores over the first": [score / first if first else score for score in others]}


def below_zero(got, want):
    """A mean of logs is negative, and a score never is."""
    least = min(got["scores"])
    told = f"a score is {least:.4g}, which is below 0: is the exponential of the mean of the logs missing?"
    return told if least < 0 else None


def _apart(mine, right):
    """How far off a score is, as a share of the larger one; what is no number is farthest."""
    return abs(mine - right) / max(abs(mine), abs(right), 1e-9) if math.isfinite(mine) else math.inf


def farthest_off(got, want):
    """The n-grams behind the score that is farthest off."""
    rows = zip(got["scores"], want["scores"], want["counts"].tolist(), strict=True)
    mine, right, counts = max(rows, key=lambda row: _apart(*row[:2]))
    told = ", ".join(f"{matches} of {total}" for matches, total in counts)
    return f"with {told} n-grams matching for n = 1 to 4: {difference(mine, right)}"
