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
_TIES = "a tie does not count as a win"

_SCORES = close("first", "second")

_SCORE: Callable[[Tensor], Tensor] = probes.score


def _scores(counted: Tensor, indices: Tensor) -> Tensor:
    return _SCORE(counted[indices].sum(dim=1))


def _wrong_scores(counted: Tensor, indices: Tensor) -> dict[str, Tensor]:
    """The scores that come of each mistake, by what is said of it."""
    sentences = _SCORE(counted)  # (N,)
    return {
        "the scores of the sentences were averaged, expected the score of their sums: the score of a test set is not a mean of "
        "scores": sentences[indices].mean(dim=1),
        "the scores of the sentences were added up, expected the score of their sums": sentences[indices].sum(dim=1),
        "every new test set has the score of the old one: does your code use the indices?": _SCORE(
            counted.sum(dim=0)
        ).expand(len(indices)),
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
    hint="first[indices] has shape (R, N, K): the counts of each sentence in each new test set. Add up over the sentences, and let score do "
    "the rest.",
)
def first_scores(got: Any, want: Any) -> Verdict:
    """The first system's scores."""
    first, _ = want["counted"]
    if is_close(got["first"], want["second"]) and is_close(got["second"], want["first"]):
        return failed("the scores of the two systems are swapped: expected those of the first system first")
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
    hint="The comparison is paired: both systems are scored on the same new test set, one row of `indices`. This function draws nothing itself.",
)
def second_scores(got: Any, want: Any) -> Verdict:
    """The second system's scores, for the same indices."""
    _, second = want["counted"]
    indices, scores = want["indices"], want["second"]
    others = {
        "the second system was scored on the whole old test set, expected the same new test sets as for the first": _SCORE(
            second.sum(dim=0)
        ).expand(len(indices)),
        "the second system got the new test sets in another order: compare both systems on the same one": scores.flip(
            0
        ),
        "the second system has the first one's scores": want["first"],
    }
    if not is_close(got["second"], scores) and is_close(got["second"].sort().values, scores.sort().values):
        return failed("the second system got the new test sets in another order: compare both systems on the same one")
    verdict = explained(got["second"], scores, {**_wrong_scores(second, indices), **others}, "scores")
    if not verdict.ok and verdict.message.startswith("scores:"):
        return failed(
            "the second system was scored on different sentences from the first: use the rows of `indices` for both, and draw nothing "
            "else"
        )
    return verdict


@judge(
    _WINS,
    probe=probes.unlike,
    points=1,
    needs=(_FIRST, _SECOND),
    hint="Compare the two vectors of scores element by element, which gives R values True or False. Their mean, as numbers, is the share of "
    "wins; multiply it by 100 for percent.",
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
        "the share is a number from 0 to 1, expected a percentage": (share, 1 - lost),
        "the result is the share that the first system does not win, from 0 to 1; expected the share that it wins, in percent": (
            1 - share,
            lost,
        ),
        "the result is the number of wins, expected their share in percent": (
            share * len(first),
            (1 - lost) * len(first),
        ),
        "the result is the share that the second system wins, expected the share that the first one wins": (
            100 * lost,
            100 * (1 - share),
        ),
        "the result is the mean difference of the scores, expected the share of wins": (
            (first - second).mean().item(),
        ),
        "the result can only be 100 or 0, because the mean scores were compared; expected a comparison on each test set": (
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
    hint="If a new test set has only sentences for which both systems have the same counts, the scores are equal, "
    "and neither system wins. That is where > and >= differ.",
)
def ties(got: Any, want: Any) -> Verdict:
    """Many equal scores."""
    won, first, second = got["wins"], want["first"], want["second"]
    if is_close(won, want["wins"]):
        return _SCORES(got, want)
    tied = (first == second).double().mean().item()
    if is_close(won, want["wins"] + 100 * tied):
        return failed("a test set with equal scores counts as a win, expected no win")
    if is_close(won, want["wins"] + 50 * tied):
        return failed("a test set with equal scores counts as half a win, expected no win")
    if tied < 1 and is_close(won, want["wins"] / (1 - tied)):
        return failed("test sets with equal scores were left out of the total, expected the share of all test sets")
    return failed(f"wins: {difference(won, want['wins'])}")


shapes = judge(
    "a single new test set works, and so do small ones",
    probe=probes.shapes,
    points=1,
    hidden=True,
    needs=(_FIRST, _SECOND, _WINS, _TIES),
    hint="R, the number of new test sets, and N, the number of sentences in each, are different: which dimension do you sum over? squeeze() "
    "removes every dimension of size one.",
)(close())


@judge(
    "the arguments are left as they were",
    probe=probes.arguments,
    points=1,
    arguments=True,
    needs=(_FIRST, _SECOND, _WINS, _TIES),
    hint="The caller still needs the counts and the indices. Methods whose names end in an underscore, +=, and assignments such as "
    "first[...] = ... change them.",
)
def leaves_arguments(got: Any, want: Any) -> Verdict:
    """The results are right and the arguments are the caller's still."""
    for name in ("counted", "indices"):
        if not is_close(got[name], want[name]):
            return failed(f"the call changed its argument {'indices' if name == 'indices' else 'first or second'}")
    return close("scores", "wins")(got, want)
