"""The exercises of this chapter."""

from autograder.declare import Exercise

EXERCISES = (
    Exercise("sequence_log_prob", "the log-probability of a whole translation", minutes=15, difficulty=2),
    Exercise("Encoder", "a sentence read in both directions", minutes=25, difficulty=2, forbids=("seqlab.models",)),
    Exercise("Decoder", "the next word from the hidden state", minutes=10, difficulty=1, forbids=("seqlab.models",)),
    Exercise("shift_right", "what the decoder reads in training", minutes=5, difficulty=1),
    Exercise("masked_cross_entropy", "the loss per real word", minutes=10, difficulty=1, forbids=("seqlab.models",)),
    Exercise(
        "greedy_decode",
        "greedy decoding of a batch, each sentence to its end",
        minutes=30,
        difficulty=3,
        forbids=("seqlab.models",),
    ),
    Exercise("ResidualStack", "a residual connection around every layer", minutes=10, difficulty=1),
)
