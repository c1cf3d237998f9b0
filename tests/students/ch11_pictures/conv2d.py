"""What students hand in for `conv2d`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points; `FORBIDDEN` break the
exercise's rule.
"""

import torch
from torch import nn
from torch.nn import functional as F

EXERCISE = "conv2d"


def _right(inputs, weight, bias, stride=1, padding=0):
    columns = F.unfold(inputs, weight.shape[2:], padding=padding, stride=stride)
    rows = (inputs.shape[2] + 2 * padding - weight.shape[2]) // stride + 1
    return (weight.flatten(1) @ columns + bias.unsqueeze(1)).unflatten(2, (rows, -1))


def flipped(inputs, weight, bias, stride=1, padding=0):
    """The kernel is flipped, as in mathematics."""
    return _right(inputs, weight.flip(2, 3), bias, stride, padding)


def columns_flipped(inputs, weight, bias, stride=1, padding=0):
    """The kernel is mirrored."""
    return _right(inputs, weight.flip(3), bias, stride, padding)


def without_bias(inputs, weight, bias, stride=1, padding=0):
    """The bias is forgotten."""
    return _right(inputs, weight, torch.zeros_like(bias), stride, padding)


def bias_subtracted(inputs, weight, bias, stride=1, padding=0):
    """The bias has the wrong sign."""
    return _right(inputs, weight, -bias, stride, padding)


def averaged(inputs, weight, bias, stride=1, padding=0):
    """The products are averaged."""
    return _right(inputs, weight / weight[0].numel(), bias, stride, padding)


def kernel_turned(inputs, weight, bias, stride=1, padding=0):
    """The kernel is flattened column by column, the pixels row by row."""
    columns = F.unfold(inputs, weight.shape[2:], padding=padding, stride=stride)
    rows = (inputs.shape[2] + 2 * padding - weight.shape[2]) // stride + 1
    maps = weight.transpose(2, 3).flatten(1) @ columns + bias.unsqueeze(1)
    return maps.unflatten(2, (rows, -1))


def first_channel(inputs, weight, bias, stride=1, padding=0):
    """Only the first channel of the picture is looked at."""
    return _right(inputs[:, :1], weight[:, :1], bias, stride, padding)


def one_bias(inputs, weight, bias, stride=1, padding=0):
    """The first bias serves all channels."""
    return _right(inputs, weight, bias[:1].expand(len(bias)), stride, padding)


def one_kernel(inputs, weight, bias, stride=1, padding=0):
    """The first kernel serves all channels."""
    return _right(inputs, weight[:1].expand_as(weight), bias, stride, padding)


def channels_averaged(inputs, weight, bias, stride=1, padding=0):
    """The input channels are averaged."""
    return _right(inputs, weight / weight.shape[1], bias, stride, padding)


def place_after_place(inputs, weight, bias, stride=1, padding=0):
    """The channels come after the places and are only regrouped."""
    maps = _right(inputs, weight, bias, stride, padding)
    return maps.flatten(2).transpose(1, 2).reshape(maps.shape)


def column_by_column(inputs, weight, bias, stride=1, padding=0):
    """The places are read column by column, but `F.unfold` lists them row by row."""
    maps = _right(inputs, weight, bias, stride, padding)
    return maps.flatten(2).unflatten(2, (maps.shape[3], maps.shape[2])).transpose(2, 3)


def width_first(inputs, weight, bias, stride=1, padding=0):
    """H' and W' are swapped."""
    maps = _right(inputs, weight, bias, stride, padding)
    return maps.reshape(*maps.shape[:2], maps.shape[3], maps.shape[2])


def flat_maps(inputs, weight, bias, stride=1, padding=0):
    """The places are left in one dimension."""
    maps = _right(inputs, weight, bias, stride, padding)
    return maps if maps.shape[2:] == (1, 1) else maps.flatten(2)


def stride_of_columns(inputs, weight, bias, stride=1, padding=0):
    """The stride is used along the rows only."""
    return _right(inputs, weight, bias, 1, padding)[:, :, : _rows(inputs, weight, stride, padding), ::stride]


def _rows(inputs, weight, stride, padding):
    return (inputs.shape[2] + 2 * padding - weight.shape[2]) // stride + 1


