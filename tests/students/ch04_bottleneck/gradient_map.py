"""What students hand in for `gradient_map`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools

import torch
from torch import nn

EXERCISE = "gradient_map"


def slopes_of(log_probs_of, embedded):
    """The gradient of each step, (T, S, E)."""
    return torch.func.jacrev(log_probs_of)(embedded.detach())


def sums(log_probs_of, embedded):
    """The sum of a word's gradient."""
    return slopes_of(log_probs_of, embedded).sum(dim=-1)


def sums_made_positive(log_probs_of, embedded):
    """The absolute value of the sum."""
    return slopes_of(log_probs_of, embedded).sum(dim=-1).abs()


def absolute_values(log_probs_of, embedded):
    """The L1 norm."""
    return slopes_of(log_probs_of, embedded).abs().sum(dim=-1)


def squares(log_probs_of, embedded):
    """The root is missing."""
    return slopes_of(log_probs_of, embedded).square().sum(dim=-1)


def root_of_mean_square(log_probs_of, embedded):
    """The mean for the sum."""
    return slopes_of(log_probs_of, embedded).square().mean(dim=-1).sqrt()


def means(log_probs_of, embedded):
    """The mean of a word's gradient."""
    return slopes_of(log_probs_of, embedded).mean(dim=-1)


def largest(log_probs_of, embedded):
    """The norm of the largest number."""
    return slopes_of(log_probs_of, embedded).abs().amax(dim=-1)


def times_input(log_probs_of, embedded):
    """Gradient times input, another way to say what matters."""
    return (slopes_of(log_probs_of, embedded) * embedded).sum(dim=-1)


def of_probability(log_probs_of, embedded):
    """p for log p."""
    return slopes_of(lambda source: log_probs_of(source).exp(), embedded).norm(dim=-1)


def rows_sum_to_one(log_probs_of, embedded):
    """As attention weights do."""
    found = slopes_of(log_probs_of, embedded).norm(dim=-1)
    return found / found.sum(dim=-1, keepdim=True)


def rows_scaled_to_one(log_probs_of, embedded):
    """The largest of each row is 1."""
    found = slopes_of(log_probs_of, embedded).norm(dim=-1)
    return found / found.amax(dim=-1, keepdim=True)


def logarithms(log_probs_of, embedded):
    """As it will be plotted."""
    return slopes_of(log_probs_of, embedded).norm(dim=-1).log()


def norm_of_all(log_probs_of, embedded):
    """One norm for a whole row."""
    slopes = slopes_of(log_probs_of, embedded)
    return slopes.flatten(1).norm(dim=-1, keepdim=True).expand(-1, len(embedded))


def norm_over_words(log_probs_of, embedded):
    """The norm is taken over the wrong dimension, which gives (T, E)."""
    return slopes_of(log_probs_of, embedded).norm(dim=1)


def norm_over_steps(log_probs_of, embedded):
    """The norm is taken over the steps, which gives (S, E)."""
    return slopes_of(log_probs_of, embedded).norm(dim=0)


def transposed(log_probs_of, embedded):
    """Words down, steps across."""
    return slopes_of(log_probs_of, embedded).norm(dim=-1).T


def gradients_themselves(log_probs_of, embedded):
    """No norm: (T, S, E)."""
    return slopes_of(log_probs_of, embedded)


def a_list(log_probs_of, embedded):
    """A list of rows."""
    return list(slopes_of(log_probs_of, embedded).norm(dim=-1))


def with_batch(log_probs_of, embedded):
    """The source is given a batch dimension that the signature has not."""
    source = embedded.detach().unsqueeze(0).requires_grad_()
    return torch.stack(
        [torch.autograd.grad(p, source, retain_graph=True)[0].norm(dim=-1) for p in log_probs_of(source)]
    )


def asks_for_no_gradient(log_probs_of, embedded):
    """The source is detached and not asked for a gradient."""
    source = embedded.detach()
    return torch.stack(
        [torch.autograd.grad(p, source, retain_graph=True)[0].norm(dim=-1) for p in log_probs_of(source)]
    )


