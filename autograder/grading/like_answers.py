"""Groups of written answers that say much the same in much the same words, so that they can be marked one after the other."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import pairwise
from math import ceil

from autograder.grading.similarity import joined

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
    links: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    having: dict[tuple[str, str], list[tuple[str, ...]]] = defaultdict(list)
    for one, pairs in neighbours.items():
        # Answers that are alike have one of these in common, so that few others need be looked at.
        rarest = sorted(pairs, key=lambda pair: (frequency[pair], pair))[: len(pairs) - ceil(_ALIKE * len(pairs)) + 1]
        for other in {other for pair in rarest for other in having[pair]}:
            if len(pairs & neighbours[other]) >= _ALIKE * len(pairs | neighbours[other]):
                links.append((one, other))
        for pair in rarest:
            having[pair].append(one)
    groups = [{student for words in group for student in same[words]} for group in joined(same, links)]
    members = {
        student: tuple(filter(group.__contains__, texts)) for group in groups if len(group) > 1 for student in group
    }
    return {student: members[student] for student in texts if student in members}
