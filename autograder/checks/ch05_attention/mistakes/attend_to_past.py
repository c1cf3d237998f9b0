"""Mistakes in `attend_to_past`, and right answers in other styles."""

import torch
from torch import nn

from autograder.checks.ch05_attention.attend_to_past import (
    asked,
    batch_axis,
    in_chapter,
    itself,
    numbers,
    others,
    past_gradient,
)
from autograder.judging.catalogue import mistake, right


def triangle(states, diagonal=-1):
    """The mask of the states before each, (1, T, T)."""
    length = states.shape[1]
    return torch.ones(1, length, length, dtype=torch.bool, device=states.device).tril(diagonal)


_TABLE = torch.ones(1, 512, 512, dtype=torch.bool).tril(-1)


@mistake(in_chapter, "the mask is cut out of one of 512 positions, so it is too small for longer texts")
def of_512_positions(states, attention):
    length = states.shape[1]
    return attention(states, states, _TABLE[:, :length, :length].type_as(triangle(states)))


@mistake(others, "every state also attends to the states after it: the mask does not hide them")
def sees_everything(states, attention):
    return attention(states, states, torch.ones_like(triangle(states)))


mistake(
    others, "the mask is the wrong way round: either rows and columns are swapped, or True is used for hidden positions"
).made_in(
    sees_everything,
    sees_the_future={"torch.ones_like(triangle(states))": "triangle(states).transpose(1, 2)"},
    inverted={"torch.ones_like(triangle(states))": "~triangle(states)"},
)


@mistake(others, "the mask is shifted by two positions: each state also attends to itself and to the state after it")
def sees_one_ahead(states, attention):
    return attention(states, states, triangle(states, diagonal=1))


@mistake(others, "the mask is shifted by one: no state attends to the state directly before it")
def misses_the_state_before(states, attention):
    return attention(states, states, triangle(states, diagonal=-2))


@mistake(others, "each state attends only to the state directly before it, expected to all states before it")
def sees_the_state_before_alone(states, attention):
    return attention(states, states, triangle(states) & triangle(states, diagonal=-2).logical_not())


@mistake(others, "every state gets the mask of the last state")
def last_row_for_all(states, attention):
    return attention(states, states, triangle(states)[:, -1:])


@mistake(others, "the attention gets no mask")
def without_mask(states, attention):
    return attention(states, states, None)


@mistake(others, "the mask holds 1 and 0, expected True and False")
def mask_of_numbers(states, attention):
    return attention(states, states, triangle(states).float())


@mistake(others, "the mask holds 0 and -∞, to be added to scores; expected True and False")
def mask_of_infinities(states, attention):
    return attention(states, states, torch.zeros(triangle(states).shape).masked_fill(~triangle(states), -torch.inf))


@mistake(others, "the mask has its batch dimension in the middle, expected in front")
def axis_in_the_middle(states, attention):
    return attention(states, states, triangle(states).transpose(0, 1))


@mistake(others, "the first state, which has no past, is left out")
def first_state_dropped(states, attention):
    return attention(states[:, 1:], states, triangle(states)[:, 1:])


@mistake(others, "the first state is set to zero so that its context is zero too")
def first_state_emptied(states, attention):
    states = states.clone()
    states[:, 0] = 0
    return attention(states, states, triangle(states))


@mistake(
    others,
    "the memory is the states shifted by one position, so each weight belongs to another state; expected the states as they are",
)
def states_before_as_memory(states, attention):
    memory = torch.cat([torch.zeros_like(states[:, :1]), states[:, :-1]], dim=1)
    return attention(states, memory, triangle(states, diagonal=0))


@mistake(others, "the length of the mask is taken from the last dimension of the states, expected from the middle one")
def last_dimension_counted(states, attention):
    length = states.shape[-1]
    return attention(states, states, torch.ones(1, length, length, dtype=torch.bool).tril(-1))


@mistake(others, "the weights are returned before the context")
def swapped_results(states, attention):
    context, weights = attention(states, states, triangle(states))
    return weights, context


@mistake(others, "only the context is returned, expected the context and the weights")
def context_only(states, attention):
    return attention(states, states, triangle(states))[0]


mistake(others, "the weights go through another softmax").made_in(
    swapped_results, weights_again={"weights, context": "context, weights.softmax(dim=-1)"}
)


@mistake(others, "the attention gets its arguments in the wrong order, expected queries, memory, mask")
def mask_in_front(states, attention):
    return attention(triangle(states), states, states)


@mistake(itself, "each state attends to itself; expected only to the states before it")
def sees_itself(states, attention):
    return attention(states, states, triangle(states, diagonal=0))


@mistake(itself, "the first state attends to itself, but it has no past, so its row of the mask must be empty")
def first_sees_itself(states, attention):
    mask = triangle(states)
    mask[:, 0, 0] = True
    return attention(states, states, mask)


mistake(itself, "the last state attends to itself; expected only to the states before it").made_in(
    first_sees_itself, last_sees_itself={"mask[:, 0, 0]": "mask[:, -1]"}
)


@mistake(asked, "the query at each position is the state before it; expected the state itself")
def state_before_asks(states, attention):
    queries = torch.cat([torch.zeros_like(states[:, :1]), states[:, :-1]], dim=1)
    return attention(queries, states, triangle(states))


