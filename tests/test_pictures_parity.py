"""The parts of the chapter on pictures and torch's own: the same weights give the same numbers and the same gradients.

Then what the chapter says of them: a shifted picture gives a shifted map, patches without positions are a set, and the decoder is that of
the chapter on attention.
"""

from functools import partial
from itertools import product

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from seqlab.attention_decoder import AttentionDecoder, KeyedAttention
from seqlab.attention_layers import positional_encoding
from seqlab.beam import beam_translate
from seqlab.corpus import BOS, EOS, Vocabulary
from seqlab.models import greedy_translate
from seqlab.patch_encoder import PatchEncoder
from solutions.ch05_attention import AttentionDecoder as OwnDecoder
from solutions.ch06_decoding import beam_search
from solutions.ch08_self_attention import positional_encoding as own_encoding
from solutions.ch11_pictures import GridEncoder, caption_step, conv2d, pointing_accuracy, positions_2d
from tests.parity import assert_near, every_dtype

SEEDS = range(2)


@pytest.fixture(autouse=True, params=SEEDS)
def seed(request):
    torch.manual_seed(request.param)


class TestConvolution:
    @every_dtype
    @pytest.mark.parametrize("kernel", [(1, 1), (3, 3), (4, 4), (2, 5)], ids=str)
    def test_values_and_gradients_are_torchs(self, kernel, dtype):
        for batch, (channels, kernels), stride, padding in product(
            [1, 3], [(1, 1), (3, 2), (2, 5)], [1, 2, 3], [0, 1, 2]
        ):
            self.hold_to_torchs(batch, channels, kernels, kernel, stride, padding, dtype)

    def hold_to_torchs(self, batch, channels, kernels, kernel, stride, padding, dtype):
        given = [
            torch.randn(batch, channels, 7, 9, dtype=dtype),
            torch.randn(kernels, channels, *kernel, dtype=dtype),
            torch.randn(kernels, dtype=dtype),
        ]
        results, gradients = [], []
        outer = None
        for function in (conv2d, F.conv2d):
            mine = [tensor.clone().requires_grad_() for tensor in given]
            maps = function(*mine, stride, padding)
            outer = torch.randn_like(maps) if outer is None else outer
            results.append(maps)
            gradients.append(torch.autograd.grad((maps * outer).sum(), mine))
        assert_near(*results)
        for got, want in zip(*gradients, strict=True):
            assert_near(got, want)

    def test_it_does_not_flip_as_mathematics_does(self):
        inputs, weight = torch.randn(1, 1, 3, 3), torch.randn(1, 1, 3, 3)
        assert_near(conv2d(inputs, weight, torch.zeros(1)).flatten(), (inputs * weight).sum().view(1))

    @pytest.mark.parametrize(("down", "along"), [(1, 0), (0, 2), (2, 3)])
    def test_a_shifted_picture_gives_a_shifted_map_inside(self, down, along):
        picture = torch.zeros(1, 3, 16, 16)
        picture[..., 4:9, 4:9] = torch.randn(3, 5, 5)
        weight, bias = torch.randn(4, 3, 3, 3), torch.randn(4)
        maps, moved = (conv2d(p, weight, bias) for p in (picture, picture.roll((down, along), (2, 3))))
        assert torch.equal(maps.roll((down, along), (2, 3))[..., 2:-2, 3:-3], moved[..., 2:-2, 3:-3])

    def test_a_stride_of_two_shifts_the_map_by_half(self):
        picture = torch.zeros(1, 3, 16, 16)
        picture[..., 4:9, 4:9] = torch.randn(3, 5, 5)
        weight, bias = torch.randn(4, 3, 4, 4), torch.randn(4)
        maps, moved = (conv2d(p, weight, bias, 2, 1) for p in (picture, picture.roll(4, 3)))
        assert_near(maps.roll(2, 3)[..., 1:-1, 2:-2], moved[..., 1:-1, 2:-2])


