"""What is right about `paired_bootstrap`, and what is said when it is not."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch07_bleu.probes import paired_bootstrap as probes
from autograder.compare import close, difference, explained, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed

_FIRST = "the first system is scored on the sums of each new test set"
_SECOND = "the second system gets the same sentences"
_WINS = "a win is a test set on which the first system scores higher"
_TIES = "a tie is no win"

_SCORES = close("first", "second")

_SCORE: Callable[[Tensor], Tensor] = probes.score


def _scores(counted: Tensor, indices: Tensor) -> Tensor:
    return _SCORE(counted[indices].sum(dim=1))


def _wrong_scores(counted: Tensor, indices: Tensor) -> dict[str, Tensor]:
    """The scores that come of each mistake, by what is said of it."""
    sentences = _SCORE(counted)  # (N,)
    return {
        "the scores of the sentences were averaged, expected the score of their sums: the score of a test set is not the mean of "
        "scores": sentences[indices].mean(dim=1),
        "the scores of the sentences were added up, expected the score of their sums": sentences[indices].sum(dim=1),
        "every new test set has the score of the old one: are the indices used?": _SCORE(counted.sum(dim=0)).expand(
            len(indices)
        ),
        "a sentence that was drawn several times counts once, expected as often as it was drawn": torch.stack(
            [_SCORE(counted[row.unique()].sum(dim=0)) for row in indices]
        ),
        "the sentences that were not drawn were scored": torch.stack(
            [
                _SCORE(
                    torch.stack([c for i, c in enumerate(counted) if i not in row.tolist()] or [counted[0] * 0]).sum(
                        dim=0
                    )
                )
                for row in indices
            ]
        ),
    }


@judge(
    _FIRST,
    probe=probes.drawn,
    points=1,
    hint="first[indices] has shape (R, N, K): of each new test set, its sentences. Add up over the sentences, and let score do the rest.",
)
def first_scores(got: Any, want: Any) -> Verdict:
    """The first system's scores."""
    first, _ = want["counted"]
    if is_close(got["first"], want["second"]) and is_close(got["second"], want["first"]):
        return failed("the two systems' scores are exchanged: expected those of the first system first")
    return explained(
        got["first"],
        want["first"],
        {**_wrong_scores(first, want["indices"]), "these are the second system's scores": want["second"]},
        "scores",
    )


@judge(
    _SECOND,
    probe=probes.drawn,
    points=2,
    needs=(_FIRST,),
    hint="The comparison is paired: both systems translate the same new test set, the row of `indices`. Nothing is drawn in this function.",
)
def second_scores(got: Any, want: Any) -> Verdict:
    """The second system's scores, for the same indices."""
    _, second = want["counted"]
    indices, scores = want["indices"], want["second"]
    others = {
        "the second system was scored on the whole old test set, expected on the same new ones as the first": _SCORE(
            second.sum(dim=0)
        ).expand(len(indices)),
        "the second system got the new test sets in another order: each is to be compared on the same one": scores.flip(
            0
        ),
        "the second system has the first one's scores": want["first"],
    }
    if not is_close(got["second"], scores) and is_close(got["second"].sort().values, scores.sort().values):
        return failed(
            "the second system got the new test sets in another order: each is to be compared on the same one"
        )
    verdict = explained(got["second"], scores, {**_wrong_scores(second, indices), **others}, "scores")
    if not verdict.ok and verdict.message.startswith("scores:"):
        return failed(
            "the second system was scored on other sentences than the first: the rows of `indices` are for both, and nothing else is "
            "drawn"
        )
    return verdict


@judge(
    _WINS,
    probe=probes.unlike,
    points=1,
    needs=(_FIRST, _SECOND),
    hint="Compare the two rows of scores number by number: a row of R times True or False. Its mean, as numbers, is a share; 100 times that "
    "is in percent.",
)
def wins(got: Any, want: Any) -> Verdict:
    """The share of wins, apart from ties."""
    won, first, second = got["wins"], want["first"], want["second"]
    share = (first > second).double().mean().item()
    lost = (first < second).double().mean().item()
    right = want["wins"]
    # Ties are another check's business: a share that differs only by them is none of this one's.
    decided = 100 * share / (share + lost) if share + lost else 0.0
    if any(is_close(won, value) for value in (right, 100 * (1 - lost), 50 * (1 + share - lost), decided)):
        return _SCORES(got, want)
    mistakes = {
        "the share came back from 0 to 1, expected in percent": (share, 1 - lost),
        "what came back is the share that the first system does not win, from 0 to 1: expected what it wins, in percent": (
            1 - share,
            lost,
        ),
        "the test sets were counted, expected their share in percent": (share * len(first), (1 - lost) * len(first)),
        "what came back is the share that the second system wins, expected the first": (100 * lost, 100 * (1 - share)),
        "what came back is the mean difference of the scores, expected the share of wins": (
            (first - second).mean().item(),
        ),
        "what came back is 100 or 0: the mean scores were compared, expected the scores of each test set": (
            100.0 * bool(first.mean() > second.mean()),
        ),
    }
    for message, values in mistakes.items():
        if any(is_close(won, value) for value in values):
            return failed(message)
    return failed(f"wins: {difference(won, right)}")


@judge(
    _TIES,
    probe=probes.tied,
    points=1,
    needs=(_FIRST, _SECOND, _WINS),
    hint="Where the new test set has only sentences that both translate alike, the scores are equal, and nobody wins. > and >= differ there.",
)
def ties(got: Any, want: Any) -> Verdict:
    """Many equal scores."""
    won, first, second = got["wins"], want["first"], want["second"]
    if is_close(won, want["wins"]):
        return _SCORES(got, want)
    tied = (first == second).double().mean().item()
    if is_close(won, want["wins"] + 100 * tied):
        return failed("a test set with equal scores counts as a win, expected as none")
    if is_close(won, want["wins"] + 50 * tied):
        return failed("a test set with equal scores counts as half a win, expected as none")
    if tied < 1 and is_close(won, want["wins"] / (1 - tied)):
        return failed("test sets with equal scores were left out of the share, expected among all")
    return failed(f"wins: {difference(won, want['wins'])}")


shapes = judge(
    "one new test set, or small ones, will do",
    probe=probes.shapes,
    points=1,
    hidden=True,
    needs=(_FIRST, _SECOND, _WINS, _TIES),
    hint="R and N are different things, and so is the number of sentences in a new test set: which dimension is added up over? squeeze() "
    "takes away a dimension of size one.",
)(close())


@judge(
    "the arguments are left as they were",
    probe=probes.arguments,
    points=1,
    arguments=True,
    needs=(_FIRST, _SECOND, _WINS, _TIES),
    hint="The caller still needs the counts and the indices. Methods that end in an underscore, += and assignments such as first[...] = ... "
    "change them.",
)
def leaves_arguments(got: Any, want: Any) -> Verdict:
    """The results are right and the arguments are the caller's still."""
    for name in ("counted", "indices"):
        if not is_close(got[name], want[name]):
            return failed(f"the call changed its argument {'indices' if name == 'indices' else 'first or second'}")
    return close("scores", "wins")(got, want)
