"""What is asked of `greedy_decode`, with a stand-in for the decoder's step."""

from collections.abc import Callable
from numbers import Integral
from typing import Any

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw
from autograder.elsewhere import Elsewhere
from autograder.plain import kind_of
from autograder.probing import MisuseError, numbers_in

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


@probe("greedy_decode")
def one_sentence(greedy_decode, draw: Draw):
    """The words of one sentence before its end; what comes then is another check's business."""
    max_words, lengths = 8, [int(draw.integers(4, 7))]
    table = table_of(draw, 1, max_words)
    sentences = written(greedy_decode, table, lengths, max_words)["sentences"]
    cut = [sentence[: sentence.index(EOS)] if EOS in sentence else sentence for sentence in sentences]
    words = [sentence[: lengths[0]] for sentence in cut]
    return {"sentences": words, "table": table, "lengths": lengths, "max_words": max_words}


@probe("greedy_decode")
def its_end(greedy_decode, draw: Draw):
    """One sentence as it is."""
    return {"sentences": _asked(greedy_decode, draw, [int(draw.integers(3, 7))], 10)}


@probe("greedy_decode")
def batch(greedy_decode, draw: Draw):
    """Four sentences of different lengths."""
    return {"sentences": _asked(greedy_decode, draw, _lengths(draw, 6, 4, 3, 1), 10)}


@probe("greedy_decode")
def limit(greedy_decode, draw: Draw):
    """One sentence that would go on beyond what is allowed."""
    max_words = int(draw.integers(4, 7))
    return {"sentences": _asked(greedy_decode, draw, [max_words + 1], max_words), "max_words": max_words}


@probe("greedy_decode")
def empty(greedy_decode, draw: Draw):
    """One of three sentences ends before it has begun; and a batch in which each does."""
    some = _asked(greedy_decode, draw, _lengths(draw, 4, 2, 0), 8)
    return {"sentences": some, "all empty": _asked(greedy_decode, draw, [0, 0], 8)}


@probe("greedy_decode")
def ties(greedy_decode, draw: Draw):
    """Several words are as likely as the likeliest, 0 often among them."""
    max_words, lengths = 8, _lengths(draw, 6, 5, 3)
    table = draw.integers(0, 2, len(lengths), max_words + _EXTRA, VOCABULARY).float()
    return {"sentences": written(greedy_decode, table, lengths, max_words, zero=True)["sentences"]}


@probe("greedy_decode")
def effort(greedy_decode, draw: Draw):
    """How much was asked of the writer, for sentences that end early."""
    max_words, lengths = 20, _lengths(draw, 5, 3, 2)
    return written(greedy_decode, table_of(draw, len(lengths), max_words), lengths, max_words)


@probe("greedy_decode")
def device(greedy_decode, draw: Draw):
    """Three sentences of a writer that is on another device, with its state."""
    max_words, lengths = 8, _lengths(draw, 5, 3, 2)
    table = table_of(draw, len(lengths), max_words)
    with Elsewhere() as elsewhere:
        return {"sentences": written(greedy_decode, elsewhere.put(table), lengths, max_words)["sentences"]}
