"""What is right about `top_k_filter`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch06_decoding.judges.filters import GONE, any_type, misuse, which
from autograder.checks.ch06_decoding.probes import top_k_filter as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_LARGEST = "the k largest logits of a row stay as they are, the others become minus infinity"


@judge(
    _LARGEST,
    probe=probes.rows,
    points=2,
    hint="The k-th largest logit of a row is a threshold: replace every smaller one by minus infinity, whose softmax is 0. A logit of 0 "
    "still has probability.",
)
def keeps_the_largest(got: Any, want: Any) -> Verdict:
    """Some rows."""
    mine, right, given, k = got["logits"], want["logits"], want["given"], want["k"]
    if is_close(mine, right):
        return passed()
    told = misuse(mine, right, given)
    if told:
        return told
    kept = (mine > GONE).sum(dim=-1)
    if (kept == kept[0]).all() and int(kept[0]) != k:
        return failed(f"each row has {int(kept[0])} words left, expected k = {k}")
    if is_close(mine, given.masked_fill(given > _smallest(given, k), GONE)):
        return failed("the k smallest stay, expected the k largest")
    if is_close(mine, given.masked_fill(given < given.flatten().topk(k).values[-1], GONE)):
        return failed("the k largest of all rows together stay, expected those of each row")
    if is_close(mine, given.masked_fill(given < right[right > GONE].min(), GONE)):
        return failed(
            "all rows have the same threshold, the lowest of all; expected the k-th largest logit of each row"
        )
    return which(mine, right)


def _smallest(given: Tensor, k: int) -> Tensor:
    """The k-th smallest of each row."""
    return given.topk(k, dim=-1, largest=False).values[..., -1:]


any_shape = judge(
    "a single row and any number of leading dimensions work too, each row separately",
    probe=probes.shapes,
    points=1,
    needs=(_LARGEST,),
    hint="The words are along the last dimension, whatever dimensions come before it: use dim=-1 and [..., -1:].",
)(close())


@judge(
    "words whose logits equal the k-th largest stay too",
    probe=probes.ties,
    points=1,
    hidden=True,
    needs=(_LARGEST,),
    hint="Compare each logit with the k-th largest: a logit that equals it is not smaller. The indices that topk returns leave out some of "
    "the equal ones.",
)
def keeps_equals(got: Any, want: Any) -> Verdict:
    """Rows with equal logits."""
    mine, right = got["logits"], want["logits"]
    if is_close(mine, right):
        return passed()
    kept, wanted = (torch.isfinite(logits).sum().item() for logits in (mine, right))
    if kept != wanted:
        return failed(f"{kept} words stay in all rows together, expected {wanted}")
    return failed(difference(mine, right))


large_k = judge(
    "k may be the number of words, or more",
    probe=probes.many,
    points=1,
    hidden=True,
    needs=(_LARGEST,),
    hint="topk raises an error if you ask for more than V. In that case there is nothing to remove, so ask for at most V.",
)(close())


of_any_type = judge(
    "any floating-point type works, and the argument is not changed",
    probe=probes.half,
    points=1,
    arguments=True,
    needs=(_LARGEST,),
    hint="float('-inf') exists in every floating-point type, -1e9 does not. Methods that end in an underscore and assignments to "
    "logits[...] change the model's own tensor; masked_fill returns a new one.",
)(any_type)
