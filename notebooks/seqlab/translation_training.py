"""How the sweeps that compare models on pairs of sentences begin their trainings: on the same batches, judged by the same loss.

A sweep brings its model and its settings; `seqlab.convergence` tunes the rate and trains.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import torch
from torch import nn

from seqlab.convergence import Training
from seqlab.corpus import Corpus, batches, load_corpus, make_batch
from seqlab.models import token_loss
from seqlab.training import pick_device


@cache
def short_pairs(max_words: int, train: int) -> Corpus:
    """The pairs of at most `max_words` English words, `train` of them to learn from, drawn once for all the runs of a process."""
    return load_corpus(max_words=max_words, train=train)


def begin_on_pairs(
    make_model: Callable[[Corpus], nn.Module], corpus: Corpus, *, batch_size: int, seed: int
) -> Training:
    """Begin the training of a model on the pairs of a corpus.

    Args:
        make_model: Makes the model. It takes a `Batch` and returns logits (B, T, V) of its target's words.
        corpus: Its training pairs are learned from; the loss per word of its validation pairs is the held-out loss.
        batch_size: B.
        seed: Of the weights and of the order of the batches.
    """
    device = pick_device()
    torch.manual_seed(seed)
    model = make_model(corpus).to(device)
    held_out = make_batch(corpus.valid, corpus, device)
    return Training(
        model,
        lambda m, batch: token_loss(m(batch), batch),
        batches(corpus.train, corpus, batch_size=batch_size, seed=seed, device=device),
        lambda m: token_loss(m(held_out), held_out).item(),
    )
