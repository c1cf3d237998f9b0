"""A task that needs memory: copy three symbols after k steps of distractors. Run by `make sweeps`, plotted in the chapter.

Every kind of recurrence gets the same learning rates at every k, one after the other until one of them solves the task, so that only
what no rate solves costs the whole grid; the rows keep what each rate reached.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

SETTINGS: dict[str, Any] = {
    "symbols": 8,
    "copied": 3,
    "distractors": 8,
    "hidden_size": 64,
    "batch_size": 32,
    "steps": 8000,
    "learning_rates": [3e-3, 1e-2, 1e-3, 3e-4],
    "gaps": [5, 10, 20, 40],
    "solved": 0.02,
    "window": 200,
    "flat": 0.01,
    "least": 4000,
    "test": 2000,
}
"""A run is solved when the mean loss of its last `window` steps is below `solved`, and flat when, after `least` steps or more, the last
quarter of its losses is on average less than a share `flat` below the quarter before. Then it stops, or after `steps`."""
VARIANTS = ("rnn", "orthogonal", "rnn 128", "gru", "lstm", "lstm +1")
"""The kind of recurrence: `orthogonal` is an RNN whose W_h starts so, `rnn 128` has that hidden size and so about as many weights as an
LSTM of half of it, and `lstm +1` has 1 added to the forget gate's bias."""
SEEDS = (0, 1, 2)
LAYERS = {"rnn": nn.RNN, "orthogonal": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}


class Copier(nn.Module):
    """Read one-hot symbols, and name the first ones from the last hidden state."""

    def __init__(self, variant: str) -> None:
        """Make the layers of one of `VARIANTS`, as PyTorch does, apart from what the variant changes."""
        super().__init__()
        size = 128 if variant == "rnn 128" else SETTINGS["hidden_size"]
        self.symbols = SETTINGS["symbols"]
        self.rnn = LAYERS[variant.split()[0]](
            self.symbols + SETTINGS["distractors"], size, batch_first=True
        )
        self.output = nn.Linear(size, SETTINGS["copied"] * self.symbols)
        if variant == "orthogonal":
            nn.init.orthogonal_(self.rnn.weight_hh_l0)
        if variant == "lstm +1":
            self.rnn.bias_ih_l0.data[size : 2 * size] += 1.0  # the rows of f

    def forward(self, inputs: Tensor) -> Tensor:
        """Logits (B, copied, symbols) of inputs (B, T, symbols + distractors)."""
        return self.output(self.rnn(inputs)[0][:, -1]).unflatten(-1, (-1, self.symbols))


def draw(count: int, gap: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Draw symbols and `gap` distractors after them: one-hot inputs (B, copied + gap, V), and the symbols (B, copied)."""
    symbols, distractors = SETTINGS["symbols"], SETTINGS["distractors"]
    target = torch.randint(symbols, (count, SETTINGS["copied"]), generator=generator)
    others = symbols + torch.randint(distractors, (count, gap), generator=generator)
    return F.one_hot(
        torch.cat([target, others], dim=1), symbols + distractors
    ).float(), target


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant at every k with every learning rate, and test it on sequences of its own.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the sequences.

    Returns:
        The table's row, whose lists have an entry for each k, and no weights. `rate` is the learning rate whose run ended with the
        lowest loss, and what follows is of that run: `accuracy`, in percent of the symbols, after k distractors, and `twice` after
        2 k; `loss` and `before`, the mean losses of the last and of the last but one quarter of its steps; `steps`, how many it made,
        and `end`, why it stopped: "solved", "flat" or "limit". `grid` holds the same of every learning rate that was tried, and
        `parameters` is the number of weights of the recurrence.
    """
    weights = sum(parameter.numel() for parameter in Copier(variant).rnn.parameters())
    row: dict[str, Any] = {"parameters": weights, "gap": [], "rate": [], "grid": []}
    for gap in SETTINGS["gaps"]:
        tried: dict[float, dict[str, Any]] = {}
        for rate in SETTINGS["learning_rates"]:
            tried[rate] = _train(variant, seed, gap, rate)
            if tried[rate]["end"] == "solved":
                break
        best = min(tried, key=lambda rate: tried[rate]["loss"])
        row["gap"].append(gap)
        row["rate"].append(best)
        for name, value in tried[best].items():
            row.setdefault(name, []).append(value)
        row["grid"].append({str(rate): found for rate, found in tried.items()})
    return row, {}


def _train(variant: str, seed: int, gap: int, rate: float) -> dict[str, Any]:
    """Train one model with Adam on gaps from 1 to `gap`, the gradient clipped to 1, and test it; the numbers of a row."""
    torch.manual_seed(seed)
    model = Copier(variant)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    generator = torch.Generator().manual_seed(seed)
    losses: list[float] = []
    end = ""
    while not end:
        drawn = int(torch.randint(1, gap + 1, (1,), generator=generator))
        inputs, target = draw(SETTINGS["batch_size"], drawn, generator)
        loss = F.cross_entropy(model(inputs).flatten(0, 1), target.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        end = _end(losses)
    before, last = _quarters(losses)
    return {
        "accuracy": _accuracy(model, gap, seed),
        "twice": _accuracy(model, 2 * gap, seed),
        "loss": round(last, 4),
        "before": round(before, 4),
        "steps": len(losses),
        "end": end,
    }


def _end(losses: list[float]) -> str:
    """Why training stops after these losses; empty if it goes on."""
    steps, window = len(losses), SETTINGS["window"]
    if steps >= window and sum(losses[-window:]) / window < SETTINGS["solved"]:
        return "solved"
    if steps >= SETTINGS["least"] and steps % window == 0:
        before, last = _quarters(losses)
        if last > (1 - SETTINGS["flat"]) * before:
            return "flat"
    return "limit" if steps == SETTINGS["steps"] else ""


def _quarters(losses: list[float]) -> tuple[float, float]:
    """The mean losses of the last but one and of the last quarter of the steps."""
    quarter = len(losses) // 4
    return sum(losses[-2 * quarter : -quarter]) / quarter, sum(
        losses[-quarter:]
    ) / quarter


@torch.no_grad()
def _accuracy(model: Copier, gap: int, seed: int) -> float:
    """The share of symbols that it copies over this many distractors, in percent."""
    inputs, target = draw(
        SETTINGS["test"], gap, torch.Generator().manual_seed(1000 + seed)
    )
    return round(
        100 * (model(inputs).argmax(dim=-1) == target).double().mean().item(), 2
    )
