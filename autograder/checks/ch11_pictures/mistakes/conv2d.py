"""Mistakes in `conv2d`, and right answers in other styles."""

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch11_pictures.conv2d import (
    both,
    channels,
    conv_gradient,
    in_chapter,
    one_place,
    padded,
    places,
    strided,
)
from autograder.judging.catalogue import forbidden, mistake, right


@right
def _right(inputs, weight, bias, stride=1, padding=0):
    columns = F.unfold(inputs, weight.shape[2:], padding=padding, stride=stride)
    rows = (inputs.shape[2] + 2 * padding - weight.shape[2]) // stride + 1
    return (weight.flatten(1) @ columns + bias.unsqueeze(1)).unflatten(2, (rows, -1))


mistake(
    one_place, "unfold gets the height of the kernel alone, as if it were square; expected height and width"
).made_in(_right, square_kernel={"inputs, weight.shape[2:]": "inputs, weight.shape[2]"})
mistake(one_place, "the width of the maps is computed from the height of the pictures").made_in(
    _right,
    width_from_height={
        ".unflatten(2, (rows, -1))": ".reshape("
        "len(inputs), len(weight), rows, (inputs.shape[2] + 2 * padding - weight.shape[3]) // stride + 1)"
    },
)


@mistake(one_place, "the kernel is flipped, as in a mathematical convolution; expected it unchanged")
def flipped(inputs, weight, bias, stride=1, padding=0):
    return _right(inputs, weight.flip(2, 3), bias, stride, padding)


@mistake(one_place, "the kernel's columns are flipped")
def columns_flipped(inputs, weight, bias, stride=1, padding=0):
    return _right(inputs, weight.flip(3), bias, stride, padding)


@mistake(one_place, "the bias is missing")
def without_bias(inputs, weight, bias, stride=1, padding=0):
    return _right(inputs, weight, torch.zeros_like(bias), stride, padding)


mistake(one_place, "the bias is subtracted").made_in(without_bias, bias_subtracted={"torch.zeros_like(bias)": "-bias"})


@mistake(one_place, "the products are averaged, expected their sum")
def averaged(inputs, weight, bias, stride=1, padding=0):
    return _right(inputs, weight / weight[0].numel(), bias, stride, padding)


@mistake(one_place, "the kernel is flattened column by column, but the pixels row by row")
def kernel_turned(inputs, weight, bias, stride=1, padding=0):
    columns = F.unfold(inputs, weight.shape[2:], padding=padding, stride=stride)
    rows = (inputs.shape[2] + 2 * padding - weight.shape[2]) // stride + 1
    maps = weight.transpose(2, 3).flatten(1) @ columns + bias.unsqueeze(1)
    return maps.unflatten(2, (rows, -1))


@mistake(one_place, "a ReLU follows, expected the sums as they are")
def rectified(inputs, weight, bias, stride=1, padding=0):
    return _right(inputs, weight, bias, stride, padding).relu()


@mistake(channels, "a kernel is flattened with its channels last, but unfold has them first")
def channels_last(inputs, weight, bias, stride=1, padding=0):
    return _right(inputs, weight.permute(0, 2, 3, 1).reshape(weight.shape), bias, stride, padding)


@mistake(both, "view needs a contiguous tensor; reshape and flatten work with any")
def views(inputs, weight, bias, stride=1, padding=0):
    return _right(inputs, weight.view(len(weight), -1).view(weight.shape), bias, stride, padding)


@mistake(channels, "only the first input channel is used")
def first_channel(inputs, weight, bias, stride=1, padding=0):
    return _right(inputs[:, :1], weight[:, :1], bias, stride, padding)


@mistake(channels, "every output channel has the bias of the first")
def one_bias(inputs, weight, bias, stride=1, padding=0):
    return _right(inputs, weight, bias[:1].expand(len(bias)), stride, padding)


