"""The checks of `mask_tokens`."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, note_slip, unpack
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.checks.ch10_bert.chance import badly_seeded, by_seed
from autograder.checks.ch10_bert.counts import Count, most_unlikely
from autograder.declare import Exercise, check
from autograder.judging.verdict import Verdict, failed, passed

EXERCISE = Exercise("mask_tokens", "which words are masked, and how", minutes=25, difficulty=3)


@in_use(gradients=False, dtypes=False)
def in_chapter(mask_tokens, draw: Draw) -> Use:
    """Batches of pairs; which words are chosen is chance's, so the numbers that come back are not looked at."""
    generator = draw.generator()

    def call(tokens: Tensor, *sizes: int) -> list[Tensor]:
        return [torch.zeros_like(found) for found in mask_tokens(tokens, *sizes, generator)]

    def tokens() -> Tensor:
        return draw.integers(0, 800, *draw.integers(1, 40, 2).tolist())

    return Use(call, (tokens(), 5, 800, 4), (tokens(), 4, 900, 3))


Ids = dict[str, int]
_NONE = -100
_COUNTED = "expected a draw for each word, so that the number varies"


def _number(where: Tensor) -> int:
    return int(where.sum())


def _are_of(labels: Tensor, tokens: Tensor) -> bool:
    """Whether labels are those of these tokens, where there are any."""
    return bool(((labels == _NONE) | (labels == tokens)).all())


def _broken(inputs: Tensor, labels: Tensor, tokens: Tensor) -> bool:
    """Whether what holds for every position does not."""
    return not _are_of(labels, tokens) or not bool(((labels != _NONE) | (inputs == tokens)).all())


def _of_full(labels: Tensor, inputs: Tensor, tokens: Tensor) -> str:
    """What is said where no label is -100."""
    most = int(labels.mode().values.mode().values)
    if torch.equal(labels, tokens) or torch.equal(labels, inputs):
        return f"every position has a label, expected {_NONE} wherever no word was chosen"
    return f"no label is {_NONE}, which is expected wherever no word was chosen; most of them are {most}"


def _keeps_labels(asked: Tensor, changed: Tensor, want: Any) -> Verdict:
    """Whether a chosen word that stays has a label: if none has, a tenth of the labels is missing."""
    words = _number(want["tokens"] >= want["num_special"])
    missing = _number(asked) < 0.95 * want["rate"] * words
    if changed.any() and torch.equal(asked, changed) and missing:
        return failed(
            f"all {_number(asked)} positions with a label have a changed input: where a chosen word stays as it "
            "is, its label is missing"
        )
    return passed()


def _apart(chosen: Tensor, masked: Tensor) -> str:
    """What tells that words were not drawn apart from each other, (calls, rows, words); empty where nothing does."""
    of_rows, share = chosen.sum(dim=2), float(chosen.double().mean())
    together, pairs = int((chosen[..., 1:] & chosen[..., :-1]).sum()), chosen[..., 1:].numel()
    spread = pairs * share**2 * (1 - share) * (1 + 3 * share)
    if abs(together - pairs * share**2) > 8 * spread**0.5:
        return (
            f"{together} times two neighbours were chosen, expected about {pairs * share**2:.0f}: the draws "
            "are not independent"
        )
    words = chosen.shape[2]
    if (of_rows - share * words).square().mean() < 0.4 * words * share * (1 - share):
        return "the rows have almost the same number of chosen words: expected a draw for each word"
    hidden = masked.sum(dim=2)
    of_each = (hidden - 0.8 * of_rows).abs() < 1, (hidden.sum(dim=1) - 0.8 * of_rows.sum(dim=1)).abs() < 1
    if any(just.all() for just in of_each):
        return (
            "in each batch, or in each row, exactly 80 % of the chosen words became [MASK]: expected a draw "
            "for each of them"
        )
    return ""


