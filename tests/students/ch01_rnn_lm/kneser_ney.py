"""What students hand in for `kneser_ney`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools
import math
from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import torch
from torch import nn

EXERCISE = "kneser_ney"


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


def right(word, before, followers, predecessors, discount, vocab_size):
    """Two steps."""
    return interpolated(word, before, followers, discount, continuation_of(word, predecessors, discount, vocab_size))


def raw_counts(word, before, followers, predecessors, discount, vocab_size):
    """The lower order is made of raw counts: words, not contexts."""
    total = sum(words.total() for words in predecessors.values())
    seen = predecessors[word].total() if word in predecessors else 0
    low = (max(seen - discount, 0) + discount * len(predecessors) / vocab_size) / total
    return interpolated(word, before, followers, discount, low)


def plain_unigram(word, before, followers, predecessors, discount, vocab_size):
    """The lower order is how often a word was seen, over all words."""
    total = sum(words.total() for words in predecessors.values())
    low = predecessors[word].total() / total if word in predecessors else 0.0
    return interpolated(word, before, followers, discount, low)


def raw_over_pairs(word, before, followers, predecessors, discount, vocab_size):
    """N1+(· w) is taken for how often w was seen, and only that."""
    pairs = sum(len(words) for words in predecessors.values())
    seen = sum(predecessors.get(word, Counter()).values())
    low = max(seen - discount, 0) / pairs + discount * len(predecessors) / pairs / vocab_size
    return interpolated(word, before, followers, discount, low)


def continuation_not_discounted(word, before, followers, predecessors, discount, vocab_size):
    """N1+(· w) / N1+(· ·), and no word that is new has any probability."""
    low = len(predecessors.get(word, ())) / sum(len(words) for words in predecessors.values())
    return interpolated(word, before, followers, discount, low)


def uniform_forgotten(word, before, followers, predecessors, discount, vocab_size):
    """In P_cont the discount is taken and not given back."""
    pairs = sum(len(words) for words in predecessors.values())
    low = max(len(predecessors.get(word, ())) - discount, 0) / pairs
    return interpolated(word, before, followers, discount, low)


def one_discount_given_back(word, before, followers, predecessors, discount, vocab_size):
    """In P_cont D is given back once, and not for each word."""
    pairs = sum(len(words) for words in predecessors.values())
    low = (max(len(predecessors.get(word, ())) - discount, 0) + discount / vocab_size) / pairs
    return interpolated(word, before, followers, discount, low)


def discount_as_weight(word, before, followers, predecessors, discount, vocab_size):
    """In P_cont each word gets D / V."""
    pairs = sum(len(words) for words in predecessors.values())
    low = max(len(predecessors.get(word, ())) - discount, 0) / pairs + discount / vocab_size
    return interpolated(word, before, followers, discount, low)


def not_among_all_words(word, before, followers, predecessors, discount, vocab_size):
    """In P_cont what is given back is not divided by V."""
    return interpolated(word, before, followers, discount, continuation_of(word, predecessors, discount, 1))


def own_vocabulary(word, before, followers, predecessors, discount, vocab_size):
    """V is counted: the words that followed others."""
    low = continuation_of(word, predecessors, discount, len(predecessors))
    return interpolated(word, before, followers, discount, low)


def first_words_counted(word, before, followers, predecessors, discount, vocab_size):
    """W is taken for the number of words that were followed."""
    pairs = sum(len(words) for words in predecessors.values())
    kinds = len(predecessors.get(word, {}))
    low = (max(kinds - discount, 0) + discount * len(followers) / vocab_size) / pairs
    return interpolated(word, before, followers, discount, low)


def over_all_tokens(word, before, followers, predecessors, discount, vocab_size):
    """Continuation counts over the number of all words."""
    tokens = sum(words.total() for words in followers.values())
    kinds = len(predecessors.get(word, {}))
    low = (max(kinds - discount, 0) + discount * len(predecessors) / vocab_size) / tokens
    return interpolated(word, before, followers, discount, low)


def over_the_contexts(word, before, followers, predecessors, discount, vocab_size):
    """In how many of all contexts: continuation counts over the number of words that were followed."""
    kinds = len(predecessors.get(word, {}))
    low = (max(kinds - discount, 0) + discount * len(predecessors) / vocab_size) / len(followers)
    return interpolated(word, before, followers, discount, low)


def over_the_words(word, before, followers, predecessors, discount, vocab_size):
    """Continuation counts over the number of words that have one."""
    kinds = len(predecessors.get(word, {}))
    low = (max(kinds - discount, 0) + discount * len(predecessors) / vocab_size) / len(predecessors)
    return interpolated(word, before, followers, discount, low)


def uniform_for_unseen(word, before, followers, predecessors, discount, vocab_size):
    """After a word that is new all words are equally likely."""
    if before not in followers:
        return 1 / vocab_size
    return right(word, before, followers, predecessors, discount, vocab_size)


def zero_for_unseen(word, before, followers, predecessors, discount, vocab_size):
    """After a word that is new no word is possible."""
    if before not in followers:
        return 0.0
    return right(word, before, followers, predecessors, discount, vocab_size)


def divides_by_zero(word, before, followers, predecessors, discount, vocab_size):
    """c(v ·) is 0 for a word that is new."""
    after = followers.get(before, Counter())
    low = continuation_of(word, predecessors, discount, vocab_size)
    return max(after[word] - discount, 0) / after.total() + discount * len(after) / after.total() * low


def no_such_key(word, before, followers, predecessors, discount, vocab_size):
    """A word that is new is looked up like any other."""
    after = followers[before]
    low = continuation_of(word, predecessors, discount, vocab_size)
    return max(after[word] - discount, 0) / after.total() + discount * len(after) / after.total() * low


def at_least_one(word, before, followers, predecessors, discount, vocab_size):
    """No division by zero, for what is below the line is at least 1; and nothing is left of P_cont."""
    after = followers.get(before, Counter())
    total = max(after.total(), 1)
    low = continuation_of(word, predecessors, discount, vocab_size)
    return max(after[word] - discount, 0) / total + discount * len(after) / total * low


def times_the_discount(word, before, followers, predecessors, discount, vocab_size):
    """After a word that is new P_cont is multiplied by D."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    return interpolated(word, before, followers, discount, low) if before in followers else discount * low


