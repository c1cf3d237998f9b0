"""Mistakes in `merge_byte_pairs`, and right answers in other styles."""

import heapq
from itertools import pairwise

from autograder.checks.ch14_today.merge_byte_pairs import again, long, one_merge, repeated, short
from autograder.judging.catalogue import mistake, right


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


@right
def usual(symbols, ranks):
    pieces = list(symbols)
    while True:
        known = [pair for pair in pairwise(pieces) if pair in ranks]
        if not known:
            return pieces
        pieces = merged(pieces, min(known, key=ranks.get))


mistake(one_merge, "the leftmost pair that has a rank is merged first, expected the pair with the lowest rank").made_in(
    usual, leftmost_pair={"pieces = merged(pieces, min(known, key=ranks.get))": "pieces = merged(pieces, known[0])"}
)
mistake(one_merge, "the pair with the highest rank is merged first, expected the one with the lowest").made_in(
    usual, highest_rank={"min": "max"}
)


@mistake(again, "only one pair is merged, expected merges until no pair has a rank")
def one_round(symbols, ranks):
    pieces = list(symbols)
    known = [pair for pair in pairwise(pieces) if pair in ranks]
    return merged(pieces, min(known, key=ranks.get)) if known else pieces


mistake(one_merge, "a word of two pieces is returned as it is, expected merged if the pair has a rank").made_in(
    usual, two_pieces_kept={"if not known": "if len(pieces) < 3 or not known"}
)
mistake(again, "a pair is merged if another pair that joins to the same piece has a rank").made_in(
    usual,
    known_by_the_piece={
        "pieces = list(symbols)": "pieces = list(symbols); ranks = {pair[0] + pair[1]: rank for pair, rank in ranks.items()}",
        "pair in ranks": "pair[0] + pair[1] in ranks",
        "key=ranks.get": "key=lambda pair: ranks[pair[0] + pair[1]]",
    },
)
mistake(again, "only pairs of single symbols are merged, expected merged pieces to be merged further").made_in(
    usual, symbols_only={"pair in ranks": "pair in ranks and all(len(piece) == 1 for piece in pair)"}
)


@mistake(one_merge, "pairs that have no rank are merged too")
def joins_everything(symbols, ranks):
    pieces = list(symbols)
    while len(pieces) > 1:
        pieces = merged(pieces, min(pairwise(pieces), key=lambda pair: ranks.get(pair, 10**9)))
    return pieces


@mistake(one_merge, "the longest piece that any merge gives is taken from the left, so the ranks are not used")
def longest_piece(symbols, ranks):
    known = {first + second for first, second in ranks} | set(symbols)
    word, pieces = "".join(symbols), []
    while word:
        size = next(size for size in range(len(word), 0, -1) if word[:size] in known)
        pieces.append(word[:size])
        word = word[size:]
    return pieces


@mistake(repeated, "two occurrences that overlap are both merged, so a symbol is used twice")
def overlapping(symbols, ranks):
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


@mistake(repeated, "the occurrences are merged from right to left, expected from left to right")
def from_the_right(symbols, ranks):
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


@mistake(one_merge, "the last piece is lost unless it is part of a merged pair")
def loses_the_last(symbols, ranks):
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


mistake(one_merge, "pieces inside a word are marked with ##, as in WordPiece; expected them as they are").made_in(
    usual, marked={"return pieces": 'return pieces[:1] + ["##" + piece for piece in pieces[1:]]'}
)


@mistake(one_merge, "nothing is merged: the symbols come back as they are")
def nothing(symbols, ranks):
    return list(symbols)


@mistake(short, "the caller's list is changed in place")
def changes_symbols(symbols, ranks):
    while True:
        known = [pair for pair in pairwise(symbols) if pair in ranks]
        if not known:
            return list(symbols)
        symbols[:] = merged(symbols, min(known, key=ranks.get))


@mistake(short, "the caller's ranks are removed as they are used")
def uses_up_ranks(symbols, ranks):
    pieces = list(symbols)
    while ranks:
        best = min(ranks, key=ranks.get)
        ranks.pop(best)
        pieces = merged(pieces, best)
    return pieces


mistake(short, "where nothing is merged, the given list itself is returned, expected a new one").made_in(
    usual, gives_back_what_was_given={"pieces = list(symbols)": "pieces = symbols"}
)


