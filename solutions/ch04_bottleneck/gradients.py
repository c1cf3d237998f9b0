"""How far back the gradient reaches, word by word."""

from collections.abc import Callable

import torch
from torch import Tensor


def gradient_map(log_probs_of: Callable[[Tensor], Tensor], embedded: Tensor) -> Tensor:
    """Measure how strongly each prediction responds to each source word.

    The entry (t, i) is the L2 norm ‖∂ log p(y_t) / ∂ x_i‖, where x_i is the embedding
    of source word i and y_t the gold word of step t.

    Args:
        log_probs_of: Takes an embedded source, shape (S, E), and returns log p(y_t) for
            each of the T steps, shape (T,).
        embedded: The embedded source words of one sentence, shape (S, E). It may be
            part of a larger graph, and is not changed.

    Returns:
        The norms, shape (T, S), of the same type as ``embedded``.
    """
    # 1. The log-probabilities of a source that requires a gradient: (T,).
    # 2. For each step t alone, the gradient of its log-probability: (S, E).
    # 3. One number for each source word, (S,), which is row t of the map: (T, S).
    ### BEGIN SOLUTION
    source = embedded.detach().requires_grad_()
    rows = []
    for log_prob in log_probs_of(source):
        [slope] = torch.autograd.grad(log_prob, source, retain_graph=True)
        rows.append(slope.norm(dim=-1))
    return torch.stack(rows)
    ### END SOLUTION
