"""What is right about `negative_sampling_loss`, and what is said when it is not."""

from math import log
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid, normalize, softplus

from autograder.checks.ch01_rnn_lm.probes import negative_sampling_loss as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_SEEN = "the term of the true neighbour is -log σ(score)"
_DRAWN = "the term of a negative is -log σ(-score)"
_SUM = "the terms of the negatives are summed"
_MEAN = "the loss is the mean over the batch"
_FAR = "scores far from zero give a finite loss"


def _change(losses: list[Tensor]) -> float:
    """How the loss changes from the first word to the second: what does not depend on the word goes out."""
    return (losses[1].double() - losses[0].double()).item()


def _one_term(got: Any, want: Any, sign: int, mistakes: dict[str, Any]) -> Verdict:
    """The term of one word, by how it changes with the word.

    Args:
        got: The student's answer.
        want: The reference's.
        sign: That of the score in the right term.
        mistakes: What the term is in place of -log σ(±score), a function of the signed score, by what is said of it.
    """
    if is_close(_change(got["losses"]), _change(want["losses"])):
        return passed()
    center, words = want["center"].double(), want["words"].double()
    scores = sign * (words * center).sum(dim=-1)
    right = {
        "the score is a mean over the dimensions of the embeddings, expected their dot product, which is a sum": scores
        / center.shape[-1],
        "the score is the cosine of the two embeddings, expected their dot product": sign
        * (normalize(words, dim=-1) * normalize(center, dim=-1)).sum(dim=-1),
        "the score is divided by √E, expected the dot product as it is": scores / center.shape[-1] ** 0.5,
    }
    found = {message: function(scores) for message, function in mistakes.items()}
    found |= {message: -logsigmoid(other) for message, other in right.items()}
    for message, terms in found.items():
        if is_close(_change(got["losses"]), (terms[1] - terms[0]).item()):
            return failed(message)
    before, after = (f"{score.item():.2f}" for score in sign * scores)
    told = difference(_change(got["losses"]), _change(want["losses"]))
    return failed(f"when the score goes from {before} to {after}, the change in the loss {told}")


@judge(
    _SEEN,
    probe=probes.seen,
    points=1,
    hint="The score is the dot product of two embeddings, one number for each pair. σ turns it into the probability that the "
    "word is a true neighbour. The loss is minus the logarithm of this probability: low if the score is high.",
)
def seen_word(got: Any, want: Any) -> Verdict:
    """The first term."""
    return _one_term(
        got,
        want,
        1,
        {
            "the logarithm is missing: the term is -σ(score) or 1 - σ(score), expected -log σ(score)": lambda s: (
                -s.sigmoid()
            ),
            "the minus sign in front is missing: the loss grows with the score of the true neighbour": logsigmoid,
            "the sign of the score is wrong: the term is -log σ(-score), expected -log σ(score)": softplus,
            "the minus sign in front is missing, and the sign of the score is wrong": lambda s: logsigmoid(-s),
            "the logarithm is missing and so is the minus sign: the term is σ(score)": torch.sigmoid,
            "the term is -score, without σ and its logarithm": lambda s: -s,
            "the logarithm has base 2, expected the natural logarithm": lambda s: -logsigmoid(s) / log(2),
            "the logarithm has base 10, expected the natural logarithm": lambda s: -logsigmoid(s) / log(10),
            "σ was applied twice: F.logsigmoid takes the score itself": lambda s: -logsigmoid(s.sigmoid()),
            "the loss does not depend on the true neighbour": torch.zeros_like,
            "the term is halved: is it the mean of all terms, including those of the negatives?": lambda s: (
                -logsigmoid(s) / 2
            ),
        },
    )


@judge(
    _DRAWN,
    probe=probes.drawn,
    points=2,
    needs=(_SEEN,),
    hint="σ(score) is the probability that a word is a true neighbour, so 1 - σ(score) = σ(-score) is the "
    "probability that it was drawn at random. The negatives are scored against the centre, and there is one "
    "minus sign in front of the score and another in front of the logarithm.",
)
def drawn_word(got: Any, want: Any) -> Verdict:
    """The second term."""
    return _one_term(
        got,
        want,
        -1,
        {
            "the logarithm is missing: the term is -σ(-score) or σ(score), expected -log σ(-score)": lambda s: (
                -s.sigmoid()
            ),
            "the sign of the score is wrong: the term is -log σ(score), as for the true neighbour; expected -log "
            "σ(-score)": softplus,
            "the minus sign in front is missing: the loss grows when a negative gets a low score": logsigmoid,
            "the sign in front was changed, log σ(score); the sign to change is that of the score, -log σ(-score)": lambda s: (
                logsigmoid(-s)
            ),
            "the logarithm is missing and so is the minus sign: the term is σ(-score)": torch.sigmoid,
            "the term is the score itself, without σ and its logarithm": lambda s: -s,
            "σ was applied twice: F.logsigmoid takes the score itself": lambda s: -logsigmoid(-(-s).sigmoid()),
            "the loss does not depend on the negatives' scores with the centre": torch.zeros_like,
        },
    )


