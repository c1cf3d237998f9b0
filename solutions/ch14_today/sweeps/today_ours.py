"""This course's own language models in bits per character, and what fewer bits cost the GPT; run by `make sweeps`, without SmolLM2.

The GPT's weights were never rounded to four bits, so its rows say what four bits cost a model that was trained with more: once with the matrices of its
layers rounded, which hold a fifth of its weights, and once with all matrices, those of the embedding and of the output layer among them.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from seqlab.corpus import UNK
from seqlab.gpt import GPT
from seqlab.kneser_ney import KneserNey
from seqlab.language_model import LanguageModel
from seqlab.per_character import (
    all_speeches,
    bits_of_counts,
    bits_of_words,
    characters,
    held_out,
    spelling_bits,
)
from seqlab.presidents import Sentence, sentences_of
from seqlab.quantization import relative_error, rounded
from seqlab.stored import load_weights

SETTINGS: dict[str, Any] = {
    "sentences": 240,
    "bits": [8, 6, 5, 4, 3, 2],
    "blocks": [16, 32, 64, 128],
    "order": 5,
}
VARIANTS = ("gpt 0", "gpt 1", "gpt 2", "lstm", "rnn", "kneser-ney")
"""The stored trainings of the earlier chapters: three of the GPT, one each of the recurrent models; and the counts."""
SEEDS = (0,)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Measure one model; the table's row, and no weights.

    Args:
        variant: One of `VARIANTS`.
        seed: Not used.
    """
    sentences = held_out(SETTINGS["sentences"])
    spelling = round(sum(map(spelling_bits, sentences)) / characters(sentences), 4)
    if variant == "kneser-ney":
        return counted() | {"spelling": spelling}, {}
    kind, _, number = variant.partition(" ")
    words = len(all_speeches().vocab)
    if kind == "gpt":
        model: Any = GPT(words, 128, 4, 2)
        model.load_state_dict(load_weights("gpt", "gpt", int(number)))
    else:
        model = LanguageModel(words, 128, 192, {"lstm": nn.LSTM, "rnn": nn.RNN}[kind])
        model.load_state_dict(load_weights("language_model", kind, 0))
    model.eval()
    row: dict[str, Any] = {
        **in_bits(bits_of_words(model, sentences)),
        "spelling": spelling,
        "parameters": sum(weight.numel() for weight in model.parameters()),
    }
    if kind == "gpt":
        kept = {name: weight.clone() for name, weight in model.state_dict().items()}
        every = [name for name, weight in kept.items() if weight.dim() == 2]
        matrices = [name for name in every if name.startswith("layers")]
        for bits in SETTINGS["bits"]:
            row[f"{bits} bits"] = rounded_to(bits, model, kept, matrices, sentences)
            row[f"{bits} bits, all"] = rounded_to(bits, model, kept, every, sentences)
        row["rounded"] = sum(kept[name].numel() for name in matrices)
        row["rounded, all"] = sum(kept[name].numel() for name in every)
        row["four bits in blocks"] = {
            str(block): round(
                sum(
                    relative_error(kept[name], rounded(kept[name], 4, block))
                    for name in matrices
                )
                / len(matrices),
                5,
            )
            for block in SETTINGS["blocks"]
        }
    return row, {}


def rounded_to(
    bits: int,
    model: GPT,
    kept: dict[str, Tensor],
    names: list[str],
    sentences: list[Sentence],
) -> dict[str, float]:
    """What a model needs with some of its weights rounded, and the mean relative error of these.

    Args:
        bits: For each weight, in blocks of 32.
        model: The model, whose weights change.
        kept: Its weights.
        names: Those that are rounded.
        sentences: What the model reads.
    """
    changed = kept | {name: rounded(kept[name], bits) for name in names}
    model.load_state_dict(changed)
    errors = [relative_error(kept[name], changed[name]) for name in names]
    return {
        "bits": in_bits(bits_of_words(model, sentences))["bits"],
        "error": round(sum(errors) / len(errors), 5),
    }


def counted() -> dict[str, Any]:
    """The counts: their bits, and how many different n-grams they hold."""
    speeches = all_speeches()
    vocab = speeches.vocab
    training = [
        tuple("<unk>" if vocab.encode([word]) == [UNK] else word for word in words)
        for words in sentences_of(speeches.train)
    ]
    model = KneserNey(training, SETTINGS["order"], vocab_size=len(vocab))
    bits = bits_of_counts(model, held_out(SETTINGS["sentences"]))
    return in_bits(bits) | {"parameters": sum(map(len, model.counts))}


def in_bits(each: list[float]) -> dict[str, Any]:
    """Bits per character of all sentences together, and the bits of each."""
    whole = sum(each) / characters(held_out(SETTINGS["sentences"]))
    return {"bits": round(whole, 4), "bits of each": [round(bits, 1) for bits in each]}