@mistake(channels, "every output channel is computed with the first kernel")
def one_kernel(inputs, weight, bias, stride=1, padding=0):
    return _right(inputs, weight[:1].expand_as(weight), bias, stride, padding)


@mistake(channels, "the input channels are averaged, expected their sum")
def channels_averaged(inputs, weight, bias, stride=1, padding=0):
    return _right(inputs, weight / weight.shape[1], bias, stride, padding)


@mistake(
    places, "positions and output channels are mixed up: the values are reshaped where dimensions have to be swapped"
)
def place_after_place(inputs, weight, bias, stride=1, padding=0):
    maps = _right(inputs, weight, bias, stride, padding)
    return maps.flatten(2).transpose(1, 2).reshape(maps.shape)


@mistake(places, "the positions are listed column by column, expected row by row")
def column_by_column(inputs, weight, bias, stride=1, padding=0):
    maps = _right(inputs, weight, bias, stride, padding)
    return maps.flatten(2).unflatten(2, (maps.shape[3], maps.shape[2])).transpose(2, 3)


@mistake(places, "height and width of the map are swapped")
def width_first(inputs, weight, bias, stride=1, padding=0):
    maps = _right(inputs, weight, bias, stride, padding)
    return maps.reshape(*maps.shape[:2], maps.shape[3], maps.shape[2])


@mistake(places, "the positions are left in one dimension, expected H' rows and W' columns")
def flat_maps(inputs, weight, bias, stride=1, padding=0):
    maps = _right(inputs, weight, bias, stride, padding)
    return maps if maps.shape[2:] == (1, 1) else maps.flatten(2)


@mistake(strided, "the stride applies along the rows but not down the columns")
def stride_of_columns(inputs, weight, bias, stride=1, padding=0):
    return _right(inputs, weight, bias, 1, padding)[:, :, : _rows(inputs, weight, stride, padding), ::stride]


def _rows(inputs, weight, stride, padding):
    return (inputs.shape[2] + 2 * padding - weight.shape[2]) // stride + 1


@mistake(strided, "the stride applies down the columns but not along the rows")
def stride_of_rows(inputs, weight, bias, stride=1, padding=0):
    maps = _right(inputs, weight, bias, stride, padding)
    return _right(inputs, weight, bias, 1, padding)[:, :, ::stride, : maps.shape[3]]


mistake(strided, "the stride determines the size of the map, but the kernel still moves by one pixel").made_in(
    stride_of_rows, without_stride={"::stride": ": maps.shape[2]"}
)


@mistake(strided, "the stride is ignored")
def ignores_stride(inputs, weight, bias, stride=1, padding=0):
    return _right(inputs, weight, bias, 1, padding)


@mistake(strided, "the size of the map is rounded up, so pixels left over at the end get a position as well")
def rounded_up(inputs, weight, bias, stride=1, padding=0):
    height, width = weight.shape[2:]
    down = -(inputs.shape[2] + 2 * padding - height) % stride
    along = -(inputs.shape[3] + 2 * padding - width) % stride
    return _right(F.pad(inputs, (padding, padding + along, padding, padding + down)), weight, bias, stride)


@mistake(padded, "all zeros are added below and to the right, expected half of them above and to the left")
def one_sided(inputs, weight, bias, stride=1, padding=0):
    return _right(F.pad(inputs, (0, 2 * padding, 0, 2 * padding)), weight, bias, stride)


@mistake(padded, "all zeros are added above and to the left, expected half of them below and to the right")
def other_sided(inputs, weight, bias, stride=1, padding=0):
    return _right(F.pad(inputs, (2 * padding, 0, 2 * padding, 0)), weight, bias, stride)


@mistake(padded, "zeros are added above and to the left only, expected on all four sides")
def padded_once(inputs, weight, bias, stride=1, padding=0):
    return _right(F.pad(inputs, (padding, 0, padding, 0)), weight, bias, stride)


mistake(padded, "the padding is ignored").made_in(ignores_stride, ignores_padding={"bias, 1, padding": "bias, stride"})


