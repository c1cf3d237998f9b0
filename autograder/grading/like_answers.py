"""Groups of written answers that say much the same in much the same words, so that they can be marked one after the other."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import pairwise
from math import ceil

_WORD = re.compile(r"\w+")
_ALIKE = 0.5
"""The share of two answers' pairs of neighbouring words that both have, from which on the answers are alike."""


def groups_of(texts: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """For each student whose answer is like another one, the students with such answers, in the order in which they are given.

    Args:
        texts: The answers by student.
    """
    same: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for student, text in texts.items():
        if words := tuple(_WORD.findall(text.lower())):
            same[words].append(student)
    neighbours = {words: frozenset(pairwise(words)) for words in same}
    frequency = Counter(pair for pairs in neighbours.values() for pair in pairs)
    group = {words: {words} for words in same}
    having: dict[tuple[str, str], list[tuple[str, ...]]] = defaultdict(list)
    for one, pairs in neighbours.items():
        # Answers that are alike have one of these in common, so that few others need be looked at.
        rarest = sorted(pairs, key=lambda pair: (frequency[pair], pair))[: len(pairs) - ceil(_ALIKE * len(pairs)) + 1]
        for other in {other for pair in rarest for other in having[pair]}:
            if len(pairs & neighbours[other]) >= _ALIKE * len(pairs | neighbours[other]):
                joined = group[one] | group[other]
                group.update(dict.fromkeys(joined, joined))
        for pair in rarest:
            having[pair].append(one)
    members = {student: {one for words in group[own] for one in same[words]} for own in same for student in same[own]}
    return {
        student: tuple(filter(members[student].__contains__, texts)) for student in members if len(members[student]) > 1
    }
