"""Sweeps: rows are made once, kept when a run is stopped, and made again when what made them has changed."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from typer.testing import CliRunner

from autograder.building.sources import source_hashes
from autograder.building.sweeps import make_sweep, stale_sweep
from autograder.checkout import Checkout
from autograder.cli import app
from seqlab import stored
from seqlab.convergence import LOOKS, is_learning

CHECKOUT = Checkout(Path(__file__).resolve().parent.parent)
SWEEP = """
import torch
from functools import cache
from pathlib import Path
from ..model import score

SETTINGS = {"steps": 3}
VARIANTS = ("plain", "fancy")
SEEDS = (0, 1)

@cache
def note_start():
    with (Path(__file__).parent.parent / "loaded").open("a") as file:
        file.write("once\\n")

def run(variant, seed):
    note_start()
    if (Path(__file__).parent.parent / f"broken-{variant}-{seed}").exists():
        raise RuntimeError("stopped")
    with (Path(__file__).parent.parent / "runs").open("a") as file:
        file.write(f"{variant} {seed}\\n")
    return {"score": score(seed)}, {"weight": torch.full((2,), score(seed))} if variant == "plain" else {}
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A toy chapter whose sweep has been run."""
    found = Checkout(tmp_path_factory.mktemp("made"))
    folder = found.solutions / "ch98_toy"
    (folder / "sweeps").mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "model.py").write_text("def score(seed):\n    return seed + 1\n")
    toy(found).write_text(SWEEP)
    assert sweep(found) == ["fancy 0", "fancy 1", "plain 0", "plain 1"]
    return found


@pytest.fixture
def checkout(made: Checkout, tmp_path: Path) -> Checkout:
    """A copy of it."""
    return Checkout(shutil.copytree(made.root, tmp_path / "checkout"))


def toy(checkout: Checkout) -> Path:
    """The toy sweep's module."""
    return checkout.solutions / "ch98_toy" / "sweeps" / "toy.py"


def sweep(checkout: Checkout) -> list[str]:
    """Make the toy sweep; what was run for it."""
    runs = checkout.solutions / "ch98_toy" / "runs"
    runs.unlink(missing_ok=True)
    make_sweep(checkout, toy(checkout), lambda _: None, workers=1)
    return sorted(runs.read_text().splitlines()) if runs.exists() else []


def rows(checkout: Checkout) -> list[dict]:
    return json.loads(checkout.table("toy").read_text())["rows"]


