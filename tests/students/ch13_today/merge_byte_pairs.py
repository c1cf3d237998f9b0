"""What students hand in for `merge_byte_pairs`: each mistake alone, and right answers of many styles."""

import heapq
from itertools import pairwise

EXERCISE = "merge_byte_pairs"


def merged(pieces, pair):
    """All occurrences of a pair, from left to right."""
    found, i = [], 0
    while i < len(pieces):
        if i + 1 < len(pieces) and (pieces[i], pieces[i + 1]) == pair:
            found.append(pieces[i] + pieces[i + 1])
            i += 2
        else:
            found.append(pieces[i])
            i += 1
    return found


def leftmost_pair(symbols, ranks):
    """The first pair from the left that is known."""
    pieces = list(symbols)
    while True:
        known = [pair for pair in pairwise(pieces) if pair in ranks]
        if not known:
            return pieces
        pieces = merged(pieces, known[0])


def highest_rank(symbols, ranks):
    """The pair with the largest rank."""
    pieces = list(symbols)
    while True:
        known = [pair for pair in pairwise(pieces) if pair in ranks]
        if not known:
            return pieces
        pieces = merged(pieces, max(known, key=ranks.get))


def one_round(symbols, ranks):
    """Each merge in turn, but only the first that fits."""
    pieces = list(symbols)
    known = [pair for pair in pairwise(pieces) if pair in ranks]
    return merged(pieces, min(known, key=ranks.get)) if known else pieces


def symbols_only(symbols, ranks):
    """Only single symbols are merged."""
    pieces = list(symbols)
    while True:
        known = [pair for pair in pairwise(pieces) if pair in ranks and all(len(piece) == 1 for piece in pair)]
        if not known:
            return pieces
        pieces = merged(pieces, min(known, key=ranks.get))


def joins_everything(symbols, ranks):
    """Pairs without a rank are merged at the end."""
    pieces = list(symbols)
    while len(pieces) > 1:
        pieces = merged(pieces, min(pairwise(pieces), key=lambda pair: ranks.get(pair, 10**9)))
    return pieces


def longest_piece(symbols, ranks):
    """The longest known piece from the left, as with word pieces."""
    known = {first + second for first, second in ranks} | set(symbols)
    word, pieces = "".join(symbols), []
    while word:
        size = next(size for size in range(len(word), 0, -1) if word[:size] in known)
        pieces.append(word[:size])
        word = word[size:]
    return pieces


def overlapping(symbols, ranks):
    """A merged piece is part of the next occurrence too."""
    pieces = list(symbols)
    while True:
        known = [pair for pair in pairwise(pieces) if pair in ranks]
        if not known:
            return pieces
        best, found, skip = min(known, key=ranks.get), [], False
        for i, piece in enumerate(pieces):
            here = tuple(pieces[i : i + 2]) == best
            if here:
                found.append("".join(best))
            elif not skip:
                found.append(piece)
            skip = here
        pieces = found


def from_the_right(symbols, ranks):
    """Occurrences from right to left."""
    pieces = list(symbols)
    while True:
        known = [pair for pair in pairwise(pieces) if pair in ranks]
        if not known:
            return pieces
        best, i = min(known, key=ranks.get), len(pieces) - 2
        while i >= 0:
            if tuple(pieces[i : i + 2]) == best:
                pieces[i : i + 2] = ["".join(best)]
                i -= 1
            i -= 1


def loses_the_last(symbols, ranks):
    """The last piece is dropped where it is not merged."""
    pieces = list(symbols)
    while True:
        known = [pair for pair in pairwise(pieces) if pair in ranks]
        if not known:
            return pieces
        best, found, i = min(known, key=ranks.get), [], 0
        while i < len(pieces) - 1:
            here = (pieces[i], pieces[i + 1]) == best
            found.append("".join(best) if here else pieces[i])
            i += 1 + here
        pieces = found


def marked(symbols, ranks):
    """The pieces after the first are marked, as word pieces are."""
    pieces = list(symbols)
    while True:
        known = [pair for pair in pairwise(pieces) if pair in ranks]
        if not known:
            return pieces[:1] + ["##" + piece for piece in pieces[1:]]
        pieces = merged(pieces, min(known, key=ranks.get))


