"""The exercises of this chapter."""

from autograder.declare import Exercise

EXERCISES = (
    Exercise(
        "RMSNorm",
        "bring every vector to mean square one",
        minutes=10,
        difficulty=1,
        forbids=("torch.nn.RMSNorm", "torch.nn.functional.rms_norm", "torch.rms_norm"),
    ),
    Exercise("rotate", "an angle for every position", minutes=25, difficulty=2),
    Exercise(
        "GroupedQueryAttention",
        "query heads that share keys and values",
        minutes=35,
        difficulty=3,
        forbids=("torch.nn.functional.scaled_dot_product_attention", "torch.nn.MultiheadAttention"),
    ),
    Exercise("SwiGLU", "a feed-forward network with a gate", minutes=10, difficulty=1),
    Exercise("merge_byte_pairs", "split a word into pieces", minutes=25, difficulty=2),
    Exercise("dequantize_q4_1", "32 weights from 20 bytes", minutes=25, difficulty=2),
)