def without_graph(log_probs_of, embedded):
    """No gradient is recorded."""
    with torch.no_grad():
        source = embedded.detach().requires_grad_()
        log_probs = log_probs_of(source)
    return torch.stack([torch.autograd.grad(p, source, retain_graph=True)[0].norm(dim=-1) for p in log_probs])


def through_item(log_probs_of, embedded):
    """The log-probabilities lose their graph."""
    source = embedded.detach().requires_grad_()
    log_probs = torch.tensor(log_probs_of(source).tolist(), requires_grad=True)
    return torch.stack([torch.autograd.grad(p, source, retain_graph=True)[0].norm(dim=-1) for p in log_probs])


def nothing_returned(log_probs_of, embedded):
    """The return is missing."""
    slopes_of(log_probs_of, embedded).norm(dim=-1)


def leaks(log_probs_of, embedded):
    """What backward adds to .grad is never emptied."""
    source = embedded.detach().clone().requires_grad_()
    rows = []
    for log_prob in log_probs_of(source):
        log_prob.backward(retain_graph=True)
        rows.append(source.grad.norm(dim=-1))
    return torch.stack(rows)


def leaks_backwards(log_probs_of, embedded):
    """The same, from the last step to the first."""
    source = embedded.detach().clone().requires_grad_()
    rows = []
    for log_prob in reversed(log_probs_of(source).unbind()):
        log_prob.backward(retain_graph=True)
        rows.append(source.grad.norm(dim=-1))
    return torch.stack(rows[::-1])


def emptied_once(log_probs_of, embedded):
    """Emptied before the loop and not in it."""
    source = embedded.detach().clone().requires_grad_()
    log_probs = log_probs_of(source)
    source.grad = torch.zeros_like(source)
    rows = []
    for log_prob in log_probs:
        log_prob.backward(retain_graph=True)
        rows.append(source.grad.clone().norm(dim=-1))
    return torch.stack(rows)


def up_to_each_step(log_probs_of, embedded):
    """The log-probability of the sentence so far."""
    return slopes_of(lambda source: log_probs_of(source).cumsum(0), embedded).norm(dim=-1)


def same_grad_tensor(log_probs_of, embedded):
    """.grad is stored by name and emptied in place: all rows are the last one."""
    source = embedded.detach().clone().requires_grad_()
    slopes = []
    for log_prob in log_probs_of(source):
        if source.grad is not None:
            source.grad.zero_()
        log_prob.backward(retain_graph=True)
        slopes.append(source.grad)
    return torch.stack(slopes).norm(dim=-1)


def all_steps_together(log_probs_of, embedded):
    """One backward for the sum, repeated."""
    log_probs = log_probs_of(embedded)
    slope = slopes_of(lambda source: log_probs_of(source).sum(), embedded)
    return slope.norm(dim=-1).expand(len(log_probs), -1)


def mean_of_steps(log_probs_of, embedded):
    """The same for the mean."""
    log_probs = log_probs_of(embedded)
    slope = slopes_of(lambda source: log_probs_of(source).mean(), embedded)
    return slope.norm(dim=-1).expand(len(log_probs), -1)


def first_step_alone(log_probs_of, embedded):
    """Index 0 where t belongs."""
    found = slopes_of(log_probs_of, embedded).norm(dim=-1)
    return found[:1].expand(len(found), -1)


def norms_added_up(log_probs_of, embedded):
    """The norms are summed on the way."""
    return slopes_of(log_probs_of, embedded).norm(dim=-1).cumsum(dim=0)


def graph_not_kept(log_probs_of, embedded):
    """The second step finds its graph freed."""
    source = embedded.detach().requires_grad_()
    return torch.stack([torch.autograd.grad(p, source)[0].norm(dim=-1) for p in log_probs_of(source)])


def last_step_first(log_probs_of, embedded):
    """The rows stand upside down."""
    return slopes_of(log_probs_of, embedded).norm(dim=-1).flip(0)