def nothing_returned(word, before, followers, predecessors, discount, vocab_size):
    """The return is missing."""
    right(word, before, followers, predecessors, discount, vocab_size)


def a_tensor(word, before, followers, predecessors, discount, vocab_size):
    """A tensor for a number."""
    return torch.tensor(right(word, before, followers, predecessors, discount, vocab_size))


def a_fraction(word, before, followers, predecessors, discount, vocab_size):
    """An exact fraction for a float."""
    return Fraction(right(word, before, followers, predecessors, discount, vocab_size))


def a_logarithm(word, before, followers, predecessors, discount, vocab_size):
    """The logarithm of the probability."""
    return math.log(right(word, before, followers, predecessors, discount, vocab_size))


def pairs_as_keys(word, before, followers, predecessors, discount, vocab_size):
    """The pair is asked for as a key, as in a Counter of pairs."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    total = sum(followers.get(before, Counter()).values())
    return max(followers[(before, word)] - discount, 0) / total + low if total else low


def not_given_back(word, before, followers, predecessors, discount, vocab_size):
    """The discount is taken and not given back."""
    if before not in followers:
        return continuation_of(word, predecessors, discount, vocab_size)
    return max(followers[before][word] - discount, 0) / followers[before].total()


def not_discounted(word, before, followers, predecessors, discount, vocab_size):
    """What is given back was never taken."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    after = followers[before]
    return (after[word] + discount * len(after) * low) / after.total()


def plain_share(word, before, followers, predecessors, discount, vocab_size):
    """No smoothing where the word before was seen."""
    if before not in followers:
        return continuation_of(word, predecessors, discount, vocab_size)
    return followers[before][word] / followers[before].total()


def below_zero(word, before, followers, predecessors, discount, vocab_size):
    """The discount is taken from counts of 0 too."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    after = followers[before]
    return (after[word] - discount + discount * len(after) * low) / after.total()


def tokens_for_types(word, before, followers, predecessors, discount, vocab_size):
    """D is given back for each time that something followed."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    after = followers[before]
    return max(after[word] - discount, 0) / after.total() + discount * sum(after.values()) / after.total() * low


