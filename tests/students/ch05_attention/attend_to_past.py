"""What students hand in for `attend_to_past`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import torch
from torch import nn

EXERCISE = "attend_to_past"


def triangle(states, diagonal=-1):
    """The mask of the states before each, (1, T, T)."""
    length = states.shape[1]
    return torch.ones(1, length, length, dtype=torch.bool, device=states.device).tril(diagonal)


def sees_everything(states, attention):
    """A mask that hides nothing."""
    return attention(states, states, torch.ones_like(triangle(states)))


def sees_the_future(states, attention):
    """The states after each, and not those before it."""
    return attention(states, states, triangle(states).transpose(1, 2))


def inverted(states, attention):
    """True where a state is hidden."""
    return attention(states, states, ~triangle(states))


def sees_one_ahead(states, attention):
    """The next state is seen too."""
    return attention(states, states, triangle(states, diagonal=1))


def misses_the_state_before(states, attention):
    """Off by one in the other direction."""
    return attention(states, states, triangle(states, diagonal=-2))


def sees_the_state_before_alone(states, attention):
    """One state of the past, and not all."""
    return attention(states, states, triangle(states) & triangle(states, diagonal=-2).logical_not())


def last_row_for_all(states, attention):
    """The mask of the last state serves all."""
    return attention(states, states, triangle(states)[:, -1:])


def without_mask(states, attention):
    """The attention gets no mask."""
    return attention(states, states, None)


def mask_of_numbers(states, attention):
    """Ones and zeros for True and False."""
    return attention(states, states, triangle(states).float())


def mask_of_infinities(states, attention):
    """What is added to the scores elsewhere."""
    return attention(states, states, torch.zeros(triangle(states).shape).masked_fill(~triangle(states), -torch.inf))


def axis_in_the_middle(states, attention):
    """The new axis stands where the queries are."""
    return attention(states, states, triangle(states).transpose(0, 1))


def first_state_dropped(states, attention):
    """The first state has no past, and is left out."""
    return attention(states[:, 1:], states, triangle(states)[:, 1:])


def first_state_emptied(states, attention):
    """The first state is set to zero so that its context is zero too."""
    states = states.clone()
    states[:, 0] = 0
    return attention(states, states, triangle(states))


def states_before_as_memory(states, attention):
    """The memory is shifted by one position, so each state attends to itself."""
    memory = torch.cat([torch.zeros_like(states[:, :1]), states[:, :-1]], dim=1)
    return attention(states, memory, triangle(states, diagonal=0))


def last_dimension_counted(states, attention):
    """H is taken for T."""
    length = states.shape[-1]
    return attention(states, states, torch.ones(1, length, length, dtype=torch.bool).tril(-1))


def swapped_results(states, attention):
    """The weights are returned first."""
    context, weights = attention(states, states, triangle(states))
    return weights, context


def context_only(states, attention):
    """One result for two."""
    return attention(states, states, triangle(states))[0]


def weights_again(states, attention):
    """The weights go through another softmax."""
    context, weights = attention(states, states, triangle(states))
    return context, weights.softmax(dim=-1)


def mask_in_front(states, attention):
    """The arguments stand in another order."""
    return attention(triangle(states), states, states)


def sees_itself(states, attention):
    """The mask of `causal_mask`."""
    return attention(states, states, triangle(states, diagonal=0))


def first_sees_itself(states, attention):
    """The first state's row is filled lest it be empty."""
    mask = triangle(states)
    mask[:, 0, 0] = True
    return attention(states, states, mask)


def last_sees_itself(states, attention):
    """The last state's row is full."""
    mask = triangle(states)
    mask[:, -1] = True
    return attention(states, states, mask)


def state_before_asks(states, attention):
    """The state before each asks for it."""
    queries = torch.cat([torch.zeros_like(states[:, :1]), states[:, :-1]], dim=1)
    return attention(queries, states, triangle(states))


def last_state_asks(states, attention):
    """The last state asks for all."""
    return attention(states[:, -1:].expand_as(states), states, triangle(states))


def mean_asks(states, attention):
    """The mean of the states asks for all."""
    return attention(states.mean(dim=1, keepdim=True).expand_as(states), states, triangle(states))


def zeros_ask(states, attention):
    """Nobody asks."""
    return attention(torch.zeros_like(states), states, triangle(states))


def normalised_queries(states, attention):
    """The queries are normalised before they are passed to the attention."""
    return attention(nn.functional.normalize(states, dim=-1), states, triangle(states))


def own_context(states, attention):
    """The sum is taken anew."""
    _, weights = attention(states, states, triangle(states))
    return weights @ states, weights


def context_added(states, attention):
    """The state is added to its context, expected the context alone."""
    context, weights = attention(states, states, triangle(states))
    return context + states, weights


def mask_without_batch(states, attention):
    """A mask of two dimensions."""
    return attention(states, states, triangle(states)[0])


def mask_of_one_length(states, attention):
    """The mask was written for five states."""
    return attention(states, states, torch.ones(1, 5, 5, dtype=torch.bool).tril(-1))


def squeezes(states, attention):
    """Dimensions of size one are lost."""
    context, weights = attention(states, states, triangle(states))
    return context.squeeze(), weights.squeeze()


