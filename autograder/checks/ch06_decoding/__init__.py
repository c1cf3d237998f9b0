"""Decoding: search and sampling."""

ORDER = (
    "beam_search",
    "diagnose_error",
    "top_k_filter",
    "top_p_filter",
    "sample_next",
)