def given_back_once(word, before, followers, predecessors, discount, vocab_size):
    """D over the count of the word before."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    after = followers[before]
    return (max(after[word] - discount, 0) + discount * low) / after.total()


def other_direction(word, before, followers, predecessors, discount, vocab_size):
    """What stood before v is counted, and not what stood after it."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    kinds = len(predecessors.get(before, ()))
    return (max(followers[before][word] - discount, 0) + discount * kinds * low) / followers[before].total()


def evenly(word, before, followers, predecessors, discount, vocab_size):
    """What is freed is dealt out to all words alike."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    return interpolated(word, before, followers, discount, 1 / vocab_size if before in followers else low)


def by_raw_counts(word, before, followers, predecessors, discount, vocab_size):
    """What is freed is dealt out by raw counts, though an unseen context has P_cont."""
    if before not in followers:
        return continuation_of(word, predecessors, discount, vocab_size)
    tokens = sum(words.total() for words in followers.values())
    low = sum(words[word] for words in followers.values()) / tokens
    return interpolated(word, before, followers, discount, low)


def backs_off(word, before, followers, predecessors, discount, vocab_size):
    """Only a word that did not follow gets anything of what is freed."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers or followers[before][word]:
        return interpolated(word, before, followers, discount, low if before not in followers else 0.0)
    return interpolated(word, before, followers, discount, low)


def backs_off_whole(word, before, followers, predecessors, discount, vocab_size):
    """A word that did not follow gets all of P_cont."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers or not followers[before][word]:
        return low
    return max(followers[before][word] - discount, 0) / followers[before].total()


def share_discounted(word, before, followers, predecessors, discount, vocab_size):
    """D is taken from the share."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    after = followers[before]
    return max(after[word] / after.total() - discount, 0) + discount * len(after) / after.total() * low


def a_mixture(word, before, followers, predecessors, discount, vocab_size):
    """The discount is taken for a weight."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    after = followers[before]
    return (1 - discount) * after[word] / after.total() + discount * low


def pair_turned(word, before, followers, predecessors, discount, vocab_size):
    """The pair is read backwards."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    after = followers[before]
    turned = followers.get(word, Counter())[before]
    return (max(turned - discount, 0) + discount * len(after) * low) / after.total()


def over_the_word(word, before, followers, predecessors, discount, vocab_size):
    """c(v w) over how often w was seen."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    after, seen = followers[before], predecessors.get(word, Counter()).total()
    return max(after[word] - discount, 0) / max(seen, 1) + discount * len(after) / after.total() * low


def over_the_kinds(word, before, followers, predecessors, discount, vocab_size):
    """c(v ·) is taken for the number of different words."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    after = followers[before]
    return (max(after[word] - discount, 0) + discount * len(after) * low) / len(after)


def not_divided(word, before, followers, predecessors, discount, vocab_size):
    """What is given back is a count, and not a share."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    after = followers[before]
    return max(after[word] - discount, 0) / after.total() + discount * len(after) * low


def not_multiplied(word, before, followers, predecessors, discount, vocab_size):
    """What is given back is added for each word, without P_cont."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    after = followers[before]
    return (max(after[word] - discount, 0) + discount * len(after)) / after.total()


def usual_discount(word, before, followers, predecessors, discount, vocab_size):
    """The discount of the bigrams is fixed at 0.75, a common choice."""
    return interpolated(word, before, followers, 0.75, continuation_of(word, predecessors, discount, vocab_size))


def rare_pairs_dropped(word, before, followers, predecessors, discount, vocab_size):
    """Bigrams that were seen once are treated as noise."""
    after = Counter({w: count for w, count in followers.get(before, {}).items() if count > 1})
    low = continuation_of(word, predecessors, discount, vocab_size)
    return interpolated(word, before, {before: after}, discount, low)


