"""What four readers know of a homograph where it stands, and which French word their translators write: run by `make sweeps`, shown in the chapter.

A translator of homographs (`seqlab.homographs`) is an encoder, one of the readers, and a recurrent decoder that attends to it. Everything but the
reader is the same for all. Each one's learning rate is tuned on a seed of its own, and each is trained to convergence. A linear probe
then reads the homograph's sense from the encoder's state at the homograph. It is fitted on sentences with the cues of one group and tested on new
sentences with those of the other, and the other way round, so that it cannot learn by heart which cue goes with which sense.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from seqlab.attention_layers import EncoderLayer, causal_mask, positional_encoding
from seqlab.convergence import Training, train_at_best_rate
from seqlab.corpus import Batch, Corpus, make_batch
from seqlab.homographs import (
    GAPS,
    GROUPS,
    HOMOGRAPHS,
    Example,
    HomographCorpus,
    load_homographs,
)
from seqlab.models import greedy_translate
from seqlab.training import pick_device
from seqlab.translation_training import begin_on_pairs

SETTINGS: dict[str, Any] = {
    "size": 64,
    "num_layers": 2,
    "num_heads": 4,
    "train": 8,
    "valid": 1,
    "test": 5,
    "batch_size": 64,
    "rates": [4e-3, 8e-3],
    "tuning_steps": {"GRU": 4000, "self-attention": 1000},
    "tuning_seed": 3,
    "steps": 4000,
    "most_steps": 8000,
    "warm_up": 0.05,
    "ridge": 10.0,
}
"""The homographs come as `load_homographs` draws them. For a GRU, a rate that is best after a quarter of the steps is too high for all of them. For
self-attention it is not: at half of it, a run ends at the same loss."""
VARIANTS = ("forward", "bidirectional", "causal", "full", "full, no positions")
"""Two GRUs, which read forwards or in both directions, and two stacks of self-attention, with a causal mask or without. The last one is `full`
without positions."""
SEEDS = (0, 1, 2)


class Recurrent(nn.Module):
    """Read with a GRU; of a bidirectional one, each direction has half of the state."""

    def __init__(
        self, vocab_size: int, size: int, num_layers: int, *, both: bool
    ) -> None:
        """Make the layers; see the class."""
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, size)
        self.rnn = nn.GRU(
            size, size // (1 + both), num_layers, batch_first=True, bidirectional=both
        )

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Read words (B, S), True in the mask (B, S): states (B, S, H), zeros at padding."""
        embedded, lengths = self.embedding(words), mask.sum(dim=1).cpu()
        states, _ = self.rnn(
            pack_padded_sequence(
                embedded, lengths, batch_first=True, enforce_sorted=False
            )
        )
        return pad_packed_sequence(states, batch_first=True)[0]


