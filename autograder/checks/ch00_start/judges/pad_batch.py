"""What is right about `pad_batch`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch00_start.probes import pad_batch as probes
from autograder.compare import close, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_TABLE = "each row is a sentence from its left end on, and padding behind it"
_ORDER = "the sentences keep their order"
_MASK = "the mask is True on words and False on padding"
_LENGTHS = "the lengths are the numbers of words"


@judge(
    _TABLE,
    probe=probes.table,
    points=2,
    hint="Take two sentences, of three words and of one, and write the table down by hand: two rows of three numbers. How many "
    "times does pad stand in the second, and where?",
)
def words_then_padding(got: Any, want: Any) -> Verdict:
    """The tokens of sentences that stand longest first."""
    tokens, right, pad, lengths = got["tokens"], want["tokens"], want["pad"], want["lengths"]
    if is_close(tokens, right):
        return passed()
    size = right.shape[1]
    rows = list(zip(right, lengths, strict=True))
    known = {
        "the padding stands before the words, at the left, expected behind them": [r.roll(size - n) for r, n in rows],
        "the words of a sentence are in reverse order": [torch.cat([r[:n].flip(0), r[n:]]) for r, n in rows],
        "words and padding are both turned round: the padding is at the left and the words run backwards": [
            row.flip(0) for row, _ in rows
        ],
        f"the places behind a sentence hold 0, expected pad, which is {pad} here": [r * (r != pad) for r, _ in rows],
    }
    for message, others in known.items():
        if is_close(tokens, torch.stack(others)):
            return failed(message)
    return _other_order(tokens, right) or _first_wrong_row(tokens, right)


def _other_order(tokens: Tensor, right: Tensor) -> Verdict | None:
    """That the rows are right and stand in another order."""
    if sorted(tokens.tolist()) != sorted(right.tolist()):
        return None
    return failed("the rows are the right ones in another order, expected the order in which the sentences were given")


def _first_wrong_row(tokens: Tensor, right: Tensor) -> Verdict:
    row = int((tokens != right).any(dim=1).nonzero()[0])
    return failed(f"row {row} is {tokens[row].tolist()}, expected {right[row].tolist()}")


@judge(
    _ORDER,
    probe=probes.order,
    points=1,
    needs=(_TABLE,),
    hint="Row b of the table is sentence b of the list. Nothing has to be sorted: the length of the longest sentence can be had "
    "without that.",
)
def in_order(got: Any, want: Any) -> Verdict:
    """The tokens of sentences whose longest is in the middle."""
    tokens, right = got["tokens"], want["tokens"]
    if is_close(tokens, right):
        return passed()
    return _other_order(tokens, right) or _first_wrong_row(tokens, right)


@judge(
    _MASK,
    probe=probes.where_words_are,
    points=2,
    needs=(_TABLE,),
    hint="In this book True means: here is something to look at. Row b of the mask begins with as many True as sentence b has "
    "words, and its type is bool.",
)
def true_on_words(got: Any, want: Any) -> Verdict:
    """The mask of sentences that stand longest first."""
    mask, right = got["mask"], want["mask"]
    if is_close(mask, right):
        return passed() if is_close(got["numbers"], want["numbers"]) else failed("another mask came back")
    if torch.equal(mask, ~right):
        return failed("the mask is inverted: it is False on words and True on padding")
    if mask.all():
        return failed("the mask is True everywhere, also on padding")
    if torch.equal(mask, right.flip(1)):
        return failed("the True stand at the right end of each row, expected at the left, where the words are")
    pad, size = want["pad"], right.shape[1]
    table = torch.tensor([sentence + [pad] * (size - len(sentence)) for sentence in want["sentences"]])
    known = {
        f"the mask is False at the id 0 and True elsewhere: 0 is a word here, and padding is pad, which is {pad}": table
        != 0,
        f"the mask compares which id is larger, and words have ids on both sides of pad, which is {pad} here": table
        < pad,
    }
    for message, other in known.items():
        if torch.equal(mask, other):
            return failed(message)
    row = int((mask != right).any(dim=1).nonzero()[0])
    return failed(
        f"row {row} of the mask has {int(mask[row].sum())} True, and the sentence has {int(right[row].sum())} words: it is "
        f"{mask[row].int().tolist()}, with 1 for True"
    )


@judge(
    _LENGTHS,
    probe=probes.how_long,
    points=1,
    needs=(_TABLE,),
    hint="One whole number for each sentence, in a tensor of type long: how many words it had before anything was added.",
)
def counts_words(got: Any, want: Any) -> Verdict:
    """The lengths of sentences that stand longest first."""
    lengths, right = got["lengths"], want["lengths"]
    if is_close(lengths, right):
        return passed()
    if (lengths == lengths[0]).all():
        return failed(f"all lengths are {int(lengths[0])}: the padding was counted with the words")
    if is_close(lengths, torch.tensor(want["padding"])):
        return failed("the lengths count the padding of each row, expected its words")
    return failed(f"the lengths are {lengths.tolist()}, expected {right.tolist()}")


alone = judge(
    "a batch of one sentence keeps its dimensions",
    probe=probes.alone,
    points=1,
    hidden=True,
    needs=(_TABLE, _MASK, _LENGTHS),
    hint="With one sentence the shapes are (1, S), (1, S) and (1,). squeeze() takes away every dimension of size one, also those "
    "that belong there.",
)(close())

empty = judge(
    "an empty sentence is a row of padding",
    probe=probes.empty,
    points=1,
    hidden=True,
    needs=(_TABLE, _ORDER, _MASK, _LENGTHS),
    hint="A sentence of no words has a row of its own: nothing but padding, False everywhere in the mask, and the length 0. "
    "torch.tensor([]) is of type float32, unless it is told otherwise.",
)(close())


@judge(
    "the caller's sentences are left as they were",
    probe=probes.arguments,
    points=1,
    arguments=True,
    needs=(_TABLE, _ORDER),
    hint="append, extend, +=, insert and sort change the list that they are used on, and it is the caller's list. sentence + [...] "
    "makes a new one.",
)
def leaves_sentences(got: Any, want: Any) -> Verdict:
    """The tokens are right and the lists are the caller's still."""
    if got["is as it was"] != want["is as it was"]:
        return failed("the call changed the lists that it was given")
    return close("tokens")(got, want)
