"""BLEU."""

ORDER = (
    "clipped_precision",
    "brevity_penalty",
    "corpus_bleu",
    "sentence_bleu",
    "paired_bootstrap",
)