def _counted(labels: Tensor, tokens: Tensor, ids: Ids) -> dict[str, Any]:
    """How many ordinary words there are and how many of them have a label, of each id, column and row, (..., 2); and how many labels are wrong."""
    asked, ordinary = labels != _NONE, tokens >= ids["num_special"]
    words, which = tokens[ordinary].unique(return_inverse=True)
    chosen = which[asked[ordinary]].bincount(minlength=len(words))
    return {
        "words": words,
        "ids": torch.stack([which.bincount(), chosen], dim=1),
        "columns": torch.stack([ordinary.sum(dim=0), asked.sum(dim=0)], dim=1),
        "rows": torch.stack([ordinary.sum(dim=1), asked.sum(dim=1)], dim=1),
        "wrong labels": _number(asked & ~(ordinary & (labels == tokens))),
    }


def _chosen(got: Any, want: Any, kind: str, name: str, rate: float) -> list[Count]:
    """How often the words of each id, column or row were chosen, which are as many as the reference's."""
    pairs = zip(got[kind][:, 1].tolist(), want[kind][:, 0].tolist(), strict=True)
    names = want["words"].tolist() if kind == "ids" else range(len(want[kind]))
    return [(name.format(which), count, draws, rate) for which, (count, draws) in zip(names, pairs, strict=True)]


def _of_shares(shares: list[float], rate: float) -> str:
    """What a mistake's shares tell."""
    masked, other, kept = shares
    if masked > 0.995:
        return ": all become [MASK]"
    if kept > 0.995:
        return ": nothing is masked"
    if kept < 0.03 and abs(masked - 0.8 / rate) < 0.05:
        return ". Does the same draw choose a word and decide between the three cases?"
    if kept < 0.005:
        return ": none stays as it is"
    if other < 0.005:
        return ": none becomes another word"
    if abs(other - 0.02) < 0.015 and abs(masked - 0.8) < 0.05:
        return ": 10 % of those that did not become [MASK], expected 10 % of all chosen words"
    if any(abs(masked - of_all) < 0.02 and abs(kept - rest) < 0.02 for of_all, rest in ((0.72, 0.18), (0.4, 0.1))):
        return ": random words also replace some of the [MASK]s, expected only words that did not become [MASK]"
    return ": the shares are swapped" if abs(max(other, kept) - 0.8) < 0.04 else ""


_MANY = 1000
"""How many ordinary ids there are where a random one is to be another than the one that stood there."""


_SOME = 20
"""How many there are where it matters which are chosen."""


_FEW = 6
"""How many there are where it matters which of them is drawn."""


_FAR = 30_000
CALLS, ROWS, WORDS = 24, 8, 16
"""How often a small batch is masked to see whether chance decides for each word, and how many words it has in how many rows."""


def _ids(draw: Draw, ordinary: int) -> Ids:
    """How many special ids there are and how many in all, and which is that of [MASK]."""
    special = int(draw.integers(4, 9))
    return {"num_special": special, "vocab_size": special + ordinary, "mask_id": int(draw.integers(0, special))}


def _tokens(draw: Draw, ids: Ids, rows: int, length: int, kinds: int) -> Tensor:
    """Tokens of which four of five are ordinary, of so many kinds: the first ordinary id, the last, and others between."""
    first, last = ids["num_special"], ids["vocab_size"] - 1
    others = draw.normal(last - first - 1).argsort()[: kinds - 2] + first + 1
    words = torch.cat([torch.tensor([first, last]), others])
    special = draw.integers(0, first, rows, length)
    return torch.where(draw.integers(0, 5, rows, length) == 0, special, words[draw.integers(0, kinds, rows, length)])


