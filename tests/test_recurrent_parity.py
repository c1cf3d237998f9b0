"""Steps and cells of the recurrent networks, from the solutions, against torch's own modules: values and gradients, of batches of one and of many."""

from itertools import product

import pytest
import torch
from torch import nn

from solutions.ch01_rnn_lm import rnn_step
from solutions.ch02_gates import GRUCell, LSTMCell, backprop_through_time, clip_gradients_, rnn_backward_step

INPUT, STATE = 5, 4
CELLS = {"GRUCell": (GRUCell, nn.GRUCell), "LSTMCell": (LSTMCell, nn.LSTMCell)}

every_case = pytest.mark.parametrize(
    ("batch", "bias", "given", "dtype"),
    [
        pytest.param(*case, id=f"batch {case[0]}, bias {case[1]}, state {case[2]}, {str(case[3])[6:]}")
        for case in product((1, 15), (True, False), (True, False), (torch.float32, torch.float64))
    ],
)


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def near(dtype):
    return {"rtol": 1e-12, "atol": 1e-12} if dtype == torch.float64 else {"rtol": 1e-4, "atol": 1e-5}


def same(ours, theirs, dtype):
    """The tensors are the same but for rounding, and of that type."""
    for own, right in zip(ours, theirs, strict=True):
        assert own.dtype == right.dtype == dtype
        torch.testing.assert_close(own, right, **near(dtype))


class TestRecurrence:
    @every_case
    def test_step_is_torchs(self, batch, bias, given, dtype):
        theirs = nn.RNNCell(INPUT, STATE, bias=bias, dtype=dtype)
        x = torch.randn(batch, INPUT, dtype=dtype, requires_grad=True)
        h = torch.randn(batch, STATE, dtype=dtype) if given else torch.zeros(batch, STATE, dtype=dtype)
        h.requires_grad_()
        both = theirs.bias_ih + theirs.bias_hh if bias else torch.zeros(STATE, dtype=dtype)
        both = both.detach().requires_grad_()
        ours = rnn_step(x, h, theirs.weight_ih, theirs.weight_hh, both)
        right = theirs(x, h) if given else theirs(x)
        same([ours], [right], dtype)

        outer = torch.randn(batch, STATE, dtype=dtype)
        weights = [theirs.weight_ih, theirs.weight_hh]
        inputs = [x, h] if given else [x]
        own = torch.autograd.grad((ours * outer).sum(), [*inputs, *weights, both])
        wanted = torch.autograd.grad((right * outer).sum(), [*inputs, *weights, *([theirs.bias_ih] if bias else [])])
        same(own[: len(wanted)], wanted, dtype)


class TestBackPropagation:
    @pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
    @pytest.mark.parametrize("batch", (1, 15))
    def test_one_step_back_is_autograds(self, batch, dtype):
        x = torch.randn(batch, INPUT, dtype=dtype, requires_grad=True)
        h = torch.randn(batch, STATE, dtype=dtype, requires_grad=True)
        weights = [torch.randn(STATE, size, dtype=dtype, requires_grad=True) for size in (INPUT, STATE)]
        bias = torch.randn(STATE, dtype=dtype, requires_grad=True)
        new = rnn_step(x, h, *weights, bias)
        output_grad, later_grad = torch.randn(2, batch, STATE, dtype=dtype)
        wanted = torch.autograd.grad(new, [x, h, *weights, bias], output_grad + later_grad)
        with torch.no_grad():
            same(rnn_backward_step(x, h, new, output_grad, later_grad, *weights), wanted, dtype)

    @pytest.mark.parametrize("steps", (1, 2, 7))
    @every_case
    def test_through_time_is_autograds_on_torchs_module(self, batch, bias, given, dtype, steps):
        rnn = nn.RNN(INPUT, STATE, batch_first=True, bias=bias, dtype=dtype)
        inputs = torch.randn(batch, steps, INPUT, dtype=dtype, requires_grad=True)
        first = torch.randn(batch, STATE, dtype=dtype) if given else torch.zeros(batch, STATE, dtype=dtype)
        first.requires_grad_()
        states, _ = rnn(inputs, first.unsqueeze(0) if given else None)
        outer = torch.randn(batch, steps, STATE, dtype=dtype)
        weights = [rnn.weight_ih_l0, rnn.weight_hh_l0]
        leaves = [inputs, *[first] * given, *weights, *([rnn.bias_ih_l0] if bias else [])]
        wanted = torch.autograd.grad((states * outer).sum(), leaves)

        with torch.no_grad():
            both = rnn.bias_ih_l0 + rnn.bias_hh_l0 if bias else torch.zeros(STATE, dtype=dtype)
            walked = [first]
            for x in inputs.unbind(1):
                walked.append(rnn_step(x, walked[-1], *weights, both))
            walked = torch.stack(walked, dim=1)  # (B, T + 1, H)
            same([walked[:, 1:]], [states], dtype)
            of_inputs, of_first, *of_weights, of_bias = backprop_through_time(
                inputs, walked, outer, *weights, rnn_backward_step
            )
        same([of_inputs, *[of_first] * given, *of_weights, *[of_bias] * bias], wanted, dtype)


