"""The instructions: right answers, sets that share nothing, a parser that reads what is drawn, and a rule-based answerer."""

import random
from collections import Counter

import pytest

from seqlab import lexicon
from seqlab.instructions import (
    HELD_OUT_TASKS,
    HELD_OUT_TEMPLATES,
    TASKS,
    TEMPLATES,
    answer_by_rule,
    draw_clause,
    draw_instructions,
    english,
    is_right,
    is_sentence_with,
    load_instructions,
    parse,
    task_by_keyword,
)
from seqlab.periods import UNK
from seqlab.wordpieces import load_pieces

SETS = ("train", "valid", "test", "templates", "tasks")


@pytest.fixture(scope="module")
def instructions():
    return load_instructions(train=60, valid=10, test=20, held_out=20)


@pytest.fixture(scope="module")
def everything(instructions):
    return [each for name in SETS for each in getattr(instructions, name)]


def test_ten_tasks_of_ten_templates_of_which_two_and_two_are_held_out():
    assert len(TEMPLATES) == 10
    assert len(TASKS) == 8
    assert len(HELD_OUT_TASKS) == len(HELD_OUT_TEMPLATES) == 2
    for templates in TEMPLATES.values():
        assert len(set(templates)) == 10
        assert all(template.count("{}") == 1 for template in templates)


def test_every_set_has_what_it_is_for(instructions):
    for name in ("train", "valid", "test"):
        of_set = getattr(instructions, name)
        assert {each.task for each in of_set} == set(TASKS)
        assert not {each.template for each in of_set} & set(HELD_OUT_TEMPLATES)
    assert {each.template for each in instructions.templates} == set(HELD_OUT_TEMPLATES)
    assert {each.task for each in instructions.templates} == set(TASKS)
    assert {each.task for each in instructions.tasks} == set(HELD_OUT_TASKS)
    assert Counter(each.task for each in instructions.train) == dict.fromkeys(TASKS, 60)


def test_no_input_is_in_two_sets_but_for_single_nouns(instructions):
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for name in SETS:
        inputs = {(each.task, each.input) for each in getattr(instructions, name) if each.task != "write"}
        assert not inputs & seen
        seen |= inputs


def test_the_same_seed_gives_the_same_and_another_gives_others():
    one, again, other = (load_instructions.__wrapped__(seed=s, train=5, valid=2, test=2, held_out=2) for s in (0, 0, 1))
    assert one == again
    assert one != other


def test_every_answer_is_judged_right_and_the_answer_to_another_one_is_not(everything):
    for each in everything:
        assert is_right(each, each.answer), each
        assert not is_right(each, (*each.answer, "and")), each
        assert not is_right(each, ()), each


def test_no_prompt_or_answer_has_an_unknown_piece(everything):
    pieces = load_pieces()
    for each in everything:
        assert UNK not in pieces.encode(each.prompt), each
        assert UNK not in pieces.encode(each.answer), each


def test_prompts_hold_their_inputs(everything):
    for each in everything:
        assert " ".join(each.input) in " ".join(each.prompt)


@pytest.mark.parametrize(
    ("task", "words", "answer"),
    [
        ("translate", "translate into french : he hits paul with a pie .", "il entarte paul ."),
        ("negate", "deny this : marie eats the fresh apple .", "marie does not eat the fresh apple ."),
        ("past", "marie buys a hat today . put it in the past .", "marie bought a hat today ."),
        ("plural", "make plural : this brave wolf", "these brave wolves"),
        ("reverse", "reverse : cat dog cow", "cow dog cat"),
        ("spell", "spell the word peace", "p e a c e"),
        ("who", "who did this : the old king sees paul .", "the old king"),
        ("count", "count : cat dog cow", "three"),
    ],
)
def test_the_rules_on_examples(task, words, answer):
    prompt = tuple(words.split())
    assert task_by_keyword(prompt) == task
    assert answer_by_rule(prompt) == tuple(answer.split())


def test_the_rules_are_always_right_but_for_dates(everything):
    for each in everything:
        if each.task != "era":
            assert is_right(each, answer_by_rule(each.prompt)), each


def test_the_rules_do_not_answer_what_they_have_no_rule_for():
    assert answer_by_rule(["count", ":", "cat", "dog"], known=TASKS) == ()
    assert answer_by_rule(["the", "cat", "sleeps"]) == ()


def test_what_is_drawn_is_parsed():
    draw = random.Random(5)
    for _ in range(500):
        clause = draw_clause(draw)
        found = parse(english(clause))
        assert found is not None, english(clause)
        assert english(found) == english(clause)


@pytest.mark.parametrize(
    "words",
    [
        "he eats the apple",  # no full stop
        "he eat the apple .",
        "he eats a orange .",
        "he eats the house .",  # nobody does
        "the apple eats paul .",
        "he eats the blue apple .",  # no apple is blue here
        "he eats the apple the apple .",
        "he sees he .",
        ".",
        "",
    ],
)
def test_what_is_no_sentence_is_not_parsed(words):
    assert parse(words.split()) is None


def test_a_sentence_has_its_word_once():
    assert is_sentence_with("cat", ["the", "cat", "sees", "paul", "."])
    assert not is_sentence_with("dog", ["the", "cat", "sees", "paul", "."])
    assert not is_sentence_with("cat", ["the", "cat", "sees", "a", "cat", "."])


def test_a_clause_can_be_asked_to_have_a_noun():
    draw = random.Random(1)
    for noun in lexicon.NOUNS[:30]:
        if " " not in noun.english and "-" not in noun.french and not noun.unique:
            assert noun.english in english(draw_clause(draw, noun))


def test_more_of_one_task():
    found = draw_instructions("write", 5, seed=3)
    assert found == draw_instructions("write", 5, seed=3)
    assert {each.task for each in found} == {"write"}
    with pytest.raises(ValueError, match="task is 'who': choose one of"):
        draw_instructions("who", 5, seed=3)


def test_a_size_below_one_is_refused():
    with pytest.raises(ValueError, match="test is 0: ask for at least 1"):
        load_instructions(test=0)
