"""What students hand in for `GridEncoder`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points. The constructor is given with the
exercise, so each stands on `Given`.
"""

import torch
from torch import nn
from torch.nn import functional as F

EXERCISE = "GridEncoder"


class Given(nn.Module):
    """The part that is not the student's."""

    def __init__(self, convolutions, channels, hidden_size, positions):
        super().__init__()
        self.convolutions = convolutions
        self.project = nn.Linear(channels, hidden_size)
        self.bridge = nn.Linear(hidden_size, hidden_size)
        self.positions = positions


class Parts(Given):
    """A right answer in steps, of which each mistake changes one."""

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


class Viewed(Parts):
    """The maps are viewed as cells, and no dimensions are swapped."""

    def cells(self, features):
        batch, channels, height, width = features.shape
        return features.contiguous().view(batch, height * width, channels)


class ColumnByColumn(Parts):
    """The cells are listed column by column."""

    def cells(self, features):
        return features.permute(0, 3, 2, 1).flatten(1, 2)


class WithoutTanh(Parts):
    """The memory has no tanh."""

    def memory(self, cells, places):
        return self.project(cells + places)


class WithoutProject(Parts):
    """The features are the memory."""

    def memory(self, cells, places):
        return (cells + places).tanh()


class OnlyFeatures(Parts):
    """Neither project nor tanh."""

    def memory(self, cells, places):
        return cells + places


class Relu(Parts):
    """relu is used in place of tanh."""

    def memory(self, cells, places):
        return self.project(cells + places).relu()


class Bridged(Parts):
    """The memory goes through bridge."""

    def memory(self, cells, places):
        return self.bridge(self.project(cells + places).tanh()).tanh()

    def state(self, memory, cells):
        return memory.mean(dim=1).unsqueeze(0)


class Swapped(Parts):
    """The state is returned first."""

    def forward(self, pictures):
        memory, state = super().forward(pictures)
        return state[0], memory


class MemoryAlone(Parts):
    """Only the memory is returned."""

    def forward(self, pictures):
        return super().forward(pictures)[0]


class Nowhere(Parts):
    """The positions are forgotten."""

    def places(self, features):
        return 0.0


class WidthFirst(Parts):
    """The positions are asked for by width and height."""

    def places(self, features):
        channels, height, width = features.shape[1:]
        return self.positions(width, height, channels).to(features)


class Behind(Parts):
    """The positions are added after project."""

    def memory(self, cells, places):
        return (self.project(cells) + places).tanh() if cells.shape[-1] == self.project.out_features else cells


class Last(Parts):
    """The positions are added to the memory."""

    def memory(self, cells, places):
        return self.project(cells).tanh() + places if cells.shape[-1] == self.project.out_features else cells


class Multiplied(Parts):
    """The features are multiplied with their positions."""

    def memory(self, cells, places):
        return self.project(cells * places if places.any() else cells).tanh()


class OfThePicture(Parts):
    """The positions are computed for the picture's height and width, not the grid's."""

    def forward(self, pictures):
        features = self.convolutions(pictures)
        cells = self.cells(features)
        places = self.positions(*pictures.shape[2:], cells.shape[-1]).to(cells)[: cells.shape[1]]
        memory = self.memory(cells, places)
        return memory, self.state(memory, cells)


class StateWithoutTanh(Parts):
    """The state has no tanh."""

    def state(self, memory, cells):
        return self.bridge(memory.mean(dim=1)).unsqueeze(0)


class StateWithoutBridge(Parts):
    """bridge is forgotten."""

    def state(self, memory, cells):
        return memory.mean(dim=1).tanh().unsqueeze(0)


class PlainMean(Parts):
    """The mean is the state."""

    def state(self, memory, cells):
        return memory.mean(dim=1).unsqueeze(0)


class Largest(Parts):
    """The maximum over the cells is used."""

    def state(self, memory, cells):
        return self.bridge(memory.amax(dim=1)).tanh().unsqueeze(0)


class Summed(Parts):
    """The sum over the cells is used."""

    def state(self, memory, cells):
        return self.bridge(memory.sum(dim=1)).tanh().unsqueeze(0)


class LastCell(Parts):
    """The last cell is used, like the last word of a sentence."""

    def state(self, memory, cells):
        return self.bridge(memory[:, -1]).tanh().unsqueeze(0)


class OfFeatures(Parts):
    """The mean is that of the features."""

    def state(self, memory, cells):
        if cells.shape[-1] != self.bridge.in_features:
            cells = memory.detach()
        return self.bridge(cells.mean(dim=1)).tanh().unsqueeze(0)


class MeanLast(Parts):
    """The mean is taken at the end."""

    def state(self, memory, cells):
        return self.bridge(memory).tanh().mean(dim=1).unsqueeze(0)


class MeanOfBatch(Parts):
    """The mean is taken over the batch as well."""

    def state(self, memory, cells):
        mean = memory.mean(dim=(0, 1))
        return self.bridge(mean).tanh().expand(1, len(memory), -1)


class Squeezed(Parts):
    """Dimensions of size one are lost."""

    def forward(self, pictures):
        memory, state = super().forward(pictures)
        return memory.squeeze(1), state


class WithoutGradient(Parts):
    """No gradient reaches the convolutions."""

    def forward(self, pictures):
        with torch.no_grad():
            features = self.convolutions(pictures)
        cells = self.cells(features)
        memory = self.memory(cells, self.places(features))
        return memory, self.state(memory, cells)