def nothing(symbols, ranks):
    """The symbols come back."""
    return list(symbols)


def changes_symbols(symbols, ranks):
    """The caller's list is merged."""
    while True:
        known = [pair for pair in pairwise(symbols) if pair in ranks]
        if not known:
            return list(symbols)
        symbols[:] = merged(symbols, min(known, key=ranks.get))


def uses_up_ranks(symbols, ranks):
    """The caller's ranks are used up."""
    pieces = list(symbols)
    while ranks:
        best = min(ranks, key=ranks.get)
        ranks.pop(best)
        pieces = merged(pieces, best)
    return pieces


def gives_back_what_was_given(symbols, ranks):
    """Where nothing is merged, the caller's own list comes back."""
    pieces = symbols
    while True:
        known = [pair for pair in pairwise(pieces) if pair in ranks]
        if not known:
            return pieces
        pieces = merged(pieces, min(known, key=ranks.get))


def fails_on_short_words(symbols, ranks):
    """The least of nothing is an error."""
    pieces = list(symbols)
    while True:
        best = min(pairwise(pieces), key=lambda pair: ranks.get(pair, 10**9))
        if best not in ranks:
            return pieces
        pieces = merged(pieces, best)
        if len(pieces) == 1:
            return pieces


def few_rounds(symbols, ranks):
    """At most eight merges."""
    pieces = list(symbols)
    for _ in range(8):
        known = [pair for pair in pairwise(pieces) if pair in ranks]
        if not known:
            break
        pieces = merged(pieces, min(known, key=ranks.get))
    return pieces


_RANK = "the pair with the lowest rank is merged first"
_AGAIN = "merged pieces are merged further"
_REPEATED = "every occurrence is merged, from left to right"
_SHORT = "works with short words and without merges, and does not change its arguments"

WRONG = {
    leftmost_pair: _RANK,
    highest_rank: _RANK,
    one_round: _AGAIN,
    symbols_only: _AGAIN,
    joins_everything: _RANK,
    longest_piece: _RANK,
    overlapping: _REPEATED,
    from_the_right: _REPEATED,
    loses_the_last: _RANK,
    marked: _RANK,
    nothing: _RANK,
    changes_symbols: _SHORT,
    uses_up_ranks: _SHORT,
    fails_on_short_words: _SHORT,
    gives_back_what_was_given: _SHORT,
    few_rounds: "long words with many merges",
}


def merge_after_merge(symbols, ranks):
    """Every merge in the order of training."""
    pieces = list(symbols)
    for pair in sorted(ranks, key=ranks.get):
        pieces = merged(pieces, pair)
    return pieces


def one_at_a_time(symbols, ranks):
    """The leftmost occurrence of the best pair, one a round."""
    pieces = list(symbols)
    while True:
        known = [(ranks[pair], i) for i, pair in enumerate(pairwise(pieces)) if pair in ranks]
        if not known:
            return pieces
        _, i = min(known)
        pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]


def recursive(symbols, ranks):
    """A call for each merge."""
    known = {pair for pair in pairwise(symbols) if pair in ranks}
    return recursive(merged(list(symbols), min(known, key=ranks.get)), ranks) if known else list(symbols)


def with_a_heap(symbols, ranks):
    """A heap of the candidates, made anew each round."""
    pieces = list(symbols)
    while True:
        heap = [(ranks[pair], i) for i, pair in enumerate(pairwise(pieces)) if pair in ranks]
        heapq.heapify(heap)
        if not heap:
            return pieces
        i = heapq.heappop(heap)[1]
        pieces = [*pieces[:i], "".join(pieces[i : i + 2]), *pieces[i + 2 :]]


def with_infinity(symbols, ranks):
    """Unknown pairs have an infinite rank."""
    pieces = [*symbols]
    while len(pieces) > 1:
        best = min(pairwise(pieces), key=lambda pair: ranks.get(pair, float("inf")))
        if best not in ranks:
            break
        pieces = merged(pieces, best)
    return pieces


RIGHT = {
    "merge after merge": merge_after_merge,
    "one at a time": one_at_a_time,
    "recursive": recursive,
    "a heap": with_a_heap,
    "infinity": with_infinity,
}
FORBIDDEN = ()
