"""The exercises of this chapter."""

from autograder.declare import Exercise

EXERCISES = (
    Exercise("masked_softmax", "a softmax that ignores masked positions", minutes=15, difficulty=1),
    Exercise(
        "attend",
        "scores, weights and weighted sum",
        minutes=15,
        difficulty=1,
        forbids=(
            "torch.nn.functional.scaled_dot_product_attention",
            "torch.nn.MultiheadAttention",
            "torch.nn.functional.multi_head_attention_forward",
        ),
    ),
    Exercise("multiplicative_scores", "scores through a matrix between query and key", minutes=10, difficulty=1),
    Exercise("additive_scores", "scores from a small network with a tanh", minutes=20, difficulty=2),
    Exercise("scaled_scores", "the scaled dot product", minutes=10, difficulty=1),
    Exercise(
        "AttentionDecoder",
        "a decoder that looks back at every step",
        minutes=30,
        difficulty=2,
        forbids=(
            "torch.nn.functional.scaled_dot_product_attention",
            "torch.nn.MultiheadAttention",
            "torch.nn.functional.multi_head_attention_forward",
        ),
    ),
    Exercise("hard_alignment", "links between words, read off the attention weights", minutes=10, difficulty=1),
    Exercise("alignment_error_rate", "predicted links, compared with gold links", minutes=15, difficulty=2),
    Exercise("causal_mask", "each position may attend to itself and those before it", minutes=10, difficulty=1),
    Exercise("attend_to_past", "each state attends to the states before it", minutes=15, difficulty=2),
)
