"""After pre-training."""

ORDER = (
    "replay_batches",
    "pack_instruction",
    "answer_only_loss",
    "lora_linear",
    "dpo_loss",
)