def _masked(
    mask_tokens: Callable[..., Any], tokens: Tensor, ids: Ids, generator: torch.Generator, *rate: float
) -> tuple[Tensor, Tensor]:
    """What BERT is shown and the labels, each a tensor like the tokens.

    Raises:
        MisuseError: They are others.
    """
    shape = tuple(tokens.shape)
    result = mask_tokens(tokens, ids["num_special"], ids["vocab_size"], ids["mask_id"], generator, *rate)
    results = []
    for name, found in zip(("inputs", "labels"), unpack(result, inputs=shape, labels=shape), strict=True):
        is_whole = isinstance(found, Tensor) and found.dtype not in (tokens.dtype, torch.bool)
        if is_whole and torch.equal(found, found.round()):
            note_slip(f"{name} is {kind_of(found)}, expected {kind_of(tokens)}, as tokens")
            found = found.to(tokens.dtype)
        if not isinstance(found, Tensor) or tuple(found.shape) != shape or found.dtype != tokens.dtype:
            raise MisuseError(f"{name} is {kind_of(found)}, expected {kind_of(tokens)}, as tokens")
        if (found.abs() > _FAR).any():
            told = f"{name} contain the number {int(found[found.abs() > _FAR][0])}"
            raise MisuseError(f"{told}, where ids end at {ids['vocab_size'] - 1}")
        results.append(found)
    return results[0], results[1]


def _small(**numbers: Tensor) -> dict[str, Tensor]:
    """The same numbers in fewer bytes."""
    return {name: tensor.to(torch.int16) for name, tensor in numbers.items()}


def original_ids(got: Any, want: Any) -> Verdict:
    """A large batch, position by position."""
    inputs, labels, tokens = got["inputs"], got["labels"], want["tokens"]
    asked, changed = labels != _NONE, inputs != tokens
    if (inputs == _NONE).any():
        return failed(f"there is {_NONE} among the inputs: are the two results in the wrong order?")
    if asked.all():
        return failed(_of_full(labels, inputs, tokens))
    if not asked.any():
        return failed(f"all labels are {_NONE}, expected an id wherever a word was chosen")
    wrong = asked & (labels != tokens)
    if wrong.any():
        if torch.equal(labels[wrong], inputs[wrong]):
            return failed(
                f"{_number(wrong)} of {_number(asked)} labels are the ids in the inputs, expected the original ids"
            )
        return failed(f"{_number(wrong)} of {_number(asked)} labels differ from the original ids")
    if changed.any() and not (changed & asked).any():
        return failed(
            f"the two cases are swapped: the labels are {_NONE} where a word was chosen, and ids where none was"
        )
    if (changed & ~asked).any():
        number = _number(changed & ~asked)
        return failed(
            f"at {number} position{'s' * (number != 1)} the input differs from the original id, but the label is "
            f"{_NONE}"
        )
    return _keeps_labels(asked, changed, want)


@check(
    "a label is the original id, and positions without a label are unchanged",
    points=1,
    draws=2,
    compare=original_ids,
    hint="Decide first which positions are chosen. The labels follow from that and from the tokens, before "
    "anything is masked. A word that is chosen and stays as it is has a label, too.",
)
def many(mask_tokens, draw: Draw):
    """A large batch of which nearly all words are chosen."""
    ids = _ids(draw, _MANY)
    tokens = _tokens(draw, ids, 32, 48, 12)
    rate = 0.9 + 0.002 * int(draw.integers(0, 10))
    inputs, labels = _masked(mask_tokens, tokens.clone(), ids, draw.generator(), rate)
    return {**_small(inputs=inputs, labels=labels, tokens=tokens), "rate": rate, **ids}


def no_special_ids(got: Any, want: Any) -> Verdict:
    """The special ids of a large batch."""
    labels, tokens = got["labels"], want["tokens"]
    special = tokens < want["num_special"]
    chosen = special & (labels != _NONE)
    if chosen.any():
        ids = sorted(set(tokens[chosen].tolist()))
        return failed(
            f"{_number(chosen)} of {_number(special)} special ids were chosen: {', '.join(map(str, ids))}, where num_special is "
            f"{want['num_special']}"
        )
    return passed() if not _broken(got["inputs"], labels, tokens) else failed("the labels differ from the tokens")


