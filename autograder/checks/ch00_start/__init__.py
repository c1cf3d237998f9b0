"""How the course works, and how sentences become tensors."""

ORDER = (
    "one_hot",
    "pad_batch",
)
