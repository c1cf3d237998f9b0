"""Where the sample class and the tests get their random numbers: the same in every run, or others with `SEED=n make test`."""

import os
import random
import sys

SEED = int(os.environ.get("SEED") or 0)


def drawn(purpose: str) -> random.Random:
    """A generator for one purpose, whose numbers do not depend on what ran before."""
    return random.Random(f"{SEED} {purpose}")


def secret(purpose: str) -> str:
    """A secret as a course has one for each chapter."""
    return f"{drawn(purpose).getrandbits(256):064x}"


def restart() -> None:
    """Begin anew with the generators that belong to the process, for code that uses them without asking for a seed."""
    random.seed(SEED)
    for module, seed in (("numpy.random", "seed"), ("torch", "manual_seed")):
        if module in sys.modules:
            getattr(sys.modules[module], seed)(SEED)
