"""Rows of handwritten digits: what is promised of them, and that the sweeps' rows on them do not depend on each other."""

import importlib
from collections import Counter
from itertools import chain
from pathlib import Path

import pytest
import torch

from autograder.judging.reference import load_reference
from seqlab.number_rows import HEIGHT, compose_row, load_number_rows
from seqlab.numbers import number_words
from seqlab.scenes import Scenes, split_digits

SOLUTIONS = Path(__file__).resolve().parent.parent / "solutions"


@pytest.fixture(scope="module")
def rows() -> Scenes:
    return load_number_rows(train=2_000, valid=40, test=200)


def test_each_is_a_row_with_the_reading_of_its_number(rows: Scenes) -> None:
    for row in chain(rows.train, rows.valid, rows.test, rows.unseen):
        assert row.pixels.shape == (3, HEIGHT, 3 * HEIGHT)
        assert row.references == [number_words(int(row.name))]
        empty = row.pixels[:, :, len(row.name) * HEIGHT :]
        assert not empty.any()
        assert torch.equal(row.pixels[0], row.pixels[2])
    assert rows.batch(rows.test[:5]).pictures.shape == (5, 3, 16, 48)


def test_two_and_three_digits_are_as_frequent(rows: Scenes) -> None:
    assert Counter(len(row.name) for row in rows.train) == {2: 1_000, 3: 1_000}
    assert {len(row.name) for row in rows.unseen} == {3}


def test_unseen_numbers_are_in_no_other_set_and_their_words_are_known(rows: Scenes) -> None:
    unseen = {row.name for row in rows.unseen}
    assert not unseen & {row.name for row in chain(rows.train, rows.valid, rows.test)}
    assert all(word in rows.vocab.words for row in rows.unseen for word in row.references[0])


def test_tests_are_in_another_handwriting() -> None:
    learnt, valid, held_out = (set(chain(*part)) for part in split_digits(0))
    assert not learnt & valid and not learnt & held_out and not valid & held_out

    class Chooser:
        """Notes from what it chose."""

        def __init__(self) -> None:
            self.seen: set[int] = set()

        def randint(self, low: int, high: int) -> int:
            return low

        def choice(self, images: tuple[int, ...]) -> int:
            self.seen.add(images[0])
            return images[0]

    chooser = Chooser()
    compose_row(407, split_digits(0)[2], chooser)  # type: ignore[arg-type]
    assert chooser.seen <= held_out


def test_the_seed_decides_and_sizes_do_not_change_what_comes_first(rows: Scenes) -> None:
    few = load_number_rows(train=10, valid=2, test=4)
    assert [row.name for row in few.train] == [row.name for row in rows.train[:10]]
    assert all(torch.equal(one.pixels, other.pixels) for one, other in zip(few.unseen, rows.unseen, strict=False))
    assert [row.name for row in load_number_rows(seed=1, train=10).train] != [row.name for row in few.train]


@pytest.mark.parametrize(("sizes", "told"), [({"train": 0}, "train is 0"), ({"test": -1}, "test is -1")])
def test_what_cannot_be_composed_is_refused(sizes: dict, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        load_number_rows(**sizes)


def test_a_row_of_a_sweep_does_not_depend_on_the_rows_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEQLAB_BUDGET", "smoke")

    def load():
        package = load_reference(SOLUTIONS, "ch11_pictures")
        sweep = importlib.import_module(f"{package.__name__}.sweeps.pictures_numbers")
        sweep.SETTINGS |= {"train": 200, "test": 40}
        return sweep

    alone, _ = load().run("grid", 1)
    sweep = load()
    _, weights = sweep.run("grid", 0)
    assert weights
    assert sweep.run("grid", 1) == (alone, {})
