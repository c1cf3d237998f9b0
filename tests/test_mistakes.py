"""What no judge can explain is told by the listed mistakes that give the same numbers, and by nothing else."""

import pytest
import torch

from autograder.declare import chapters, load_checks
from autograder.probing import Changed, Failure
from autograder.resembling import fingerprint, read_mistakes, resembles
from autograder.verdict import Status
from tests import students
from tests.mistakes import mistakes_of, outcomes_of
from tests.seeds import drawn

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

        assert "This mistake gives the same numbers: Nothing is clipped if the norm is below 1." in told(
            "clip_gradients_", clipped
        )

    def test_another_mistake_is_not(self):
        def clipped(parameters, max_norm):
            return torch.nn.utils.clip_grad_norm_(list(parameters), max_norm * 0.9).item()

        assert "gives the same numbers" not in told("clip_gradients_", clipped)


class TestFingerprints:
    def test_the_order_of_keys_and_rounding_do_not_matter(self):
        one = {"a": torch.tensor([1.0, 2.0]), "b": [3, "four", None, True]}
        other = {"b": [3, "four", None, True], "a": torch.tensor([1.0, 2.0 + 1e-6])}
        assert resembles([fingerprint(one)], [fingerprint(Changed(other))])

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
        mine = fingerprint({"a": torch.tensor([1.0, 2.0]), "b": 3})
        assert not resembles([mine], [fingerprint(other)])

    def test_what_failed_has_none(self):
        assert fingerprint(Failure(Status.ERROR, "ValueError")) is None
        assert not resembles([None], [("", 0.0)])


@pytest.mark.drawn
def test_files_hold_what_mistakes_give_today():
    """Run `python -m tests.mistakes` if this fails."""
    names = drawn("mistakes").sample(sorted(EXERCISES), 6)
    for name in names:
        exercise = EXERCISES[name]
        recorded = {k: v for k, v in read_mistakes(exercise.chapter).items() if k.split(".")[0] == name}
        today = mistakes_of(exercise)
        assert recorded.keys() == today.keys(), names
        for probe, listed in today.items():
            pairs = list(zip(listed, recorded[probe], strict=True))
            assert all(mine[0] == theirs[0] and resembles(mine[1], theirs[1]) for mine, theirs in pairs), (names, probe)


def test_every_mistake_says_what_it_is():
    without = [
        (name, subject.__name__)
        for name, module in students.modules().items()
        for subject in module.WRONG
        if not (subject.__doc__ or "").strip()
    ]
    assert without == []
