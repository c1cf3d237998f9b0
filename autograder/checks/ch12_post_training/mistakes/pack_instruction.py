"""Mistakes in `pack_instruction`, and right answers in other styles."""

import functools
import itertools

import numpy as np
import torch

from autograder.checks.ch12_post_training.pack_instruction import again, empty, in_chapter, sequence, written
from autograder.judging.catalogue import mistake, right


def joined(prompt, answer, bos_id, answer_id, eos_id):
    """The right sequence."""
    return [bos_id] + prompt + [answer_id] + answer + [eos_id]


def marked(prompt, answer):
    """The right bools, by lengths."""
    return [False] * (prompt + 2) + [True] * (answer + 1)


def with_bools(bools):
    """The right sequence with other bools, which are made of the two lengths."""

    @functools.wraps(bools)
    def packed(prompt, answer, bos_id, answer_id, eos_id):
        return joined(prompt, answer, bos_id, answer_id, eos_id), bools(len(prompt), len(answer))

    return packed


@mistake(sequence, "the end mark is missing")
def no_end(prompt, answer, bos_id, answer_id, eos_id):
    return joined(prompt, answer, bos_id, answer_id, eos_id)[:-1], marked(len(prompt), len(answer))[:-1]


@mistake(sequence, "BOS is missing")
def no_beginning(prompt, answer, bos_id, answer_id, eos_id):
    return joined(prompt, answer, bos_id, answer_id, eos_id)[1:], marked(len(prompt), len(answer))[1:]


@mistake(sequence, "the answer mark is missing")
def no_answer_mark(prompt, answer, bos_id, answer_id, eos_id):
    return [bos_id, *prompt, *answer, eos_id], marked(len(prompt) - 1, len(answer))


@mistake(sequence, "the answer and the instruction are swapped")
def answer_first(prompt, answer, bos_id, answer_id, eos_id):
    return joined(answer, prompt, bos_id, answer_id, eos_id), marked(len(answer), len(prompt))


@mistake(sequence, "the answer mark and the end mark are swapped")
def marks_exchanged(prompt, answer, bos_id, answer_id, eos_id):
    return joined(prompt, answer, bos_id, eos_id, answer_id), marked(len(prompt), len(answer))


@mistake(sequence, "the marks have fixed ids, expected those that are given")
def own_ids(prompt, answer, bos_id, answer_id, eos_id):
    return joined(prompt, answer, 2, 4, 3), marked(len(prompt), len(answer))


@mistake(sequence, "the two lists are put into the sequence as lists, expected their ids")
def nested(prompt, answer, bos_id, answer_id, eos_id):
    return [bos_id, prompt, answer_id, answer, eos_id], [False, False, False, True, True]


@mistake(sequence, "only the sequence is returned, expected the bools too")
def tokens_alone(prompt, answer, bos_id, answer_id, eos_id):
    return joined(prompt, answer, bos_id, answer_id, eos_id)


@mistake(sequence, "the bools are returned first, expected the sequence first")
def results_exchanged(prompt, answer, bos_id, answer_id, eos_id):
    return marked(len(prompt), len(answer)), joined(prompt, answer, bos_id, answer_id, eos_id)


@mistake(again, "the results are tensors, expected lists")
def tensors(prompt, answer, bos_id, answer_id, eos_id):
    return (
        torch.tensor(joined(prompt, answer, bos_id, answer_id, eos_id)),
        torch.tensor(marked(len(prompt), len(answer))),
    )


@mistake(written, "the bool of the end mark is False, so that a model never learns to stop")
@with_bools
def end_mark_not_written(prompt, answer):
    return [False] * (prompt + 2) + [True] * answer + [False]


@mistake(written, "the bool of the answer mark is True, but the mark is given")
@with_bools
def answer_mark_written(prompt, answer):
    return [False] * (prompt + 1) + [True] * (answer + 2)


@mistake(written, "all bools are True, but the instruction is given")
@with_bools
def all_written(prompt, answer):
    return [True] * (prompt + answer + 3)


