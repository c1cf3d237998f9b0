"""Counting neighbours is what its formula says, computed here the slow way; and a window ends where its sentence ends."""

import math
import random
from collections import Counter

import pytest
import torch

from seqlab.cooccurrence import BOUNDARY, REACH, Mixture, NeighbourCounts, windows_at

VOCAB, MASK, SPECIALS, DISCOUNT = 9, 4, 5, 0.75
PIECES = range(SPECIALS, VOCAB)


@pytest.fixture(params=range(3))
def sentences(request):
    draw = random.Random(request.param)
    return [draw.choices(PIECES, k=draw.randint(1, 9)) for _ in range(12)]


def around(sentences):
    """Each piece with what stands around it, by distance."""
    for sentence in sentences:
        padded = [BOUNDARY] * REACH + sentence + [BOUNDARY] * REACH
        for i, piece in enumerate(sentence):
            yield piece, {d: padded[i + REACH + d] for d in range(-REACH, REACH + 1)}


def smoothed(sentences, window, offsets, shorter):
    context = [window[d] for d in offsets]
    counts = Counter(piece for piece, near in around(sentences) if [near[d] for d in offsets] == context)
    total = sum(counts.values())
    if not total or MASK in context:
        return shorter
    return [max(counts[x] - DISCOUNT, 0) / total + DISCOUNT * len(counts) / total * shorter[x] for x in range(VOCAB)]


def parts_the_slow_way(sentences, window):
    often = Counter(piece for piece, _ in around(sentences))
    single = [(often[x] + 0.1) / (sum(often.values()) + 0.1 * VOCAB) for x in range(VOCAB)]
    before, after = (smoothed(sentences, window, [side], single) for side in (-1, 1))
    apart = [b * a / s for b, a, s in zip(before, after, single, strict=True)]
    apart = [p / sum(apart) for p in apart]
    nearest = smoothed(sentences, window, [-1, 1], apart)
    for away in range(2, REACH + 1):
        before = smoothed(sentences, window, list(range(-away, 0)), before)
        after = smoothed(sentences, window, list(range(1, away + 1)), after)
    return single, before, after, apart, nearest


def some_windows(sentences):
    """Every window of the sentences, some with masks, and some that were never seen."""
    draw = random.Random(0)
    for _, near in [*around(sentences), *around([draw.choices(PIECES, k=8)])]:
        yield near
        yield {d: MASK if piece != BOUNDARY and draw.random() < 0.3 else piece for d, piece in near.items()}


def test_probabilities_are_those_of_the_formula(sentences):
    counts, mixture = NeighbourCounts(sentences, VOCAB, MASK, DISCOUNT), Mixture(0.7, 0.6, 0.5)
    windows = list(some_windows(sentences))
    rows = torch.tensor([[near[d] for d in range(-REACH, REACH + 1)] for near in windows])
    found, mixed = counts.log_probs(rows).exp(), counts.log_probs(rows, mixture).exp()
    for near, one, other in zip(windows, found, mixed, strict=True):
        single, before, after, apart, nearest = parts_the_slow_way(sentences, near)
        torch.testing.assert_close(one, torch.tensor(nearest))
        raw = [
            (b * a) ** 0.7 / s**0.6 * (n / p) ** 0.5
            for s, b, a, p, n in zip(single, before, after, apart, nearest, strict=True)
        ]
        torch.testing.assert_close(other, torch.tensor([p / sum(raw) for p in raw]))


def test_scores_are_those_of_the_probabilities(sentences):
    counts, mixture = NeighbourCounts(sentences, VOCAB, MASK), Mixture(1.0, 1.0, 1.0)
    pieces, near = zip(*around(sentences), strict=True)
    rows = torch.tensor([[window[d] for d in range(-REACH, REACH + 1)] for window in near])
    for given in (None, mixture):
        right, nats = counts.scores(rows, torch.tensor(pieces), given)
        log_probs = counts.log_probs(rows, given)
        assert right.tolist() == [p.argmax() == x for p, x in zip(log_probs, pieces, strict=True)]
        torch.testing.assert_close(nats, torch.tensor([-p[x] for p, x in zip(log_probs, pieces, strict=True)]))


def test_the_best_mixture_is_the_one_with_the_lowest_cross_entropy(sentences):
    counts = NeighbourCounts(sentences[:8], VOCAB, MASK)
    pieces, near = zip(*around(sentences[8:]), strict=True)
    rows, answers = torch.tensor([list(window.values()) for window in near]), torch.tensor(pieces)
    mixtures = [Mixture(a, b, c) for a in (0.4, 0.8) for b in (0.3, 0.9) for c in (0.0, 1.0)]
    nats = [counts.scores(rows, answers, mixture)[1].mean().item() for mixture in mixtures]
    assert counts.best_mixture(rows, answers, mixtures) == mixtures[nats.index(min(nats))]


def test_windows_end_where_their_sentence_ends_and_go_on_over_masks():
    cls, sep, pad = 2, 3, 0
    inputs = torch.tensor([[cls, 5, MASK, 6, sep, 7, MASK, sep], [cls, MASK, sep, 8, sep, pad, pad, pad]])
    windows = windows_at(inputs, inputs == MASK, SPECIALS, MASK)
    assert windows.tolist() == [[0, 0, 5, MASK, 6, 0, 0], [0, 0, 7, MASK, 0, 0, 0], [0, 0, 0, MASK, 0, 0, 0]]
    beside = windows_at(inputs, inputs == 6, SPECIALS, MASK)
    assert beside.tolist() == [[0, 5, MASK, 6, 0, 0, 0]]


def test_many_gaps_are_done_in_parts(sentences):
    counts = NeighbourCounts(sentences, VOCAB, MASK)
    row = torch.tensor([[0, 0, 5, MASK, 6, 0, 0]])
    assert torch.equal(counts.log_probs(row.expand(601, -1)), counts.log_probs(row).expand(601, -1))


def test_sums_to_one_and_gives_something_to_every_piece(sentences):
    found = NeighbourCounts(sentences, VOCAB, MASK).log_probs(torch.tensor([[0, 5, 6, MASK, 7, 8, 0]])).exp()
    assert math.isclose(found.sum().item(), 1, rel_tol=1e-5)
    assert (found > 0).all()


def test_says_what_it_cannot_do():
    with pytest.raises(ValueError, match="sentences is empty"):
        NeighbourCounts([], VOCAB, MASK)
    with pytest.raises(ValueError, match="vocab_size is 40000"):
        NeighbourCounts([[5]], 40_000, MASK)
