"""Pictures as what a decoder reads."""

ORDER = (
    "conv2d",
    "positions_2d",
    "grid_encoder",
    "pointing_accuracy",
    "caption_step",
)
