"""The exercises of this chapter."""

from autograder.declare import Exercise

READY_MADE = (
    "torch.nn.functional.scaled_dot_product_attention",
    "torch.nn.MultiheadAttention",
    "torch.nn.functional.multi_head_attention_forward",
)
LIBRARY = "seqlab.attention_layers"
LAYERS = (*READY_MADE, "torch.nn.TransformerEncoderLayer", "torch.nn.TransformerDecoderLayer", "seqlab.transformer")

EXERCISES = (
    Exercise(
        "scaled_dot_product_attention",
        "attention for any batch, in one product",
        minutes=20,
        difficulty=2,
        forbids=(*READY_MADE, LIBRARY),
    ),
    Exercise("split_heads", "split each vector into one for each head", minutes=10, difficulty=1),
    Exercise("merge_heads", "merge the heads into one vector", minutes=5, difficulty=1),
    Exercise(
        "MultiHeadAttention", "several heads at once", minutes=30, difficulty=2, forbids=(*READY_MADE[1:], LIBRARY)
    ),
    Exercise(
        "LayerNorm",
        "bring every vector to mean zero and variance one",
        minutes=10,
        difficulty=1,
        forbids=(
            "torch.nn.LayerNorm",
            "torch.nn.functional.layer_norm",
            "torch.layer_norm",
            "torch.native_layer_norm",
        ),
    ),
    Exercise("positional_encoding", "a pattern for every position", minutes=20, difficulty=2, forbids=(LIBRARY,)),
    Exercise("shift_matrix", "a bonus: a shift is a matrix", minutes=20, difficulty=3),
    Exercise("EncoderLayer", "attention, then feed-forward", minutes=20, difficulty=2, forbids=(*LAYERS, LIBRARY)),
)
