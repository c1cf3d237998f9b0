"""Mistakes in `kneser_ney`, and right answers in other styles."""

import functools
import math
from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import torch
from torch import nn

from autograder.checks.ch01_rnn_lm.kneser_ney import (
    alike,
    new_word,
    nothing_followed,
    one_follower,
    something_followed,
    untouched,
)
from autograder.judging.catalogue import mistake, right


def continuation_of(word, predecessors, discount, vocab_size):
    """P_cont."""
    pairs = sum(len(words) for words in predecessors.values())
    kinds = len(predecessors.get(word, {}))
    return max(kinds - discount, 0) / pairs + discount * len(predecessors) / pairs / vocab_size


def interpolated(word, before, followers, discount, low):
    """The discounted count, and of what was freed the part that goes to w."""
    after = followers.get(before)
    if not after:
        return low
    total = after.total()
    return max(after[word] - discount, 0) / total + discount * len(after) / total * low


@right
def written_out(word, before, followers, predecessors, discount, vocab_size):
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    after = followers[before]
    return max(after[word] - discount, 0) / after.total() + discount * len(after) / after.total() * low


@right
def usual(word, before, followers, predecessors, discount, vocab_size):
    low = continuation_of(word, predecessors, discount, vocab_size)
    return interpolated(word, before, followers, discount, low)


@right
def correct(word, before, followers, predecessors, discount, vocab_size):
    return interpolated(word, before, followers, discount, continuation_of(word, predecessors, discount, vocab_size))


@right
def written_with_all_parts(word, before, followers, predecessors, discount, vocab_size):
    kinds = len(predecessors[word]) if word in predecessors else 0
    pairs = sum(len(words) for words in predecessors.values())
    words = len(predecessors)
    low = max(kinds - discount, 0) / pairs + discount * words / pairs / vocab_size
    return interpolated(word, before, followers, discount, low)


@mistake(
    nothing_followed,
    "P_cont is computed from how often each word was seen, expected from how many different words came before it",
)
def raw_counts(word, before, followers, predecessors, discount, vocab_size):
    total = sum(words.total() for words in predecessors.values())
    seen = predecessors[word].total() if word in predecessors else 0
    low = (max(seen - discount, 0) + discount * len(predecessors) / vocab_size) / total
    return interpolated(word, before, followers, discount, low)


@mistake(
    nothing_followed,
    "P_cont is how often w was seen over the count of all bigrams, expected how many different words came before it, discounted",
)
def plain_unigram(word, before, followers, predecessors, discount, vocab_size):
    total = sum(words.total() for words in predecessors.values())
    low = predecessors[word].total() / total if word in predecessors else 0.0
    return interpolated(word, before, followers, discount, low)


@mistake(
    nothing_followed, "in P_cont, N1+(· w) is how often w was seen, expected how many different words came before it"
)
def raw_over_pairs(word, before, followers, predecessors, discount, vocab_size):
    pairs = sum(len(words) for words in predecessors.values())
    seen = sum(predecessors.get(word, Counter()).values())
    low = max(seen - discount, 0) / pairs + discount * len(predecessors) / pairs / vocab_size
    return interpolated(word, before, followers, discount, low)


@mistake(nothing_followed, "P_cont is N1+(· w) / N1+(· ·), without the discount")
def continuation_not_discounted(word, before, followers, predecessors, discount, vocab_size):
    low = len(predecessors.get(word, ())) / sum(len(words) for words in predecessors.values())
    return interpolated(word, before, followers, discount, low)


@mistake(
    nothing_followed,
    "in P_cont, the freed probability is not given back; expected a share of it for each of the V words, seen or not",
)
def uniform_forgotten(word, before, followers, predecessors, discount, vocab_size):
    pairs = sum(len(words) for words in predecessors.values())
    low = max(len(predecessors.get(word, ())) - discount, 0) / pairs
    return interpolated(word, before, followers, discount, low)


@mistake(nothing_followed, "in P_cont, D is given back once, but it is subtracted from each of W words")
def one_discount_given_back(word, before, followers, predecessors, discount, vocab_size):
    pairs = sum(len(words) for words in predecessors.values())
    low = (max(len(predecessors.get(word, ())) - discount, 0) + discount / vocab_size) / pairs
    return interpolated(word, before, followers, discount, low)


