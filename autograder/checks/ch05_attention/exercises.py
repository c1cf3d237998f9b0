"""The exercises of this chapter."""

from autograder.declare import Exercise

EXERCISES = (
    Exercise("masked_softmax", "softmax over the places that may be attended", minutes=15, difficulty=1),
    Exercise(
        "attend",
        "scores, weights, weighted sum",
        minutes=15,
        difficulty=1,
        forbids=(
            "torch.nn.functional.scaled_dot_product_attention",
            "torch.nn.MultiheadAttention",
            "torch.nn.functional.multi_head_attention_forward",
        ),
    ),
    Exercise("multiplicative_scores", "scores through a matrix", minutes=10, difficulty=1),
    Exercise("additive_scores", "scores through a layer with tanh", minutes=20, difficulty=2),
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
    Exercise("hard_alignment", "links between words, read off the weights", minutes=10, difficulty=1),
    Exercise("alignment_error_rate", "how far links are from gold ones", minutes=15, difficulty=2),
    Exercise("causal_mask", "each position sees itself and those before it", minutes=10, difficulty=1),
    Exercise("attend_to_past", "each state looks back at those before it", minutes=15, difficulty=2),
)
