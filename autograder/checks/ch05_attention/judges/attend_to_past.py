"""What is right about `attend_to_past`, and what is said when it is not."""

from typing import Any

import torch

from autograder.checks.ch05_attention.judges.squares import beside_diagonal
from autograder.checks.ch05_attention.probes import attend_to_past as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_OTHERS = "each state may attend to all states before it and to none after it"
_ITSELF = "no state may attend to itself"
_ASKED = "the states are the queries, and also the memory"
_BATCH_AXIS = "the mask that the attention gets has a batch dimension"


@judge(
    _OTHERS,
    probe=probes.others,
    points=1,
    hint="Row t of the mask says what state t may look at: it is True at the positions before t. Every state has a "
    "row, including the first one. Return two things, the context and the weights.",
)
def sees_the_past(got: Any, want: Any) -> Verdict:
    """What is beside the diagonal."""
    weights, right = beside_diagonal(got["weights"]), beside_diagonal(want["weights"])
    if is_close(weights, right):
        return passed()
    seen, past = weights != 0, right != 0
    if is_close(weights.tril(), right):
        if seen.triu(1).any(0).sum() == past.any(0).sum():
            return failed("every state also attends to the states after it: the mask does not hide them")
        t, i = seen.triu(1).any(0).nonzero()[0].tolist()
        return failed(f"state {t} (counted from 0) attends to state {i}, which comes after it")
    if torch.equal(seen, past.transpose(1, 2)):
        return failed(
            "each state attends to the states after it and to none before it. Either rows and columns of the mask are "
            "swapped, or True is used for hidden positions"
        )
    missed = (past & ~seen).any(0).nonzero().tolist()
    if missed and not (seen & ~past).any():
        return failed(
            f"state {missed[0][0]} (counted from 0) does not attend to state {missed[0][1]}, which comes before it"
        )
    return failed(
        f"the weights are not those that the attention returns for the given states; {difference(weights, right)}"
    )


@judge(
    _ITSELF,
    probe=probes.itself,
    points=2,
    needs=(_OTHERS,),
    hint="i < t is false where i and t are equal: what is on the diagonal of your mask? The first state then attends "
    "to nothing, which is right: an attention returns zeros for an empty row.",
)
def not_itself(got: Any, want: Any) -> Verdict:
    """The diagonal."""
    if is_close(got["weights"], want["weights"]):
        return passed()
    own = (got["weights"].diagonal(dim1=1, dim2=2) != 0).any(0)
    if own.all():
        return failed("each state attends to itself; expected only to the states before it")
    if own.any() and own.nonzero()[0].item() == 0:
        return failed("the first state attends to itself, but it has no past, so its row of the mask must be empty")
    if own.any():
        return failed(f"state {own.nonzero()[0].item()} (counted from 0) attends to itself")
    return failed(f"weights: {difference(got['weights'], want['weights'])}")


@judge(
    _ASKED,
    probe=probes.asked,
    points=1,
    needs=(_OTHERS,),
    hint="Pass all the states to the attention twice, unchanged, as queries and as memory; only the mask decides "
    "which state may attend to which. Return the results of the attention.",
)
def asks_for_itself(got: Any, want: Any) -> Verdict:
    """Who asks, what is looked at, and what is made of it."""
    if is_close(got["context"], want["context"]) and is_close(got["weights"], want["weights"]):
        return passed()
    states, past = want["states"], (want["weights"] != 0).any(0, keepdim=True)
    before = torch.cat([torch.zeros_like(states[:, :1]), states[:, :-1]], dim=1)
    others = {
        "the query at each position is the state before it; expected the state itself": before,
        "the last state is the query at every position; expected the state at that position": states[:, -1:].expand_as(
            states
        ),
        "the first state is the query at every position; expected the state at that position": states[:, :1].expand_as(
            states
        ),
        "the mean of the states is the query at every position; expected the state at that position": states.mean(
            1, True
        ).expand_as(states),
        "the queries are zeros; expected the states": torch.zeros_like(states),
    }
    for message, query in others.items():
        if is_close(got["weights"], probes.shows_its_query(query, states, past)[1]):
            return failed(message)
    if not is_close(got["weights"], want["weights"]):
        return failed(f"the weights are not those of the given states; {difference(got['weights'], want['weights'])}")
    if is_close(got["context"], want["weights"] @ states):
        return failed("the context was computed separately; return the one that the attention returns")
    return failed(f"the weights are right, but the context is not: {difference(got['context'], want['context'])}")


batch_axis = judge(
    _BATCH_AXIS,
    probe=probes.batch_axis,
    points=1,
    needs=(_OTHERS, _ASKED),
    hint="An attention takes a mask for each sentence, (B, T, T), or one mask for all of them, (1, T, T). "
    "unsqueeze(0) adds a dimension of size one in front.",
)(close())

numbers = judge(
    "any number of sentences and of states works",
    probe=probes.numbers,
    points=1,
    hidden=True,
    needs=(_OTHERS, _ASKED),
    hint="Take the length of the mask from the states at each call. With one sentence, or with one state that attends "
    "to nothing, context and weights keep all three dimensions: squeeze() removes those of size one.",
)(close())

gradient = judge(
    "the gradient reaches the states",
    probe=probes.past_gradient,
    points=1,
    hidden=True,
    needs=(_OTHERS, _ASKED),
    hint="Use only torch operations on the tensors themselves: detach, .data and no_grad cut off the gradient, and a "
    "state gets a gradient both as a query and as memory.",
)(close())