@mistake(
    nothing_followed, "in P_cont, D / V is given back; D is subtracted from W words, and the sum is divided by N1+(· ·)"
)
def discount_as_weight(word, before, followers, predecessors, discount, vocab_size):
    pairs = sum(len(words) for words in predecessors.values())
    low = max(len(predecessors.get(word, ())) - discount, 0) / pairs + discount / vocab_size
    return interpolated(word, before, followers, discount, low)


@mistake(nothing_followed, "in P_cont, the freed probability is not divided among V words: each word gets all of it")
def not_among_all_words(word, before, followers, predecessors, discount, vocab_size):
    return interpolated(word, before, followers, discount, continuation_of(word, predecessors, discount, 1))


@mistake(
    nothing_followed,
    "in P_cont, the freed probability is divided among the W words that were seen, expected among V words",
)
def own_vocabulary(word, before, followers, predecessors, discount, vocab_size):
    low = continuation_of(word, predecessors, discount, len(predecessors))
    return interpolated(word, before, followers, discount, low)


@mistake(
    nothing_followed,
    "in P_cont, W is the number of words that were followed by another, expected of those that followed another",
)
def first_words_counted(word, before, followers, predecessors, discount, vocab_size):
    pairs = sum(len(words) for words in predecessors.values())
    kinds = len(predecessors.get(word, {}))
    low = (max(kinds - discount, 0) + discount * len(followers) / vocab_size) / pairs
    return interpolated(word, before, followers, discount, low)


mistake(
    nothing_followed, "in P_cont, W is how many words followed another, repetitions included; expected different words"
).made_in(
    written_with_all_parts,
    words_repeated={"words = len(predecessors)": "words = sum(counts.total() for counts in predecessors.values())"},
)
mistake(
    nothing_followed,
    "in P_cont, W is N1+(· w), the number of different words before w; expected how many different words followed another",
).made_in(written_with_all_parts, own_predecessors_counted={"words = len(predecessors)": "words = kinds"})
mistake(nothing_followed, "in P_cont, only the first term is divided by N1+(· ·), expected both").made_in(
    written_with_all_parts, given_back_undivided={"discount * words / pairs": "discount * words"}
)
mistake(
    alike, "D is given back for each time that w followed v, expected for each different word that followed v"
).made_in(written_out, own_pair_counted={"len(after)": "after[word]"})
mistake(
    alike, "D is given back for each different word before w, expected for each different word that followed v"
).made_in(written_out, predecessors_for_followers={"len(after)": "len(predecessors.get(word, ()))"})
mistake(alike, "D is given back for each different bigram, expected for each different word that followed v").made_in(
    written_out, all_bigrams_for_followers={"len(after)": "sum(map(len, followers.values()))"}
)
mistake(alike, "D is given back for each word that ever followed another, expected for those that followed v").made_in(
    written_out, all_words_for_followers={"len(after)": "len(predecessors)"}
)
mistake(alike, "c(v ·) is how many different words followed v, expected the sum of their counts").made_in(
    written_out,
    kinds_below_the_count={
        "return max(after[word] - discount, 0) / after.total()": "return max(after[word] - discount, 0) / len(after)"
    },
)
mistake(
    alike, "the weight of P_cont is D alone, expected D for each different word that followed v, over c(v ·)"
).made_in(written_out, discount_for_the_weight={" * len(after) / after.total() * low": " * low"})


@mistake(
    nothing_followed,
    "P_cont is divided by the total count of all bigrams, expected by N1+(· ·), the number of different bigrams",
)
def over_all_tokens(word, before, followers, predecessors, discount, vocab_size):
    tokens = sum(words.total() for words in followers.values())
    kinds = len(predecessors.get(word, {}))
    low = (max(kinds - discount, 0) + discount * len(predecessors) / vocab_size) / tokens
    return interpolated(word, before, followers, discount, low)


@mistake(
    nothing_followed,
    "P_cont is divided by the number of words that were followed by another, expected by the number of different bigrams",
)
def over_the_contexts(word, before, followers, predecessors, discount, vocab_size):
    kinds = len(predecessors.get(word, {}))
    low = (max(kinds - discount, 0) + discount * len(predecessors) / vocab_size) / len(followers)
    return interpolated(word, before, followers, discount, low)


mistake(nothing_followed, "P_cont is divided by W, expected by N1+(· ·), the number of different bigrams").made_in(
    over_the_contexts, over_the_words={"len(followers)": "len(predecessors)"}
)


