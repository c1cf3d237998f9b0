"""Generating text with a language model, one word at a time."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def sample_sentence(
    step: Callable[[int, Any], tuple[Tensor, Any]],
    state: Any,
    generator: torch.Generator,
    bos: int,
    eos: int,
    max_words: int,
) -> list[int]:
    """Sample a sentence from a language model, one word at a time.

    Args:
        step: Reads one word: takes its id and the previous state, returns the logits of
            the next word, shape (V,), and the new state. The logits may be far from
            zero, may require a gradient, and may be the model's own: do not change
            them.
        state: The state before the first word.
        generator: The random generator with which every word is drawn.
        bos: The id that is read first; it is not a word of the sentence. If the model
            draws it later, it is a word like any other.
        eos: The id that ends a sentence, one of the V ids.
        max_words: The largest number of words; with 0 the sentence is empty.

    Returns:
        The ids of the words, integers in a list, without BOS and EOS: at most
        ``max_words``, and fewer if EOS was drawn earlier.
    """
    # 1. Read BOS first, and after that the word that was drawn last, always together
    #    with the state that the previous step returned.
    # 2. Draw the next word, EOS like any other, with probability softmax(logits), with
    #    the generator.
    # 3. Stop at EOS, which is not a word of the sentence, or after max_words words.
    ### BEGIN SOLUTION
    words: list[int] = []
    word = bos
    while len(words) < max_words:
        logits, state = step(word, state)
        word = int(torch.multinomial(logits.softmax(dim=-1), 1, generator=generator))
        if word == eos:
            break
        words.append(word)
    return words
    ### END SOLUTION
