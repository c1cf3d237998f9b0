"""The checks of the chapter on a model of today."""

ORDER = (
    "rms_norm",
    "rotate",
    "grouped_query_attention",
    "swi_glu",
    "merge_byte_pairs",
    "dequantize_q4_1",
)
