"""What counts as the same form of a sentence."""

from seqlab.variety import frame_of, verb_of


def test_sentences_that_differ_in_a_noun_a_name_or_an_adjective_have_one_frame_of():
    assert frame_of(["paul", "sees", "the", "red", "house", "."]) == frame_of(
        ["she", "sees", "the", "old", "dogs", "."]
    )
    assert frame_of(["paul", "sees", "the", "red", "house", "."]) != frame_of(["paul", "sees", "the", "house", "."])


def test_the_verb_is_the_first_word_with_no_slot_of_its_own():
    assert verb_of(["the", "old", "dog", "sees", "paul", "."]) == "sees"
    assert verb_of(["the", "dog"]) == ""
