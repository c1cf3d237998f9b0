"""What fewer bits cost SmolLM2: its weights rounded again, and bits per character on held-out speeches; run by `make sweeps`.

The file's weights have four bits already, so this starts from them, and not from the weights that were trained. Nothing here is drawn, so
one run of a variant is all there is.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor

from seqlab.llama import assemble
from seqlab.per_character import (
    as_printed,
    bits_of_tokens,
    characters,
    held_out,
    text_of,
)
from seqlab.quantization import relative_error, rounded

from ..model import PARTS, smollm
from ..quantization import dequantize_q4_1

SETTINGS: dict[str, Any] = {"sentences": 240, "block": 32}
VARIANTS = (
    "file",
    "float16",
    "8 bits",
    "6 bits",
    "5 bits",
    "4 bits",
    "3 bits",
    "2 bits",
)
"""`file` has the weights as they are in the file. In the others the matrices of the layers, not the embedding, are rounded: to half precision, or
to so many bits in blocks."""
SEEDS = (0,)


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Round the weights and measure the model; the table's row, and no weights.

    Args:
        variant: One of `VARIANTS`.
        seed: Not used.
    """
    weights, errors = smollm().weights(dequantize_q4_1), []
    for name, weight in weights.items():
        if name.startswith("layers") and weight.dim() == 2 and variant != "file":
            weights[name] = (
                weight.half().float()
                if variant == "float16"
                else rounded(weight, int(variant.split()[0]), SETTINGS["block"])
            )
            errors.append(relative_error(weight, weights[name]))
    model = assemble(smollm().shape, PARTS, weights)
    sentences = held_out(SETTINGS["sentences"])
    row: dict[str, Any] = {
        "error": round(sum(errors) / len(errors), 6) if errors else 0.0
    }
    for name, written in (("bits", text_of), ("printed", as_printed)):
        if name == "bits" or variant == "file":
            texts = [written(words) for words in sentences]
            found = bits_of_tokens(
                lambda tokens: model(tokens)[0], smollm().encode, texts, first=0
            )
            row[name] = round(sum(found) / characters(sentences), 4)
            if variant == "file":
                row[f"{name} of each"] = [round(bits, 1) for bits in found]
    row["parameters"] = sum(weight.numel() for weight in weights.values())
    return row, {}
