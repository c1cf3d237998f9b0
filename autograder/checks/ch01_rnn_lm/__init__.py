"""Language models, by counting and by recurrence."""

ORDER = (
    "interpolated_trigram",
    "negative_sampling_loss",
    "rnn_step",
    "perplexity",
    "sample_sentence",
    "kneser_ney",
)