never_special = check(
    "special ids are never chosen",
    points=1,
    needs=many,
    compare=no_special_ids,
    hint="The model should not have to predict [CLS] or the padding. num_special tells you which ids are "
    "special: all those below it.",
)(many)


def _of_two(mask_tokens: Callable[..., Any], draw: Draw) -> dict[str, Any]:
    """How many words stay of a batch of two ordinary ids that are all there is; and how many random words a batch of two of many has not."""
    ids = _ids(draw, 2)
    tokens = draw.integers(ids["num_special"], ids["vocab_size"], 48, 64)
    inputs, _ = _masked(mask_tokens, tokens.clone(), ids, draw.generator(), 1.0)
    many = _ids(draw, _MANY)
    few = many["num_special"] + draw.integers(0, 2, 24, 32)
    shown, _ = _masked(mask_tokens, few.clone(), many, draw.generator(), 1.0)
    unseen = (shown != many["mask_id"]) & (shown > many["num_special"] + 1)
    return {"of two": {"stayed": int((inputs == tokens).sum()), "words": tokens.numel()}, "unseen": int(unseen.sum())}


def _of_several(other: Tensor) -> int:
    """In how many rows two different words stand where it is not -1."""
    highest = other.amax(dim=1, keepdim=True)
    return int(((other >= 0) & (other != highest)).any(dim=1).sum())


def each_alone(got: Any, want: Any) -> Verdict:
    """A small batch, often. Each of these happens to right answers less than once in 10^12 times.

    Calls that gave the same, which is another check's business, count once.
    """
    fates, labels = got["fates"], got["labels"]
    chosen = fates > 0
    if (fates < 0).any() or (fates > 3).any() or not chosen.any():
        return failed("no word was chosen")
    if not _are_of(labels, want["tokens"]) or not torch.equal(labels != _NONE, chosen[0]):
        return failed("the labels differ from the tokens")
    fates = fates.unique(dim=0)
    chosen = fates > 0
    calls, rows, words = fates.shape
    each = f"in each of {calls * rows} rows"
    if chosen.all():
        return failed("all words were chosen at every call, with rate = 0.5")
    if torch.equal(chosen, chosen[:, :1].expand_as(chosen)):
        return failed(
            "in each batch all rows had the same positions chosen: expected a draw for each position of each row"
        )
    of_rows, of_calls = chosen.sum(dim=2), chosen.sum(dim=(1, 2))
    if ((of_rows == 0) | (of_rows == words)).all():
        return failed(f"{each} either all words were chosen or none: expected a draw for each position")
    if (of_rows == of_rows[0, 0]).all():
        return failed(f"{each} exactly {int(of_rows[0, 0])} of {words} words were chosen: {_COUNTED}")
    if calls > 1 and (of_calls == of_calls[0]).all():
        return failed(
            f"in each of {calls} batches exactly {int(of_calls[0])} of {rows * words} words were chosen: {_COUNTED}"
        )
    told = _apart(chosen, fates == 1) if calls == CALLS else ""
    if told:
        return failed(told)
    masked = fates == 1  # A random word may be the one that stood there: what stays is not told from it.
    for kind, dim in (("row", 2), ("column", 1)):
        both = masked.any(dim=dim) & (chosen & ~masked).any(dim=dim)
        if masked.any() and (chosen & ~masked).any() and not both.any():
            return failed(
                f"in each {kind} either all or none of the chosen words became [MASK]: expected a draw for each of them"
            )
    return passed()


