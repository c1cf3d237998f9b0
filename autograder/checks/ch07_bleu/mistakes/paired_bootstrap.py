"""Mistakes in `paired_bootstrap`, and right answers in other styles."""

import functools

import torch
from torch import nn

from autograder.checks.ch07_bleu.paired_bootstrap import (
    arguments,
    drawn,
    in_chapter,
    second_scores,
    shapes,
    tied,
    unlike,
)
from autograder.judging.catalogue import mistake, right


def scores(counted, indices, score):
    """The scores of the new test sets."""
    return score(counted[indices].sum(dim=1))


def share(first, second):
    """The share of wins in percent."""
    return 100 * (first > second).double().mean().item()


@right
def _right(first, second, indices, score):
    one, other = scores(first, indices, score), scores(second, indices, score)
    return one, other, share(one, other)


def with_scores(scored):
    """The results where the first system, or both, are scored otherwise."""

    def compared(first, second, indices, score):
        one, other = scored(first, indices, score), scored(second, indices, score)
        return one, other, share(one, other)

    return compared


@mistake(in_chapter, "scores that nearly tie count as equal, expected a win wherever the first score is higher")
def wins_clearly(first, second, indices, score):
    one, other, _ = _right(first, second, indices, score)
    return one, other, share(one, other + 1e-6)


mistake(in_chapter, "the scores are compared in float32, in which those that nearly tie are equal").made_in(
    wins_clearly, compared_in_float32={"one, other + 1e-6": "one.float(), other.float()"}
)


@mistake(drawn, "a list is returned, expected a tuple")
def a_list(first, second, indices, score):
    return list(_right(first, second, indices, score))


@mistake(
    drawn,
    "the sentences' scores are averaged, expected the score of their summed counts: the score of a test set is not a mean of scores",
)
def mean_of_scores(first, second, indices, score):
    return with_scores(lambda c, i, s: s(c)[i].mean(dim=1))(first, second, indices, score)


@mistake(drawn, "the sentences' scores are added up, expected the score of their summed counts")
def sum_of_scores(first, second, indices, score):
    return with_scores(lambda c, i, s: s(c)[i].sum(dim=1))(first, second, indices, score)


@mistake(drawn, "every new test set has the score of the old one: does your code use the indices?")
def indices_not_used(first, second, indices, score):
    return with_scores(lambda c, i, s: s(c.sum(dim=0)).expand(len(i)))(first, second, indices, score)


@mistake(drawn, "a sentence that is drawn several times counts once, expected as often as it is drawn")
def each_sentence_once(first, second, indices, score):
    def scored(counted, indices, score):
        return torch.stack([score(counted[sorted(set(row.tolist()))].sum(dim=0)) for row in indices])

    return with_scores(scored)(first, second, indices, score)


@mistake(drawn, "the function draws test sets of its own, expected those in `indices`")
def draws_its_own(first, second, indices, score):
    drawn = torch.randint(len(first), indices.shape)
    return _right(first, second, drawn, score)


@mistake(drawn, "the sum runs over the counts of each sentence, expected over the sentences in each test set")
def over_the_wrong_dimension(first, second, indices, score):
    return with_scores(lambda c, i, s: s(c[i].sum(dim=2)))(first, second, indices, score)


@mistake(drawn, "the scores are sorted, expected in the order of the new test sets")
def sorted_scores(first, second, indices, score):
    return with_scores(lambda *given: scores(*given).sort().values)(first, second, indices, score)


@mistake(drawn, "the scores of the two systems are swapped: expected those of the first system first")
def exchanged(first, second, indices, score):
    one, other, wins = _right(first, second, indices, score)
    return other, one, wins


@mistake(drawn, "the share of wins is not returned, expected three results")
def two_results(first, second, indices, score):
    return _right(first, second, indices, score)[:2]


@mistake(drawn, "the scores are lists, expected tensors")
def lists(first, second, indices, score):
    one, other, wins = _right(first, second, indices, score)
    return one.tolist(), other.tolist(), wins


mistake(drawn, "the scores keep a dimension of size one, expected one dimension").made_in(
    sum_of_scores,
    scored_one_by_one={"s(c)[i].sum(dim=1)": "torch.stack([s(c[row].sum(dim=0, keepdim=True)) for row in i])"},
)


@mistake(second_scores, "the function draws test sets of its own for the second system, expected those in `indices`")
def resampled_apart(first, second, indices, score):
    one = scores(first, indices, score)
    other = scores(second, torch.randint(len(second), indices.shape), score)
    return one, other, share(one, other)