mistake(written, "all bools except that of BOS are True, but the instruction is given").made_in(
    answer_mark_written, all_but_bos={"[False] * (prompt + 1)": "[False]", "answer + 2": "prompt + answer + 2"}
)
mistake(written, "False and True are swapped").made_in(
    all_written, wrong_way_round={"[True] * (prompt + answer + 3)": "[True] * (prompt + 2) + [False] * (answer + 1)"}
)
mistake(written, "the bool of the answer's first piece is False").made_in(
    answer_mark_written, first_piece_given={"prompt + 1": "prompt + 3", "answer + 2": "answer"}
)
mistake(written, "the three marks have no bools of their own").made_in(
    answer_mark_written, only_texts={"prompt + 1": "prompt", "answer + 2": "answer"}
)


@mistake(written, "the bools are shifted by one, and one is missing: leave that shift to the loss")
@with_bools
def shifted(prompt, answer):
    return [False] * (prompt + 1) + [True] * (answer + 1)


@mistake(
    written,
    "the bools are shifted by one, to the positions that predict what has to be written: leave that shift to the loss",
)
@with_bools
def of_the_positions_before(prompt, answer):
    return [False] * (prompt + 1) + [True] * (answer + 1) + [False]


@mistake(in_chapter, "each bool says whether the id is in the answer, but the prompt may contain that id too")
def by_membership(prompt, answer, bos_id, answer_id, eos_id):
    tokens = joined(prompt, answer, bos_id, answer_id, eos_id)
    return tokens, [piece in answer or piece == eos_id for piece in tokens]


@mistake(empty, "the slice from -len(answer) is used, which is the whole list if the answer is empty")
def negative_slice(prompt, answer, bos_id, answer_id, eos_id):
    bools = [False] * (len(prompt) + 2 + len(answer))
    bools[-len(answer) :] = [True] * len(bools[-len(answer) :])
    return joined(prompt, answer, bos_id, answer_id, eos_id), [*bools, True]


@mistake(in_chapter, "BOS is left out if the prompt begins with its id")
def adds_what_is_not_there(prompt, answer, bos_id, answer_id, eos_id):
    given = (prompt if prompt[:1] == [bos_id] else [bos_id, *prompt]) + [answer_id]
    return [*given, *answer, eos_id], [False] * len(given) + [True] * (len(answer) + 1)


@mistake(again, "the end mark is appended to the list that was given")
def changes_the_answer(prompt, answer, bos_id, answer_id, eos_id):
    answer.append(eos_id)
    return [bos_id, *prompt, answer_id, *answer], [False] * (len(prompt) + 2) + [True] * len(answer)


@mistake(again, "BOS is inserted into the list that was given")
def changes_the_prompt(prompt, answer, bos_id, answer_id, eos_id):
    prompt.insert(0, bos_id)
    return [*prompt, answer_id, *answer, eos_id], [False] * (len(prompt) + 1) + [True] * (len(answer) + 1)


@mistake(
    in_chapter,
    "the first id equal to that of the answer mark is treated as the mark, but the prompt may contain that id",
)
def looks_for_the_mark(prompt, answer, bos_id, answer_id, eos_id):
    tokens = joined(prompt, answer, bos_id, answer_id, eos_id)
    place = tokens.index(answer_id)
    return tokens, [i > place for i in range(len(tokens))]


@mistake(empty, "an empty answer gets no end mark")
def needs_an_answer(prompt, answer, bos_id, answer_id, eos_id):
    tokens = joined(prompt, answer, bos_id, answer_id, eos_id)
    bools = marked(len(prompt), len(answer))
    return (tokens, bools) if answer else (tokens[:-1], bools[:-1])


@mistake(again, "the bools are the numbers 0 and 1, expected False and True")
def numbers(prompt, answer, bos_id, answer_id, eos_id):
    return joined(prompt, answer, bos_id, answer_id, eos_id), [0] * (len(prompt) + 2) + [1] * (len(answer) + 1)


@mistake(again, "the bools are a tensor, expected a list")
def bools_in_a_tensor(prompt, answer, bos_id, answer_id, eos_id):
    return joined(prompt, answer, bos_id, answer_id, eos_id), torch.tensor(marked(len(prompt), len(answer)))


@mistake(again, "the results are tuples, expected lists")
def tuples(prompt, answer, bos_id, answer_id, eos_id):
    return tuple(joined(prompt, answer, bos_id, answer_id, eos_id)), tuple(marked(len(prompt), len(answer)))


@mistake(in_chapter, "the end mark is left out if the answer already ends with its id")
def ends_once(prompt, answer, bos_id, answer_id, eos_id):
    answer = answer[:-1] if answer[-1:] == [eos_id] else answer
    return joined(prompt, answer, bos_id, answer_id, eos_id), marked(len(prompt), len(answer))


