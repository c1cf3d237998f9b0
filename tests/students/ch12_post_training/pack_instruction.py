"""What students hand in for `pack_instruction`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools
import itertools

import torch

EXERCISE = "pack_instruction"


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


def no_end(prompt, answer, bos_id, answer_id, eos_id):
    """Nothing behind the answer."""
    return joined(prompt, answer, bos_id, answer_id, eos_id)[:-1], marked(len(prompt), len(answer))[:-1]


def no_beginning(prompt, answer, bos_id, answer_id, eos_id):
    """BOS is left out."""
    return joined(prompt, answer, bos_id, answer_id, eos_id)[1:], marked(len(prompt), len(answer))[1:]


def no_answer_mark(prompt, answer, bos_id, answer_id, eos_id):
    """Nothing between the instruction and the answer."""
    return [bos_id, *prompt, *answer, eos_id], marked(len(prompt) - 1, len(answer))


def answer_first(prompt, answer, bos_id, answer_id, eos_id):
    """The two lists have changed places."""
    return joined(answer, prompt, bos_id, answer_id, eos_id), marked(len(answer), len(prompt))


def marks_exchanged(prompt, answer, bos_id, answer_id, eos_id):
    """The end mark stands where the answer begins."""
    return joined(prompt, answer, bos_id, eos_id, answer_id), marked(len(prompt), len(answer))


def own_ids(prompt, answer, bos_id, answer_id, eos_id):
    """The ids that the marks have in the course's vocabulary, whatever was given."""
    return joined(prompt, answer, 2, 4, 3), marked(len(prompt), len(answer))


def nested(prompt, answer, bos_id, answer_id, eos_id):
    """append, where extend was meant."""
    return [bos_id, prompt, answer_id, answer, eos_id], [False, False, False, True, True]


def tokens_alone(prompt, answer, bos_id, answer_id, eos_id):
    """The bools are forgotten."""
    return joined(prompt, answer, bos_id, answer_id, eos_id)


def results_exchanged(prompt, answer, bos_id, answer_id, eos_id):
    """The bools come first."""
    return marked(len(prompt), len(answer)), joined(prompt, answer, bos_id, answer_id, eos_id)


def tensors(prompt, answer, bos_id, answer_id, eos_id):
    """Tensors, where lists were asked for."""
    return (
        torch.tensor(joined(prompt, answer, bos_id, answer_id, eos_id)),
        torch.tensor(marked(len(prompt), len(answer))),
    )


@with_bools
def end_mark_not_written(prompt, answer):
    """The end mark is not among what is learned, so the model never stops."""
    return [False] * (prompt + 2) + [True] * answer + [False]


@with_bools
def answer_mark_written(prompt, answer):
    """The answer mark is learned too."""
    return [False] * (prompt + 1) + [True] * (answer + 2)


@with_bools
def all_written(prompt, answer):
    """The instruction is learned like the answer."""
    return [True] * (prompt + answer + 3)


@with_bools
def all_but_bos(prompt, answer):
    """The instruction is learned like the answer, as in pre-training."""
    return [False] + [True] * (prompt + answer + 2)


@with_bools
def wrong_way_round(prompt, answer):
    """True for what is given."""
    return [True] * (prompt + 2) + [False] * (answer + 1)


@with_bools
def first_piece_given(prompt, answer):
    """The bools are shifted as if they were the targets of the next position."""
    return [False] * (prompt + 3) + [True] * answer


@with_bools
def only_texts(prompt, answer):
    """No bools for the marks."""
    return [False] * prompt + [True] * answer


@with_bools
def shifted(prompt, answer):
    """One bool fewer than ids: the shift of the loss is made here already."""
    return [False] * (prompt + 1) + [True] * (answer + 1)


@with_bools
def of_the_positions_before(prompt, answer):
    """As many bools as ids, shifted to the positions that predict."""
    return [False] * (prompt + 1) + [True] * (answer + 1) + [False]


def by_membership(prompt, answer, bos_id, answer_id, eos_id):
    """What has to be written is looked up by id, so that a piece of the prompt which the answer repeats is marked too."""
    tokens = joined(prompt, answer, bos_id, answer_id, eos_id)
    return tokens, [piece in answer or piece == eos_id for piece in tokens]


def negative_slice(prompt, answer, bos_id, answer_id, eos_id):
    """The last L bools are set, and [-0:] is all of them."""
    bools = [False] * (len(prompt) + 2 + len(answer))
    bools[-len(answer) :] = [True] * len(bools[-len(answer) :])
    return joined(prompt, answer, bos_id, answer_id, eos_id), [*bools, True]


def adds_what_is_not_there(prompt, answer, bos_id, answer_id, eos_id):
    """BOS is added only to a prompt that does not begin with its id."""
    given = (prompt if prompt[:1] == [bos_id] else [bos_id, *prompt]) + [answer_id]
    return [*given, *answer, eos_id], [False] * len(given) + [True] * (len(answer) + 1)


