"""Writing with a language model, one word after the other."""

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
    """Draw a sentence from a language model, each word from what the model expects next.

    Args:
        step: Reads one word: takes its id and the state before it, returns the logits of the
            next word, shape (V,), and the state after it.
        state: The state before the first word.
        generator: torch's source of random numbers; every draw is made with it.
        bos: The id that is read first; this one is no word of the sentence. Where a model draws
            it later, it is a word like any other.
        eos: The id that ends a sentence.
        max_words: The most words to draw; with 0 the sentence is empty.

    Returns:
        The ids of the words, without BOS and EOS: at most ``max_words``, and fewer where EOS
        was drawn before.
    """
    # 1. Read BOS first, and from then on the word that was drawn last, each with the state
    #    that the step before gave back.
    # 2. Draw the next word with probability softmax(logits), with the generator.
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
