"""Loops in texts, and phrases that are said again."""

import pytest
import torch

from seqlab.presidents import NUMBER
from seqlab.repetition import beginnings, count_loops, loops, phrases, said_again, summary


@pytest.mark.parametrize(
    ("text", "times", "found"),
    [
        ("so we said and said and said", 2, False),  # two words are too few
        ("in the war in the war", 2, True),
        ("in the war in the peace", 2, False),
        ("well in the war in the war in the", 3, False),
        ("well in the war in the war in the war", 3, True),
        ("one two three four five one two three four five", 2, True),
        ("", 2, False),
    ],
)
def test_a_loop_is_three_words_or_more_in_a_row(text, times, found):
    assert loops(text.split(), times) is found


def test_counts_are_of_whole_texts_and_of_the_second_halves_of_those_that_are_caught():
    stuck = ("in the war " * 3).split()
    found = count_loops([stuck, stuck, ["no", "loop", "here"]], [stuck, ["it", "is", "over", "now"], stuck[:6]])
    assert found == {"texts": 3, "twice": 100.0, "thrice": 66.67, "caught": 2, "again": 50.0}


def test_beginnings_are_of_one_length_and_have_no_numbers():
    found = beginnings(20, 8)
    assert {len(words) for words in found} == {8}
    assert not any(NUMBER in words for words in found)


def test_phrases_have_a_token_for_each_word():
    found = phrases(10, 4, lambda words: [len(word) for word in words])
    assert found.shape == (10, 4)


def test_a_phrase_is_measured_after_itself_and_in_the_same_place_after_others():
    def counted(tokens):
        """Minus how often a token has been read before: a model that likes what is new."""
        earlier = (tokens.unsqueeze(1) == tokens.unsqueeze(2)).tril(-1)
        return -earlier.sum(dim=2).float()

    rows = torch.arange(12).view(6, 2)
    same, others = said_again(counted, rows, [99], rounds=3)
    assert same.tolist() == [[0, -1, -2]] * 6
    assert others.tolist() == [[0, 0, 0]] * 6
    found = summary(same, others)
    assert found["phrases"] == 6
    assert found["same"] == found["gain"] == [0, -1, -2]
    assert found["more"] == [0, 0, 0]
    assert found["rise"] == [0, 0]
    assert found["always"] == 0


def test_other_phrases_are_lined_up_with_the_phrase_that_is_measured():
    rows = torch.arange(12).view(6, 2)
    _, others = said_again(lambda tokens: tokens.float(), rows, [99], rounds=3)
    assert others.tolist() == [[2 * i + 0.5] * 3 for i in range(6)]
