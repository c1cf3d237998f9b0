"""What is right about `beam_search`, and what is said when it is not.

Sentences may have any length here, and lists that are longer than was wanted may hold anything behind: they are compared and
counted, and what is in them is shown only where it is as wanted.
"""

import math
from typing import Any

from torch import Tensor

from autograder.checks.ch06_decoding.probes import beam_search as probes
from autograder.compare import is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_ONE = "with a beam of width one, each step takes the most likely word"
_PLACES = "the extensions with the largest sums stay on the beam, whichever hypotheses they extend"
_ENDS = "a hypothesis that has ended keeps its place and is not extended"
_SCORES = "a score is the sum divided by T'^gamma, and the best comes first"
_BATCH = "the sources of a batch do not mix"

Sentences = list[list[int]]


def _number(got: list[Any], want: list[Any]) -> Verdict | None:
    """What is wrong with how many lists of hypotheses there are."""
    if len(got) == len(want):
        return None
    return failed(f"{len(got)} lists were returned, expected {len(want)}: one for each source, with all its hypotheses")


def _counted(words: list[int]) -> str:
    """How many words there are."""
    return f"{len(words)} word{'' if len(words) == 1 else 's'}"


def _same_set(mine: Sentences, right: Sentences) -> bool:
    """Whether these are the same hypotheses, in whatever order."""
    return len(mine) == len(right) and all(words in mine for words in right)


def _missing(mine: Sentences, right: Sentences, where: str = "") -> Verdict:
    """Which hypotheses are not there."""
    if len(mine) != len(right):
        return failed(f"{len(mine)} hypotheses were returned{where}, expected {len(right)}")
    found = sum(words in mine for words in right)
    return failed(f"{found} of {len(right)} hypotheses are right{where}, and the others are wrong sentences")


def _log_probs(want: Any, words: list[int]) -> Tensor:
    """What a writer's table says of the words that may follow a beginning of its first source: (V,)."""
    row = [0, 0, 0, 0]
    for word in [probes.BOS, *words]:
        row = probes.Writer.read(row, word)
    return probes.Writer(want["table"], want["most"]).logits_of([row])[0].log_softmax(dim=-1)


def _search(
    want: Any,
    *,
    probability: bool = False,
    per_parent: bool = False,
    ends: str = "keep",
    lowest: bool = False,
) -> Sentences:
    """What would be found in a table with the exponent 0 if something were done in another way.

    Args:
        want: The probe's answer, with the table.
        probability: Probabilities are added, not their logarithms.
        per_parent: The best word of each hypothesis is kept, and not the best of all.
        ends: What becomes of hypotheses that have ended: "keep" their places, "give" them back, "forget" them, go "on", or are
            held against the others again and again.
        lowest: The lowest sums are kept.
    """
    width, sign = want["width"], -1 if lowest else 1
    beam: list[tuple[list[int], float]] = [([], 0.0)]
    ended: list[tuple[list[int], float]] = []
    for _ in range(want["most"]):
        tried = []
        for words, total in beam:
            values = _log_probs(want, words)
            values = values.exp() if probability else values
            of_one = [([*words, word], total + value) for word, value in enumerate(values.tolist())]
            of_one.sort(key=lambda item: -sign * item[1])
            tried += of_one[:1] if per_parent and len(beam) > 1 else of_one
        if ends == "compete":
            tried, ended = tried + ended, []
        tried.sort(key=lambda item: -sign * item[1])
        left = width - len(ended) if ends == "keep" else width
        kept = tried[:left]
        if ends != "on":
            ended += [item for item in kept if item[0][-1] == probes.EOS]
            kept = [item for item in kept if item[0][-1] != probes.EOS]
        beam = kept
        if not beam or (ends == "give" and len(ended) >= width):
            break
    found = beam if ends == "forget" else ended + beam
    return [[word for word in words if word != probes.EOS] for words, _ in found]


