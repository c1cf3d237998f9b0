"""Word embeddings, learned by distinguishing true neighbours from words drawn at random."""

from torch import Tensor
from torch.nn import functional as F


def negative_sampling_loss(
    center: Tensor, context: Tensor, negatives: Tensor
) -> Tensor:
    """Compute the loss of distinguishing a true neighbour from K words drawn at random.

    For one pair of embeddings, e_c of the centre word and e_o of a neighbour, and for
    negatives ẽ_1 … ẽ_K, the loss is -log σ(e_oᵀ e_c) - Σ_k log σ(-ẽ_kᵀ e_c), as for the
    skip-gram of Mikolov et al. (2013).

    Args:
        center: Embeddings e_c of the centre words, shape (B, E).
        context: Embeddings e_o of one neighbour of each centre word, shape (B, E).
        negatives: Embeddings ẽ_k of K words drawn at random for each pair, shape
            (B, K, E). Each of them counts, even if it is the neighbour, the centre
            word, or the same as another.

    Returns:
        The loss, summed over the K negatives and averaged over the B pairs, shape (),
        with the dtype of the embeddings.
    """
    # 1. The score of each pair, e_oᵀ e_c: (B,).
    # 2. The scores of its negatives, ẽ_kᵀ e_c: (B, K).
    # 3. The two terms of each pair's loss, the second summed over its negatives: (B,).
    #    Take the logarithm of σ in one step, with F.logsigmoid: σ of a low score is
    #    rounded to 0.
    # 4. Their mean over the batch: ().
    ### BEGIN SOLUTION
    seen = (context * center).sum(dim=-1)
    drawn = (negatives * center.unsqueeze(1)).sum(dim=-1)
    loss = -F.logsigmoid(seen) - F.logsigmoid(-drawn).sum(dim=-1)
    return loss.mean()
    ### END SOLUTION