@mistake(nothing_followed, "if nothing ever followed v, the result is 1 / V, expected P_cont(w)")
def uniform_for_unseen(word, before, followers, predecessors, discount, vocab_size):
    if before not in followers:
        return 1 / vocab_size
    return correct(word, before, followers, predecessors, discount, vocab_size)


mistake(nothing_followed, "if nothing ever followed v, the result is 0, expected P_cont(w)").made_in(
    uniform_for_unseen, zero_for_unseen={"1 / vocab_size": "0.0"}
)


@mistake(nothing_followed, "the sum is divided by c(v ·), which is 0 if nothing followed v")
def divides_by_zero(word, before, followers, predecessors, discount, vocab_size):
    after = followers.get(before, Counter())
    low = continuation_of(word, predecessors, discount, vocab_size)
    return max(after[word] - discount, 0) / after.total() + discount * len(after) / after.total() * low


mistake(
    nothing_followed, "if nothing ever followed v, followers has no key v, and looking it up fails; expected P_cont(w)"
).made_in(divides_by_zero, no_such_key={"followers.get(before, Counter())": "followers[before]"})


@mistake(nothing_followed, "if nothing ever followed v, the result is 0, expected P_cont(w)")
def at_least_one(word, before, followers, predecessors, discount, vocab_size):
    after = followers.get(before, Counter())
    total = max(after.total(), 1)
    low = continuation_of(word, predecessors, discount, vocab_size)
    return max(after[word] - discount, 0) / total + discount * len(after) / total * low


mistake(
    nothing_followed, "if nothing ever followed v, P_cont(w) is multiplied by D, expected P_cont(w) itself"
).made_in(usual, times_the_discount={"low)": "low) if before in followers else discount * low"})


@mistake(nothing_followed, "there is no return")
def nothing_returned(word, before, followers, predecessors, discount, vocab_size):
    correct(word, before, followers, predecessors, discount, vocab_size)


@mistake(something_followed, "the result is a tensor, expected a float")
def a_tensor(word, before, followers, predecessors, discount, vocab_size):
    return torch.tensor(correct(word, before, followers, predecessors, discount, vocab_size))


@mistake(something_followed, "the result is a Fraction, expected a float")
def a_fraction(word, before, followers, predecessors, discount, vocab_size):
    return Fraction(correct(word, before, followers, predecessors, discount, vocab_size))


@mistake(nothing_followed, "the result is the logarithm of the probability")
def a_logarithm(word, before, followers, predecessors, discount, vocab_size):
    return math.log(correct(word, before, followers, predecessors, discount, vocab_size))


@mistake(alike, "the pair is looked up as a key, expected followers[v][w]")
def pairs_as_keys(word, before, followers, predecessors, discount, vocab_size):
    low = continuation_of(word, predecessors, discount, vocab_size)
    total = sum(followers.get(before, Counter()).values())
    return max(followers[(before, word)] - discount, 0) / total + low if total else low


@mistake(alike, "the freed probability is not given back: the term with P_cont is missing")
def not_given_back(word, before, followers, predecessors, discount, vocab_size):
    if before not in followers:
        return continuation_of(word, predecessors, discount, vocab_size)
    return max(followers[before][word] - discount, 0) / followers[before].total()


@mistake(alike, "the discount is given back but never subtracted")
def not_discounted(word, before, followers, predecessors, discount, vocab_size):
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    after = followers[before]
    return (after[word] + discount * len(after) * low) / after.total()


mistake(alike, "nothing is discounted: c(v w) / c(v ·) alone leaves nothing for P_cont").made_in(
    not_given_back, plain_share={"max(followers[before][word] - discount, 0)": "followers[before][word]"}
)
mistake(
    alike, "the discount is also subtracted from counts of 0, which makes a part of the probability negative"
).made_in(not_discounted, below_zero={"after[word]": "after[word] - discount"})
mistake(
    alike, "D is given back for each time that something followed v, expected for each different word that followed v"
).made_in(written_out, tokens_for_types={"len(after)": "sum(after.values())"})


@mistake(alike, "D is given back once, expected for each different word that followed v")
def given_back_once(word, before, followers, predecessors, discount, vocab_size):
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    after = followers[before]
    return (max(after[word] - discount, 0) + discount * low) / after.total()


