"""The exercises of this chapter."""

from autograder.declare import Exercise

EXERCISES = (
    Exercise(
        "beam_search",
        "beam search for a whole batch",
        minutes=75,
        difficulty=3,
        forbids=("seqlab.beam",),
    ),
    Exercise("diagnose_error", "a search error or a model error", minutes=5, difficulty=1),
    Exercise("top_k_filter", "only the k most probable words", minutes=10, difficulty=1),
    Exercise("top_p_filter", "only the most probable words, up to a total of p", minutes=20, difficulty=2),
    Exercise("sample_next", "draw a word at a temperature", minutes=10, difficulty=1),
)
