"""The picture of a beam that grows: one more word at every step, what was kept, what was cut off and what has ended.

It is drawn from what a beam search returns when it may take one step, two steps and so on, and knows nothing of how the search works.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from torch import Tensor

from seqlab.corpus import BOS, EOS
from seqlab.drawings.shapes import STYLE
from seqlab.picture import Picture
from seqlab.stepper import stepper

Words = tuple[int, ...]
Found = Sequence[tuple[Sequence[int], float]]

_LETTER, _LEAST = 8, 66
"""The width of a letter and the least width of a box."""
_HIGH, _PITCH, _LEFT, _GAP = 42, 72, 18, 8
"""How high a box is, how far rows are apart, what is left for the numbers of the steps, and how far boxes are apart."""
_NEAR = 0.01
"""How far a search's sum may be from that of the words' log-probabilities, absolutely and relatively."""


@dataclass(frozen=True)
class _Box:
    """One beginning of a sentence, at the place where it is drawn."""

    words: Words
    log_prob: float
    fate: str  # "kept", "ended" or "cut"
    column: int


def beam_picture(
    grown: Sequence[Found],
    next_log_probs: Callable[[Words], Tensor],
    vocabulary: Sequence[str],
    *,
    title: str,
    cut: int = 1,
) -> Picture:
    """Draw a beam as it grows.

    Args:
        grown: What a search with the exponent 0 found for one source when it might take one step, two steps and so on: the
            words and the log-probability of every hypothesis. One with fewer words than steps has ended.
        next_log_probs: Takes the words of a beginning, returns the log-probabilities of all words that may follow, shape (V,).
        vocabulary: The words by id.
        title: What the picture shows.
        cut: How many of the best beginnings that were cut off are drawn at each step.

    Raises:
        ValueError: If there is no step, or a step without a hypothesis; or a hypothesis has more words than there were steps,
            continues none that was on the beam before, or has a sum that is not that of its words.
    """
    if not grown:
        raise ValueError("grown is empty: give what the search found after one step, after two steps and so on")
    for step, found in enumerate(grown, 1):
        if not found:
            raise ValueError(f"after step {step} there is no hypothesis: a search always has one")
        longest = max(len(words) for words, _ in found)
        if longest > step:
            raise ValueError(f"after step {step} a hypothesis has {longest} words: it can have {step} at most")
    rows = _rows(grown, next_log_probs, vocabulary, cut)
    best = tuple(grown[-1][0][0])
    if len(best) < len(grown):
        best += (EOS,)
    ended = [sum(box.fate == "ended" for before in rows[:step] for box in before) for step in range(len(rows))]
    said = [_said(step, *of_step, vocabulary) for step, of_step in enumerate(zip(rows, ended, strict=True), 1)]
    said[-1] += f" The most probable in the end: {_sentence(best, vocabulary)} {_number(grown[-1][0][1])}."
    html = stepper(
        _drawing(rows, best, vocabulary, title),
        said,
        legend="Step",
        buttons=[str(step) for step in range(1, len(said) + 1)],
        chosen=len(said),
        grows=True,
        heading=title,
    )
    return Picture(html, "\n".join([title, *said]))


def _rows(
    grown: Sequence[Found], next_log_probs: Callable[[Words], Tensor], vocabulary: Sequence[str], cut: int
) -> list[list[_Box]]:
    """What is drawn at each step, from left to right.

    Raises:
        ValueError: If a hypothesis continues none that was on the beam before, or has a sum that is not that of its
            words.
    """
    rows: list[list[_Box]] = []
    live: dict[Words, float] = {(): 0.0}
    ended: set[Words] = set()
    for step, found in enumerate(grown, 1):
        candidates = {
            (*words, word): log_prob + following
            for words, log_prob in live.items()
            for word, following in enumerate(next_log_probs(words).tolist())
        }
        kept = {(*words, EOS) if len(words) < step else tuple(words): log_prob for words, log_prob in found}
        kept = {words: log_prob for words, log_prob in kept.items() if words not in ended}
        for words, log_prob in kept.items():
            if words not in candidates:
                raise ValueError(
                    f"after step {step} there is {_sentence(words, vocabulary)}, which goes on from nothing that was on the beam one "
                    "step before: give what one and the same search found, with the exponent 0"
                )
            if abs(log_prob - candidates[words]) > _NEAR * (1 + abs(candidates[words])):
                raise ValueError(
                    f"after step {step} {_sentence(words, vocabulary)} has the score {_number(log_prob)}, and its words have the sum "
                    f"{_number(candidates[words])}: search with the exponent 0, and with the model that next_log_probs asks"
                )
        missed = sorted((words for words in candidates if words not in kept), key=lambda words: -candidates[words])
        missed = [words for words in missed[:cut] if candidates[words] > -1e9]
        boxes = sorted(kept.items(), key=lambda item: -item[1])
        row = [
            _Box(words, log_prob, "ended" if words[-1] == EOS else "kept", column)
            for column, (words, log_prob) in enumerate(boxes)
        ]
        row += [_Box(words, candidates[words], "cut", len(row) + i) for i, words in enumerate(missed)]
        rows.append(row)
        live = {box.words: box.log_prob for box in row if box.fate == "kept"}
        ended |= {box.words for box in row if box.fate == "ended"}
    return rows


def _sentence(words: Words, vocabulary: Sequence[str]) -> str:
    return "“" + " ".join(vocabulary[word] for word in words) + "”"


def _said(step: int, row: list[_Box], before: int, vocabulary: Sequence[str]) -> str:
    """What happens at a step before which some have ended, in words."""
    parts = [f"Step {step}."]
    for fate, name in (("kept", "On the beam"), ("ended", "Ended"), ("cut", "Cut off")):
        of_fate = [f"{_sentence(box.words, vocabulary)} {_number(box.log_prob)}" for box in row if box.fate == fate]
        if of_fate:
            parts.append(f"{name}: {', '.join(of_fate)}.")
    if before:
        parts.insert(1, f"Already ended: {before}.")
    return " ".join(parts)


def _number(log_prob: float) -> str:
    return f"{log_prob:.2f}".replace("-0.00", "0.00").replace("-", "−")


def _drawing(rows: list[list[_Box]], best: Words, vocabulary: Sequence[str], title: str) -> str:
    """The tree, a row for each step, with everything that belongs to a step in a group of its own."""
    wide, centre = [], []
    edge = _LEFT
    for column in range(max(map(len, rows))):
        names = [vocabulary[row[column].words[-1]] for row in rows if column < len(row)]
        wide.append(max(_LEAST, 16 + _LETTER * max(map(len, names))))
        centre.append(edge + wide[-1] / 2)
        edge += wide[-1] + _GAP
    at: dict[Words, float] = {(): sum(centre) / len(centre)}
    for row in rows:
        at |= {box.words: centre[box.column] for box in row}
    groups = [_box_of(at[()], 0, _LEAST, vocabulary[BOS], _number(0.0), "kept")]
    for step, row in enumerate(rows, 1):
        top = step * _PITCH
        parts = [f'<text class="d-grey" x="0" y="{top + 26}" font-size="14">{step}</text>']
        parts += [_line(at, box, top, box.words == best[:step]) for box in row]
        for box in row:
            word, number = vocabulary[box.words[-1]], _number(box.log_prob)
            parts.append(_box_of(at[box.words], top, wide[box.column], word, number, box.fate))
        groups.append(f'<g class="step-{step}">{"".join(parts)}</g>')
    width, height = edge - _GAP + 2, len(rows) * _PITCH + _HIGH + 4
    label = (
        f"{title}: a tree with a row for each step, in which the text before it says what is kept, ended and cut off"
    )
    return (
        f'<svg class="drawing" role="img" aria-label="{escape(label)}" width="{width:.0f}" height="{height}" '
        f'viewBox="0 -2 {width:.0f} {height}"><style>{STYLE}</style>{"".join(groups)}</svg>'
    )


def _line(centre: dict[Words, float], box: _Box, top: int, is_best: bool) -> str:
    """From a beginning to the one that it came from."""
    start, end = centre[box.words[:-1]], centre[box.words]
    color, width = ("orange", 4) if is_best else ("grey", 1.5)
    dashes = ' stroke-dasharray="4 4"' if box.fate == "cut" else ""
    return f'<path class="d-line d-{color}" d="M{start:.0f} {top - _PITCH + _HIGH} L{end:.0f} {top}" stroke-width="{width}"{dashes}/>'


def _box_of(centre: float, top: int, wide: float, word: str, number: str, fate: str) -> str:
    """A box with a word and the log-probability up to it."""
    color, width, more = {
        "kept": ("blue", 2, ""),
        "ended": ("green", 4, ""),
        "cut": ("grey", 1.2, ' stroke-dasharray="4 4"'),
    }[fate]
    faint = ' class="d-grey"' if fate == "cut" else ""
    return (
        f'<rect class="d-box d-{color}" x="{centre - wide / 2:.0f}" y="{top}" width="{wide:.0f}" height="{_HIGH}" '
        f'rx="{18 if fate == "ended" else 5}" stroke-width="{width}"{more}/>'
        f'<text x="{centre:.0f}" y="{top + 18}" text-anchor="middle" font-size="15"{faint}>{escape(word)}</text>'
        f'<text x="{centre:.0f}" y="{top + 35}" text-anchor="middle" font-size="13"{faint}>{number}</text>'
    )