@mistake(asked, "the last state is the query at every position; expected the state at that position")
def last_state_asks(states, attention):
    return attention(states[:, -1:].expand_as(states), states, triangle(states))


@mistake(asked, "the mean of the states is the query at every position; expected the state at that position")
def mean_asks(states, attention):
    return attention(states.mean(dim=1, keepdim=True).expand_as(states), states, triangle(states))


@mistake(asked, "the queries are zeros; expected the states")
def zeros_ask(states, attention):
    return attention(torch.zeros_like(states), states, triangle(states))


@mistake(asked, "the queries are normalised before they are passed to the attention")
def normalised_queries(states, attention):
    return attention(nn.functional.normalize(states, dim=-1), states, triangle(states))


mistake(asked, "the context was computed separately; return the one that the attention returns").made_in(
    swapped_results, own_context={"context, weights": "_, weights", "weights, context": "weights @ states, weights"}
)
mistake(asked, "the state is added to its context, expected the context alone").made_in(
    swapped_results, context_added={"weights, context": "context + states, weights"}
)


@mistake(batch_axis, "the mask has two dimensions, expected a batch dimension in front")
def mask_without_batch(states, attention):
    return attention(states, states, triangle(states)[0])


@mistake(numbers, "the mask has a fixed length, expected that of the states")
def mask_of_one_length(states, attention):
    return attention(states, states, torch.ones(1, 5, 5, dtype=torch.bool).tril(-1))


mistake(numbers, "a dimension of size one is removed that belongs to the result").made_in(
    swapped_results, squeezes={"weights, context": "context.squeeze(), weights.squeeze()"}
)


@mistake(past_gradient, "the memory is detached, so no gradient reaches the states through it")
def memory_without_gradient(states, attention):
    return attention(states, states.detach(), triangle(states))


@mistake(past_gradient, "the queries are detached, so no gradient reaches the states through them")
def queries_without_gradient(states, attention):
    return attention(states.data, states, triangle(states))


@mistake(past_gradient, "everything is computed under no_grad, so no gradient comes back")
def no_gradient(states, attention):
    with torch.no_grad():
        return attention(states, states, triangle(states))


@mistake(others, "the weights are a softmax of dot products; call the attention that is given as an argument")
def own_attention(states, attention):
    scores = (states @ states.mT).masked_fill(~triangle(states), -torch.inf)
    weights = scores.softmax(dim=-1).nan_to_num(0.0)
    return weights @ states, weights


@mistake(in_chapter, "each state attends only to the last few states before it, expected to all of them")
def only_the_last_ten(states, attention):
    return attention(states, states, triangle(states).triu(-10))


@right
def compares(states, attention):
    places = torch.arange(states.shape[1], device=states.device)
    return attention(states, states, (places < places.unsqueeze(1)).unsqueeze(0))


@right
def all_but_itself(states, attention):
    itself = torch.eye(states.size(1), dtype=torch.bool, device=states.device)
    return attention(query=states, memory=states, mask=(triangle(states, diagonal=0) & ~itself))


@right
def mask_for_every_sentence(states, attention):
    return attention(states, states, triangle(states).expand(len(states), -1, -1))


@right
def not_the_present_or_future(states, attention):
    length = states.shape[1]
    return attention(states, states, ~torch.ones(length, length, device=states.device).triu().bool()[None])


@mistake(others, "a list is returned, expected a tuple")
def a_list(states, attention):
    return list(attention(states, states, triangle(states)))


@right
def state_by_state(states, attention):
    mask = triangle(states)
    looks = [attention(states[:, t : t + 1], states, mask[:, t : t + 1]) for t in range(states.shape[1])]
    return torch.cat([context for context, _ in looks], dim=1), torch.cat([weights for _, weights in looks], dim=1)


@right
def growing_memory(states, attention):
    contexts, rows = [], []
    for t in range(states.shape[1]):
        context, weights = attention(
            states[:, t : t + 1], states[:, :t], torch.ones(1, 1, t, dtype=torch.bool, device=states.device)
        )
        contexts.append(context)
        rows.append(nn.functional.pad(weights, (0, states.shape[1] - t)))
    return torch.cat(contexts, dim=1), torch.cat(rows, dim=1)


@right
def first_state_apart(states, attention):
    batch, length, size = states.shape
    context, weights = states.new_zeros(batch, 1, size), states.new_zeros(batch, 1, length)
    if length == 1:
        return context, weights
    later, rows = attention(states[:, 1:], states, triangle(states)[:, 1:])
    return torch.cat([context, later], dim=1), torch.cat([weights, rows], dim=1)


@right
def sentence_by_sentence(states, attention):
    looks = [attention(one.unsqueeze(0), one.unsqueeze(0), triangle(one.unsqueeze(0))) for one in states]
    return torch.cat([context for context, _ in looks]), torch.cat([weights for _, weights in looks])


class AttendToPast(nn.Module):
    """A module in the place of a function."""

    def forward(self, states, attention):
        return attention(states, states, triangle(states))


right(AttendToPast())


right(lambda states, attention: attention(states, states, triangle(states)))
