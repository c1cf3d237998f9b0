"""The time of a training step against the length of the sentences, for the two translators of the chapter: run by `make sweeps`.

On the processor, seconds of computing are counted and not those of the clock, on one thread: others who use the machine then hardly count. (They still
share its caches and its clock rate.) The models take turns, so that a slow minute meets both; the rows of all lengths are made once for each seed, before those
of the next seed. Where there is a GPU, it is timed as well. The stored table was made on two machines, one for each device, and every row names both.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch import Tensor

from seqlab.corpus import UNK, Batch
from seqlab.models import token_loss
from seqlab.transformer import RecurrentTranslator, Translator

SETTINGS: dict[str, Any] = {
    "words": 2_000,
    "num_heads": 4,
    "num_layers": 2,
    "shapes": [[128, 8], [128, 32], [512, 8]],
    "lengths": [8, 16, 32, 64, 128, 256, 512],
    "most_rounds": 20,
}
"""`shapes` are the width of the vectors and the number of sentences in a batch; the feed-forward networks are twice as wide. Source and target have as many
words. The models take at least three turns each, and the more the shorter the sentences are."""
VARIANTS = tuple(
    f"{size} {batch} {length}"
    for size, batch in SETTINGS["shapes"]
    for length in SETTINGS["lengths"]
)
"""Width, sentences, and words in each sentence."""
SEEDS = (0, 1)

Model = RecurrentTranslator | Translator


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Time both models on random sentences of one length.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and the words.

    Returns:
        The table's row, and no weights. `ms` has, by device and model, the median and the least of the milliseconds of a forward and a backward
        pass; `products`, by model, how many millions of multiplications the matrix products of the forward pass take; `machines` says, by device, what it was timed on.
    """
    size, sentences, length = map(int, variant.split())
    words, shape = (
        2 * (SETTINGS["words"],),
        (SETTINGS["num_heads"], 2 * size, SETTINGS["num_layers"]),
    )
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    models: dict[str, Model] = {
        "GRU": RecurrentTranslator(*words, size),
        "Transformer": Translator(*words, size, *shape),
    }
    machines = {"cpu": f"{processor()}, {torch.get_num_threads()} thread"}
    clocks = {"cpu": time.process_time}
    if torch.cuda.is_available():
        machines["cuda"] = torch.cuda.get_device_name()
        clocks["cuda"] = _after_the_gpu
    machines = {
        device: f"{name}, torch {torch.__version__}"
        for device, name in machines.items()
    }
    rounds = max(3, min(SETTINGS["most_rounds"], 1_024 // length))
    ms = {
        device: timed(models, sentences, length, rounds, device, clock)
        for device, clock in clocks.items()
    }
    products = {
        name: round(millions(model, sentences, length), 1)
        for name, model in models.items()
    }
    return {"rounds": rounds, "ms": ms, "products": products, "machines": machines}, {}


def timed(
    models: dict[str, Model],
    sentences: int,
    length: int,
    rounds: int,
    device: str,
    clock: Callable[[], float],
) -> dict[str, list[float]]:
    """The median and the least milliseconds of a forward and a backward pass of each model, after one that is not counted."""
    batch = random_batch(sentences, length, device)
    found: dict[str, list[float]] = {name: [] for name in models}
    for turn in range(rounds + 1):
        for name, model in models.items():
            start = clock()
            token_loss(model.to(device)(batch), batch).backward()
            if turn:
                found[name].append(1_000 * (clock() - start))
    return {
        name: [round(median(times), 2), round(min(times), 2)]
        for name, times in found.items()
    }


def random_batch(sentences: int, length: int, device: str) -> Batch:
    """Sentences of random words, all of the same length."""
    source, target = torch.randint(
        UNK, SETTINGS["words"], (2, sentences, length), device=device
    )
    real = torch.ones(sentences, length, dtype=torch.bool, device=device)
    return Batch(
        source, real, torch.full((sentences,), length), target, target, real, ()
    )


def millions(model: Model, sentences: int, length: int) -> float:
    """How many millions of multiplications the matrix products of a forward pass take.

    Each matrix but the embeddings meets each word once, except the GRU's bridge, which meets each sentence. Scores and weighted sums take
    2 T² d for a sentence and an attention.
    """
    matrices = {
        name: weight.numel()
        for name, weight in model.named_parameters()
        if weight.dim() == 2
    }
    of_words = sum(
        size
        for name, size in matrices.items()
        if "embedding" not in name and "bridge" not in name
    )
    attentions = 3 * SETTINGS["num_layers"] if isinstance(model, Translator) else 1
    pairs = 2 * length * model.output.in_features * attentions
    return (
        sentences
        * (length * (of_words + pairs) + matrices.get("encoder.bridge.weight", 0))
        / 1e6
    )


def processor() -> str:
    """What the processor is called."""
    file = Path("/proc/cpuinfo")
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    names = [
        line.partition(":")[2].strip()
        for line in lines
        if line.startswith("model name")
    ]
    return f"{(names or [platform.processor()])[0]}, {torch.backends.cpu.get_cpu_capability()}"


def _after_the_gpu() -> float:
    """The clock's seconds when the GPU has done what it was given."""
    torch.cuda.synchronize()
    return time.perf_counter()