@mistake(alike, "D is given back for each different word before v, expected for each one after it")
def other_direction(word, before, followers, predecessors, discount, vocab_size):
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    kinds = len(predecessors.get(before, ()))
    return (max(followers[before][word] - discount, 0) + discount * kinds * low) / followers[before].total()


mistake(something_followed, "the freed probability is distributed evenly, 1 / V; expected by P_cont").made_in(
    usual, evenly={"discount, low": "discount, 1 / vocab_size if before in followers else low"}
)


@mistake(something_followed, "the freed probability is distributed by how often words were seen; expected by P_cont")
def by_raw_counts(word, before, followers, predecessors, discount, vocab_size):
    if before not in followers:
        return continuation_of(word, predecessors, discount, vocab_size)
    tokens = sum(words.total() for words in followers.values())
    low = sum(words[word] for words in followers.values()) / tokens
    return interpolated(word, before, followers, discount, low)


@mistake(alike, "only words that never followed v get a share of the freed probability; expected all words")
def backs_off(word, before, followers, predecessors, discount, vocab_size):
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers or followers[before][word]:
        return interpolated(word, before, followers, discount, low if before not in followers else 0.0)
    return interpolated(word, before, followers, discount, low)


@mistake(alike, "words that never followed v get P_cont alone, and P_cont does not contribute to the others")
def backs_off_whole(word, before, followers, predecessors, discount, vocab_size):
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers or not followers[before][word]:
        return low
    return max(followers[before][word] - discount, 0) / followers[before].total()


mistake(alike, "D is subtracted from the share c(v w) / c(v ·), expected from the count").made_in(
    written_out,
    share_discounted={
        "max(after[word] - discount, 0) / after.total()": "max(after[word] / after.total() - discount, 0)"
    },
)


@mistake(alike, "the counts are mixed with weights 1 - D and D; expected D to be subtracted from each count")
def a_mixture(word, before, followers, predecessors, discount, vocab_size):
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    after = followers[before]
    return (1 - discount) * after[word] / after.total() + discount * low


@mistake(alike, "v and w are swapped in c(v w)")
def pair_turned(word, before, followers, predecessors, discount, vocab_size):
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    after = followers[before]
    turned = followers.get(word, Counter())[before]
    return (max(turned - discount, 0) + discount * len(after) * low) / after.total()


@mistake(alike, "c(v w) is divided by how often w was seen, expected by how often anything followed v")
def over_the_word(word, before, followers, predecessors, discount, vocab_size):
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    after, seen = followers[before], predecessors.get(word, Counter()).total()
    return max(after[word] - discount, 0) / max(seen, 1) + discount * len(after) / after.total() * low


mistake(
    alike, "both terms are divided by how many different words followed v, expected by the sum of their counts"
).made_in(
    not_discounted, over_the_kinds={"after[word]": "max(after[word] - discount, 0)", "after.total()": "len(after)"}
)
mistake(alike, "the part that is given back is not divided by c(v ·)").made_in(
    written_out, not_divided={"/ after.total() * low": "* low"}
)
mistake(
    something_followed, "the part that is given back is not multiplied by P_cont: each word gets all of it"
).made_in(given_back_once, not_multiplied={"discount * low": "discount * len(after)"})


@mistake(alike, "the discount of the bigrams is fixed at 0.75, expected the argument")
def usual_discount(word, before, followers, predecessors, discount, vocab_size):
    return interpolated(word, before, followers, 0.75, continuation_of(word, predecessors, discount, vocab_size))


@mistake(alike, "bigrams that were seen once are left out, expected all of them")
def rare_pairs_dropped(word, before, followers, predecessors, discount, vocab_size):
    after = Counter({w: count for w, count in followers.get(before, {}).items() if count > 1})
    low = continuation_of(word, predecessors, discount, vocab_size)
    return interpolated(word, before, {before: after}, discount, low)


mistake(alike, "`//` rounds a share below 1 down to 0, expected `/`").made_in(
    written_out, whole_numbers={"/ after.total() + discount": "// after.total() + discount"}
)


@mistake(new_word, "the probability is rounded to six decimals; that of a rare word needs all of its digits")
def rounded(word, before, followers, predecessors, discount, vocab_size):
    return round(correct(word, before, followers, predecessors, discount, vocab_size), 6)


