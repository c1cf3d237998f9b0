"""What is right about `GridEncoder`, and what is said when it is not."""

from typing import Any

from torch import Tensor
from torch.nn import functional as F

from autograder.checks.ch11_pictures.probes import grid_encoder as probes
from autograder.compare import close, explained
from autograder.declare import judge
from autograder.verdict import Verdict

_MEMORY = "the memory has a vector for each cell, computed from all channels at that cell"
_PLACES = "the position of each cell is added before project"
_STATE = "the first state comes from the mean over the cells"


def _layer(values: Tensor, weights: dict[str, Tensor], name: str) -> Tensor:
    return F.linear(values, weights[f"{name}.weight"], weights[f"{name}.bias"])


def _cells(features: Tensor) -> Tensor:
    """(B, C, h, w) -> (B, h w, C)."""
    return features.flatten(2).transpose(1, 2)


@judge(
    _MEMORY,
    probe=probes.memory,
    points=2,
    hint="The channels are dimension 1 and have to come last. `view` and `reshape` alone keep the values in "
    "their order and only regroup them; `transpose` or `permute` swap dimensions.",
)
def vector_per_cell(got: Any, want: Any) -> Verdict:
    """Cells, not stripes of one channel."""
    features, weights = want["features"], want["weights"]
    cells = _cells(features)
    batch, places, channels = cells.shape

    def remembered(values: Tensor) -> Tensor:
        return _layer(values, weights, "project").tanh()

    mistakes = {
        "each vector holds neighbouring values of one channel, expected the values of all channels at one cell: "
        "view and reshape do not swap dimensions": remembered(features.reshape(batch, places, channels)),
        "the cells are listed column by column, expected row by row": remembered(_cells(features.transpose(2, 3))),
        "there is no tanh after project": _layer(cells, weights, "project"),
        "the memory is tanh of the features: project is left out": cells.tanh(),
        "the memory is the features themselves: project and tanh are left out": cells,
        "relu was used instead of tanh": _layer(cells, weights, "project").relu(),
        "the memory went through bridge as well, which is for the first state": _layer(
            remembered(cells), weights, "bridge"
        ).tanh(),
    }
    return explained(got["memory"], want["memory"], mistakes, "memory")


@judge(
    _PLACES,
    probe=probes.placed,
    points=1,
    needs=(_MEMORY,),
    hint="positions takes the height and the width of the grid, not of the picture, and the number of channels. Its row i belongs to cell i of the memory.",
)
def knows_places(got: Any, want: Any) -> Verdict:
    """Positions are added where they belong."""
    features, weights = want["features"], want["weights"]
    cells = _cells(features)
    channels, height, width = features.shape[1:]
    places, turned = probes.somewhere(height, width, channels), probes.somewhere(width, height, channels)

    def remembered(values: Tensor) -> Tensor:
        return _layer(values, weights, "project").tanh()

    mistakes = {
        "no positions were added": remembered(cells),
        "positions was called with (w, h), expected (h, w)": remembered(cells + turned),
        "the positions were added after project, expected before it": (
            _layer(cells, weights, "project") + places
        ).tanh(),
        "the positions were added to the memory, after tanh; expected before project": remembered(cells) + places,
        "the features were multiplied by the positions, expected their sum": remembered(cells * places),
    }
    return explained(got["memory"], want["memory"], mistakes, "memory")


@judge(
    _STATE,
    probe=probes.state,
    points=1,
    needs=(_MEMORY,),
    hint="Average the memory over its cells, dimension 1; then apply bridge and tanh; then add a leading "
    "dimension of size 1.",
)
def starts_from_mean(got: Any, want: Any) -> Verdict:
    """The first state."""
    memory, features, weights = want["memory"], want["features"], want["weights"]

    lit = _cells(features).any(dim=-1, keepdim=True)

    def started(values: Tensor) -> Tensor:
        return _layer(values, weights, "bridge").tanh().unsqueeze(0)

    mistakes = {
        "there is no tanh after bridge": _layer(memory.mean(dim=1), weights, "bridge").unsqueeze(0),
        "bridge is left out": memory.mean(dim=1).tanh().unsqueeze(0),
        "the state is the mean of the memory: bridge and tanh are left out": memory.mean(dim=1).unsqueeze(0),
        "the state comes from the maximum over the cells, expected their mean": started(memory.amax(dim=1)),
        "the state comes from the sum over the cells, expected their mean": started(memory.sum(dim=1)),
        "cells whose features are zero were left out of the mean, expected that of all cells": started(
            (memory * lit).sum(dim=1) / lit.sum(dim=1)
        ),
        "the state comes from the last cell, expected the mean of all": started(memory[:, -1]),
        "the state comes from the first cell, expected the mean of all": started(memory[:, 0]),
        "the state comes from the mean of the features, expected that of the memory": started(
            _cells(features).mean(dim=1)
        ),
        "the mean was taken before project and tanh, expected that of the memory": started(
            _layer(_cells(features).mean(dim=1), weights, "project").tanh()
        ),
        "the mean was taken after bridge and tanh, expected before them": _layer(memory, weights, "bridge")
        .tanh()
        .mean(dim=1)
        .unsqueeze(0),
        "the mean was also taken over the pictures of the batch": started(
            memory.mean(dim=(0, 1), keepdim=True)[0].expand(len(memory), -1)
        ),
    }
    return explained(got["state"], want["state"], mistakes, "state")


one_picture = judge(
    "a single picture, and a grid of one cell, keep their dimensions",
    probe=probes.one_picture,
    points=1,
    hidden=True,
    needs=(_MEMORY, _PLACES, _STATE),
    hint="squeeze() removes every dimension of size one, including those that you need. Take h and w from the "
    "feature maps.",
)(close())

encoder_gradient = judge(
    "the gradient reaches pictures, positions and every weight",
    probe=probes.encoder_gradient,
    points=1,
    hidden=True,
    needs=(_MEMORY, _PLACES, _STATE),
    hint="Use torch's operations on the tensors themselves: detach, .data and no_grad stop the gradient.",
)(close())
