"""The exercises of this chapter."""

from autograder.declare import Exercise

EXERCISES = (
    Exercise("accuracy_by_length", "the share that is right, for short and long sentences", minutes=10, difficulty=1),
    Exercise("position_probe", "a linear probe, fitted in closed form", minutes=25, difficulty=2),
    Exercise("gradient_map", "how strongly each word is felt in each prediction", minutes=20, difficulty=2),
)