@mistake(new_word, "predecessors[w] is looked up, but a word that never followed another is not a key")
def no_key_for_a_new_word(word, before, followers, predecessors, discount, vocab_size):
    pairs = sum(len(words) for words in predecessors.values())
    low = (max(len(predecessors[word]) - discount, 0) + discount * len(predecessors) / vocab_size) / pairs
    return interpolated(word, before, followers, discount, low)


@mistake(new_word, "a word that never followed another gets the probability 0")
def impossible_when_new(word, before, followers, predecessors, discount, vocab_size):
    return correct(word, before, followers, predecessors, discount, vocab_size) if word in predecessors else 0.0


mistake(
    new_word,
    "a word that never followed another gets 1 / V, expected its share of the freed probability, as for other words",
).made_in(uniform_for_unseen, uniform_when_new={"before not in followers": "word not in predecessors"})


@mistake(new_word, "in P_cont, the discount is also subtracted from a count of 0, which makes it negative")
def continuation_below_zero(word, before, followers, predecessors, discount, vocab_size):
    pairs = sum(len(words) for words in predecessors.values())
    kinds = len(predecessors.get(word, ()))
    low = (kinds - discount + discount * len(predecessors) / vocab_size) / pairs
    return interpolated(word, before, followers, discount, low)


@mistake(one_follower, "a word that alone followed v gets the probability 1, expected the discounted one")
def certain_follower(word, before, followers, predecessors, discount, vocab_size):
    if before in followers and len(followers[before]) == 1:
        return float(word in followers[before])
    return correct(word, before, followers, predecessors, discount, vocab_size)


@mistake(one_follower, "a word that only ever followed one other gets no share of the freed probability")
def one_predecessor_is_none(word, before, followers, predecessors, discount, vocab_size):
    low = continuation_of(word, predecessors, discount, vocab_size)
    if len(predecessors.get(word, ())) == 1 and predecessors[word].total() > 1 and len(followers.get(before, ())) == 1:
        low = 0.0
    return interpolated(word, before, followers, discount, low)


@mistake(nothing_followed, "the discount is fixed at 0.75, expected the argument")
def usual_discount_in_both(word, before, followers, predecessors, discount, vocab_size):
    return correct(word, before, followers, predecessors, 0.75, vocab_size)


@mistake(nothing_followed, "v and w are swapped: the result is P(v | w)")
def words_turned(word, before, followers, predecessors, discount, vocab_size):
    return correct(before, word, followers, predecessors, discount, vocab_size)


@mistake(alike, "what is freed is divided by the number of all different bigrams, expected by c(v ·)")
def freed_over_all_bigrams(word, before, followers, predecessors, discount, vocab_size):
    low = continuation_of(word, predecessors, discount, vocab_size)
    after = followers.get(before)
    if not after:
        return low
    pairs = sum(map(len, followers.values()))
    return max(after[word] - discount, 0) / after.total() + discount * len(after) / pairs * low


@mistake(alike, "c(v ·) is how often v was seen after others, expected how often others were seen after v")
def over_what_came_before(word, before, followers, predecessors, discount, vocab_size):
    low = continuation_of(word, predecessors, discount, vocab_size)
    after = followers.get(before)
    if not after:
        return low
    total = predecessors.get(before, after).total()
    return max(after[word] - discount, 0) / total + discount * len(after) / total * low


@mistake(untouched, "setdefault adds entries to the caller's counts")
def sets_defaults(word, before, followers, predecessors, discount, vocab_size):
    low = continuation_of(word, predecessors, discount, vocab_size)
    after = followers.setdefault(before, Counter())
    return interpolated(word, before, followers, discount, low) if after else low


@mistake(untouched, "+= 0 adds an entry to the caller's counts")
def adds_zeros(word, before, followers, predecessors, discount, vocab_size):
    probability = correct(word, before, followers, predecessors, discount, vocab_size)
    if before in followers:
        followers[before][word] += 0
    return probability


@mistake(untouched, "the discount is subtracted from the caller's counts")
def takes_the_discount_from_the_counts(word, before, followers, predecessors, discount, vocab_size):
    probability = correct(word, before, followers, predecessors, discount, vocab_size)
    if word in predecessors and before in predecessors[word]:
        predecessors[word][before] -= discount
    return probability


mistake(
    nothing_followed,
    "P_cont counts the words that followed w and, for W, the words that were followed by another; expected the other way round",
).made_in(
    no_key_for_a_new_word,
    directions_swapped={"predecessors[word]": "followers.get(word, ())", "len(predecessors)": "len(followers)"},
)


