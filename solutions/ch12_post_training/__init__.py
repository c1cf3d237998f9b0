"""Reference solutions of this chapter: what happens to a language model after pre-training."""

from .lora import LoRALinear
from .losses import answer_only_loss, dpo_loss
from .packing import pack_instruction
from .replaying import replay_batches

__all__ = [
    "LoRALinear",
    "answer_only_loss",
    "dpo_loss",
    "pack_instruction",
    "replay_batches",
]
