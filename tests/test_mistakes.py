"""A listed mistake is named where an answer gives the same numbers, in a notebook and under a secret, and no other is."""

import pytest
import torch

from autograder.asking.probing import Changed, Failure, answers
from autograder.building.mistakes import outcomes_of
from autograder.declare import chapters, key, load_checks
from autograder.judging.catalogue import CausesUnder, fingerprints_of
from autograder.judging.known_mistakes import digest, is_same, matches, read_fingerprints
from autograder.judging.verdict import Status
from autograder.samples.seeds import drawn
from tests import students

EXERCISES = {exercise.exercise.name: exercise for chapter in chapters() for exercise in load_checks(chapter)}


def told(name: str, subject: object) -> str:
    """All that is said of an answer in a notebook."""
    return "\n".join(outcome.message for outcome in outcomes_of(EXERCISES[name], subject))


class TestTold:
    def test_a_listed_mistake_in_other_words_is_named(self):
        def clipped(parameters, max_norm):
            with_grad = [p for p in parameters if p.grad is not None]
            norm = torch.cat([p.grad.flatten() for p in with_grad]).norm().item()
            if norm > 1.0 and norm > max_norm:
                for p in with_grad:
                    p.grad *= max_norm / norm
            return norm

        listed = students.answers_to("clip_gradients_")
        assert listed.SENTENCES[listed.only_above_one] in told("clip_gradients_", clipped)

    def test_so_is_one_that_raises(self):
        def looked_up(logits, labels):
            surprise = logits.log_softmax(dim=-1).gather(-1, labels[..., None]).squeeze(-1)
            return -surprise[labels != -100].mean()

        listed = students.answers_to("masked_lm_loss")
        assert listed.SENTENCES[listed.gathers_minus_100] in told("masked_lm_loss", looked_up)

    def test_another_mistake_is_not(self):
        def clipped(parameters, max_norm):
            return torch.nn.utils.clip_grad_norm_(list(parameters), max_norm * 0.9).item()

        said = told("clip_gradients_", clipped)
        assert not [each for each in students.answers_to("clip_gradients_").SENTENCES.values() if each in said]


class TestFingerprints:
    def test_the_order_of_keys_and_rounding_do_not_matter(self):
        one = {"a": torch.tensor([1.0, 2.0]), "b": [3, "four", None, True]}
        other = {"b": [3, "four", None, True], "a": torch.tensor([1.0, 2.0 + 1e-6])}
        assert is_same(digest(one), digest(Changed(other)))

    @pytest.mark.parametrize(
        "other",
        [
            {"a": torch.tensor([2.0, 1.0]), "b": 3},
            {"a": torch.tensor([1.0, 2.0]), "b": 4},
            {"a": torch.tensor([[1.0, 2.0]]), "b": 3},
            {"a": torch.tensor([1.0, float("nan")]), "b": 3},
            {"a": [1.0, 2.0], "b": 3},
        ],
    )
    def test_another_answer_has_another(self, other):
        assert not is_same(digest({"a": torch.tensor([1.0, 2.0]), "b": 3}), digest(other))

    def test_what_was_raised_has_one_wherever_it_was(self):
        here, there = (f" (in thing, line {line} of its cell: `{code}`)" for line, code in ((3, "x @ y"), (4, "x @ z")))
        text = "RuntimeError: shapes (2x3 and 2x3)"
        one, other = (Failure(Status.ERROR, f"{text}{place}\nPrint them.") for place in (here, there))
        assert is_same(digest(one), digest(other))
        assert not is_same(digest(one), digest(Failure(Status.ERROR, "RuntimeError: shapes (2x3 and 4x3)")))

    @pytest.mark.parametrize("failure", [Failure(Status.ERROR, "AssertionError"), Failure(Status.TIMEOUT, "it: late")])
    def test_what_failed_without_a_word_has_none(self, failure):
        assert digest(failure) is None
        assert not is_same(None, ("", 0.0))

    def test_is_of_what_a_check_reads(self):
        one, other = {"state": torch.ones(2), "cell": torch.ones(2)}, {"state": torch.ones(2), "cell": torch.zeros(2)}
        assert is_same(digest(one, ("state",)), digest(other, ("state",)))
        assert not is_same(digest(one, ("cell",)), digest(other, ("cell",)))

    def test_another_shape_is_seen_where_a_check_reads_less(self):
        def total(answer):
            return {"values": answer["values"].sum()}

        assert is_same(
            digest({"values": torch.ones(4)}, total), digest({"values": torch.tensor([0.0, 2.0, 1.0, 1.0])}, total)
        )
        assert not is_same(digest({"values": torch.ones(4)}, total), digest({"values": torch.ones(2, 2)}, total))


@pytest.mark.drawn
def test_files_hold_what_mistakes_give_today():
    """Run `autograder mistakes` if this fails."""
    names = drawn("mistakes").sample(sorted(EXERCISES), 6)
    for name in names:
        exercise = EXERCISES[name]
        today = fingerprints_of(exercise)
        kept = {k: v for k, v in read_fingerprints(exercise.chapter).items() if k.split(".")[0] == name}
        assert {k: set(v) for k, v in kept.items()} == {k: set(v) for k, v in today.items()}, names
        for check, sentences in today.items():
            for text, listed in sentences.items():
                pairs = zip(listed, kept[check][text], strict=True)
                assert all(matches(mine, theirs) for mine, theirs in pairs), (names, check, text)


class TestCatalogue:
    @pytest.mark.parametrize("name", EXERCISES)
    def test_sentences_are_parts_of_a_message(self, name):
        for sentence in students.answers_to(name).SENTENCES.values():
            assert sentence == sentence.strip(" .\n") and "\n" not in sentence, sentence
            assert len(sentence) < 160, sentence

    @pytest.mark.parametrize("name", EXERCISES)
    def test_hidden_checks_name_the_mistake_under_a_secret(self, name):
        exercise, secret = EXERCISES[name], "a class's"
        hidden = {check.name: check for check in exercise.checks if check.hidden}
        causes = CausesUnder([exercise], secret)
        listed = students.answers_to(name)
        asked = [subject for subject, check in listed.WRONG.items() if check in hidden]
        for subject in drawn(f"hidden {name}").sample(asked, min(2, len(asked))):
            check = hidden[listed.WRONG[subject]]
            given = answers(check.probe, subject, secret)
            fails = any(isinstance(answer, Failure) for answer in given)
            assert fails or listed.SENTENCES[subject] in causes(check, given), (key(check.probe), subject)
