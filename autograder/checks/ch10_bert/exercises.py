"""The exercises of this chapter."""

from autograder.declare import Exercise

EXERCISES = (
    Exercise(
        "wordpiece_tokenize",
        "the longest piece that fits, again and again",
        minutes=20,
        difficulty=2,
        forbids=("tokenizers.models.WordPiece",),
    ),
    Exercise("pack_pair", "two sentences as one sequence", minutes=5, difficulty=1),
    Exercise("mask_tokens", "which words are masked, and how", minutes=25, difficulty=3),
    Exercise("make_nsp_pairs", "pairs that follow each other, and pairs that do not", minutes=20, difficulty=2),
    Exercise("BertEmbeddings", "word, position and segment in one vector", minutes=10, difficulty=1),
    Exercise("masked_lm_loss", "a loss on the masked words only", minutes=15, difficulty=2),
    Exercise("BertForPreTraining", "one encoder, two heads", minutes=25, difficulty=2),
)