def without_stride(inputs, weight, bias, stride=1, padding=0):
    """The stride only sets the size of the map."""
    maps = _right(inputs, weight, bias, stride, padding)
    return _right(inputs, weight, bias, 1, padding)[:, :, : maps.shape[2], : maps.shape[3]]


def ignores_stride(inputs, weight, bias, stride=1, padding=0):
    """The stride is ignored."""
    return _right(inputs, weight, bias, 1, padding)


def rounded_up(inputs, weight, bias, stride=1, padding=0):
    """The size is rounded up, so pixels left over at the end get a place as well."""
    height, width = weight.shape[2:]
    down = -(inputs.shape[2] + 2 * padding - height) % stride
    along = -(inputs.shape[3] + 2 * padding - width) % stride
    return _right(F.pad(inputs, (padding, padding + along, padding, padding + down)), weight, bias, stride)


def one_sided(inputs, weight, bias, stride=1, padding=0):
    """Zeros go below and to the right."""
    return _right(F.pad(inputs, (0, 2 * padding, 0, 2 * padding)), weight, bias, stride)


def other_sided(inputs, weight, bias, stride=1, padding=0):
    """Zeros go above and to the left."""
    return _right(F.pad(inputs, (2 * padding, 0, 2 * padding, 0)), weight, bias, stride)


def padded_once(inputs, weight, bias, stride=1, padding=0):
    """Zeros are put above and to the left only."""
    return _right(F.pad(inputs, (padding, 0, padding, 0)), weight, bias, stride)


def ignores_padding(inputs, weight, bias, stride=1, padding=0):
    """The padding is ignored."""
    return _right(inputs, weight, bias, stride)


def edge_repeated(inputs, weight, bias, stride=1, padding=0):
    """The edge pixels are repeated."""
    return _right(F.pad(inputs, (padding,) * 4, mode="replicate"), weight, bias, stride)


def squeezes(inputs, weight, bias, stride=1, padding=0):
    """A batch of one loses its dimension."""
    maps = _right(inputs, weight, bias, stride, padding)
    return maps.squeeze(0)


def no_gradient(inputs, weight, bias, stride=1, padding=0):
    """The kernels get no gradient."""
    return _right(inputs, weight.detach(), bias, stride, padding)


def through_data(inputs, weight, bias, stride=1, padding=0):
    """The pictures get no gradient."""
    return _right(inputs.data, weight, bias, stride, padding)


def bias_of_each_channel(inputs, weight, bias, stride=1, padding=0):
    """The bias is added once for each input channel."""
    return _right(inputs, weight, bias * weight.shape[1], stride, padding)


def from_the_end(inputs, weight, bias, stride=1, padding=0):
    """The places are counted from the end, so that pixels left over are at the start."""
    return _right(inputs, weight, bias, 1, padding).flip(2, 3)[:, :, ::stride, ::stride].flip(2, 3)


def stride_of_the_kernel(inputs, weight, bias, stride=1, padding=0):
    """The stride is at most the size of the kernel."""
    steps = tuple(min(stride, size) for size in weight.shape[2:])
    maps = _right(inputs, weight, bias, 1, padding)
    return maps[:, :, :: steps[0], :: steps[1]]


