"""Splitting a word into pieces, as BERT's tokeniser does."""

from collections.abc import Container


def wordpiece_tokenize(word: str, vocabulary: Container[str]) -> list[str]:
    """Split a word greedily, from the left, into the longest pieces of a vocabulary.

    The first piece is the longest prefix of the word that is in the vocabulary, the
    next is the longest prefix of the remaining letters, and so on to the end. A piece
    inside the word is looked up, and returned, with ## before it (Wu et al. 2016;
    Devlin et al. 2019).

    Args:
        word: One word, without spaces. Capitals, digits and punctuation are letters
            like any other.
        vocabulary: The pieces; ``piece in vocabulary`` tells whether it contains one,
            and nothing else is promised of it.

    Returns:
        A list of the pieces in order. If no piece fits at some position, the whole word
        is unknown: ``["[UNK]"]``. The empty word has no pieces.
    """
    # 1. Start at the first letter. As long as letters are left, try all the remaining
    #    letters first, and drop letters from the right until the vocabulary contains
    #    the piece. A piece that does not start at the first letter is looked up with ##
    #    before it.
    # 2. If none fits, not even a single letter, the whole word is unknown.
    # 3. Otherwise keep the piece and continue after it.
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
