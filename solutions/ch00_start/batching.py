"""Turning sentences into tensors: a vector for each word, and a table with a mask for sentences of different lengths."""

import torch
from torch import Tensor


def one_hot(tokens: Tensor, vocab_size: int) -> Tensor:
    """Turn each word id into a vector of zeros with a single one, at the id's place.

    Args:
        tokens: Word ids from 0 to V - 1, of type long, shape (...): a word, a sentence,
            a batch.
        vocab_size: Number of words in the vocabulary, V.

    Returns:
        The vectors, of type float32, shape (..., V).
    """
    # 1. A table that has the vector of word i as its row i: (V, V).
    # 2. For each word of the tokens, its row of the table: (..., V).
    ### BEGIN SOLUTION
    identity = torch.eye(vocab_size, device=tokens.device)
    return identity[tokens]
    ### END SOLUTION


def pad_batch(sentences: list[list[int]], pad: int) -> tuple[Tensor, Tensor, Tensor]:
    """Put sentences of different lengths into one table, and mark where the words are.

    Args:
        sentences: The word ids of B sentences, in lists of any lengths; some may be
            empty, but not all.
        pad: The id that fills up a row after its sentence. No word has this id.

    Returns:
        The tokens, of type long, shape (B, S), where S is the length of the longest
        sentence: each row is a sentence that starts at the left, and the order is the
        one given. The mask, boolean, shape (B, S), True where there is a word. The
        lengths, of type long, shape (B,).
    """
    # 1. The number of words of each sentence: (B,).
    # 2. Each sentence, followed by as much padding as it needs: (B, S).
    # 3. In each row, from the left, as many True values as its sentence has words:
    #    (B, S).
    ### BEGIN SOLUTION
    lengths = torch.tensor([len(sentence) for sentence in sentences])
    longest = max(len(sentence) for sentence in sentences)
    filled = [sentence + [pad] * (longest - len(sentence)) for sentence in sentences]
    tokens = torch.tensor(filled, dtype=torch.long)
    mask = torch.arange(longest) < lengths.unsqueeze(1)
    return tokens, mask, lengths
    ### END SOLUTION
