"""Inputs small enough to do by hand, for questions about a reader's code."""

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.questions.given import Given, Stand, whole

_SHARES = ((0.5, 0.25, 0.25), (0.25, 0.5, 0.25), (0.25, 0.25, 0.5), (0.1, 0.6, 0.3), (0.6, 0.3, 0.1), (0.2, 0.2, 0.6))


def _log(probabilities: Tensor) -> Stand:
    rows = [[round(share, 2) for share in row] for row in probabilities.tolist()]
    return Stand(probabilities.log(), f"log(tensor({rows}))")


def beam_search(draw: Draw) -> Given:
    """Three words, of which one ends the sentence."""
    chosen = torch.tensor([_SHARES[n] for n in draw.integers(0, len(_SHARES), 3).tolist()])

    def step(word: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        return chosen.log()[word], state

    told = (
        "the probabilities of the words 0, 1 and 2 are, after word\n"
        + "\n".join(f"{word}: {[round(share, 2) for share in row]}" for word, row in enumerate(chosen.tolist()))
        + "\nand the state stays as it is"
    )
    return Given(
        {
            "step": Stand(step, told),
            "state": torch.zeros(1, 1, 1),
            "bos": 0,
            "eos": 2,
            "beam_width": int(draw.integers(1, 3)),
            "max_words": int(draw.integers(1, 3)),
        }
    )


def diagnose_error(draw: Draw) -> Given:
    """Two short sentences, the same or not, and scores in halves."""
    found = draw.integers(0, 3, 2).tolist()
    reference = list(found) if draw.integers(0, 2) else draw.integers(0, 3, 2).tolist()
    scores = (draw.integers(-4, 0, 2) / 2).tolist()
    return Given({"found": found, "reference": reference, "found_score": scores[0], "reference_score": scores[1]})


def top_k_filter(draw: Draw) -> Given:
    """Two rows, perhaps with ties."""
    return Given({"logits": whole(draw, 2, 4, low=0, high=5), "k": int(draw.integers(1, 4))})


def top_p_filter(draw: Draw) -> Given:
    """Two rows of probabilities in plain numbers."""
    rows = torch.tensor([_SHARES[n] for n in draw.integers(0, len(_SHARES), 2).tolist()])
    return Given({"logits": _log(rows), "p": (0.3, 0.55, 0.7, 0.95)[int(draw.integers(0, 4))]})


def sample_next(draw: Draw) -> Given:
    """Logits of which one is far above the others, and a filter that may forbid it."""
    logits = torch.stack([draw.normal(4).argsort() for _ in range(2)]) * 100.0
    forbids = Stand(
        lambda found: found.masked_fill(found == found.amax(dim=-1, keepdim=True), -torch.inf),
        "sets the largest logit of each row to -inf",
    )
    generator = Stand(draw.generator(), "a torch.Generator")
    keep = forbids if draw.integers(0, 2) else None
    return Given({"logits": logits, "generator": generator, "temperature": int(draw.integers(1, 3)) / 2, "keep": keep})
