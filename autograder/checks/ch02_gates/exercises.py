"""The exercises of this chapter."""

from autograder.declare import Exercise

_AUTOGRAD = ("torch.autograd", "torch.Tensor.backward", "torch.Tensor.requires_grad_", "torch.func")

EXERCISES: tuple[Exercise, ...] = (
    Exercise(
        "rnn_backward_step",
        "one step of back-propagation, by hand",
        minutes=30,
        difficulty=3,
        forbids=_AUTOGRAD,
    ),
    Exercise(
        "backprop_through_time",
        "back-propagation through time",
        minutes=30,
        difficulty=3,
        forbids=_AUTOGRAD,
    ),
    Exercise(
        "clip_gradients_",
        "a limit on the norm of the gradient",
        minutes=15,
        difficulty=2,
        forbids=(
            "torch.nn.utils.clip_grad_norm_",
            "torch.nn.utils.clip_grad_norm",
            "torch.nn.utils.clip_grads_with_norm_",
            "torch.nn.utils.get_total_norm",
        ),
    ),
    Exercise(
        "GRUCell",
        "a cell with two gates",
        minutes=25,
        difficulty=2,
        forbids=("torch.nn.GRU", "torch.nn.GRUCell", "torch.gru", "torch.gru_cell"),
    ),
    Exercise(
        "LSTMCell",
        "a cell with three gates and a separate memory",
        minutes=25,
        difficulty=2,
        forbids=("torch.nn.LSTM", "torch.nn.LSTMCell", "torch.lstm", "torch.lstm_cell"),
    ),
    Exercise("run_bidirectional", "reading a padded batch from both ends", minutes=25, difficulty=3),
)
