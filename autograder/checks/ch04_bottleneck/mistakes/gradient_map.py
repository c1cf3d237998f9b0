"""Mistakes in `gradient_map`, and right answers in other styles."""

import functools

import torch
from torch import nn

from autograder.checks.ch04_bottleneck.gradient_map import double, inside_a_graph, left, one_step, sizes, steps
from autograder.judging.catalogue import mistake, right


def slopes_of(log_probs_of, embedded):
    """The gradient of each step, (T, S, E)."""
    return torch.func.jacrev(log_probs_of)(embedded.detach())


@right
def usual(log_probs_of, embedded):
    source = embedded.detach().requires_grad_()
    return torch.stack(
        [torch.autograd.grad(p, source, retain_graph=True)[0].norm(dim=-1) for p in log_probs_of(source)]
    )


@mistake(
    one_step, "the components of the gradient are summed with their signs, so that they cancel; expected their norm"
)
def sums(log_probs_of, embedded):
    return slopes_of(log_probs_of, embedded).sum(dim=-1)


@mistake(one_step, "the result is the absolute value of the sum of the gradient's components, expected their norm")
def sums_made_positive(log_probs_of, embedded):
    return slopes_of(log_probs_of, embedded).sum(dim=-1).abs()


@mistake(one_step, "the result is the L1 norm, the sum of absolute values; expected the L2 norm")
def absolute_values(log_probs_of, embedded):
    return slopes_of(log_probs_of, embedded).abs().sum(dim=-1)


@mistake(one_step, "the result is the square of the L2 norm: the square root is missing")
def squares(log_probs_of, embedded):
    return slopes_of(log_probs_of, embedded).square().sum(dim=-1)


@mistake(one_step, "the result is the square root of the mean of the squares, expected of their sum")
def root_of_mean_square(log_probs_of, embedded):
    return slopes_of(log_probs_of, embedded).square().mean(dim=-1).sqrt()


@mistake(one_step, "the result is the mean of each word's gradient, expected the L2 norm")
def means(log_probs_of, embedded):
    return slopes_of(log_probs_of, embedded).mean(dim=-1)


@mistake(one_step, "the result is the largest absolute value of each word's gradient, expected the L2 norm")
def largest(log_probs_of, embedded):
    return slopes_of(log_probs_of, embedded).abs().amax(dim=-1)


@mistake(one_step, "each word's gradient is multiplied by its embedding; expected the norm of the gradient alone")
def times_input(log_probs_of, embedded):
    return (slopes_of(log_probs_of, embedded) * embedded).sum(dim=-1)


@mistake(one_step, "the gradient is that of the probability p, expected that of log p, which log_probs_of returns")
def of_probability(log_probs_of, embedded):
    return slopes_of(lambda source: log_probs_of(source).exp(), embedded).norm(dim=-1)


@mistake(one_step, "each row is divided by its sum, expected the norms themselves")
def rows_sum_to_one(log_probs_of, embedded):
    found = slopes_of(log_probs_of, embedded).norm(dim=-1)
    return found / found.sum(dim=-1, keepdim=True)


mistake(one_step, "each row is divided by its largest entry, expected the norms themselves").made_in(
    rows_sum_to_one, rows_scaled_to_one={"found.sum": "found.amax"}
)


@mistake(one_step, "the result is the logarithm of the norms, expected the norms")
def logarithms(log_probs_of, embedded):
    return slopes_of(log_probs_of, embedded).norm(dim=-1).log()


@mistake(one_step, "a single norm is computed for the whole gradient, expected one for each word")
def norm_of_all(log_probs_of, embedded):
    slopes = slopes_of(log_probs_of, embedded)
    return slopes.flatten(1).norm(dim=-1, keepdim=True).expand(-1, len(embedded))


@mistake(one_step, "the norm is taken over the words, expected over the components of an embedding")
def norm_over_words(log_probs_of, embedded):
    return slopes_of(log_probs_of, embedded).norm(dim=1)


@mistake(one_step, "the norm is taken over the steps, expected over the components of an embedding")
def norm_over_steps(log_probs_of, embedded):
    return slopes_of(log_probs_of, embedded).norm(dim=0)


@mistake(one_step, "rows and columns are swapped: expected a row for each step and a column for each word")
def transposed(log_probs_of, embedded):
    return slopes_of(log_probs_of, embedded).norm(dim=-1).T


@mistake(one_step, "the result is the gradients themselves, expected the norm of each")
def gradients_themselves(log_probs_of, embedded):
    return slopes_of(log_probs_of, embedded)


