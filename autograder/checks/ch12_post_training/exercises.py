"""The exercises of this chapter."""

from autograder.declare import Exercise

EXERCISES = (
    Exercise("replay_batches", "new text with some old text among it", minutes=15, difficulty=1),
    Exercise("pack_instruction", "an instruction and its answer as one sequence", minutes=10, difficulty=1),
    Exercise("answer_only_loss", "learn to write the answer, not the instruction", minutes=20, difficulty=2),
    Exercise("LoRALinear", "a linear layer that learns through two thin matrices", minutes=25, difficulty=2),
    Exercise("dpo_loss", "prefer one answer to another", minutes=25, difficulty=3),
)
