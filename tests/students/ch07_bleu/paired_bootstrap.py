"""What students hand in for `paired_bootstrap`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools

import torch
from torch import nn

EXERCISE = "paired_bootstrap"


def scores(counted, indices, score):
    """The scores of the new test sets."""
    return score(counted[indices].sum(dim=1))


def share(first, second):
    """The share of wins in percent."""
    return 100 * (first > second).double().mean().item()


def right(first, second, indices, score):
    """The right results, for the mistakes that are made elsewhere."""
    one, other = scores(first, indices, score), scores(second, indices, score)
    return one, other, share(one, other)


def with_scores(scored):
    """The results where the first system, or both, are scored otherwise."""

    def compared(first, second, indices, score):
        one, other = scored(first, indices, score), scored(second, indices, score)
        return one, other, share(one, other)

    return compared


def mean_of_scores(first, second, indices, score):
    """The score of each sentence, averaged."""
    return with_scores(lambda c, i, s: s(c)[i].mean(dim=1))(first, second, indices, score)


def sum_of_scores(first, second, indices, score):
    """The score of each sentence, added up."""
    return with_scores(lambda c, i, s: s(c)[i].sum(dim=1))(first, second, indices, score)


def indices_not_used(first, second, indices, score):
    """Always the old test set."""
    return with_scores(lambda c, i, s: s(c.sum(dim=0)).expand(len(i)))(first, second, indices, score)


def each_sentence_once(first, second, indices, score):
    """Sets have nothing twice."""

    def scored(counted, indices, score):
        return torch.stack([score(counted[sorted(set(row.tolist()))].sum(dim=0)) for row in indices])

    return with_scores(scored)(first, second, indices, score)


def draws_its_own(first, second, indices, score):
    """Both systems are scored on the same test sets, but not on the ones in `indices`."""
    drawn = torch.randint(len(first), indices.shape)
    return right(first, second, drawn, score)


def over_the_wrong_dimension(first, second, indices, score):
    """The sums go over the numbers."""
    return with_scores(lambda c, i, s: s(c[i].sum(dim=2)))(first, second, indices, score)


def exchanged(first, second, indices, score):
    """The second system's scores come first."""
    one, other, wins = right(first, second, indices, score)
    return other, one, wins


def two_results(first, second, indices, score):
    """The share is forgotten."""
    return right(first, second, indices, score)[:2]


def lists(first, second, indices, score):
    """Lists for tensors."""
    one, other, wins = right(first, second, indices, score)
    return one.tolist(), other.tolist(), wins


def scored_one_by_one(first, second, indices, score):
    """A dimension of one stays."""
    return with_scores(lambda c, i, s: torch.stack([s(c[row].sum(dim=0, keepdim=True)) for row in i]))(
        first, second, indices, score
    )


def resampled_apart(first, second, indices, score):
    """The second system gets test sets of its own."""
    one = scores(first, indices, score)
    other = scores(second, torch.randint(len(second), indices.shape), score)
    return one, other, share(one, other)


def resampled_in_another_order(first, second, indices, score):
    """The rows are shuffled for the second system."""
    one, other = scores(first, indices, score), scores(second, indices.flip(0), score)
    return one, other, share(one, other)


def second_not_resampled(first, second, indices, score):
    """The second system keeps the old test set."""
    one = scores(first, indices, score)
    other = score(second.sum(dim=0)).expand(len(indices))
    return one, other, share(one, other)


def second_is_first(first, second, indices, score):
    """A slip of the pen."""
    one = scores(first, indices, score)
    return one, scores(first, indices, score), 0.0


def next_sentences(first, second, indices, score):
    """The second system gets each sentence's neighbour."""
    one, other = scores(first, indices, score), scores(second, (indices + 1) % len(second), score)
    return one, other, share(one, other)


def with_wins(count):
    """The right scores with another share."""

    def compared(first, second, indices, score):
        one, other, _ = right(first, second, indices, score)
        return one, other, count(one, other)

    return compared


def from_zero_to_one(first, second, indices, score):
    """Not in percent."""
    return with_wins(lambda one, other: share(one, other) / 100)(first, second, indices, score)