@check(
    "the draw for each word is independent",
    points=2,
    needs=(many, never_special),
    draws=2,
    compare=each_alone,
    hint="Draw a number for each position of each row, shape (B, S), and compare it with the rate. The number of "
    "those below it is random: one sentence may have many, another none.",
)
def apart(mask_tokens, draw: Draw):
    """A small batch, often: which words are chosen and become what, and the labels of the first time.

    All rows have their words at the same places. In `fates` 0 is not chosen, 1 shown as [MASK], 2 as another word, 3 as it is.
    """
    ids, generator = _ids(draw, _MANY), draw.generator()
    marks = draw.integers(0, ids["num_special"], ROWS, 3)
    ordinary = draw.integers(ids["num_special"], ids["vocab_size"], ROWS, WORDS)
    tokens = torch.cat([marks[:, :1], ordinary, marks[:, 1:]], dim=1)
    results = [_masked(mask_tokens, tokens.clone(), ids, generator, 0.5) for _ in range(CALLS)]
    inputs, labels = (torch.stack(part)[:, :, 1 : WORDS + 1] for part in zip(*results, strict=True))
    fates = torch.where(inputs == ids["mask_id"], 1, torch.where(inputs == ordinary, 3, 2)) * (labels != -100)
    return {"fates": fates.to(torch.int8), **_small(labels=labels[0], tokens=ordinary)}


def at_the_rate(got: Any, want: Any) -> Verdict:
    """How many words are chosen, in all, of each id, and at each position.

    Of the usual rate 0.15 a difference of 0.03 is seen, of a large one of 0.04, of a small one of 0.015, and at the rate 0 any word that is chosen.
    """
    for name, rate in zip(_RATES, want["rates"], strict=True):
        found, right = got[name], want[name]
        alike = (torch.equal(found[kind][:, 0], right[kind][:, 0]) for kind in ("ids", "columns", "rows"))
        if found["wrong labels"] or not all(alike):
            return failed("the labels differ from the tokens, or special ids were chosen")
        chosen, words = found["ids"][:, 1].sum().item(), right["ids"][:, 0].sum().item()
        called = f"with rate = {rate:.2f}" if name != "without a rate" else "without a rate, which means 0.15"
        if most_unlikely([("words were chosen", chosen, words, rate)]):
            told = f"{called}, {chosen / words:.1%} of {words} ordinary words were chosen"
            if abs(chosen / words - 0.15) < 0.03 and name != "without a rate":
                return failed(f"{told}, as if it had been 0.15")
            return failed(f"{told}, expected about {rate:.0%}")
        told = most_unlikely(
            _chosen(found, right, "ids", "the id {} was chosen", rate)
            + _chosen(found, right, "columns", "in column {} words were chosen", rate)
            + _chosen(found, right, "rows", "in row {} words were chosen", rate)
        )
        if told:
            return failed(f"{called}, {told}")
    count = got["chosen with rate = 0"]
    return failed(f"with rate = 0, {count} words were chosen, expected none") if count else passed()


_RATES = ("without a rate", "with a large rate", "with a small rate")


@check(
    "each ordinary word is chosen with probability rate",
    points=2,
    needs=(many, never_special, apart),
    draws=2,
    compare=at_the_rate,
    hint="torch.rand draws uniformly between 0 and 1, so a number is below rate with probability rate. Every "
    "ordinary word must have the same chance, the first id and the last, at each position.",
)
def rates(mask_tokens, draw: Draw):
    """How many words have labels at the rate of 15 % that is meant without another, and at a large, a small one and none that are given."""
    ids = _ids(draw, _SOME)
    given = {
        "with a large rate": 0.6 + 0.01 * int(draw.integers(0, 15)),
        "with a small rate": 0.01 * int(draw.integers(1, 4)),
    }
    found: dict[str, Any] = {"rates": [0.15, *given.values()]}
    for name in _RATES:
        tokens = _tokens(draw, ids, 88, 104, 8)
        rate = (given[name],) if name in given else ()
        _, labels = _masked(mask_tokens, tokens.clone(), ids, draw.generator(), *rate)
        found[name] = _counted(labels, tokens, ids)
    _, labels = _masked(mask_tokens, _tokens(draw, ids, 40, 40, 8), ids, draw.generator(), 0.0)
    return {**found, "chosen with rate = 0": int((labels != _NONE).sum())}


