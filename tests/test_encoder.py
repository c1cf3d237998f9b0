"""The library's encoder is torch's own, with the mask turned round, nothing behind the last layer, and layers that start apart."""

import pytest
import torch
from torch import nn

from seqlab.encoder import Encoder

SIZE, HEADS, HIDDEN, LAYERS = 12, 3, 20, 2
LENGTHS = {"one word": [1], "one sentence": [6], "padded": [2, 6, 1]}


@pytest.fixture(params=range(3))
def encoder(request):
    torch.manual_seed(request.param)
    return Encoder(SIZE, HEADS, HIDDEN, LAYERS, dropout=0.0)


def inputs_of(lengths):
    mask = torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(1)
    return torch.randn(*mask.shape, SIZE), mask


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("lengths", LENGTHS.values(), ids=LENGTHS.keys())
def test_is_torchs_stack_of_post_norm_layers_with_gelu(encoder, lengths, training):
    layer = nn.TransformerEncoderLayer(SIZE, HEADS, HIDDEN, 0.0, "gelu", layer_norm_eps=1e-12, batch_first=True)
    stack = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
    stack.load_state_dict(encoder.state_dict())
    states, mask = inputs_of(lengths)
    ours, theirs = encoder.train(training)(states, mask), stack(states, src_key_padding_mask=~mask)
    torch.testing.assert_close(ours[mask], theirs[mask])
    outer = torch.randn_like(ours[mask])
    grads = [torch.autograd.grad((out[mask] * outer).sum(), list(of.parameters())) for out, of in
             ((ours, encoder), (theirs, stack))]  # fmt: skip
    torch.testing.assert_close(*grads)


def test_padding_changes_nothing(encoder):
    states, mask = inputs_of([2, 6, 1])
    changed = torch.where(mask.unsqueeze(-1), states, torch.randn_like(states))
    torch.testing.assert_close(encoder(states, mask)[mask], encoder(changed, mask)[mask])


def test_every_word_sees_every_word(encoder):
    states, mask = inputs_of([5])
    for place in range(5):
        changed = states.clone()
        changed[0, place] += torch.randn(SIZE)
        moved = (encoder(changed, mask) - encoder(states, mask)).abs().amax(dim=-1)[0]
        assert (moved > 1e-5).all()


def test_layers_start_with_weights_of_their_own(encoder):
    first, second = (layer.linear1.weight for layer in encoder.layers)
    assert not torch.allclose(first, second)


def test_drops_in_training_alone(encoder):
    dropping = Encoder(SIZE, HEADS, HIDDEN, LAYERS, dropout=0.5)
    states, mask = inputs_of([2, 6])
    assert not torch.equal(dropping(states, mask), dropping(states, mask))
    torch.testing.assert_close(dropping.eval()(states, mask), dropping(states, mask))
