"""The checks of `greedy_decode`."""

from collections.abc import Callable
from numbers import Integral
from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.fake_device import Elsewhere
from autograder.asking.probing import MisuseError, note_slip, numbers_in
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.verdict import Verdict, failed, passed

EXERCISE = Exercise("greedy_decode", "greedy decoding of a batch, each sentence to its end", minutes=30, difficulty=3)


@in_use(gradients=False)
def in_chapter(greedy_decode, draw: Draw) -> Use:
    """Long sentences, two of one length and one of no word, then one that is stopped, after as many steps as it has words."""

    def call(table: Tensor, lengths: list[int], max_words: int) -> Any:
        found = written(greedy_decode, table, lengths, max_words)
        return {"sentences": found["sentences"]} | ({"steps": found["rows"]} if len(lengths) == 1 else {})

    return Use(call, (table_of(draw, 5, 24), [9, 21, 0, 14, 9], 24), (table_of(draw, 1, 30), [40], 30))


def same_sentences(got: Any, want: Any) -> Verdict:
    """Whether all lists of sentences are right; lists longer than expected may hold anything at the end, which is never shown."""
    for name, right in want.items():
        if len(got[name]) != len(right):
            return failed(
                f"{len(got[name])} sentences were returned, expected {len(right)}, one for each row of the batch, even if it is empty"
            )
        for index, (words, expected) in enumerate(zip(got[name], right, strict=True)):
            if words != expected:
                return failed(f"sentence {index}{_apart(words, expected)}")
    return passed()


def _apart(words: list[int], expected: list[int]) -> str:
    """Where a sentence parts from the right one."""
    for place, (word, other) in enumerate(zip(words, expected, strict=False)):
        if word != other:
            return f": of {len(expected)} words the first {place} are right, but word {place} is wrong"
    return f" has length {len(words)}, expected {len(expected)}"


VOCABULARY, BOS, EOS = 30, 5, 3


_EXTRA = 4


_CERTAIN = 50.0


_WANTED = "expected a list with one list of integers for each sentence"


