"""A GPT and an LSTM on the speeches, each trained to convergence at its own rate: which is better once neither is short of time? Run by `make sweeps`.

The chapter's other table gives both the same minutes. Here they have the same batches, the same output layer and about as many weights, and differ in what
reads the words.
"""

from __future__ import annotations

from math import exp
from typing import Any

import torch
from torch import Tensor

from seqlab.convergence import Training, train_at_best_rate
from seqlab.gpt import GPT
from seqlab.language_model import LanguageModel, next_word_loss, word_log_probs
from seqlab.presidents import load_speeches, sentence_batches, sentences_of
from seqlab.training import pick_device

SETTINGS: dict[str, Any] = {
    "d_model": 128,
    "num_heads": 4,
    "num_layers": 4,
    "dropout": 0.1,
    "embed_dim": 128,
    "hidden_size": 256,
    "batch_size": 32,
    "rates": [3e-3, 6e-3],
    "tuning_seed": 3,
    "tuning_steps": 2500,
    "steps": 5000,
    "most_steps": 10_000,
    "warm_up": 0.1,
}
"""A tuning takes half of the steps: after 500, an LSTM is best at 0.024, and after 5,000 steps at that rate it is far behind one trained at 0.01."""
VARIANTS = ("gpt", "lstm")
SEEDS = (0, 1, 2)

Model = Any
"""A `GPT` or a `LanguageModel`, which are called in the same way."""


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one network and measure it on the test speeches; the table's row, and no weights."""
    model, found = train_at_best_rate(begin, variant, seed, SETTINGS)
    parameters = sum(weight.numel() for weight in model.parameters())
    return {
        **found,
        "parameters": parameters,
        "perplexity": round(exp(loss_on(model, "test")), 2),
    }, {}


def begin(variant: str, seed: int) -> Training:
    """The training of one network on the speeches."""
    speeches = load_speeches()
    torch.manual_seed(seed)
    model = make_model(variant, len(speeches.vocab))
    return Training(
        model.to(pick_device()),
        next_word_loss,
        sentence_batches(
            sentences_of(speeches.train),
            speeches.vocab,
            batch_size=SETTINGS["batch_size"],
            seed=seed,
            device=pick_device(),
        ),
        lambda model: loss_on(model, "valid"),
    )


def make_model(variant: str, words: int) -> Model:
    """A GPT or an LSTM, not trained yet."""
    settings = SETTINGS
    if variant == "lstm":
        return LanguageModel(words, settings["embed_dim"], settings["hidden_size"])
    sizes = (settings["d_model"], settings["num_heads"], settings["num_layers"])
    return GPT(words, *sizes, dropout=settings["dropout"])


def loss_on(model: Model, part: str) -> float:
    """The mean loss per word on the validation speeches, "valid", or the "test" speeches, in nats."""
    speeches = load_speeches()
    log_probs, mask = word_log_probs(
        model, sentences_of(getattr(speeches, part)), speeches.vocab, pick_device()
    )
    return -log_probs.sum().item() / int(mask.sum())