class Attentive(nn.Module):
    """Read with self-attention, in pre-norm layers; `causal` hides what comes later, and `ordered` adds positions."""

    def __init__(
        self,
        vocab_size: int,
        size: int,
        num_layers: int,
        num_heads: int,
        *,
        causal: bool,
        ordered: bool,
    ) -> None:
        """Make the layers; see the class."""
        super().__init__()
        self.causal, self.ordered = causal, ordered
        self.embedding = nn.Embedding(vocab_size, size)
        self.layers = nn.ModuleList(
            EncoderLayer(size, num_heads, 4 * size) for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(size)
        nn.init.normal_(self.embedding.weight, std=size**-0.5)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Read words (B, S), True in the mask (B, S): states (B, S, H)."""
        length, size = words.shape[1], self.embedding.embedding_dim
        states = self.embedding(words) * size**0.5
        if self.ordered:
            states = states + positional_encoding(length, size).to(states)
        seen = mask.unsqueeze(1)  # (B, 1, S)
        if self.causal:
            seen = seen & causal_mask(length, words.device)  # (B, S, S)
        for layer in self.layers:
            states = layer(states, seen)
        return self.norm(states)


READERS: dict[str, Callable[[int, int, int, int], nn.Module]] = {
    "forward": lambda words, size, layers, heads: Recurrent(
        words, size, layers, both=False
    ),
    "bidirectional": lambda words, size, layers, heads: Recurrent(
        words, size, layers, both=True
    ),
    "causal": lambda words, size, layers, heads: Attentive(
        words, size, layers, heads, causal=True, ordered=True
    ),
    "full": lambda words, size, layers, heads: Attentive(
        words, size, layers, heads, causal=False, ordered=True
    ),
    "full, no positions": lambda words, size, layers, heads: Attentive(
        words, size, layers, heads, causal=False, ordered=False
    ),
}


class Translator(nn.Module):
    """A reader, and a recurrent decoder that starts from the mean of its states and attends to all of them."""

    def __init__(self, variant: str, corpus: Corpus) -> None:
        """Make the layers of one of `VARIANTS`."""
        super().__init__()
        size = SETTINGS["size"]
        shape = size, SETTINGS["num_layers"], SETTINGS["num_heads"]
        self.reader = READERS[variant](len(corpus.source_vocab), *shape)
        self.bridge = nn.Linear(size, size)
        self.to_key = nn.Linear(size, size, bias=False)
        self.embedding = nn.Embedding(len(corpus.target_vocab), size)
        self.rnn = nn.GRU(size, size, batch_first=True)
        self.combine = nn.Linear(2 * size, size)
        self.output = nn.Linear(size, len(corpus.target_vocab))

    def read(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """The reader's states, (B, S, H), and the decoder's first state, (1, B, H)."""
        memory, real = (
            self.reader(batch.source, batch.source_mask),
            batch.source_mask.unsqueeze(-1),
        )
        mean = (memory * real).sum(dim=1) / real.sum(dim=1)
        return memory, self.bridge(mean).tanh().unsqueeze(0)

    def decode(
        self, tokens: Tensor, state: Tensor, memory: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Run over words (B, T) from a state (1, B, H): logits (B, T, V) and the last state."""
        states, state = self.rnn(self.embedding(tokens), state)
        context = F.scaled_dot_product_attention(
            states, self.to_key(memory), memory, mask.unsqueeze(1)
        )
        return self.output(
            self.combine(torch.cat([context, states], dim=-1)).tanh()
        ), state

    def forward(self, batch: Batch) -> Tensor:
        """Logits (B, T, V) with teacher forcing."""
        memory, state = self.read(batch)
        return self.decode(batch.target_in, state, memory, batch.source_mask)[0]


@cache
def homographs() -> HomographCorpus:
    """The examples, drawn once for all the runs of a process."""
    return load_homographs(
        train=SETTINGS["train"], valid=SETTINGS["valid"], test=SETTINGS["test"]
    )


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant at its tuned rate, and see what it knows of the homographs.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the sentences are always the same.

    Returns:
        The table's row, and no weights. `probe` says how often the probe is right, in percent, for each gap between the homograph and its cue;
        `heart` says the same of a probe that is tested on the cues it was fitted on. `untrained` and `untrained_heart` are of the same reader before
        training. `right` and `wrong` say in which share of the translations, for each gap, there is only the right French word for the homograph, or only
        that for its other sense; `exact` is the share of translations that are the reference, and `story` what is written for one sentence.
    """
    torch.manual_seed(seed)
    untrained = Translator(variant, homographs().corpus).to(pick_device()).eval()
    kind = "GRU" if variant in ("forward", "bidirectional") else "self-attention"
    settings = SETTINGS | {"tuning_steps": SETTINGS["tuning_steps"][kind]}
    model, found = train_at_best_rate(begin, variant, seed, settings)
    row = {
        **found,
        "parameters": sum(weight.numel() for weight in model.reader.parameters()),
        "probe": probe(model, heart=False),
        "heart": probe(model, heart=True),
        "untrained": probe(untrained, heart=False),
        "untrained_heart": probe(untrained, heart=True),
        **translations(model),
        "story": {cue: story(model, cue) for cue in ("river", "street")},
    }
    return row, {}


def begin(variant: str, seed: int) -> Training:
    """Begin the training of one variant."""
    return begin_on_pairs(
        lambda c: Translator(variant, c),
        homographs().corpus,
        batch_size=SETTINGS["batch_size"],
        seed=seed,
    )


@torch.no_grad()
def states_at_homograph(model: Translator, examples: Sequence[Example]) -> Tensor:
    """The reader's state at the homograph of each example: (N, H)."""
    found = []
    for start in range(0, len(examples), 200):
        some = examples[start : start + 200]
        batch = make_batch(
            [example.pair for example in some], homographs().corpus, pick_device()
        )
        places = torch.tensor([example.place for example in some])
        found.append(model.read(batch)[0].cpu()[torch.arange(len(some)), places])
    return torch.cat(found)


def probe(model: Translator, *, heart: bool) -> list[float]:
    """How often a probe for each homograph is right on the test sentences, for each gap, in percent.

    It is fitted on training sentences with cues of the other group, or, if `heart`, with those of the same.
    """
    learnt, judged = homographs().train, homographs().test
    learnt_states, judged_states = (
        states_at_homograph(model, learnt),
        states_at_homograph(model, judged),
    )
    right = {gap: 0 for gap in GAPS}
    for homograph in HOMOGRAPHS:
        for group in GROUPS:
            fit = [
                i
                for i, e in enumerate(learnt)
                if e.word == homograph.english and (e.group == group) == heart
            ]
            test = [
                i
                for i, e in enumerate(judged)
                if e.word == homograph.english and e.group == group
            ]
            senses = torch.tensor([learnt[i].sense for i in fit])
            said = read_sense(
                learnt_states[fit], senses, judged_states[test], SETTINGS["ridge"]
            )
            for i, sense in zip(test, said.tolist(), strict=True):
                right[judged[i].gap] += sense == judged[i].sense
    return [round(100 * right[gap] * len(GAPS) / len(judged), 2) for gap in GAPS]


def read_sense(states: Tensor, senses: Tensor, others: Tensor, ridge: float) -> Tensor:
    """Fit a ridge regression of the sense, -1 or 1, on standardised states, (N, H) and (N,), and read it from others, (M, H): 0 or 1, (M,)."""
    mean, scale = states.mean(dim=0), states.std(dim=0) + 1e-6
    features, signs = (states - mean) / scale, 2.0 * senses - 1.0
    penalty = ridge * torch.eye(features.shape[1])
    weights = torch.linalg.solve(
        features.T @ features + penalty, features.T @ (signs - signs.mean())
    )
    return (((others - mean) / scale) @ weights + signs.mean() > 0).long()


@torch.no_grad()
def written(model: Translator, batch: Batch) -> list[list[str]]:
    """The greedy translations of a batch."""
    memory, state = model.read(batch)
    vocabulary = homographs().corpus.target_vocab
    return greedy_translate(
        lambda w, s: model.decode(w, s, memory, batch.source_mask),
        state,
        vocabulary,
        max_words=30,
    )


def translations(model: Translator) -> dict[str, Any]:
    """Which French word the test translations have for the homograph, for each gap, in percent; and how many are exact."""
    judged, exact = homographs().test, 0
    right, wrong = {gap: 0 for gap in GAPS}, {gap: 0 for gap in GAPS}
    for start in range(0, len(judged), 200):
        some = judged[start : start + 200]
        batch = make_batch(
            [example.pair for example in some], homographs().corpus, pick_device()
        )
        for example, words in zip(some, written(model, batch), strict=True):
            exact += tuple(words) == example.pair.target
            right[example.gap] += example.right in words and example.wrong not in words
            wrong[example.gap] += example.wrong in words and example.right not in words
    each = len(judged) / len(GAPS)
    return {
        "exact": round(100 * exact / len(judged), 2),
        "right": [round(100 * right[gap] / each, 2) for gap in GAPS],
        "wrong": [round(100 * wrong[gap] / each, 2) for gap in GAPS],
    }


def story(model: Translator, cue: str) -> str:
    """The translation of the chapter's sentence."""
    corpus = homographs().corpus
    source = f"i arrived at the bank after crossing the {cue} .".split()
    pair = corpus.test[0]
    batch = make_batch(
        [type(pair)(tuple(source), pair.target, frozenset(), frozenset())],
        corpus,
        pick_device(),
    )
    return " ".join(written(model, batch)[0])