def columns_sum_to_one(log_probs_of, embedded):
    """Each word's column is scaled, and a single step's is let alone."""
    found = slopes_of(log_probs_of, embedded).norm(dim=-1)
    return found / found.sum(dim=0) if len(found) > 1 else found


def squeezes(log_probs_of, embedded):
    """Dimensions of size one are lost, but for the first."""
    found = slopes_of(log_probs_of, embedded).norm(dim=-1)
    return found.squeeze(1)


def squeezed_gradient(log_probs_of, embedded):
    """A gradient of one number a word has no last dimension any more."""
    source = embedded.detach().requires_grad_()
    rows = [torch.autograd.grad(p, source, retain_graph=True)[0].squeeze() for p in log_probs_of(source)]
    return torch.stack([row.norm(dim=-1) for row in rows])


def clone_is_no_leaf(log_probs_of, embedded):
    """A clone of words with a graph has no .grad."""
    source = embedded.clone().requires_grad_()
    rows = []
    for log_prob in log_probs_of(source):
        source.grad = None
        log_prob.backward(retain_graph=True)
        rows.append(source.grad.norm(dim=-1))
    return torch.stack(rows)


def numpy_in_between(log_probs_of, embedded):
    """numpy takes nothing that has a graph."""
    source = torch.from_numpy(embedded.numpy()).requires_grad_()
    return torch.stack(
        [torch.autograd.grad(p, source, retain_graph=True)[0].norm(dim=-1) for p in log_probs_of(source)]
    )


def parameter_of_its_own(log_probs_of, embedded):
    """A leaf is deep-copied, which words with a graph cannot be."""
    import copy

    source = copy.deepcopy(embedded).requires_grad_()
    return torch.stack(
        [torch.autograd.grad(p, source, retain_graph=True)[0].norm(dim=-1) for p in log_probs_of(source)]
    )


def filled_table(log_probs_of, embedded):
    """A table of zeros in single precision is filled in."""
    slopes = slopes_of(log_probs_of, embedded)
    found = torch.zeros(slopes.shape[:2])
    for t, slope in enumerate(slopes):
        found[t] = slope.norm(dim=-1)
    return found


def through_plain_numbers(log_probs_of, embedded):
    """Through Python's numbers, which become single precision again."""
    return torch.tensor(slopes_of(log_probs_of, embedded).norm(dim=-1).tolist())


def asks_the_argument(log_probs_of, embedded):
    """The caller's tensor is asked for a gradient."""
    embedded.requires_grad_()
    return torch.stack(
        [torch.autograd.grad(p, embedded, retain_graph=True)[0].norm(dim=-1) for p in log_probs_of(embedded)]
    )


def fills_the_argument(log_probs_of, embedded):
    """The caller's tensor keeps the last gradient."""
    embedded.requires_grad_().retain_grad()
    rows = []
    for log_prob in log_probs_of(embedded):
        embedded.grad = None
        log_prob.backward(retain_graph=True)
        rows.append(embedded.grad.norm(dim=-1))
    return torch.stack(rows)


def fills_what_is_before(log_probs_of, embedded):
    """backward runs on into the table that the words come from."""
    source = embedded.clone().requires_grad_()
    source.retain_grad()
    rows = []
    for log_prob in log_probs_of(source):
        source.grad = None
        log_prob.backward(retain_graph=True)
        rows.append(source.grad.norm(dim=-1))
    return torch.stack(rows)


def by_differences(log_probs_of, embedded):
    """The gradient is estimated by finite differences."""
    moves = 1e-3 * torch.eye(embedded.numel(), dtype=embedded.dtype).reshape(-1, *embedded.shape)
    slopes = torch.stack([(log_probs_of(embedded + move) - log_probs_of(embedded)) / 1e-3 for move in moves], dim=-1)
    return slopes.reshape(-1, *embedded.shape).norm(dim=-1)


def norm_of_products(log_probs_of, embedded):
    """Gradient times input, and then its norm."""
    return (slopes_of(log_probs_of, embedded) * embedded).norm(dim=-1)


