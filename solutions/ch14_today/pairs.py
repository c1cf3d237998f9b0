"""Byte-pair encoding: a word is built up from single bytes by merges that were learned."""

from collections.abc import Sequence
from itertools import pairwise


def merge_byte_pairs(
    symbols: Sequence[str], ranks: dict[tuple[str, str], int]
) -> list[str]:
    """Cut a word into pieces by applying the learned merges to neighbouring symbols.

    Training learned the merges one after the other, and the rank of a merge is its
    position in that order: the pair with rank 0 was the most frequent. So, of all
    neighbouring pairs in the word, the one with the lowest rank is merged first,
    everywhere in the word, from left to right. Then this is repeated with the new
    pieces (Sennrich et al., 2016).

    Args:
        symbols: The word's symbols, one for each byte: a list, a tuple or a string,
            which may be empty.
        ranks: The rank of each pair of pieces that training merged, counted from 0; the
            dict may hold them in any order.

    Returns:
        The pieces, in a new list. Joined together, they give the word.
    """
    # 1. Start with one piece for each symbol.
    # 2. Find the neighbouring pair with the lowest rank; finish when none has a rank.
    # 3. Go through the pieces from left to right, and replace each occurrence of that
    #    pair by one piece. A piece that was just merged is not part of another
    #    occurrence.
    # 4. Repeat from step 2.
    ### BEGIN SOLUTION
    pieces = list(symbols)
    while True:
        known = [pair for pair in pairwise(pieces) if pair in ranks]
        if not known:
            return pieces
        best = min(known, key=ranks.__getitem__)
        merged: list[str] = []
        i = 0
        while i < len(pieces):
            width = 2 if tuple(pieces[i : i + 2]) == best else 1
            merged.append("".join(pieces[i : i + width]))
            i += width
        pieces = merged
    ### END SOLUTION