class TestPositions:
    @pytest.mark.parametrize(("height", "width", "size"), [(1, 1, 4), (3, 5, 8), (8, 8, 64)])
    def test_each_cell_has_its_row_and_its_column(self, height, width, size):
        places = positions_2d(height, width, size, own_encoding).view(height, width, size)
        rows, columns = own_encoding(height, size // 2), own_encoding(width, size // 2)
        for row in range(height):
            for column in range(width):
                assert torch.equal(places[row, column], torch.cat([rows[row], columns[column]]))

    def test_every_cell_has_another(self):
        places = positions_2d(8, 8, 64, positional_encoding)
        assert torch.cdist(places, places).add(10 * torch.eye(64)).min() > 0.1

    def test_seqlabs_encoding_does_as_well(self):
        assert_near(positions_2d(4, 6, 16, positional_encoding), positions_2d(4, 6, 16, partial(own_encoding)))


class TestEncoders:
    def test_a_grid_of_pixels_through_one_convolution_is_a_linear_layer_over_patches(self):
        """With stride and kernel of one size, a convolution cuts patches: the two encoders begin alike."""
        patch, size = 4, 12
        layer, linear = nn.Conv2d(3, size, patch, stride=patch), nn.Linear(3 * patch * patch, size)
        with torch.no_grad():
            linear.weight.copy_(layer.weight.flatten(1))
            linear.bias.copy_(layer.bias)
        pictures = torch.randn(2, 3, 8, 16)
        patches = F.unfold(pictures, patch, stride=patch).transpose(1, 2)
        assert_near(linear(patches), layer(pictures).flatten(2).transpose(1, 2))

    def test_the_grid_encoder_gives_cells_row_by_row(self):
        encoder = GridEncoder(nn.Conv2d(3, 8, 4, 4), 8, 6, lambda h, w, size: torch.zeros(h * w, size))
        pictures = torch.randn(2, 3, 8, 12)
        memory, state = encoder(pictures)
        maps = encoder.convolutions(pictures)
        for row in range(2):
            for column in range(3):
                cell = encoder.project(maps[:, :, row, column]).tanh()
                assert_near(memory[:, 3 * row + column], cell)
        assert_near(state[0], encoder.bridge(memory.mean(dim=1)).tanh())

    @every_dtype
    @pytest.mark.parametrize("places", [True, False], ids=["with positions", "without"])
    def test_the_patch_encoder_equals_torchs_layers(self, places, dtype):
        patch, size, heads, layers = 4, 16, 2, 2
        positions = positions_2d(2, 3, size, positional_encoding).to(dtype) if places else None
        ours = PatchEncoder(patch, size, heads, layers, positions).to(dtype)
        cut = nn.Conv2d(3, size, patch, stride=patch, dtype=dtype)
        theirs = nn.ModuleList(
            nn.TransformerEncoderLayer(
                size, heads, 2 * size, dropout=0.0, batch_first=True, norm_first=True, dtype=dtype
            )
            for _ in range(layers)
        )
        with torch.no_grad():
            cut.weight.copy_(ours.embed.weight.view_as(cut.weight))
            cut.bias.copy_(ours.embed.bias)
            for mine, its in zip(ours.layers, theirs, strict=True):
                attention = mine.self_attention
                its.self_attn.in_proj_weight.copy_(
                    torch.cat([attention.to_query.weight, attention.to_key.weight, attention.to_value.weight])
                )
                its.self_attn.in_proj_bias.copy_(
                    torch.cat([attention.to_query.bias, attention.to_key.bias, attention.to_value.bias])
                )
                its.self_attn.out_proj.load_state_dict(attention.output.state_dict())
                its.linear1.load_state_dict(mine.feed_forward.inner.state_dict())
                its.linear2.load_state_dict(mine.feed_forward.outer.state_dict())
                its.norm1.load_state_dict(mine.norms[0].state_dict())
                its.norm2.load_state_dict(mine.norms[1].state_dict())
        pictures = torch.randn(3, 3, 8, 12, dtype=dtype)
        memory, state = ours(pictures)
        states = cut(pictures).flatten(2).transpose(1, 2)
        states = states if positions is None else states + positions
        for layer in theirs:
            states = layer(states)
        want = ours.norm(states)
        assert_near(memory, want)
        assert_near(state, ours.bridge(want.mean(dim=1)).tanh().unsqueeze(0))
        outer = torch.randn_like(memory)
        got = torch.autograd.grad((memory * outer).sum(), ours.embed.weight)[0]
        assert_near(got, torch.autograd.grad((want * outer).sum(), cut.weight)[0].view_as(got))

    def test_patches_without_positions_are_a_set(self):
        encoder = PatchEncoder(4, 16, 2, 2).eval()
        pictures = torch.randn(2, 3, 8, 8)
        tiles = pictures.unflatten(2, (2, 4)).unflatten(4, (2, 4))  # (B, 3, 2, 4, 2, 4)
        mixed = tiles.flip(4).flatten(4, 5).flatten(2, 3)  # its left and its right half have changed places
        memory, state = encoder(pictures)
        moved, its_state = encoder(mixed)
        assert_near(moved, memory[:, [1, 0, 3, 2]])
        assert_near(its_state, state)


class TestDecoder:
    def test_it_is_the_decoder_of_the_chapter_on_attention(self):
        ours = AttentionDecoder(9, 5, 6, 7)
        attention = KeyedAttention(6, 7)
        theirs = OwnDecoder(9, 5, 6, 7, attention)
        theirs.load_state_dict(ours.state_dict())
        tokens, state, memory = torch.randint(0, 9, (2, 4)), torch.randn(1, 2, 6), torch.randn(2, 8, 7)
        mask = torch.arange(8) < torch.tensor([[8], [5]])
        for got, want in zip(ours(tokens, state, memory, mask), theirs(tokens, state, memory, mask), strict=True):
            assert_near(got, want)

    def test_one_step_drives_every_search(self):
        """With one place, the beams of the chapter on decoding and of `seqlab` write what the greedy search writes; wider, both the same."""
        words = Vocabulary([["a", "b", "c", "d"]])
        decoder = AttentionDecoder(len(words), 6, 8, 8)
        with torch.no_grad():
            decoder.output.bias[:2] -= 50  # neither padding nor the beginning
        memory, state = torch.randn(1, 3, 9, 8), torch.randn(1, 3, 8)
        step = partial(caption_step, decoder)
        mask = torch.ones(3, 9, dtype=torch.bool)
        greedy = greedy_translate(
            lambda word, state: decoder(word, state, memory[0], mask)[::2], state, words, max_words=12
        )
        for width in (1, 4):
            with torch.no_grad():
                found = beam_search(step, (state, memory), BOS, EOS, width, 12)
            for row in range(3):
                one = beam_translate(step, (state[:, row : row + 1], memory[:, row : row + 1]), words, width, 12)
                assert words.decode(found[row][0][0]) == one
                assert width > 1 or one == greedy[row]


class TestPointing:
    def test_a_weight_on_each_cell_points_at_it(self):
        weights = torch.eye(12)  # a grid of 3 by 4
        cells = torch.arange(12)
        starts = torch.stack([cells // 4, cells % 4], dim=1) * 5
        assert pointing_accuracy(weights, torch.cat([starts, starts + 5], dim=1), 4, 5) == 1
        assert pointing_accuracy(weights, torch.cat([starts + 5, starts + 10], dim=1), 4, 5) == 0
        left = torch.tensor([[0, 0, 15, 10]]).expand(12, 4)
        assert pointing_accuracy(weights, left, 4, 5) == 0.5
