"""Mistakes in `pass_at_k`, and right answers in other styles."""

import math
from fractions import Fraction
from math import comb, factorial, prod

import numpy as np

from autograder.checks.ch13_rewards.pass_at_k import ends, many, one, refused, several
from autograder.judging.catalogue import mistake, right


def judged(num_samples, k):
    """Refuse a k that cannot be."""
    if not 1 <= k <= num_samples:
        raise ValueError(f"k is {k}")


def chance(num_samples, num_right, k):
    """The right estimate."""
    return 1 - comb(num_samples - num_right, k) / comb(num_samples, k)


@mistake(one, "the probability that all k answers are wrong is returned, expected 1 minus it")
def all_wrong(num_samples, num_right, k):
    judged(num_samples, k)
    return 1 - chance(num_samples, num_right, k)


mistake(one, "right and wrong answers are confused: the estimate is for a wrong one among k").made_in(
    all_wrong, of_the_wrong={"1 - chance(num_samples, num_right, k)": "chance(num_samples, num_samples - num_right, k)"}
)
mistake(one, "it is 1 as soon as any sampled answer is right, whatever k is").made_in(
    all_wrong, any_right={"1 - chance(num_samples, num_right, k)": "float(num_right > 0)"}
)


@mistake(one, "the estimate is in percent, expected from 0 to 1")
def percent(num_samples, num_right, k):
    judged(num_samples, k)
    return 100 * chance(num_samples, num_right, k)


@mistake(one, "the product has a factor too few")
def product_too_short(num_samples, num_right, k):
    judged(num_samples, k)
    return 1 - prod(max(num_samples - num_right - i, 0) / (num_samples - i) for i in range(k - 1))


@mistake(one, "the estimate is rounded")
def rounded(num_samples, num_right, k):
    judged(num_samples, k)
    return round(chance(num_samples, num_right, k), 4)


mistake(
    several, "answers are chosen with replacement, as in 1 - (1 - c/n)^k, which is biased; expected k different ones"
).made_in(all_wrong, with_replacement={"chance(num_samples, num_right, k)": "(1 - num_right / num_samples) ** k"})
mistake(several, "k makes no difference: the estimate is that of k = 1").made_in(
    all_wrong, k_ignored={"1 - chance(num_samples, num_right, k)": "num_right / num_samples"}
)
mistake(
    several, "the share of right answers is multiplied by k, which counts choices with two right answers twice"
).made_in(all_wrong, times_k={"1 - chance(num_samples, num_right, k)": "min(1.0, k * num_right / num_samples)"})


@mistake(several, "the probability that all k answers are right is returned, expected that at least one is")
def all_right(num_samples, num_right, k):
    judged(num_samples, k)
    return comb(num_right, k) / comb(num_samples, k)


mistake(several, "the probability of exactly one right answer is returned, expected of at least one").made_in(
    all_right, exactly_one={"comb(num_right, k)": "num_right * comb(num_samples - num_right, k - 1)"}
)


@mistake(several, "the product has a factor too few")
def one_factor_missing(num_samples, num_right, k):
    judged(num_samples, k)
    wrong = num_samples - num_right
    if k == 1:
        return num_right / num_samples
    return 1 - prod(max(wrong - i, 0) / (num_samples - i) for i in range(k - 1))


@mistake(ends, "the product goes on where no wrong answer is left, so that factors are negative")
def negative_factors(num_samples, num_right, k):
    judged(num_samples, k)
    wrong = num_samples - num_right
    return 1 - prod((wrong - i) / (num_samples - i) if wrong != i else -1.0 for i in range(k))


@mistake(ends, "factorials are taken of negative numbers where fewer than k answers are wrong")
def factorials(num_samples, num_right, k):
    judged(num_samples, k)
    wrong = num_samples - num_right
    return (
        1
        - Fraction(factorial(wrong), factorial(wrong - k))
        / Fraction(factorial(num_samples), factorial(num_samples - k)).__float__()
    )


@mistake(refused, "a k above the number of samples gives a number, expected a ValueError")
def not_refused(num_samples, num_right, k):
    if k < 1:
        raise ValueError("k is below 1")
    return chance(num_samples, num_right, min(k, num_samples))


@mistake(refused, "a k of 0 gives a number, expected a ValueError")
def zero_allowed(num_samples, num_right, k):
    if k > num_samples:
        raise ValueError("k is above the number of samples")
    return chance(num_samples, num_right, k)


@mistake(refused, "a k that equals the number of samples is refused, but all of them can be chosen")
def too_strict(num_samples, num_right, k):
    if k >= num_samples:
        raise ValueError("k is too large")
    judged(num_samples, k)
    return chance(num_samples, num_right, k)


@mistake(many, "the numbers of choices are turned into floats, which hold no number of more than 309 digits")
def floats(num_samples, num_right, k):
    judged(num_samples, k)
    return 1 - float(comb(num_samples - num_right, k)) / float(comb(num_samples, k))


@mistake(many, "the product is computed in single precision, so that a small estimate loses its digits")
def single_precision(num_samples, num_right, k):
    judged(num_samples, k)
    if num_samples - num_right < k:
        return 1.0
    counts = np.arange(num_samples - num_right + 1, num_samples + 1, dtype=np.float32)
    return 1 - np.prod(1 - k / counts)


@mistake(many, "factorials are turned into floats, which hold no number of more than 309 digits")
def factorials_as_floats(num_samples, num_right, k):
    judged(num_samples, k)
    wrong = num_samples - num_right
    if wrong < k:
        return 1.0
    none_right = (factorial(wrong) / factorial(wrong - k)) / (factorial(num_samples) / factorial(num_samples - k))
    return 1 - none_right


@right
def product(num_samples, num_right, k):
    judged(num_samples, k)
    if num_samples - num_right < k:
        return 1.0
    return 1.0 - float(np.prod(1.0 - k / np.arange(num_samples - num_right + 1, num_samples + 1)))


@right
def factor_by_factor(num_samples, num_right, k):
    if k < 1 or k > num_samples:
        raise ValueError(f"k must be from 1 to {num_samples}")
    none_right = 1.0
    for i in range(k):
        none_right *= max(num_samples - num_right - i, 0) / (num_samples - i)
    return 1 - none_right


@right
def exact(num_samples, num_right, k):
    judged(num_samples, k)
    return float(1 - Fraction(comb(num_samples - num_right, k), comb(num_samples, k)))


@right
def by_logs(num_samples, num_right, k):
    judged(num_samples, k)
    wrong = num_samples - num_right
    if wrong < k:
        return 1.0
    logs = math.lgamma(wrong + 1) - math.lgamma(wrong - k + 1)
    logs -= math.lgamma(num_samples + 1) - math.lgamma(num_samples - k + 1)
    return -math.expm1(logs)