@mistake(alike, "a word that never followed v gets P_cont itself, expected only its share of the freed probability")
def low_for_new_pairs(word, before, followers, predecessors, discount, vocab_size):
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers or word not in followers[before]:
        return low
    return interpolated(word, before, followers, discount, low)


mistake(alike, "the discount turns a count of 0 into D: max(c - D, 0) gives 0, but abs does not").made_in(
    not_discounted, absolute_value={"after[word]": "abs(after[word] - discount)"}
)
mistake(alike, "the discounted counts are divided by their own sum, expected by c(v ·)").made_in(
    written_out,
    divided_by_what_is_left={
        "return max": "left = sum(max(count - discount, 0) for count in after.values()); return max",
        "after.total() + discount": "left + discount",
    },
)


@mistake(
    alike,
    "the weight of P_cont is one minus the term of c(v w), which differs for each w; expected the share that the discount freed",
)
def what_the_word_leaves(word, before, followers, predecessors, discount, vocab_size):
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    high = max(followers[before][word] - discount, 0) / followers[before].total()
    return high + (1 - high) * low


mistake(something_followed, "the freed probability is multiplied by D twice").made_in(
    written_out, discounted_twice={"len(after) / after.total() * low": "(discount * len(after) / after.total()) * low"}
)


@mistake(
    nothing_followed,
    "N1+(· ·) is the number of possible bigrams, expected the number of different bigrams that were seen",
)
def all_possible_pairs(word, before, followers, predecessors, discount, vocab_size):
    pairs = len(followers) * len(predecessors)
    low = (max(len(predecessors.get(word, ())) - discount, 0) + discount * len(predecessors) / vocab_size) / pairs
    return interpolated(word, before, followers, discount, low)


mistake(
    alike, "for a w that nothing followed, the result is P_cont alone: what matters is whether anything followed v"
).made_in(
    low_for_new_pairs,
    asks_for_the_wrong_word={"before not in followers or word not in followers[before]": "word not in followers"},
)
mistake(
    alike,
    "for a v that follows nothing, such as the start of a sentence, the result is P_cont alone; what matters is what follows v",
).made_in(usual, asks_among_the_predecessors={"low)": "low) if before in predecessors else low"})


@mistake(
    alike, "D is given back only for words that followed v exactly once, expected for those that did so at least once"
)
def seen_once(word, before, followers, predecessors, discount, vocab_size):
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    after = followers[before]
    once = sum(count == 1 for count in after.values())
    return (max(after[word] - discount, 0) + discount * once * low) / after.total()


@mistake(nothing_followed, "in P_cont, only predecessors that were seen exactly once are counted")
def once_before(word, before, followers, predecessors, discount, vocab_size):
    kinds = {w: sum(count == 1 for count in counts.values()) for w, counts in predecessors.items()}
    low = (max(kinds.get(word, 0) - discount, 0) + discount * len(predecessors) / vocab_size) / sum(kinds.values())
    return interpolated(word, before, followers, discount, low)


@mistake(alike, "D is added to each count, as in Laplace smoothing; expected it to be subtracted")
def added_and_not_taken(word, before, followers, predecessors, discount, vocab_size):
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    return (followers[before][word] + discount) / (followers[before].total() + discount * vocab_size)


@mistake(alike, "P_cont does not count v among the words that came before w")
def other_predecessors(word, before, followers, predecessors, discount, vocab_size):
    pairs = sum(len(words) for words in predecessors.values())
    kinds = sum(v != before for v in predecessors.get(word, ()))
    low = (max(kinds - discount, 0) + discount * len(predecessors) / vocab_size) / pairs
    return interpolated(word, before, followers, discount, low)


@mistake(alike, "D is given back for each word that was ever followed by another, expected for those that followed v")
def all_contexts(word, before, followers, predecessors, discount, vocab_size):
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    return (max(followers[before][word] - discount, 0) + discount * len(followers) * low) / followers[before].total()


mistake(
    alike,
    "if w and v are the same word, the result is P_cont(w) alone; expected the whole formula: a word may follow itself",
).made_in(usual, no_word_twice={"return interpolated": "return low if word == before else interpolated"})


@mistake(nothing_followed, "the result is in percent, expected a probability")
def in_percent(word, before, followers, predecessors, discount, vocab_size):
    return 100 * correct(word, before, followers, predecessors, discount, vocab_size)