@judge(
    _ONE,
    probe=probes.one_place,
    points=1,
    any_length=True,
    hint="The first step reads bos and the given state. Each later step reads the word that was just chosen and the state that step "
    "returned. After max_words steps, return the hypotheses that are still on the beam as they are.",
)
def goes_on_with_the_likeliest(got: Any, want: Any) -> Verdict:
    """One hypothesis that does not end."""
    mine, right = got["words"], want["words"]
    if mine == right:
        return passed()
    wrong_number = _number(mine, right)
    if wrong_number:
        return wrong_number
    if not mine[0]:
        return failed(
            "no hypothesis was returned: a hypothesis that has not ended after max_words steps has to be returned too, "
            "as it is"
        )
    if len(mine[0]) != 1:
        return failed(f"{len(mine[0])} hypotheses were returned, expected 1, because the beam has width one")
    words, wanted = mine[0][0], right[0][0]
    others = {
        "the least likely word was taken at every step": _search(want, lowest=True)[0],
        "the sentence begins with bos, which is only read and is not a word of the sentence": [probes.BOS, *wanted],
        "the first word is missing": wanted[1:],
    }
    for message, other in others.items():
        if words == other:
            return failed(message)
    if len(words) != len(wanted):
        return failed(f"the hypothesis has {_counted(words)}, expected {len(wanted)}: nothing ended in max_words steps")
    common = next(place for place, (word, other) in enumerate(zip(words, wanted, strict=True)) if word != other)
    return failed(f"of {len(wanted)} words the first {common} are right, and the next one is wrong")


@judge(
    _PLACES,
    probe=probes.places,
    points=3,
    needs=(_ONE,),
    any_length=True,
    hint="Put the sums of all k times V candidates of a source into one row and take the k best. The candidate at index i of the row has "
    "the parent i // V and the word i % V; it needs its parent's state and its parent's words. At first there is one hypothesis, not k "
    "equal ones.",
)
def keeps_the_best(got: Any, want: Any) -> Verdict:
    """Some hypotheses that do not end."""
    mine, right = got["words"], want["words"]
    if mine == right:
        return passed()
    wrong_number = _number(mine, right)
    if wrong_number:
        return wrong_number
    found, wanted = mine[0], right[0]
    if len(found) > 1 and all(words == found[0] for words in found):
        return failed(
            "all hypotheses are the same: at first there is one hypothesis and not k equal ones. Begin with one row for each source, or with "
            "k rows, where all but the first have a sum of minus infinity"
        )
    if _same_set(found, wanted):
        return failed(
            "the hypotheses are right, but their order is not: of those on the beam, the largest sum comes first"
        )
    others = {
        "probabilities were added, expected log-probabilities": _search(want, probability=True),
        "each hypothesis kept its own best word; expected the best of all candidates, of which one parent may have several": _search(
            want, per_parent=True
        ),
    }
    for message, other in others.items():
        if _same_set(found, other):
            return failed(message)
    return _missing(found, wanted)


@judge(
    _ENDS,
    probe=probes.ends,
    points=3,
    needs=(_ONE, _PLACES),
    any_length=True,
    hint="When the word is eos, put the hypothesis aside with its score and without eos, and set its sum on the beam "
    "to minus infinity; from then on there is one fewer place for the others. The sum includes the "
    "log-probability of eos.",
)
def keeps_what_ended(got: Any, want: Any) -> Verdict:
    """The hypotheses of one source, in any order."""
    mine, right = got["words"], want["words"]
    wrong_number = _number(mine, right)
    if wrong_number:
        return wrong_number
    found, wanted = mine[0], right[0]
    if _same_set(found, wanted):
        return passed()
    if found and any(words[-1:] == [probes.EOS] and words[:-1] in wanted for words in found):
        return failed("a hypothesis was returned with eos after its last word, expected the words alone")
    if any(probes.EOS in words[:-1] for words in found):
        return failed("a hypothesis goes on after eos")
    whole = [words for words in wanted if len(words) == want["most"]]
    if whole and len(whole) < len(wanted) and _same_set(found, [words for words in wanted if words not in whole]):
        return failed(
            "the hypotheses that had not ended after max_words steps are missing: return them too, after the ones that have ended"
        )
    others = {
        "hypotheses that have ended are missing: put them aside when they end, or they are lost": _search(
            want, ends="forget"
        ),
        "hypotheses that have ended were extended, as if eos were a word like any other": _search(want, ends="on"),
        "a hypothesis that had ended was compared with the others again at later steps and lost its place to one of them: it keeps its place": _search(
            want, ends="compete"
        ),
        "a hypothesis that had ended gave its place back to the others: it keeps its place, so the beam gets narrower": _search(
            want, ends="give"
        ),
    }
    for message, other in others.items():
        if _same_set(found, other):
            return failed(message)
    return _missing(found, wanted)


