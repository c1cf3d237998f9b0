"""A third task for a translator: English sentences into parse trees, written with brackets.

The trees are those from which the grammar makes its sentences. They come as a `Corpus`, so that the batches, the model and
the decoding that translate sentences run on them unchanged.
"""

from __future__ import annotations

import random
from dataclasses import fields, is_dataclass
from typing import Any

from seqlab import grammar, lexicon, sampler
from seqlab.corpus import Corpus, Vocabulary
from seqlab.grammar import Pair

WORDS: dict[type, str] = {
    lexicon.Pronoun: "NP",
    lexicon.NegativePronoun: "NP",
    lexicon.Name: "NP",
    lexicon.Adjective: "AP",
}
"""What a word is called that is a phrase of its own."""
LABELS: dict[type, str] = {
    grammar.NounPhrase: "NP",
    grammar.Both: "NP",
    grammar.PrepositionalPhrase: "PP",
    grammar.Comparison: "AP",
    grammar.VerbPhrase: "VP",
    grammar.Copula: "VP",
    grammar.Passive: "VP",
    grammar.AndThen: "VP",
    grammar.Subjectless: "VP",
    grammar.Question: "SQ",
    grammar.WhereIs: "SQ",
}
"""What a node is called; one that is not listed is a sentence, S."""


def brackets(tree: Any) -> tuple[str, ...]:
    """Writes a tree of the grammar with brackets, without its words.

    Args:
        tree: The tree, such as a `Clause`.

    Returns:
        The tokens: "(S", "NP", "(VP", "NP", ")" and ")" for a sentence such as she reads a book. A phrase that contains no
        other is its label alone.
    """
    if isinstance(tree, tuple):
        return tuple(token for part in tree for token in brackets(part))
    if type(tree) in WORDS:
        return (WORDS[type(tree)],)
    if type(tree).__module__ != grammar.__name__ or not is_dataclass(tree):
        return ()
    label, inside = LABELS.get(type(tree), "S"), brackets(_parts(tree))
    return (f"({label}", *inside, ")") if inside else (label,)


def _parts(tree: Any) -> tuple[Any, ...]:
    """The parts of a node, in the order of the English words."""
    if isinstance(tree, grammar.Joined) and tree.fronted:
        return tree.second, tree.first
    return tuple(getattr(tree, field.name) for field in fields(tree))


def load_parses(*, seed: int = 0, train: int = 6_000, valid: int = 250, test: int = 500, max_words: int = 10) -> Corpus:
    """Draws sentences with their trees, no sentence twice.

    Args:
        seed: The seed that determines the corpus.
        train: The sentences to learn from.
        valid: The sentences to choose models by.
        test: The sentences to judge them by.
        max_words: The most words of a sentence, including the full stop.

    Returns:
        The corpus: English words as its source, brackets as its target, no links.
    """
    generator = random.Random(seed)
    found: dict[tuple[str, ...], Pair] = {}
    while len(found) < valid + test + train:
        try:
            tree = sampler._Sampler(generator).utterance(generator.randint(sampler.SHORTEST, max_words))
        except sampler._NothingNewError:
            continue
        source = grammar.translate(tree).source
        if len(source) <= max_words:
            found.setdefault(source, Pair(source, brackets(tree), frozenset(), frozenset()))
    pairs = tuple(found.values())
    learnt = pairs[valid + test :]
    return Corpus(
        train=learnt,
        valid=pairs[:valid],
        test=pairs[valid : valid + test],
        source_vocab=Vocabulary(pair.source for pair in learnt),
        target_vocab=Vocabulary(pair.target for pair in learnt),
        has_links=False,
        name="parses",
    )
