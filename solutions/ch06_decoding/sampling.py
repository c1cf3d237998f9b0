"""Drawing the next word: cut the tail off by rank or by probability, and make the distribution sharper or flatter."""

from collections.abc import Callable

import torch
from torch import Tensor


def top_k_filter(logits: Tensor, k: int) -> Tensor:
    """Keep the k largest logits of each row, and make all other words impossible.

    Words whose logits equal the k-th largest are all kept, so more than k may remain.

    Args:
        logits: Shape (..., V), any floating-point type.
        k: How many words to keep, at least 1; if it is V or more, all are kept.

    Returns:
        A new tensor with the shape and dtype of ``logits``, minus infinity where a word
        is removed.
    """
    # 1. The k-th largest logit of each row: (..., 1).
    # 2. The logits, with minus infinity in place of those that are smaller: (..., V).
    ### BEGIN SOLUTION
    kth = logits.topk(min(k, logits.shape[-1]), dim=-1).values[..., -1:]
    return logits.masked_fill(logits < kth, float("-inf"))
    ### END SOLUTION


def top_p_filter(logits: Tensor, p: float) -> Tensor:
    """Keep the most probable words of each row until their probabilities add up to p.

    Go through the words from the most probable one down. A word is kept as long as the
    probabilities of those before it add up to less than p. So the word with which the
    sum reaches p is the last one kept, and the most probable word always stays. Among
    equally probable words the one with the lower index comes first.

    Args:
        logits: Shape (..., V); the softmax of a row gives its probabilities.
        p: The share of the probability to keep, above 0 and at most 1.

    Returns:
        A new tensor with the shape and dtype of ``logits``, minus infinity where a word
        is removed.
    """
    # 1. The words of each row from the most probable one down: (..., V).
    # 2. The total probability of the words before each of them: (..., V).
    # 3. Which words are kept, (..., V), first in sorted order and then in the original
    #    order.
    # 4. The logits, with minus infinity in place of the others: (..., V).
    ### BEGIN SOLUTION
    probabilities, order = logits.softmax(dim=-1).sort(
        dim=-1, descending=True, stable=True
    )
    before = probabilities.cumsum(dim=-1) - probabilities
    kept = torch.empty_like(before, dtype=torch.bool).scatter(-1, order, before < p)
    return logits.masked_fill(~kept, float("-inf"))
    ### END SOLUTION


def sample_next(
    logits: Tensor,
    generator: torch.Generator,
    temperature: float = 1.0,
    keep: Callable[[Tensor], Tensor] | None = None,
) -> Tensor:
    """Draw a next word for each row of a batch.

    The probabilities are softmax(logits / temperature), after the filter if there is
    one. A temperature below 1 sharpens the distribution, one above 1 flattens it. The
    filter sees the logits after the division.

    Args:
        logits: Shape (B, V); they may be far apart, and minus infinity where a word is
            impossible.
        generator: torch's source of random numbers; use it for every draw.
        temperature: Above 0.
        keep: A filter such as top-k: takes logits (B, V) and returns them with minus
            infinity where a word must not be drawn. Without it, all words may be drawn.

    Returns:
        The words, integers, shape (B,).
    """
    # 1. The logits at this temperature: (B, V).
    # 2. The filter, if there is one: (B, V).
    # 3. One word for each row, drawn from these probabilities with the generator: (B,).
    ### BEGIN SOLUTION
    logits = logits / temperature
    if keep is not None:
        logits = keep(logits)
    probabilities = logits.softmax(dim=-1)
    return torch.multinomial(probabilities, 1, generator=generator).squeeze(-1)
    ### END SOLUTION
