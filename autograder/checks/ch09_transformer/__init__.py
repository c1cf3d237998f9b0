"""The Transformer."""

ORDER = (
    "decoder_layer",
    "label_smoothed_loss",
    "warmup_schedule",
    "cached_decode",
)
