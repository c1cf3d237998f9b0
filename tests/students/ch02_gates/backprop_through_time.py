"""What students hand in for `backprop_through_time`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points; `FORBIDDEN` break the
exercise's rule.
"""

import functools
from itertools import pairwise

import torch
from torch import nn

EXERCISE = "backprop_through_time"


def walked(inputs, states, output_grads, input_weight, state_weight, step, *, before=None, after=None, order=None):
    """The right walk, in which one thing can be another."""
    before = states[:, :-1] if before is None else before
    after = states[:, 1:] if after is None else after
    later = torch.zeros_like(states[:, 0])
    weights = torch.zeros_like(input_weight), torch.zeros_like(state_weight), torch.zeros_like(state_weight[0])
    of_inputs = torch.zeros_like(inputs)
    for t in order or reversed(range(inputs.shape[1])):
        own = inputs[:, t], before[:, t], after[:, t], output_grads[:, t], later
        of_inputs[:, t], later, *grads = step(*own, input_weight, state_weight)
        weights = tuple(total + grad for total, grad in zip(weights, grads, strict=True))
    return of_inputs, later, *weights


def only_last_step(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """One step back, and no further."""
    none = torch.zeros_like(states[:, 0])
    own = inputs[:, -1], states[:, -2], states[:, -1], output_grads[:, -1], none
    found = rnn_backward_step(*own, input_weight, state_weight)
    of_inputs = torch.zeros_like(inputs)
    of_inputs[:, -1] = found[0]
    return of_inputs, *found[1:]


def never_at_the_first(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """range ends one too early."""
    order = list(range(inputs.shape[1] - 1, 0, -1))
    return walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step, order=order)


def states_swapped(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """h_t for h_{t-1} and the other way round."""
    before, after = states[:, 1:], states[:, :-1]
    return walked(
        inputs, states, output_grads, input_weight, state_weight, rnn_backward_step, before=before, after=after
    )


def states_too_early(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """The states without a thought of h_0."""
    before = torch.cat([states[:, -1:], states[:, :-1]], dim=1)
    return walked(
        inputs, states, output_grads, input_weight, state_weight, rnn_backward_step, before=before, after=states
    )


def same_state_twice(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """h_t for h_{t-1} too."""
    return walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step, before=states[:, 1:])


def last_state_always(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """The state after the last step for every h_t."""
    after = states[:, -1:].expand(-1, inputs.shape[1], -1)
    return walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step, after=after)


def gradients_turned_round(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """The gradients of the outputs were flipped, and the rest was not."""
    return walked(inputs, states, output_grads.flip(1), input_weight, state_weight, rnn_backward_step)


def last_gradient_always(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """Every step gets the gradient of the last output."""
    last = output_grads[:, -1:].expand_as(output_grads)
    return walked(inputs, states, last, input_weight, state_weight, rnn_backward_step)


def gradients_in_the_other_place(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """output_grad and later_grad are swapped."""

    def swapped(x, h_before, h, output_grad, later_grad, *weights):
        return rnn_backward_step(x, h_before, h, later_grad, output_grad, *weights)

    return walked(inputs, states, output_grads, input_weight, state_weight, swapped)


def whole_sequences(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """All steps at once."""
    none = torch.zeros_like(output_grads)
    return rnn_backward_step(inputs, states[:, :-1], states[:, 1:], output_grads, none, input_weight, state_weight)


def first_axis(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """The steps are looked for along the batch."""
    later = torch.zeros_like(states[0])
    for t in reversed(range(len(inputs))):
        own = inputs[t], states[t], states[t + 1], output_grads[t], later
        found = rnn_backward_step(*own, input_weight, state_weight)
        later = found[1]
    return found


def none_for_zeros(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """None comes back from later than the last step."""

    def first_none(x, h_before, h, output_grad, later_grad, *weights):
        later_grad = later_grad if later_grad.any() else None
        return rnn_backward_step(x, h_before, h, output_grad, later_grad, *weights)

    return walked(inputs, states, output_grads, input_weight, state_weight, first_none)


def weights_swapped(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """W_h and W_x are handed over in the wrong order."""

    def swapped(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
        return rnn_backward_step(x, h_before, h, output_grad, later_grad, state_weight, input_weight)

    return walked(inputs, states, output_grads, input_weight, state_weight, swapped)


def a_step_of_its_own(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """The function that is given is not used."""

    def own(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
        a_grad = (output_grad + later_grad) * (1 - h**2)
        return a_grad @ input_weight, a_grad @ state_weight, a_grad.T @ x, a_grad.T @ h_before, a_grad.sum(0)

    return walked(inputs, states, output_grads, input_weight, state_weight, own)


def weights_alone(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """Three results for five."""
    return walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step)[2:]


def state_first(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """The results in another order."""
    found = walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step)
    return found[1], found[0], *found[2:]


def first_to_last(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """Forwards."""
    order = range(inputs.shape[1])
    return walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step, order=order)


def nothing_handed_on(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """Every step begins with zeros."""

    def alone(x, h_before, h, output_grad, later_grad, *weights):
        return rnn_backward_step(x, h_before, h, output_grad, torch.zeros_like(h), *weights)

    return walked(inputs, states, output_grads, input_weight, state_weight, alone)


def begins_with_output(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """The last step gets its own gradient from later too."""
    calls = []

    def doubled(x, h_before, h, output_grad, later_grad, *weights):
        calls.append(output_grad)
        later_grad = later_grad if len(calls) > 1 else output_grad
        return rnn_backward_step(x, h_before, h, output_grad, later_grad, *weights)

    return walked(inputs, states, output_grads, input_weight, state_weight, doubled)


def begins_with_ones(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """The state starts from ones instead of zeros."""
    calls = []

    def from_ones(x, h_before, h, output_grad, later_grad, *weights):
        calls.append(output_grad)
        later_grad = later_grad if len(calls) > 1 else torch.ones_like(h)
        return rnn_backward_step(x, h_before, h, output_grad, later_grad, *weights)

    return walked(inputs, states, output_grads, input_weight, state_weight, from_ones)


def later_summed(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """later_grad grows from step to step."""
    later = torch.zeros_like(states[:, 0])
    total, of_inputs = None, torch.zeros_like(inputs)
    for t in reversed(range(inputs.shape[1])):
        own = inputs[:, t], states[:, t], states[:, t + 1], output_grads[:, t], later
        of_inputs[:, t], back, *grads = rnn_backward_step(*own, input_weight, state_weight)
        later = later + back
        total = grads if total is None else [a + b for a, b in zip(total, grads, strict=True)]
    return of_inputs, later, *total


def state_gradient_summed(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """The gradient of h_0 is added up as those of the weights are."""
    backs = []

    def keeping(*arguments):
        found = rnn_backward_step(*arguments)
        backs.append(found[1])
        return found

    found = walked(inputs, states, output_grads, input_weight, state_weight, keeping)
    return found[0], sum(backs), *found[2:]


def next_output_handed_on(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """The output's gradient of the step after it for what came back from that step."""
    later = torch.cat([output_grads[:, 1:], torch.zeros_like(output_grads[:, :1])], dim=1)

    def shifted(x, h_before, h, output_grad, later_grad, *weights):
        t = next(t for t in range(inputs.shape[1]) if torch.equal(output_grads[:, t], output_grad))
        return rnn_backward_step(x, h_before, h, output_grad, later[:, t], *weights)

    return walked(inputs, states, output_grads, input_weight, state_weight, shifted)


def overwritten(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """Each step's gradients take the place of those before."""
    later, of_inputs = torch.zeros_like(states[:, 0]), torch.zeros_like(inputs)
    for t in reversed(range(inputs.shape[1])):
        own = inputs[:, t], states[:, t], states[:, t + 1], output_grads[:, t], later
        of_inputs[:, t], later, of_weight, of_state, of_bias = rnn_backward_step(*own, input_weight, state_weight)
    return of_inputs, later, of_weight, of_state, of_bias


def bias_overwritten(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """The bias alone is not added up."""
    biases = []

    def keeping(*arguments):
        found = rnn_backward_step(*arguments)
        biases.append(found[4])
        return found

    return *walked(inputs, states, output_grads, input_weight, state_weight, keeping)[:4], biases[-1]


def last_steps_weights(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """All steps are walked, and the weights get what the last one gave."""
    kept = []

    def keeping(*arguments):
        found = rnn_backward_step(*arguments)
        kept.append(found[2:])
        return found

    return *walked(inputs, states, output_grads, input_weight, state_weight, keeping)[:2], *kept[0]


def mean_of_steps(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """The mean for the sum."""
    found = walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step)
    return *found[:2], *(grad / inputs.shape[1] for grad in found[2:])


def begins_with_weights(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """The sums begin with the weights themselves and not with zeros."""
    found = walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step)
    return *found[:2], found[2] + input_weight, found[3] + state_weight, found[4]


def inputs_turned_round(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """In the order in which they were met."""
    found = walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step)
    return found[0].flip(1), *found[1:]


def inputs_stacked_in_front(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """torch.stack without its dim."""
    found = walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step)
    return found[0].transpose(0, 1), *found[1:]


def inputs_side_by_side(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """torch.cat for torch.stack."""
    found = walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step)
    return found[0].flatten(1), *found[1:]


def inputs_reshaped(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """reshape for a transpose."""
    found = walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step)
    return found[0].transpose(0, 1).reshape(inputs.shape), *found[1:]


def inputs_of_the_last_alone(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """One gradient for all inputs."""
    found = walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step)
    return found[0][:, -1], *found[1:]


def later_too_soon(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """Two calls for each step, the second one with the new later_grad."""
    later, of_inputs = torch.zeros_like(states[:, 0]), torch.zeros_like(inputs)
    weights = torch.zeros_like(input_weight), torch.zeros_like(state_weight), torch.zeros_like(state_weight[0])
    for t in reversed(range(inputs.shape[1])):
        own = inputs[:, t], states[:, t], states[:, t + 1], output_grads[:, t]
        later = rnn_backward_step(*own, later, input_weight, state_weight)[1]
        of_inputs[:, t], _, *grads = rnn_backward_step(*own, later, input_weight, state_weight)
        weights = tuple(total + grad for total, grad in zip(weights, grads, strict=True))
    return of_inputs, later, *weights


def weights_without_later(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """The weights' gradients are those of each step's own output alone."""
    kept, none = [], torch.zeros_like(states[:, 0])

    def apart(*arguments):
        own = rnn_backward_step(*arguments[:4], none, *arguments[5:])
        kept.append(own[2:])
        return rnn_backward_step(*arguments)

    found = walked(inputs, states, output_grads, input_weight, state_weight, apart)
    return *found[:2], *(sum(terms) for terms in zip(*kept, strict=True))


def squeezes(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """A batch of one loses its dimension."""
    found = walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step)
    return found[0].squeeze(0), found[1].squeeze(0), *found[2:]


def squeezes_one_step(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """One step alone loses its dimension."""
    found = walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step)
    return found[0].squeeze(1), *found[1:]


def into_inputs(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """The gradients are written over the inputs."""
    found = walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step)
    inputs.copy_(found[0])
    return inputs, *found[1:]


def spends_gradients(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """The gradients of the outputs are wiped, each when it has been used."""

    def wiping(x, h_before, h, output_grad, later_grad, *weights):
        found = rnn_backward_step(x, h_before, h, output_grad, later_grad, *weights)
        output_grad.zero_()
        return found

    return walked(inputs, states, output_grads, input_weight, state_weight, wiping)


def sums_in_the_weights(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """A step of learning is made at once."""
    found = walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step)
    input_weight -= 0.1 * found[2]
    return found


def into_zeros(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """torch.zeros, which is float32."""
    found = walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step)
    of_inputs, of_bias = torch.zeros(inputs.shape), torch.zeros(states.shape[-1])
    of_inputs[:] = found[0]
    of_bias += found[4]
    return of_inputs, *found[1:4], of_bias


def views(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """Works on numbers that lie side by side."""
    inputs = inputs.view(-1).view(inputs.shape)
    return walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step)


def four_steps(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """It goes back through only the last four steps."""
    later = torch.zeros_like(states[:, 0])
    grads = [torch.zeros_like(inputs), torch.zeros_like(input_weight), torch.zeros_like(state_weight), 0.0]
    for t in reversed(range(max(inputs.shape[1] - 4, 0), inputs.shape[1])):
        step = inputs[:, t], states[:, t], states[:, t + 1], output_grads[:, t], later, input_weight, state_weight
        grads[0][:, t], later, *more = rnn_backward_step(*step)
        grads[1:] = [grad + one for grad, one in zip(grads[1:], more, strict=True)]
    return grads[0], later, *grads[1:]


_USE = "works as the chapter uses it"
_STEPS = "the loop goes back through every step, with its own input, states and gradient"
_HANDED = "the gradient of h_{t-1} is passed on to the previous step, and the last one is the gradient of h_0"
_ADDED = "the gradients of the weights are added up over all steps"
_INPUTS = "the gradients of the inputs are in the order of the inputs"
_TOGETHER = "all results of a step come from the same later_grad"
_NUMBERS = "a single step works, and so does a single sequence"
_ARGUMENTS = "the arguments are left as they were"
_TYPES = "in double precision the gradients are double"


def added_before(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """Both gradients are added up before the step, which does it too."""

    def step(x, h_before, h, output_grad, later_grad, *weights):
        return rnn_backward_step(x, h_before, h, output_grad + later_grad, 0 * later_grad, *weights)

    return walked(inputs, states, output_grads, input_weight, state_weight, step)


def through_the_weight_again(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """What a step gives back is multiplied by W_h once more."""

    def step(*given):
        of_x, of_before, *rest = rnn_backward_step(*given)
        return of_x, of_before @ state_weight, *rest

    return walked(inputs, states, output_grads, input_weight, state_weight, step)


def begins_with_one_zero(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """A tensor of a single zero to begin with."""
    later, found = torch.tensor(0.0), []
    for t in reversed(range(inputs.shape[1])):
        own = inputs[:, t], states[:, t], states[:, t + 1], output_grads[:, t], later, input_weight, state_weight
        found.append(rnn_backward_step(*own))
        later = found[-1][1]
    return torch.stack([step[0] for step in found[::-1]], dim=1), later, *(sum(s[n] for s in found) for n in (2, 3, 4))


WRONG = {
    four_steps: _USE,
    only_last_step: _STEPS,
    never_at_the_first: _STEPS,
    states_swapped: _STEPS,
    states_too_early: _STEPS,
    same_state_twice: _STEPS,
    last_state_always: _STEPS,
    gradients_turned_round: _STEPS,
    last_gradient_always: _STEPS,
    gradients_in_the_other_place: _STEPS,
    whole_sequences: _STEPS,
    first_axis: _STEPS,
    none_for_zeros: _STEPS,
    weights_swapped: _STEPS,
    a_step_of_its_own: _STEPS,
    weights_alone: _STEPS,
    state_first: _INPUTS,
    added_before: _STEPS,
    first_to_last: _HANDED,
    nothing_handed_on: _HANDED,
    begins_with_output: _HANDED,
    begins_with_ones: _HANDED,
    later_summed: _HANDED,
    state_gradient_summed: _HANDED,
    next_output_handed_on: _HANDED,
    through_the_weight_again: _HANDED,
    overwritten: _ADDED,
    bias_overwritten: _ADDED,
    last_steps_weights: _ADDED,
    mean_of_steps: _ADDED,
    begins_with_weights: _ADDED,
    inputs_turned_round: _INPUTS,
    inputs_stacked_in_front: _INPUTS,
    inputs_side_by_side: _INPUTS,
    inputs_reshaped: _INPUTS,
    inputs_of_the_last_alone: _INPUTS,
    later_too_soon: _TOGETHER,
    weights_without_later: _TOGETHER,
    squeezes: _NUMBERS,
    squeezes_one_step: _NUMBERS,
    into_inputs: _ARGUMENTS,
    spends_gradients: _ARGUMENTS,
    sums_in_the_weights: _ARGUMENTS,
    into_zeros: _TYPES,
    views: _TYPES,
}


def lists(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """Everything is kept in lists, and added up at the end."""
    later, found = torch.zeros_like(states[:, 0]), []
    for t in range(inputs.size(1) - 1, -1, -1):
        found.append(
            rnn_backward_step(
                x=inputs[:, t],
                h_before=states[:, t],
                h=states[:, t + 1],
                output_grad=output_grads[:, t],
                later_grad=later,
                input_weight=input_weight,
                state_weight=state_weight,
            )
        )
        later = found[-1][1]
    of_inputs, _, *grads = zip(*found, strict=True)
    return [torch.stack(of_inputs[::-1], dim=1), later, *(sum(terms) for terms in grads)]


def pairs_of_states(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """The states in pairs, and plain numbers to begin the sums with."""
    steps = zip(inputs.unbind(1), pairwise(states.unbind(1)), output_grads.unbind(1), strict=True)
    of_inputs, later, of_weight, of_state, of_bias = [], 0, 0, 0, 0
    for x, (before, after), output in reversed(list(steps)):
        found = rnn_backward_step(x, before, after, output, later, input_weight, state_weight)
        of_inputs.insert(0, found[0])
        later = found[1]
        of_weight, of_state, of_bias = of_weight + found[2], of_state + found[3], of_bias + found[4]
    return torch.stack(of_inputs, 1), later, of_weight, of_state, of_bias


def recursion(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """The rest of the sequence first, then the first step."""
    if inputs.shape[1] == 0:
        none = torch.zeros_like(states[:, 0])
        return inputs, none, 0 * input_weight, 0 * state_weight, none.sum(0)
    rest = recursion(inputs[:, 1:], states[:, 1:], output_grads[:, 1:], input_weight, state_weight, rnn_backward_step)
    own = inputs[:, 0], states[:, 0], states[:, 1], output_grads[:, 0], rest[1]
    first = rnn_backward_step(*own, input_weight, state_weight)
    of_inputs = torch.cat([first[0].unsqueeze(1), rest[0]], dim=1)
    return of_inputs, first[1], *(a + b for a, b in zip(first[2:], rest[2:], strict=True))


def into_empty(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """A place for each gradient, filled in place."""
    of_inputs = torch.empty_like(inputs)
    later = torch.zeros(states.shape[0], states.shape[2], dtype=states.dtype, device=states.device)
    of_weight = torch.zeros_like(input_weight)
    of_state = torch.zeros_like(state_weight)
    of_bias = torch.zeros_like(state_weight[:, 0])
    t = inputs.shape[1]
    while t:
        t -= 1
        own = inputs[:, t], states[:, t], states[:, t + 1], output_grads[:, t], later
        x_grad, later, w, u, b = rnn_backward_step(*own, input_weight, state_weight)
        of_inputs[:, t].copy_(x_grad)
        of_weight.add_(w)
        of_state.add_(u)
        of_bias.add_(b)
    return of_inputs, later, of_weight, of_state, of_bias


def one_result_at_a_time(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """A call for each of the five results."""
    later, kept = torch.zeros_like(states[:, 0]), ([], [], [], [], [])
    for t in reversed(range(inputs.shape[1])):
        own = inputs[:, t], states[:, t], states[:, t + 1], output_grads[:, t], later, input_weight, state_weight
        for n, results in enumerate(kept):
            results.append(rnn_backward_step(*own)[n])
        later = kept[1][-1]
    return torch.stack(kept[0][::-1], dim=1), later, *(torch.stack(terms).sum(0) for terms in kept[2:])


class Back(nn.Module):
    """A module in the place of a function."""

    def forward(self, inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
        return recursion(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step)


RIGHT = {
    "a single zero": begins_with_one_zero,
    "the right walk": walked,
    "lists": lists,
    "pairs of states": pairs_of_states,
    "recursion": recursion,
    "into empty": into_empty,
    "one result at a time": one_result_at_a_time,
    "a module": Back(),
    "a partial": functools.partial(into_empty),
    "a lambda": lambda x, h, g, w, u, back: lists(x, h, g, w, u, back),
}


def by_autograd(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    """The rule is that this is not used."""
    weight = input_weight.clone().requires_grad_()
    (inputs @ weight.T * output_grads).sum().backward()
    return inputs, states[:, 0], weight.grad, state_weight, state_weight[0]


FORBIDDEN = (by_autograd,)
