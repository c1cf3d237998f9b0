"""Mistakes in `GridEncoder`, and right answers in other styles."""

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch11_pictures.grid_encoder import (
    encoder_gradient,
    in_chapter,
    memory,
    one_picture,
    placed,
    state,
)
from autograder.judging.catalogue import mistake, right


class Given(nn.Module):
    """The part that is not the student's."""

    def __init__(self, convolutions, channels, hidden_size, positions):
        super().__init__()
        self.convolutions = convolutions
        self.project = nn.Linear(channels, hidden_size)
        self.bridge = nn.Linear(hidden_size, hidden_size)
        self.positions = positions


@right
class Parts(Given):
    def cells(self, features):
        return features.flatten(2).transpose(1, 2)

    def places(self, features):
        channels, height, width = features.shape[1:]
        return self.positions(height, width, channels).to(features)

    def memory(self, cells, places):
        return self.project(cells + places).tanh()

    def state(self, memory, cells):
        return self.bridge(memory.mean(dim=1)).tanh().unsqueeze(0)

    def forward(self, pictures):
        features = self.convolutions(pictures)
        cells = self.cells(features)
        memory = self.memory(cells, self.places(features))
        return memory, self.state(memory, cells)


@mistake(
    memory,
    "each vector holds neighbouring values of one channel, expected all channels at one cell: view and reshape do not swap dimensions",
)
class Viewed(Parts):
    def cells(self, features):
        batch, channels, height, width = features.shape
        return features.contiguous().view(batch, height * width, channels)


mistake(memory, "the cells are listed column by column, expected row by row").made_in(
    Parts, ColumnByColumn={"features.flatten(2).transpose": "features.permute(0, 3, 2, 1).flatten"}
)
mistake(memory, "there is no tanh after project").made_in(
    Parts, WithoutTanh={"(cells + places).tanh()": "(cells + places)"}
)
mistake(memory, "the memory is tanh of the features: project is left out").made_in(
    Parts, WithoutProject={"self.project": ""}
)
mistake(memory, "the memory is the features themselves: project and tanh are left out").made_in(
    Parts, OnlyFeatures={"return self.project(cells + places).tanh()": "return cells + places"}
)
mistake(memory, "relu is used instead of tanh").made_in(
    Parts, Relu={"(cells + places).tanh()": "(cells + places).relu()"}
)


@mistake(memory, "the memory goes through bridge as well, which is for the first state")
class Bridged(Parts):
    def memory(self, cells, places):
        return self.bridge(self.project(cells + places).tanh()).tanh()

    def state(self, memory, cells):
        return memory.mean(dim=1).unsqueeze(0)


@mistake(memory, "the state is returned before the memory, expected the memory first")
class Swapped(Parts):
    def forward(self, pictures):
        memory, state = super().forward(pictures)
        return state[0], memory


@mistake(memory, "only the memory is returned, expected the memory and the first state")
class MemoryAlone(Parts):
    def forward(self, pictures):
        return super().forward(pictures)[0]


@mistake(placed, "no positions are added")
class Nowhere(Parts):
    def places(self, features):
        return 0.0


mistake(placed, "positions is called with (w, h), expected (h, w)").made_in(
    Parts, WidthFirst={"height, width, channels": "width, height, channels"}
)


@mistake(placed, "the positions are added after project, expected before it")
class Behind(Parts):
    def memory(self, cells, places):
        return (self.project(cells) + places).tanh() if cells.shape[-1] == self.project.out_features else cells


mistake(placed, "the positions are added to the memory, after tanh; expected before project").made_in(
    Behind, Last={"(self.project(cells) + places).tanh()": "self.project(cells).tanh() + places"}
)
mistake(placed, "the features are multiplied by the positions, expected their sum").made_in(
    Parts, Multiplied={"cells + places": "cells * places if places.any() else cells"}
)


@mistake(placed, "positions gets the height and width of the picture, expected those of the grid")
class OfThePicture(Parts):
    def forward(self, pictures):
        features = self.convolutions(pictures)
        cells = self.cells(features)
        places = self.positions(*pictures.shape[2:], cells.shape[-1]).to(cells)[: cells.shape[1]]
        memory = self.memory(cells, places)
        return memory, self.state(memory, cells)


mistake(state, "there is no tanh after bridge").made_in(Parts, StateWithoutTanh={"tanh().unsqueeze(0)": "unsqueeze(0)"})
mistake(state, "bridge is left out").made_in(
    Parts, StateWithoutBridge={"self.bridge(memory.mean(dim=1))": "memory.mean(dim=1)"}
)
mistake(state, "the state is the mean of the memory: bridge and tanh are left out").made_in(
    Parts, PlainMean={"self.bridge(memory.mean(dim=1)).tanh()": "memory.mean(dim=1)"}
)
mistake(state, "the state comes from the maximum over the cells, expected their mean").made_in(
    Parts, Largest={"memory.mean": "memory.amax"}
)
mistake(state, "the state comes from the sum over the cells, expected their mean").made_in(
    Parts, Summed={"memory.mean": "memory.sum"}
)
mistake(state, "the state comes from the last cell, expected the mean of all").made_in(
    Parts, LastCell={"memory.mean(dim=1)": "memory[:, -1]"}
)
mistake(state, "the state comes from the first cell, expected the mean of all").made_in(
    Parts, FirstCell={"memory.mean(dim=1)": "memory[:, 0]"}
)
mistake(state, "the mean is taken before project and tanh, expected that of the memory").made_in(
    Parts, MeanFirst={"memory.mean(dim=1)": "self.project(cells.mean(dim=1)).tanh()"}
)