mistake(
    second_scores, "the second system gets the new test sets in another order: compare both systems on the same one"
).made_in(
    _right, resampled_in_another_order={"scores(second, indices, score)": "scores(second, indices.flip(0), score)"}
)


@mistake(
    second_scores,
    "the second system is scored on the whole old test set, expected the same new test sets as for the first",
)
def second_not_resampled(first, second, indices, score):
    one = scores(first, indices, score)
    other = score(second.sum(dim=0)).expand(len(indices))
    return one, other, share(one, other)


@mistake(second_scores, "the second system's scores are those of the first")
def second_is_first(first, second, indices, score):
    one = scores(first, indices, score)
    return one, scores(first, indices, score), 0.0


mistake(
    second_scores,
    "the second system gets the sentence after each one that is drawn, expected the same sentences as for the first",
).made_in(
    _right, next_sentences={"scores(second, indices, score)": "scores(second, (indices + 1) % len(second), score)"}
)


def with_wins(count):
    """The right scores with another share."""

    def compared(first, second, indices, score):
        one, other, _ = _right(first, second, indices, score)
        return one, other, count(one, other)

    return compared


@mistake(unlike, "the share is a number from 0 to 1, expected a percentage")
def from_zero_to_one(first, second, indices, score):
    return with_wins(lambda one, other: share(one, other) / 100)(first, second, indices, score)


@mistake(unlike, "the result is the number of wins, expected their share in percent")
def counted(first, second, indices, score):
    return with_wins(lambda one, other: float((one > other).sum()))(first, second, indices, score)


@mistake(unlike, "the wins are divided by N, the number of sentences; expected by R, the number of new test sets")
def divided_by_sentences(first, second, indices, score):
    one, other, _ = _right(first, second, indices, score)
    return one, other, 100 * (one > other).sum().item() / len(first)


@mistake(
    unlike,
    "the differences are compared with that of the old test set; expected a comparison of the two scores on each new test set",
)
def beyond_the_old_difference(first, second, indices, score):
    old = score(first.sum(dim=0)) - score(second.sum(dim=0))
    return with_wins(lambda one, other: share(one - other, old))(first, second, indices, score)


@mistake(unlike, "the result is the share that the second system wins, expected the share that the first one wins")
def losses(first, second, indices, score):
    return with_wins(lambda one, other: share(other, one))(first, second, indices, score)


@mistake(unlike, "the result is the mean difference of the scores, expected the share of wins")
def mean_difference(first, second, indices, score):
    return with_wins(lambda one, other: (one - other).mean().item())(first, second, indices, score)


@mistake(unlike, "the mean scores are compared, so the share is 100 or 0; expected a comparison on each test set")
def of_the_means(first, second, indices, score):
    return with_wins(lambda one, other: 100.0 * (one.mean() > other.mean()).item())(first, second, indices, score)


mistake(drawn, "the share of wins is a tensor, expected a number").made_in(
    exchanged, a_tensor={"other, one, wins": "one, other, torch.tensor(wins)"}
)


@mistake(tied, "a test set with equal scores counts as a win, expected no win")
def ties_win(first, second, indices, score):
    return with_wins(lambda one, other: 100 * (one >= other).double().mean().item())(first, second, indices, score)


@mistake(tied, "a test set with equal scores counts as half a win, expected no win")
def ties_are_half(first, second, indices, score):
    def count(one, other):
        return 50 * ((one > other).double() + (one >= other).double()).mean().item()

    return with_wins(count)(first, second, indices, score)


@mistake(tied, "test sets with equal scores are left out of the total, expected the share of all test sets")
def ties_left_out(first, second, indices, score):
    def count(one, other):
        decided = one != other
        return share(one[decided], other[decided]) if decided.any() else 0.0

    return with_wins(count)(first, second, indices, score)


mistake(shapes, "a dimension of size one is removed that belongs to the result").made_in(
    wins_clearly, squeezed={"one, other, share(one, other + 1e-6)": "one.squeeze(), other.squeeze(), share(one, other)"}
)
mistake(arguments, "the caller's counts are changed in place").made_in(
    exchanged,
    adds_up_in_place={"one, other, wins": "results", "return other, one, wins": "first[0] += 1; return results"},
)


