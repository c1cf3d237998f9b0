"""The questions that a student alone is asked, with inputs that are drawn from their id: which exercises they are about.

What is asked and judged is in `trace`; here nothing imports torch.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection
from typing import Any

from autograder.declare import Check, Exercise, ExerciseChecks, Probe

NAME = "trace"
"""What the gradebook calls these questions, as it calls an exercise by its name."""
ASKED = 3
"""How many there are, each worth a point."""
_SUITED = (
    *("one_hot", "pad_batch"),
    *("rnn_step", "negative_sampling_loss", "interpolated_trigram", "perplexity"),
    *("run_bidirectional", "LSTMCell", "rnn_backward_step", "backprop_through_time"),
    *("shift_right", "sequence_log_prob", "masked_cross_entropy"),
    *("gradient_map", "accuracy_by_length"),
    *("masked_softmax", "scaled_scores", "attend", "multiplicative_scores"),
    *("top_k_filter", "top_p_filter", "beam_search"),
    *("paired_bootstrap", "sentence_bleu", "clipped_precision"),
    *("scaled_dot_product_attention", "LayerNorm", "merge_heads", "split_heads", "MultiHeadAttention"),
    *("cached_decode", "label_smoothed_loss"),
    *("BertEmbeddings", "pack_pair"),
    *("conv2d", "caption_step"),
    *("LoRALinear", "dpo_loss", "pack_instruction"),
    *("group_advantages", "clipped_ratio_loss", "policy_gradient_loss"),
    *("RMSNorm", "rotate", "dequantize_q4_1"),
)
"""The exercises that return few numbers, and to two students rarely the same ones; of a chapter, those that are asked about first come first."""


def traced(written: Collection[str]) -> tuple[str, ...]:
    """The exercises that the questions are about, in order; an exercise may come twice, with other inputs.

    Args:
        written: The exercises of a chapter that the class writes.
    """
    names = [name for name in _SUITED if name in written]
    return tuple(itertools.islice(itertools.cycle(names), ASKED))


def as_exercise(chapter: str) -> ExerciseChecks:
    """The questions as an exercise in outline: as what the gradebook, feedback and reports know them."""

    def cannot(*_: Any) -> Any:
        raise RuntimeError("these questions are judged by what is written in the notebook, and not by running it")

    exercise = Exercise(NAME, "results for inputs of your own", 10, 1)
    probe = Probe(NAME, "", cannot, 0)
    checks = tuple(Check(NAME, f"question {number}", probe, 1, "", cannot) for number in range(1, ASKED + 1))
    return ExerciseChecks(chapter, exercise, checks)
