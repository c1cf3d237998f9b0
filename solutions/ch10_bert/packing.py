"""Two sentences as a single sequence for BERT."""


def pack_pair(
    first: list[int], second: list[int], cls_id: int, sep_id: int
) -> tuple[list[int], list[int]]:
    """Join two sentences into one sequence: [CLS] first [SEP] second [SEP].

    Args:
        first: The ids of the first sentence's pieces, without special pieces; there may
            be none.
        second: Those of the second sentence, likewise.
        cls_id: The id of [CLS], which begins the sequence.
        sep_id: The id of [SEP], which ends each of the two sentences.

    Returns:
        The ids of the sequence, and the segment of each: 0 for [CLS], the first
        sentence and its [SEP], 1 for the second sentence and its [SEP]. Two lists of
        the same length.
    """
    # 1. The sequence, as above.
    # 2. A segment for each of its ids. Do not forget the special pieces: which sentence
    #    does each [SEP] end?
    ### BEGIN SOLUTION
    head = [cls_id, *first, sep_id]
    tail = [*second, sep_id]
    return head + tail, [0] * len(head) + [1] * len(tail)
    ### END SOLUTION
