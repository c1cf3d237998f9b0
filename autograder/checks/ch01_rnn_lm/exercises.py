"""The exercises of this chapter."""

from autograder.declare import Exercise

EXERCISES: tuple[Exercise, ...] = (
    Exercise("interpolated_trigram", "a language model that counts", minutes=25, difficulty=2),
    Exercise("negative_sampling_loss", "true neighbours against words drawn at random", minutes=20, difficulty=2),
    Exercise(
        "rnn_step",
        "one step of the recurrence",
        minutes=10,
        difficulty=1,
        forbids=("torch.nn.RNN", "torch.nn.RNNCell", "torch.rnn_tanh", "torch.rnn_tanh_cell"),
    ),
    Exercise("perplexity", "the number of words between which a model hesitates", minutes=10, difficulty=1),
    Exercise("sample_sentence", "a sentence, sampled word by word", minutes=20, difficulty=2),
    Exercise("kneser_ney", "a bonus: a language model that counts contexts", minutes=25, difficulty=2),
)