@mistake(nothing_followed, "the two terms of P_cont are multiplied, expected their sum")
def no_uniform_in_the_pair(word, before, followers, predecessors, discount, vocab_size):
    pairs = sum(len(words) for words in predecessors.values())
    kinds = max(len(predecessors.get(word, ())) - discount, 0) / pairs
    low = kinds * (discount * len(predecessors) / pairs) / vocab_size
    return interpolated(word, before, followers, discount, low)


mistake(nothing_followed, "if nothing ever followed v, an error is raised, expected P_cont(w)").made_in(
    uniform_for_unseen,
    unseen_word_for_an_error={"return 1 / vocab_size": 'raise ValueError(f"{before} was never seen")'},
)


@mistake(untouched, "an entry is removed from the caller's counts")
def pops(word, before, followers, predecessors, discount, vocab_size):
    probability = correct(word, before, followers, predecessors, discount, vocab_size)
    followers.pop(before, None)
    return probability


@right
def in_one_line(word, before, followers, predecessors, discount, vocab_size):
    n = sum(map(len, predecessors.values()))
    p = (max(len(predecessors.get(word, "")) - discount, 0) + discount * len(predecessors) / vocab_size) / n
    f = followers.get(before, {})
    c = sum(f.values())
    return (max(f.get(word, 0) - discount, 0) + discount * len(f) * p) / c if c else p


@right
def in_loops(word, before, followers, predecessors, discount, vocab_size):
    pairs, kinds, words = 0, 0, set()
    for counts in followers.values():
        for other in counts:
            pairs += 1
            words.add(other)
            if other == word:
                kinds += 1
    continuation = discount * len(words) / pairs * (1 / vocab_size)
    if kinds > 0:
        continuation += (kinds - discount) / pairs
    if before not in followers:
        return continuation
    total, different = 0, 0
    for count in followers[before].values():
        total += count
        different += 1
    share = discount * different / total * continuation
    if word in followers[before]:
        share += (followers[before][word] - discount) / total
    return share


@right
def of_the_predecessors(word, before, followers, predecessors, discount, vocab_size):
    after = {w: counts[before] for w, counts in predecessors.items() if before in counts}
    kinds = {w: len(counts) for w, counts in predecessors.items()}

    def smoothed(counts, low):
        total = sum(counts.values())
        if total == 0:
            return low
        return max(counts.get(word, 0) - discount, 0) / total + discount * len(counts) / total * low

    return smoothed(after, smoothed(kinds, 1 / vocab_size))


@right
def asks_forgiveness(word, before, followers, predecessors, discount, vocab_size):
    try:
        kinds = len(predecessors[word])
    except KeyError:
        kinds = 0
    pairs = sum([len(predecessors[w]) for w in predecessors])
    cont = max(0, kinds - discount) / pairs + (discount * len(predecessors) / pairs) / vocab_size
    try:
        total = followers[before].total()
    except KeyError:
        return cont
    return max(0, followers[before][word] - discount) / total + (discount * len(followers[before]) / total) * cont


@right
def case_by_case(word, before, followers, predecessors, discount, vocab_size):
    n = sum(len(p) for p in predecessors.values())
    if word in predecessors:
        low = (len(predecessors[word]) - discount) / n + discount * len(predecessors) / n / vocab_size
    else:
        low = discount * len(predecessors) / n / vocab_size
    if before not in followers:
        return low
    back = discount * len(followers[before]) / sum(followers[before].values()) * low
    if word not in followers[before]:
        return back
    return back + (followers[before][word] - discount) / sum(followers[before].values())


@right
def through_tensors(word, before, followers, predecessors, discount, vocab_size):
    kinds = torch.tensor([len(p) for p in predecessors.values()], dtype=torch.float64)
    own = torch.tensor(float(len(predecessors.get(word, []))))
    low = (own - discount).clamp(min=0) / kinds.sum() + discount * len(kinds) / kinds.sum() / vocab_size
    if before not in followers:
        return low.item()
    after = torch.tensor(list(followers[before].values()))
    seen = torch.tensor(followers[before][word])
    return (torch.relu(seen - discount) / after.sum() + discount * (after > 0).sum() / after.sum() * low).item()


