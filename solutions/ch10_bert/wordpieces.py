"""Cutting a word into pieces, as BERT's tokeniser does."""

from collections.abc import Container


def wordpiece_tokenize(word: str, vocabulary: Container[str]) -> list[str]:
    """Cut a word into the longest pieces of a vocabulary, from left to right.

    The first piece is the longest beginning of the word that the vocabulary holds, the next the longest
    beginning of what is left of it, and so on to the end. A piece inside the word is looked up, and
    written, with ## before it (Wu et al. 2016; Devlin et al. 2019).

    Args:
        word: One word, without spaces.
        vocabulary: The pieces; ``piece in vocabulary`` tells whether it holds one.

    Returns:
        The pieces in order. Where no piece fits at some place, the whole word is unknown: ``["[UNK]"]``.
        A word of no letters has no pieces.
    """
    # 1. Start at the first letter. As long as letters are left, try the longest rest of the word
    #    first and shorten it from the right, until the vocabulary holds it. Every rest that does
    #    not start at the first letter is looked up with ## before it.
    # 2. If none fits, not even a single letter, the whole word is unknown.
    # 3. Otherwise keep the piece and go on behind it.
    ### BEGIN SOLUTION
    pieces: list[str] = []
    start = 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = word[start:end] if start == 0 else "##" + word[start:end]
            if piece in vocabulary:
                break
        else:
            return ["[UNK]"]
        pieces.append(piece)
        start = end
    return pieces
    ### END SOLUTION
