"""What is right about `attend_to_past`, and what is said when it is not."""

from typing import Any

import torch

from autograder.checks.ch05_attention.judges.squares import beside_diagonal
from autograder.checks.ch05_attention.probes import attend_to_past as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_OTHERS = "each state sees all states before it and none after it"
_ITSELF = "no state sees itself"
_ASKED = "each state asks for itself, and the states are what is looked at"
_BATCH_AXIS = "the mask that the attention gets has its batch axis"


@judge(
    _OTHERS,
    probe=probes.others,
    points=1,
    hint="Row t of the mask says what state t may look at: True at the places before t. Every state has its row, the first one too. "
    "Return two things, the context and the weights.",
)
def sees_the_past(got: Any, want: Any) -> Verdict:
    """What is beside the diagonal."""
    weights, right = beside_diagonal(got["weights"]), beside_diagonal(want["weights"])
    if is_close(weights, right):
        return passed()
    seen, past = weights != 0, right != 0
    if is_close(weights.tril(), right):
        if seen.triu(1).any(0).sum() == past.any(0).sum():
            return failed("every state sees those after it as well: the mask hides nothing of them")
        t, i = seen.triu(1).any(0).nonzero()[0].tolist()
        return failed(f"state {t} (counted from 0) sees state {i}, which comes after it")
    if torch.equal(seen, past.transpose(1, 2)):
        return failed(
            "each state sees those after it and none before it. Either rows and columns of the mask have changed places, or "
            "True is taken for a place that is hidden"
        )
    missed = (past & ~seen).any(0).nonzero().tolist()
    if missed and not (seen & ~past).any():
        return failed(f"state {missed[0][0]} (counted from 0) does not see state {missed[0][1]}, which comes before it")
    return failed(
        f"the weights are not those that the attention gives for the states as they came; {difference(weights, right)}"
    )


@judge(
    _ITSELF,
    probe=probes.itself,
    points=2,
    needs=(_OTHERS,),
    hint="i < t does not hold where i and t are equal: what is on the diagonal of your mask? The first state sees nothing then, and "
    "that is right: an attention gives an empty row zeros.",
)
def not_itself(got: Any, want: Any) -> Verdict:
    """The diagonal."""
    if is_close(got["weights"], want["weights"]):
        return passed()
    own = (got["weights"].diagonal(dim1=1, dim2=2) != 0).any(0)
    if own.all():
        return failed("each state sees itself; expected those before it alone")
    if own.any() and own.nonzero()[0].item() == 0:
        return failed("the first state sees itself; it has no past, and its row of the mask is empty")
    if own.any():
        return failed(f"state {own.nonzero()[0].item()} (counted from 0) sees itself")
    return failed(f"weights: {difference(got['weights'], want['weights'])}")


@judge(
    _ASKED,
    probe=probes.asked,
    points=1,
    needs=(_OTHERS,),
    hint="The states are handed to the attention twice, as queries and as memory, both whole and as they came; the mask alone says who "
    "sees whom. What the attention returns is the result.",
)
def asks_for_itself(got: Any, want: Any) -> Verdict:
    """Who asks, what is looked at, and what is made of it."""
    if is_close(got["context"], want["context"]) and is_close(got["weights"], want["weights"]):
        return passed()
    states, past = want["states"], (want["weights"] != 0).any(0, keepdim=True)
    before = torch.cat([torch.zeros_like(states[:, :1]), states[:, :-1]], dim=1)
    others = {
        "the query of each state is the state before it; expected the state itself": before,
        "the last state asks for all; expected each state for itself": states[:, -1:].expand_as(states),
        "the first state asks for all; expected each state for itself": states[:, :1].expand_as(states),
        "the mean of the states asks for all; expected each state for itself": states.mean(1, True).expand_as(states),
        "the queries are zeros; expected the states": torch.zeros_like(states),
    }
    for message, query in others.items():
        if is_close(got["weights"], probes.shows_its_query(query, states, past)[1]):
            return failed(message)
    if not is_close(got["weights"], want["weights"]):
        return failed(
            f"the weights are not those of the states as they came; {difference(got['weights'], want['weights'])}"
        )
    if is_close(got["context"], want["weights"] @ states):
        return failed("the context is a sum of your own; return the one that the attention gives")
    return failed(f"the weights are right, the context is not: {difference(got['context'], want['context'])}")


batch_axis = judge(
    _BATCH_AXIS,
    probe=probes.batch_axis,
    points=1,
    needs=(_OTHERS, _ASKED),
    hint="An attention takes a mask for each sentence, (B, T, T), or one for all of them, (1, T, T). unsqueeze(0) puts an axis of size "
    "one in front.",
)(close())

numbers = judge(
    "any number of sentences and of states will do",
    probe=probes.numbers,
    points=1,
    hidden=True,
    needs=(_OTHERS, _ASKED),
    hint="Take the length of the mask from the states at each call. With one sentence, or with one state that sees nothing, context "
    "and weights keep all three dimensions: squeeze() takes away those of size one.",
)(close())

gradient = judge(
    "the gradient reaches the states",
    probe=probes.past_gradient,
    points=1,
    hidden=True,
    needs=(_OTHERS, _ASKED),
    hint="Stay with torch's operations on the tensors themselves: detach, .data and no_grad cut the gradient off, and a state learns "
    "both from asking and from being looked at.",
)(close())