@mistake(short, "min() of an empty sequence is an error: a word of one symbol or of none has no pairs")
def fails_on_short_words(symbols, ranks):
    pieces = list(symbols)
    while True:
        best = min(pairwise(pieces), key=lambda pair: ranks.get(pair, 10**9))
        if best not in ranks:
            return pieces
        pieces = merged(pieces, best)
        if len(pieces) == 1:
            return pieces


@mistake(long, "the number of merges is limited, expected merges until no pair has a rank")
def few_rounds(symbols, ranks):
    pieces = list(symbols)
    for _ in range(8):
        known = [pair for pair in pairwise(pieces) if pair in ranks]
        if not known:
            break
        pieces = merged(pieces, min(known, key=ranks.get))
    return pieces


@mistake(one_merge, "the merges are applied in the order in which the dict holds them, expected in that of their ranks")
def in_order_of_the_dict(symbols, ranks):
    pieces = list(symbols)
    for pair in ranks:
        pieces = merged(pieces, pair)
    return pieces


mistake(one_merge, "the pair of the lowest letters is merged first, expected the one with the lowest rank").made_in(
    usual, lowest_letters={", key=ranks.get": ""}
)
mistake(one_merge, "the merge with rank 0 is never made: 0 is false, so ask whether the pair is in ranks").made_in(
    usual, without_rank_0={"pair in ranks": "ranks.get(pair)"}
)
mistake(again, "the merge with rank 0 is made last: 0 is false, so ask whether the pair is in ranks").made_in(
    usual, rank_0_last={"ranks.get": "lambda pair: ranks.get(pair) or len(ranks) + 1"}
)


@mistake(
    again,
    "the pieces are joined with spaces and replaced as text, so that the end of one piece is mistaken for another",
)
def replaced_in_text(symbols, ranks):
    text = " ".join(symbols)
    while True:
        known = [pair for pair in pairwise(text.split(" ")) if pair in ranks]
        if not known:
            return text.split()
        best = min(known, key=ranks.get)
        text = text.replace(" ".join(best), "".join(best))


@mistake(repeated, "the pieces are in a tuple, expected a list")
def a_tuple(symbols, ranks):
    return tuple(merge_after_merge(symbols, ranks))


@mistake(short, "symbols.copy() fails for a tuple and a string, which have no copy: list(symbols) makes a list of each")
def copies(symbols, ranks):
    return merge_after_merge(symbols.copy(), ranks)


@mistake(short, "symbols[:] stays a tuple or a string where that is given: list(symbols) makes a list")
def slices(symbols, ranks):
    pieces = symbols[:]
    for pair in sorted(ranks, key=ranks.get):
        if pair in pairwise(pieces):
            pieces = merged(pieces, pair)
    return pieces


@right
def merge_after_merge(symbols, ranks):
    pieces = list(symbols)
    for pair in sorted(ranks, key=ranks.get):
        pieces = merged(pieces, pair)
    return pieces


@right
def one_at_a_time(symbols, ranks):
    pieces = list(symbols)
    while True:
        known = [(ranks[pair], i) for i, pair in enumerate(pairwise(pieces)) if pair in ranks]
        if not known:
            return pieces
        _, i = min(known)
        pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]


@right
def recursive(symbols, ranks):
    known = {pair for pair in pairwise(symbols) if pair in ranks}
    return recursive(merged(list(symbols), min(known, key=ranks.get)), ranks) if known else list(symbols)


@right
def with_a_heap(symbols, ranks):
    pieces = list(symbols)
    while True:
        heap = [(ranks[pair], i) for i, pair in enumerate(pairwise(pieces)) if pair in ranks]
        heapq.heapify(heap)
        if not heap:
            return pieces
        i = heapq.heappop(heap)[1]
        pieces = [*pieces[:i], "".join(pieces[i : i + 2]), *pieces[i + 2 :]]


@right
def with_infinity(symbols, ranks):
    pieces = [*symbols]
    while len(pieces) > 1:
        best = min(pairwise(pieces), key=lambda pair: ranks.get(pair, float("inf")))
        if best not in ranks:
            break
        pieces = merged(pieces, best)
    return pieces