@mistake(one_step, "the result is a list of rows, expected one tensor")
def a_list(log_probs_of, embedded):
    return list(slopes_of(log_probs_of, embedded).norm(dim=-1))


mistake(one_step, "log_probs_of gets a source with a batch dimension, expected (S, E)").made_in(
    usual, with_batch={"requires_grad_()": "unsqueeze(0).requires_grad_()"}
)
mistake(one_step, "the source is detached without requires_grad_(), so no gradient reaches it").made_in(
    usual, asks_for_no_gradient={".requires_grad_()": ""}
)


@mistake(one_step, "everything is computed under no_grad, so no gradient comes back")
def without_graph(log_probs_of, embedded):
    with torch.no_grad():
        source = embedded.detach().requires_grad_()
        log_probs = log_probs_of(source)
    return torch.stack([torch.autograd.grad(p, source, retain_graph=True)[0].norm(dim=-1) for p in log_probs])


@mistake(one_step, "item() turns the log-probability into a plain number, which has no gradient")
def through_item(log_probs_of, embedded):
    source = embedded.detach().requires_grad_()
    log_probs = torch.tensor(log_probs_of(source).tolist(), requires_grad=True)
    return torch.stack([torch.autograd.grad(p, source, retain_graph=True)[0].norm(dim=-1) for p in log_probs])


@mistake(one_step, "there is no return")
def nothing_returned(log_probs_of, embedded):
    slopes_of(log_probs_of, embedded).norm(dim=-1)


@mistake(
    steps,
    "each row also contains the gradients of earlier steps, added before the norm: is .grad cleared between the steps?",
)
def leaks(log_probs_of, embedded):
    source = embedded.detach().clone().requires_grad_()
    rows = []
    for log_prob in log_probs_of(source):
        log_prob.backward(retain_graph=True)
        rows.append(source.grad.norm(dim=-1))
    return torch.stack(rows)


mistake(steps, "each row also contains the gradients of later steps, added before the norm").made_in(
    leaks,
    leaks_backwards={
        "log_probs_of(source)": "reversed(log_probs_of(source).unbind())",
        "torch.stack(rows)": "torch.stack(rows[::-1])",
    },
)


@mistake(
    steps,
    "each row also contains the gradients of earlier steps, added before the norm: is .grad cleared between the steps?",
)
def emptied_once(log_probs_of, embedded):
    source = embedded.detach().clone().requires_grad_()
    log_probs = log_probs_of(source)
    source.grad = torch.zeros_like(source)
    rows = []
    for log_prob in log_probs:
        log_prob.backward(retain_graph=True)
        rows.append(source.grad.clone().norm(dim=-1))
    return torch.stack(rows)


mistake(
    steps,
    "each row also contains the gradients of earlier steps, added before the norm: is .grad cleared between the steps?",
).made_in(of_probability, up_to_each_step={"log_probs_of(source).exp()": "log_probs_of(source).cumsum(0)"})


@mistake(steps, "every row is the gradient of the last step")
def same_grad_tensor(log_probs_of, embedded):
    source = embedded.detach().clone().requires_grad_()
    slopes = []
    for log_prob in log_probs_of(source):
        if source.grad is not None:
            source.grad.zero_()
        log_prob.backward(retain_graph=True)
        slopes.append(source.grad)
    return torch.stack(slopes).norm(dim=-1)


@mistake(steps, "every row is the gradient of all steps together, expected that of its own step")
def all_steps_together(log_probs_of, embedded):
    log_probs = log_probs_of(embedded)
    slope = slopes_of(lambda source: log_probs_of(source).sum(), embedded)
    return slope.norm(dim=-1).expand(len(log_probs), -1)


mistake(steps, "every row is the gradient of the mean over the steps, expected that of its own step").made_in(
    all_steps_together, mean_of_steps={"log_probs_of(source).sum": "log_probs_of(source).mean"}
)
mistake(steps, "every row is the gradient of the first step").made_in(
    rows_sum_to_one, first_step_alone={"found / found.sum(dim=-1, keepdim=True)": "found[:1].expand(len(found), -1)"}
)


@mistake(steps, "each row also contains the norms of earlier steps, which are added to it")
def norms_added_up(log_probs_of, embedded):
    return slopes_of(log_probs_of, embedded).norm(dim=-1).cumsum(dim=0)


mistake(
    steps, "the first backward pass frees the graph, which the second step still needs: retain_graph=True keeps it"
).made_in(usual, graph_not_kept={", retain_graph=True": ""})


