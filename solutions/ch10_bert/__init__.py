"""Reference solutions of this chapter: from word pieces to a model that is pre-trained on masks and on pairs of sentences."""

from .embeddings import BertEmbeddings
from .losses import masked_lm_loss
from .masking import mask_tokens
from .model import BertForPreTraining
from .packing import pack_pair
from .pairs import make_nsp_pairs
from .wordpieces import wordpiece_tokenize

__all__ = [
    "BertEmbeddings",
    "BertForPreTraining",
    "make_nsp_pairs",
    "mask_tokens",
    "masked_lm_loss",
    "pack_pair",
    "wordpiece_tokenize",
]