@judge(
    _SCORES,
    probe=probes.scores,
    points=2,
    needs=(_ONE, _PLACES, _ENDS),
    any_length=True,
    hint="T' counts the words and, if the hypothesis has ended, eos, whose log-probability is in the sum as well. "
    "Hypotheses that have ended come first, the best score first, and then the others. The exponent does not affect "
    "which hypotheses stay on the beam.",
)
def scores_and_ranks(got: Any, want: Any) -> Verdict:
    """Hypotheses in their order, with scores."""
    for name in ("with the exponent 0", "with the exponent"):
        verdict = _ranked(got[name], want[name], want, 0.0 if name.endswith("0") else want["gamma"], name)
        if not verdict.ok:
            return verdict
    return passed()


def _ranked(mine: Any, right: Any, want: Any, gamma: float, name: str) -> Verdict:
    """Whether one source's hypotheses are in order and have the right scores."""
    wrong_number = _number(mine["words"], right["words"]) or _number(mine["scores"], right["scores"])
    if wrong_number:
        return wrong_number
    words, wanted = mine["words"][0], right["words"][0]
    scores, wanted_scores = mine["scores"][0], right["scores"][0]
    if len(scores) != len(words):
        return failed(f"{name}: {len(words)} hypotheses were returned with {len(scores)} scores")
    if not _same_set(words, wanted):
        if gamma:
            return failed(
                f"with the exponent 0 the hypotheses are right, but not with {gamma:.1f}: the exponent does not affect "
                "which hypotheses stay on the beam; it is used only when the search is over"
            )
        return _missing(words, wanted, f" {name}")
    of = {tuple(sentence): score for sentence, score in zip(words, scores, strict=True)}
    found = [of[tuple(sentence)] for sentence in wanted]
    if is_close(found, wanted_scores):
        if words == wanted:
            return passed()
        if words == wanted[::-1]:
            return failed(f"{name}: the scores are right, but the worst comes first")
        return failed(
            f"{name}: the scores are right, but the order is not: hypotheses that have ended come first, the best score first"
        )
    lengths = [len(sentence) + (len(sentence) < want["most"]) for sentence in wanted]
    sums = [score * length**gamma for score, length in zip(wanted_scores, lengths, strict=True)]
    without = [max(len(sentence), 1) ** gamma for sentence in wanted]
    others = {
        "the scores are the sums, expected sum / T'^gamma": sums,
        "the scores are sum / T', whatever gamma is": [s / length for s, length in zip(sums, lengths, strict=True)],
        "T' leaves out eos, expected the words and eos": [s / length for s, length in zip(sums, without, strict=True)],
        "the scores are probabilities, expected sums of their logarithms over T'^gamma": list(map(math.exp, sums)),
        "the scores are sum / T' * gamma, which is (sum / T') * gamma; expected sum / T'^gamma": [
            s / length * gamma for s, length in zip(sums, lengths, strict=True)
        ],
        "the sums are multiplied by T'^gamma, expected divided by it": [
            s * length**gamma for s, length in zip(sums, lengths, strict=True)
        ],
    }
    for message, other in others.items():
        if is_close(found, other):
            return failed(f"{name}: {message}")
    at = next(
        i for i, (score, other) in enumerate(zip(found, wanted_scores, strict=True)) if not is_close(score, other)
    )
    if not math.isfinite(found[at]):
        return failed(
            f"{name}: a score is {found[at]}. Is it computed before the sum of its place on the beam is set to minus "
            "infinity?"
        )
    return failed(
        f"{name}: a hypothesis of {_counted(wanted[at])} has the score {found[at]:.4g}, off by {abs(found[at] - wanted_scores[at]):.2g}"
    )


