"""The short beam of `seqlab` finds what the reader's own beam search finds."""

import pytest
import torch

from seqlab.beam import beam_translate
from seqlab.corpus import BOS, EOS, Vocabulary
from solutions.ch06_decoding import beam_search

VOCABULARY = Vocabulary([("le", "chat", "noir", "dort", "ici")])
WORDS = len(VOCABULARY)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("width", [1, 2, 3, 8, WORDS + 5])
@pytest.mark.parametrize("max_words", [3, 12])
def test_finds_the_best_of_chapter_5s(seed, width, max_words):
    generator = torch.Generator().manual_seed(seed)
    table = 2 * torch.randn(WORDS, WORDS, generator=generator)

    def step(words, state):
        seen, number = state
        logits = table[words[:, 0]] + seen[0] @ table / (1 + number[0])  # (k, V)
        seen = seen + torch.eye(WORDS)[words[:, 0]]
        return logits.unsqueeze(1), (seen, number + 1)

    state = torch.zeros(1, 1, WORDS), torch.zeros(1, 1, 1)
    (found,) = beam_search(step, state, BOS, EOS, width, max_words)
    assert beam_translate(step, state, VOCABULARY, width, max_words) == VOCABULARY.decode(found[0][0]), seed


def test_rows_may_lie_along_another_dimension():
    table = torch.randn(WORDS, WORDS, generator=torch.Generator().manual_seed(0))
    sizes = []

    def step(words, state):
        sizes.append((len(words), len(state[0])))
        return table[words], state

    beam_translate(step, (torch.zeros(1, 4),), VOCABULARY, width=3, max_words=4, batch_dim=0)
    assert sizes[0] == (1, 1)
    assert all(words == rows for words, rows in sizes)
