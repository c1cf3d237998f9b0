"""A chapter's number stands in its name and nowhere else: who puts a chapter in between renames, and changes no text."""

import re
import subprocess
from pathlib import Path

import pytest

from autograder.building.numbers import number_of, reference
from autograder.building.plain_markdown import Plain, PlainError
from autograder.building.rename import rename, tracked
from autograder.building.sources import source_hashes
from autograder.checkout import Checkout
from autograder.declare import chapters, load_exercises

ROOT = Path(__file__).parent.parent
_TYPED = re.compile(r"\b[Cc]hapters?\s+\d")
_TEXTS = (".md", ".py", ".toml", ".yml")


class TestRoles:
    def test_a_role_is_read_as_the_number_in_the_chapters_name(self):
        slugs = {name.partition("_")[2]: number_of(name) for name in chapters()}
        for slug, number in slugs.items():
            assert Plain(None, {})(f"In {{chapter}}`{slug}`'s code.") == f"In chapter {number}'s code."
            assert Plain(None, {})(f"{{chapter}}`{slug.capitalize()}`") == f"Chapter {number}"
            assert Plain(None, {})(f"{{number}}`{slug}#a-section`") == str(number)

    def test_it_leads_to_the_chapter_or_to_a_section(self):
        (name,) = (name for name in chapters() if name.partition("_")[2] == "attention")
        assert (reference("chapter", "attention").chapter, reference("chapter", "attention").section) == (name, "")
        assert reference("chapter", "attention#scores").section == "scores"

    @pytest.mark.parametrize("asked", ["atention", "ch41_attention", "", "attention#", "4"])
    def test_what_names_no_chapter_is_an_error_that_names_them(self, asked):
        with pytest.raises(ValueError, match=r"names no chapter: expected one of start, .*attention"):
            reference("chapter", asked)

    def test_it_stops_the_release(self):
        with pytest.raises(PlainError, match="names no chapter"):
            Plain(None, {})("{chapter}`atention`")


def test_no_number_is_typed():
    """Not in the text, in docstrings, in messages or in what is built of them by hand."""
    own = str(Path(__file__).relative_to(ROOT))
    typed = [
        f"{file}: {match[0]!r}"
        for file in tracked(ROOT)
        if file.endswith(_TEXTS) and file != own and "stored" not in file
        for match in _TYPED.finditer((ROOT / file).read_text(encoding="utf-8"))
    ]
    assert typed == []


def test_an_old_name_is_answered_with_the_new_one():
    (name,) = (name for name in chapters() if name.partition("_")[2] == "attention")
    with pytest.raises(ValueError, match=rf"there is no chapter 'ch99_attention'; it is now called {name}"):
        load_exercises("ch99_attention")


def test_another_number_asks_for_no_new_execution(tmp_path):
    """What is stored was made from the same code, whatever number the chapter had then."""
    for name in ("ch41_apples", "ch42_apples"):
        solutions = tmp_path / name / "solutions" / name
        solutions.mkdir(parents=True)
        (solutions / "parts.py").write_text(f"from solutions.{name} import others\n")
        (tmp_path / name / "book").mkdir()
        (tmp_path / name / "book" / f"{name}.md").write_text(f"What `{name}` says.\n")
    one, other = (
        source_hashes(Checkout(tmp_path / name), name, [f"from solutions.{name} import parts"])
        for name in ("ch41_apples", "ch42_apples")
    )
    assert {path.replace("ch41", "ch42"): value for path, value in one.items()} == other
    assert len(one) == 2
    (tmp_path / "ch42_apples" / "solutions" / "ch42_apples" / "parts.py").write_text("from solutions import others\n")
    assert other != source_hashes(Checkout(tmp_path / "ch42_apples"), "ch42_apples", ["import solutions"])


class TestRename:
    @pytest.fixture
    def clone(self, tmp_path: Path) -> Path:
        """Two chapters, each with a package that imports it, and a test of its name."""
        for name in ("ch41_apples", "ch42_pears"):
            (tmp_path / "solutions" / name).mkdir(parents=True)
            (tmp_path / "solutions" / name / "__init__.py").write_text(f"from solutions.{name} import parts\n")
            (tmp_path / "tests").mkdir(exist_ok=True)
            (tmp_path / "tests" / f"test_{name}.py").write_text(f'NAME = "{name}"  # not x{name} nor {name}_too\n')
        (tmp_path / "weights.bin").write_bytes(b"\xff\xfech41_apples")
        subprocess.run(["git", "init", "-q"], check=True, cwd=tmp_path)
        subprocess.run(["git", "add", "-A"], check=True, cwd=tmp_path)
        return tmp_path

    def test_names_move_up_all_at_once(self, clone):
        assert rename(clone, {"ch41_apples": "ch42_apples", "ch42_pears": "ch43_pears"}) == 4
        assert sorted(path.name for path in (clone / "solutions").iterdir()) == ["ch42_apples", "ch43_pears"]
        said = (clone / "solutions" / "ch43_pears" / "__init__.py").read_text()
        assert said == "from solutions.ch43_pears import parts\n"
        text = (clone / "tests" / "test_ch42_apples.py").read_text()
        assert text == 'NAME = "ch42_apples"  # not xch41_apples nor ch41_apples_too\n'
        assert (clone / "weights.bin").read_bytes() == b"\xff\xfech41_apples"

    @pytest.mark.parametrize(
        ("names", "told"),
        [
            ({"ch44_plums": "ch45_plums"}, "there is no chapter 'ch44_plums'"),
            ({"ch41_apples": "apples"}, "'apples' is not the name of a chapter"),
            ({"ch41_apples": "ch42_pears"}, "two chapters would be called ch42_pears"),
        ],
    )
    def test_what_cannot_be_leaves_everything_as_it_was(self, clone, names, told):
        with pytest.raises(ValueError, match=told):
            rename(clone, names)
        assert subprocess.run(["git", "diff", "--quiet"], cwd=clone, check=False).returncode == 0
