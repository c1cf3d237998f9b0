"""Sweeps: rows are made once, kept when a run is stopped, and made again when what made them has changed."""

import json
from pathlib import Path

import pytest

from autograder.house import House
from autograder.weaving.sources import source_hashes
from autograder.weaving.sweeps import make_sweep, stale_sweep, sweep_chapters
from seqlab import stored

HOUSE = House(Path(__file__).resolve().parent.parent)
SWEEP = """
from pathlib import Path
from .model import score

NAME = "toy"
SETTINGS = {"steps": 3}
VARIANTS = ("plain", "fancy")
SEEDS = (0, 1)

def run(variant, seed):
    if (Path(__file__).parent / f"broken-{variant}-{seed}").exists():
        raise RuntimeError("stopped")
    with (Path(__file__).parent / "runs").open("a") as file:
        file.write(f"{variant} {seed}\\n")
    return {"score": score(seed)}
"""


@pytest.fixture
def house(tmp_path: Path) -> House:
    found = House(tmp_path)
    folder = found.solutions / "ch98_toy"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "model.py").write_text("def score(seed):\n    return seed + 1\n")
    found.sweep("ch98_toy").write_text(SWEEP)
    return found


def sweep(house: House) -> list[str]:
    """Make the toy sweep; what was run for it."""
    runs = house.solutions / "ch98_toy" / "runs"
    runs.unlink(missing_ok=True)
    make_sweep(house, "ch98_toy", lambda _: None, workers=1)
    return sorted(runs.read_text().splitlines()) if runs.exists() else []


def rows(house: House) -> list[dict]:
    return json.loads(house.table("toy").read_text())["rows"]


class TestMaking:
    def test_makes_a_row_for_each_variant_and_seed_and_none_twice(self, house):
        assert sweep_chapters(house) == ["ch98_toy"]
        assert sweep(house) == ["fancy 0", "fancy 1", "plain 0", "plain 1"]
        assert rows(house) == [
            {"variant": variant, "seed": seed, "score": seed + 1} for variant in ("plain", "fancy") for seed in (0, 1)
        ]
        assert stale_sweep(house, "ch98_toy") == []
        before = house.table("toy").read_bytes()
        path = house.solutions / "ch98_toy" / "model.py"
        path.write_text('"""Said better."""\n\n\ndef score(seed):\n    """The score."""\n    return seed + 1  # one\n')
        assert stale_sweep(house, "ch98_toy") == []
        assert sweep(house) == []
        assert house.table("toy").read_bytes() == before

    def test_goes_on_where_it_was_stopped(self, house):
        broken = house.solutions / "ch98_toy" / "broken-fancy-1"
        broken.touch()
        with pytest.raises(RuntimeError, match="stopped"):
            sweep(house)
        made = len(rows(house))
        assert 1 <= made <= 3
        assert any("rows are missing" in line for line in stale_sweep(house, "ch98_toy"))
        broken.unlink()
        assert len(sweep(house)) == 4 - made
        assert stale_sweep(house, "ch98_toy") == []

    def test_a_change_of_what_made_it_makes_it_stale_and_all_rows_anew(self, house):
        sweep(house)
        (house.solutions / "ch98_toy" / "model.py").write_text("def score(seed):\n    return seed + 2\n")
        assert stale_sweep(house, "ch98_toy") == ["toy: solutions/ch98_toy/model.py has changed"]
        assert len(sweep(house)) == 4
        assert {row["score"] for row in rows(house)} == {2, 3}
        house.sweep("ch98_toy").write_text(SWEEP.replace('"steps": 3', '"steps": 4'))
        assert stale_sweep(house, "ch98_toy") == ["toy: solutions/ch98_toy/sweep.py has changed"]

    def test_another_seed_asks_for_its_own_rows_alone(self, house):
        sweep(house)
        house.sweep("ch98_toy").write_text(SWEEP.replace("(0, 1)", "(1, 2)"))
        assert stale_sweep(house, "ch98_toy") == ["toy: 2 of 4 rows are missing"]
        assert sweep(house) == ["fancy 2", "plain 2"]
        assert {row["seed"] for row in rows(house)} == {1, 2}


class TestStored:
    @pytest.mark.parametrize("chapter", sweep_chapters(HOUSE))
    def test_tables_are_those_of_todays_sources(self, chapter):
        assert stale_sweep(HOUSE, chapter) == []

    def test_tables_are_small(self):
        assert all(path.stat().st_size < 100_000 for path in stored.FOLDER.glob("*.json"))

    def test_a_chapter_depends_on_the_table_that_it_loads(self):
        chapter = sweep_chapters(HOUSE)[0]
        code = 'rows = load_table("attention")'
        assert "notebooks/seqlab/stored/attention.json" in source_hashes(HOUSE, chapter, [code])
        assert "notebooks/seqlab/stored/attention.json" not in source_hashes(HOUSE, chapter, ["rows = []"])

    def test_an_unknown_table_is_told_with_those_that_there_are(self):
        with pytest.raises(ValueError, match="no stored table 'nothing'.*attention"):
            stored.load_table("nothing")