def changes_the_answer(prompt, answer, bos_id, answer_id, eos_id):
    """The end mark is appended to the caller's list."""
    answer.append(eos_id)
    return [bos_id, *prompt, answer_id, *answer], [False] * (len(prompt) + 2) + [True] * len(answer)


def changes_the_prompt(prompt, answer, bos_id, answer_id, eos_id):
    """BOS is inserted into the caller's list."""
    prompt.insert(0, bos_id)
    return [*prompt, answer_id, *answer, eos_id], [False] * (len(prompt) + 1) + [True] * (len(answer) + 1)


def looks_for_the_mark(prompt, answer, bos_id, answer_id, eos_id):
    """The first id that is the answer mark's is taken for it, though it may stand in the prompt."""
    tokens = joined(prompt, answer, bos_id, answer_id, eos_id)
    place = tokens.index(answer_id)
    return tokens, [i > place for i in range(len(tokens))]


def needs_an_answer(prompt, answer, bos_id, answer_id, eos_id):
    """An empty answer gets no end mark."""
    tokens = joined(prompt, answer, bos_id, answer_id, eos_id)
    bools = marked(len(prompt), len(answer))
    return (tokens, bools) if answer else (tokens[:-1], bools[:-1])


_SEQUENCE = "the sequence is BOS, the instruction, the answer mark, the answer, the end mark"
_WRITTEN = "the model has to write the answer and the end mark, and nothing before them"
_LISTS = "the instruction and the answer are left as they were"
_EMPTY = "the instruction or the answer may be empty, and any id may be in them"

WRONG = {
    no_end: _SEQUENCE,
    no_beginning: _SEQUENCE,
    no_answer_mark: _SEQUENCE,
    answer_first: _SEQUENCE,
    marks_exchanged: _SEQUENCE,
    own_ids: _SEQUENCE,
    nested: _SEQUENCE,
    tokens_alone: _SEQUENCE,
    results_exchanged: _SEQUENCE,
    end_mark_not_written: _WRITTEN,
    answer_mark_written: _WRITTEN,
    all_written: _WRITTEN,
    all_but_bos: _WRITTEN,
    wrong_way_round: _WRITTEN,
    first_piece_given: _WRITTEN,
    only_texts: _WRITTEN,
    shifted: _WRITTEN,
    of_the_positions_before: _WRITTEN,
    tensors: _LISTS,
    changes_the_answer: _LISTS,
    changes_the_prompt: _LISTS,
    looks_for_the_mark: _EMPTY,
    needs_an_answer: _EMPTY,
    by_membership: _EMPTY,
    negative_slice: _EMPTY,
    adds_what_is_not_there: _EMPTY,
}


def by_place(prompt, answer, bos_id, answer_id, eos_id):
    """Each place is compared with where the answer begins."""
    tokens = [bos_id, *prompt, answer_id, *answer, eos_id]
    return tokens, [place >= len(prompt) + 2 for place in range(len(tokens))]


def step_by_step(prompt, answer, bos_id, answer_id, eos_id):
    """Appending to new lists."""
    tokens, written = [], []
    for piece in itertools.chain([bos_id], prompt, [answer_id]):
        tokens.append(piece)
        written.append(False)
    for piece in itertools.chain(answer, [eos_id]):
        tokens.append(piece)
        written.append(True)
    return tokens, written


def pairs(prompt, answer, bos_id, answer_id, eos_id):
    """Pairs of an id and a bool, taken apart at the end."""
    whole = [(piece, False) for piece in (bos_id, *prompt, answer_id)]
    whole += [(piece, True) for piece in (*answer, eos_id)]
    return [piece for piece, _ in whole], [written for _, written in whole]


def by_tensor(prompt, answer, bos_id, answer_id, eos_id):
    """The bools by way of a tensor."""
    tokens = joined(prompt, answer, bos_id, answer_id, eos_id)
    return tokens, (torch.arange(len(tokens)) > len(prompt) + 1).tolist()


def copies(prompt, answer, bos_id, answer_id, eos_id):
    """A copy that is extended."""
    tokens = prompt.copy()
    tokens.insert(0, bos_id)
    tokens.append(answer_id)
    bools = [False] * len(tokens)
    tokens.extend(answer)
    tokens.append(eos_id)
    return tokens, bools + [True] * (len(tokens) - len(bools))


RIGHT = {
    "by place": by_place,
    "step by step": step_by_step,
    "pairs": pairs,
    "by tensor": by_tensor,
    "copies": copies,
    "a tuple of lists": lambda p, a, b, m, e: (joined(p, a, b, m, e), marked(len(p), len(a))),
}
