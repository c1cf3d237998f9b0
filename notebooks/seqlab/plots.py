"""The figures' common look, and the one plot that many chapters share: the attention map."""

import textwrap
from collections.abc import Collection, Sequence

import matplotlib.pyplot as plt
import numpy as np
from IPython import get_ipython
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.rcsetup import cycler
from torch import Tensor

from seqlab.contrast import readable
from seqlab.svg import show_as_vectors

# Okabe and Ito's colours, told apart with any common kind of colour blindness.
PALETTE = {
    "blue": "#0072B2",
    "orange": "#E69F00",
    "green": "#009E73",
    "red": "#D55E00",
    "purple": "#CC79A7",
    "sky": "#56B4E9",
    "grey": "#6B6B6B",
}
PAPER = "#FBFAF7"
INK = "#222222"
SHADES = {color: readable(color, PAPER, INK) for color in PALETTE.values()}
"""Of each colour of the palette, the shade that text is written in: orange and sky are too light to be read."""
# Its middle is not quite the palette's sky, which dark pages keep as light as it is.
WEIGHTS_MAP = LinearSegmentedColormap.from_list("weights", ["#FFFFFF", "#57B3E8", "#00416B"])


def use_style() -> None:
    """Set matplotlib's defaults to the book's look, and have notebooks show figures as vector graphics.

    Text in a colour of the palette is shown in that colour's shade for text.
    """
    plt.rcParams.update(
        {
            # As wide as a phone shows without scrolling.
            "figure.figsize": (5.6, 3.2),
            "figure.dpi": 115,
            "figure.facecolor": PAPER,
            "figure.constrained_layout.use": True,
            "savefig.facecolor": PAPER,
            "axes.facecolor": PAPER,
            "axes.edgecolor": INK,
            "axes.labelcolor": INK,
            "axes.prop_cycle": cycler(color=list(PALETTE.values())),
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlelocation": "left",
            "axes.titlesize": 13,
            "axes.titlepad": 10,
            "font.sans-serif": ["DejaVu Sans", "Verdana"],
            "font.size": 12,
            "image.interpolation": "none",
            "lines.linewidth": 2,
            "svg.fonttype": "none",
            "svg.hashsalt": "course",
            "text.color": INK,
            "xtick.color": INK,
            "ytick.color": INK,
        }
    )
    if shell := get_ipython():
        show_as_vectors(shell.display_formatter, SHADES)


def attention_map(
    weights: Tensor,
    source: Sequence[str],
    target: Sequence[str],
    gold: Collection[tuple[int, int]] = (),
    title: str = "",
) -> Figure:
    """Draw attention weights as a grid: source words along x, target words along y.

    Args:
        weights: Shape (T, S), row t holding the weights with which target word t was chosen.
        source: The S source words.
        target: The T target words.
        gold: Links (source index, target index), 0-based, whose cells are outlined.
        title: What the figure shows; a long one is broken into lines.

    Returns:
        The figure.

    Raises:
        ValueError: If sizes and words do not match, or a link lies outside the grid.
    """
    grid = weights.detach().float().cpu().numpy()
    if grid.shape != (len(target), len(source)):
        raise ValueError(
            f"weights has shape {grid.shape}, but there are {len(target)} target and {len(source)} "
            f"source words: expected ({len(target)}, {len(source)})"
        )
    for i, t in gold:
        if not (0 <= i < len(source) and 0 <= t < len(target)):
            raise ValueError(
                f"gold has the link ({i}, {t}), outside a source of {len(source)} and a target of "
                f"{len(target)} words: links are 0-based (source index, target index)"
            )
    # A column is as wide as its word, in inches, so that words stay upright and do not collide.
    widths = [max(0.5, 0.2 + 0.1 * len(word)) for word in source]
    edges = np.cumsum([0.0, *widths])
    height = 0.38 * len(target)
    left = 0.6 + 0.1 * max(len(word) for word in target)
    # What is longer than the figure is wide would be cut off.
    lines = textwrap.wrap(title, width=int((edges[-1] + 1.1) / 0.095))
    figure, axes = plt.subplots(figsize=(edges[-1] + left + 1.1, height + 1.3 + 0.22 * max(0, len(lines) - 1)))
    mesh = axes.pcolormesh(
        edges,
        np.arange(len(target) + 1),
        grid,
        cmap=WEIGHTS_MAP,
        vmin=0,
        vmax=1,
        edgecolors="#DDDDDD",
        linewidth=0.5,
    )
    for i, t in gold:
        axes.add_patch(
            Rectangle(
                (edges[i], t),
                widths[i],
                1,
                fill=False,
                edgecolor=PALETTE["red"],
                linewidth=2.2,
                clip_on=False,
                zorder=3,
            )
        )
    axes.set_xticks((edges[:-1] + edges[1:]) / 2, source)
    axes.set_yticks(np.arange(len(target)) + 0.5, target)
    axes.tick_params(length=0, labeltop=True, labelbottom=False)
    axes.invert_yaxis()
    axes.spines[:].set_visible(False)
    axes.set_xlabel("source word")
    axes.set_ylabel("target word")
    axes.xaxis.set_label_position("top")
    axes.set_title("\n".join(lines))
    figure.colorbar(mesh, label="attention weight", ticks=[0, 0.5, 1], pad=0.02)
    return figure