@judge(
    _BATCH,
    probe=probes.batch,
    points=2,
    needs=(_ONE, _PLACES, _ENDS),
    any_length=True,
    hint="The rows of a source are adjacent in the state. A parent's row is its place within its source plus the "
    "number of rows of all sources before it. Assign places and count ended hypotheses for each source separately.",
)
def sources_do_not_mix(got: Any, want: Any) -> Verdict:
    """The hypotheses of four sources, in any order."""
    mine, right = got["words"], want["words"]
    wrong_number = _number(mine, right)
    if wrong_number:
        return wrong_number
    wrong = [
        number for number, (found, wanted) in enumerate(zip(mine, right, strict=True)) if not _same_set(found, wanted)
    ]
    if not wrong:
        return passed()
    if wrong == [1, 2, 3]:
        return failed("of four sources, only the first has the right hypotheses: do the others read rows of the first?")
    return _missing(mine[wrong[0]], right[wrong[0]], f" for source {wrong[0]} of four")


def _same_words(got: Any, want: Any) -> Verdict:
    """All hypotheses in any order."""
    for name, right in want.items():
        wrong_number = _number(got[name], right)
        if wrong_number:
            return wrong_number
        for number, (found, wanted) in enumerate(zip(got[name], right, strict=True)):
            if not _same_set(found, wanted):
                return _missing(found, wanted, f" for source {number}")
    return passed()


@judge(
    "if sums are equal, the earlier parent comes first, then the word with the lower id",
    probe=probes.ties,
    points=1,
    hidden=True,
    needs=(_ONE, _PLACES),
    any_length=True,
    hint="torch.topk returns equal values in any order. A stable sort keeps them in order, which in a row of k times "
    "V candidates is by parent and then by word; `largest` in seqlab.search does the same.",
)
def in_order_of_equals(got: Any, want: Any) -> Verdict:
    """Hypotheses in their order."""
    mine, right = got["words"], want["words"]
    if mine == right:
        return passed()
    if _same_words(got, want).ok:
        return failed("the hypotheses are right, but the order of those with equal sums is not")
    return _same_words(got, want)


any_state = judge(
    "the state may be a nested tuple, with its rows along any dimension",
    probe=probes.states,
    points=1,
    hidden=True,
    needs=(_ONE, _PLACES, _ENDS, _BATCH),
    any_length=True,
    hint="`take_rows` in seqlab.search handles nested tuples, along batch_dim. The other dimensions of a state's "
    "tensors may change from step to step.",
)(_same_words)

no_underflow = judge(
    "a sentence is found even if its probability underflows in float32",
    probe=probes.long,
    points=1,
    hidden=True,
    needs=(_ONE, _PLACES),
    any_length=True,
    hint="A product of so many probabilities is 0, and so are its rivals' products. Add log-probabilities from the first step on.",
)(_same_words)

full_width = judge(
    "with more places than hypotheses, none appears twice and no impossible one appears",
    probe=probes.full_width,
    points=1,
    hidden=True,
    needs=(_ONE, _PLACES, _ENDS),
    any_length=True,
    hint="A candidate whose sum is minus infinity does not stay on the beam, even if there is a free place. k may be "
    "larger than V, and larger than the number of all sentences.",
)(_same_words)


@judge(
    "the search stops once hypotheses that have ended take all places",
    probe=probes.effort,
    points=1,
    hidden=True,
    needs=(_ONE, _PLACES, _ENDS, _BATCH),
    any_length=True,
    hint="Most sentences are much shorter than max_words. Stop when no source has a hypothesis left that has not ended.",
)
def takes_no_needless_step(got: Any, want: Any) -> Verdict:
    """The writer was asked for no more words than it takes."""
    verdict = _same_words({"words": got["words"]}, {"words": want["words"]})
    if not verdict.ok:
        return verdict
    if not 0 < got["deepest"] <= want["deepest"]:
        return failed("steps were taken after all hypotheses had ended")
    return passed()
