"""What is right about `pad_batch`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch00_start.probes import pad_batch as probes
from autograder.compare import close, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_TABLE = "each row is a sentence that starts at the left, followed by padding"
_ORDER = "the sentences keep their order"
_MASK = "the mask is True on words and False on padding"
_LENGTHS = "the lengths count the words of each sentence"


@judge(
    _TABLE,
    probe=probes.table,
    points=2,
    hint="Take two sentences, one of three words and one of a single word, and write down the table by hand: two rows of "
    "three numbers. How many times does pad occur in the second row, and where?",
)
def words_then_padding(got: Any, want: Any) -> Verdict:
    """The tokens of sentences that stand longest first."""
    tokens, right, pad, lengths = got["tokens"], want["tokens"], want["pad"], want["lengths"]
    if is_close(tokens, right):
        return passed()
    size = right.shape[1]
    rows = list(zip(right, lengths, strict=True))
    known = {
        "the padding is before the words, on the left, expected after them": [r.roll(size - n) for r, n in rows],
        "the words of a sentence are in reverse order": [torch.cat([r[:n].flip(0), r[n:]]) for r, n in rows],
        "words and padding are both reversed: the padding is on the left and the words run backwards": [
            row.flip(0) for row, _ in rows
        ],
        f"the positions after a sentence contain 0, expected pad, which is {pad} here": [
            r * (r != pad) for r, _ in rows
        ],
    }
    for message, others in known.items():
        if is_close(tokens, torch.stack(others)):
            return failed(message)
    return _other_order(tokens, right) or _first_wrong_row(tokens, right)


def _other_order(tokens: Tensor, right: Tensor) -> Verdict | None:
    """That the rows are right and stand in another order."""
    if sorted(tokens.tolist()) != sorted(right.tolist()):
        return None
    return failed("the rows are right but in a different order, expected the order in which the sentences were given")


def _first_wrong_row(tokens: Tensor, right: Tensor) -> Verdict:
    row = int((tokens != right).any(dim=1).nonzero()[0])
    return failed(f"row {row} is {tokens[row].tolist()}, expected {right[row].tolist()}")


@judge(
    _ORDER,
    probe=probes.order,
    points=1,
    needs=(_TABLE,),
    hint="Row b of the table is sentence b of the list. Nothing has to be sorted: you can find the length of the longest "
    "sentence without sorting.",
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
    hint="In this book, a mask is True where there is something to look at, here a word. Row b of the mask begins "
    "with as many True values as sentence b has words, and the mask is of type bool.",
)
def true_on_words(got: Any, want: Any) -> Verdict:
    """The mask of sentences that stand longest first."""
    mask, right = got["mask"], want["mask"]
    if is_close(mask, right):
        return passed() if is_close(got["numbers"], want["numbers"]) else failed("a different mask was returned")
    if torch.equal(mask, ~right):
        return failed("the mask is inverted: it is False on words and True on padding")
    if mask.all():
        return failed("the mask is True everywhere, even on padding")
    if torch.equal(mask, right.flip(1)):
        return failed("the True values are at the right end of each row, expected at the left, where the words are")
    pad, size = want["pad"], right.shape[1]
    table = torch.tensor([sentence + [pad] * (size - len(sentence)) for sentence in want["sentences"]])
    known = {
        f"the mask is False at the id 0 and True elsewhere: 0 is a word here, and padding is pad, which is {pad}": table
        != 0,
        f"the mask tests whether an id is smaller than pad, but words have ids on both sides of pad, which is {pad} here": table
        < pad,
    }
    for message, other in known.items():
        if torch.equal(mask, other):
            return failed(message)
    row = int((mask != right).any(dim=1).nonzero()[0])
    return failed(
        f"row {row} of the mask has {int(mask[row].sum())} True values, but the sentence has {int(right[row].sum())} words: "
        f"the row is "
        f"{mask[row].int().tolist()}, with 1 for True"
    )


@judge(
    _LENGTHS,
    probe=probes.how_long,
    points=1,
    needs=(_TABLE,),
    hint="One integer for each sentence, in a tensor of type long: the number of its words before padding was added.",
)
def counts_words(got: Any, want: Any) -> Verdict:
    """The lengths of sentences that stand longest first."""
    lengths, right = got["lengths"], want["lengths"]
    if is_close(lengths, right):
        return passed()
    if (lengths == lengths[0]).all():
        return failed(f"all lengths are {int(lengths[0])}: the padding was counted along with the words")
    if is_close(lengths, torch.tensor(want["padding"])):
        return failed("the lengths count the padding of each row, expected its words")
    return failed(f"the lengths are {lengths.tolist()}, expected {right.tolist()}")


alone = judge(
    "a batch of one sentence keeps its dimensions",
    probe=probes.alone,
    points=1,
    hidden=True,
    needs=(_TABLE, _MASK, _LENGTHS),
    hint="With one sentence the shapes are (1, S), (1, S) and (1,). squeeze() removes every dimension of size one, even those "
    "that belong there.",
)(close())

empty = judge(
    "an empty sentence is a row of padding",
    probe=probes.empty,
    points=1,
    hidden=True,
    needs=(_TABLE, _ORDER, _MASK, _LENGTHS),
    hint="A sentence without words has a row of its own: only padding, False everywhere in the mask, and a length of 0. "
    "torch.tensor([]) is of type float32 unless you pass another dtype.",
)(close())


@judge(
    "the caller's sentences are left as they were",
    probe=probes.arguments,
    points=1,
    arguments=True,
    needs=(_TABLE, _ORDER),
    hint="append, extend, +=, insert and sort change the list itself, and it is the caller's list. sentence + [...] makes a "
    "new one.",
)
def leaves_sentences(got: Any, want: Any) -> Verdict:
    """The tokens are right and the lists are the caller's still."""
    if got["is as it was"] != want["is as it was"]:
        return failed("the call changed the lists that it was given")
    return close("tokens")(got, want)
