"""The exercises of chapter 4."""

from autograder.declare import Exercise

EXERCISES = (
    Exercise("masked_softmax", "softmax over the places that may be attended", minutes=15, difficulty=1),
    Exercise(
        "attend",
        "scores, weights, weighted sum",
        minutes=15,
        difficulty=1,
        forbids=("scaled_dot_product_attention", "MultiheadAttention", "multi_head_attention_forward"),
    ),
    Exercise(
        "AttentionDecoder",
        "a decoder that looks back at every step",
        minutes=30,
        difficulty=2,
        forbids=("scaled_dot_product_attention", "MultiheadAttention", "multi_head_attention_forward"),
    ),
)