class TestMaking:
    def test_makes_a_row_for_each_variant_and_seed_and_none_twice(self, checkout):
        assert checkout.sweeps() == [toy(checkout)]
        assert [(row["variant"], row["seed"], row["score"]) for row in rows(checkout)] == [
            (variant, seed, seed + 1) for variant in ("plain", "fancy") for seed in (0, 1)
        ]
        assert stale_sweep(checkout, toy(checkout)) == []
        before = checkout.table("toy").read_bytes()
        path = checkout.solutions / "ch98_toy" / "model.py"
        path.write_text('"""Said better."""\n\n\ndef score(seed):\n    """The score."""\n    return seed + 1  # one\n')
        assert stale_sweep(checkout, toy(checkout)) == []
        assert sweep(checkout) == []
        assert checkout.table("toy").read_bytes() == before

    def test_a_worker_loads_its_sweep_once_so_that_what_a_row_keeps_serves_the_next(self, checkout):
        checkout.table("toy").unlink()
        loaded = checkout.solutions / "ch98_toy" / "loaded"
        loaded.unlink()
        assert len(sweep(checkout)) == 4
        assert loaded.read_text() == "once\n"

    def test_goes_on_where_it_was_stopped(self, checkout):
        checkout.table("toy").unlink()
        broken = checkout.solutions / "ch98_toy" / "broken-fancy-1"
        broken.touch()
        with pytest.raises(RuntimeError, match="stopped"):
            sweep(checkout)
        made = len(rows(checkout))
        assert 1 <= made <= 3
        assert any("rows are missing" in line for line in stale_sweep(checkout, toy(checkout)))
        broken.unlink()
        assert len(sweep(checkout)) == 4 - made
        assert stale_sweep(checkout, toy(checkout)) == []

    def test_a_change_of_what_made_it_makes_it_stale_and_all_rows_anew(self, checkout):
        (checkout.solutions / "ch98_toy" / "model.py").write_text("def score(seed):\n    return seed + 2\n")
        assert stale_sweep(checkout, toy(checkout)) == ["toy: solutions/ch98_toy/model.py has changed"]
        assert len(sweep(checkout)) == 4
        assert {row["score"] for row in rows(checkout)} == {2, 3}
        toy(checkout).write_text(SWEEP.replace('"steps": 3', '"steps": 4'))
        assert stale_sweep(checkout, toy(checkout)) == ["toy: solutions/ch98_toy/sweeps/toy.py has changed"]

    def test_a_change_while_it_runs_is_refused_and_nothing_stored_from_two_sources(self, checkout):
        checkout.table("toy").unlink()

        def meddle(_: str) -> None:
            (checkout.solutions / "ch98_toy" / "model.py").write_text("def score(seed):\n    return seed + 2\n")

        with pytest.raises(ValueError, match="toy: its sources changed while it ran"):
            make_sweep(checkout, toy(checkout), meddle, workers=1)
        assert not checkout.table("toy").exists()

    def test_another_seed_asks_for_its_own_rows_alone(self, checkout):
        toy(checkout).write_text(SWEEP.replace("(0, 1)", "(1, 2)"))
        assert stale_sweep(checkout, toy(checkout)) == ["toy: 2 of 4 rows are missing"]
        assert sweep(checkout) == ["fancy 2", "plain 2"]
        assert {row["seed"] for row in rows(checkout)} == {1, 2}

    def test_a_chapter_may_have_several_sweeps(self, checkout):
        other = toy(checkout).with_name("other.py")
        other.write_text(SWEEP)
        assert checkout.sweeps("ch98_toy") == [other, toy(checkout)]
        assert stale_sweep(checkout, toy(checkout)) == []
        assert stale_sweep(checkout, other) == ["other: there is no stored table; run `make sweeps`"]
        make_sweep(checkout, other, lambda _: None, workers=1)
        assert stale_sweep(checkout, other) == []

    def test_a_sweep_whose_data_are_not_installed_says_so_and_the_next_one_is_made(self, checkout):
        checkout.table("toy").unlink()
        other = toy(checkout).with_name("other.py")
        other.write_text(SWEEP.replace("    note_start()\n", '    raise ValueError("it is not installed")\n'))
        result = CliRunner().invoke(app, ["sweeps", "--course", str(checkout.root), "--workers", "1"])
        assert (result.exit_code, result.output.count("it is not installed")) == (1, 1)
        assert not checkout.table("other").exists()
        assert len(rows(checkout)) == 4

    def test_says_how_long_its_rows_took_as_far_as_that_is_stored(self, checkout):
        said: list[str] = []
        assert all(row["took"] >= 0 for row in rows(checkout))
        make_sweep(checkout, toy(checkout), said.append, workers=1)
        assert said == ["toy: all 4 rows are stored, 0 minutes of computing"]
        table = json.loads(checkout.table("toy").read_text())
        del table["rows"][0]["took"]
        checkout.table("toy").write_text(json.dumps(table))
        make_sweep(checkout, toy(checkout), said.append, workers=1)
        assert said[1:] == ["toy: all 4 rows are stored, 3 of them with their time, 0 minutes of computing"]

    def test_weights_are_stored_beside_the_table_in_half_precision(self, checkout):
        for seed in (0, 1):
            stored_weight = load_file(checkout.weights("toy", "plain", seed))["weight"]
            assert stored_weight.dtype == torch.float16
            assert stored_weight.tolist() == [seed + 1] * 2
        assert not checkout.weights("toy", "fancy", 0).exists()
        assert ["weights" in row for row in rows(checkout)] == [True, True, False, False]

    def test_a_row_whose_weights_are_gone_or_changed_is_made_again(self, checkout):
        checkout.weights("toy", "plain", 0).unlink()
        checkout.weights("toy", "plain", 1).write_bytes(b"changed")
        assert stale_sweep(checkout, toy(checkout)) == ["toy: 2 of 4 rows are missing"]
        assert sweep(checkout) == ["plain 0", "plain 1"]
        assert stale_sweep(checkout, toy(checkout)) == []


