"""What is right about `replay_batches`, and what is said when it is not."""

from typing import Any

from autograder.checks.ch10_bert.judges.seeding import badly_seeded
from autograder.checks.ch12_post_training.probes import replay_batches as probes
from autograder.compare import distribution
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_SHARE = "in each batch the share of old windows is the one that was given"
_DRAWN = "windows are drawn one by one, and all windows of a text are equally likely"
_SEEDED = "each batch is drawn anew, with the generator that was given"


@judge(
    _SHARE,
    probe=probes.shares,
    points=2,
    hint="round(share * batch_size) windows are old and the others are new, in every batch. torch.cat joins the two.",
)
def share_of_old(got: Any, want: Any) -> Verdict:
    """The numbers of old windows."""
    if not got["all were given"]:
        return failed(
            "a batch has a window that is in neither text: each row of a batch is a whole row of new or of old"
        )
    for size, found, right in zip(want["sizes"], got["old"], want["old"], strict=True):
        if found != right:
            return _of_one_size(found, right, size, want["share"])
    return passed()


def _of_one_size(found: list[int], right: list[int], size: int, share: float) -> Verdict:
    """What is said of wrong numbers of old windows."""
    told = f"with a share of {share:.2f} and {size} windows in a batch, {found[0]} were old, expected {right[0]}"
    if len(set(found)) > 1:
        return failed(f"the number of old windows changes from batch to batch, from {min(found)} to {max(found)}")
    mistakes = {
        "the share is that of the new windows, expected that of the old ones": size - right[0],
        "no window is old": 0,
        "all windows are old": size,
        "the number is rounded down": int(share * size),
        "the number is rounded up": int(share * size) + 1,
        "the share is relative to the new windows, expected to the whole batch": round(share * size / (1 + share)),
    }
    for message, wrong in mistakes.items():
        if found[0] == wrong:
            return failed(f"{told}: {message}")
    return failed(told)


@judge(
    _DRAWN,
    probe=probes.drawn,
    points=2,
    needs=(_SHARE,),
    hint="torch.randint(number of windows, (how many,), generator=generator) gives the rows to take, from the first row to the last. It draws with "
    "replacement, so that a window sometimes comes up twice in a batch.",
)
def all_windows(got: Any, want: Any) -> Verdict:
    """How often each window came, and how often twice in a batch."""
    if not got["new tensors"]:
        return failed("all batches are the same tensor, so a batch that is kept changes when the next one is drawn")
    for name in ("new", "old"):
        counts = got[name]
        never = [row for row, count in enumerate(counts.tolist()) if not count]
        if never and int(counts.sum()) == int(want[name].sum()):
            shown = "the last window" if never == [len(counts) - 1] else f"{len(never)} of the {len(counts)} windows"
            return failed(f"{shown} of {name} never came up in {probes.DRAWN} batches")
    for name in ("new", "old"):
        pairs = got[f"pairs of {name}"]
        if int(pairs[0]) == probes.DRAWN:
            return failed(
                f"no window of {name} was ever drawn twice in a batch: expected draws with replacement, in which a "
                "window can come up again"
            )
        if int(pairs[-1]) == probes.DRAWN:
            return failed(f"all windows of {name} in a batch are the same: expected a separate draw for each of them")
    verdict = distribution("new", "old")(got, want)
    if not verdict.ok or distribution("pairs of new", "pairs of old")(got, want).ok:
        return verdict
    return failed(
        "the same window comes twice in a batch far more often, or far less often, than in draws with replacement"
    )


@judge(
    _SEEDED,
    probe=probes.seeds,
    points=1,
    needs=(_SHARE, _DRAWN),
    hint="Both draws are inside the loop, and both are given generator=generator. Do not set any seed yourself.",
)
def uses_the_generator(got: Any, want: Any) -> Verdict:
    """Seeds."""
    told = badly_seeded(got, "batches")
    if told:
        return failed(told)
    if not got["old windows change"]:
        return failed("the old windows are the same in every batch")
    if not got["a second call gives others"]:
        return failed(
            "two calls with one generator gave the same batches: draw with the generator itself, not with one that starts from its seed"
        )
    return passed() if got["seed"] == want["seed"] else failed("the results are those of a different draw")


@judge(
    "both texts are left as they were",
    probe=probes.left_alone,
    points=1,
    arguments=True,
    needs=(_SHARE,),
    hint="This check writes into a batch. A batch has to be a new tensor, not a view of a text: new[rows] makes one, new[2:5] does not.",
)
def leaves_texts(got: Any, want: Any) -> Verdict:
    """The texts after batches were written into."""
    wrong = next((name for name in ("new", "old") if not bool((got[name] == want[name]).all())), None)
    return passed() if wrong is None else failed(f"writing into a batch changed the text {wrong}")


@judge(
    "a batch may be all new, all old, or larger than a text",
    probe=probes.edges,
    points=1,
    hidden=True,
    needs=(_SHARE, _DRAWN),
    hint="round(share * batch_size) may be 0, or all of the batch, and round(2.5) is 2. Windows are drawn with "
    "replacement, so a batch may have more of them than a text.",
)
def at_the_edges(got: Any, want: Any) -> Verdict:
    """The numbers of old windows."""
    for name, right in want.items():
        if got[name] != right:
            return failed(f"with {name}, {got[name][0]} windows were old, expected {right[0]}")
    return passed()
