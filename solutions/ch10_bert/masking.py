"""Masking words, so that BERT learns to predict them."""

import torch
from torch import Tensor


def mask_tokens(
    tokens: Tensor,
    num_special: int,
    vocab_size: int,
    mask_id: int,
    generator: torch.Generator,
    rate: float = 0.15,
) -> tuple[Tensor, Tensor]:
    """Mask words chosen at random, and return them as labels (Devlin et al. 2019).

    Every word is chosen with probability ``rate``, independently of the others. Each
    chosen word becomes [MASK] with probability 80 % and a random ordinary word with
    probability 10 % (uniformly distributed, so it may be the original word), and stays
    as it is with probability 10 %.

    Args:
        tokens: Ids, shape (B, S). Those below ``num_special`` are special, such as
            [PAD] and [CLS]: they are never chosen, and they are never drawn as random
            words.
        num_special: Number of special ids; the ordinary ones follow them.
        vocab_size: Total number of ids.
        mask_id: The id of [MASK].
        generator: torch's source of random numbers, on the device of ``tokens``; every
            draw is made with it.
        rate: The probability that a word is chosen, from 0 to 1.

    Returns:
        The inputs for BERT, shape (B, S), and the labels, shape (B, S): the original id
        wherever a word was chosen, even if it stays, and -100 elsewhere. Both are new
        tensors.
    """
    # 1. Draw which positions are chosen, (B, S); never those with a special id.
    # 2. The labels, (B, S): the ids where chosen, -100 elsewhere.
    # 3. A second draw for each position: which of the three cases applies if it is
    #    chosen.
    # 4. A random ordinary id for each position, (B, S), of which only a few are used.
    ### BEGIN SOLUTION
    chosen = torch.rand(tokens.shape, generator=generator, device=tokens.device) < rate
    chosen &= tokens >= num_special
    labels = tokens.masked_fill(~chosen, -100)
    fate = torch.rand(tokens.shape, generator=generator, device=tokens.device)
    words = torch.randint(
        num_special, vocab_size, tokens.shape, generator=generator, device=tokens.device
    )
    inputs = torch.where(chosen & (fate < 0.9), words, tokens)
    inputs = inputs.masked_fill(chosen & (fate < 0.8), mask_id)
    return inputs, labels
    ### END SOLUTION