def half_the_kernel(inputs, weight, bias, stride=1, padding=0):
    """Whatever the padding, half the size of the kernel is used."""
    down, along = (size // 2 if padding else 0 for size in weight.shape[2:])
    return _right(F.pad(inputs, (along, along, down, down)), weight, bias, stride)


def bias_reshaped(inputs, weight, bias, stride=1, padding=0):
    """The caller's bias gets another shape."""
    return _right(inputs, weight, bias.unsqueeze_(1).flatten(), stride, padding)


_DOT = "at one position it is the dot product of kernel and pixels, plus the bias"
_CHANNELS = "a kernel sums over all input channels, and each output channel has its own"
_PLACES = "the kernel visits every position, row by row"
_STRIDE = "the stride applies to rows and columns"
_PADDING = "zeros are added on all four sides"
_TOGETHER = "stride, padding and kernels of any size work together"
_GRADIENT = "the gradient reaches pictures, kernels and biases"
_USE = "works as the chapter uses it"

WRONG = {
    flipped: _DOT,
    columns_flipped: _DOT,
    without_bias: _DOT,
    bias_subtracted: _DOT,
    averaged: _DOT,
    kernel_turned: _DOT,
    first_channel: _CHANNELS,
    one_bias: _CHANNELS,
    one_kernel: _CHANNELS,
    channels_averaged: _CHANNELS,
    bias_of_each_channel: _CHANNELS,
    place_after_place: _PLACES,
    column_by_column: _PLACES,
    width_first: _PLACES,
    flat_maps: _PLACES,
    stride_of_columns: _STRIDE,
    without_stride: _STRIDE,
    ignores_stride: _STRIDE,
    rounded_up: _STRIDE,
    from_the_end: _STRIDE,
    stride_of_the_kernel: _STRIDE,
    one_sided: _PADDING,
    other_sided: _PADDING,
    padded_once: _PADDING,
    ignores_padding: _PADDING,
    edge_repeated: _PADDING,
    half_the_kernel: _PADDING,
    squeezes: _TOGETHER,
    no_gradient: _GRADIENT,
    through_data: _GRADIENT,
    bias_reshaped: _USE,
}


def loops(inputs, weight, bias, stride=1, padding=0):
    """Place by place."""
    padded = F.pad(inputs, (padding, padding, padding, padding))
    height, width = weight.shape[2:]
    rows = []
    for top in range(0, padded.shape[2] - height + 1, stride):
        row = []
        for left in range(0, padded.shape[3] - width + 1, stride):
            window = padded[:, None, :, top : top + height, left : left + width]
            row.append((window * weight).sum(dim=(2, 3, 4)) + bias)
        rows.append(torch.stack(row, dim=-1))
    return torch.stack(rows, dim=2)


def shifted_pictures(inputs, weight, bias, stride=1, padding=0):
    """A sum over the kernel's pixels of shifted pictures."""
    padded = F.pad(inputs, (padding,) * 4)
    height, width = weight.shape[2:]
    rows = (padded.shape[2] - height) // stride + 1
    columns = (padded.shape[3] - width) // stride + 1
    maps = bias.view(1, -1, 1, 1).expand(len(inputs), -1, rows, columns)
    for u in range(height):
        for v in range(width):
            seen = padded[:, :, u : u + stride * rows : stride, v : v + stride * columns : stride]
            maps = maps + torch.einsum("bchw,oc->bohw", seen[:, :, :rows, :columns], weight[:, :, u, v])
    return maps


def with_tensor_unfold(inputs, weight, bias, stride=1, padding=0):
    """Windows by the tensors' own unfold."""
    padded = F.pad(inputs, (padding,) * 4)
    windows = padded.unfold(2, weight.shape[2], stride).unfold(3, weight.shape[3], stride)
    return torch.einsum("bchwuv,ocuv->bohw", windows, weight) + bias[:, None, None]


def places_first(inputs, weight, bias, stride=1, padding=0):
    """A linear layer over the places."""
    columns = F.unfold(inputs, weight.shape[-2:], 1, padding, stride).transpose(1, 2)
    maps = F.linear(columns, weight.reshape(len(weight), -1), bias).transpose(1, 2)
    height = (inputs.size(2) + 2 * padding - weight.size(2)) // stride + 1
    return maps.reshape(len(inputs), len(weight), height, maps.shape[2] // height)


class Conv(nn.Module):
    """A module in the place of a function."""

    def forward(self, inputs, weight, bias, stride=1, padding=0):
        return _right(inputs, weight, bias, stride, padding)


RIGHT = {
    "by unfold": _right,
    "loops": loops,
    "shifted pictures": shifted_pictures,
    "with the tensors' unfold": with_tensor_unfold,
    "a linear layer over the places": places_first,
    "a module": Conv(),
}


def torchs_own(inputs, weight, bias, stride=1, padding=0):
    """The rule is that this is not used."""
    return F.conv2d(inputs, weight, bias, stride, padding)


def torchs_own_module(inputs, weight, bias, stride=1, padding=0):
    """The rule is that this is not used."""
    layer = nn.Conv2d(weight.shape[1], weight.shape[0], tuple(weight.shape[2:]), stride, padding)
    layer.weight.data, layer.bias.data = weight, bias
    return layer(inputs)


FORBIDDEN = (torchs_own, torchs_own_module)
