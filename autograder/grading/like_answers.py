"""Groups of written answers that say much the same in much the same words, so that they can be marked one after the other."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from itertools import combinations, pairwise

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
    group = {words: {words} for words in same}
    by_length = sorted(((frozenset(pairwise(words)), words) for words in same), key=lambda one: len(one[0]))
    for (fewer, one), (more, other) in combinations(by_length, 2):
        if len(fewer) >= _ALIKE * len(more) and len(fewer & more) >= _ALIKE * len(fewer | more) > 0:
            joined = group[one] | group[other]
            group.update(dict.fromkeys(joined, joined))
    members = {student: {one for words in group[own] for one in same[words]} for own in same for student in same[own]}
    return {
        student: tuple(filter(members[student].__contains__, texts)) for student in members if len(members[student]) > 1
    }
