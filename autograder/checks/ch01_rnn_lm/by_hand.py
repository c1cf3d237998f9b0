"""Inputs small enough to do by hand, for questions about a reader's code."""

from collections import Counter

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.asking.draw import Draw
from autograder.questions.given import Given, Stand, whole


def interpolated_trigram(draw: Draw) -> Given:
    """Counts of a few words, of which some contexts were never seen."""
    counts: Counter[tuple[str, ...]] = Counter({(): 4, ("a",): 2, ("b",): 2})
    before = [("a", "b"), ("b", "a"), ("b", "b")][int(draw.integers(0, 3))]
    if draw.integers(0, 3) > 0:
        counts[before] = 2
        counts[(*before, "a")] = int(draw.integers(0, 3))
    counts[(before[1], "a")] = int(draw.integers(0, 3))
    weights = [(0.1, 0.2, 0.3, 0.4), (0.25, 0.25, 0.25, 0.25), (0.4, 0.2, 0.2, 0.2)][int(draw.integers(0, 3))]
    return Given({"word": "a", "before": before, "counts": counts, "weights": weights, "vocab_size": 5})


def negative_sampling_loss(draw: Draw) -> Given:
    """Scores that are 0 or far from it."""
    center, context, negatives = 2 * whole(draw, 2, 2, low=0), whole(draw, 2, 2), whole(draw, 2, 2, 2, low=-1, high=2)
    return Given({"center": center, "context": context, "negatives": negatives})


def rnn_step(draw: Draw) -> Given:
    """Vectors of two numbers, and of one."""
    x, h, bias = whole(draw, 2, 1, low=-1), whole(draw, 2, 2, low=-1, high=2), whole(draw, 2, low=-1, high=2)
    input_weight, state_weight = whole(draw, 2, 1, low=-1), whole(draw, 2, 2, low=-1)
    return Given({"x": x, "h": h, "input_weight": input_weight, "state_weight": state_weight, "bias": bias})


def perplexity(draw: Draw) -> Given:
    """Probabilities of 1, 1/2, 1/4 and 1/8, as logarithms."""
    mask = draw.mask(2, 3)
    halvings = draw.integers(0, 4, 2, 3)
    told = "log(tensor([{}]))".format(", ".join(str([1 / 2**n for n in row]) for row in halvings.tolist()))
    return Given({"log_probs": Stand(-halvings * torch.tensor(2.0).log(), told), "mask": mask})


def sample_sentence(draw: Draw) -> Given:
    """A model that is sure of each next word."""
    after = draw.integers(0, 4, 4)

    def step(word: int, state: int) -> tuple[Tensor, int]:
        return 100.0 * F.one_hot((after[word] + state) % 4, 4), state + 1

    told = f"after word w and with state s, the next word is certain: it is (n + s) % 4, where n = {after.tolist()}[w];\nthe new state is s + 1"
    generator = Stand(draw.generator(), "a torch.Generator")
    return Given(
        {
            "step": Stand(step, told),
            "state": int(draw.integers(0, 2)),
            "generator": generator,
            "bos": 0,
            "eos": 3,
            "max_words": int(draw.integers(2, 5)),
        }
    )


def kneser_ney(draw: Draw) -> Given:
    """Bigrams of three words."""
    followers: dict[str, Counter[str]] = {}
    predecessors: dict[str, Counter[str]] = {}
    for number in draw.integers(0, 6, 4).tolist():
        first, second = "ab"[number // 3], "abc"[number % 3]
        followers.setdefault(first, Counter())[second] += 1
        predecessors.setdefault(second, Counter())[first] += 1
    word, before = "abc"[int(draw.integers(0, 3))], "aabc"[int(draw.integers(0, 4))]
    return Given(
        {
            "word": word,
            "before": before,
            "followers": followers,
            "predecessors": predecessors,
            "discount": 0.5,
            "vocab_size": 4,
        }
    )
