"""How good translations are: BLEU as sacreBLEU computes it, over all sentences and by their length."""

from __future__ import annotations

from collections.abc import Sequence

import sacrebleu

from seqlab.grammar import Pair

BIN = 5
"""Words from one bin of source lengths to the next."""


def bleu(translations: Sequence[Sequence[str]], pairs: Sequence[Pair]) -> float:
    """Corpus BLEU against the pairs' target sentences, from 0 to 100; the chapter on BLEU takes it apart.

    Args:
        translations: The words of each translation.
        pairs: The pairs with the references.

    Raises:
        ValueError: If there are no translations, or not one for each pair.
    """
    if len(translations) != len(pairs) or not pairs:
        raise ValueError(f"there are {len(translations)} translations for {len(pairs)} pairs: give one for each")
    written = [" ".join(words) for words in translations]
    references = [" ".join(pair.target) for pair in pairs]
    return float(sacrebleu.corpus_bleu(written, [references], tokenize="none", force=True).score)


def bleu_by_length(translations: Sequence[Sequence[str]], pairs: Sequence[Pair]) -> dict[str, float]:
    """Corpus BLEU in bins of source length.

    Args:
        translations: The words of each translation.
        pairs: The pairs with the references.

    Returns:
        BLEU by bin, "1-5", "6-10" and so on, shortest first; bins without a sentence are left out.
    """
    bins: dict[int, list[int]] = {}
    for index, pair in enumerate(pairs):
        bins.setdefault((len(pair.source) - 1) // BIN, []).append(index)
    return {
        f"{number * BIN + 1}-{(number + 1) * BIN}": bleu([translations[i] for i in found], [pairs[i] for i in found])
        for number, found in sorted(bins.items())
    }
