"""Self-attention."""

ORDER = (
    "scaled_dot_product_attention",
    "split_heads",
    "merge_heads",
    "multi_head_attention",
    "layer_norm",
    "positional_encoding",
    "shift_matrix",
    "encoder_layer",
)
