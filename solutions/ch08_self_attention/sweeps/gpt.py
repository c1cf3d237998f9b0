"""A GPT on the speeches, beside an LSTM at equal seconds and an n-gram model: run by `make sweeps`, shown in the chapter.

Both networks have the same output layer, the same batches and about as many weights, and differ in what reads the words. The LSTM is that of
the table `language_model`, whose rows are its long trainings; here it has short ones. Its step takes less time than the GPT's, so it makes
more steps, and each row says how long a step of either took when they took turns.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache
from math import exp
from typing import Any

import torch
from torch import Tensor

from seqlab.gpt import GPT
from seqlab.kneser_ney import KneserNey
from seqlab.language_model import LanguageModel, next_word_loss, word_log_probs
from seqlab.presidents import (
    SentenceBatch,
    Speeches,
    load_speeches,
    sentence_batches,
    sentences_of,
)
from seqlab.training import pick_device, train

SETTINGS: dict[str, Any] = {
    "d_model": 128,
    "num_heads": 4,
    "num_layers": 2,
    "embed_dim": 128,
    "hidden_size": 192,
    "batch_size": 32,
    "steps": {"gpt": 5000, "gpt short": 1000, "lstm short": 1200},
    "rates": [2e-3, 4e-3, 8e-3, 1.6e-2],
    "tuning_steps": {"gpt": 500, "lstm": 600},
    "tuning_seed": 3,
    "timed_steps": 40,
    "curve_every": 100,
    "orders": [3, 4, 5],
}
"""A run takes the one of the `rates` with the lowest validation loss after `tuning_steps` from `tuning_seed`, which is none of `SEEDS`; in tuning as
in the runs the rate decays linearly to zero. The n-gram model takes the one of the `orders` with the lowest."""
VARIANTS = ("gpt", "gpt short", "lstm short", "kneser-ney")
"""`gpt` is to take as long as the 6,000 steps of `lstm` in the table `language_model`; the short ones are to take as long as each other."""
SEEDS = (0, 1, 2)
KEPT = ("gpt",)
"""The variants whose trained weights are stored."""

Model = Any
"""A `GPT` or a `LanguageModel`, which are called in the same way."""


@cache
def all_speeches() -> Speeches:
    """The speeches, read once for all the runs of a process."""
    return load_speeches()


def make_model(kind: str) -> Model:
    """A "gpt" or an "lstm", not trained yet."""
    words = len(all_speeches().vocab)
    if kind == "gpt":
        return GPT(
            words, SETTINGS["d_model"], SETTINGS["num_heads"], SETTINGS["num_layers"]
        )
    return LanguageModel(words, SETTINGS["embed_dim"], SETTINGS["hidden_size"])


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant at its tuned rate and measure it on the test speeches.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the batches; the speeches are always the same.

    Returns:
        The table's row, and the trained weights if they are to be kept. `milliseconds` holds the time of a step of each kind, and `curve` the mean
        loss of every hundred steps.
    """
    if variant == "kneser-ney":
        return count_ngrams(), {}
    kind = variant.split()[0]
    tuning = tuned(kind)
    rate = min(tuning, key=lambda each: tuning[each])
    model, losses, seconds = trained(kind, seed, rate, SETTINGS["steps"][variant])
    every = SETTINGS["curve_every"]
    row = {
        "rate": rate,
        "tuning": {str(each): round(found, 2) for each, found in tuning.items()},
        "steps": len(losses),
        "seconds": round(seconds, 1),
        "milliseconds": milliseconds(),
        "parameters": sum(weight.numel() for weight in model.parameters()),
        "valid": round(perplexity(model, "valid"), 2),
        "perplexity": round(perplexity(model, "test"), 2),
        "curve": [
            round(sum(losses[i : i + every]) / every, 3)
            for i in range(0, len(losses), every)
        ],
    }
    return row, model.state_dict() if variant in KEPT else {}


@cache
def tuned(kind: str) -> dict[float, float]:
    """The validation perplexity after a short training, by learning rate; computed once for all the runs of a process."""
    steps, seed = SETTINGS["tuning_steps"][kind], SETTINGS["tuning_seed"]
    return {
        rate: perplexity(trained(kind, seed, rate, steps)[0], "valid")
        for rate in SETTINGS["rates"]
    }


def trained(
    kind: str, seed: int, rate: float, steps: int
) -> tuple[Model, list[float], float]:
    """A model, the loss of each step, and the seconds of one processor that training took."""
    torch.manual_seed(seed)
    model = make_model(kind).to(pick_device())
    start = time.process_time()
    losses = train(
        model, next_word_loss, _batches(seed), steps=steps, learning_rate=rate
    )
    return model, losses, time.process_time() - start


def perplexity(model: Model, part: str) -> float:
    """The perplexity of one of the three sets of speeches."""
    log_probs, mask = word_log_probs(
        model,
        sentences_of(getattr(all_speeches(), part)),
        all_speeches().vocab,
        pick_device(),
    )
    return exp(-log_probs.sum().item() / int(mask.sum()))


@cache
def milliseconds() -> dict[str, float]:
    """How long a training step of either kind takes on one processor, on the same batches and in turns; measured once a process."""
    models = {kind: make_model(kind).to(pick_device()) for kind in ("gpt", "lstm")}
    optimizers = {
        kind: torch.optim.Adam(model.parameters()) for kind, model in models.items()
    }
    spent = dict.fromkeys(models, 0.0)
    batches = _batches(SETTINGS["tuning_seed"])
    for step in range(SETTINGS["timed_steps"] + 2):
        batch = next(batches)
        for kind, model in models.items():
            start = time.process_time()
            loss = next_word_loss(model, batch)
            optimizers[kind].zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizers[kind].step()
            if step >= 2:  # the first ones set things up
                spent[kind] += time.process_time() - start
    return {
        kind: round(1000 * seconds / SETTINGS["timed_steps"], 2)
        for kind, seconds in spent.items()
    }


def _batches(seed: int) -> Iterator[SentenceBatch]:
    speeches = all_speeches()
    return sentence_batches(
        sentences_of(speeches.train),
        speeches.vocab,
        batch_size=SETTINGS["batch_size"],
        seed=seed,
        device=pick_device(),
    )


@cache
def count_ngrams() -> dict[str, Any]:
    """The n-gram model's row; its order is the one with the lowest loss on the validation speeches."""
    speeches = all_speeches()
    known = {
        part: [
            speeches.vocab.decode(speeches.vocab.encode(words))
            for words in sentences_of(getattr(speeches, part))
        ]
        for part in ("train", "valid", "test")
    }
    follow = len(speeches.vocab) - 2  # all but <pad> and <bos>
    models = {
        order: KneserNey(known["train"], order, follow) for order in SETTINGS["orders"]
    }
    losses = {order: _loss(model, known["valid"]) for order, model in models.items()}
    order = min(losses, key=lambda each: losses[each])
    return {
        "order": order,
        "tuning": {str(each): round(exp(loss), 2) for each, loss in losses.items()},
        "perplexity": round(exp(_loss(models[order], known["test"])), 2),
    }


def _loss(model: KneserNey, sentences: list[list[str]]) -> float:
    """The mean loss per word, ends among them, in nats."""
    found = [value for words in sentences for value in model.log_probs(words)]
    return -sum(found) / len(found)
