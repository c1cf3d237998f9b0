"""An instruction and its answer as one sequence."""


def pack_instruction(
    prompt: list[int], answer: list[int], bos_id: int, answer_id: int, eos_id: int
) -> tuple[list[int], list[bool]]:
    """Put an instruction and its answer into one sequence; mark what is to be learned.

    The sequence is BOS, the prompt, the mark after which an answer begins, the answer,
    and the end mark. The model has to write the answer and the end mark; everything
    before them is given.

    Args:
        prompt: The ids of the instruction's P pieces; there may be none, and any id may
            be among them.
        answer: The ids of the answer's L pieces; there may be none, and any id may be
            among them.
        bos_id: The id of BOS.
        answer_id: The id of the mark after which an answer begins.
        eos_id: The id of the end mark.

    Returns:
        A list of the ids of the P + L + 3 pieces, and a list that says of each, True or
        False, whether the model has to write it. The arguments do not change.
    """
    # 1. What is given: BOS, the prompt, the mark.
    # 2. What is to be written: the answer, the end mark.
    # 3. Both as one new list, and a list of bools of the same length.
    ### BEGIN SOLUTION
    given = [bos_id, *prompt, answer_id]
    written = [*answer, eos_id]
    return given + written, [False] * len(given) + [True] * len(written)
    ### END SOLUTION
