"""What is right about `greedy_decode`, and what is said when it is not.

Sentences may have any length here, and lists that are longer than expected may contain anything at the end: they are compared
and measured, and only the correct part of them is ever shown.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch03_seq2seq.probes import greedy_decode as probes
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_WORDS = "each word is the most likely one, and the next step reads it"
_END = "a sentence ends before its end mark"
_OWN_END = "each sentence of a batch goes on until its own end"
_LIMIT = "a sentence without an end mark gets exactly max_words words"

Sentences = list[list[int]]


def _number(got: Sentences, want: Sentences) -> Verdict | None:
    """What is wrong with how many sentences there are."""
    if len(got) == len(want):
        return None
    return failed(
        f"{len(got)} sentences were returned, expected {len(want)}, one for each row of the batch, even if it is empty"
    )


def _common(got: list[int], want: list[int]) -> int:
    """How many words of a sentence are right, from the first on."""
    pairs = enumerate(zip(got, want, strict=False))
    return next((place for place, (word, right) in pairs if word != right), min(len(got), len(want)))


def _first_difference(got: Sentences, want: Sentences) -> Verdict:
    """Where the first sentence parts from what was wanted."""
    index, mine, right = next((i, g, w) for i, (g, w) in enumerate(zip(got, want, strict=True)) if g != w)
    place = _common(mine, right)
    if place < min(len(mine), len(right)):
        return failed(f"sentence {index}: of {len(right)} words the first {place} are right, but word {place} is wrong")
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
    hint="The first step reads bos and the given state. Each later step reads the word that was just chosen and the state that "
    "the previous step returned. The most likely word has the largest logit.",
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
        "every step read bos, but each step has to read the word that was just chosen": _written(
            want, likeliest, fed=False
        ),
        "every step was given the first state, expected the state that the previous step returned": _written(
            want, likeliest, carried=False
        ),
        "every step read bos and the first state, but the chosen word and the new state have to be passed on": _written(
            want, likeliest, fed=False, carried=False
        ),
        "the least likely word was chosen at every step": _written(want, lambda logits: logits.argmin(-1)),
        "the sentence begins with bos, which is only read and never written": [probes.BOS, *right[0]][: len(right[0])],
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
    hint="The end mark says that the sentence is over. Neither the end mark nor anything after it belongs to the sentence.",
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
        return failed("the sentence includes its end mark, expected only the words before it")
    if probes.EOS in mine:
        return failed("the sentence includes its end mark and words after it, expected only the words before it")
    return failed(
        "the sentence continues after its end, without the end mark: was only the mark removed, and not the words after it?"
    )


@judge(
    _OWN_END,
    probe=probes.batch,
    points=2,
    needs=(_WORDS, _END),
    any_length=True,
    hint="The steps continue until the last sentence has ended, so the other rows get words that do not belong to them. Remember which "
    "sentences have ended, or truncate every row at its own first end mark afterwards.",
)
def each_to_its_end(got: Any, want: Any) -> Verdict:
    """Four sentences of different lengths."""
    mine, right = got["sentences"], want["sentences"]
    if mine == right:
        return passed()
    if len(mine) != len(right) and len(mine) > 4:
        return failed(
            f"{len(mine)} lists were returned, expected {len(right)}: a list for each sentence, not for each step"
        )
    wrong_number = _number(mine, right)
    if wrong_number:
        return wrong_number
    if all(words == mine[0] for words in mine):
        return failed(
            "all sentences are the same: `[[]] * B` contains the same list B times, expected a separate list for each sentence"
        )
    shortest = min(map(len, right))
    if all(
        len(words) <= shortest + 1 and words[:shortest] == full[:shortest]
        for words, full in zip(mine, right, strict=True)
    ):
        return failed("all sentences stopped when the first of them ended, expected each to continue to its own end")
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
    hint="It can happen that a decoder never writes the end mark. Take max_words steps at most: each writes one word.",
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
        return failed(f"a sentence that does not end has {len(mine[0])} words, with max_words={want['max_words']}")
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
    hint="If the end mark is the most likely first word, the sentence has no words, and its list is empty. The empty list must still be "
    "returned with the others.",
)(_same_sentences)

lowest_of_equals = judge(
    "if several logits are equally large, the lowest id wins",
    probe=probes.ties,
    points=1,
    hidden=True,
    needs=(_OWN_END,),
    any_length=True,
    hint="argmax returns the first of the largest. Sorting, or a comparison with >=, may return a later one. And the lowest id is "
    "0, which here is a word like any other: only the end mark ends a sentence.",
)(_same_sentences)


@judge(
    "no step is taken once all sentences have ended",
    probe=probes.effort,
    points=1,
    hidden=True,
    needs=(_OWN_END,),
    any_length=True,
    hint="Most translations are much shorter than max_words, and each step takes as long as the previous one. Stop when every sentence has "
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
    "the words are created on the device of the state",
    probe=probes.device,
    points=1,
    hidden=True,
    needs=(_OWN_END,),
    any_length=True,
    hint="A new tensor is on the CPU by default: pass device=state.device where you create the first words.",
)(_same_sentences)