def whole_numbers(word, before, followers, predecessors, discount, vocab_size):
    """`//` for `/`."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    after = followers[before]
    return max(after[word] - discount, 0) // after.total() + discount * len(after) / after.total() * low


def no_key_for_a_new_word(word, before, followers, predecessors, discount, vocab_size):
    """A word that followed nothing is looked up like any other."""
    pairs = sum(len(words) for words in predecessors.values())
    low = (max(len(predecessors[word]) - discount, 0) + discount * len(predecessors) / vocab_size) / pairs
    return interpolated(word, before, followers, discount, low)


def impossible_when_new(word, before, followers, predecessors, discount, vocab_size):
    """A word that followed nothing has no probability."""
    return right(word, before, followers, predecessors, discount, vocab_size) if word in predecessors else 0.0


def uniform_when_new(word, before, followers, predecessors, discount, vocab_size):
    """A word that followed nothing has 1 / V."""
    if word not in predecessors:
        return 1 / vocab_size
    return right(word, before, followers, predecessors, discount, vocab_size)


def continuation_below_zero(word, before, followers, predecessors, discount, vocab_size):
    """In P_cont the discount is taken from a count of 0 too."""
    pairs = sum(len(words) for words in predecessors.values())
    kinds = len(predecessors.get(word, ()))
    low = (kinds - discount + discount * len(predecessors) / vocab_size) / pairs
    return interpolated(word, before, followers, discount, low)


def certain_follower(word, before, followers, predecessors, discount, vocab_size):
    """Where one word alone ever followed, it is certain."""
    if before in followers and len(followers[before]) == 1:
        return float(word in followers[before])
    return right(word, before, followers, predecessors, discount, vocab_size)


def one_predecessor_is_none(word, before, followers, predecessors, discount, vocab_size):
    """A word that only ever followed one other is taken to have no life of its own."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    if len(predecessors.get(word, ())) == 1 and predecessors[word].total() > 1 and len(followers.get(before, ())) == 1:
        low = 0.0
    return interpolated(word, before, followers, discount, low)


def sets_defaults(word, before, followers, predecessors, discount, vocab_size):
    """Each question makes an entry."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    after = followers.setdefault(before, Counter())
    return interpolated(word, before, followers, discount, low) if after else low


def adds_zeros(word, before, followers, predecessors, discount, vocab_size):
    """Each question makes an entry of 0, which then counts as a different word."""
    probability = right(word, before, followers, predecessors, discount, vocab_size)
    if before in followers:
        followers[before][word] += 0
    return probability


def takes_the_discount_from_the_counts(word, before, followers, predecessors, discount, vocab_size):
    """The counts themselves are discounted."""
    probability = right(word, before, followers, predecessors, discount, vocab_size)
    if word in predecessors and before in predecessors[word]:
        predecessors[word][before] -= discount
    return probability


def directions_swapped(word, before, followers, predecessors, discount, vocab_size):
    """P_cont looks the wrong way: it counts the different words that followed w."""
    pairs = sum(len(words) for words in predecessors.values())
    low = (max(len(followers.get(word, ())) - discount, 0) + discount * len(followers) / vocab_size) / pairs
    return interpolated(word, before, followers, discount, low)


def low_for_new_pairs(word, before, followers, predecessors, discount, vocab_size):
    """A pair that was not seen has P_cont whole, and one that was is interpolated."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers or word not in followers[before]:
        return low
    return interpolated(word, before, followers, discount, low)


def absolute_value(word, before, followers, predecessors, discount, vocab_size):
    """abs for max: nothing is negative, but a count of 0 becomes D."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    after = followers[before]
    return (abs(after[word] - discount) + discount * len(after) * low) / after.total()


def divided_by_what_is_left(word, before, followers, predecessors, discount, vocab_size):
    """The discounted counts are divided by their own sum, so that nothing is freed."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    after = followers[before]
    left = sum(max(count - discount, 0) for count in after.values())
    return max(after[word] - discount, 0) / left + discount * len(after) / after.total() * low


def what_the_word_leaves(word, before, followers, predecessors, discount, vocab_size):
    """P_cont is weighted with one minus the probability so far."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    high = max(followers[before][word] - discount, 0) / followers[before].total()
    return high + (1 - high) * low


def discounted_twice(word, before, followers, predecessors, discount, vocab_size):
    """D squared is given back."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    after = followers[before]
    return max(after[word] - discount, 0) / after.total() + discount * (discount * len(after) / after.total()) * low


