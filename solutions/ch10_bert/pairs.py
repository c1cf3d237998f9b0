"""Pairs of sentences for predicting whether the second follows the first."""

import random
from typing import Any


def make_nsp_pairs(
    documents: list[list[Any]], generator: random.Random
) -> list[tuple[Any, Any, bool]]:
    """Pair each sentence that has a next one in its document (Devlin et al. 2019).

    With probability 1/2 the second sentence of the pair is the next one, and its label
    is True. Otherwise it is a sentence drawn at random from another document, even if
    it happens to equal the next one, and the label is False. Whether the document is
    drawn first, or the sentence from those of all other documents, is up to you. The
    draws for each pair are independent of the others, and with replacement.

    Args:
        documents: The sentences of each document, in order. A sentence may be any
            object and may come again, and a document may have one sentence or none.
        generator: Python's source of random numbers; every draw is made with it.

    Returns:
        A list with a tuple (first, second, is_next) for each sentence except the last
        of its document, in any order; is_next is the label, True or False.

    Raises:
        ValueError: Fewer than two documents have sentences, so there is no other
            document to draw from.
    """
    # 1. Which documents have sentences? There must be at least two.
    # 2. Go through the sentences of each, except the last, and draw whether the pair is
    #    a positive one.
    # 3. If so, its second sentence is the next one. If not, draw one of the other
    #    documents, and then one of its sentences.
    ### BEGIN SOLUTION
    documents = [document for document in documents if document]
    if len(documents) < 2:
        raise ValueError(
            f"{len(documents)} of the documents have sentences: give two at least"
        )
    pairs = []
    for number, document in enumerate(documents):
        others = documents[:number] + documents[number + 1 :]
        for place, first in enumerate(document[:-1]):
            is_next = generator.random() < 0.5
            second = (
                document[place + 1]
                if is_next
                else generator.choice(generator.choice(others))
            )
            pairs.append((first, second, is_next))
    return pairs
    ### END SOLUTION
