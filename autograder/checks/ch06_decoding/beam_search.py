"""The checks of `beam_search`."""

import math
from collections.abc import Callable
from numbers import Integral
from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, note_slip, numbers_in
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import is_close
from autograder.judging.verdict import failed, passed

EXERCISE = Exercise("beam_search", "beam search for a whole batch", minutes=75, difficulty=3, allows=("seqlab.search",))


@in_use(gradients=False)
def in_chapter(beam_search, draw: Draw) -> Use:
    """Three sources with four places each, also with a state of several tensors; then one whose sentences are all equally probable.

    Here what is read first may be written too. And a step in which every word has a place, however improbable it is.
    """

    def call(table: Tensor, width: int, most: int, gamma: float) -> list[Any]:
        found = searched(beam_search, table, width, most, gamma)
        every_word = searched(beam_search, 40 * table[:1], WORDS, 1)["words"]
        return [found["words"], found["scores"], nested(beam_search, table, 3, 4, 0), every_word]

    table = table_of(draw, 3, 12, ends=0.5)
    table[..., BOS] = -table[..., 0]
    return Use(call, (table, 4, 12, 0.7), (equal_ends(draw, 9), 4, 9, 0.0))


WORDS, BOS, EOS = 11, 5, 3
_CODES = 13
_EXTRA = 3
NEVER = -60.0
_TEMPTING = 12.0
_WANTED = "expected for each source a list of hypotheses, each a tuple of its words, a list of integers, and its score"


class Writer:
    """A step that looks its logits up by the source, by how many words were read, and by a code of which words they were.

    The state of a row is these three numbers, so that a state in another row's place, or a word that is not read, gives other
    logits. Behind the end it goes on, as a decoder does: one word is all but certain there.

    Args:
        table: Logits (sources, steps, codes, words).
        most: The most words that may be read.
    """

    def __init__(self, table: Tensor, most: int) -> None:
        self.table, self.most = table, most
        self.calls = self.deepest = 0

    def first_state(self) -> Tensor:
        """Which source it is, how many words were read, their code, and whether the end was; shape (1, B, 4)."""
        state = torch.zeros(1, len(self.table), 4, device=self.table.device)
        state[0, :, 0] = torch.arange(len(self.table), device=self.table.device)
        return state

    @staticmethod
    def read(row: list[int], word: int) -> list[int]:
        """What a row's state is after one word more."""
        source, steps, code, over = row
        return [source, steps + 1, (7 * code + word + 1) % _CODES, int(over or word == EOS)]

    def logits_of(self, rows: list[list[int]]) -> Tensor:
        """The logits of rows in such states, shape (N, V)."""
        sources, steps, codes, over = map(list, zip(*rows, strict=True))
        logits = self.table[sources, [step - 1 for step in steps], codes]
        if any(over):
            logits[[row for row, after_end in enumerate(over) if after_end], 0] = _TEMPTING
        return logits

    def __call__(self, word: Any, state: Any) -> tuple[Tensor, Tensor]:
        """Logits (N, 1, V) after the words (N, 1) and the state (1, N, 4), and the next state."""
        self._look_at(word, state)
        rows = [[int(number) for number in row] for row in state[0].tolist()]
        rows = [self.read(row, of_row) for row, of_row in zip(rows, word[:, 0].tolist(), strict=True)]
        self.calls, self.deepest = self.calls + 1, max(self.deepest, *(row[1] for row in rows))
        if self.deepest > self.table.shape[1] or self.calls > 2000:
            raise MisuseError(
                f"step was called for word {self.deepest} of a sentence, although max_words is {self.most}. Does the loop end?"
            )
        return self.logits_of(rows).unsqueeze(1), torch.tensor(rows).to(state).unsqueeze(0)

    def _look_at(self, word: Any, state: Any) -> None:
        if not isinstance(state, Tensor) or state.dim() != 3 or state.shape[::2] != (1, 4):
            raise MisuseError(
                f"the state passed to step is {kind_of(state)}, expected rows of the state given to beam_search, (1, N, "
                "H), and later of the state that step returned"
            )
        wanted = state.shape[1], 1
        if not isinstance(word, Tensor) or word.shape != wanted or word.dtype != torch.int64:
            raise MisuseError(
                f"the words passed to step are {kind_of(word)}, expected an int64 tensor of shape (N, 1), here "
                f"{wanted}, because the state has that many rows"
            )


