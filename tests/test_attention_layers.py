"""The library's parts of self-attention are the reference's: the same weights give the same outputs, weights and gradients."""

import pytest
import torch
from torch import nn

from seqlab import attention_layers as library
from solutions.ch05_attention import causal_mask
from solutions.ch08_self_attention import (
    EncoderLayer,
    LayerNorm,
    MultiHeadAttention,
    merge_heads,
    positional_encoding,
    scaled_dot_product_attention,
    split_heads,
)

WIDTH, HEADS, INNER = 12, 3, 20
LENGTHS = {"one word": [1], "one sentence": [6], "padded": [2, 6, 1], "nothing but padding": [4, 0]}

every_batch = pytest.mark.parametrize("lengths", LENGTHS.values(), ids=LENGTHS.keys())


@pytest.fixture(autouse=True, params=range(2))
def seed(request):
    torch.manual_seed(request.param)


def inputs_of(lengths):
    """Vectors (B, S, d_model) and a mask (B, 1, S)."""
    mask = torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(1)
    return torch.randn(*mask.shape, WIDTH, requires_grad=True), mask.unsqueeze(1)


def reference_attention():
    return MultiHeadAttention(WIDTH, HEADS, scaled_dot_product_attention, split_heads, merge_heads)


def assert_same_gradients(ours, theirs, inputs, outputs):
    """Of all weights and of the inputs, each weight under its own name."""
    outer = torch.randn_like(outputs[0])
    leaves = [[inputs, *(weight for _, weight in sorted(module.named_parameters()))] for module in (ours, theirs)]
    grads = [torch.autograd.grad((o * outer).sum(), given) for o, given in zip(outputs, leaves, strict=True)]
    torch.testing.assert_close(*grads, rtol=1e-4, atol=1e-5)


@every_batch
def test_attention_is_the_references(lengths):
    ours, theirs = library.MultiHeadAttention(WIDTH, HEADS), reference_attention()
    ours.load_state_dict(theirs.state_dict())
    inputs, mask = inputs_of(lengths)
    query = torch.randn(len(lengths), 4, WIDTH)
    (output, weights), (expected, expected_weights) = ours(query, inputs, mask), theirs(query, inputs, mask)
    torch.testing.assert_close(output, expected)
    torch.testing.assert_close(weights, expected_weights)
    torch.testing.assert_close(ours.keys_values(inputs), theirs.keys_values(inputs))
    assert_same_gradients(ours, theirs, inputs, (output, expected))
    torch.testing.assert_close(ours(query, inputs)[0], theirs(query, inputs)[0])


@every_batch
def test_encoder_layer_is_the_references_with_the_norms_in_front(lengths):
    norms = [LayerNorm(WIDTH) for _ in range(2)]
    theirs = EncoderLayer(reference_attention(), library.FeedForward(WIDTH, INNER), norms)
    for weight in theirs.parameters():
        nn.init.normal_(weight, std=0.4)
    ours = library.EncoderLayer(WIDTH, HEADS, INNER)
    ours.load_state_dict(theirs.state_dict())
    inputs, mask = inputs_of(lengths)
    outputs = ours(inputs, mask), theirs(inputs, mask)
    torch.testing.assert_close(*outputs, rtol=1e-4, atol=1e-5)
    assert_same_gradients(ours, theirs, inputs, outputs)


def test_encoder_layer_drops_in_training_alone():
    layer, (inputs, mask) = library.EncoderLayer(WIDTH, HEADS, INNER, dropout=0.5), inputs_of([2, 6])
    assert not torch.equal(layer(inputs, mask), layer(inputs, mask))
    torch.testing.assert_close(layer.eval()(inputs, mask), layer(inputs, mask))


@pytest.mark.parametrize(("length", "size"), [(1, 2), (7, 12), (512, 128)])
def test_positions_and_the_causal_mask_are_the_references(length, size):
    torch.testing.assert_close(library.positional_encoding(length, size), positional_encoding(length, size))
    assert torch.equal(library.causal_mask(length), causal_mask(length))


def test_what_does_not_go_evenly_is_refused():
    with pytest.raises(ValueError, match="d_model is 7: .* even"):
        library.positional_encoding(4, 7)
    with pytest.raises(ValueError, match="d_model is 12: choose a multiple of the 5 heads"):
        library.MultiHeadAttention(12, 5)
