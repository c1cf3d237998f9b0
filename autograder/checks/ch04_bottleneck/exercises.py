"""The exercises of this chapter."""

from autograder.declare import Exercise

EXERCISES = (
    Exercise("accuracy_by_length", "the accuracy for short and for long sentences", minutes=10, difficulty=1),
    Exercise("position_probe", "a linear probe, fitted in closed form", minutes=25, difficulty=2),
    Exercise("gradient_map", "how strongly each prediction depends on each word", minutes=20, difficulty=2),
)
