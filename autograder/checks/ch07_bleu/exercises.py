"""The exercises of this chapter."""

from autograder.declare import Exercise

EXERCISES = (
    Exercise(
        "clipped_precision", "shared n-grams, none counted too often", minutes=20, difficulty=2, forbids=("sacrebleu",)
    ),
    Exercise("brevity_penalty", "the penalty for being too short", minutes=15, difficulty=2, forbids=("sacrebleu",)),
    Exercise("corpus_bleu", "one score for a whole test set", minutes=20, difficulty=2),
    Exercise("sentence_bleu", "a score for a single sentence", minutes=20, difficulty=2),
    Exercise("paired_bootstrap", "a bonus: a difference that is more than luck", minutes=15, difficulty=2),
)