@mistake(steps, "the rows are in reverse order, with the last step first")
def last_step_first(log_probs_of, embedded):
    return slopes_of(log_probs_of, embedded).norm(dim=-1).flip(0)


@mistake(steps, "each column is divided by its sum, expected the norms themselves")
def columns_sum_to_one(log_probs_of, embedded):
    found = slopes_of(log_probs_of, embedded).norm(dim=-1)
    return found / found.sum(dim=0) if len(found) > 1 else found


mistake(sizes, "a dimension of size one is removed that belongs to the result").made_in(
    rows_sum_to_one, squeezes={"found / found.sum(dim=-1, keepdim=True)": "found.squeeze(1)"}
)


@mistake(sizes, "squeeze() removes a dimension of size one from the gradient, expected (S, E)")
def squeezed_gradient(log_probs_of, embedded):
    source = embedded.detach().requires_grad_()
    rows = [torch.autograd.grad(p, source, retain_graph=True)[0].squeeze() for p in log_probs_of(source)]
    return torch.stack([row.norm(dim=-1) for row in rows])


@mistake(
    inside_a_graph,
    "a clone of words that are part of a graph is no leaf tensor, so it has no .grad: detach() creates one",
)
def clone_is_no_leaf(log_probs_of, embedded):
    source = embedded.clone().requires_grad_()
    rows = []
    for log_prob in log_probs_of(source):
        source.grad = None
        log_prob.backward(retain_graph=True)
        rows.append(source.grad.norm(dim=-1))
    return torch.stack(rows)


mistake(
    inside_a_graph, "the embedded words are converted to NumPy, which takes no tensor that requires a gradient"
).made_in(usual, numpy_in_between={"embedded.detach()": "torch.from_numpy(embedded.numpy())"})
mistake(
    inside_a_graph, "the embedded words are copied with deepcopy, which refuses tensors that are part of a graph"
).made_in(
    usual, parameter_of_its_own={"source =": "import copy; source =", "embedded.detach()": "copy.deepcopy(embedded)"}
)


@mistake(double, "the norms are put into a new float32 tensor, expected the dtype of the embedded words")
def filled_table(log_probs_of, embedded):
    slopes = slopes_of(log_probs_of, embedded)
    found = torch.zeros(slopes.shape[:2])
    for t, slope in enumerate(slopes):
        found[t] = slope.norm(dim=-1)
    return found


@mistake(double, "the norms are put into a new float32 tensor, expected the dtype of the embedded words")
def through_plain_numbers(log_probs_of, embedded):
    return torch.tensor(slopes_of(log_probs_of, embedded).norm(dim=-1).tolist())


@mistake(left, "requires_grad_() is called on the caller's tensor")
def asks_the_argument(log_probs_of, embedded):
    embedded.requires_grad_()
    return torch.stack(
        [torch.autograd.grad(p, embedded, retain_graph=True)[0].norm(dim=-1) for p in log_probs_of(embedded)]
    )


@mistake(left, "the backward pass fills the .grad of the caller's tensor")
def fills_the_argument(log_probs_of, embedded):
    embedded.requires_grad_().retain_grad()
    rows = []
    for log_prob in log_probs_of(embedded):
        embedded.grad = None
        log_prob.backward(retain_graph=True)
        rows.append(embedded.grad.norm(dim=-1))
    return torch.stack(rows)


mistake(left, "the backward pass fills the .grad of the embedding table, which belongs to the caller").made_in(
    clone_is_no_leaf, fills_what_is_before={"rows = []": "source.retain_grad(); rows = []"}
)


@mistake(one_step, "the gradient is estimated by finite differences; let torch compute it")
def by_differences(log_probs_of, embedded):
    moves = 1e-3 * torch.eye(embedded.numel(), dtype=embedded.dtype).reshape(-1, *embedded.shape)
    slopes = torch.stack([(log_probs_of(embedded + move) - log_probs_of(embedded)) / 1e-3 for move in moves], dim=-1)
    return slopes.reshape(-1, *embedded.shape).norm(dim=-1)


mistake(
    one_step,
    "each word's gradient is multiplied by its embedding before the norm; expected the norm of the gradient alone",
).made_in(times_input, norm_of_products={".sum(dim=-1)": ".norm(dim=-1)"})