class TestStored:
    @pytest.mark.parametrize("path", CHECKOUT.sweeps(), ids=lambda path: path.stem)
    def test_tables_are_those_of_todays_sources(self, path):
        assert stale_sweep(CHECKOUT, path) == []

    def test_tables_and_weights_are_small(self):
        assert all(path.stat().st_size < 300_000 for path in stored.FOLDER.glob("*.json"))
        assert all(path.stat().st_size < 4_000_000 for path in stored.FOLDER.glob("*.safetensors"))

    def test_weights_are_loaded_in_single_precision(self, checkout, monkeypatch):
        monkeypatch.setattr(stored, "FOLDER", checkout.table("toy").parent)
        weight = stored.load_weights("toy", "plain", 1)["weight"]
        assert weight.dtype == torch.float32
        assert weight.tolist() == [2, 2]
        with pytest.raises(ValueError, match="no stored weights 'toy-fancy-0'.*toy-plain-0"):
            stored.load_weights("toy", "fancy", 0)

    def test_a_chapter_depends_on_the_table_that_it_loads(self):
        chapter = CHECKOUT.sweeps()[0].parent.parent.name
        code = 'rows = load_weights("attention", "none", 0) if later else load_table("attention")'
        assert "notebooks/seqlab/stored/attention.json" in source_hashes(CHECKOUT, chapter, [code])
        assert "notebooks/seqlab/stored/attention.json" not in source_hashes(CHECKOUT, chapter, ["rows = []"])

    def test_a_chapter_whose_table_is_missing_is_told_what_to_run(self):
        with pytest.raises(ValueError, match="loads the stored table 'nothing'.*make sweeps"):
            source_hashes(CHECKOUT, CHECKOUT.sweeps()[0].parent.parent.name, ['load_table("nothing")'])

    def test_an_unknown_table_is_told_with_those_that_there_are(self):
        with pytest.raises(ValueError, match="no stored table 'nothing'.*attention"):
            stored.load_table("nothing")


EARLIER = {
    "gpt",
    "pictures",
    "post_base",
    "post_instruct",
    "post_replay",
}
"""Tables whose learning rates were tuned on a fixed grid, where the best one may be the highest or the lowest. Their chapters compare with care."""
TABLES = {path.stem: stored.load_table(path.stem) for path in sorted(stored.FOLDER.glob("*.json"))}


def at_the_edge(rows: list[dict]) -> list[str]:
    """The runs whose learning rate is the highest or the lowest that was tried for them."""
    grids = [(row, [float(rate) for rate in row["tuning"]]) for row in rows if "rate" in row and "tuning" in row]
    return [f"{row['variant']}, seed {row['seed']}" for row, grid in grids if row["rate"] in (min(grid), max(grid))]


class TestConverged:
    @pytest.mark.parametrize("name", sorted(TABLES.keys() - EARLIER))
    def test_the_best_rate_lies_between_two_others(self, name):
        assert at_the_edge(TABLES[name]) == []

    @pytest.mark.parametrize("name", sorted(EARLIER))
    def test_no_table_is_excused_that_need_not_be(self, name):
        assert at_the_edge(TABLES[name])

    @pytest.mark.parametrize(
        "name", [name for name, rows in TABLES.items() if "held_out" in rows[0] and "curve" in rows[0]]
    )
    def test_no_run_that_is_compared_was_still_learning(self, name):
        runs = [row for row in TABLES[name] if len(row.get("curve", [])) == LOOKS]
        assert [f"{row['variant']}, seed {row['seed']}" for row in runs if is_learning(row["curve"])] == []
