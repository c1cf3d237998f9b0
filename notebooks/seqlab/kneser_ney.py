"""The n-gram model that neural language models had to beat: interpolated Kneser-Ney with three discounts.

*Modified* Kneser-Ney, as in Chen and Goodman (1999). The probability of a word w after the words h before it is

    P(w | h) = (c(h w) - D(c(h w))) / c(h ·) + freed(h) · P(w | h without its first word),

where D takes D1 from a count of 1, D2 from a count of 2, D3 from any that is larger, and nothing from 0. What the discounts
take from all words that followed h, freed(h) = (D1 N1(h ·) + D2 N2(h ·) + D3 N3+(h ·)) / c(h ·), goes to the shorter context;
Ni(h ·) is the number of different words that followed h exactly i times. At the highest order c says how often an n-gram was
seen. Below it says in how many different contexts: the number of different words that came before the n-gram. The
shortest context is the empty one, and what is freed there goes to all V words alike.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import log

__all__ = ["KneserNey", "discounts"]

BOS, EOS = "<bos>", "<eos>"

Ngram = tuple[str, ...]
Discounts = tuple[float, float, float, float]
"""What is taken from a count of 0 (nothing), of 1, of 2, and of 3 or more."""

USUAL_DISCOUNTS: Discounts = (0.0, 0.5, 1.0, 1.5)
"""For counts so few that their own cannot be estimated; the toolkit KenLM falls back on the same numbers."""


def discounts(counts: Iterable[int]) -> Discounts:
    """Estimates the three discounts of one order from its counts of counts.

    With n_i the number of n-grams that were counted i times, and Y = n_1 / (n_1 + 2 n_2), they are
    D1 = 1 - 2 Y n_2 / n_1, D2 = 2 - 3 Y n_3 / n_2 and D3 = 3 - 4 Y n_4 / n_3 (Chen and Goodman 1999).

    Args:
        counts: The counts of all n-grams of the order, each at least 1.

    Returns:
        What is taken from a count of 0, of 1, of 2, and of 3 or more. A tiny text may lack one of n_1 to n_4, or give a
        discount below 0, and with it a negative share to pass on; then the result is `USUAL_DISCOUNTS`.
    """
    of = Counter(counts)
    if not all(of[i] for i in (1, 2, 3, 4)):
        return USUAL_DISCOUNTS
    share = of[1] / (of[1] + 2 * of[2])
    first, second, third = (i - (i + 1) * share * of[i + 1] / of[i] for i in (1, 2, 3))
    if min(first, second, third) < 0:
        return USUAL_DISCOUNTS
    return 0.0, first, second, third


class KneserNey:
    """An interpolated modified Kneser-Ney model of any order.

    One mark, <bos>, comes before each sentence, and another, <eos>, after it. No word can come before <bos>, so the
    n-grams that begin with it have no continuation counts: at every order they keep how often they were seen, as in the
    toolkits SRILM and KenLM. Near the start of a sentence the context is shorter, down to <bos> alone.

    Attributes:
        order: The most words of an n-gram, the predicted one among them.
        vocab_size: How many different words can follow, V.
        counts: By order, from 1 on, the counts of all n-grams of so many words; at 0 there is an empty Counter.
        discounts: By order, likewise, what is taken from counts of 0, 1, 2, and 3 or more.
    """

    def __init__(self, sentences: Iterable[Sequence[str]], order: int, vocab_size: int) -> None:
        """Counts n-grams and estimates discounts.

        Args:
            sentences: Sentences as sequences of words, rare words replaced by "<unk>", and without marks.
            order: The most words of an n-gram: 3 for a trigram, whose context has two words.
            vocab_size: How many different words can follow: those of the vocabulary and the end mark, V.

        Raises:
            ValueError: If `order` is below 1, there are no sentences, one has a mark among its words, or they have more
                different words than `vocab_size` says.
        """
        if order < 1:
            raise ValueError(f"order is {order}: ask for at least 1, which counts single words")
        self.order, self.vocab_size = order, vocab_size
        self.counts = _count(sentences, order)
        seen = len(self.counts[1])
        if seen > vocab_size:
            raise ValueError(
                f"vocab_size is {vocab_size}, and the sentences have {seen} different words, the end mark among them: "
                "replace rare words by <unk>, or give a larger vocab_size"
            )
        self.discounts = [USUAL_DISCOUNTS, *(discounts(counts.values()) for counts in self.counts[1:])]
        self._totals, self._freed = self._sum_up()

    def _sum_up(self) -> tuple[Counter[Ngram], dict[Ngram, float]]:
        """For each context the sum of the counts of what followed it, and the part of it that the discounts take."""
        totals: Counter[Ngram] = Counter()
        freed: defaultdict[Ngram, float] = defaultdict(float)
        for counts, taken in zip(self.counts, self.discounts, strict=True):
            for ngram, count in counts.items():
                context = ngram[:-1]
                totals[context] += count
                freed[context] += taken[min(count, 3)]
        return totals, {context: freed[context] / totals[context] for context in totals}

    def probability(self, word: str, before: Sequence[str]) -> float:
        """Computes the probability of a word after others.

        Args:
            word: The word, or "<eos>".
            before: All words before it, from the start of a sentence with "<bos>" in front, or only the last few.

        Returns:
            P(word | before), above 0.
        """
        context = tuple(before[-(self.order - 1) :]) if self.order > 1 else ()
        share = 1 / self.vocab_size
        for start in range(len(context), -1, -1):  # from the empty context to the longest
            shorter = context[start:]
            total = self._totals.get(shorter, 0)
            if not total:  # A longer one was never seen either.
                break
            count = self.counts[len(shorter) + 1].get((*shorter, word), 0)
            taken = self.discounts[len(shorter) + 1][min(count, 3)]
            share = (count - taken) / total + self._freed[shorter] * share
        return share

    def log_probs(self, sentence: Sequence[str]) -> list[float]:
        """Computes the log-probability of each word of a sentence after those before it, and of its end.

        Args:
            sentence: Its words, unknown ones replaced by "<unk>", and without marks.

        Returns:
            The natural logarithms of the probabilities: one for each word, and one for the end mark.
        """
        words = [BOS, *sentence, EOS]
        return [log(self.probability(words[i], words[max(0, i - self.order + 1) : i])) for i in range(1, len(words))]


def _count(sentences: Iterable[Sequence[str]], order: int) -> list[Counter[Ngram]]:
    """The counts of each order: how often at the highest, in how many contexts below; at 0, an empty Counter."""
    counts: list[Counter[Ngram]] = [Counter() for _ in range(order + 1)]
    for sentence in sentences:
        words = (BOS, *sentence, EOS)
        if BOS in words[1:] or EOS in words[:-1]:
            raise ValueError(f"a sentence has {BOS} or {EOS} among its words: leave the marks out, they are added here")
        counts[order].update(zip(*(words[i:] for i in range(order)), strict=False))
        for size in range(2, min(order, len(words) + 1)):
            counts[size][words[:size]] += 1  # Nothing stands before it.
    if not counts[order] and not counts[min(order, 2)]:
        raise ValueError("sentences is empty: give at least one")
    if order == 1:
        del counts[1][(BOS,)]  # It follows nothing.
    for size in range(order - 1, 0, -1):
        counts[size].update(ngram[1:] for ngram in counts[size + 1])  # one for each word that stood before it
    return counts