@mistake(padded, "the edge is repeated around the picture, expected zeros")
def edge_repeated(inputs, weight, bias, stride=1, padding=0):
    return _right(F.pad(inputs, (padding,) * 4, mode="replicate"), weight, bias, stride)


mistake(both, "a dimension of size one is removed that belongs to the result").made_in(
    place_after_place, squeezes={"maps.flatten(2).transpose(1, 2).reshape(maps.shape)": "maps.squeeze(0)"}
)


@mistake(conv_gradient, "the kernels are detached, so no gradient reaches them")
def no_gradient(inputs, weight, bias, stride=1, padding=0):
    return _right(inputs, weight.detach(), bias, stride, padding)


@mistake(conv_gradient, "the pictures are used as .data, so no gradient reaches them")
def through_data(inputs, weight, bias, stride=1, padding=0):
    return _right(inputs.data, weight, bias, stride, padding)


@mistake(channels, "the bias is added once for each input channel, expected once in all")
def bias_of_each_channel(inputs, weight, bias, stride=1, padding=0):
    return _right(inputs, weight, bias * weight.shape[1], stride, padding)


@mistake(strided, "the positions are counted from the end, so the pixels left over are at the start")
def from_the_end(inputs, weight, bias, stride=1, padding=0):
    return _right(inputs, weight, bias, 1, padding).flip(2, 3)[:, :, ::stride, ::stride].flip(2, 3)


@mistake(strided, "the stride is limited to the size of the kernel, expected the given stride")
def stride_of_the_kernel(inputs, weight, bias, stride=1, padding=0):
    steps = tuple(min(stride, size) for size in weight.shape[2:])
    maps = _right(inputs, weight, bias, 1, padding)
    return maps[:, :, :: steps[0], :: steps[1]]


@mistake(padded, "the padding is half the size of the kernel, whatever `padding` is")
def half_the_kernel(inputs, weight, bias, stride=1, padding=0):
    down, along = (size // 2 if padding else 0 for size in weight.shape[2:])
    return _right(F.pad(inputs, (along, along, down, down)), weight, bias, stride)


@mistake(in_chapter, "the caller's bias is reshaped in place")
def bias_reshaped(inputs, weight, bias, stride=1, padding=0):
    return _right(inputs, weight, bias.unsqueeze_(1).flatten(), stride, padding)


@right
def loops(inputs, weight, bias, stride=1, padding=0):
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


@right
def shifted_pictures(inputs, weight, bias, stride=1, padding=0):
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


@right
def with_tensor_unfold(inputs, weight, bias, stride=1, padding=0):
    padded = F.pad(inputs, (padding,) * 4)
    windows = padded.unfold(2, weight.shape[2], stride).unfold(3, weight.shape[3], stride)
    return torch.einsum("bchwuv,ocuv->bohw", windows, weight) + bias[:, None, None]


@right
def places_first(inputs, weight, bias, stride=1, padding=0):
    columns = F.unfold(inputs, weight.shape[-2:], 1, padding, stride).transpose(1, 2)
    maps = F.linear(columns, weight.reshape(len(weight), -1), bias).transpose(1, 2)
    height = (inputs.size(2) + 2 * padding - weight.size(2)) // stride + 1
    return maps.reshape(len(inputs), len(weight), height, maps.shape[2] // height)


class Conv(nn.Module):
    """A module in the place of a function."""

    def forward(self, inputs, weight, bias, stride=1, padding=0):
        return _right(inputs, weight, bias, stride, padding)


@forbidden
def torchs_own(inputs, weight, bias, stride=1, padding=0):
    return F.conv2d(inputs, weight, bias, stride, padding)


@forbidden
def torchs_own_module(inputs, weight, bias, stride=1, padding=0):
    layer = nn.Conv2d(weight.shape[1], weight.shape[0], tuple(weight.shape[2:]), stride, padding)
    layer.weight.data, layer.bias.data = weight, bias
    return layer(inputs)


right(Conv())
