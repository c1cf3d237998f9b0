"""Hiding words from BERT, so that it learns to guess them."""

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
    """Choose words at random, hide most of them, and keep what they were as labels (Devlin et al. 2019).

    Every word is chosen with probability ``rate``, whatever becomes of the others. Of the chosen ones
    80 % become [MASK], 10 % an ordinary word that is drawn at random, all being equally likely and the one
    that stands there among them, and 10 % stay as they are; chance decides for each of them which.

    Args:
        tokens: Ids, shape (B, S). Those below ``num_special`` are [PAD], [CLS] and their like: they are
            never chosen, and no other word becomes one of them at random.
        num_special: How many special ids there are; the ordinary ones follow them.
        vocab_size: How many ids there are in all.
        mask_id: The id of [MASK].
        generator: torch's source of random numbers, on the device of ``tokens``; every draw is made
            with it.
        rate: The share of the words to choose.

    Returns:
        What BERT is shown, shape (B, S), and the labels, shape (B, S): the id that stood there wherever
        a word was chosen, also where it stays, and -100 elsewhere. Both are new tensors.
    """
    # 1. Draw which positions are chosen, (B, S); none where a special id stands.
    # 2. The labels, (B, S): the ids where chosen, -100 elsewhere.
    # 3. A second draw for each position: what becomes of it if it is chosen.
    # 4. A random ordinary id for each position, (B, S), of which only a few are used.
    ### BEGIN SOLUTION
    chosen = torch.rand(tokens.shape, generator=generator, device=tokens.device) < rate
    chosen &= tokens >= num_special
    labels = tokens.masked_fill(~chosen, -100)
    fate = torch.rand(tokens.shape, generator=generator, device=tokens.device)
    words = torch.randint(num_special, vocab_size, tokens.shape, generator=generator, device=tokens.device)
    inputs = torch.where(chosen & (fate < 0.9), words, tokens)
    inputs = inputs.masked_fill(chosen & (fate < 0.8), mask_id)
    return inputs, labels
    ### END SOLUTION
