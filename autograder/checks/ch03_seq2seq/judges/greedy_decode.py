"""What is right about `greedy_decode`, and what is said when it is not.

Sentences may have any length here, and lists that are longer than was wanted may hold anything behind: they are compared and
measured, and what is in them is shown only where it is as wanted.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch03_seq2seq.probes import greedy_decode as probes
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_WORDS = "each word is the likeliest one, and is what the next step reads"
_END = "a sentence ends in front of its mark of the end"
_OWN_END = "each sentence of a batch goes on until its own end"
_LIMIT = "no sentence gets more than max_words words, and none fewer that has not ended"

Sentences = list[list[int]]


def _number(got: Sentences, want: Sentences) -> Verdict | None:
    """What is wrong with how many sentences there are."""
    if len(got) == len(want):
        return None
    return failed(f"{len(got)} sentences came back, expected {len(want)}, one for each of the batch, empty or not")


def _common(got: list[int], want: list[int]) -> int:
    """How many words of a sentence are right, from the first on."""
    pairs = enumerate(zip(got, want, strict=False))
    return next((place for place, (word, right) in pairs if word != right), min(len(got), len(want)))


def _first_difference(got: Sentences, want: Sentences) -> Verdict:
    """Where the first sentence parts from what was wanted."""
    index, mine, right = next((i, g, w) for i, (g, w) in enumerate(zip(got, want, strict=True)) if g != w)
    place = _common(mine, right)
    if place < min(len(mine), len(right)):
        return failed(
            f"sentence {index}: of {len(right)} words the first {place} are right, word {place} is another one"
        )
    return failed(f"sentence {index} has {len(mine)} words, expected {len(right)}")


@torch.no_grad()
def _written(
    want: Any, choose: Callable[[Tensor], Tensor], *, fed: bool = True, carried: bool = True, first: int = probes.BOS
) -> list[int]:
    """What the writer of `one_sentence` would write, cut as it is there, if words were chosen, read and carried like this."""
    step = probes.Writer(want["table"], want["lengths"], want["max_words"])
    state, word, words = step.first_state(), torch.tensor([[first]]), []
    for _ in range(want["lengths"][0]):
        logits, after = step(word, state)
        chosen = choose(logits)
        words.append(int(chosen))
        word, state = chosen if fed else word, after if carried else state
    return words[: words.index(probes.EOS)] if probes.EOS in words else words


@judge(
    _WORDS,
    probe=probes.one_sentence,
    points=2,
    any_length=True,
    hint="The first step reads bos and the state that is given. Each further one reads the word that was just chosen and the state that "
    "the step before returned. The likeliest word has the largest logit.",
)
def reads_its_own_words(got: Any, want: Any) -> Verdict:
    """One sentence, up to its end."""
    mine, right = got["sentences"], want["sentences"]
    if mine == right:
        return passed()
    wrong_number = _number(mine, right)
    if wrong_number:
        return wrong_number

    def likeliest(logits: Tensor) -> Tensor:
        return logits.argmax(-1)

    others = {
        "every step read bos: the word that was chosen has to be read next": _written(want, likeliest, fed=False),
        "every step was given the first state, expected the one that the step before returned": _written(
            want, likeliest, carried=False
        ),
        "every step read bos and the first state: word and state have to be carried on": _written(
            want, likeliest, fed=False, carried=False
        ),
        "the least likely word was chosen at every step": _written(want, lambda logits: logits.argmin(-1)),
        "the sentence begins with bos, which was read and not written": [probes.BOS, *right[0]][: len(right[0])],
        "the first word is missing": right[0][1:],
    }
    for message, words in others.items():
        if mine[0] == words:
            return failed(message)
    for first in range(probes.VOCABULARY):
        if mine[0] == _written(want, likeliest, first=first):
            return failed(f"the first step read {first}, expected bos, which is {probes.BOS} here")
    return _first_difference(mine, right)


@judge(
    _END,
    probe=probes.its_end,
    points=1,
    needs=(_WORDS,),
    any_length=True,
    hint="The mark of the end says that the sentence is over; it is no word of it, and nothing behind it is.",
)
def ends_in_front(got: Any, want: Any) -> Verdict:
    """One sentence, to its end."""
    mine, right = got["sentences"], want["sentences"]
    if mine == right:
        return passed()
    return _number(mine, right) or _kept_end(mine[0], right[0]) or _first_difference(mine, right)


def _kept_end(mine: list[int], right: list[int]) -> Verdict | None:
    """What is wrong with a sentence that goes on where it should have ended."""
    if mine[: len(right)] != right:
        return None
    if mine[len(right) :] == [probes.EOS]:
        return failed("the sentence ends with its mark of the end, expected the words before it alone")
    if probes.EOS in mine:
        return failed("the sentence has its mark of the end and words behind it, expected the words before it alone")
    return failed(
        "the sentence goes on behind its end, and the mark is not in it: was the mark alone taken out, and not the words behind it?"
    )


@judge(
    _OWN_END,
    probe=probes.batch,
    points=2,
    needs=(_WORDS, _END),
    any_length=True,
    hint="The steps go on until the last sentence has ended, so the others get words that are not theirs. Remember which have ended, or "
    "cut every row at its own first mark of the end afterwards.",
)
def each_to_its_end(got: Any, want: Any) -> Verdict:
    """Four sentences of different lengths."""
    mine, right = got["sentences"], want["sentences"]
    if mine == right:
        return passed()
    if len(mine) != len(right) and len(mine) > 4:
        return failed(
            f"{len(mine)} lists came back, expected {len(right)}: a list for each sentence, not for each step"
        )
    wrong_number = _number(mine, right)
    if wrong_number:
        return wrong_number
    if all(words == mine[0] for words in mine):
        return failed(
            "all sentences are the same: `[[]] * B` is one and the same list B times, expected a list of its own for each"
        )
    shortest = min(map(len, right))
    if all(
        len(words) <= shortest + 1 and words[:shortest] == full[:shortest]
        for words, full in zip(mine, right, strict=True)
    ):
        return failed("all sentences stopped when the first of them ended, expected each to go on until its own end")
    for words, full in zip(mine, right, strict=True):
        verdict = _kept_end(words, full) if words != full else None
        if verdict:
            return verdict
    return _first_difference(mine, right)


@judge(
    _LIMIT,
    probe=probes.limit,
    points=1,
    needs=(_WORDS,),
    any_length=True,
    hint="A decoder may never write the mark of the end. Take max_words steps at most: each writes one word.",
)
def stops_at_limit(got: Any, want: Any) -> Verdict:
    """A sentence that does not end in time."""
    mine, right = got["sentences"], want["sentences"]
    if mine == right:
        return passed()
    wrong_number = _number(mine, right)
    if wrong_number:
        return wrong_number
    if len(mine[0]) != len(right[0]):
        return failed(f"a sentence that goes on has {len(mine[0])} words, with max_words={want['max_words']}")
    return _first_difference(mine, right)


def _same_sentences(got: Any, want: Any) -> Verdict:
    """All lists of sentences as they should be."""
    for name, right in want.items():
        if got[name] != right:
            return _number(got[name], right) or _first_difference(got[name], right)
    return passed()


empty_ones = judge(
    "a translation may be empty",
    probe=probes.empty,
    points=1,
    hidden=True,
    needs=(_OWN_END,),
    any_length=True,
    hint="If the mark of the end is the likeliest first word, the sentence has no words, and its list is empty. It has its place among the "
    "others all the same.",
)(_same_sentences)

lowest_of_equals = judge(
    "of equal logits the lowest number wins",
    probe=probes.ties,
    points=1,
    hidden=True,
    needs=(_OWN_END,),
    any_length=True,
    hint="argmax takes the first of the largest. What sorts, or lets a later word win that is as large, may not. And the lowest number of "
    "all is 0, which here is a word like any other: nothing but the mark of the end ends a sentence.",
)(_same_sentences)


@judge(
    "no step is taken once all sentences have ended",
    probe=probes.effort,
    points=1,
    hidden=True,
    needs=(_OWN_END,),
    any_length=True,
    hint="Most translations are much shorter than max_words, and each step costs as much as the one before. Stop when every sentence has "
    "ended.",
)
def takes_no_needless_step(got: Any, want: Any) -> Verdict:
    """The writer was asked for no more rows than it takes, whichever way the sentences are gone through."""
    mine, right = got["sentences"], want["sentences"]
    if mine != right:
        return _number(mine, right) or _first_difference(mine, right)
    if not 0 < got["rows"] <= want["rows"]:
        return failed("steps were taken after all sentences had ended")
    return passed()


on_device = judge(
    "the words are made on the device of the state",
    probe=probes.device,
    points=1,
    hidden=True,
    needs=(_OWN_END,),
    any_length=True,
    hint="A new tensor is on the CPU unless you say otherwise: say device=state.device where you make the first words.",
)(_same_sentences)