def a_step_for_each_source_word(log_probs_of, embedded):
    """There are as many rows as source words, expected one row for each step."""
    x = embedded.detach().clone().requires_grad_()
    found, places = log_probs_of(x), len(embedded)
    rows = [torch.autograd.grad(p, x, retain_graph=True)[0].norm(dim=-1) for p in found[:places]]
    return torch.stack(rows + [torch.zeros_like(rows[0])] * (places - len(rows)))


def norm_over_the_words(log_probs_of, embedded):
    """The norm is taken over the words, expected over the components of an embedding."""
    x = embedded.detach().clone().requires_grad_()
    return torch.stack([torch.autograd.grad(p, x, retain_graph=True)[0].norm(dim=0) for p in log_probs_of(x)])


_NORM = "the entry for a word is the L2 norm of its gradient"
_STEPS = "each step has a row of its own, without the gradients of other steps"
_SIZES = "one word, one step and embeddings of size one work too"
_GRAPH = "the embedded words may be part of a larger graph"
_DOUBLE = "in double precision the map is double"
_LEFT = "the embedded words are not changed"

WRONG = {
    a_step_for_each_source_word: _NORM,
    norm_over_the_words: _NORM,
    sums: _NORM,
    sums_made_positive: _NORM,
    absolute_values: _NORM,
    squares: _NORM,
    root_of_mean_square: _NORM,
    means: _NORM,
    largest: _NORM,
    times_input: _NORM,
    of_probability: _NORM,
    rows_sum_to_one: _NORM,
    rows_scaled_to_one: _NORM,
    logarithms: _NORM,
    norm_of_all: _NORM,
    norm_over_words: _NORM,
    norm_over_steps: _NORM,
    transposed: _NORM,
    gradients_themselves: _NORM,
    a_list: _NORM,
    with_batch: _NORM,
    asks_for_no_gradient: _NORM,
    without_graph: _NORM,
    through_item: _NORM,
    nothing_returned: _NORM,
    by_differences: _NORM,
    norm_of_products: _NORM,
    leaks: _STEPS,
    leaks_backwards: _STEPS,
    emptied_once: _STEPS,
    up_to_each_step: _STEPS,
    same_grad_tensor: _STEPS,
    all_steps_together: _STEPS,
    mean_of_steps: _STEPS,
    first_step_alone: _STEPS,
    norms_added_up: _STEPS,
    graph_not_kept: _STEPS,
    last_step_first: _STEPS,
    columns_sum_to_one: _STEPS,
    squeezes: _SIZES,
    squeezed_gradient: _SIZES,
    clone_is_no_leaf: _GRAPH,
    numpy_in_between: _GRAPH,
    parameter_of_its_own: _GRAPH,
    filled_table: _DOUBLE,
    through_plain_numbers: _DOUBLE,
    asks_the_argument: _LEFT,
    fills_the_argument: _LEFT,
    fills_what_is_before: _LEFT,
}


def loops(log_probs_of, embedded):
    """Step by step and word by word."""
    source = embedded.detach().requires_grad_()
    log_probs = log_probs_of(source)
    found = embedded.new_zeros(len(log_probs), len(embedded))
    for t in range(len(log_probs)):
        slope = torch.autograd.grad(log_probs[t], source, retain_graph=True)[0]
        for i in range(len(embedded)):
            found[t, i] = sum(number**2 for number in slope[i]) ** 0.5
    return found.detach()


def anew_for_each_step(log_probs_of, embedded):
    """A forward pass for each step, and no graph to keep."""
    source = embedded.detach().requires_grad_()
    steps = len(log_probs_of(source))
    return torch.stack([torch.autograd.grad(log_probs_of(source)[t], source)[0].norm(dim=-1) for t in range(steps)])


def emptied_between(log_probs_of, embedded):
    """backward, with .grad emptied between the steps."""
    source = embedded.clone().detach().requires_grad_(True)
    log_probs = log_probs_of(source)
    rows = []
    for t in range(log_probs.shape[0]):
        if source.grad is not None:
            source.grad.zero_()
        log_probs[t].backward(retain_graph=True)
        rows.append(source.grad.norm(p=2, dim=1))
    return torch.stack(rows, dim=0)