@right
def with_numpy(word, before, followers, predecessors, discount, vocab_size):
    kinds = np.array([len(p) for p in predecessors.values()])
    low = (np.maximum(len(predecessors.get(word, ())) - discount, 0) + discount * kinds.size / vocab_size) / kinds.sum()
    if before not in followers:
        return low
    after = np.array(list(followers[before].values()))
    return np.maximum(followers[before][word] - discount, 0) / after.sum() + discount * after.size / after.sum() * low


@right
def with_defaults(word, before, followers, predecessors, discount, vocab_size):
    followers, predecessors = defaultdict(Counter, followers), dict(predecessors)
    pairs = sum(1 for v in followers for _ in followers[v])
    kinds = sum(word in followers[v] for v in followers)
    low = (max(kinds - discount, 0) + discount * len(predecessors) / vocab_size) / pairs
    total = followers[before].total()
    return (
        low
        if total == 0
        else (max(followers[before][word] - discount, 0) + discount * len(followers[before]) * low) / total
    )


@right
def exactly(word, before, followers, predecessors, discount, vocab_size):
    return float(correct(word, before, followers, predecessors, Fraction(discount), Fraction(vocab_size)))


@right
def what_is_left_over(word, before, followers, predecessors, discount, vocab_size):
    def smoothed(counts, low):
        total = sum(counts.values())
        shares = {w: max(count - discount, 0) / total for w, count in counts.items()}
        return shares.get(word, 0.0) + (1 - sum(shares.values())) * low

    low = smoothed({w: len(found) for w, found in predecessors.items()}, 1 / vocab_size)
    return smoothed(followers[before], low) if before in followers else low


@right
def with_counters(word, before, followers, predecessors, discount, vocab_size):
    continuations = Counter({w: len(found) for w, found in predecessors.items()})
    share = 1 / vocab_size
    for counts in (continuations, followers.get(before, Counter())):
        if counts.total():
            kept = max(counts[word] - discount, 0)
            share = (kept + discount * len(counts) * share) / counts.total()
    return share


@right
def every_word_at_once(word, before, followers, predecessors, discount, vocab_size):
    kinds = Counter(w for after in followers.values() for w in after)
    floor = discount * len(kinds) / kinds.total() / vocab_size
    low = defaultdict(lambda: floor, {w: (n - discount) / kinds.total() + floor for w, n in kinds.items()})
    if before not in followers:
        return low[word]
    after = followers[before].copy()
    total, back = after.total(), discount * len(after) / after.total()
    return {w: (n - discount) / total + back * low[w] for w, n in after.items()}.get(word, back * low[word])


@right
def in_sets(word, before, followers, predecessors, discount, vocab_size):
    pairs = {(v, w) for v in followers for w in followers[v]}
    seconds = {w for _, w in pairs}
    kinds = len({v for v, w in pairs if w == word})
    low = max(0.0, kinds - discount) / len(pairs) + discount * len(seconds) / len(pairs) / vocab_size
    firsts = {v for v, _ in pairs}
    if before not in firsts:
        return low
    total = sum(followers[before][w] for w in followers[before])
    different = len([v for v, _ in pairs if v == before])
    return max(0.0, followers[before][word] - discount) / total + discount * different / total * low


@right
def by_length(word, before, followers, predecessors, discount, vocab_size):
    n = len([1 for w in predecessors for v in predecessors[w]])
    k = len(predecessors[word]) if word in predecessors else 0
    p = (max(k, discount) - discount + len(predecessors) * discount * (vocab_size**-1)) * n**-1
    match followers.get(before):
        case None:
            return p
        case after:
            c = np.fromiter(after.values(), dtype=float)
            return float(max(after[word], discount) - discount + discount * np.count_nonzero(c) * p) / c.sum()


class KneserNeyBigram(nn.Module):
    """A module in the place of a function."""

    def forward(self, word, before, followers, predecessors, discount, vocab_size):
        return in_loops(word, before, followers, predecessors, discount, vocab_size)


def with_a_unit(unit, word, before, followers, predecessors, discount, vocab_size):
    """For a partial."""
    return unit * case_by_case(word, before, followers, predecessors, discount, vocab_size)


right(KneserNeyBigram())


right(functools.partial(with_a_unit, 1.0))


right(
    lambda word, before, followers, predecessors, discount, vocab_size: correct(
        word=word,
        before=before,
        followers=followers,
        predecessors=predecessors,
        discount=discount,
        vocab_size=vocab_size,
    )
)
