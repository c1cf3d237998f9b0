"""Reference solutions of this chapter: language models, from counting to a recurrent network whose gradients are made by hand."""

from .backprop import backprop_through_time, rnn_backward_step
from .bidirectional import run_bidirectional
from .cells import GRUCell, LSTMCell
from .clipping import clip_gradients_
from .counting import count_ngrams, interpolated_trigram
from .embeddings import negative_sampling_loss
from .measuring import perplexity
from .recurrence import rnn_step
from .sampling import sample_sentence

__all__ = [
    "GRUCell",
    "LSTMCell",
    "backprop_through_time",
    "clip_gradients_",
    "count_ngrams",
    "interpolated_trigram",
    "negative_sampling_loss",
    "perplexity",
    "rnn_backward_step",
    "rnn_step",
    "run_bidirectional",
    "sample_sentence",
]