@mistake(one_step, "there is a row for each source word, expected one for each step")
def a_step_for_each_source_word(log_probs_of, embedded):
    x = embedded.detach().clone().requires_grad_()
    found, places = log_probs_of(x), len(embedded)
    rows = [torch.autograd.grad(p, x, retain_graph=True)[0].norm(dim=-1) for p in found[:places]]
    return torch.stack(rows + [torch.zeros_like(rows[0])] * (places - len(rows)))


@right
def loops(log_probs_of, embedded):
    source = embedded.detach().requires_grad_()
    log_probs = log_probs_of(source)
    found = embedded.new_zeros(len(log_probs), len(embedded))
    for t in range(len(log_probs)):
        slope = torch.autograd.grad(log_probs[t], source, retain_graph=True)[0]
        for i in range(len(embedded)):
            found[t, i] = sum(number**2 for number in slope[i]) ** 0.5
    return found.detach()


@right
def anew_for_each_step(log_probs_of, embedded):
    source = embedded.detach().requires_grad_()
    steps = len(log_probs_of(source))
    return torch.stack([torch.autograd.grad(log_probs_of(source)[t], source)[0].norm(dim=-1) for t in range(steps)])


@right
def emptied_between(log_probs_of, embedded):
    source = embedded.clone().detach().requires_grad_(True)
    log_probs = log_probs_of(source)
    rows = []
    for t in range(log_probs.shape[0]):
        if source.grad is not None:
            source.grad.zero_()
        log_probs[t].backward(retain_graph=True)
        rows.append(source.grad.norm(p=2, dim=1))
    return torch.stack(rows, dim=0)


@right
def leaf_for_each_step(log_probs_of, embedded):
    rows = []
    for t in range(len(log_probs_of(embedded))):
        source = nn.Parameter(embedded.detach().clone())
        log_probs_of(source)[t].backward()
        rows.append(source.grad.square().sum(dim=-1).sqrt())
    return torch.stack(rows)


@right
def differences_of_leaks(log_probs_of, embedded):
    source = embedded.detach().clone().requires_grad_()
    source.grad = torch.zeros_like(source)
    rows = []
    for log_prob in log_probs_of(source):
        before = source.grad.clone()
        log_prob.backward(retain_graph=True)
        rows.append((source.grad - before).norm(dim=-1))
    return torch.stack(rows)


@right
def all_at_once(log_probs_of, embedded):
    source = embedded.detach().requires_grad_()
    log_probs = log_probs_of(source)
    each = torch.eye(len(log_probs), dtype=log_probs.dtype)
    [slopes] = torch.autograd.grad(log_probs, source, each, is_grads_batched=True)
    return torch.linalg.vector_norm(slopes, dim=-1)


@right
def with_jacrev(log_probs_of, embedded):
    return torch.func.jacrev(log_probs_of)(embedded).norm(dim=-1)


@right
def with_jacfwd(log_probs_of, embedded):
    return torch.func.jacfwd(log_probs_of)(embedded).norm(dim=2)


@right
def with_vjp(log_probs_of, embedded):
    log_probs, pull = torch.func.vjp(log_probs_of, embedded)
    each = torch.eye(len(log_probs), dtype=log_probs.dtype)
    return torch.stack([pull(row)[0] for row in each]).norm(dim=-1)


@right
def with_jacobian(log_probs_of, embedded):
    slopes = torch.autograd.functional.jacobian(log_probs_of, embedded)
    return torch.einsum("tse,tse->ts", slopes, slopes) ** 0.5


class GradientMap(nn.Module):
    """A module in the place of a function."""

    def forward(self, log_probs_of, embedded):
        return with_jacrev(log_probs_of, embedded)


def of_order(order, log_probs_of, embedded):
    """For a partial."""
    return torch.func.jacrev(log_probs_of)(embedded).norm(p=order, dim=-1)


@right
def with_batched_jacobian(log_probs_of, embedded):
    slopes = torch.autograd.functional.jacobian(
        log_probs_of, embedded.detach(), vectorize=True, strategy="forward-mode"
    )
    return torch.linalg.vector_norm(slopes, dim=-1)


@right
def hooked(log_probs_of, embedded):
    rows = []
    for step in range(len(log_probs_of(embedded.detach()))):
        caught = []
        source = embedded.detach().clone().requires_grad_() * 1
        source.register_hook(caught.append)
        log_probs_of(source)[step].backward()
        rows.append(caught[0].square().sum(dim=1).sqrt())
    return torch.stack(rows)


right(GradientMap())


right(functools.partial(of_order, 2))


right(lambda log_probs_of, embedded: with_jacrev(embedded=embedded, log_probs_of=log_probs_of))