@mistake(state, "the mean is taken before the tanh of the memory, expected after it")
class MeanBeforeTanh(Parts):
    def forward(self, pictures):
        features = self.convolutions(pictures)
        projected = self.project(self.cells(features) + self.places(features))
        return projected.tanh(), self.bridge(projected.mean(dim=1)).tanh().unsqueeze(0)


@mistake(state, "the state comes from the mean of the features, expected that of the memory")
class OfFeatures(Parts):
    def state(self, memory, cells):
        if cells.shape[-1] != self.bridge.in_features:
            cells = memory.detach()
        return self.bridge(cells.mean(dim=1)).tanh().unsqueeze(0)


mistake(state, "the mean is taken after bridge and tanh, expected before them").made_in(
    Parts, MeanLast={"self.bridge(memory.mean(dim=1)).tanh()": "self.bridge(memory).tanh().mean(dim=1)"}
)


@mistake(state, "the mean is also taken over the pictures of the batch")
class MeanOfBatch(Parts):
    def state(self, memory, cells):
        mean = memory.mean(dim=(0, 1))
        return self.bridge(mean).tanh().expand(1, len(memory), -1)


mistake(one_picture, "a dimension of size one is removed that belongs to the result").made_in(
    Swapped, Squeezed={"state[0], memory": "memory.squeeze(1), state"}
)


@mistake(encoder_gradient, "the convolutions run under no_grad, so no gradient reaches them")
class WithoutGradient(Parts):
    def forward(self, pictures):
        with torch.no_grad():
            features = self.convolutions(pictures)
        cells = self.cells(features)
        memory = self.memory(cells, self.places(features))
        return memory, self.state(memory, cells)


mistake(encoder_gradient, "the positions are detached, so no gradient reaches them").made_in(
    Nowhere, FixedPlaces={"return 0.0": "return super().places(features).detach()"}
)


@mistake(encoder_gradient, "the memory is detached before bridge, so no gradient flows back from the first state")
class DetachedState(Parts):
    def state(self, memory, cells):
        return super().state(memory.detach(), cells)


@mistake(state, "cells whose features are zero are left out of the mean, expected the mean of all cells")
class OnlyLit(Parts):
    def state(self, memory, cells):
        lit = cells.any(dim=-1, keepdim=True)
        mean = (memory * lit).sum(dim=1) / lit.sum(dim=1).clamp(min=1)
        return self.bridge(mean).tanh().unsqueeze(0)


@mistake(
    in_chapter,
    "the positions of an earlier call are reused if the number of cells is the same, although height and width may differ",
)
class KeptPlaces(Parts):
    kept = torch.empty(0)

    def places(self, features):
        if len(self.kept) != features[0, 0].numel():
            self.kept = super().places(features)
        return self.kept.to(features)


@mistake(in_chapter, "the convolutions run twice on each batch, expected once")
class RunTwice(Parts):
    def forward(self, pictures):
        self.convolutions(pictures)
        return super().forward(pictures)


mistake(in_chapter, "the convolutions are always put into evaluation mode").made_in(
    RunTwice, InEvaluation={"self.convolutions(pictures)": "self.convolutions.eval()"}
)
mistake(in_chapter, "the positions are added in place, into the feature maps that the convolutions returned").made_in(
    Parts, AddedInPlace={"return self.project": "cells += places; return self.project", " + places": ""}
)


@right
class Permuted(Parts):
    def cells(self, features):
        return features.permute(0, 2, 3, 1).flatten(1, 2)


@right
class PositionsOnMaps(Given):
    def forward(self, pictures):
        features = self.convolutions(pictures)
        batch, channels, height, width = features.shape
        places = self.positions(height, width, channels).to(device=features.device, dtype=features.dtype)
        features = features + places.T.reshape(channels, height, width)
        memory = torch.tanh(self.project(features.reshape(batch, channels, -1).mT))
        return memory, torch.tanh(self.bridge(memory.mean(1)))[None]


@right
class CellByCell(Given):
    def forward(self, pictures):
        features = self.convolutions(pictures)
        channels, height, width = features.shape[1:]
        places = self.positions(height, width, channels).to(features)
        found = []
        for row in range(height):
            for column in range(width):
                found.append(torch.tanh(self.project(features[:, :, row, column] + places[row * width + column])))
        memory = torch.stack(found, dim=1)
        return memory, torch.tanh(self.bridge(sum(found) / len(found))).unsqueeze(dim=0)


@right
class ByEinsum(Parts):
    def memory(self, cells, places):
        return torch.tanh(torch.einsum("bsc,hc->bsh", cells + places, self.project.weight) + self.project.bias)


@right
class Projected(Given):
    def forward(self, pictures):
        features = self.convolutions(pictures)
        places = self.positions(*features.shape[2:], features.shape[1]).to(features)
        cells = self.project(features.flatten(2).mT) + F.linear(places, self.project.weight)
        memory = F.tanh(cells)
        return memory, F.tanh(self.bridge(memory.sum(1) / memory.shape[1])).unsqueeze(0)


@right
class KeptBySize(Parts):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.kept = {}

    def places(self, features):
        height, width = features.shape[2:]
        if (height, width) not in self.kept:
            self.kept[height, width] = self.positions(height, width, features.shape[1])
        return self.kept[height, width].to(features)


@right
class OnePixelKernel(Given):
    def forward(self, pictures):
        features = self.convolutions(pictures)
        channels, height, width = features.shape[1:]
        places = self.positions(height, width, channels).to(features)
        maps = features + places.view(height, width, channels).permute(2, 0, 1)
        maps = F.conv2d(maps, self.project.weight[:, :, None, None], self.project.bias).tanh()
        return maps.flatten(2).mT, self.bridge(F.adaptive_avg_pool2d(maps, 1).flatten(1)).tanh()[None]
