"""Reference solutions of this chapter: word vectors, and sentences of different lengths in one table."""

from .batching import one_hot, pad_batch

__all__ = ["one_hot", "pad_batch"]