def memory_without_gradient(states, attention):
    """No gradient reaches the states as memory."""
    return attention(states, states.detach(), triangle(states))


def queries_without_gradient(states, attention):
    """No gradient reaches the states as queries."""
    return attention(states.data, states, triangle(states))


def no_gradient(states, attention):
    """All of it is computed without a gradient."""
    with torch.no_grad():
        return attention(states, states, triangle(states))


_OTHERS = "each state may attend to all states before it and to none after it"
_ITSELF = "no state may attend to itself"
_ASKED = "the states are the queries, and also the memory"
_BATCH_AXIS = "the mask that the attention gets has a batch dimension"
_NUMBERS = "any number of sentences and of states works"
_GRADIENT = "the gradient reaches the states"

WRONG = {
    sees_everything: _OTHERS,
    sees_the_future: _OTHERS,
    inverted: _OTHERS,
    sees_one_ahead: _OTHERS,
    misses_the_state_before: _OTHERS,
    sees_the_state_before_alone: _OTHERS,
    last_row_for_all: _OTHERS,
    without_mask: _OTHERS,
    mask_of_numbers: _OTHERS,
    mask_of_infinities: _OTHERS,
    axis_in_the_middle: _OTHERS,
    first_state_dropped: _OTHERS,
    first_state_emptied: _OTHERS,
    states_before_as_memory: _OTHERS,
    last_dimension_counted: _OTHERS,
    swapped_results: _OTHERS,
    context_only: _OTHERS,
    weights_again: _OTHERS,
    mask_in_front: _OTHERS,
    sees_itself: _ITSELF,
    first_sees_itself: _ITSELF,
    last_sees_itself: _ITSELF,
    state_before_asks: _ASKED,
    last_state_asks: _ASKED,
    mean_asks: _ASKED,
    zeros_ask: _ASKED,
    normalised_queries: _ASKED,
    own_context: _ASKED,
    context_added: _ASKED,
    mask_without_batch: _BATCH_AXIS,
    mask_of_one_length: _NUMBERS,
    squeezes: _NUMBERS,
    memory_without_gradient: _GRADIENT,
    queries_without_gradient: _GRADIENT,
    no_gradient: _GRADIENT,
}


def compares(states, attention):
    """i < t as it stands."""
    places = torch.arange(states.shape[1], device=states.device)
    return attention(states, states, (places < places.unsqueeze(1)).unsqueeze(0))


def all_but_itself(states, attention):
    """The causal mask without its diagonal, by name."""
    itself = torch.eye(states.size(1), dtype=torch.bool, device=states.device)
    return attention(query=states, memory=states, mask=(triangle(states, diagonal=0) & ~itself))


def mask_for_every_sentence(states, attention):
    """The mask expanded to the batch."""
    return attention(states, states, triangle(states).expand(len(states), -1, -1))


def not_the_present_or_future(states, attention):
    """All but the present and the future, and a list for a tuple."""
    length = states.shape[1]
    return list(attention(states, states, ~torch.ones(length, length, device=states.device).triu().bool()[None]))


def state_by_state(states, attention):
    """One query after the other, over all states under its own mask."""
    mask = triangle(states)
    looks = [attention(states[:, t : t + 1], states, mask[:, t : t + 1]) for t in range(states.shape[1])]
    return torch.cat([context for context, _ in looks], dim=1), torch.cat([weights for _, weights in looks], dim=1)


def growing_memory(states, attention):
    """One query after the other, over the states before it alone; the rest of its weights are zeros."""
    contexts, rows = [], []
    for t in range(states.shape[1]):
        context, weights = attention(
            states[:, t : t + 1], states[:, :t], torch.ones(1, 1, t, dtype=torch.bool, device=states.device)
        )
        contexts.append(context)
        rows.append(nn.functional.pad(weights, (0, states.shape[1] - t)))
    return torch.cat(contexts, dim=1), torch.cat(rows, dim=1)


def first_state_apart(states, attention):
    """The first state's context and weights are zeros without asking."""
    batch, length, size = states.shape
    context, weights = states.new_zeros(batch, 1, size), states.new_zeros(batch, 1, length)
    if length == 1:
        return context, weights
    later, rows = attention(states[:, 1:], states, triangle(states)[:, 1:])
    return torch.cat([context, later], dim=1), torch.cat([weights, rows], dim=1)


def sentence_by_sentence(states, attention):
    """One sentence after the other."""
    looks = [attention(one.unsqueeze(0), one.unsqueeze(0), triangle(one.unsqueeze(0))) for one in states]
    return torch.cat([context for context, _ in looks]), torch.cat([weights for _, weights in looks])


class AttendToPast(nn.Module):
    """A module in the place of a function."""

    def forward(self, states, attention):
        return attention(states, states, triangle(states))


RIGHT = {
    "compares": compares,
    "all but itself": all_but_itself,
    "a mask for every sentence": mask_for_every_sentence,
    "not the present or future": not_the_present_or_future,
    "state by state": state_by_state,
    "growing memory": growing_memory,
    "first state apart": first_state_apart,
    "sentence by sentence": sentence_by_sentence,
    "a module": AttendToPast(),
    "a lambda": lambda states, attention: attention(states, states, triangle(states)),
}
