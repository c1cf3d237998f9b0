"""Reference solutions of this chapter: from counting shared n-grams to comparing two systems with a bootstrap."""

from .bootstrap import paired_bootstrap
from .counting import brevity_penalty, clipped_precision
from .scores import corpus_bleu, sentence_bleu
from .smoothing import smoothed_bleu

__all__ = [
    "brevity_penalty",
    "clipped_precision",
    "corpus_bleu",
    "paired_bootstrap",
    "sentence_bleu",
    "smoothed_bleu",
]
