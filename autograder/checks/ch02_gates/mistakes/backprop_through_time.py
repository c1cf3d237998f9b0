"""Mistakes in `backprop_through_time`, and right answers in other styles."""

import functools
from itertools import pairwise

import torch
from torch import nn

from autograder.checks.ch02_gates.backprop_through_time import (
    added_up,
    arguments,
    every_step,
    handed_on,
    in_chapter,
    numbers,
    of_inputs,
    together,
    types,
)
from autograder.judging.catalogue import forbidden, mistake, right


@right
def walked(inputs, states, output_grads, input_weight, state_weight, step, *, before=None, after=None, order=None):
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


@mistake(every_step, "only the last step is taken; expected one for each input")
def only_last_step(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    none = torch.zeros_like(states[:, 0])
    own = inputs[:, -1], states[:, -2], states[:, -1], output_grads[:, -1], none
    found = rnn_backward_step(*own, input_weight, state_weight)
    of_inputs = torch.zeros_like(inputs)
    of_inputs[:, -1] = found[0]
    return of_inputs, *found[1:]


@mistake(every_step, "the loop goes back only as far as the second step: the first step is left out")
def never_at_the_first(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    order = list(range(inputs.shape[1] - 1, 0, -1))
    return walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step, order=order)


mistake(every_step, "the loop begins at the last step but one: the last step is left out").made_in(
    never_at_the_first, never_at_the_last={"inputs.shape[1] - 1, 0": "inputs.shape[1] - 2, -1"}
)


@mistake(every_step, "every step gets h_0 for h_before, expected the state before its own")
def first_state_always(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    before = states[:, :1].expand(-1, inputs.shape[1], -1)
    return walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step, before=before)


@mistake(every_step, "step t gets the gradient from the output of the step before, expected that of its own")
def gradients_one_too_early(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    return walked(inputs, states, output_grads.roll(1, 1), input_weight, state_weight, rnn_backward_step)


@mistake(every_step, "step t gets the gradient from the output of the step after, expected that of its own")
def gradients_one_too_late(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    return walked(inputs, states, output_grads.roll(-1, 1), input_weight, state_weight, rnn_backward_step)


@mistake(every_step, "step t gets the input of the step before, expected its own")
def inputs_one_too_early(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    return walked(inputs.roll(1, 1), states, output_grads, input_weight, state_weight, rnn_backward_step)


@mistake(every_step, "h_before and h are swapped")
def states_swapped(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    before, after = states[:, 1:], states[:, :-1]
    return walked(
        inputs, states, output_grads, input_weight, state_weight, rnn_backward_step, before=before, after=after
    )


@mistake(every_step, "step t gets the states one position too early, as if states began with h_1: h_0 comes first")
def states_too_early(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    before = torch.cat([states[:, -1:], states[:, :-1]], dim=1)
    return walked(
        inputs, states, output_grads, input_weight, state_weight, rnn_backward_step, before=before, after=states
    )


@mistake(every_step, "step t gets h_t for h_before as well")
def same_state_twice(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    return walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step, before=states[:, 1:])


@mistake(every_step, "every step gets the last state for h")
def last_state_always(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    after = states[:, -1:].expand(-1, inputs.shape[1], -1)
    return walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step, after=after)


@mistake(every_step, "the gradients from the outputs belong to the wrong steps: they are reversed")
def gradients_turned_round(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    return walked(inputs, states, output_grads.flip(1), input_weight, state_weight, rnn_backward_step)


@mistake(every_step, "every step gets the gradient from the last output")
def last_gradient_always(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    last = output_grads[:, -1:].expand_as(output_grads)
    return walked(inputs, states, last, input_weight, state_weight, rnn_backward_step)


@mistake(every_step, "output_grad and later_grad are swapped")
def gradients_in_the_other_place(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    def swapped(x, h_before, h, output_grad, later_grad, *weights):
        return rnn_backward_step(x, h_before, h, later_grad, output_grad, *weights)

    return walked(inputs, states, output_grads, input_weight, state_weight, swapped)


@mistake(every_step, "rnn_backward_step is given all steps at once; expected one call for each step")
def whole_sequences(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    none = torch.zeros_like(output_grads)
    return rnn_backward_step(inputs, states[:, :-1], states[:, 1:], output_grads, none, input_weight, state_weight)


@mistake(every_step, "the steps are looked for along the dimension of the batch; they are along dimension 1")
def first_axis(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    later = torch.zeros_like(states[0])
    for t in reversed(range(len(inputs))):
        own = inputs[t], states[t], states[t + 1], output_grads[t], later
        found = rnn_backward_step(*own, input_weight, state_weight)
        later = found[1]
    return found


@mistake(every_step, "later_grad is None at the last step; expected zeros")
def none_for_zeros(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    def first_none(x, h_before, h, output_grad, later_grad, *weights):
        later_grad = later_grad if later_grad.any() else None
        return rnn_backward_step(x, h_before, h, output_grad, later_grad, *weights)

    return walked(inputs, states, output_grads, input_weight, state_weight, first_none)


@mistake(every_step, "W_x and W_h are passed in the wrong order")
def weights_swapped(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    def swapped(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
        return rnn_backward_step(x, h_before, h, output_grad, later_grad, state_weight, input_weight)

    return walked(inputs, states, output_grads, input_weight, state_weight, swapped)


@mistake(
    every_step, "the step is computed again here; expected a call of rnn_backward_step, which is given as an argument"
)
def a_step_of_its_own(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    def own(x, h_before, h, output_grad, later_grad, input_weight, state_weight):
        a_grad = (output_grad + later_grad) * (1 - h**2)
        return a_grad @ input_weight, a_grad @ state_weight, a_grad.T @ x, a_grad.T @ h_before, a_grad.sum(0)

    return walked(inputs, states, output_grads, input_weight, state_weight, own)


@mistake(every_step, "only the gradients of the weights are returned, expected five results")
def weights_alone(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    return walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step)[2:]


@mistake(of_inputs, "the gradient of h_0 is returned first, expected that of the inputs")
def state_first(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    found = walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step)
    return found[1], found[0], *found[2:]


mistake(handed_on, "the loop goes from the first step to the last; back-propagation starts at the last").made_in(
    never_at_the_first, first_to_last={"list(range(inputs.shape[1] - 1, 0, -1))": "range(inputs.shape[1])"}
)


@mistake(handed_on, "every step gets zeros for later_grad: nothing is passed on to the previous step")
def nothing_handed_on(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    def alone(x, h_before, h, output_grad, later_grad, *weights):
        return rnn_backward_step(x, h_before, h, output_grad, torch.zeros_like(h), *weights)

    return walked(inputs, states, output_grads, input_weight, state_weight, alone)


@mistake(handed_on, "the last step gets its own output_grad for later_grad too, expected zeros: nothing comes later")
def begins_with_output(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    calls = []

    def doubled(x, h_before, h, output_grad, later_grad, *weights):
        calls.append(output_grad)
        later_grad = later_grad if len(calls) > 1 else output_grad
        return rnn_backward_step(x, h_before, h, output_grad, later_grad, *weights)

    return walked(inputs, states, output_grads, input_weight, state_weight, doubled)


@mistake(handed_on, "the last step gets ones for later_grad, expected zeros: nothing comes later")
def begins_with_ones(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    calls = []

    def from_ones(x, h_before, h, output_grad, later_grad, *weights):
        calls.append(output_grad)
        later_grad = later_grad if len(calls) > 1 else torch.ones_like(h)
        return rnn_backward_step(x, h_before, h, output_grad, later_grad, *weights)

    return walked(inputs, states, output_grads, input_weight, state_weight, from_ones)


@mistake(handed_on, "the gradient is added to the old later_grad, expected to replace it")
def later_summed(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    later = torch.zeros_like(states[:, 0])
    total, of_inputs = None, torch.zeros_like(inputs)
    for t in reversed(range(inputs.shape[1])):
        own = inputs[:, t], states[:, t], states[:, t + 1], output_grads[:, t], later
        of_inputs[:, t], back, *grads = rnn_backward_step(*own, input_weight, state_weight)
        later = later + back
        total = grads if total is None else [a + b for a, b in zip(total, grads, strict=True)]
    return of_inputs, later, *total


@mistake(handed_on, "the gradient of h_0 is a sum over the steps, expected only the gradient from the first step")
def state_gradient_summed(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    backs = []

    def keeping(*arguments):
        found = rnn_backward_step(*arguments)
        backs.append(found[1])
        return found

    found = walked(inputs, states, output_grads, input_weight, state_weight, keeping)
    return found[0], sum(backs), *found[2:]


@mistake(
    handed_on, "later_grad is the output_grad of the next step, expected the gradient that came back from that step"
)
def next_output_handed_on(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    later = torch.cat([output_grads[:, 1:], torch.zeros_like(output_grads[:, :1])], dim=1)

    def shifted(x, h_before, h, output_grad, later_grad, *weights):
        t = next(t for t in range(inputs.shape[1]) if torch.equal(output_grads[:, t], output_grad))
        return rnn_backward_step(x, h_before, h, output_grad, later[:, t], *weights)

    return walked(inputs, states, output_grads, input_weight, state_weight, shifted)


@mistake(
    added_up,
    "the gradients of the weights are those of the first step alone: each step replaces the result of the one before",
)
def overwritten(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    later, of_inputs = torch.zeros_like(states[:, 0]), torch.zeros_like(inputs)
    for t in reversed(range(inputs.shape[1])):
        own = inputs[:, t], states[:, t], states[:, t + 1], output_grads[:, t], later
        of_inputs[:, t], later, of_weight, of_state, of_bias = rnn_backward_step(*own, input_weight, state_weight)
    return of_inputs, later, of_weight, of_state, of_bias


@mistake(added_up, "the gradient of b is that of the first step alone: each step replaces the result of the one before")
def bias_overwritten(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    biases = []

    def keeping(*arguments):
        found = rnn_backward_step(*arguments)
        biases.append(found[4])
        return found

    return *walked(inputs, states, output_grads, input_weight, state_weight, keeping)[:4], biases[-1]


@mistake(added_up, "the gradients of the weights are those of the last step alone, expected the sum over all steps")
def last_steps_weights(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    kept = []

    def keeping(*arguments):
        found = rnn_backward_step(*arguments)
        kept.append(found[2:])
        return found

    return *walked(inputs, states, output_grads, input_weight, state_weight, keeping)[:2], *kept[0]


@mistake(added_up, "the gradients of the weights are means over the steps, expected sums")
def mean_of_steps(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    found = walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step)
    return *found[:2], *(grad / inputs.shape[1] for grad in found[2:])


@mistake(added_up, "the sums of the weights' gradients start from the weights themselves, expected from zeros")
def begins_with_weights(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    found = walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step)
    return *found[:2], found[2] + input_weight, found[3] + state_weight, found[4]


@mistake(
    of_inputs,
    "the gradients of the inputs are in the order in which the steps were visited, from the last to the first",
)
def inputs_turned_round(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    found = walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step)
    return found[0].flip(1), *found[1:]


mistake(of_inputs, "the steps are stacked along dimension 0, expected along dimension 1").made_in(
    inputs_turned_round, inputs_stacked_in_front={"found[0].flip(1)": "found[0].transpose(0, 1)"}
)
mistake(of_inputs, "the steps are concatenated, expected stacked along dimension 1").made_in(
    inputs_turned_round, inputs_side_by_side={"found[0].flip": "found[0].flatten"}
)
mistake(
    of_inputs,
    "the gradients of the inputs were stacked along dimension 0 and then reshaped, which mixes up their numbers",
).made_in(inputs_turned_round, inputs_reshaped={"found[0].flip(1)": "found[0].transpose(0, 1).reshape(inputs.shape)"})
mistake(of_inputs, "only the gradient of the last input is returned, expected one for each input").made_in(
    inputs_turned_round, inputs_of_the_last_alone={"found[0].flip(1)": "found[0][:, -1]"}
)


@mistake(together, "there are two calls for each step, the second one with the new later_grad")
def later_too_soon(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    later, of_inputs = torch.zeros_like(states[:, 0]), torch.zeros_like(inputs)
    weights = torch.zeros_like(input_weight), torch.zeros_like(state_weight), torch.zeros_like(state_weight[0])
    for t in reversed(range(inputs.shape[1])):
        own = inputs[:, t], states[:, t], states[:, t + 1], output_grads[:, t]
        later = rnn_backward_step(*own, later, input_weight, state_weight)[1]
        of_inputs[:, t], _, *grads = rnn_backward_step(*own, later, input_weight, state_weight)
        weights = tuple(total + grad for total, grad in zip(weights, grads, strict=True))
    return of_inputs, later, *weights


@mistake(together, "the gradients of the weights are computed without later_grad")
def weights_without_later(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    kept, none = [], torch.zeros_like(states[:, 0])

    def apart(*arguments):
        own = rnn_backward_step(*arguments[:4], none, *arguments[5:])
        kept.append(own[2:])
        return rnn_backward_step(*arguments)

    found = walked(inputs, states, output_grads, input_weight, state_weight, apart)
    return *found[:2], *(sum(terms) for terms in zip(*kept, strict=True))


mistake(numbers, "a dimension of size one is removed that belongs to the result").made_in(
    state_first,
    squeezes={"found[1], found[0]": "found[0].squeeze(0), found[1].squeeze(0)"},
    squeezes_one_step={"found[1], found[0], *found[2:]": "found[0].squeeze(1), *found[1:]"},
)
mistake(arguments, "the gradients are written over the caller's inputs").made_in(
    inputs_turned_round,
    into_inputs={"return found[0].flip(1), *found[1:]": "inputs.copy_(found[0]); return inputs, *found[1:]"},
)


@mistake(arguments, "the caller's output_grads are set to zero")
def spends_gradients(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    def wiping(x, h_before, h, output_grad, later_grad, *weights):
        found = rnn_backward_step(x, h_before, h, output_grad, later_grad, *weights)
        output_grad.zero_()
        return found

    return walked(inputs, states, output_grads, input_weight, state_weight, wiping)


mistake(arguments, "the caller's weights are changed: a step of gradient descent is taken here").made_in(
    inputs_turned_round,
    sums_in_the_weights={"return found[0].flip(1), *found[1:]": "input_weight -= 0.1 * found[2]; return found"},
)


@mistake(types, "the gradients are written into tensors of torch.zeros, which are float32")
def into_zeros(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    found = walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step)
    of_inputs, of_bias = torch.zeros(inputs.shape), torch.zeros(states.shape[-1])
    of_inputs[:] = found[0]
    of_bias += found[4]
    return of_inputs, *found[1:4], of_bias


@mistake(types, "view is used on inputs that need not be contiguous")
def views(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    inputs = inputs.view(-1).view(inputs.shape)
    return walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step)


@mistake(in_chapter, "only the last few steps are taken, whatever the length of the sequence")
def four_steps(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    later = torch.zeros_like(states[:, 0])
    grads = [torch.zeros_like(inputs), torch.zeros_like(input_weight), torch.zeros_like(state_weight), 0.0]
    for t in reversed(range(max(inputs.shape[1] - 4, 0), inputs.shape[1])):
        step = inputs[:, t], states[:, t], states[:, t + 1], output_grads[:, t], later, input_weight, state_weight
        grads[0][:, t], later, *more = rnn_backward_step(*step)
        grads[1:] = [grad + one for grad, one in zip(grads[1:], more, strict=True)]
    return grads[0], later, *grads[1:]


@mistake(every_step, "later_grad is added to output_grad before the call: the step gets both, and adds them itself")
def added_before(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    def step(x, h_before, h, output_grad, later_grad, *weights):
        return rnn_backward_step(x, h_before, h, output_grad + later_grad, 0 * later_grad, *weights)

    return walked(inputs, states, output_grads, input_weight, state_weight, step)


@mistake(handed_on, "the gradient is multiplied by W_h before it is passed on, but the step has already done this")
def through_the_weight_again(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    def step(*given):
        of_x, of_before, *rest = rnn_backward_step(*given)
        return of_x, of_before @ state_weight, *rest

    return walked(inputs, states, output_grads, input_weight, state_weight, step)


@mistake(handed_on, "the gradient of h_0 is zeros, expected what the first step returns for its previous state")
def zeros_for_the_first_state(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    of_inputs, later, *rest = walked(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step)
    return of_inputs, torch.zeros_like(later), *rest


mistake(added_up, "the gradients of the weights are divided by the size of the batch, expected sums").made_in(
    mean_of_steps, over_the_batch={"inputs.shape[1]": "len(inputs)"}
)


@right
def begins_with_one_zero(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    later, found = torch.tensor(0.0), []
    for t in reversed(range(inputs.shape[1])):
        own = inputs[:, t], states[:, t], states[:, t + 1], output_grads[:, t], later, input_weight, state_weight
        found.append(rnn_backward_step(*own))
        later = found[-1][1]
    return torch.stack([step[0] for step in found[::-1]], dim=1), later, *(sum(s[n] for s in found) for n in (2, 3, 4))


@right
def lists(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
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
    return torch.stack(of_inputs[::-1], dim=1), later, *(sum(terms) for terms in grads)


@mistake(of_inputs, "the gradients are returned in a list, expected a tuple")
def listed(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    return list(lists(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step))


@right
def pairs_of_states(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    steps = zip(inputs.unbind(1), pairwise(states.unbind(1)), output_grads.unbind(1), strict=True)
    of_inputs, later, of_weight, of_state, of_bias = [], 0, 0, 0, 0
    for x, (before, after), output in reversed(list(steps)):
        found = rnn_backward_step(x, before, after, output, later, input_weight, state_weight)
        of_inputs.insert(0, found[0])
        later = found[1]
        of_weight, of_state, of_bias = of_weight + found[2], of_state + found[3], of_bias + found[4]
    return torch.stack(of_inputs, 1), later, of_weight, of_state, of_bias


@right
def recursion(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    if inputs.shape[1] == 0:
        none = torch.zeros_like(states[:, 0])
        return inputs, none, 0 * input_weight, 0 * state_weight, none.sum(0)
    rest = recursion(inputs[:, 1:], states[:, 1:], output_grads[:, 1:], input_weight, state_weight, rnn_backward_step)
    own = inputs[:, 0], states[:, 0], states[:, 1], output_grads[:, 0], rest[1]
    first = rnn_backward_step(*own, input_weight, state_weight)
    of_inputs = torch.cat([first[0].unsqueeze(1), rest[0]], dim=1)
    return of_inputs, first[1], *(a + b for a, b in zip(first[2:], rest[2:], strict=True))


@right
def into_empty(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
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


@right
def one_result_at_a_time(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
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


@forbidden
def by_autograd(inputs, states, output_grads, input_weight, state_weight, rnn_backward_step):
    weight = input_weight.clone().requires_grad_()
    (inputs @ weight.T * output_grads).sum().backward()
    return inputs, states[:, 0], weight.grad, state_weight, state_weight[0]


right(Back())


right(functools.partial(into_empty))


right(lambda x, h, g, w, u, back: lists(x, h, g, w, u, back))
