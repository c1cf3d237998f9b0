"""Whether a changed argument is seen, whatever it is, and costs one check, once."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from autograder.asking.mutation_guard import guarded
from autograder.asking.probing import Changed, Failure
from autograder.declare import Check, Exercise, ExerciseChecks, Probe
from autograder.judging.outcomes import judge_exercise
from autograder.judging.verdict import Status, Verdict, failed, passed


def unsqueezes(x: Any) -> None:
    x.unsqueeze_(0)


def detaches(x: Any) -> None:
    x.detach_()


def through_data(x: Any) -> None:
    x.data[0] = 7.0


def asks_for_a_gradient(x: Any) -> None:
    x.requires_grad_()


def puts_into_a_list(x: Any) -> None:
    x[1].append(5)


def changes_an_item(x: Any) -> None:
    x["a"].add_(1)


def adds_to_a_set(x: Any) -> None:
    x.add(9)


CHANGES: list[tuple[Callable[[Any], None], Callable[[], Any]]] = [
    (unsqueezes, lambda: torch.ones(3)),
    (detaches, lambda: torch.ones(3, requires_grad=True) * 2),
    (through_data, lambda: torch.ones(3, requires_grad=True)),
    (asks_for_a_gradient, lambda: torch.ones(3)),
    (puts_into_a_list, lambda: [[1], [2]]),
    (changes_an_item, lambda: {"a": torch.ones(2)}),
    (adds_to_a_set, lambda: {1, 2}),
]


class TestSeen:
    @pytest.mark.parametrize(("change", "make"), CHANGES, ids=[change.__name__ for change, _ in CHANGES])
    def test_change_of_an_argument(self, change, make):
        changed: list[str] = []
        guarded("thing", lambda first, second: change(second), changed)(make(), make())
        assert changed == ["second"]

    @pytest.mark.parametrize("make", [make for _, make in CHANGES])
    def test_nothing_where_nothing_changed(self, make):
        changed: list[str] = []
        guarded("thing", lambda first: first, changed)(first=make())
        assert changed == []

    def test_not_a_number_is_as_it_was(self):
        changed: list[str] = []
        guarded("thing", lambda x: x + 1, changed)(torch.tensor([float("nan"), 1.0]))
        assert changed == []

    def test_method_of_a_class_and_not_the_object_itself(self):
        class Layer(nn.Module):
            def __init__(self, size: int) -> None:
                super().__init__()
                self.weight, self.calls = nn.Parameter(torch.ones(size)), 0

            def forward(self, x: Tensor, mask: Tensor) -> Tensor:
                self.calls += 1
                mask.logical_not_()
                return x * self.weight

        changed: list[str] = []
        layer = guarded("Layer", Layer, changed)(3)
        assert isinstance(layer, Layer)
        layer(torch.ones(3), torch.ones(3, dtype=torch.bool))
        assert (changed, layer.calls) == (["mask"], 1)

    def test_name_with_an_underscore_at_its_end_may_change_its_arguments(self):
        changed: list[str] = []
        guarded("thing_", lambda x: x.add_(1), changed)(torch.ones(2))
        assert changed == []


def exercise(*flags: dict[str, Any]) -> ExerciseChecks:
    """An exercise with a check for each of these, every one with a probe of its own."""
    checks = [
        Check("thing", str(i), Probe("thing", f"p{i}", lambda *_: None, 1), 1, "a hint", near, **flag)
        for i, flag in enumerate(flags)
    ]
    return ExerciseChecks("chapter", Exercise("thing", "a thing", 5, 1), tuple(checks))


def near(got: Any, want: Any) -> Verdict:
    return passed() if got == want else failed("another number")


def missed(found: ExerciseChecks, *got: Any) -> dict[str, str]:
    outcomes = judge_exercise(
        found, {f"thing.p{i}": [answer] for i, answer in enumerate(got)}, {f"thing.p{i}": [1] for i in range(len(got))}
    )
    return {outcome.name: outcome.message for outcome in outcomes if outcome.status is not Status.PASSED}


class TestCosts:
    def test_the_first_check_that_saw_it(self):
        found = missed(exercise({}, {}, {}), 1, Changed(1, "mask"), Changed(1, "mask"))
        assert found.keys() == {"1"}
        assert "changed its argument `mask`" in found["1"]

    def test_the_check_for_arguments_whichever_saw_it(self):
        found = missed(exercise({}, {"arguments": True}, {}), Changed(1, "mask"), 1, 2)
        assert found.keys() == {"1", "2"}
        assert "changed its argument `mask`" in found["1"]

    def test_nothing_more_where_a_visible_check_is_missed(self):
        assert missed(exercise({}, {}), Changed(1, "mask"), 2) == {"1": "another number"}
        assert missed(exercise({}, {"hidden": True}), Changed(1, "mask"), 2).keys() == {"0", "1"}

    def test_no_more_than_the_failure_of_a_call(self):
        failure = Failure(Status.ERROR, "it raised")
        assert missed(exercise({}, {}), Changed(1), failure) == {"1": "it raised"}

    def test_name_is_left_out_where_it_is_not_known(self):
        assert "changed an argument" in missed(exercise({}), Changed(1))["0"]
