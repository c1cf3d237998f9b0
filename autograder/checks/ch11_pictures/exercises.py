"""The exercises of this chapter."""

from autograder.declare import Exercise

EXERCISES = (
    Exercise(
        "conv2d",
        "the same kernel at every position",
        minutes=30,
        difficulty=2,
        forbids=("torch.nn.functional.conv2d", "torch.nn.Conv2d", "torch.conv2d"),
    ),
    Exercise("positions_2d", "a row and a column for each cell", minutes=20, difficulty=2),
    Exercise("GridEncoder", "a picture as a memory", minutes=25, difficulty=2),
    Exercise("pointing_accuracy", "whether the decoder looks at what it names", minutes=20, difficulty=2),
    Exercise("caption_step", "one decoding step that any search can use", minutes=15, difficulty=1),
)
