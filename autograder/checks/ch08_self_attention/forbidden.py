"""What solves exercises about attention by itself, so that an answer may not call it."""

READY_MADE = (
    "torch.nn.functional.scaled_dot_product_attention",
    "torch.nn.MultiheadAttention",
    "torch.nn.functional.multi_head_attention_forward",
)
LIBRARY = "seqlab.attention_layers"
LAYERS = (*READY_MADE, "torch.nn.TransformerEncoderLayer", "torch.nn.TransformerDecoderLayer", "seqlab.transformer")
