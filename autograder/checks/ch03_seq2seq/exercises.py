"""The exercises of this chapter."""

from autograder.declare import Exercise

EXERCISES = (
    Exercise("sequence_log_prob", "how likely a whole translation is", minutes=15, difficulty=2),
    Exercise("Encoder", "a sentence read both ways", minutes=25, difficulty=2, forbids=("seqlab.models",)),
    Exercise("Decoder", "the next word from the state alone", minutes=10, difficulty=1, forbids=("seqlab.models",)),
    Exercise("shift_right", "what the decoder reads while it is trained", minutes=5, difficulty=1),
    Exercise("masked_cross_entropy", "the loss per real word", minutes=10, difficulty=1, forbids=("seqlab.models",)),
    Exercise(
        "greedy_decode", "writing word after word until the end", minutes=30, difficulty=3, forbids=("seqlab.models",)
    ),
    Exercise("ResidualStack", "a short way past every layer", minutes=10, difficulty=1),
)