def all_possible_pairs(word, before, followers, predecessors, discount, vocab_size):
    """N1+(· ·) is taken for the number of pairs that are possible."""
    pairs = len(followers) * len(predecessors)
    low = (max(len(predecessors.get(word, ())) - discount, 0) + discount * len(predecessors) / vocab_size) / pairs
    return interpolated(word, before, followers, discount, low)


def asks_for_the_wrong_word(word, before, followers, predecessors, discount, vocab_size):
    """It is w that is looked for among the words that were followed."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    if word not in followers:
        return low
    return interpolated(word, before, followers, discount, low)


def asks_among_the_predecessors(word, before, followers, predecessors, discount, vocab_size):
    """A word that follows nothing, such as the start of a sentence, is taken for one that was never seen."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    return interpolated(word, before, followers, discount, low) if before in predecessors else low


def seen_once(word, before, followers, predecessors, discount, vocab_size):
    """N1 is read as the number of words that came exactly once."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    after = followers[before]
    once = sum(count == 1 for count in after.values())
    return (max(after[word] - discount, 0) + discount * once * low) / after.total()


def once_before(word, before, followers, predecessors, discount, vocab_size):
    """In P_cont, only predecessors that were seen exactly once are counted."""
    kinds = {w: sum(count == 1 for count in counts.values()) for w, counts in predecessors.items()}
    low = (max(kinds.get(word, 0) - discount, 0) + discount * len(predecessors) / vocab_size) / sum(kinds.values())
    return interpolated(word, before, followers, discount, low)


def added_and_not_taken(word, before, followers, predecessors, discount, vocab_size):
    """D is added to each count, as in Laplace smoothing."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    return (followers[before][word] + discount) / (followers[before].total() + discount * vocab_size)


def other_predecessors(word, before, followers, predecessors, discount, vocab_size):
    """P_cont does not count v among the words that came before w."""
    pairs = sum(len(words) for words in predecessors.values())
    kinds = sum(v != before for v in predecessors.get(word, ()))
    low = (max(kinds - discount, 0) + discount * len(predecessors) / vocab_size) / pairs
    return interpolated(word, before, followers, discount, low)