def _terms(want: Any) -> tuple[Tensor, Tensor]:
    """The two terms of each pair: of the word that was seen, (B,), and of the negatives, (B, K)."""
    center, context, negatives = (want[name].double() for name in ("center", "context", "negatives"))
    first = -logsigmoid((center * context).sum(dim=-1))
    return first, -logsigmoid(-(negatives * center.unsqueeze(1)).sum(dim=-1))


def _whole(got: Any, want: Any, mistakes: dict[str, Tensor]) -> Verdict:
    """The loss against the right one, and against what each mistake makes of it."""
    mine, right = got["loss"].item(), want["loss"].item()
    if is_close(mine, right):
        return passed()
    for message, value in mistakes.items():
        if is_close(mine, value.item()):
            return failed(message)
    return failed(f"the loss {difference(mine, right)}")


@judge(
    _SUM,
    probe=probes.several,
    points=1,
    needs=(_SEEN, _DRAWN),
    hint="Each of the K negatives is a separate yes-or-no question, and the loss is the sum of their terms.",
)
def sums_negatives(got: Any, want: Any) -> Verdict:
    """Six negatives for one pair."""
    first, rest = _terms(want)
    scores = (want["negatives"].double() * want["center"].double().unsqueeze(1)).sum(dim=-1)
    pair = (want["context"].double() * want["center"].double()).sum(dim=-1, keepdim=True)
    mistakes = {
        "the terms of the negatives were averaged, expected their sum": (first + rest.mean(dim=1)).mean(),
        "the result is the mean of all K + 1 terms, expected the sum over the negatives": torch.cat(
            [first.unsqueeze(1), rest], dim=1
        ).mean(),
        "a softmax over K + 1 scores was used, where the words compete with each other; expected a σ for each": (
            torch.logsumexp(torch.cat([pair, scores], dim=1), dim=1) - pair.squeeze(1)
        ).mean(),
        "only the first negative counts": (first + rest[:, 0]).mean(),
        "only the last negative counts": (first + rest[:, -1]).mean(),
        "the scores of the negatives were summed before σ, expected a term for each": (
            first - logsigmoid(-scores.sum(dim=1))
        ).mean(),
        "the term of the true neighbour is included once for each negative": (
            rest.shape[1] * first + rest.sum(dim=1)
        ).mean(),
        "the term of the true neighbour is missing": rest.sum(dim=1).mean(),
        "the probabilities σ(-score) were summed before the logarithm, expected a term for each": (
            first - (-scores).sigmoid().sum(dim=1).log()
        ).mean(),
    }
    return _whole(got, want, mistakes)


@judge(
    _MEAN,
    probe=probes.batch,
    points=1,
    needs=(_SEEN, _DRAWN, _SUM),
    hint="Each pair has a loss of its own, with its own negatives; the result is the mean of the B losses, a tensor of shape "
    "().",
)
def averages_over_pairs(got: Any, want: Any) -> Verdict:
    """Four pairs."""
    first, rest = _terms(want)
    center, negatives = want["center"].double(), want["negatives"].double()
    crossed = -logsigmoid(-(negatives.flatten(0, 1) @ center.T))
    all_pairs = -logsigmoid(center @ want["context"].double().T)
    mistakes = {
        "the result is the sum over the batch, expected the mean": (first + rest.sum(dim=1)).sum(),
        "the negatives are summed over the whole batch: divide their term by B too": first.mean() + rest.sum(),
        "the first term is summed over the whole batch: divide it by B too": first.sum() + rest.sum(dim=1).mean(),
        "every centre was scored against the negatives of all pairs, expected only its own": first.mean()
        + crossed.sum() / len(first),
        "every centre was scored against the neighbours of all pairs, expected only its own": all_pairs.mean()
        + rest.sum() / len(first),
        "only the first pair counts": first[0] + rest[0].sum(),
    }
    return _whole(got, want, mistakes)


any_sizes = judge(
    "a single negative and embeddings of size one keep their dimensions",
    probe=probes.sizes,
    points=1,
    hidden=True,
    needs=(_SUM, _MEAN),
    hint="squeeze() removes every dimension of size one, even that of a single negative: name the dimension that you mean, as "
    "in squeeze(-1).",
)(close())

far = judge(
    _FAR,
    probe=probes.far,
    points=1,
    needs=(_SUM, _MEAN),
    hint="σ of a score far below zero is rounded to 0, and the logarithm of 0 is minus infinity. F.logsigmoid does both steps "
    "at once and stays accurate, so you need not add anything inside the logarithm.",
)(close())

loss_gradient = judge(
    "the gradient reaches all three embeddings",
    probe=probes.loss_gradient,
    points=1,
    hidden=True,
    needs=(_SUM, _MEAN),
    hint="Use only torch operations on the tensors themselves: detach, .data and .item() cut off the gradient.",
)(close())

types = judge(
    "half and double precision work, and the arguments are left as they were",
    probe=probes.types,
    points=1,
    arguments=True,
    needs=(_SUM, _MEAN, _FAR),
    hint="Do not create a tensor of another dtype on the way: torch.zeros gives float32 unless you pass dtype=. Methods that "
    "end in an underscore, and operators such as *= and -=, change the caller's tensor.",
)(close())