def table_of(draw: Draw, sources: int, steps: int, *, ends: float | None = None) -> Tensor:
    """The logits of a writer; with `ends`, which of a row's words is the end is as likely as that, else it is never.

    The first word that is read is never written.
    """
    table = draw.normal(sources, steps + _EXTRA, _CODES, WORDS, scale=1.5)
    table[..., BOS] = NEVER
    table[..., EOS] = NEVER if ends is None else table[..., EOS] + ends
    return table


def hypotheses_of(result: Any) -> list[list[tuple[list[int], float]]]:
    """What a student's function returned, as plain lists.

    Raises:
        MisuseError: It is something else.
    """
    if not isinstance(result, (list, tuple)):
        raise MisuseError(f"the result is {kind_of(result)}, {_WANTED}")
    sources = []
    for hypotheses in result:
        if not isinstance(hypotheses, (list, tuple)):
            raise MisuseError(f"in the result, the entry for a source is {kind_of(hypotheses)}, {_WANTED}")
        if isinstance(result, tuple) or isinstance(hypotheses, tuple):
            note_slip(f"the result, or its entry for a source, is a tuple, {_WANTED}")
        sources.append([_hypothesis_of(hypothesis) for hypothesis in hypotheses])
    return sources


def _hypothesis_of(hypothesis: Any) -> tuple[list[int], float]:
    if not isinstance(hypothesis, (list, tuple)) or len(hypothesis) != 2:
        raise MisuseError(f"a hypothesis is {kind_of(hypothesis)}, {_WANTED}")
    if isinstance(hypothesis, list):
        note_slip(f"a hypothesis is a list, {_WANTED}")
    if isinstance(hypothesis[0], (float, int)) and isinstance(hypothesis[1], (list, tuple, Tensor)):
        note_slip(f"a hypothesis is a pair (score, words), {_WANTED}")
        hypothesis = hypothesis[::-1]
    words, score = hypothesis[0], numbers_in(hypothesis[1], f"{_WANTED}; a score is")
    words = numbers_in(words, f"{_WANTED}; the words of a hypothesis are")
    if not isinstance(words, (list, tuple)):
        raise MisuseError(f"the words of a hypothesis are {kind_of(words)}, {_WANTED}")
    if isinstance(words, tuple):
        note_slip(f"the words of a hypothesis are a tuple, {_WANTED}")
    words = [numbers_in(word, f"{_WANTED}; a word of a hypothesis is") for word in words]
    odd = next((word for word in words if not isinstance(word, Integral)), None)
    if odd is not None:
        raise MisuseError(f"a word of a hypothesis is {kind_of(odd)}, {_WANTED}")
    try:
        return [int(word) for word in words], float(score)
    except (TypeError, ValueError, RuntimeError) as error:
        raise MisuseError(f"the score of a hypothesis is {kind_of(score)}, {_WANTED}") from error


