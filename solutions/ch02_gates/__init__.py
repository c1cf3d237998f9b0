"""Reference solutions of this chapter: gradients through time, computed by hand, and cells with gates."""

from .backprop import backprop_through_time, rnn_backward_step
from .bidirectional import run_bidirectional
from .cells import GRUCell, LSTMCell
from .clipping import clip_gradients_

__all__ = [
    "GRUCell",
    "LSTMCell",
    "backprop_through_time",
    "clip_gradients_",
    "rnn_backward_step",
    "run_bidirectional",
]
