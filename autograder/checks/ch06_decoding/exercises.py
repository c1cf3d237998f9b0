"""The exercises of this chapter."""

from autograder.declare import Exercise

EXERCISES = (
    Exercise(
        "beam_search",
        "several beginnings at a time, for a whole batch",
        minutes=75,
        difficulty=3,
        forbids=("seqlab.beam",),
    ),
    Exercise("diagnose_error", "the search's fault or the model's", minutes=5, difficulty=1),
    Exercise("top_k_filter", "only the k most probable words", minutes=10, difficulty=1),
    Exercise("top_p_filter", "only words that make up most of the probability", minutes=20, difficulty=2),
    Exercise("sample_next", "a word drawn with a temperature", minutes=10, difficulty=1),
)
