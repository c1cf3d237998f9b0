"""A translator without attention, over seeds, searched with beams of many widths: run by `make sweeps`, loaded in the chapters on decoding and BLEU.

It is the one of the chapter on sequence to sequence, on somewhat longer sentences, and stops while there is something left to gain: of a perfect model no search
is better than the greedy one.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from seqlab.corpus import BOS, EOS, Batch, Corpus, batches, load_corpus, make_batch
from seqlab.models import Decoder, Encoder, token_loss
from seqlab.scoring import bleu
from seqlab.training import pick_device, train

from ..beam import beam_search
from ..errors import diagnose_error

SETTINGS = {
    "size": 128,
    "max_words": 10,
    "pairs": 40_000,
    "steps": 4000,
    "batch_size": 32,
    "learning_rate": 4e-3,
    "most_steps": 30,
}
VARIANTS = ("translator",)
SEEDS = (0, 1, 2)
WIDTHS = (1, 2, 4, 8, 16, 32)
GAMMAS = (0.0, 0.5, 0.75, 1.0, 1.5)

Hypotheses = list[tuple[list[int], float]]


class Translator(nn.Module):
    """The translator without attention, of one size; the state dicts of its two parts are those of `seqlab.models`."""

    def __init__(self, corpus: Corpus) -> None:
        """Make the layers."""
        super().__init__()
        size = int(SETTINGS["size"])
        self.encoder = Encoder(len(corpus.source_vocab), size, size)
        self.decoder = Decoder(len(corpus.target_vocab), size, size)

    def forward(self, batch: Batch) -> Tensor:
        """Logits (B, T, V) with teacher forcing."""
        _, state = self.encoder(batch.source, batch.source_lengths)
        return self.decoder(batch.target_in, state)[0]


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train the translator and search with it.

    Args:
        variant: The only one of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the corpus is always the same.

    Returns:
        The table's row, and the weights.
    """
    corpus = load_corpus(
        train=int(SETTINGS["pairs"]), max_words=int(SETTINGS["max_words"])
    )
    device = pick_device()
    torch.manual_seed(seed)
    model = Translator(corpus).to(device)
    drawn = batches(
        corpus.train,
        corpus,
        batch_size=int(SETTINGS["batch_size"]),
        seed=seed,
        device=device,
    )
    steps, rate = int(SETTINGS["steps"]), SETTINGS["learning_rate"]
    losses = train(
        model,
        lambda m, batch: token_loss(m(batch), batch),
        drawn,
        steps=steps,
        learning_rate=rate,
    )
    row = {
        "loss": round(sum(losses[-50:]) / len(losses[-50:]), 4),
        **measure(model, corpus, device),
    }
    return row, model.state_dict()


@torch.no_grad()
def measure(model: Translator, corpus: Corpus, device: torch.device) -> dict[str, Any]:
    """Search for a translation of each test pair, with every width and exponent; the numbers of a row."""
    pairs = sorted(corpus.test, key=lambda pair: len(pair.source))
    references = [corpus.target_vocab.encode(pair.target) for pair in pairs]
    log_probs: list[float] = []
    found: dict[int, list[Hypotheses]] = {width: [] for width in WIDTHS}
    for start in range(0, len(pairs), 50):
        batch = make_batch(pairs[start : start + 50], corpus, device)
        chosen = (
            model(batch)
            .log_softmax(dim=-1)
            .gather(-1, batch.target_out.unsqueeze(-1))
            .squeeze(-1)
        )
        log_probs += chosen.masked_fill(~batch.target_mask, 0.0).sum(dim=1).tolist()
        _, state = model.encoder(batch.source, batch.source_lengths)
        for width, hypotheses in found.items():
            most = int(SETTINGS["most_steps"])
            hypotheses += beam_search(
                model.decoder, state, BOS, EOS, width, most, gamma=0.0
            )
    searches = []
    for width, hypotheses in found.items():
        for gamma in GAMMAS:
            best = [ranked(of_one, gamma)[0] for of_one in hypotheses]
            gains = [
                mine - first[0][1]
                for (_, mine), first in zip(best, found[1], strict=True)
            ]
            scores = [score / (len(words) + 1) ** gamma for words, score in best]
            goals = [
                score / (len(words) + 1) ** gamma
                for words, score in zip(references, log_probs, strict=True)
            ]
            errors = [
                diagnose_error(words, reference, mine, goal)
                for (words, _), reference, mine, goal in zip(
                    best, references, scores, goals, strict=True
                )
            ]
            searches.append(
                {
                    "width": width,
                    "gamma": gamma,
                    "bleu": round(
                        bleu(
                            [corpus.target_vocab.decode(words) for words, _ in best],
                            pairs,
                        ),
                        2,
                    ),
                    "log_prob": round(sum(score for _, score in best) / len(best), 4),
                    "words": round(sum(len(words) for words, _ in best) / len(best), 4),
                    "better": sum(gain > 1e-4 for gain in gains),
                    "worse": sum(gain < -1e-4 for gain in gains),
                    "search_errors": errors.count("search"),
                    "model_errors": errors.count("model"),
                }
            )
    return {
        "reference_words": round(sum(map(len, references)) / len(references), 4),
        "reference_log_prob": round(sum(log_probs) / len(log_probs), 4),
        "sentences": len(pairs),
        "searches": searches,
    }


def ranked(hypotheses: Hypotheses, gamma: float) -> Hypotheses:
    """Hypotheses that were found with the exponent 0 in the order that another exponent gives.

    The exponent is used when a search is over, so that one search answers for all. What had not ended stays behind what had.
    """
    most = int(SETTINGS["most_steps"])
    return sorted(
        hypotheses,
        key=lambda found: (
            len(found[0]) == most,
            -found[1] / (len(found[0]) + 1) ** gamma,
        ),
    )