def in_three_cases(got: Any, want: Any) -> Verdict:
    """What became of the chosen words of a large batch.

    Of the 80 % that become [MASK] a difference of 3 points is seen, of each other tenth one of 2 points.
    """
    if any(not torch.equal(got[name].sum(dim=-1), want[name].sum(dim=-1)) for name in ("of ids", "of places")):
        return failed("the labels differ from the tokens")
    totals = got["of ids"].sum(dim=0)[1:].tolist()
    chosen = sum(totals)
    if not chosen:
        return failed("no word was chosen")
    same = 0.1 / (want["vocab_size"] - want["num_special"])  # A random word may be the one that stood there.
    names, shares = ("became [MASK]", "became another word", "stayed"), (0.8, 0.1 - same, 0.1 + same)
    whole = [(name, count, chosen, share) for name, count, share in zip(names, totals, shares, strict=True)]
    found = [count / chosen for count in totals]
    if most_unlikely(whole):
        told = ", ".join(f"{share:.1%} {name}" for name, share in zip(names, found, strict=True))
        return failed(f"of {chosen} chosen words {told}{_of_shares(found, want['rate'])}")
    of_rows, of_columns = got["of places"].sum(dim=1), got["of places"].sum(dim=0)
    parts = zip(("first rows", "last rows", "first columns", "last columns"), (*of_rows, *of_columns), strict=True)
    told = _masked_of([(f"in the {name} chosen words became [MASK]", part) for name, part in parts])
    if told:
        return failed(f"{told}: the case of a chosen word depends on its position")
    told = _masked_of([(f"the chosen id {which} became [MASK]", part) for which, part in enumerate(got["of ids"])])
    return failed(f"{told}: the case of a chosen word depends on its id") if told else passed()


def _masked_of(parts: list[tuple[str, Tensor]]) -> str:
    """What is said of the part in which the share of [MASK] is least likely; of none if all may be right."""
    return most_unlikely([(name, int(part[1]), int(part[1:].sum()), 0.8) for name, part in parts])


