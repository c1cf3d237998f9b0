"""Reference solutions of this chapter: from beam search to sampling one word after the other."""

from .beam import beam_search
from .errors import diagnose_error
from .sampling import sample_next, top_k_filter, top_p_filter

__all__ = [
    "beam_search",
    "diagnose_error",
    "sample_next",
    "top_k_filter",
    "top_p_filter",
]