def all_contexts(word, before, followers, predecessors, discount, vocab_size):
    """What is given back counts all words that were ever followed."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    if before not in followers:
        return low
    return (max(followers[before][word] - discount, 0) + discount * len(followers) * low) / followers[before].total()


def no_word_twice(word, before, followers, predecessors, discount, vocab_size):
    """A word is not allowed to follow itself."""
    low = continuation_of(word, predecessors, discount, vocab_size)
    return low if word == before else interpolated(word, before, followers, discount, low)


def in_percent(word, before, followers, predecessors, discount, vocab_size):
    """The result is in percent."""
    return 100 * right(word, before, followers, predecessors, discount, vocab_size)


def no_uniform_in_the_pair(word, before, followers, predecessors, discount, vocab_size):
    """The two terms of P_cont are multiplied, expected their sum."""
    pairs = sum(len(words) for words in predecessors.values())
    kinds = max(len(predecessors.get(word, ())) - discount, 0) / pairs
    low = kinds * (discount * len(predecessors) / pairs) / vocab_size
    return interpolated(word, before, followers, discount, low)


def unseen_word_for_an_error(word, before, followers, predecessors, discount, vocab_size):
    """What nothing followed is refused."""
    if before not in followers:
        raise ValueError(f"{before} was never seen")
    return right(word, before, followers, predecessors, discount, vocab_size)


def pops(word, before, followers, predecessors, discount, vocab_size):
    """pop for get: the second question finds nothing."""
    probability = right(word, before, followers, predecessors, discount, vocab_size)
    followers.pop(before, None)
    return probability


_ALONE = "after a word that nothing followed, only the continuation counts matter"
_GIVEN = "after a word that others followed, the freed probability is given back"
_DEALT = "the freed probability is distributed by the continuation counts"
_NEW = "a word that never followed another gets its share of the freed probability"
_ONE = "after a word with one follower, all other words get some probability"
_COUNTS = "the counts are left as they were, and D and V are the given ones"

WRONG = {
    raw_counts: _ALONE,
    plain_unigram: _ALONE,
    raw_over_pairs: _ALONE,
    continuation_not_discounted: _ALONE,
    uniform_forgotten: _ALONE,
    one_discount_given_back: _ALONE,
    discount_as_weight: _ALONE,
    not_among_all_words: _ALONE,
    own_vocabulary: _ALONE,
    first_words_counted: _ALONE,
    over_all_tokens: _ALONE,
    over_the_contexts: _ALONE,
    over_the_words: _ALONE,
    uniform_for_unseen: _ALONE,
    zero_for_unseen: _ALONE,
    divides_by_zero: _ALONE,
    no_such_key: _ALONE,
    at_least_one: _ALONE,
    times_the_discount: _ALONE,
    nothing_returned: _ALONE,
    a_tensor: _DEALT,
    a_fraction: _DEALT,
    a_logarithm: _ALONE,
    pairs_as_keys: _GIVEN,
    not_given_back: _GIVEN,
    not_discounted: _GIVEN,
    plain_share: _GIVEN,
    below_zero: _GIVEN,
    tokens_for_types: _GIVEN,
    given_back_once: _GIVEN,
    other_direction: _GIVEN,
    evenly: _DEALT,
    by_raw_counts: _DEALT,
    backs_off: _GIVEN,
    backs_off_whole: _GIVEN,
    share_discounted: _GIVEN,
    a_mixture: _GIVEN,
    pair_turned: _GIVEN,
    over_the_word: _GIVEN,
    over_the_kinds: _GIVEN,
    not_divided: _GIVEN,
    not_multiplied: _GIVEN,
    usual_discount: _GIVEN,
    rare_pairs_dropped: _GIVEN,
    whole_numbers: _GIVEN,
    no_key_for_a_new_word: _NEW,
    impossible_when_new: _NEW,
    uniform_when_new: _NEW,
    continuation_below_zero: _NEW,
    certain_follower: _ONE,
    one_predecessor_is_none: _ONE,
    directions_swapped: _ALONE,
    low_for_new_pairs: _GIVEN,
    absolute_value: _GIVEN,
    divided_by_what_is_left: _GIVEN,
    what_the_word_leaves: _GIVEN,
    discounted_twice: _GIVEN,
    all_possible_pairs: _ALONE,
    asks_for_the_wrong_word: _GIVEN,
    asks_among_the_predecessors: _GIVEN,
    seen_once: _GIVEN,
    once_before: _ALONE,
    added_and_not_taken: _GIVEN,
    other_predecessors: _GIVEN,
    all_contexts: _GIVEN,
    no_word_twice: _GIVEN,
    in_percent: _ALONE,
    no_uniform_in_the_pair: _ALONE,
    unseen_word_for_an_error: _ALONE,
    pops: _COUNTS,
    sets_defaults: _COUNTS,
    adds_zeros: _COUNTS,
    takes_the_discount_from_the_counts: _COUNTS,
}


def in_one_line(word, before, followers, predecessors, discount, vocab_size):
    """As short as it gets."""
    n = sum(map(len, predecessors.values()))
    p = (max(len(predecessors.get(word, "")) - discount, 0) + discount * len(predecessors) / vocab_size) / n
    f = followers.get(before, {})
    c = sum(f.values())
    return (max(f.get(word, 0) - discount, 0) + discount * len(f) * p) / c if c else p


def in_loops(word, before, followers, predecessors, discount, vocab_size):
    """Every number by a loop, and from the followers alone."""
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


def of_the_predecessors(word, before, followers, predecessors, discount, vocab_size):
    """Every number from the predecessors."""
    after = {w: counts[before] for w, counts in predecessors.items() if before in counts}
    kinds = {w: len(counts) for w, counts in predecessors.items()}

    def smoothed(counts, low):
        total = sum(counts.values())
        if total == 0:
            return low
        return max(counts.get(word, 0) - discount, 0) / total + discount * len(counts) / total * low

    return smoothed(after, smoothed(kinds, 1 / vocab_size))


def asks_forgiveness(word, before, followers, predecessors, discount, vocab_size):
    """Keys that are missing are caught."""
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


def case_by_case(word, before, followers, predecessors, discount, vocab_size):
    """All cases written out."""
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


def through_tensors(word, before, followers, predecessors, discount, vocab_size):
    """Counted in tensors, and taken out at the end."""
    kinds = torch.tensor([len(p) for p in predecessors.values()], dtype=torch.float64)
    own = torch.tensor(float(len(predecessors.get(word, []))))
    low = (own - discount).clamp(min=0) / kinds.sum() + discount * len(kinds) / kinds.sum() / vocab_size
    if before not in followers:
        return low.item()
    after = torch.tensor(list(followers[before].values()))
    seen = torch.tensor(followers[before][word])
    return (torch.relu(seen - discount) / after.sum() + discount * (after > 0).sum() / after.sum() * low).item()


def with_numpy(word, before, followers, predecessors, discount, vocab_size):
    """A number of NumPy's comes back."""
    kinds = np.array([len(p) for p in predecessors.values()])
    low = (np.maximum(len(predecessors.get(word, ())) - discount, 0) + discount * kinds.size / vocab_size) / kinds.sum()
    if before not in followers:
        return low
    after = np.array(list(followers[before].values()))
    return np.maximum(followers[before][word] - discount, 0) / after.sum() + discount * after.size / after.sum() * low


