"""BERT."""

ORDER = (
    "wordpiece_tokenize",
    "pack_pair",
    "mask_tokens",
    "make_nsp_pairs",
    "bert_embeddings",
    "masked_lm_loss",
    "bert_for_pre_training",
)