@mistake(arguments, "the caller's indices are sorted in place")
def sorts_indices(first, second, indices, score):
    indices.copy_(indices.sort(dim=1).values)
    return _right(first, second, indices, score)


@mistake(unlike, "the result is rounded, expected all of its digits")
def rounded(first, second, indices, score):
    one, other, wins = _right(first, second, indices, score)
    return one, other, round(wins)


mistake(
    unlike,
    "the result is the share that the first system does not win, from 0 to 1; expected the share that it wins, in percent",
).made_in(rounded, p_value={"round(wins)": "1 - wins / 100"})


@mistake(drawn, "the differences of the scores are returned, expected the first system's scores")
def differences(first, second, indices, score):
    one, other, wins = _right(first, second, indices, score)
    return one - other, other, wins


@mistake(second_scores, "the second system's sentences are reversed, expected the same sentences as for the first")
def second_in_another_order(first, second, indices, score):
    return _right(first, second[torch.arange(len(second)).flip(0)], indices, score)


@mistake(drawn, "the mean of each test set's counts is scored, expected their sum")
def means_for_sums(first, second, indices, score):
    one, other = (torch.stack([score(counts[row].mean(dim=0)) for row in indices]) for counts in (first, second))
    return one, other, 100 * (one > other).float().mean().item()


@mistake(drawn, "the sum runs over the test sets, dimension 0, expected over the sentences in each test set")
def summed_over_the_test_sets(first, second, indices, score):
    one, other = (score(counts[indices].sum(dim=0)) for counts in (first, second))
    return one, other, 100 * (one > other).float().mean().item()


@mistake(drawn, "the sums are not reset to zero for each new test set")
def never_set_back(first, second, indices, score):
    one, other = (
        torch.stack([score(sums) for sums in torch.stack([counts[row].sum(dim=0) for row in indices]).cumsum(dim=0)])
        for counts in (first, second)
    )
    return one, other, 100 * (one > other).float().mean().item()


@right
def loops(first, second, indices, score):
    one, other, wins = [], [], 0
    for row in indices:
        one.append(score(sum(first[i] for i in row)))
        other.append(score(sum(second[i] for i in row)))
        wins += bool(one[-1] > other[-1])
    return torch.stack(one), torch.stack(other), 100 * wins / len(indices)


@right
def counts_of_sentences(first, second, indices, score):
    drawn = first.new_zeros(len(indices), len(first))
    drawn.scatter_add_(1, indices, torch.ones_like(indices, dtype=first.dtype))  # (R, N)
    one, other = score(drawn @ first), score(drawn @ second)
    return one, other, share(one, other)


@right
def with_einsum(first, second, indices, score):
    one, other = (score(torch.einsum("rnk->rk", counted[indices])) for counted in (first, second))
    return one, other, (one.gt(other).sum() / len(one) * 100).item()


@right
def both_at_once(first, second, indices, score):
    both = torch.stack([first, second])[:, indices].sum(dim=2)  # (2, R, K)
    one, other = score(both)
    return one, other, torch.where(one > other, 100.0, 0.0).mean().item()


@right
def through_means(first, second, indices, score):
    size = indices.shape[1]
    one, other = (score(counted[indices].mean(dim=1) * size) for counted in (first, second))
    # What is equal in sums may differ by a rounding in means.
    return one, other, 100 * ((one - other) > 1e-12).double().mean().item()


class PairedBootstrap(nn.Module):
    """A module in the place of a function."""

    def forward(self, first, second, indices, score):
        return _right(first, second, indices, score)


def with_a_share(of, first, second, indices, score):
    """For a partial."""
    one, other, _ = _right(first, second, indices, score)
    return one, other, of(one, other)


@right
def one_hot(first, second, indices, score):
    times = nn.functional.one_hot(indices, len(first)).sum(dim=1).to(first.dtype)  # (R, N)
    one, other = score(times @ first), score(times @ second)
    return one, other, 100 * (one > other).numpy().mean()


@right
def gathered(first, second, indices, score):
    rows = indices.unsqueeze(-1).expand(-1, -1, first.shape[1])  # (R, N, K)
    sums = [counted.expand(len(indices), -1, -1).gather(1, rows).sum(dim=1) for counted in (first, second)]
    one, other = map(score, sums)
    return one, other, 100 * int((one > other).sum()) / len(one)


right(PairedBootstrap())


right(functools.partial(with_a_share, share))


right(lambda first, second, indices, score: _right(first, second, indices, score))