@mistake(in_chapter, "pieces with the ids of the marks are left out of the texts, but any id may be among them")
def without_marks(prompt, answer, bos_id, answer_id, eos_id):
    prompt, answer = ([id_ for id_ in text if id_ not in (bos_id, answer_id, eos_id)] for text in (prompt, answer))
    return joined(prompt, answer, bos_id, answer_id, eos_id), marked(len(prompt), len(answer))


@mistake(in_chapter, "pieces with the ids of the marks are left out of the texts, but any id may be among them")
def prompt_without_marks(prompt, answer, bos_id, answer_id, eos_id):
    prompt = [id_ for id_ in prompt if id_ not in (bos_id, answer_id, eos_id)]
    return joined(prompt, answer, bos_id, answer_id, eos_id), marked(len(prompt), len(answer))


@mistake(
    in_chapter, "the ids are compared with those of the marks, but the prompt and the answer may contain these too"
)
def switched_by_marks(prompt, answer, bos_id, answer_id, eos_id):
    tokens, bools, is_written = joined(prompt, answer, bos_id, answer_id, eos_id), [], False
    for piece in tokens:
        bools.append(is_written)
        is_written = (is_written or piece == answer_id) and piece != eos_id
    return tokens, bools


@mistake(empty, "the bool of the end mark is False if the answer is empty")
def end_not_learned_alone(prompt, answer, bos_id, answer_id, eos_id):
    bools = marked(len(prompt), len(answer))
    return joined(prompt, answer, bos_id, answer_id, eos_id), bools if answer else [False] * len(bools)


mistake(
    in_chapter, "the last id equal to that of the answer mark is treated as the mark, but the answer may contain it"
).made_in(
    looks_for_the_mark,
    looks_for_the_last_mark={"tokens.index(answer_id)": "len(tokens) - 1 - tokens[::-1].index(answer_id)"},
)


@mistake(
    in_chapter, "nothing is written after the first id equal to that of the end mark, but the answer may contain it"
)
def up_to_the_first_end(prompt, answer, bos_id, answer_id, eos_id):
    tokens = joined(prompt, answer, bos_id, answer_id, eos_id)
    end = tokens.index(eos_id, len(prompt) + 2)
    return tokens, [len(prompt) + 1 < i <= end for i in range(len(tokens))]


@right
def by_place(prompt, answer, bos_id, answer_id, eos_id):
    tokens = [bos_id, *prompt, answer_id, *answer, eos_id]
    return tokens, [place >= len(prompt) + 2 for place in range(len(tokens))]


@right
def step_by_step(prompt, answer, bos_id, answer_id, eos_id):
    tokens, written = [], []
    for piece in itertools.chain([bos_id], prompt, [answer_id]):
        tokens.append(piece)
        written.append(False)
    for piece in itertools.chain(answer, [eos_id]):
        tokens.append(piece)
        written.append(True)
    return tokens, written


@right
def pairs(prompt, answer, bos_id, answer_id, eos_id):
    whole = [(piece, False) for piece in (bos_id, *prompt, answer_id)]
    whole += [(piece, True) for piece in (*answer, eos_id)]
    return [piece for piece, _ in whole], [written for _, written in whole]


@right
def by_tensor(prompt, answer, bos_id, answer_id, eos_id):
    tokens = joined(prompt, answer, bos_id, answer_id, eos_id)
    return tokens, (torch.arange(len(tokens)) > len(prompt) + 1).tolist()


@right
def copies(prompt, answer, bos_id, answer_id, eos_id):
    tokens = prompt.copy()
    tokens.insert(0, bos_id)
    tokens.append(answer_id)
    bools = [False] * len(tokens)
    tokens.extend(answer)
    tokens.append(eos_id)
    return tokens, bools + [True] * (len(tokens) - len(bools))


right(lambda p, a, b, m, e: (joined(p, a, b, m, e), marked(len(p), len(a))))


@right
def through_numpy(prompt, answer, bos_id, answer_id, eos_id):
    tokens = np.concatenate([[bos_id], prompt, [answer_id], answer, [eos_id]]).astype(int)
    return list(tokens), list(np.arange(len(tokens)) > len(prompt) + 1)
