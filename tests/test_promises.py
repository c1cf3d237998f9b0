"""What a hidden check asks for stands in the docstring that a student reads, or in what is said of every exercise."""

import inspect
from pathlib import Path

import pytest

from autograder.building.weave import IN_EVERY_EXERCISE
from autograder.declare import chapters, load_checks
from autograder.judging.reference import load_reference

SOLUTIONS = Path(__file__).parent.parent / "solutions"
SIZES = "Any dimension may have size 1, and no such dimension is removed"
DTYPE = "The result has the dtype of the arguments"
DEVICE = "is on their device"
GRADIENTS = "gradients flow from it back to the arguments and the weights"
KEPT = "keep nothing from one call to the next"

PROMISES = {
    "ch00_start": {
        "one_hot": {
            "the first and the last word of a large vocabulary have their vectors": "Word ids from 0 to V - 1",
        },
        "pad_batch": {
            "a batch of one sentence keeps its dimensions": SIZES,
        },
    },
    "ch01_rnn_lm": {
        "interpolated_trigram": {
            "the first words of a sentence have contexts too": "at the beginning of a sentence",
        },
        "negative_sampling_loss": {
            "a single negative and embeddings of size one keep their dimensions": SIZES,
            "the gradient reaches all three embeddings": GRADIENTS,
        },
        "rnn_step": {
            "one sequence alone keeps its dimension": SIZES,
        },
        "perplexity": {
            "a probability of zero at the padding, or NaN, changes nothing": "The values at the padding do not count, whatever they are",
        },
        "sample_sentence": {
            "logits far from zero, or with a gradient, work too": "may be far from zero, may require a gradient",
            "a sentence may have no word, or just one": "with 0 the sentence is empty",
            "what step returned is left as it was": "may be the model's own: do not change them",
        },
        "kneser_ney": {
            "after a word with one follower, all other words get some probability": "a number above 0",
        },
    },
    "ch02_gates": {
        "rnn_backward_step": {
            "one sequence alone keeps its dimensions": SIZES,
            "in double precision the gradients are double": DTYPE,
        },
        "backprop_through_time": {
            "all results of a step come from the same later_grad": "returns the gradients of x_t, h_{t-1}, W_x, W_h and b",
            "a single step works, and so does a single sequence": SIZES,
            "in double precision the gradients are double": DTYPE,
        },
        "clip_gradients_": {
            "parameters without a gradient are skipped": "Those without a gradient are skipped",
            "the parameters are iterated over only once": "you can iterate over them only once",
            "gradients of zeros, and no gradient at all, cause no errors": "0 if there is no gradient",
        },
        "GRUCell": {
            "one sequence alone, step after step": SIZES,
            "in double precision the state is double": DTYPE,
        },
        "LSTMCell": {
            "one sequence alone, step after step": SIZES,
            "in double precision state and cell are double": DTYPE,
        },
        "run_bidirectional": {
            "one sentence, or one word, keeps its dimensions": SIZES,
            "the gradient reaches the inputs through both directions": GRADIENTS,
        },
    },
    "ch03_seq2seq": {
        "sequence_log_prob": {
            "with several end marks in a row, the first is the end": "The sum runs up to the first end mark",
            "in a row without an end mark, every word counts": "In a row without an end mark, every word counts",
            "an impossible word after the end does not matter": "Anything after the end mark is ignored",
        },
        "Encoder": {
            "the memory has all S positions, with zeros at padding": "zeros at padding",
            "the sentences may come in any order": "in any order",
            "one sentence alone, and one word alone, keep their dimensions": SIZES,
            "the gradient reaches every weight": GRADIENTS,
        },
        "Decoder": {
            "a sentence can be decoded word by word": "or one word, as in decoding",
            "the gradient reaches every weight and the encoder's state": GRADIENTS,
        },
        "shift_right": {
            "the result has the target's dtype": "with the dtype of ``target`` and on its device",
        },
        "masked_cross_entropy": {
            "very small probabilities are handled correctly": "they may be far apart",
            "the gradient of the logits is right, and zero at padding": GRADIENTS,
        },
        "greedy_decode": {
            "a translation may be empty": "A list for each sentence, perhaps empty",
            "the words are created on the device of the state": DEVICE,
        },
        "ResidualStack": {
            "if D is not H, all layers but the first have a residual connection": "only if D and H differ",
            "the gradient flows through the layers and around them": GRADIENTS,
        },
    },
    "ch04_bottleneck": {
        "accuracy_by_length": {
            "bins of any width, with gaps and overlaps, work in any order": "Bins may overlap and do not have to cover all lengths",
            "one bin, one sentence, or no sentence at all works too": "N may be 0",
        },
        "position_probe": {
            "the intercept is not penalised": "The intercept is not penalised",
            "one test row and one feature work too": SIZES,
            "double precision works": DTYPE,
        },
        "gradient_map": {
            "one word, one step and embeddings of size one work too": SIZES,
            "in double precision the map is double": "of the same type as ``embedded``",
        },
    },
    "ch05_attention": {
        "masked_softmax": {
            "one mask works for all queries of a sentence": "broadcastable to the shape of ``scores``",
            "scores may have any number of dimensions": "Shape (..., S)",
            "the gradient with respect to the scores is right and never NaN": GRADIENTS,
        },
        "attend": {
            "every query may have a mask of its own, and all sentences may share one mask": "shape (B or 1, T or 1, S)",
            "one sentence and one query alone keep their dimensions": SIZES,
            "the gradient reaches query, key and value": GRADIENTS,
        },
        "multiplicative_scores": {
            "one sentence with one query keeps its dimensions": SIZES,
            "the gradient reaches query, key and W": GRADIENTS,
            "the scores have the floating-point type of their arguments": DTYPE,
        },
        "additive_scores": {
            "one sentence with one query keeps its dimensions": SIZES,
            "the gradient reaches query, key and all three weights": GRADIENTS,
        },
        "scaled_scores": {
            "one sentence with one query keeps its dimensions": SIZES,
            "the gradient reaches query and key": GRADIENTS,
        },
        "AttentionDecoder": {
            "a sentence can be decoded word by word": "or over one, as in translation",
            "the gradient reaches every weight and the memory": GRADIENTS,
        },
        "hard_alignment": {
            "sentences of one word keep their links": SIZES,
        },
        "alignment_error_rate": {
            "a sentence without predicted links, or without gold links, counts too": "Any set may be empty",
        },
        "causal_mask": {
            "any length works, and each call returns a new mask": "A new boolean mask, shape (T, T)",
            "the mask is made on the given device": "Where to make the mask",
        },
        "attend_to_past": {
            "any number of sentences and of states works": SIZES,
            "the gradient reaches the states": GRADIENTS,
        },
    },
    "ch06_decoding": {
        "beam_search": {
            "if sums are equal, the earlier parent comes first, then the word with the lower id": "If sums are equal, the one whose parent has the earlier place comes first",
            "the state may be a nested tuple, with its rows along any dimension": "a tensor, or a tuple of tensors, or of such tuples",
            "a sentence is found even if its probability underflows in float32": "its sum is the sum of the log-probabilities of its words",
            "with more places than hypotheses, none appears twice and no impossible one appears": "An extension with probability zero is never kept",
            "the search stops once hypotheses that have ended take all places": "a source is done when all its places are taken",
        },
        "diagnose_error": {
            "equal scores are a model error": "That includes equal scores",
            "the words may come in a list or in a tuple": "in a list or a tuple",
        },
        "top_k_filter": {
            "words whose logits equal the k-th largest stay too": "Words whose logits equal the k-th largest are all kept",
            "k may be the number of words, or more": "if it is V or more, all are kept",
        },
        "top_p_filter": {
            "with p = 1 all words stay": "above 0 and at most 1",
        },
        "sample_next": {
            "logits far from zero, impossible words and logits with a gradient work too": "they may be far apart, and minus infinity where a word is impossible",
        },
    },
    "ch07_bleu": {
        "clipped_precision": {
            "a sentence may have fewer than n words, or none": "Both are 0 if the candidate has fewer than n words",
            "words are compared as whole words, exactly as they are": "only if they are spelt exactly alike",
        },
        "brevity_penalty": {
            "the closest reference is chosen for each sentence separately": "The reference whose number of words is closest to the candidate's counts",
            "a candidate without words counts, and causes no error": "it is 0 if the candidates have no words at all",
        },
        "corpus_bleu": {
            "a sentence in which nothing matches counts like the others": "the number of matching n-grams in all sentences",
        },
        "sentence_bleu": {
            "short sentences are smoothed too": "but only as far as the candidate has n-grams",
            "the score is 0 if no word matches, or if there are no words": "It is 0 if not even a single word matches",
        },
        "paired_bootstrap": {
            "a single new test set works, and so do small ones": SIZES,
        },
    },
    "ch08_self_attention": {
        "scaled_dot_product_attention": {
            "the gradient for query, key and value is right and never NaN": GRADIENTS,
        },
        "split_heads": {
            "all sizes work: one sentence, one position, one head, heads of size one": SIZES,
        },
        "merge_heads": {
            "all sizes work: one sentence, one position, one head, heads of size one": SIZES,
        },
        "MultiHeadAttention": {
            "the mask may differ between queries, or be the same for all sentences": "shape (B or 1, T or 1, S)",
            "forward works with the query as memory, with another memory, and with a single query, without a mask": "in self-attention the memory is the query itself",
            "the gradient reaches every layer, the query and the memory": GRADIENTS,
        },
        "LayerNorm": {
            "the gradient for inputs, weight and bias is right": GRADIENTS,
        },
        "positional_encoding": {
            "one position works, and so do many positions with many columns": SIZES,
            "each call returns a new encoding": KEPT,
        },
        "shift_matrix": {
            "k may be negative, zero or large": "forwards or, if negative, backwards",
            "each call returns a new matrix": KEPT,
        },
        "EncoderLayer": {
            "the gradient reaches the inputs and every part": GRADIENTS,
        },
    },
    "ch09_transformer": {
        "DecoderLayer": {
            "the gradient reaches inputs, memory and every part": GRADIENTS,
        },
        "label_smoothed_loss": {
            "words of very small probability are handled correctly": "that may be far apart",
            "half and double precision are kept": DTYPE,
            "the gradient for the logits is right, and zero at padding": GRADIENTS,
        },
        "warmup_schedule": {
            "without warmup_steps, the rate rises for 4000 steps": "The number of steps during which the rate rises",
        },
        "cached_decode": {
            "sentences grow word by word, each with its own past": "are in ``past``",
            "double precision stays double precision": DTYPE,
        },
    },
    "ch10_bert": {
        "wordpiece_tokenize": {
            "no other way to split is tried when the longest pieces lead nowhere": "If no piece fits at some position, the whole word is unknown",
        },
        "pack_pair": {
            "a sentence may be empty, or the same as the other": "there may be none",
        },
        "mask_tokens": {
            "a batch may have one row, one word, or no word that can be chosen": "they are never chosen",
        },
        "make_nsp_pairs": {
            "a sentence may be any object, and occur more than once": "A sentence may be any object and may come again",
        },
        "BertEmbeddings": {
            "the positions are created on the device of the tokens": DEVICE,
            "the gradient reaches the three tables and the norm": GRADIENTS,
        },
        "masked_lm_loss": {
            "pieces of very small probability are handled correctly": "perhaps far apart",
            "logits in half and in double precision work": "in half precision, it may be in single precision",
            "the gradient for the logits is right, and zero where nothing is chosen": GRADIENTS,
        },
        "BertForPreTraining": {
            "a single sequence and a single position keep their dimensions": "B and S may be 1",
            "the gradient of both losses reaches every weight and the encoder": GRADIENTS,
        },
    },
    "ch11_pictures": {
        "conv2d": {
            "stride, padding and kernels of any size work together": "(O, C, K_h, K_w)",
            "the gradient reaches pictures, kernels and biases": GRADIENTS,
        },
        "positions_2d": {
            "grids of any size have a row for each cell": "cell (r, c) is number r * width + c",
        },
        "GridEncoder": {
            "a single picture, and a grid of one cell, keep their dimensions": "B, h and w may be 1",
            "the gradient reaches pictures, positions and every weight": GRADIENTS,
        },
        "pointing_accuracy": {
            "cells of any size, boxes between pixels and weights of any precision work": "which need not be whole numbers",
        },
        "caption_step": {
            "a search may repeat, reorder and drop rows": "N may differ from call to call, and may be 1",
        },
    },
    "ch12_post_training": {
        "replay_batches": {
            "a batch may be all new, all old, or larger than a text": "which may be larger than N or M",
        },
        "pack_instruction": {
            "the instruction or the answer may be empty, and any id may be in them": "there may be none, and any id may be among them",
        },
        "answer_only_loss": {
            "a sequence may have no piece that has to be written": "though perhaps none in some sequences",
            "logits may be far apart, and of any precision": "perhaps far apart",
            "the gradient that comes back to the logits is right, and zero at positions that predict no piece of an answer": GRADIENTS,
        },
        "LoRALinear": {
            "it works for inputs with any number of dimensions, for a layer without bias, and in any precision": "perhaps one without a bias",
        },
        "dpo_loss": {
            "if no β is given, it is 0.1": "How strongly the policy is kept near the reference",
            "margins may be in the hundreds, and values outside the answers may be -inf": "anything, even -inf",
        },
    },
    "ch13_rewards": {
        "policy_gradient_loss": {
            "log-probabilities may be far below 0, and outside of the answers -inf": "perhaps far below 0",
        },
        "group_advantages": {
            "a group may have one answer, and a batch one group": "K may be 1",
        },
        "clipped_ratio_loss": {
            "if no ε is given, it is 0.2; log-probabilities may be far below 0, and outside of the answers -inf": "perhaps far below 0",
        },
        "kl_estimate": {
            "the estimate is precise, whether the policy has moved very little or very far": "may differ by very little or by much",
        },
        "pass_at_k": {
            "there may be many thousands of samples": "there may be many thousands",
        },
        "majority_vote": {
            "answers may be of any hashable type, and there may be only one": "of any hashable type",
        },
    },
    "ch14_today": {
        "RMSNorm": {
            "half and double precision work, and so does a vector of zeros": "a vector may be zero",
        },
        "rotate": {
            "any position can be given": "integers of any size",
        },
        "GroupedQueryAttention": {
            "it works token by token or in parts, with a single head of keys and values, and with a batch of one": "B, T and num_kv_heads may be 1",
        },
        "SwiGLU": {
            "large inputs work": "numbers of any size",
        },
        "merge_byte_pairs": {
            "long words with many merges": "Then this is repeated with the new pieces",
        },
        "dequantize_q4_1": {
            "it works for any scale and for every byte": "computed and returned in single precision",
        },
    },
}
"""By chapter, exercise and hidden check, a phrase of the docstring or, if it is one of the names above, of what is said of every exercise."""


def told_of(subject: object) -> str:
    """What the docstrings of a function, or of a class and its methods, say."""
    parts = [subject, *(vars(subject).values() if inspect.isclass(subject) else ())]
    return " ".join(" ".join(inspect.getdoc(part) or "" for part in parts if callable(part)).split())


@pytest.mark.parametrize("chapter", chapters())
def test_what_a_hidden_check_asks_for_is_promised(chapter):
    reference, promises = load_reference(SOLUTIONS, chapter), PROMISES[chapter]
    exercises = {each.exercise.name: each for each in load_checks(chapter)}
    assert promises.keys() == exercises.keys()
    for name, phrases in promises.items():
        assert phrases.keys() == {check.name for check in exercises[name].checks if check.hidden}
        told = f"{told_of(getattr(reference, name))} {IN_EVERY_EXERCISE}"
        missing = [check for check, phrase in phrases.items() if phrase not in told]
        assert not missing, name
