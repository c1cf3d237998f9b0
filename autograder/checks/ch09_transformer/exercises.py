"""The exercises of this chapter."""

from autograder.checks.ch08_self_attention.forbidden import LAYERS
from autograder.declare import Exercise

EXERCISES = (
    Exercise("DecoderLayer", "look back, look across, then process", minutes=20, difficulty=2, forbids=LAYERS),
    Exercise(
        "label_smoothed_loss",
        "a target that is not quite certain",
        minutes=15,
        difficulty=2,
        forbids=("torch.nn.functional.cross_entropy", "torch.nn.CrossEntropyLoss"),
    ),
    Exercise("warmup_schedule", "a bonus: small steps first", minutes=10, difficulty=1),
    Exercise("cached_decode", "a new word without repeating old work", minutes=30, difficulty=3),
)
