"""Mistakes in `majority_vote`, and right answers in other styles."""

import statistics
from collections import Counter, defaultdict

from autograder.checks.ch13_rewards.majority_vote import arguments, most, ties, types
from autograder.judging.catalogue import mistake, right


@mistake(most, "the first answer is chosen")
def first(answers):
    return answers[0]


@mistake(most, "the last answer is chosen")
def last(answers):
    return answers[-1]


@mistake(most, "the answer that occurs least often is chosen")
def rarest(answers):
    return min(answers, key=answers.count)


@mistake(most, "the number of occurrences is returned, expected the answer")
def number(answers):
    return Counter(answers).most_common(1)[0][1]


@mistake(most, "the answer is returned with its count, expected the answer alone")
def with_count(answers):
    return Counter(answers).most_common(1)[0]


@mistake(most, "the longest answer is chosen, expected the most frequent one")
def longest(answers):
    return max(answers, key=len)


@mistake(most, "only an answer with more than half of the votes is chosen, and otherwise the first one")
def absolute(answers):
    found = max(answers, key=answers.count)
    return found if 2 * answers.count(found) > len(answers) else answers[0]


@mistake(most, "the answer that occurs least often is chosen")
def last_of_the_list(answers):
    return Counter(answers).most_common()[-1][0]


@mistake(
    most,
    "an answer is dropped for each one that differs from it, which finds a majority of all votes and no other winner",
)
def boyer_moore(answers):
    found, votes = None, 0
    for answer in answers:
        if not votes:
            found = answer
        votes += 1 if answer == found else -1
    return found


@mistake(most, "answers that differ in upper and lower case alone are counted together")
def in_lower_case(answers):
    counts = Counter(str(answer).lower() for answer in answers)
    return max(answers, key=lambda answer: counts[str(answer).lower()])


@mistake(most, "only answers that follow each other are counted together")
def runs(answers):
    best, length, run = answers[0], 0, 0
    for place, answer in enumerate(answers):
        run = run + 1 if place and answers[place - 1] == answer else 1
        if run > length:
            best, length = answer, run
    return best


@mistake(ties, "of several answers that occur equally often, the one that came last is chosen")
def last_of_ties(answers):
    return max(reversed(answers), key=answers.count)


@mistake(ties, "of several answers that occur equally often, the one whose first occurrence is last is chosen")
def last_to_come(answers):
    counts = Counter(answers)
    return max(reversed(list(counts)), key=counts.get)


@mistake(ties, "of several answers that occur equally often, the first in the alphabet is chosen")
def alphabet(answers):
    return max(sorted(answers, key=repr), key=answers.count)


@mistake(ties, "of several answers that occur equally often, the last in the alphabet is chosen")
def alphabet_backwards(answers):
    return max(answers, key=lambda answer: (answers.count(answer), repr(answer)))


@mistake(ties, "of several answers that occur equally often, the first one in a set is chosen, but a set has no order")
def first_of_a_set(answers):
    return max(set(answers), key=answers.count)


@mistake(ties, "of several answers that occur equally often, the one that reached the count first is chosen")
def reached_first(answers):
    counts, best, most_ = Counter(), answers[0], 0
    for answer in answers:
        counts[answer] += 1
        if counts[answer] > most_:
            best, most_ = answer, counts[answer]
    return best


@mistake(arguments, "the answers are sorted in place")
def sorted_in_place(answers):
    copy = list(answers)
    answers.sort(key=repr)
    return max(copy, key=copy.count)


@mistake(types, "answers are sorted, but some types have no order")
def needs_order(answers):
    ordered = sorted(set(answers))
    return max(ordered, key=lambda answer: (answers.count(answer), -answers.index(answer)))


@mistake(types, "answers are compared by their text, but different answers can have the same")
def by_text(answers):
    counts = Counter(map(str, answers))
    return max(answers, key=lambda answer: counts[str(answer)])


mistake(types, "answers are compared by their hash, but different answers can have the same").made_in(
    by_text, by_hash={"map(str, answers)": "map(hash, answers)", "str(answer)": "hash(answer)"}
)


@mistake(types, "answers are turned into strings, expected them as they were given")
def as_strings(answers):
    found = Counter(map(str, answers)).most_common(1)[0][0]
    return next(
        (answer for answer in answers if answer == found or isinstance(answer, tuple) and str(answer) == found), found
    )


@right
def most_common(answers):
    return Counter(answers).most_common(1)[0][0]


@right
def mode(answers):
    return statistics.mode(answers)


@right
def by_count(answers):
    return max(answers, key=list(answers).count)


@right
def by_hand(answers):
    counts = defaultdict(int)
    for answer in answers:
        counts[answer] += 1
    best = None
    for answer, count in counts.items():
        if best is None or count > counts[best[0]]:
            best = (answer,)
    return best[0]


@right
def with_places(answers):
    return min(set(answers), key=lambda answer: (-answers.count(answer), answers.index(answer)))
