"""Reference solutions of this chapter: language models, from counting words to a recurrent network that generates text."""

from .continuations import kneser_ney
from .counting import count_ngrams, interpolated_trigram
from .embeddings import negative_sampling_loss
from .measuring import perplexity
from .recurrence import rnn_step
from .sampling import sample_sentence

__all__ = [
    "count_ngrams",
    "interpolated_trigram",
    "kneser_ney",
    "negative_sampling_loss",
    "perplexity",
    "rnn_step",
    "sample_sentence",
]