@check(
    "of the chosen words 80 % become [MASK], 10 % a random word, and 10 % stay",
    points=2,
    needs=(many, never_special, apart),
    draws=2,
    compare=in_three_cases,
    hint="Draw a second number for each position, independent of the first, to decide between the three cases: below "
    "0.8, from there to 0.9, and above. Make sure that the result of one line is not changed again by the next.",
)
def eighty_ten_ten(mask_tokens, draw: Draw):
    """What became of the ordinary words of a large batch, most of which are chosen: of those of each id, and in each quarter of the batch.

    The last dimension counts those that were not chosen, that are shown as [MASK], as another word, and as they are.
    """
    ids = _ids(draw, _MANY)
    tokens = _tokens(draw, ids, 96, 112, 12)
    rate = 0.9 + 0.002 * int(draw.integers(0, 10))
    inputs, labels = _masked(mask_tokens, tokens.clone(), ids, draw.generator(), rate)
    fates = torch.where(inputs == ids["mask_id"], 1, torch.where(inputs == tokens, 3, 2)) * (labels == tokens)
    ordinary = tokens >= ids["num_special"]
    rows, columns = (torch.arange(size) >= size // 2 for size in tokens.shape)
    quarters = (2 * rows.unsqueeze(1) + columns).long()
    _, words = tokens[ordinary].unique(return_inverse=True)
    of_ids, of_places = (
        (4 * which + fates[ordinary]).bincount(minlength=4 * (int(which.max()) + 1)).view(-1, 4)
        for which in (words, quarters[ordinary])
    )
    return {"of ids": of_ids, "of places": of_places.view(2, 2, 4), "rate": rate, **ids}


def any_ordinary_word(got: Any, want: Any) -> Verdict:
    """What is shown in the place of each ordinary id of a small vocabulary.

    Of some 1,200 random words, a share of 1/5 that is off by 0.08 is seen, and so are a first and a last id that come together with a
    share of 0.1 more or less.
    """
    shown, special, size = got["shown"], want["num_special"], want["vocab_size"]
    if (shown < 0).any() or not torch.equal(shown.sum(dim=1), want["shown"].sum(dim=1)):
        return failed("the inputs are not as many as the tokens")
    nowhere = _number(shown[:, 0]) + _number(shown[:, -1])
    if nowhere:
        return failed(f"{nowhere} words became an id that does not exist: ids go from 0 to {size - 1}")
    by_id = shown[:, 1:-1]
    marks = [id_ for id_ in range(special) if id_ != want["mask_id"] and by_id[:, id_].any()]
    if marks:
        return failed(
            f"words became the special ids {', '.join(map(str, marks))} at random; the ordinary ones begin at num_special = {special}"
        )
    other = by_id[:, special:].masked_fill(torch.eye(size - special, dtype=torch.bool), 0)  # (stood there, shown)
    total = _number(other)
    if total and int(other.sum(dim=0).max()) >= 0.8 * total:
        return failed(
            f"{int(other.sum(dim=0).max())} of {total} random words are the same one: expected a draw for each"
        )
    for kind, several in (("row", got["rows"]), ("column", got["columns"])):
        if not several:
            return failed(f"in each {kind} all random words are the same one: expected a draw for each position")
    each = 1 / (size - special - 1)
    counts: list[Count] = []
    for place in range(size - special):
        stood = total - _number(other[place])  # The words in whose place this one could be seen.
        counts.append((f"the id {special + place} was drawn at random", _number(other[:, place]), stood, each))
    between = other[1:-1]  # Where neither the first nor the last ordinary id stood.
    counts.append(("the first or the last id was drawn", _number(between[:, [0, -1]]), _number(between), 2 * each))
    told = most_unlikely(counts)
    if told:
        return failed(f"{told}; the ordinary ids go from {special} to {size - 1}")
    if not got["unseen"]:
        return failed("all random words are words of the batch, expected any of the ordinary ids")
    stayed, words = got["of two"]["stayed"], want["of two"]["words"]
    if most_unlikely([("stayed", stayed, words, 0.15)]):
        return failed(
            f"with two ordinary ids, {stayed / words:.1%} of the chosen words are unchanged in the inputs, "
            "expected about 15 %: 10 % stay, and half of the random words happen to be the original one"
        )
    return passed()


@check(
    "the random word can be any ordinary one, all equally likely",
    points=1,
    needs=(many, never_special, apart, rates, eighty_ten_ten),
    draws=2,
    compare=any_ordinary_word,
    hint="torch.randint(low, high, size) draws from low to high - 1. The ordinary ids begin at num_special and "
    "end before vocab_size; each position needs its own random word.",
)
def words(mask_tokens, draw: Draw):
    """What is shown in the place of each ordinary id of a small vocabulary, somewhat more than half of them chosen."""
    ids = _ids(draw, _FEW)
    tokens = draw.integers(ids["num_special"], ids["vocab_size"], 176, 144)
    inputs, _ = _masked(mask_tokens, tokens.clone(), ids, draw.generator(), 0.6)
    shown = inputs.clamp(-1, ids["vocab_size"]) + 1  # What is no id comes first and last.
    size = ids["vocab_size"] + 2
    table = torch.bincount((tokens * size + shown).flatten(), minlength=ids["vocab_size"] * size).view(-1, size)
    other = inputs.masked_fill((inputs == ids["mask_id"]) | (inputs == tokens), -1)
    several = {"rows": _of_several(other), "columns": _of_several(other.T)}
    return {"shown": table[ids["num_special"] :], **several, **_of_two(mask_tokens, draw), **ids}


def by_the_generator(got: Any, want: Any) -> Verdict:
    """The same seed twice, and another one."""
    told = badly_seeded(got, "results")
    if not told and _broken(got["inputs"], got["labels"], want["tokens"]):
        told = "the labels differ"
    return failed(told) if told else passed()


@check(
    "every draw is made with the given generator",
    points=1,
    needs=many,
    draws=2,
    compare=by_the_generator,
    hint="torch.rand and torch.randint take generator=...; without it they use torch's global random state. Pass "
    "the given generator to each of them, and do not set any seed.",
)
def seeded(mask_tokens, draw: Draw):
    """A batch, several times with one generator; with another of the same seed; and of another seed."""
    ids = _ids(draw, _MANY)
    tokens = _tokens(draw, ids, 6, 20, 20)

    def calls(seed: int) -> list[Any]:
        generator = torch.Generator().manual_seed(seed)
        results = [_masked(mask_tokens, tokens.clone(), ids, generator, 0.5) for _ in range(3)]
        return [torch.stack(result).tolist() for result in results]

    found, results = by_seed(calls, draw)
    inputs, labels = torch.tensor(results[0])
    return {**found, **_small(inputs=inputs, labels=labels, tokens=tokens)}


def as_before(got: Any, want: Any) -> Verdict:
    """The tokens after two calls, and what the second gave."""
    if not torch.equal(got["once"], want["once"]) or not torch.equal(got["twice"], want["twice"]):
        return failed("the call changed its argument tokens")
    if _broken(got["inputs"], got["labels"], want["once"]) or not (got["labels"] != _NONE).any():
        return failed("the labels differ from the tokens")
    return passed()


@check(
    "the tokens are not changed",
    points=1,
    needs=(many, apart, seeded),
    arguments=True,
    compare=as_before,
    hint="The same batch is masked anew in each epoch. An assignment such as tokens[chosen] = mask_id, or any "
    "method that ends in an underscore, changes it for good.",
)
def left(mask_tokens, draw: Draw):
    """The tokens after two calls, and what the second gave."""
    ids, generator = _ids(draw, _MANY), draw.generator()
    tokens = _tokens(draw, ids, 3, 20, 20)
    _masked(mask_tokens, tokens, ids, generator, 0.5)
    once = tokens.clone()
    inputs, labels = _masked(mask_tokens, tokens, ids, generator, 0.5)
    return {**_small(inputs=inputs, labels=labels), "once": once, "twice": tokens}


def _small_batches(got: Any, want: Any) -> Verdict:
    """Batches at the end of what is allowed."""
    for name, right in want.items():
        inputs, labels = got[name]["inputs"], got[name]["labels"]
        if _broken(inputs, labels, right["tokens"]):
            return failed(
                f"with {name}: a label differs from the original id, or a position without a label is "
                "changed in the inputs"
            )
        chosen = _number(labels != _NONE)
        if chosen and name in ("special ids alone", "the rate 0"):
            return failed(f"with {name}, {chosen} position{'s were' if chosen > 1 else ' was'} chosen, expected none")
    return passed()


@check(
    "a batch may have one row, one word, or no word that can be chosen",
    points=1,
    hidden=True,
    needs=(many, never_special, apart, rates),
    compare=_small_batches,
    hint="squeeze() without a dimension also removes a batch dimension of size one, and view() needs contiguous "
    "tensors: reshape() does not. If no word can be chosen, none is.",
)
def small(mask_tokens, draw: Draw):
    """Small batches, and one that is a view of another tensor."""
    ids = _ids(draw, _SOME)
    special = draw.integers(0, ids["num_special"], 2, 5)
    one, wide = (_tokens(draw, ids, *shape, 8) for shape in ((1, 30), (30, 7)))
    cases = {
        "one row": (one, 0.5),
        "one word": (one[:, :1].clone().fill_(ids["num_special"]), 0.5),
        "special ids alone": (special, 0.5),
        "the rate 0": (one.clone(), 0.0),
        "a transposed tensor": (wide.T, 0.5),
    }
    answers = {}
    for name, (tokens, rate) in cases.items():
        given = tokens.T.clone().T if name == "a transposed tensor" else tokens.clone()
        inputs, labels = _masked(mask_tokens, given, ids, draw.generator(), rate)
        answers[name] = _small(inputs=inputs, labels=labels, tokens=tokens)
    return answers
