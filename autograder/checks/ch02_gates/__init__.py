"""Gradients through time, and gates."""

ORDER = (
    "rnn_backward_step",
    "backprop_through_time",
    "clip_gradients_",
    "gru_cell",
    "lstm_cell",
    "run_bidirectional",
)
