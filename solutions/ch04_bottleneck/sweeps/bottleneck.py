"""Networks that differ in one thing, the size k of what passes from encoder to decoder: run by `make sweeps`, plotted in this chapter.

The task is to write a row of random digits as words, so that no digit can be guessed from the others and each has to pass through the
encoding. The bridge between encoder and decoder is the product of two matrices, H to k and k to H; all other layers keep their size. A
decoder with attention, which has the whole bridge and looks back at the encoder's hidden states as well, stands beside them.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from seqlab.corpus import Batch, Corpus, Pair, Vocabulary, make_batch
from seqlab.models import greedy_translate, token_loss
from seqlab.training import pick_device, train

from ..probing import position_probe
from ._squeezed import SqueezedTranslator

SETTINGS: dict[str, Any] = {
    "hidden_size": 128,
    "longest": 15,
    "batch_size": 64,
    "learning_rates": [2e-3, 4e-3, 8e-3, 16e-3],
    "tuning_steps": 1_000,
    "tuning_seed": 3,
    "steps": 10_000,
    "tests": 200,
    "probed": 10,
    "probes": 4_000,
}
"""A run takes the one of the `learning_rates` with the lowest held-out loss after `tuning_steps` from `tuning_seed`, which is none of `SEEDS`."""
VARIANTS = ("4", "16", "128", "attention")
"""k, or the decoder with attention."""
SEEDS = (0, 1, 2)
KEPT = ("16",)
"""The variants whose trained weights the chapter loads."""
WORDS = ("zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf")
DIGITS = Corpus(
    (),
    (),
    (),
    Vocabulary([map(str, range(10))]),
    Vocabulary([WORDS]),
    has_links=False,
    name="digits",
)


def draw(count: int, length: int, generator: random.Random) -> list[Pair]:
    """Draw rows of so many digits, and the French word of each digit."""
    rows = [generator.choices(range(10), k=length) for _ in range(count)]
    none: frozenset[tuple[int, int]] = frozenset()
    return [
        Pair(tuple(map(str, row)), tuple(WORDS[digit] for digit in row), none, none)
        for row in rows
    ]


class AttentionTranslator(SqueezedTranslator):
    """The same with the whole bridge, whose decoder attends to the encoder's hidden states: c_t beside s_t, before the output layer."""

    def __init__(self, hidden_size: int) -> None:
        """Make the layers; see the class."""
        super().__init__(DIGITS, hidden_size, hidden_size)
        self.to_key = nn.Linear(hidden_size, hidden_size, bias=False)
        self.combine = nn.Linear(2 * hidden_size, hidden_size)

    def forward(self, batch: Batch) -> Tensor:
        """Logits (B, T, V) with teacher forcing."""
        memory, state = self.encoder(batch.source, batch.source_lengths)
        return self._step(batch.target_in, state, memory, batch.source_mask)[0]

    def translate(self, batch: Batch, max_words: int = 30) -> list[list[str]]:
        """Write the words of a batch greedily."""
        memory, state = self.encoder(batch.source, batch.source_lengths)

        def step(word: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
            return self._step(word, state, memory, batch.source_mask)

        return greedy_translate(step, state, self.target_vocab, max_words)

    def _step(
        self, tokens: Tensor, state: Tensor, memory: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Run over T words, (B, T): logits (B, T, V) and the last state (1, B, H)."""
        states, state = self.decoder.rnn(
            self.decoder.embedding(tokens), state
        )  # (B, T, H)
        scores = (
            states @ self.to_key(memory).transpose(1, 2) / states.shape[-1] ** 0.5
        )  # (B, T, S)
        weights = scores.masked_fill(~mask.unsqueeze(1), float("-inf")).softmax(dim=-1)
        combined = self.combine(torch.cat([weights @ memory, states], dim=-1)).tanh()
        return self.decoder.output(combined), state


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant at its tuned rate, for so many steps and for half as many, and measure it on new digits.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the digits to learn from; the digits that are measured on are the same for all.

    Returns:
        The table's row, and the trained weights if they are to be kept. `grid` holds the held-out loss of the tuning at each
        learning rate, of which `rate` had the lowest. `held_out` is the loss at the end of the whole training, and `half` that of
        another training from the same weights with half as many steps, so that their difference says how flat it was; `exact` and
        `exact_half` say which share of the rows of each length was written without an error, in percent, and `probe` what `probe`
        returns.
    """
    grid = tuned(variant)
    rate = min(grid, key=lambda rate: grid[rate])
    start = time.process_time()
    half, half_loss = trained(variant, seed, rate, SETTINGS["steps"] // 2)
    model, loss = trained(variant, seed, rate, SETTINGS["steps"])
    row = {
        "grid": {str(rate): loss for rate, loss in grid.items()},
        "rate": rate,
        "held_out": loss,
        "half": half_loss,
        "seconds": round(time.process_time() - start),
        "exact": [_exact(model, batch) for batch in tests()],
        "exact_half": [_exact(half, batch) for batch in tests()],
        "probe": probe(model),
    }
    return row, model.state_dict() if variant in KEPT else {}


@cache
def tuned(variant: str) -> dict[float, float]:
    """The held-out loss of a variant after a short training, by learning rate; computed once for all the runs of a process."""
    steps, seed = SETTINGS["tuning_steps"], SETTINGS["tuning_seed"]
    return {
        rate: trained(variant, seed, rate, steps)[1]
        for rate in SETTINGS["learning_rates"]
    }


def trained(
    variant: str, seed: int, rate: float, steps: int
) -> tuple[SqueezedTranslator, float]:
    """Train a variant while the learning rate falls to zero: the model, and its held-out loss."""
    torch.manual_seed(seed)
    size = SETTINGS["hidden_size"]
    model = (
        AttentionTranslator(size)
        if variant == "attention"
        else SqueezedTranslator(DIGITS, size, int(variant))
    )
    model.to(pick_device())
    drawn = _batches(random.Random(seed))
    train(
        model,
        lambda m, batch: token_loss(m(batch), batch),
        drawn,
        steps=steps,
        learning_rate=rate,
    )
    with torch.no_grad():
        losses = [
            token_loss(model(batch), batch).item() * batch.target_out.shape[1]
            for batch in tests()
        ]
    return model, round(
        sum(losses) / sum(batch.target_out.shape[1] for batch in tests()), 4
    )


@cache
def tests() -> list[Batch]:
    """Rows to measure on, a batch for each length."""
    generator, lengths = random.Random("tests"), range(1, SETTINGS["longest"] + 1)
    return [
        make_batch(draw(SETTINGS["tests"], length, generator), DIGITS, pick_device())
        for length in lengths
    ]


def _batches(generator: random.Random) -> Iterator[Batch]:
    """Batches of new digits for ever, each of one length."""
    while True:
        length = generator.randint(1, SETTINGS["longest"])
        yield make_batch(
            draw(SETTINGS["batch_size"], length, generator), DIGITS, pick_device()
        )


@torch.no_grad()
def _exact(model: SqueezedTranslator, batch: Batch) -> float:
    written = model.translate(batch)
    right = sum(
        tuple(words) == pair.target
        for words, pair in zip(written, batch.pairs, strict=True)
    )
    return round(100 * right / len(written), 2)


@torch.no_grad()
def probe(model: SqueezedTranslator) -> list[float]:
    """Read each digit of rows of one length out of the decoder's first hidden state: the accuracy of `position_probe` by place."""
    pairs = draw(SETTINGS["probes"], SETTINGS["probed"], random.Random("probes"))
    batch = make_batch(pairs, DIGITS, pick_device())
    state = model.encoder(batch.source, batch.source_lengths)[1][0].cpu()  # (N, H)
    fit_on = torch.arange(len(pairs)) < 0.8 * len(pairs)
    digits = torch.tensor(
        [[int(digit) for digit in pair.source] for pair in pairs]
    )  # (N, S)
    return [
        round(float(position_probe(state, labels, fit_on, ridge=1.0)), 4)
        for labels in digits.T
    ]
