"""Things to play with: a slider or a few buttons on numbers that the chapter itself has computed.

Each function returns a box that a notebook and the site show: a table, and the same numbers as JSON. The script `widgets.js`, one for all
of them, puts the browser's own controls in place of the table. Where no script runs (on paper, on a page of feedback, on GitHub) the
table stays, and where no HTML is shown, a sentence does. Nothing is loaded from anywhere.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from seqlab.picture import Picture

SCRIPT = Path(__file__).with_name("widgets.js")
SHOWN = 12
"""How many words a distribution lists."""
_NAMED = 61
"""How many of its words can be drawn by name; top-k goes up to one less."""

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def sampling(words: Sequence[str], logits: Tensor, title: str) -> Picture:
    """Sliders for temperature, top-k and top-p over a model's distribution of the next word.

    Args:
        words: The vocabulary, V words.
        logits: Their logits, shape (V,); a word with minus infinity is left out.
        title: What the distribution is of.

    Raises:
        ValueError: If there is not one logit for each word, or none is finite.
    """
    if logits.shape != (len(words),):
        raise ValueError(f"logits has shape {tuple(logits.shape)} for {len(words)} words: expected ({len(words)},)")
    values, order = logits.detach().double().cpu().sort(descending=True, stable=True)
    values = values[values.isfinite()]
    if not len(values):
        raise ValueError("no logit is finite: there is no word to draw")
    named = [words[i] for i in order[: min(_NAMED, len(values))].tolist()]
    # The rest of the words have no names here. Each is told by how far its logit is below the one before, in thousandths.
    tail = ((values[len(named) - 1] - values[len(named) - 1 :]) * 1000).round().long()
    data = {
        "words": named,
        "shown": SHOWN,
        "logits": [round(value, 6) for value in values[: len(named)].tolist()],
        "gaps": "".join(_DIGITS[gap] if gap < len(_DIGITS) else f"({gap})" for gap in tail.diff().tolist()),
    }
    chances = values.softmax(dim=0)
    rows = [[word, f"{chance:.1%}"] for word, chance in zip(named, chances[:SHOWN].tolist(), strict=False)]
    if len(values) > SHOWN:
        rows.append([f"the other {len(values) - SHOWN} words", f"{chances[SHOWN:].sum():.1%}"])
    return _play("sampling", title, data, ["word", "probability"], rows)


def attention(
    source: Sequence[str],
    target: Sequence[str],
    weights: Tensor,
    title: str,
    *,
    names: Sequence[str] = ("",),
    chosen: int = 0,
    asked: str = "Target word",
) -> Picture:
    """An attention map, read word by word: the weights of a chosen target word shade the source words.

    Args:
        source: The S source words.
        target: The T target words.
        weights: One map of shape (T, S), or several of them, (N, T, S), such as those of the heads.
        title: What the map shows.
        names: What the N maps are called.
        chosen: Which target word is chosen at first.
        asked: What the buttons with the target words are called.

    Raises:
        ValueError: If sizes, words and names do not match, or the chosen word is not among the target words.
    """
    maps = weights.detach().float().cpu()
    maps = maps.unsqueeze(0) if maps.dim() == 2 else maps
    if maps.shape != (len(names), len(target), len(source)):
        raise ValueError(
            f"weights has shape {tuple(weights.shape)}: for {len(target)} target and {len(source)} source words and "
            f"{len(names)} maps expected ({len(names)}, {len(target)}, {len(source)})"
        )
    if not 0 <= chosen < len(target):
        raise ValueError(f"chosen is {chosen}: there are {len(target)} target words, counted from 0")
    data = {
        "source": list(source),
        "target": list(target),
        "maps": _rounded(maps.tolist(), 4),
        "names": list(names),
        "chosen": chosen,
        "asked": asked,
    }
    rows = [
        [f"{name}: {word}" if name else word, *(f"{weight:.2f}" for weight in row)]
        for name, grid in zip(names, maps.tolist(), strict=True)
        for word, row in zip(target, grid, strict=True)
    ]
    return _play("attention", title, data, ["", *source], rows)


def bleu(
    references: Sequence[Sequence[str]], candidate: Sequence[str], title: str, *, smoothed: bool = False
) -> Picture:
    """BLEU of a sentence that the reader types, with its n-grams matched and clipped.

    Args:
        references: The words of each reference.
        candidate: The words that are shown at first.
        title: What there is to do.
        smoothed: Whether the score of a single sentence is shown too, with exponential smoothing and effective order.

    Raises:
        ValueError: If there is no reference.
    """
    if not references:
        raise ValueError("references is empty: give the words of at least one")
    data = {"references": [list(words) for words in references], "candidate": " ".join(candidate), "smoothed": smoothed}
    import sacrebleu  # It takes as long to import as all else here, and most chapters do without.

    metric = sacrebleu.BLEU(tokenize="none", force=True, smooth_method="none")
    found = metric.corpus_score([" ".join(candidate)], [[" ".join(words)] for words in references])
    rows = [
        [str(n), str(total), str(count), f"{count / total:.3f}" if total else "–"]
        for n, (count, total) in enumerate(zip(found.counts, found.totals, strict=True), 1)
    ]
    sentences = [f"Candidate: {' '.join(candidate)}", *(f"Reference: {' '.join(words)}" for words in references)]
    sentences.append(f"Brevity penalty {found.bp:.3f}, BLEU {found.score:.2f}")
    return _play("bleu", title, data, ["n", "n-grams", "after clipping", "precision"], rows, sentences)


def backward(
    inputs: Sequence[float], weight: float, title: str, *, tanh: bool = False, every_step: bool = False
) -> Picture:
    """Back-propagation through h_t = x_t + w h_{t-1}, a step at a time, with a slider for w.

    Args:
        inputs: The inputs x_1 to x_T; the state before them is 0.
        weight: The weight w at first, between -2 and 2.
        title: What is computed.
        tanh: Whether each state is the tanh of that sum.
        every_step: Whether the loss is the sum of all states, and not the last one alone.

    Raises:
        ValueError: If there is no input, or the weight is outside the slider's range.
    """
    if not inputs or not -2 <= weight <= 2:
        raise ValueError(f"there are {len(inputs)} inputs and the weight is {weight}: expected some, and -2 to 2")
    # Autograd, with a weight for each step: their gradients are the shares.
    shares = torch.full((len(inputs),), float(weight), dtype=torch.float64, requires_grad=True)
    states = [torch.zeros((), dtype=torch.float64)]
    for x, w in zip(inputs, shares, strict=True):
        reached = x + w * states[-1]
        states.append(reached.tanh() if tanh else reached)
    loss = torch.stack(states[1:]).sum() if every_step else states[-1]
    of_shares, *of_states = torch.autograd.grad(loss, [shares, *states[1:]])
    rows = [
        [str(t), *(f"{each:.2f}" for each in (inputs[t - 1], states[t], of_states[t - 1], of_shares[t - 1]))]
        for t in range(1, len(inputs) + 1)
    ]
    rows.append(["sum", "", "", "", f"{of_shares.sum():.2f}"])
    data = {"inputs": list(inputs), "weight": weight, "tanh": tanh, "everyStep": every_step}
    return _play("backward", title, data, ["t", "input", "state", "gradient of the state", "share of w"], rows)


def mask(
    scores: Tensor,
    queries: Sequence[str],
    keys: Sequence[str],
    title: str,
    *,
    shown: Sequence[bool] | None = None,
    causal: bool = False,
) -> Picture:
    """Positions clicked on and off, and the masked softmax of the same scores.

    Args:
        scores: Attention scores before the softmax, shape (T, S).
        queries: The words of the T rows.
        keys: The words of the S columns.
        title: What there is to do.
        shown: Which keys may be attended to at first; all of them by default.
        causal: Whether the causal mask is on at first; it can be chosen where T = S.

    Raises:
        ValueError: If the sizes do not match, or a score is not finite.
    """
    shown = [True] * len(keys) if shown is None else list(shown)
    if scores.shape != (len(queries), len(keys)) or len(shown) != len(keys):
        raise ValueError(
            f"scores has shape {tuple(scores.shape)} and shown {len(shown)} places for {len(queries)} queries and "
            f"{len(keys)} keys: expected ({len(queries)}, {len(keys)}) and {len(keys)}"
        )
    if not scores.isfinite().all():
        raise ValueError("a score is not finite: give the scores before they are masked")
    numbers = _rounded(scores.detach().double().cpu().tolist(), 6)
    square = len(queries) == len(keys)
    data = {"scores": numbers, "queries": list(queries), "keys": list(keys), "shown": shown}
    data |= {"causal": causal and square, "square": square}
    rows = [[query, *(f"{score:.2f}" for score in row)] for query, row in zip(queries, numbers, strict=True)]
    rows.append(["may be attended to", *("yes" if each else "no" for each in shown)])
    return _play("mask", title, data, ["", *keys], rows)


def _rounded(numbers: Any, digits: int) -> Any:
    """Nested lists of numbers with so many digits after the point."""
    return [_rounded(each, digits) for each in numbers] if isinstance(numbers, list) else round(numbers, digits)


@cache
def script() -> str:
    """The script without its indentation and its lines of comment, which a notebook would keep a copy of in each output."""
    lines = (line.strip() for line in SCRIPT.read_text(encoding="utf-8").split("\n"))
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _play(
    kind: str,
    title: str,
    data: dict[str, Any],
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    sentences: Sequence[str] = (),
) -> Picture:
    """A box with its table and sentences above it, its data and the script."""
    # In a script's text, only the sign that could end it has to be written otherwise.
    packed = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    name = f"play-{hashlib.sha256(f'{kind}/{title}/{packed}'.encode()).hexdigest()[:8]}"
    top = "".join(f'<th scope="col">{escape(each)}</th>' if each else "<td></td>" for each in head)
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>{"".join(f"<td>{escape(each)}</td>" for each in row[1:])}</tr>'
        for row in rows
    )
    above = "".join(f'<p class="play-rest">{escape(sentence)}</p>' for sentence in sentences)
    html = (
        f'<div class="play" id="{name}" data-play="{kind}" role="group" aria-label="{escape(title)}">'
        f'<p class="play-title">{escape(title)}</p>{above}'
        f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
        f'<script type="application/json">{packed}</script><script class="play-script">{script()}</script></div>'
    )
    said = ["  ".join(part for part in row if part) for row in (head, *rows)]
    return Picture(html, "\n".join([title, *sentences, *said]))