def counted(first, second, indices, score):
    """How many, for the share."""
    return with_wins(lambda one, other: float((one > other).sum()))(first, second, indices, score)


def losses(first, second, indices, score):
    """The other's wins."""
    return with_wins(lambda one, other: share(other, one))(first, second, indices, score)


def mean_difference(first, second, indices, score):
    """By how much."""
    return with_wins(lambda one, other: (one - other).mean().item())(first, second, indices, score)


def of_the_means(first, second, indices, score):
    """Which is better in the mean."""
    return with_wins(lambda one, other: 100.0 * (one.mean() > other.mean()).item())(first, second, indices, score)


def a_tensor(first, second, indices, score):
    """A tensor for the share."""
    one, other, wins = right(first, second, indices, score)
    return one, other, torch.tensor(wins)


def ties_win(first, second, indices, score):
    """>= for >."""
    return with_wins(lambda one, other: 100 * (one >= other).double().mean().item())(first, second, indices, score)


def ties_are_half(first, second, indices, score):
    """Half a point each."""

    def count(one, other):
        return 50 * ((one > other).double() + (one >= other).double()).mean().item()

    return with_wins(count)(first, second, indices, score)


def ties_left_out(first, second, indices, score):
    """The share of those that are decided."""

    def count(one, other):
        decided = one != other
        return share(one[decided], other[decided]) if decided.any() else 0.0

    return with_wins(count)(first, second, indices, score)


def squeezed(first, second, indices, score):
    """squeeze takes away more than it should."""
    one, other, _ = right(first, second, indices, score)
    return one.squeeze(), other.squeeze(), share(one, other)


def adds_up_in_place(first, second, indices, score):
    """The caller's counts are changed."""
    results = right(first, second, indices, score)
    first[0] += 1
    return results


def sorts_indices(first, second, indices, score):
    """The caller's indices are sorted."""
    indices.copy_(indices.sort(dim=1).values)
    return right(first, second, indices, score)


def rounded(first, second, indices, score):
    """The share is rounded to a whole percentage."""
    one, other, wins = right(first, second, indices, score)
    return one, other, round(wins)


def p_value(first, second, indices, score):
    """What the first does not win, from 0 to 1."""
    one, other, wins = right(first, second, indices, score)
    return one, other, 1 - wins / 100


def differences(first, second, indices, score):
    """The difference of the scores is returned in place of the first system's scores."""
    one, other, wins = right(first, second, indices, score)
    return one - other, other, wins


def second_in_another_order(first, second, indices, score):
    """The second system's sentences are shuffled."""
    return right(first, second[torch.arange(len(second)).flip(0)], indices, score)


def means_for_sums(first, second, indices, score):
    """The mean of each test set's counts is scored, expected their sum."""
    one, other = (torch.stack([score(counts[row].mean(dim=0)) for row in indices]) for counts in (first, second))
    return one, other, 100 * (one > other).float().mean().item()


def summed_over_the_test_sets(first, second, indices, score):
    """The sum runs over the test sets, dimension 0, expected over the sentences in each test set."""
    one, other = (score(counts[indices].sum(dim=0)) for counts in (first, second))
    return one, other, 100 * (one > other).float().mean().item()


def never_set_back(first, second, indices, score):
    """The sums are not reset to zero for each new test set."""
    one, other = (
        torch.stack([score(sums) for sums in torch.stack([counts[row].sum(dim=0) for row in indices]).cumsum(dim=0)])
        for counts in (first, second)
    )
    return one, other, 100 * (one > other).float().mean().item()


_FIRST = "the first system is scored on the sums of each new test set"
_SECOND = "the second system gets the same sentences"
_WINS = "a win is a test set on which the first system scores higher"
_TIES = "a tie does not count as a win"
_SHAPES = "a single new test set works, and so do small ones"
_ARGUMENTS = "the arguments are left as they were"

