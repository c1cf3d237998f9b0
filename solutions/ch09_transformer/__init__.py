"""Reference solutions of this chapter: the rest of the Transformer: a layer of the decoder, its loss, its learning rate, and its cache."""

from .caching import cached_decode
from .layers import DecoderLayer
from .losses import label_smoothed_loss
from .schedules import warmup_schedule

__all__ = [
    "DecoderLayer",
    "cached_decode",
    "label_smoothed_loss",
    "warmup_schedule",
]