def run(cell, x, state):
    """All that comes back of a cell."""
    result = cell(x) if state is None else cell(x, state)
    return [result] if isinstance(result, torch.Tensor) else list(result)


@pytest.mark.parametrize("name", CELLS)
class TestCells:
    @every_case
    def test_values_and_gradients_are_torchs(self, name, batch, bias, given, dtype):
        own_class, torchs_class = CELLS[name]
        theirs = torchs_class(INPUT, STATE, bias=bias, dtype=dtype)
        ours = own_class(INPUT, STATE, bias=bias).to(dtype)
        ours.load_state_dict(theirs.state_dict())
        x = torch.randn(batch, INPUT, dtype=dtype, requires_grad=True)
        states = [
            torch.randn(batch, STATE, dtype=dtype, requires_grad=True) for _ in range(2 if name == "LSTMCell" else 1)
        ]
        state = None if not given else tuple(states) if name == "LSTMCell" else states[0]
        got, wanted = run(ours, x, state), run(theirs, x, state)
        same(got, wanted, dtype)

        outer = [torch.randn(batch, STATE, dtype=dtype) for _ in wanted]
        gradients = []
        for cell, results in ((ours, got), (theirs, wanted)):
            loss = sum((result * weight).sum() for result, weight in zip(results, outer, strict=True))
            leaves = [x, *(states if given else []), *cell.parameters()]
            gradients.append(torch.autograd.grad(loss, leaves))
        same(*gradients, dtype)

    @pytest.mark.parametrize("bias", (True, False))
    def test_a_new_one_has_torchs_names_shapes_and_numbers(self, name, bias):
        made = []
        for cell_class in CELLS[name]:
            torch.manual_seed(1)
            made.append(cell_class(INPUT, STATE, bias=bias).state_dict())
        assert list(made[0]) == list(made[1])
        same(made[0].values(), made[1].values(), torch.float32)

    def test_many_steps_are_those_of_torchs_layer(self, name):
        layer = (nn.GRU if name == "GRUCell" else nn.LSTM)(INPUT, STATE, batch_first=True)
        cell = CELLS[name][0](INPUT, STATE)
        cell.load_state_dict({key.removesuffix("_l0"): weight for key, weight in layer.state_dict().items()})
        inputs = torch.randn(3, 12, INPUT)
        state, states = None, []
        for x in inputs.unbind(1):
            state = cell(x, state)
            states.append(state[0] if name == "LSTMCell" else state)
        same([torch.stack(states, dim=1)], [layer(inputs)[0]], torch.float32)


class TestClipping:
    @pytest.mark.parametrize("largest", (0.1, 1.0, 100.0))
    @pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
    def test_is_torchs_but_for_its_small_number(self, dtype, largest):
        """torch divides by the norm and 1e-6 more, so that a clipped gradient is that much shorter."""
        layers = [nn.Sequential(nn.Linear(5, 7), nn.Linear(7, 3)).to(dtype) for _ in range(2)]
        grads = [torch.randn_like(parameter) for parameter in layers[0].parameters()]
        for layer in layers:
            for parameter, grad in zip(layer.parameters(), grads, strict=True):
                parameter.grad = grad.clone()
        norm = clip_gradients_(layers[0].parameters(), largest)
        wanted = nn.utils.clip_grad_norm_(layers[1].parameters(), largest)
        assert norm == pytest.approx(wanted.item(), rel=1e-6)
        for own, right in zip(layers[0].parameters(), layers[1].parameters(), strict=True):
            torch.testing.assert_close(own.grad, right.grad, rtol=1e-5, atol=1e-9)
        after = clip_gradients_(layers[0].parameters(), largest)
        assert after == pytest.approx(min(norm, largest), rel=1e-5)