def with_defaults(word, before, followers, predecessors, discount, vocab_size):
    """Copies that never lack a key."""
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


def exactly(word, before, followers, predecessors, discount, vocab_size):
    """Fractions, and a float at the end."""
    return float(right(word, before, followers, predecessors, Fraction(discount), Fraction(vocab_size)))


def what_is_left_over(word, before, followers, predecessors, discount, vocab_size):
    """What is freed is what the discounted shares lack of one."""

    def smoothed(counts, low):
        total = sum(counts.values())
        shares = {w: max(count - discount, 0) / total for w, count in counts.items()}
        return shares.get(word, 0.0) + (1 - sum(shares.values())) * low

    low = smoothed({w: len(found) for w, found in predecessors.items()}, 1 / vocab_size)
    return smoothed(followers[before], low) if before in followers else low


def with_counters(word, before, followers, predecessors, discount, vocab_size):
    """Continuation counts as a Counter of their own."""
    continuations = Counter({w: len(found) for w, found in predecessors.items()})
    share = 1 / vocab_size
    for counts in (continuations, followers.get(before, Counter())):
        if counts.total():
            kept = max(counts[word] - discount, 0)
            share = (kept + discount * len(counts) * share) / counts.total()
    return share


def every_word_at_once(word, before, followers, predecessors, discount, vocab_size):
    """The whole distribution, and one entry of it."""
    kinds = Counter(w for after in followers.values() for w in after)
    floor = discount * len(kinds) / kinds.total() / vocab_size
    low = defaultdict(lambda: floor, {w: (n - discount) / kinds.total() + floor for w, n in kinds.items()})
    if before not in followers:
        return low[word]
    after = followers[before].copy()
    total, back = after.total(), discount * len(after) / after.total()
    return {w: (n - discount) / total + back * low[w] for w, n in after.items()}.get(word, back * low[word])


def in_sets(word, before, followers, predecessors, discount, vocab_size):
    """Pairs as a set of tuples."""
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


def by_length(word, before, followers, predecessors, discount, vocab_size):
    """The largest of two for the smallest: D is taken from what is at least D."""
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


RIGHT = {
    "two steps": right,
    "in one line": in_one_line,
    "in loops": in_loops,
    "of the predecessors": of_the_predecessors,
    "asks forgiveness": asks_forgiveness,
    "case by case": case_by_case,
    "through tensors": through_tensors,
    "with NumPy": with_numpy,
    "with defaults": with_defaults,
    "exactly": exactly,
    "what is left over": what_is_left_over,
    "with counters": with_counters,
    "every word at once": every_word_at_once,
    "in sets": in_sets,
    "by length": by_length,
    "a module": KneserNeyBigram(),
    "a partial": functools.partial(with_a_unit, 1.0),
    "names its arguments": lambda word, before, followers, predecessors, discount, vocab_size: right(
        word=word,
        before=before,
        followers=followers,
        predecessors=predecessors,
        discount=discount,
        vocab_size=vocab_size,
    ),
}