class Writer:
    """A step that looks its logits up, by the sentence and by how many steps its state has seen, and turns them by what is read.

    Another word that is read, or another state, makes another word the likeliest. After `lengths[n]` steps the end of sentence n
    is certain, whatever is read, and again two steps later, and at no other time possible. If it is asked to, it goes on writing
    behind the end, as a decoder does.

    Args:
        table: Logits (sentences, steps, words).
        lengths: How many words each sentence has.
        max_words: The most words that a sentence may have.
        zero: Whether 0 may be a word. In a trained decoder it is padding, which is never written: who takes it for that is not to
            fail or pass as the seed has it.
    """

    def __init__(self, table: Tensor, lengths: list[int], max_words: int, *, zero: bool = False) -> None:
        self.table, self.max_words, self.zero = table, max_words, zero
        self.lengths = torch.tensor(lengths, device=table.device)
        self.calls = self.rows = 0

    def first_state(self) -> Tensor:
        """A state of two numbers: which sentence it is, and how many steps it has seen; shape (1, B, 2)."""
        sentences = torch.arange(len(self.table), device=self.table.device).to(self.table.dtype)
        return torch.stack([sentences, torch.zeros_like(sentences)], dim=-1).unsqueeze(0)

    def __call__(self, word: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (B, 1, V) after the words (B, 1) and the state (1, B, 2), and the next state."""
        self._look_at(word, state)
        sentence, steps = state[0].long().unbind(dim=-1)
        self.calls, self.rows = self.calls + 1, self.rows + len(word)
        if int(steps.max()) >= self.table.shape[1] or self.calls > 20 * self.max_words:
            raise MisuseError(
                f"step was called {self.calls} times, although max_words is {self.max_words}. Does the loop end?"
            )
        turned = (torch.arange(VOCABULARY, device=word.device) - word) % VOCABULARY  # (B, V)
        logits = self.table[sentence, steps].gather(1, turned)
        logits[:, BOS] = -2 * _CERTAIN
        if not self.zero:
            logits[:, 0] = -2 * _CERTAIN
        behind = steps - self.lengths[sentence]
        logits[:, EOS] = torch.where((behind == 0) | (behind == 2), _CERTAIN, -_CERTAIN)
        return logits.unsqueeze(1), state + state.new_tensor([0.0, 1.0])

    def _look_at(self, word: Any, state: Any) -> None:
        if not isinstance(state, Tensor) or state.dim() != 3 or state.shape[::2] != (1, 2):
            raise MisuseError(
                f"the state passed to step is {kind_of(state)}, expected the one given to greedy_decode, (1, B, H), "
                "and later the one that step returned"
            )
        if state.dtype != self.table.dtype:
            raise MisuseError(
                f"the state passed to step is {kind_of(state)}, expected its original dtype {self.table.dtype}"
            )
        wanted = state.shape[1], 1
        if not isinstance(word, Tensor) or word.shape != wanted or word.dtype != torch.int64:
            raise MisuseError(
                f"the words passed to step are {kind_of(word)}, expected an int64 tensor of shape (B, 1), here {wanted}"
            )
        if word.device != state.device:
            raise MisuseError(f"the words passed to step are on {word.device}, but the state is not")


def table_of(draw: Draw, sentences: int, max_words: int) -> Tensor:
    """The logits of a writer."""
    return draw.normal(sentences, max_words + _EXTRA, VOCABULARY)


def lists_of(sentences: Any) -> list[list[int]]:
    """A student's sentences as plain lists.

    Raises:
        MisuseError: They are something else.
    """
    if not isinstance(sentences, (list, tuple)):
        raise MisuseError(f"what it returned is {kind_of(sentences)}, {_WANTED}")
    if sentences and all(isinstance(item, Integral) for item in sentences):
        raise MisuseError(f"what it returned is one list of numbers, {_WANTED}")
    if any(isinstance(part, tuple) for part in (sentences, *sentences)):
        note_slip(f"what it returned is, or contains, a tuple, {_WANTED}")
    found = []
    for given in sentences:
        sentence = numbers_in(given, f"{_WANTED}; in the list that it returned, a sentence is")
        if not isinstance(sentence, (list, tuple)):
            raise MisuseError(f"in the list that it returned, a sentence is {kind_of(sentence)}, {_WANTED}")
        words = [numbers_in(word, f"{_WANTED}; in the sentences that it returned, a word is") for word in sentence]
        odd = next((word for word in words if not isinstance(word, Integral)), None)
        if odd is not None:
            raise MisuseError(f"in the sentences that it returned, a word is {kind_of(odd)}, {_WANTED}")
        found.append([int(word) for word in words])
    return found


def written(
    greedy_decode: Callable[..., Any], table: Tensor, lengths: list[int], max_words: int, *, zero: bool = False
) -> dict[str, Any]:
    """The sentences that the student's function writes with such a writer, and how many rows the writer was asked for."""
    writer = Writer(table, lengths, max_words, zero=zero)

    def step(word: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        return writer(word, state)  # The student's code is given no object on which it could set the count back.

    sentences = lists_of(greedy_decode(step, writer.first_state(), BOS, EOS, max_words))
    return {"sentences": sentences, "rows": writer.rows}


def _asked(greedy_decode, draw: Draw, lengths: list[int], max_words: int) -> list[list[int]]:
    """The sentences of a writer that is drawn."""
    return written(greedy_decode, table_of(draw, len(lengths), max_words), lengths, max_words)["sentences"]


def _lengths(draw: Draw, longest: int, *others: int) -> list[int]:
    """These lengths in some order, the longest neither first nor last: no sentence at an end speaks for all."""
    lengths = [others[i] for i in draw.normal(len(others)).argsort()]
    lengths.insert(int(draw.integers(1, len(others))), longest)
    return lengths


@check(
    "each word is the most likely one, and the next step reads it",
    points=2,
    compare=same_sentences,
    any_length=True,
    hint="The first step reads bos and the given state. Each later step reads the word that was just chosen and the state that "
    "the previous step returned. The most likely word has the largest logit.",
)
def one_sentence(greedy_decode, draw: Draw):
    """The words of one sentence before its end; what comes then is another check's business."""
    max_words, lengths = 8, [int(draw.integers(4, 7))]
    table = table_of(draw, 1, max_words)
    sentences = written(greedy_decode, table, lengths, max_words)["sentences"]
    return {"sentences": [sentence[: lengths[0]] for sentence in sentences]}


@check(
    "a sentence ends before its end mark",
    points=1,
    needs=one_sentence,
    compare=same_sentences,
    any_length=True,
    hint="The end mark says that the sentence is over. Neither the end mark nor anything after it belongs to the sentence.",
)
def its_end(greedy_decode, draw: Draw):
    """One sentence as it is."""
    return {"sentences": _asked(greedy_decode, draw, [int(draw.integers(3, 7))], 10)}


@its_end.explain
def goes_on(got, want):
    """A sentence that is right up to its end and goes on behind it."""
    for words, right in zip(got["sentences"], want["sentences"], strict=False):
        if len(words) > len(right) and words[: len(right)] == right:
            if EOS not in words:
                return "a sentence continues after its end, without the end mark: was only the mark removed, and not the words after it?"
            and_more = "" if words[len(right) :] == [EOS] else " and words after it"
            return f"a sentence includes its end mark{and_more}, expected only the words before it"
    return None


@check(
    "each sentence of a batch goes on until its own end",
    points=2,
    needs=(one_sentence, its_end),
    compare=same_sentences,
    any_length=True,
    hint="The steps continue until the last sentence has ended, so the other rows get words that do not belong to them. Remember which "
    "sentences have ended, or truncate every row at its own first end mark afterwards.",
)
def batch(greedy_decode, draw: Draw):
    """Four sentences of different lengths."""
    return {"sentences": _asked(greedy_decode, draw, _lengths(draw, 6, 4, 3, 1), 10)}


@batch.explain
def one_list_for_all(got, want):
    """The same words in every list."""
    sentences = got["sentences"]
    if len(sentences) > 1 and all(words == sentences[0] for words in sentences):
        return "all sentences are the same: `[[]] * B` contains the same list B times, expected a separate list for each sentence"
    return None


batch.explain(goes_on)


@check(
    "a sentence without an end mark gets exactly max_words words",
    points=1,
    needs=one_sentence,
    reads=("sentences",),
    compare=same_sentences,
    any_length=True,
    hint="It can happen that a decoder never writes the end mark. Take max_words steps at most: each writes one word.",
)
def limit(greedy_decode, draw: Draw):
    """One sentence that would go on for more than a word beyond what is allowed."""
    max_words = int(draw.integers(4, 7))
    return {"sentences": _asked(greedy_decode, draw, [max_words + 2], max_words), "max_words": max_words}


@limit.explain
def other_length(got, want):
    """How many words there are, without an end."""
    number, most = len(got["sentences"][0]), want["max_words"]
    return f"a sentence that does not end has {number} words, with max_words={most}" if number != most else None


@check(
    "a translation may be empty",
    points=1,
    hidden=True,
    needs=batch,
    compare=same_sentences,
    any_length=True,
    hint="If the end mark is the most likely first word, the sentence has no words, and its list is empty. The empty list must still be "
    "returned with the others.",
)
def empty(greedy_decode, draw: Draw):
    """One of three sentences ends before it has begun; and a batch in which each does."""
    some = _asked(greedy_decode, draw, _lengths(draw, 4, 2, 0), 8)
    return {"sentences": some, "all empty": _asked(greedy_decode, draw, [0, 0], 8)}


@check(
    "if several logits are equally large, the lowest id wins",
    points=1,
    needs=batch,
    compare=same_sentences,
    any_length=True,
    hint="argmax returns the first of the largest. Sorting, or a comparison with >=, may return a later one. And the lowest id is "
    "0, which here is a word like any other: only the end mark ends a sentence.",
)
def ties(greedy_decode, draw: Draw):
    """Several words are as likely as the likeliest, 0 often among them."""
    max_words, lengths = 8, _lengths(draw, 6, 5, 3)
    table = draw.integers(0, 2, len(lengths), max_words + _EXTRA, VOCABULARY).float()
    return {"sentences": written(greedy_decode, table, lengths, max_words, zero=True)["sentences"]}


@ties.explain
def a_higher_id(got, want):
    """The first word that is wrong has a higher id than the right one; what comes after it has read another word."""
    for words, right in zip(got["sentences"], want["sentences"], strict=False):
        if words != right and len(words) == len(right):
            word, other = next(pair for pair in zip(words, right, strict=True) if pair[0] != pair[1])
            return "a higher id is chosen, although the logit of a lower one is as large" if word > other else None
    return None


def _no_needless_step(got: Any, want: Any) -> Verdict:
    """Whether the writer was asked for no more rows than it takes, whichever way the sentences are gone through."""
    verdict = same_sentences({"sentences": got["sentences"]}, {"sentences": want["sentences"]})
    if verdict.ok and not 0 < got["rows"] <= want["rows"]:
        return failed("steps were taken after all sentences had ended")
    return verdict


@check(
    "no step is taken once all sentences have ended",
    points=1,
    needs=batch,
    compare=_no_needless_step,
    any_length=True,
    hint="Most translations are much shorter than max_words, and each step takes as long as the previous one. Stop when every sentence has "
    "ended.",
)
def effort(greedy_decode, draw: Draw):
    """How much was asked of the writer, for sentences that end early."""
    max_words, lengths = 20, _lengths(draw, 5, 3, 2)
    return written(greedy_decode, table_of(draw, len(lengths), max_words), lengths, max_words)


@check(
    "the words are created on the device of the state",
    points=1,
    hidden=True,
    needs=batch,
    compare=same_sentences,
    any_length=True,
    hint="A new tensor is on the CPU by default: pass device=state.device where you create the first words.",
)
def device(greedy_decode, draw: Draw):
    """Three sentences of a writer that is on another device, with its state."""
    max_words, lengths = 8, _lengths(draw, 5, 3, 2)
    table = table_of(draw, len(lengths), max_words)
    with Elsewhere() as elsewhere:
        return {"sentences": written(greedy_decode, elsewhere.put(table), lengths, max_words)["sentences"]}