def searched(
    beam_search: Callable[..., Any],
    table: Tensor,
    width: int,
    most: int,
    gamma: float = 0.0,
) -> dict[str, Any]:
    """What the student's function finds with such a writer: words and scores by source, and how far the writer was asked to go."""
    writer = Writer(table, most)

    def step(word: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        return writer(word, state)  # The student's code is given no object on which it could set the count back.

    found = hypotheses_of(beam_search(step, writer.first_state(), BOS, EOS, width, most, gamma))
    return {
        "words": [[words for words, _ in hypotheses] for hypotheses in found],
        "scores": [[score for _, score in hypotheses] for hypotheses in found],
        "deepest": writer.deepest,
    }


Sentences = list[list[int]]


def in_any_order(answer):
    """The hypotheses of each source without their order."""
    return {
        name: [sorted(of_one, key=str) for of_one in value] if isinstance(value, list) else value
        for name, value in answer.items()
    }


def _counted(words: list[int]) -> str:
    return f"{len(words)} word{'' if len(words) == 1 else 's'}"


def told_of(mine: Sentences, right: Sentences, where: str = "") -> str:
    """How many hypotheses of a source are right."""
    if len(mine) != len(right):
        return f"{len(mine)} hypotheses were returned{where}, expected {len(right)}"
    found = sum(words in mine for words in right)
    told = f"{found} of {len(right)} hypotheses are right{where}, and the others are wrong sentences"
    wrong, missing = (
        next((words for words in one if words not in other), None) for one, other in ((mine, right), (right, mine))
    )
    if wrong is None or missing is None:
        return told
    return f"{told}: {wrong!r:.60} came back, and {missing!r:.60} is missing"


def same_words(got, want):
    """Whether the hypotheses are the same. Lists may have any length here, and hold anything: what is in them is not shown."""
    for name, right in want.items():
        mine = got[name]
        if mine == right or not isinstance(right, list):
            continue
        if len(mine) != len(right):
            return failed(
                f"{len(mine)} lists were returned, expected {len(right)}: one for each source, with all its hypotheses"
            )
        at = next(at for at, (found, wanted) in enumerate(zip(mine, right, strict=True)) if found != wanted)
        return failed(told_of(mine[at], right[at], f" for source {at} of {len(right)}" if len(right) > 1 else ""))
    return passed()


@check(
    "with a beam of width one, each step takes the most likely word",
    reads=("words",),
    compare=same_words,
    points=1,
    draws=2,
    any_length=True,
    hint="The first step reads bos and the given state. Each later step reads the word that was just chosen and the state that step "
    "returned. After max_words steps, return the hypotheses that are still on the beam as they are.",
)
def one_place(beam_search, draw: Draw):
    """One source, one place, and no end."""
    most = int(draw.integers(4, 7))
    table = table_of(draw, 1, most)
    return {"words": searched(beam_search, table, 1, most)["words"]}


@one_place.explain
def single_hypothesis(got, want):
    """What is wrong with the one hypothesis that does not end."""
    if len(got["words"]) != 1:
        return None
    (mine,), (wanted,) = got["words"], want["words"][0]
    if not mine:
        return (
            "no hypothesis was returned: a hypothesis that has not ended after max_words steps has to be returned too, "
            "as it is"
        )
    if len(mine) != 1:
        return f"{len(mine)} hypotheses were returned, expected 1, because the beam has width one"
    words = mine[0]
    if len(words) != len(wanted):
        return f"the hypothesis has {_counted(words)}, expected {len(wanted)}: nothing ended in max_words steps"
    common = next(place for place, (word, other) in enumerate(zip(words, wanted, strict=True)) if word != other)
    return f"of {len(wanted)} words the first {common} are right, and the next one is wrong"


@check(
    "the extensions with the largest sums stay on the beam, whichever hypotheses they extend",
    reads=("words",),
    compare=same_words,
    points=3,
    needs=one_place,
    draws=4,
    any_length=True,
    hint="Put the sums of all k times V candidates of a source into one row and take the k best. The candidate at index i of the row has "
    "the parent i // V and the word i % V; it needs its parent's state and its parent's words. At first there is one hypothesis, not k "
    "equal ones.",
)
def places(beam_search, draw: Draw):
    """One source, some places, and no end."""
    most, width = int(draw.integers(5, 8)), int(draw.integers(4, 6))
    table = table_of(draw, 1, most)
    return {"words": searched(beam_search, table, width, most)["words"]}


@places.explain
def all_the_same(got, want):
    """What comes of k equal hypotheses at the start."""
    found = got["words"][0] if got["words"] else []
    if len(found) < 2 or any(words != found[0] for words in found):
        return None
    return (
        "all hypotheses are the same: at first there is one hypothesis and not k equal ones. Begin with one row for each source, or with "
        "k rows, where all but the first have a sum of minus infinity"
    )


@check(
    "a hypothesis that has ended keeps its place and is not extended",
    reads=in_any_order,
    compare=same_words,
    points=3,
    needs=(one_place, places),
    any_length=True,
    hint="When the word is eos, put the hypothesis aside with its score and without eos, and set its sum on the beam "
    "to minus infinity; from then on there is one fewer place for the others. The sum includes the "
    "log-probability of eos.",
)
def ends(beam_search, draw: Draw):
    """One source, some places, and ends at many steps.

    What ends first is the last on the beam, and would lose its place if it were held against others again. At the last
    steps nothing ends, so that nearly always something has not ended.
    """
    most, width = 6, int(draw.integers(5, 7))
    table = table_of(draw, 1, most, ends=0.3)
    table[:, 4:, :, EOS] = NEVER
    likely = [word for word in draw.normal(WORDS).argsort().tolist() if word not in (BOS, EOS)][: width - 1]
    table[:, 0] /= 10
    table[:, 0, :, likely] += 4.0
    table[:, 0, :, EOS], table[:, 0, :, BOS] = 1.5, NEVER
    return {"words": searched(beam_search, table, width, most)["words"], "most": most}


@ends.explain
def after_the_end(got, want):
    """What stands after eos, and what has not reached it."""
    found, wanted = got["words"][0] if got["words"] else [], want["words"][0]
    if any(words[-1:] == [EOS] and words[:-1] in wanted for words in found):
        return "a hypothesis was returned with eos after its last word, expected the words alone"
    if any(EOS in words[:-1] for words in found):
        return "a hypothesis goes on after eos"
    if len(found) > len(wanted):
        return (
            f"{len(found)} hypotheses were returned, but the beam has {len(wanted)} places: a hypothesis that has ended keeps its place, "
            "and only the other places are left for the rest"
        )
    ended = [words for words in wanted if len(words) < want["most"]]
    if ended and len(ended) < len(wanted) and sorted(found, key=str) == sorted(ended, key=str):
        return "the hypotheses that had not ended after max_words steps are missing: return them too, after the ones that have ended"
    return None


def same_ranks(got, want):
    """Whether this is so with both exponents."""
    right = all(is_close(got[name], want[name]) for name in ("with the exponent 0", "with the exponent"))
    return passed() if right else failed("the hypotheses or their scores are wrong")


@check(
    "a score is the sum divided by T'^gamma, and the best comes first",
    compare=same_ranks,
    points=2,
    needs=(one_place, places, ends),
    any_length=True,
    hint="T' counts the words and, if the hypothesis has ended, eos, whose log-probability is in the sum as well. "
    "Hypotheses that have ended come first, the best score first, and then the others. The exponent does not affect "
    "which hypotheses stay on the beam.",
)
def scores(beam_search, draw: Draw):
    """One source: what is found with an exponent, in its order, with the scores; and with the exponent 0.

    What has not ended goes on with words that are all but certain, so that its score is better than others'.
    """
    most, width = 7, 9
    table = table_of(draw, 1, most, ends=1.0)
    table[:, 4:, :, EOS] = NEVER
    table[:, 4:, :, int(draw.integers(6, WORDS))] += 7.0
    gamma = 0.6 + 0.1 * int(draw.integers(0, 7))
    found = {}
    for name, exponent in (("with the exponent", gamma), ("with the exponent 0", 0.0)):
        of_one = searched(beam_search, table, width, most, exponent)
        found[name] = {"words": of_one["words"], "scores": of_one["scores"]}
    return {**found, "gamma": gamma}


@scores.explain
def ranks(got, want):
    """What is wrong with the scores, or with the order, of the hypotheses."""
    name = next(name for name in ("with the exponent 0", "with the exponent") if not is_close(got[name], want[name]))
    (words, *_), (wanted,) = got[name]["words"] or [[]], want[name]["words"]
    (scores, *_), (wanted_scores,) = got[name]["scores"] or [[]], want[name]["scores"]
    if sorted(words, key=str) != sorted(wanted, key=str):
        if name == "with the exponent 0":
            return told_of(words, wanted, f" {name}")
        return (
            f"with the exponent 0 the hypotheses are right, but not with {want['gamma']:.1f}: the exponent does not affect "
            "which hypotheses stay on the beam; it is used only when the search is over"
        )
    of = {tuple(sentence): score for sentence, score in zip(words, scores, strict=False)}
    found = [of.get(tuple(sentence), math.nan) for sentence in wanted]
    if is_close(found, wanted_scores):
        return f"{name}: the scores are right, but the order is not: hypotheses that have ended come first, the best score first"
    at = next(at for at, pair in enumerate(zip(found, wanted_scores, strict=True)) if not is_close(*pair))
    if not math.isfinite(found[at]):
        return f"{name}: a score is {found[at]}. Is it computed before the sum of its place on the beam is set to minus infinity?"
    away = abs(found[at] - wanted_scores[at])
    return f"{name}: a hypothesis of {_counted(wanted[at])} has the score {found[at]:.4g}, off by {away:.2g}"


@check(
    "each source of a batch is searched as if it were alone",
    reads=in_any_order,
    compare=same_words,
    points=2,
    needs=(one_place, places, ends),
    draws=2,
    any_length=True,
    hint="The rows of a source are adjacent in the state. A parent's row is its place within its source plus the "
    "number of rows of all sources before it. Assign places and count ended hypotheses for each source separately.",
)
def batch(beam_search, draw: Draw):
    """Four sources, which end at different steps."""
    most, width = 8, int(draw.integers(2, 5))
    table = table_of(draw, 4, most, ends=0.8)
    early, late = draw.normal(4).argsort()[:2].tolist()
    table[early, 1:, :, EOS] += 4.0
    table[late, :, :, EOS] = NEVER
    return {"words": searched(beam_search, table, width, most)["words"]}


@batch.explain
def first_source_alone(got, want):
    """Whether only the other sources are wrong."""
    right = [
        mine == wanted for mine, wanted in zip(in_any_order(got)["words"], in_any_order(want)["words"], strict=False)
    ]
    if right != [True, False, False, False]:
        return None
    return "of four sources, only the first has the right hypotheses: do the others read rows of the first?"


@check(
    "if sums are equal, the earlier parent comes first, then the word with the lower id",
    reads=("words",),
    compare=same_words,
    points=1,
    hidden=True,
    needs=(one_place, places),
    draws=4,
    any_length=True,
    hint="torch.topk returns equal values in any order. A stable sort keeps them in order, which in a row of k times "
    "V candidates is by parent and then by word; `largest` in seqlab.search does the same.",
)
def ties(beam_search, draw: Draw):
    """One source in which all words that are possible are equally probable, so that many sums are equal."""
    most, width = 5, int(draw.integers(3, 5))
    # At first four words are possible, then one or two: the only sums are halves to the power of some number, and rounding, which
    # goes by the order in which a softmax adds up, has no say in which of them are equal.
    others = torch.tensor([word for word in range(WORDS) if word not in (BOS, EOS)])
    order = draw.normal(most + _EXTRA, _CODES, len(others)).argsort(dim=-1)
    number = draw.integers(1, 3, most + _EXTRA, _CODES, 1)
    number[0] = 4
    logits = torch.where(torch.arange(len(others)) < number, 0.0, NEVER)
    table = torch.full((1, most + _EXTRA, _CODES, WORDS), NEVER).scatter(
        -1, others[order].unsqueeze(0), logits.unsqueeze(0)
    )
    return {"words": searched(beam_search, table, width, most)["words"]}


@places.explain
@ties.explain
def order_of_hypotheses(got, want):
    """Whether only their order is wrong."""
    if in_any_order(got)["words"] != in_any_order(want)["words"]:
        return None
    return "the hypotheses are right, but their order is not: the largest sum comes first, and of equal ones the earlier parent"


def equal_ends(draw: Draw, most: int) -> Tensor:
    """The logits of a writer of one source whose first word is one of four, all equally probable; from there on each next word is certain.

    So all that it writes is equally probable, and ends at different steps.
    """
    table = torch.full((1, most + _EXTRA, _CODES, WORDS), NEVER)
    others = torch.tensor([word for word in draw.normal(WORDS).argsort().tolist() if word not in (BOS, EOS)])
    table[:, 0, :, others[:4]] = 0.0
    certain = others[draw.integers(0, len(others), most + _EXTRA - 1, _CODES)]
    certain[draw.integers(0, 3, *certain.shape) == 0] = EOS
    table[:, 1:].scatter_(-1, certain[None, ..., None], 0.0)
    return table


@check(
    "the state may be a nested tuple, with its rows along any dimension",
    points=1,
    hidden=True,
    needs=(one_place, places, ends, batch),
    draws=2,
    reads=in_any_order,
    compare=same_words,
    any_length=True,
    hint="`take_rows` in seqlab.search handles nested tuples, along batch_dim. The other dimensions of a state's "
    "tensors may change from step to step.",
)
def states(beam_search, draw: Draw):
    """Two sources whose state is a tuple in a tuple, with rows first, or along the last dimension; one tensor grows."""
    most, width = 4, 3
    table = table_of(draw, 2, most, ends=0.3)
    found = {}
    for name, dim in (("rows first", 0), ("rows last", 2)):
        found[name] = nested(beam_search, table, width, most, dim)
    return found


@check(
    "a sentence is found even if its probability underflows in float32",
    points=1,
    hidden=True,
    needs=(one_place, places),
    draws=2,
    reads=in_any_order,
    compare=same_words,
    any_length=True,
    hint="A product of so many probabilities is 0, and so are its rivals' products. Add log-probabilities from the first step on.",
)
def long(beam_search, draw: Draw):
    """One source, one place, and a sentence whose probability is below the smallest float32: one of many words is a little likelier."""
    most, words = 15, 2000
    table = torch.zeros(1, most + _EXTRA, _CODES, words)
    table.scatter_(-1, draw.integers(WORDS, words, *table.shape[:-1], 1), 0.5)
    table[..., [BOS, EOS]] = NEVER
    return {"words": searched(beam_search, table, 1, most)["words"]}


def nested(beam_search: Callable[..., Any], table: Tensor, width: int, most: int, dim: int) -> list[list[list[int]]]:
    """What is found if the writer's state is spread over a tuple in a tuple, with its rows along a dimension."""
    writer = Writer(table, most)
    seen = (0, 1, 2) if dim == 0 else (2, 1, 0)

    def pack(state: Tensor, read: Tensor) -> Any:
        rows = state[0].unsqueeze(-1)  # (N, 4, 1)
        return rows[:, :1].permute(seen), (rows[:, 1:].permute(seen), read.unsqueeze(-1).permute(seen))

    def step(word: Tensor, state: Any) -> tuple[Tensor, Any]:
        if not isinstance(state, tuple) or len(state) != 2 or not isinstance(state[1], tuple) or len(state[1]) != 2:
            raise MisuseError(
                f"the state is {kind_of(state)}, expected a tuple of a tensor and of a tuple of two, as it was given"
            )
        first, (others, read) = state
        rows = torch.cat([first.permute(seen), others.permute(seen)], dim=1)[..., 0].unsqueeze(0)
        logits, after = writer(word, rows)
        read = torch.cat([read.permute(seen)[..., 0], word.to(read)], dim=1)  # (N, t)
        # Logits hang on all words that were read, by this tensor too.
        waves = torch.cos(torch.arange(WORDS, dtype=logits.dtype, device=logits.device))
        logits = logits + 0.5 * torch.sin(read.sum(dim=1)).to(logits).view(-1, 1, 1) * waves
        return logits, pack(after, read)

    first = pack(writer.first_state(), torch.zeros(len(table), 0, device=table.device))
    return hypotheses_of_words(beam_search(step, first, BOS, EOS, width, most, 0.0, dim))


def hypotheses_of_words(result: Any) -> list[list[list[int]]]:
    """The words of what was found."""
    return [[words for words, _ in hypotheses] for hypotheses in hypotheses_of(result)]


@check(
    "with more places than hypotheses, none appears twice and no impossible one appears",
    points=1,
    hidden=True,
    needs=(one_place, places, ends),
    draws=2,
    reads=in_any_order,
    compare=same_words,
    any_length=True,
    hint="A candidate whose sum is minus infinity does not stay on the beam, even if there is a free place. k may be "
    "larger than V, and larger than the number of all sentences.",
)
def full_width(beam_search, draw: Draw):
    """One source with few possible words at each step, and more places than there are beginnings; at the first no end is possible."""
    most, width = 3, 60
    table = table_of(draw, 1, most, ends=0.0)
    for step in table.unbind(dim=1):
        possible = [word for word in draw.normal(WORDS).argsort().tolist() if word not in (BOS, EOS)][:2]
        impossible = torch.ones(WORDS, dtype=torch.bool)
        impossible[[*possible, EOS]] = False
        step[..., impossible] = float("-inf")
    table[:, 0, :, EOS] = float("-inf")
    return {"words": searched(beam_search, table, width, most)["words"]}


def _no_needless_step(got, want):
    """Whether the hypotheses are the same, and the writer was asked for no more words than it takes."""
    verdict = same_words(got, want)
    needless = verdict.ok and not 0 < got["deepest"] <= want["deepest"]
    return failed("steps were taken after all hypotheses had ended") if needless else verdict


@check(
    "the search stops once hypotheses that have ended take all places",
    reads=in_any_order,
    compare=_no_needless_step,
    points=1,
    hidden=True,
    needs=(one_place, places, ends, batch),
    draws=2,
    any_length=True,
    hint="Most sentences are much shorter than max_words. Stop when no source has a hypothesis left that has not ended.",
)
def effort(beam_search, draw: Draw):
    """Two sources that are done long before max_words, and how far the writer was asked to go."""
    most, width = 20, 2
    table = table_of(draw, 2, most, ends=0.0)
    table[:, 2:, :, EOS] += 7.0
    found = searched(beam_search, table, width, most)
    return {"words": found["words"], "deepest": found["deepest"]}
