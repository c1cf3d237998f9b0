"""The exercises of this chapter."""

from autograder.declare import Exercise

EXERCISES = (
    Exercise("one_hot", "a vector for each word", minutes=5, difficulty=1, forbids=("torch.nn.functional.one_hot",)),
    Exercise(
        "pad_batch",
        "sentences of different lengths in one table",
        minutes=15,
        difficulty=1,
        forbids=(
            "torch.nn.utils.rnn.pad_sequence",
            "torch.nn.utils.rnn.pad_packed_sequence",
            "torch.nested.to_padded_tensor",
        ),
    ),
)
