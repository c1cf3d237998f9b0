"""The largest logits of three prompts by the library transformers, given SmolLM2's weights, to hold one's own model against; run by `make sweeps`."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from seqlab.llama import Shape, to_halves
from seqlab.smollm import chat

from ..model import smollm
from ..quantization import dequantize_q4_1

SETTINGS: dict[str, Any] = {
    "prompts": [
        "The capital of France is",
        "Once upon a time",
        chat("Name three colors."),
    ],
    "largest": 10,
}
VARIANTS = ("transformers",)
SEEDS = (0,)
_NAMES = {
    "attention_norm": "input_layernorm",
    "attention.to_query": "self_attn.q_proj",
    "attention.to_key": "self_attn.k_proj",
    "attention.to_value": "self_attn.v_proj",
    "attention.output": "self_attn.o_proj",
    "feed_forward_norm": "post_attention_layernorm",
    "feed_forward.gate": "mlp.gate_proj",
    "feed_forward.up": "mlp.up_proj",
    "feed_forward.down": "mlp.down_proj",
}


@torch.no_grad()
def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Ask the library; the table's row, and no weights.

    Args:
        variant: The only one.
        seed: Not used.

    Returns:
        For each prompt its `tokens`, and the `ids` and `logits` of the most likely next tokens.
    """
    model = theirs(smollm().shape, smollm().weights(dequantize_q4_1))
    found = []
    for prompt in SETTINGS["prompts"]:
        tokens = smollm().encode(prompt)
        largest = model(torch.tensor([tokens])).logits[0, -1].topk(SETTINGS["largest"])
        logits = [round(logit, 5) for logit in largest.values.tolist()]
        found.append(
            {
                "prompt": prompt,
                "tokens": tokens,
                "ids": largest.indices.tolist(),
                "logits": logits,
            }
        )
    return {"prompts": found}, {}


def theirs(shape: Shape, weights: dict[str, Tensor], *, permuted: bool = True) -> Any:
    """The library's model with the same weights.

    Args:
        shape: The sizes.
        weights: By the names of `seqlab.llama`.
        permuted: Whether queries and keys are reordered for the library's way of pairing; without it they are wrong there.
    """
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=shape.vocab_size,
        hidden_size=shape.d_model,
        intermediate_size=shape.d_ff,
        num_hidden_layers=shape.num_layers,
        num_attention_heads=shape.num_heads,
        num_key_value_heads=shape.num_kv_heads,
        rms_norm_eps=shape.eps,
        rope_parameters={"rope_type": "default", "rope_theta": shape.base},
        tie_word_embeddings=True,
        max_position_embeddings=8192,
    )
    model: Any = LlamaForCausalLM(config)
    state = {
        "model.embed_tokens.weight": weights["embedding.weight"],
        "model.norm.weight": weights["norm.weight"],
    }
    state["lm_head.weight"] = weights["embedding.weight"]
    for name, weight in weights.items():
        if name.startswith("layers"):
            _, number, part = name.removesuffix(".weight").split(".", 2)
            heads = {
                "attention.to_query": shape.num_heads,
                "attention.to_key": shape.num_kv_heads,
            }.get(part)
            state[f"model.layers.{number}.{_NAMES[part]}.weight"] = (
                to_halves(weight, heads) if heads and permuted else weight
            )
    model.load_state_dict(state)
    return model.eval()
