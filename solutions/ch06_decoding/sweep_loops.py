"""How often texts repeat themselves, by how each next word is chosen and by what happens at the end of a sentence: run by `make sweeps`, plotted in this chapter.

The language model is the one LSTM whose weights are stored. A seed draws the beginnings that it continues, and the words.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from seqlab.corpus import BOS, EOS, UNK, Vocabulary
from seqlab.language_model import LanguageModel
from seqlab.speeches import load_speeches, sentences_of
from seqlab.stored import load_table, load_weights

from .sampling import sample_next, top_k_filter, top_p_filter

NAME = "decoding_loops"
SETTINGS: dict[str, Any] = {
    "beginnings": 100,
    "beginning_words": 4,
    "least_sentence": 12,
    "words": 60,
    "least_span": 3,
    "temperature": {"temperature 0.3": 0.3, "temperature 0.5": 0.5, "temperature 0.7": 0.7},
    "k": {"top-k, k = 10": 10, "top-k, k = 40": 40},
    "p": {"top-p, p = 0.5": 0.5, "top-p, p = 0.9": 0.9},
}
VARIANTS = (
    "greedy",
    "temperature 0.3",
    "temperature 0.5",
    "temperature 0.7",
    "top-k, k = 10",
    "top-k, k = 40",
    "top-p, p = 0.5",
    "top-p, p = 0.9",
    "plain sampling",
)
SEEDS = (0, 1, 2)
PROTOCOLS = ("one sentence", "no end", "run on")
"""A text stops at the end of its sentence; or the end has probability zero; or the model reads BOS after it and keeps its state."""

Choose = Callable[[Tensor], Tensor]
"""Log-probabilities of the next word, (B, V), to words, (B,)."""


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Write texts and count which of them loop.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the beginnings, which are the same for all variants, and of the words that are drawn.

    Returns:
        The table's row, and no weights. `twice` and `thrice` hold the share of texts that say three words or more so many times in a row, in
        percent, by protocol and by whether the model may write UNK; `written` holds the mean number of words of a text. `model` is the hash
        of the language model's weights.
    """
    speeches = load_speeches()
    model = LanguageModel(len(speeches.vocab), embed_dim=128, hidden_size=192)
    model.load_state_dict(load_weights("language_model", "lstm", 0))
    model.eval()
    chosen = beginnings(sentences_of(speeches.test), speeches.vocab, seed)
    stored = [row for row in load_table("language_model") if (row["variant"], row["seed"]) == ("lstm", 0)]
    row: dict[str, Any] = {"model": stored[0]["weights"], "twice": {}, "thrice": {}, "written": {}}
    for protocol in PROTOCOLS:
        for with_unk in (True, False):
            choose = choice(variant, torch.Generator().manual_seed(seed))
            texts = write(model, chosen, choose, protocol, with_unk)
            name = f"{protocol}, {'with' if with_unk else 'without'} <unk>"
            row["twice"][name] = round(100 * sum(loops(text, 2) for text in texts) / len(texts), 2)
            row["thrice"][name] = round(100 * sum(loops(text, 3) for text in texts) / len(texts), 2)
            row["written"][name] = round(sum(map(len, texts)) / len(texts), 2)
    return row, {}


def beginnings(sentences: Sequence[Sequence[str]], vocab: Vocabulary, seed: int) -> list[list[int]]:
    """The first words of sentences that are drawn from the long ones."""
    long_enough = [sentence for sentence in sentences if len(sentence) >= SETTINGS["least_sentence"]]
    drawn = random.Random(seed).sample(long_enough, SETTINGS["beginnings"])
    return [vocab.encode(sentence[: SETTINGS["beginning_words"]]) for sentence in drawn]


def choice(variant: str, generator: torch.Generator) -> Choose:
    """How one of `VARIANTS` chooses the next word."""
    if variant == "greedy":
        return partial(torch.argmax, dim=-1)
    if variant in SETTINGS["k"]:
        return partial(sample_next, generator=generator, keep=partial(top_k_filter, k=SETTINGS["k"][variant]))
    if variant in SETTINGS["p"]:
        return partial(sample_next, generator=generator, keep=partial(top_p_filter, p=SETTINGS["p"][variant]))
    return partial(sample_next, generator=generator, temperature=SETTINGS["temperature"].get(variant, 1.0))


@torch.no_grad()
def write(
    model: LanguageModel, beginnings: list[list[int]], choose: Choose, protocol: str, with_unk: bool
) -> list[list[int]]:
    """Continue beginnings of equal length, (B, n), with at most so many words, EOS counted and left out: one text for each."""
    states, state = model(torch.tensor([[BOS, *words] for words in beginnings]))
    texts: list[list[int]] = [[] for _ in beginnings]
    rows = list(range(len(beginnings)))  # the texts that go on
    for _ in range(SETTINGS["words"]):
        log_probs = model.output.log_prob(states[:, -1])  # (B, V)
        if not with_unk:
            log_probs[:, UNK] = float("-inf")
        if protocol == "no end":
            log_probs[:, EOS] = float("-inf")
        words = choose(log_probs)  # (B,)
        going = words != EOS if protocol == "one sentence" else torch.ones_like(words, dtype=torch.bool)
        for row, word in zip(rows, words.tolist(), strict=True):
            if word != EOS:
                texts[row].append(word)
        rows = [row for row, goes in zip(rows, going.tolist(), strict=True) if goes]
        if not rows:
            break
        read = words.masked_fill(words == EOS, BOS)[going].unsqueeze(1)
        states, state = model(read, tuple(part[:, going] for part in state))
    return texts


def loops(words: Sequence[Any], times: int) -> bool:
    """Whether three words or more stand so many times in a row."""
    for span in range(SETTINGS["least_span"], len(words) // times + 1):
        run = 0
        for word, later in zip(words, words[span:], strict=False):
            run = run + 1 if word == later else 0
            if run == span * (times - 1):
                return True
    return False
