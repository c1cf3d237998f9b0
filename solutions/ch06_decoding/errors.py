"""Whether the search or the model is to blame when a search returns a sentence other than the reference."""

from collections.abc import Sequence


def diagnose_error(
    found: Sequence[int],
    reference: Sequence[int],
    found_score: float,
    reference_score: float,
) -> str:
    """Say whether search or model is to blame for a sentence unlike the reference.

    If the model gives the reference the higher score, the reference was there to be
    found, and the search missed it. If it does not, no search for a high score would
    prefer the reference: the model is wrong. That includes equal scores, because
    between two sentences of the same score the model has no preference that a search
    could follow.

    Args:
        found: The words that the search returned, in a list or a tuple.
        reference: The words of the reference, in a list or a tuple.
        found_score: The score of the sentence that was found, by the measure that the
            search maximises, such as log P or its length-normalised form; it may be
            minus infinity.
        reference_score: The score of the reference by the same measure.

    Returns:
        "none" where the words are the same, whatever the scores; else "search" or
        "model".
    """
    # 1. The same words: there is no error.
    # 2. Otherwise compare the two scores.
    ### BEGIN SOLUTION
    if list(found) == list(reference):
        return "none"
    return "search" if reference_score > found_score else "model"
    ### END SOLUTION