class FixedPlaces(Parts):
    """No gradient reaches learned positions."""

    def places(self, features):
        return super().places(features).detach()


class DetachedState(Parts):
    """No gradient goes from the first state back into the memory."""

    def state(self, memory, cells):
        return super().state(memory.detach(), cells)


class OnlyLit(Parts):
    """Cells without any feature are taken for padding, and left out of the mean."""

    def state(self, memory, cells):
        lit = cells.any(dim=-1, keepdim=True)
        mean = (memory * lit).sum(dim=1) / lit.sum(dim=1).clamp(min=1)
        return self.bridge(mean).tanh().unsqueeze(0)


class KeptPlaces(Parts):
    """The positions are kept for as long as the number of cells stays the same."""

    kept = torch.empty(0)

    def places(self, features):
        if len(self.kept) != features[0, 0].numel():
            self.kept = super().places(features)
        return self.kept.to(features)


class RunTwice(Parts):
    """The convolutions run once for the sizes and once more for the features."""

    def forward(self, pictures):
        self.convolutions(pictures)
        return super().forward(pictures)


class InEvaluation(Parts):
    """The convolutions are always in evaluation mode."""

    def forward(self, pictures):
        self.convolutions.eval()
        return super().forward(pictures)


class AddedInPlace(Parts):
    """The positions are added into the feature maps themselves."""

    def memory(self, cells, places):
        cells += places
        return self.project(cells).tanh()


_MEMORY = "the memory has a vector for each cell, computed from all channels at that cell"
_PLACES = "the position of each cell is added before project"
_STATE = "the first state comes from the mean over the cells"
_ALONE = "a single picture, and a grid of one cell, keep their dimensions"
_GRADIENT = "the gradient reaches pictures, positions and every weight"
_USE = "works as the chapter uses it"

WRONG = {
    Viewed: _MEMORY,
    ColumnByColumn: _MEMORY,
    WithoutTanh: _MEMORY,
    WithoutProject: _MEMORY,
    OnlyFeatures: _MEMORY,
    Relu: _MEMORY,
    Bridged: _MEMORY,
    Swapped: _MEMORY,
    MemoryAlone: _MEMORY,
    Nowhere: _PLACES,
    WidthFirst: _PLACES,
    Behind: _PLACES,
    Last: _PLACES,
    Multiplied: _PLACES,
    OfThePicture: _PLACES,
    StateWithoutTanh: _STATE,
    StateWithoutBridge: _STATE,
    PlainMean: _STATE,
    Largest: _STATE,
    Summed: _STATE,
    LastCell: _STATE,
    OfFeatures: _STATE,
    MeanLast: _STATE,
    MeanOfBatch: _STATE,
    OnlyLit: _STATE,
    Squeezed: _ALONE,
    WithoutGradient: _GRADIENT,
    DetachedState: _GRADIENT,
    FixedPlaces: _GRADIENT,
    KeptPlaces: _USE,
    RunTwice: _USE,
    InEvaluation: _USE,
    AddedInPlace: _USE,
}


class Permuted(Parts):
    """permute and flatten."""

    def cells(self, features):
        return features.permute(0, 2, 3, 1).flatten(1, 2)


class PositionsOnMaps(Given):
    """The positions are added to the maps."""

    def forward(self, pictures):
        features = self.convolutions(pictures)
        batch, channels, height, width = features.shape
        places = self.positions(height, width, channels).to(device=features.device, dtype=features.dtype)
        features = features + places.T.reshape(channels, height, width)
        memory = torch.tanh(self.project(features.reshape(batch, channels, -1).mT))
        return memory, torch.tanh(self.bridge(memory.mean(1)))[None]


class CellByCell(Given):
    """A loop over the cells."""

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


class ByEinsum(Parts):
    """project as einsum."""

    def memory(self, cells, places):
        return torch.tanh(torch.einsum("bsc,hc->bsh", cells + places, self.project.weight) + self.project.bias)


class Projected(Given):
    """Features and positions are projected apart, the bias once."""

    def forward(self, pictures):
        features = self.convolutions(pictures)
        places = self.positions(*features.shape[2:], features.shape[1]).to(features)
        cells = self.project(features.flatten(2).mT) + F.linear(places, self.project.weight)
        memory = F.tanh(cells)
        return [memory, F.tanh(self.bridge(memory.sum(1) / memory.shape[1])).unsqueeze(0)]


class KeptBySize(Parts):
    """The positions are kept for each height and width."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.kept = {}

    def places(self, features):
        height, width = features.shape[2:]
        if (height, width) not in self.kept:
            self.kept[height, width] = self.positions(height, width, features.shape[1])
        return self.kept[height, width].to(features)


class OnePixelKernel(Given):
    """project as a convolution with a kernel of one pixel; the mean is that of the maps."""

    def forward(self, pictures):
        features = self.convolutions(pictures)
        channels, height, width = features.shape[1:]
        places = self.positions(height, width, channels).to(features)
        maps = features + places.view(height, width, channels).permute(2, 0, 1)
        maps = F.conv2d(maps, self.project.weight[:, :, None, None], self.project.bias).tanh()
        return maps.flatten(2).mT, self.bridge(F.adaptive_avg_pool2d(maps, 1).flatten(1)).tanh()[None]


RIGHT = {
    "in steps": Parts,
    "permuted": Permuted,
    "positions on the maps": PositionsOnMaps,
    "cell by cell": CellByCell,
    "by einsum": ByEinsum,
    "projected apart": Projected,
    "kept by size": KeptBySize,
    "a kernel of one pixel": OnePixelKernel,
}