WRONG = {
    means_for_sums: _FIRST,
    summed_over_the_test_sets: _FIRST,
    never_set_back: _FIRST,
    mean_of_scores: _FIRST,
    sum_of_scores: _FIRST,
    differences: _FIRST,
    indices_not_used: _FIRST,
    each_sentence_once: _FIRST,
    draws_its_own: _FIRST,
    over_the_wrong_dimension: _FIRST,
    exchanged: _FIRST,
    two_results: _FIRST,
    lists: _FIRST,
    scored_one_by_one: _FIRST,
    resampled_apart: _SECOND,
    resampled_in_another_order: _SECOND,
    second_not_resampled: _SECOND,
    second_is_first: _SECOND,
    second_in_another_order: _SECOND,
    next_sentences: _SECOND,
    from_zero_to_one: _WINS,
    rounded: _WINS,
    p_value: _WINS,
    counted: _WINS,
    losses: _WINS,
    mean_difference: _WINS,
    of_the_means: _WINS,
    a_tensor: _FIRST,
    ties_win: _TIES,
    ties_are_half: _TIES,
    ties_left_out: _TIES,
    squeezed: _SHAPES,
    adds_up_in_place: _ARGUMENTS,
    sorts_indices: _ARGUMENTS,
}


def loops(first, second, indices, score):
    """Test set by test set."""
    one, other, wins = [], [], 0
    for row in indices:
        one.append(score(sum(first[i] for i in row)))
        other.append(score(sum(second[i] for i in row)))
        wins += bool(one[-1] > other[-1])
    return torch.stack(one), torch.stack(other), 100 * wins / len(indices)


def counts_of_sentences(first, second, indices, score):
    """How often each sentence was drawn, as a matrix."""
    drawn = first.new_zeros(len(indices), len(first))
    drawn.scatter_add_(1, indices, torch.ones_like(indices, dtype=first.dtype))  # (R, N)
    one, other = score(drawn @ first), score(drawn @ second)
    return one, other, share(one, other)


def with_einsum(first, second, indices, score):
    """einsum for the sums."""
    one, other = (score(torch.einsum("rnk->rk", counted[indices])) for counted in (first, second))
    return one, other, (one.gt(other).sum() / len(one) * 100).item()


def both_at_once(first, second, indices, score):
    """The two systems side by side."""
    both = torch.stack([first, second])[:, indices].sum(dim=2)  # (2, R, K)
    one, other = score(both)
    return [one, other, torch.where(one > other, 100.0, 0.0).mean().item()]


def through_means(first, second, indices, score):
    """Means times the number of sentences."""
    size = indices.shape[1]
    one, other = (score(counted[indices].mean(dim=1) * size) for counted in (first, second))
    # What is equal in sums may differ by a rounding in means.
    return one, other, 100 * ((one - other) > 1e-12).double().mean().item()


class PairedBootstrap(nn.Module):
    """A module in the place of a function."""

    def forward(self, first, second, indices, score):
        return right(first, second, indices, score)


def with_a_share(of, first, second, indices, score):
    """For a partial."""
    one, other, _ = right(first, second, indices, score)
    return one, other, of(one, other)


def one_hot(first, second, indices, score):
    """How often each sentence was drawn, and a product; the share in NumPy."""
    times = nn.functional.one_hot(indices, len(first)).sum(dim=1).to(first.dtype)  # (R, N)
    one, other = score(times @ first), score(times @ second)
    return one, other, 100 * (one > other).numpy().mean()


def gathered(first, second, indices, score):
    """gather() for an index."""
    rows = indices.unsqueeze(-1).expand(-1, -1, first.shape[1])  # (R, N, K)
    sums = [counted.expand(len(indices), -1, -1).gather(1, rows).sum(dim=1) for counted in (first, second)]
    one, other = map(score, sums)
    return one, other, 100 * int((one > other).sum()) / len(one)


RIGHT = {
    "indexed": right,
    "loops": loops,
    "counts of sentences": counts_of_sentences,
    "with einsum": with_einsum,
    "both at once": both_at_once,
    "through means": through_means,
    "one-hot": one_hot,
    "gathered": gathered,
    "a module": PairedBootstrap(),
    "a partial": functools.partial(with_a_share, share),
    "a lambda": lambda first, second, indices, score: right(first, second, indices, score),
}
