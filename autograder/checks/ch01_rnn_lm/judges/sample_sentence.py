"""What is right about `sample_sentence`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch01_rnn_lm.probes import sample_sentence as probes
from autograder.compare import chi_square_tail, distribution, is_close, likeliest
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_DRAWN = "a word is drawn with probability softmax(logits)"
_READ = "step reads BOS first, and then each word with the previous state"
_ENDS = "EOS ends the sentence and is not one of its words"
_MOST = "there are at most max_words words"
_TOGETHER = "each word is drawn separately, whatever came before it"
_SEEDED = "every draw uses the given generator"

_ALPHA = 1e-9
_FEW = 20

_follows = distribution("draws")


@judge(
    _DRAWN,
    probe=probes.one_word,
    points=2,
    hint="The softmax of the logits gives each word its probability, and torch.multinomial draws with these probabilities. "
    "The most probable word comes up most often, but over many draws the others come up, too, each in proportion to its "
    "probability.",
)
def follows_softmax(got: Any, want: Any) -> Verdict:
    """First words of many sentences."""
    verdict, draws, logits = _follows(got, want), got["draws"], want["logits"]
    times = int(want["draws"][0].sum())
    if (draws.sum(dim=-1) != times).any() or (draws < 0).any():
        return verdict
    right = times * logits.double().softmax(dim=-1)
    if verdict.ok and _chance_of(draws, right) > _ALPHA:
        return verdict
    always = (draws.amax(dim=-1) == times).all()
    if always and torch.equal(draws.argmax(dim=-1), logits.argmax(dim=-1)):
        return failed(
            f"in {times} sentences the first word was always the most probable one, argmax; expected a random draw"
        )
    message = likeliest(draws, _mistakes(want))
    if message:
        return failed(message)
    if always:
        return failed(
            f"in {times} sentences, each with a different generator, the first word was always the same. Is the "
            "generator seeded again?"
        )
    return failed(f"{_most_apart(draws, right)}: the difference is larger than chance allows")


def _chance_of(draws: Tensor, right: Tensor) -> float:
    """How likely counts, (rows, words), are to be as far from what is right as these, or further.

    It is the chi-square test against known probabilities, which sees more than that of two samples. The rarest words count as one.
    """
    statistic, freedom = 0.0, 0
    for found, expected in zip(draws.double(), right, strict=True):
        rising = expected.argsort()
        few = torch.zeros_like(expected, dtype=torch.bool)
        few[rising] = expected[rising].cumsum(dim=0) - expected[rising] < _FEW
        apart = torch.cat([(found - expected)[~few], (found - expected)[few].sum().unsqueeze(0)])
        about = torch.cat([expected[~few], expected[few].sum().unsqueeze(0)])
        statistic += (apart**2 / about).sum().item()
        freedom += len(about) - 1
    return chi_square_tail(statistic, freedom)


def _mistakes(want: Any) -> list[tuple[str, Tensor]]:
    """In which proportions each mistake draws words; BOS, which is no word, counts as the end of the sentence."""
    logits, bos, eos = want["logits"].double(), want["bos"], want["eos"]
    words = torch.arange(logits.shape[-1])
    uniform = "all words are drawn equally often: the logits make no difference"
    mistakes = [
        (uniform, torch.ones_like(logits)),
        (uniform, (words != bos).expand_as(logits).double()),
        ("the softmax was applied twice, the second time to probabilities", logits.softmax(dim=-1).softmax(dim=-1)),
        ("the logits went through sigmoid, expected softmax", logits.sigmoid()),
        (
            "EOS is never drawn first, as if a sentence had to have at least one word",
            logits.softmax(dim=-1) * (words != eos),
        ),
    ]
    for _, shares in mistakes:
        shares[:, eos] += shares[:, bos]
        shares[:, bos] = 0.0
    return mistakes


def _most_apart(draws: Tensor, right: Tensor) -> str:
    """The word that was drawn most often too often, or too rarely."""
    row, word = divmod(int((draws - right).abs().argmax()), draws.shape[1])
    return f"of {int(draws[row].sum())} draws {int(draws[row, word])} gave the word {word}, expected about {right[row, word]:.0f}"


@judge(
    _READ,
    probe=probes.chain,
    points=2,
    needs=(_DRAWN,),
    any_length=True,
    hint="step returns two things, the logits and the state after the word. Its next call needs the word that was drawn from "
    "these logits, and this state.",
)
def reads_what_was_drawn(got: Any, want: Any) -> Verdict:
    """What `step` was called with."""
    words, states, right = got["words read"], got["states read"], want["words read"]
    if (words, states) == (right, want["states read"]):
        return passed()
    if not words:
        return failed("step was never called")
    if words[0] != want["bos"]:
        return failed(f"the first word that was read has the id {words[0]}, expected BOS, here {want['bos']}")
    if len(words) > 1 and set(words) == {want["bos"]}:
        return failed("BOS was read at every step; from the second step on, expected the word that was drawn last")
    if words != right[: len(words)]:
        at = next(i for i, (word, expected) in enumerate(zip(words, right, strict=False)) if word != expected)
        return failed(f"step {at + 1} read the word {words[at]}, expected {right[at]}, which was drawn before it")
    if len(states) > 1 and set(states) == {want["state"]}:
        return failed("every step started from the first state, expected the state that the previous step returned")
    if states != want["states read"][: len(states)]:
        at = next(
            i for i, (state, other) in enumerate(zip(states, want["states read"], strict=False)) if state != other
        )
        return failed(
            f"step {at + 1} did not start from {'the given state' if at == 0 else 'the state that the previous step returned'}"
        )
    return failed(
        f"step was called only {len(words)} time{'s' * (len(words) != 1)}, although EOS was not drawn and max_words was "
        "50"
    )


@judge(
    _ENDS,
    probe=probes.ending,
    points=1,
    needs=(_DRAWN, _READ),
    any_length=True,
    hint="Check each word when it is drawn: at EOS, leave the loop before the word goes into the list. BOS was read but not "
    "drawn, so it is not in the list either.",
)
def ends_at_eos(got: Any, want: Any) -> Verdict:
    """The words of a sentence with an end."""
    words, right, bos, eos = got["words"], want["words"], want["bos"], want["eos"]
    if words == right:
        return passed()
    if words[:1] == [bos]:
        return failed(
            "BOS was returned as the first word of the sentence" + ", and EOS as the last" * (words[-1] == eos)
        )
    if words == [*right, eos]:
        return failed("EOS was returned as the last word of the sentence")
    return failed(_told(words, right))


def _told(words: list[int], right: list[int]) -> str:
    """How a sentence parts from the right one."""
    if len(words) != len(right):
        return f"the number of words in the sentence is {len(words)}, expected {len(right)}"
    at = next(i for i, (word, expected) in enumerate(zip(words, right, strict=True)) if word != expected)
    return f"word {at + 1} of the sentence is {words[at]}, expected {right[at]}, which was drawn"


@judge(
    _MOST,
    probe=probes.most,
    points=1,
    needs=(_DRAWN, _READ, _ENDS),
    any_length=True,
    hint="It can happen that EOS is never drawn. Count the words that you have, and leave the loop at max_words. BOS "
    "does not count.",
)
def stops_at_most(got: Any, want: Any) -> Verdict:
    """The words of a sentence without an end."""
    words, right = got["words"], want["words"]
    if words == right:
        return passed()
    if len(words) != len(right):
        return failed(
            f"with max_words = {want['max_words']}, {len(words)} words were returned although EOS was not drawn"
        )
    return failed(_told(words, right))


@judge(
    _SEEDED,
    probe=probes.seeded,
    points=2,
    needs=(_DRAWN,),
    hint="torch's random functions take generator=...; without it, they use torch's global generator, which the "
    "whole program shares. Pass on the generator that you are given, and do not seed any generator.",
)
def draws_with_generator(got: Any, want: Any) -> Verdict:
    """The same seed twice, and another one."""
    if not got["torch's own generator is left alone"]:
        return failed("a draw used torch's global generator, or the code seeded it; expected only the given generator")
    if not got["the same seed gives the same words"]:
        return failed(
            "two generators with the same seed gave different sentences: some draw does not use the generator"
        )
    if (got["draws"] > 0).sum() <= 2 * len(got["draws"]):
        return failed(
            "one generator gave the same word in every sentence: it restarts each time, expected it to continue"
        )
    if not got["another seed gives other words"]:
        return failed("generators with different seeds gave the same sentences")
    return _follows(got, want)


@judge(
    _TOGETHER,
    probe=probes.three_words,
    points=1,
    needs=(_DRAWN, _READ, _ENDS, _MOST, _SEEDED),
    hint="Do the same for every word: the softmax of the logits that step has just returned, and a new draw. Keep nothing "
    "from the previous draw.",
)
def drawn_one_by_one(got: Any, want: Any) -> Verdict:
    """How often each sentence of three words came."""
    draws, right, shares = got["draws"], want["draws"], want["probabilities"].double()
    if not got["torch's own is left alone"]:
        return failed(
            "a word after the first was drawn with torch's global generator, expected only the given generator"
        )
    if (draws < 0).any() or draws.sum() != right.sum():
        return _follows({"draws": draws}, {"draws": right})
    times = int(right.sum())
    expected = times * _joint(*shares)
    if _chance_of(draws, expected) > _ALPHA:
        return passed()
    message = likeliest(draws, _habits(shares), least=1e-3)
    if message:
        return failed(message)
    at = int((draws - expected).abs().argmax())
    words = [want["words"][at // probes.THREE**power % probes.THREE] for power in (2, 1, 0)]
    return failed(f"{int(draws[0, at])} of {times} sentences were {words}, expected about {expected[0, at]:.0f}")


def _joint(first: Tensor, second: Tensor, third: Tensor) -> Tensor:
    """The probability of each sentence of three words that are drawn apart from each other, (1, sentences)."""
    return torch.einsum("i,j,k->ijk", first, second, third).reshape(1, -1)


def _habits(shares: Tensor) -> list[tuple[str, Tensor]]:
    """How likely each sentence is by each mistake."""
    first, second, third = shares
    best = [torch.nn.functional.one_hot(row.argmax(), probes.THREE).double() for row in shares]
    levels = (torch.arange(100_000) + 0.5) / 100_000
    one_number = sum(
        (torch.searchsorted(row.cumsum(dim=0), levels).clamp(max=probes.THREE - 1) * probes.THREE**power)
        for row, power in zip(shares, (2, 1, 0), strict=True)
    )
    counts = torch.bincount(torch.as_tensor(one_number), minlength=probes.THREE**probes.THREE)
    another = 1 - torch.eye(probes.THREE, dtype=torch.float64)
    unlike = _joint(first, second, third).reshape((probes.THREE,) * 3)
    unlike = unlike * another[:, :, None] * another[None, :, :]
    none_again = unlike * another[:, None, :]
    return [
        ("only the first word is drawn, and the others are the most probable ones", _joint(first, best[1], best[2])),
        ("two words are drawn, and the third is the most probable one", _joint(first, second, best[2])),
        ("one random number is used for all words of a sentence", counts.double().unsqueeze(0)),
        ("no word comes twice in a row", unlike.reshape(1, -1)),
        ("no word comes twice in a sentence", none_again.reshape(1, -1)),
        ("the first logits are used for all words", _joint(first, first, first)),
    ] + [
        (f"the draws become {told} from word to word", _joint(*((shares.log() * power).softmax(dim=-1))))
        for told, each in (("sharper", (1.0, 2.0, 3.0)), ("sharper", (1.0, 1.5, 2.0)), ("flatter", (1.0, 0.5, 1 / 3)))
        for power in [torch.tensor(each, dtype=torch.float64).unsqueeze(1)]
    ]


far = judge(
    "logits far from zero, or with a gradient, work too",
    probe=probes.far,
    points=1,
    hidden=True,
    needs=(_DRAWN,),
    hint="exp of a number far from zero is 0 or infinite; torch's softmax takes care of that. And a model's logits may "
    "require a gradient: torch's own functions accept them as they are.",
)(distribution("draws"))


@judge(
    "a sentence may have no word, or just one",
    probe=probes.short,
    points=1,
    hidden=True,
    needs=(_DRAWN, _READ, _ENDS, _MOST),
    any_length=True,
    hint="EOS may be drawn first, max_words may be 0, and EOS may be drawn just after max_words words. Then the list is "
    "empty, or has max_words words.",
)
def of_any_length(got: Any, want: Any) -> Verdict:
    """Sentences at both ends of what is allowed."""
    wrong = next((name for name in want if got[name] != want[name]), None)
    return passed() if wrong is None else failed(f"where {wrong}: {_told(got[wrong], want[wrong])}")


@judge(
    "what step returned is left as it was",
    probe=probes.untouched,
    points=1,
    hidden=True,
    needs=(_DRAWN, _READ, _MOST),
    any_length=True,
    hint="The logits may be a row of the model's own table. Methods that end in an underscore, and assignments such as "
    "logits[bos] = ... "
    "or logits /= ..., change it.",
)
def leaves_logits(got: Any, want: Any) -> Verdict:
    """The table of logits and the state after a sentence, and the sentence."""
    changed = next((name for name in ("the table of logits", "the state") if not is_close(got[name], want[name])), None)
    if changed is not None:
        return failed(f"{changed} was changed")
    return passed() if got["words"] == want["words"] else failed(_told(got["words"], want["words"]))