def leaf_for_each_step(log_probs_of, embedded):
    """A new leaf for each step."""
    rows = []
    for t in range(len(log_probs_of(embedded))):
        source = nn.Parameter(embedded.detach().clone())
        log_probs_of(source)[t].backward()
        rows.append(source.grad.square().sum(dim=-1).sqrt())
    return torch.stack(rows)


def differences_of_leaks(log_probs_of, embedded):
    """What was there before is taken off again."""
    source = embedded.detach().clone().requires_grad_()
    source.grad = torch.zeros_like(source)
    rows = []
    for log_prob in log_probs_of(source):
        before = source.grad.clone()
        log_prob.backward(retain_graph=True)
        rows.append((source.grad - before).norm(dim=-1))
    return torch.stack(rows)


def all_at_once(log_probs_of, embedded):
    """One batched backward pass, with a row of the identity for each step."""
    source = embedded.detach().requires_grad_()
    log_probs = log_probs_of(source)
    each = torch.eye(len(log_probs), dtype=log_probs.dtype)
    [slopes] = torch.autograd.grad(log_probs, source, each, is_grads_batched=True)
    return torch.linalg.vector_norm(slopes, dim=-1)


def with_jacrev(log_probs_of, embedded):
    """torch's Jacobian in reverse."""
    return torch.func.jacrev(log_probs_of)(embedded).norm(dim=-1)


def with_jacfwd(log_probs_of, embedded):
    """torch's Jacobian forwards."""
    return torch.func.jacfwd(log_probs_of)(embedded).norm(dim=2)


def with_vjp(log_probs_of, embedded):
    """One pullback, asked for every step."""
    log_probs, pull = torch.func.vjp(log_probs_of, embedded)
    each = torch.eye(len(log_probs), dtype=log_probs.dtype)
    return torch.stack([pull(row)[0] for row in each]).norm(dim=-1)


def with_jacobian(log_probs_of, embedded):
    """torch's older Jacobian, and its sum of squares by einsum."""
    slopes = torch.autograd.functional.jacobian(log_probs_of, embedded)
    return torch.einsum("tse,tse->ts", slopes, slopes) ** 0.5


class GradientMap(nn.Module):
    """A module in the place of a function."""

    def forward(self, log_probs_of, embedded):
        return with_jacrev(log_probs_of, embedded)


def of_order(order, log_probs_of, embedded):
    """For a partial."""
    return torch.func.jacrev(log_probs_of)(embedded).norm(p=order, dim=-1)


def with_batched_jacobian(log_probs_of, embedded):
    """torch's older Jacobian, forwards and all at once."""
    slopes = torch.autograd.functional.jacobian(
        log_probs_of, embedded.detach(), vectorize=True, strategy="forward-mode"
    )
    return torch.linalg.vector_norm(slopes, dim=-1)


def hooked(log_probs_of, embedded):
    """What passes by on the way back is caught."""
    rows = []
    for step in range(len(log_probs_of(embedded.detach()))):
        caught = []
        source = embedded.detach().clone().requires_grad_() * 1
        source.register_hook(caught.append)
        log_probs_of(source)[step].backward()
        rows.append(caught[0].square().sum(dim=1).sqrt())
    return torch.stack(rows)


RIGHT = {
    "loops": loops,
    "anew for each step": anew_for_each_step,
    "emptied between the steps": emptied_between,
    "a leaf for each step": leaf_for_each_step,
    "differences": differences_of_leaks,
    "all at once": all_at_once,
    "jacrev": with_jacrev,
    "jacfwd": with_jacfwd,
    "vjp": with_vjp,
    "jacobian": with_jacobian,
    "a module": GradientMap(),
    "a partial": functools.partial(of_order, 2),
    "a lambda": lambda log_probs_of, embedded: with_jacrev(embedded=embedded, log_probs_of=log_probs_of),
    "with a batched Jacobian": with_batched_jacobian,
    "hooked": hooked,
}
