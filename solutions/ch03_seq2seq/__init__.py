"""Reference solutions of this chapter: from a target shifted by one word to a translator with greedy decoding."""

from .decoding import greedy_decode
from .depth import ResidualStack
from .losses import masked_cross_entropy, sequence_log_prob
from .models import Decoder, Encoder
from .teacher_forcing import shift_right

__all__ = [
    "Decoder",
    "Encoder",
    "ResidualStack",
    "greedy_decode",
    "masked_cross_entropy",
    "sequence_log_prob",
    "shift_right",
]
