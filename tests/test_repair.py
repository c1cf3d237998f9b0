"""Whatever is handed in, a notebook in the shape of the release comes of it, with every answer that can be found."""

import base64
import copy
import json
import os
import random
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nbformat import NotebookNode
from nbgrader.nbgraderformat import MetadataValidator

from autograder.building.weave import is_written, split_written, weave, written_id
from autograder.checkout import Checkout
from autograder.grading.repair import MAX_BYTES, MAX_PICTURES, MAX_TEXT, Repaired, read_submission
from autograder.samples.seeds import drawn

CHAPTER = "ch03_seq2seq"
WRITTEN = written_id(CHAPTER)
WOVEN = weave(Checkout(Path(__file__).resolve().parent.parent), CHAPTER)
PLACE = "*Write here.*"
STUB = re.compile(r"^( *)### BEGIN SOLUTION\n.*?### END SOLUTION", re.MULTILINE | re.DOTALL)
Tree = dict[str, Any]


def mark_of(cell: Any) -> str:
    """The name that nbgrader gave a cell, or an empty string."""
    metadata = cell.get("metadata")
    mark = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    name = mark.get("grade_id") if isinstance(mark, dict) else None
    return name if isinstance(name, str) else ""


def _released() -> NotebookNode:
    """The chapter as a class is given it; of the cells that have no name those are left that stand beside one that has."""
    notebook = copy.deepcopy(WOVEN)
    del notebook.metadata["course"]
    named = ["", *map(mark_of, notebook.cells), ""]
    notebook.cells = [cell for at, cell in enumerate(notebook.cells) if any(named[at : at + 3])]
    for cell in notebook.cells:
        cell.source = STUB.sub(r"\1raise NotImplementedError", cell.source)
        if is_written(cell):
            cell.source = f"{split_written(cell.source)[0]}\n\n{PLACE}"
    return notebook


RELEASED = _released()
OURS = {mark_of(cell): cell for cell in RELEASED.cells if mark_of(cell)}
LOCKED = [name for name, cell in OURS.items() if not cell.metadata.nbgrader.solution]
ANSWERS = {mark_of(c): f"{c.source}\n# mine" for c in WOVEN.cells if c.metadata.get("nbgrader", {}).get("solution")}
ANSWERS[WRITTEN] = OURS[WRITTEN].source.replace(PLACE, "The articles have none.\n\n- It looks at the end.")
EXERCISES = [name for name in ANSWERS if name != WRITTEN]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def filled() -> Tree:
    """A submission with every answer, as plain data."""
    tree: Tree = json.loads(nbformat.writes(RELEASED))
    for cell in tree["cells"]:
        cell["source"] = ANSWERS.get(mark_of(cell), "".join(cell["source"]))
    return tree


def cell_of(tree: Tree, name: str) -> Tree:
    found: Tree = next(cell for cell in tree["cells"] if mark_of(cell) == name)
    return found


def code(source: str, **more: Any) -> Tree:
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None, **more}


def text(source: str) -> Tree:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def written_in(repaired: Repaired) -> NotebookNode:
    return next(cell for cell in repaired.notebook.cells if mark_of(cell) == WRITTEN)


@pytest.fixture
def read(tmp_path: Path) -> Iterator[Callable[..., Repaired]]:
    """Reads a submission and holds what is true of every one."""
    yield lambda content: sound(tmp_path / "work.ipynb", content)


@pytest.fixture(autouse=True)
def never_hangs() -> Iterator[None]:
    """A minute is enough for any test here."""
    signal.alarm(60)
    yield
    signal.alarm(0)


def sound(path: Path, content: Any) -> Repaired:
    """Read a submission and hold that what comes of it can be graded, and needs no more repair."""
    given_before = copy.deepcopy(RELEASED)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    repaired = read_submission(path, RELEASED)
    holds_release(repaired)
    assert given_before == RELEASED
    path.write_text(nbformat.writes(repaired.notebook))
    again = read_submission(path, RELEASED)
    assert again.problems == []
    assert again.notebook == repaired.notebook
    return repaired


def holds_release(repaired: Repaired) -> None:
    notebook = repaired.notebook
    nbformat.validate(notebook)
    assert [mark_of(cell) for cell in notebook.cells if mark_of(cell)] == list(OURS)
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)
    for cell in notebook.cells:
        assert bool(mark_of(cell)) == ("nbgrader" in cell.metadata)
        if mark_of(cell):
            given = OURS[mark_of(cell)]
            assert (cell.metadata, cell.cell_type, cell.id) == (given.metadata, given.cell_type, given.id)
            assert cell.cell_type == "markdown" or "attachments" not in cell
            assert mark_of(cell) in ANSWERS or cell.source == given.source
    for problem in repaired.problems:
        assert re.fullmatch(r"[a-z0-9].{10,150}[^.\s]", problem), problem
        assert not re.search(r"Error|Exception|Traceback|None|NotebookNode", problem)


def answers_in(repaired: Repaired) -> dict[str, str]:
    return {mark_of(cell): cell.source for cell in repaired.notebook.cells if mark_of(cell) in ANSWERS}


class TestUntouched:
    def test_what_is_given_out_is_what_nbgrader_expects(self):
        """So is all that is repaired: its marks are the same."""
        MetadataValidator().validate_nb(copy.deepcopy(RELEASED))

    def test_answers_come_through_without_a_word(self, read):
        repaired = read(filled())
        assert repaired.problems == []
        assert answers_in(repaired) == ANSWERS
        assert [cell.source for cell in repaired.notebook.cells] == [cell["source"] for cell in filled()["cells"]]

    def test_release_itself_is_a_submission(self, read):
        repaired = read(json.loads(nbformat.writes(RELEASED)))
        assert repaired.problems == []
        assert [c.source for c in repaired.notebook.cells] == [c.source for c in RELEASED.cells]

    def test_cells_of_the_students_own_stay_where_they_are(self, read):
        tree = filled()
        at = tree["cells"].index(cell_of(tree, "shift_right-answer"))
        tree["cells"].insert(at, code("import math", id="own"))
        repaired = read(tree)
        assert repaired.problems == []
        assert [c.source for c in repaired.notebook.cells][at : at + 2] == [
            "import math",
            ANSWERS["shift_right-answer"],
        ]


@pytest.mark.parametrize("name", EXERCISES)
class TestAnswers:
    def test_deleted_is_put_back_empty(self, read, name):
        tree = filled()
        tree["cells"].remove(cell_of(tree, name))
        repaired = read(tree)
        assert answers_in(repaired) == {**ANSWERS, name: OURS[name].source}
        assert f"{name} was deleted" in " ".join(repaired.problems)

    @pytest.mark.parametrize("empty", ["", " \n", "stub", "stub\n"])
    @pytest.mark.parametrize("filled_first", [True, False])
    def test_duplicated_and_one_of_them_filled(self, read, name, empty, filled_first):
        tree = filled()
        cell = cell_of(tree, name)
        other = {**cell, "id": "copy", "source": empty.replace("stub", OURS[name].source)}
        tree["cells"].insert(tree["cells"].index(cell) + filled_first, other)
        repaired = read(tree)
        assert answers_in(repaired) == ANSWERS
        assert f"{name} occurs 2 times" in " ".join(repaired.problems)
        assert sum("raise NotImplementedError" in c.source for c in repaired.notebook.cells) == 0

    def test_duplicated_and_both_filled_the_last_counts(self, read, name):
        tree = filled()
        cell = cell_of(tree, name)
        tree["cells"].append({**cell, "id": "copy", "source": cell["source"] + "\n# better"})
        repaired = read(tree)
        assert answers_in(repaired)[name] == ANSWERS[name] + "\n# better"
        assert ANSWERS[name] in [c.source for c in repaired.notebook.cells]
        assert "2 times" in " ".join(repaired.problems)

    @pytest.mark.parametrize("kind", ["markdown", "raw"])
    def test_retyped_is_turned_back(self, read, name, kind):
        tree = filled()
        cell = cell_of(tree, name)
        cell["cell_type"] = kind
        del cell["outputs"], cell["execution_count"]
        repaired = read(tree)
        assert answers_in(repaired) == ANSWERS
        assert f"{name} was changed to a {kind} cell" in " ".join(repaired.problems)

    @pytest.mark.parametrize("metadata", [None, [], "x", {}, {"nbgrader": None}, {"nbgrader": {"grade_id": 7}}, "gone"])
    @pytest.mark.parametrize("kind", ["code", "markdown"])
    def test_without_its_name_is_found_by_what_it_defines(self, read, name, metadata, kind):
        tree = filled()
        cell = cell_of(tree, name)
        cell |= {"metadata": metadata, "cell_type": kind}
        if metadata == "gone":
            del cell["metadata"]
        repaired = read(tree)
        assert answers_in(repaired) == ANSWERS
        assert f"{name} had lost its name" in " ".join(repaired.problems)

    def test_renamed_is_found_by_what_it_defines(self, read, name):
        tree = filled()
        cell_of(tree, name)["metadata"]["nbgrader"]["grade_id"] = "my-answer"
        repaired = read(tree)
        assert answers_in(repaired) == ANSWERS
        assert f"{name} had lost its name" in " ".join(repaired.problems)

    def test_written_into_a_cell_of_ones_own_while_the_stub_stays(self, read, name):
        tree = filled()
        cell = cell_of(tree, name)
        cell["source"] = OURS[name].source
        tree["cells"].insert(tree["cells"].index(cell), code(ANSWERS[name]))
        repaired = read(tree)
        assert answers_in(repaired) == ANSWERS
        assert f"{name} was not filled in" in " ".join(repaired.problems)

    def test_written_into_the_check_cell(self, read, name):
        tree = filled()
        cell_of(tree, name)["source"] = ""
        check = cell_of(tree, name.removesuffix("-answer"))
        check["source"] = f"{ANSWERS[name]}\n{check['source']}"
        repaired = read(tree)
        assert answers_in(repaired)[name].startswith(ANSWERS[name])
        assert len(repaired.problems) == 2


class TestWrittenAnswer:
    def test_deleted_is_put_back_empty(self, read):
        tree = filled()
        tree["cells"].remove(cell_of(tree, WRITTEN))
        repaired = read(tree)
        assert answers_in(repaired) == {**ANSWERS, WRITTEN: OURS[WRITTEN].source}
        assert repaired.problems == [f"the cell {WRITTEN} was deleted; the original was restored"]

    @pytest.mark.parametrize("empty", ["", " \n", "stub", "\nstub\n"])
    def test_left_empty_is_given_back_as_it_was_given(self, read, empty):
        """nbgrader gives 0 for what is unchanged, to the letter, and lets a person read everything else."""
        tree = filled()
        cell_of(tree, WRITTEN)["source"] = empty.replace("stub", OURS[WRITTEN].source)
        repaired = read(tree)
        assert answers_in(repaired) == {**ANSWERS, WRITTEN: OURS[WRITTEN].source}
        assert repaired.problems == []

    @pytest.mark.parametrize("empty", ["", "stub"])
    @pytest.mark.parametrize("filled_first", [True, False])
    def test_duplicated_and_one_of_them_filled(self, read, empty, filled_first):
        tree = filled()
        cell = cell_of(tree, WRITTEN)
        other = {**cell, "id": "copy", "source": empty.replace("stub", OURS[WRITTEN].source)}
        tree["cells"].insert(tree["cells"].index(cell) + filled_first, other)
        repaired = read(tree)
        assert answers_in(repaired) == ANSWERS
        assert repaired.problems == [f"the cell {WRITTEN} occurs 2 times; the last one that was filled in was graded"]
        assert [c.source for c in repaired.notebook.cells].count(OURS[WRITTEN].source) == 0

    def test_duplicated_and_both_filled_the_last_counts_and_the_other_stays_to_be_read(self, read):
        tree = filled()
        cell = cell_of(tree, WRITTEN)
        tree["cells"].append({**cell, "id": "copy", "source": cell["source"] + "\nOr do they?"})
        repaired = read(tree)
        assert answers_in(repaired)[WRITTEN] == ANSWERS[WRITTEN] + "\nOr do they?"
        assert ANSWERS[WRITTEN] in [c.source for c in repaired.notebook.cells]

    @pytest.mark.parametrize("kind", ["code", "raw"])
    def test_retyped_is_turned_back(self, read, kind):
        tree = filled()
        cell_of(tree, WRITTEN)["cell_type"] = kind
        repaired = read(tree)
        assert answers_in(repaired) == ANSWERS
        assert repaired.problems == [f"the cell {WRITTEN} was changed to a {kind} cell; it was changed back"]

    def test_edited_metadata_change_nothing(self, read):
        tree = filled()
        cell_of(tree, WRITTEN)["metadata"]["nbgrader"] |= {
            "points": 500,
            "locked": True,
            "solution": False,
            "grade": False,
        }
        repaired = read(tree)
        assert repaired.problems == []
        assert answers_in(repaired) == ANSWERS

    @pytest.mark.parametrize("metadata", [None, [], {}, {"nbgrader": None}, {"nbgrader": {"grade_id": "mine"}}])
    @pytest.mark.parametrize("kind", ["markdown", "code"])
    @pytest.mark.parametrize("without", ["id", "question"])
    def test_without_its_name_is_found_by_its_id_or_the_question(self, read, metadata, kind, without):
        tree = filled()
        cell = cell_of(tree, WRITTEN)
        cell |= {"metadata": metadata, "cell_type": kind}
        if without == "id":
            cell["id"] = "another"
        else:
            cell["source"] = "The articles have none."
        repaired = read(tree)
        assert answers_in(repaired) == {**ANSWERS, WRITTEN: cell["source"]}
        assert f"{WRITTEN} had lost its name; it was found by its text" in " ".join(repaired.problems)

    @pytest.mark.parametrize("between", [[], [""]])
    def test_written_into_cells_behind_is_taken_from_there(self, read, between):
        tree = filled()
        cell = cell_of(tree, WRITTEN)
        cell["source"] = OURS[WRITTEN].source
        at = tree["cells"].index(cell) + 1
        own = [text(source) for source in [*between, "The articles.", "They have *none*."]]
        own[-1]["attachments"] = {"map.png": {"image/png": PIXEL}}
        tree["cells"][at:at] = own
        repaired = read(tree)
        given = OURS[WRITTEN].source
        assert answers_in(repaired)[WRITTEN] == f"{given}\n\nThe articles.\n\nThey have *none*."
        assert written_in(repaired).attachments == {"map.png": {"image/png": PIXEL}}
        assert repaired.problems == [f"the answer {WRITTEN} was written in a later cell; it was taken from there"]

    def test_written_in_place_of_the_cell_is_taken_from_there(self, read):
        tree = filled()
        at = tree["cells"].index(cell_of(tree, WRITTEN))
        tree["cells"][at] = text("The articles have none.")
        repaired = read(tree)
        assert answers_in(repaired)[WRITTEN] == f"{OURS[WRITTEN].source}\n\nThe articles have none."
        assert sum("The articles have none." in c.source for c in repaired.notebook.cells) == 1

    def test_what_is_ours_behind_it_is_no_answer(self, read):
        for change in (lambda cell: cell, lambda cell: {**cell, "source": cell["source"] + " Indeed."}):
            tree = filled()
            cell = cell_of(tree, WRITTEN)
            cell["source"] = OURS[WRITTEN].source
            at = tree["cells"].index(cell) + 1
            if at < len(tree["cells"]):
                tree["cells"][at] = change(tree["cells"][at])
            repaired = read(tree)
            assert answers_in(repaired)[WRITTEN] == OURS[WRITTEN].source
            assert repaired.problems == []

    def test_very_long_one_is_cut_off(self, read):
        tree = filled()
        cell_of(tree, WRITTEN)["source"] += "x" * (2 << 20)
        repaired = read(tree)
        assert answers_in(repaired)[WRITTEN].startswith(ANSWERS[WRITTEN])
        assert len(answers_in(repaired)[WRITTEN]) == 1 << 20
        assert repaired.problems == ["a cell of text is longer than 1 MB; the rest of it was cut off"]

    def test_pasted_pictures_are_kept(self, read):
        tree = filled()
        cell = cell_of(tree, WRITTEN)
        cell["source"] += "\n\n![my map](attachment:map.png)"
        cell["attachments"] = {"map.png": {"image/png": PIXEL}}
        repaired = read(tree)
        assert repaired.problems == []
        assert written_in(repaired).attachments == cell["attachments"]
        assert base64.b64decode(PIXEL).startswith(b"\x89PNG")

    @pytest.mark.parametrize("kind", ["image/gif", "image/webp", "image/jpeg"])
    def test_pasted_pictures_of_other_kinds_and_in_lines_are_kept(self, read, kind):
        tree = filled()
        cell_of(tree, WRITTEN)["attachments"] = {"map": {kind: f"{PIXEL[:40]}\n{PIXEL[40:]}\n"}}
        assert written_in(read(tree)).attachments == {"map": {kind: PIXEL}}

    @pytest.mark.parametrize(
        "attachments",
        [
            None,
            [],
            "x",
            {"map.png": None},
            {"map.png": {"image/png": 3}},
            {"map.png": {"image/png": '"><script>'}},
            {"map.svg": {"image/svg+xml": PIXEL}},
            {"map\ud800.png": {"image/png": PIXEL}},
        ],
    )
    def test_what_is_no_picture_is_left_out(self, read, attachments):
        tree = filled()
        cell_of(tree, WRITTEN)["attachments"] = attachments
        repaired = read(tree)
        assert answers_in(repaired) == ANSWERS
        assert "attachments" not in written_in(repaired)


class TestOurCells:
    @pytest.mark.parametrize("name", LOCKED)
    def test_changed_is_put_back_and_what_was_written_stays_before_it(self, read, name):
        tree = filled()
        cell_of(tree, name)["source"] += "\nimport math"
        repaired = read(tree)
        sources = [cell.source for cell in repaired.notebook.cells]
        assert sources[sources.index(OURS[name].source) - 1] == f"{OURS[name].source}\nimport math"
        assert repaired.problems == [f"the cell {name} was changed; the original was graded"]

    @pytest.mark.parametrize("name", LOCKED)
    def test_deleted_is_put_back_where_it_was(self, read, name):
        tree = filled()
        tree["cells"].remove(cell_of(tree, name))
        repaired = read(tree)
        assert answers_in(repaired) == ANSWERS
        assert repaired.problems == [f"the cell {name} was deleted; the original was restored"]

    @pytest.mark.parametrize("name", LOCKED)
    def test_duplicated_is_graded_once(self, read, name):
        tree = filled()
        tree["cells"].append({**cell_of(tree, name), "id": "copy"})
        repaired = read(tree)
        assert f"{name} occurs 2 times" in " ".join(repaired.problems)
        assert [c.source for c in repaired.notebook.cells].count(OURS[name].source) == 1

    def test_every_mark_stripped_is_still_the_same_notebook(self, read):
        tree = filled()
        for cell in tree["cells"]:
            cell["metadata"] = {}
        repaired = read(tree)
        assert [c.source for c in repaired.notebook.cells] == [c["source"] for c in tree["cells"]]
        assert answers_in(repaired) == ANSWERS
        assert len(repaired.problems) == len(OURS)

    def test_marks_that_were_edited_change_nothing(self, read):
        tree = filled()
        for cell in tree["cells"]:
            cell["metadata"].setdefault("tags", []).append("skip-execution")
            if mark_of(cell):
                cell["metadata"]["nbgrader"] |= {"points": 1e9, "solution": True, "grade": True, "locked": False}
        assert answers_in(read(tree)) == ANSWERS

    def test_moved_are_put_back_in_their_order(self, read):
        tree = filled()
        tree["cells"].reverse()
        repaired = read(tree)
        assert answers_in(repaired) == ANSWERS
        assert "cells were in a different order" in " ".join(repaired.problems)

    @pytest.mark.parametrize("ids", [["x", "x", "x"], ["shift_right"] * 3, ["a" * 50, "a" * 50 + "-2", "a" * 50]])
    def test_ids_that_clash(self, read, ids):
        tree = filled()
        tree["cells"][:0] = [code(f"a = {n}", id=name) for n, name in enumerate(ids)]
        repaired = read(tree)
        assert repaired.problems == []
        assert [c.source for c in repaired.notebook.cells[:3]] == ["a = 0", "a = 1", "a = 2"]

    @pytest.mark.parametrize("name", [None, 7, "", "a b", "é", "x" * 65, ["x"]])
    def test_ids_that_are_none(self, read, name):
        tree = filled()
        for cell in tree["cells"]:
            cell["id"] = name
        assert answers_in(read(tree)) == ANSWERS

    def test_kernel_of_another_language(self, read):
        tree = filled()
        tree["metadata"]["kernelspec"] = {"name": "julia-1.9", "language": "julia", "display_name": "Julia"}
        repaired = read(tree)
        assert repaired.notebook.metadata == {n: RELEASED.metadata[n] for n in ("kernelspec", "language_info")}
        assert "another language" in " ".join(repaired.problems)

    def test_python_under_another_name_is_not_worth_a_word(self, read):
        tree = filled()
        tree["metadata"]["kernelspec"] = {"name": ".venv", "language": "python", "display_name": ".venv (3.11)"}
        assert read(tree).problems == []

    @pytest.mark.parametrize("metadata", [None, [], {"kernelspec": 1}, {"language_info": {"name": []}}])
    def test_metadata_of_another_shape(self, read, metadata):
        assert answers_in(read({**filled(), "metadata": metadata})) == ANSWERS


class TestFormats:
    def test_third_version_is_converted(self, read):
        cells = [
            {**cell, "input": cell["source"], "outputs": [{"output_type": "pyout"}], "language": "python"}
            if cell["cell_type"] == "code"
            else cell
            for cell in filled()["cells"]
        ]
        for cell in cells:
            if cell["cell_type"] == "code":
                del cell["source"]
        heading = {"cell_type": "heading", "level": 1, "source": ["A heading"], "metadata": {}}
        repaired = read({"nbformat": 3, "metadata": {}, "worksheets": [{"cells": [heading, *cells]}, None, {}]})
        assert answers_in(repaired) == ANSWERS
        assert repaired.problems == ["the notebook was in a format from before 2015; it was converted"]
        assert repaired.notebook.cells[0].cell_type == "markdown"

    def test_minor_version_without_ids(self, read):
        tree = filled()
        for cell in tree["cells"]:
            del cell["id"]
        repaired = read({**tree, "nbformat_minor": 2})
        assert answers_in(repaired) == ANSWERS
        assert repaired.problems == []

    @pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
    def test_other_encodings(self, read, encoding):
        repaired = read(json.dumps(filled(), ensure_ascii=False).encode(encoding))
        assert repaired.problems == []
        assert answers_in(repaired) == ANSWERS

    def test_bytes_that_are_no_text(self, read):
        data = json.dumps(filled()).encode().replace(b"# mine", b"# \xff\xfe")
        assert [a.replace("\ufffd", "?") for a in answers_in(read(data)).values()] == [
            a.replace("# mine", "# ??") for a in ANSWERS.values()
        ]


def cell_ends(text: str) -> dict[str, int]:
    """Where the cell of each answer ends in a notebook's text."""
    at = text.index('"cells": [') + len('"cells": [')
    ends = {}
    while True:
        at = re.compile(r"[\s,]*").match(text, at).end()
        if text[at] == "]":
            return {name: end for name, end in ends.items() if name in ANSWERS}
        cell, at = json.JSONDecoder().raw_decode(text, at)
        ends[mark_of(cell)] = at


class TestDamaged:
    @pytest.mark.drawn
    def test_cut_anywhere_keeps_the_answers_before_the_cut(self, tmp_path):
        text = json.dumps(filled(), indent=1)
        ends = cell_ends(text)
        rng = drawn("cuts")
        for cut in sorted(rng.sample(range(len(text)), 40)) + [end + more for end in ends.values() for more in (0, 1)]:
            path = tmp_path / "cut.ipynb"
            path.write_text(text[:cut])
            repaired = read_submission(path, RELEASED)
            holds_release(repaired)
            for name, end in ends.items():
                assert answers_in(repaired)[name] == (ANSWERS[name] if end <= cut else OURS[name].source), cut
            assert repaired.problems[0].startswith(
                ("the file is damaged or incomplete", "the notebook is an empty file")
            )

    def test_conflict_marks_cost_only_their_own_cell(self, read):
        text = json.dumps(filled(), indent=1, sort_keys=True)
        text = text.replace('"cell_type"', '<<<<<<< HEAD\n"cell_type"', 1)
        text = text.replace('check(shift_right)"', 'check(shift_right)"\n=======\n>>>>>>> main\n', 1)
        repaired = read(text.encode())
        assert answers_in(repaired) == ANSWERS
        assert "damaged" in repaired.problems[0]

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"{}",
            b"[]",
            b"null",
            b"1",
            b'"cells"',
            b"not JSON",
            b"\x00" * 100,
            b"\xff\xfe\x00",
            b'{"cells": null}',
            b'{"cells": {}}',
            b'{"cells": []}',
            b'{"cells": [1, null, "x", [], {}, {"cell_type": "code"}, {"cell_type": []}]}',
            b'{"cells": [{"cell_type": "code", "source": 7}, {"cell_type": "code", "source": [1]}]}',
            b'{"cells": [NaN, Infinity, -Infinity]}',
            b'{"worksheets": []}',
            b'{"worksheets": [1, {"cells": 1}, {"cells": [1, {"cell_type": "code", "input": {}}]}]}',
            b"[" * 100_000,
            b'{"cells": [' * 100_000,
            b'{"cells":' + b"[" * 900 + b"]" * 900 + b"}",
            b'{"cells": [{"cell_type":' * 50_000,
            b'{"cells": [' + b"1" * 10_000 + b"]}",
            b"PK\x03\x04" + b"\0" * 50,
        ],
        ids=lambda content: repr(content[:24]),
    )
    def test_what_is_no_notebook_gives_the_release(self, read, content):
        repaired = read(content)
        assert [c.source for c in repaired.notebook.cells if mark_of(c)] == [c.source for c in OURS.values()]
        assert repaired.problems or content == b'{"cells": []}'

    def test_numbers_that_json_does_not_know(self, read):
        tree = filled()
        tree["cells"][3] |= {"execution_count": float("nan"), "metadata": {"x": float("-inf")}}
        assert answers_in(read(tree)) == ANSWERS

    def test_lone_surrogates(self, read):
        tree = filled()
        tree["cells"].append(code("x = '\ud800'", id="\ud800", metadata={"nbgrader": {"grade_id": "\ud800"}}))
        cell_of(tree, "shift_right-answer")["source"] += "\ud800"
        repaired = read(tree)
        assert repaired.problems == []
        assert answers_in(repaired)["shift_right-answer"].startswith(ANSWERS["shift_right-answer"])

    def test_sources_that_break_a_parser(self, read):
        tree = filled()
        for name in ("shift_right-answer", "Decoder-answer"):
            cell_of(tree, name)["metadata"] = {}
        hostile = [
            "shift_right = " + "(" * 9_999,
            "shift_right = " + "-" * 99_999 + "1",
            "shift_right" + ".a" * 99_999,
            "shift_right = \0",
        ]
        hostile.append("shift_right = " + "+".join(["1"] * 50_000))
        tree["cells"][:0] = [code(source) for source in hostile]
        assert answers_in(read(tree)) == ANSWERS

    def test_very_many_cells(self, read):
        tree = filled()
        tree["cells"] += [code("pass", id="same") for _ in range(20_000)]
        repaired = read(tree)
        assert answers_in(repaired) == ANSWERS
        assert "2000 were read, starting with the course's own" in " ".join(repaired.problems)

    def test_very_long_cell_is_left_out(self, read):
        tree = filled()
        tree["cells"].append(code("#" * (2 << 20)))
        repaired = read(tree)
        assert answers_in(repaired) == ANSWERS
        assert repaired.problems == ["1 cell could not be read"]

    def test_made_to_be_searched_for_ever(self, read):
        text = '{"cells": [' + '{"cell_type":[' * 900 + "0," * (8 << 20)
        assert "damaged" in read(text.encode()).problems[0]


def stripped() -> list[Tree]:
    """The cells of a submission without a name and without an answer, so that every answer is looked for everywhere."""
    return [{**cell, "metadata": {}, "source": OURS.get(mark_of(cell), cell)["source"]} for cell in filled()["cells"]]


DEFINES_ALL = "".join(f"def {name.removesuffix('-answer')}(x): pass\n" for name in EXERCISES)


def cells_of(source: str, count: int) -> Tree:
    """A notebook with a cell of the student's own so many times, no two alike."""
    return {"cells": [code(f"# {number}\n{source}") for number in range(count)] + stripped()}


COSTLY: dict[str, Callable[[], Tree | bytes]] = {
    "to parse": lambda: cells_of(DEFINES_ALL + "x = [1, 2, 3, (4, 5)]\n" * 500, 1900),
    "to parse, large cells": lambda: cells_of(DEFINES_ALL + "x = a + b * c\n" * 60_000, 30),
    "an import of a thousand names": lambda: cells_of(DEFINES_ALL + "import a" + ".a" * 7_000, 1900),
    "the same, in short cells": lambda: cells_of(DEFINES_ALL + "import a" + ".a" * 4_000, 1900),
    "brackets": lambda: cells_of("shift_right = " + "f(a=" * 2_000, 1900),
    "warnings": lambda: cells_of(DEFINES_ALL + '"\\d"\n' * 700, 400),
    "blanks": lambda: cells_of(" " * 15_000, 1900),
    "lists": lambda: b'{"cells":[' + b"[]," * (10 << 20) + b"[]]}",
    "objects": lambda: b'{"cells":[' + b"{}," * (10 << 20) + b"{}]}",
    "strings": lambda: b'{"cells":[' + b'"ab",' * (6 << 20) + b'""]}',
    "numbers": lambda: b'{"cells":[' + (b"1" * 4_000 + b",") * 7_000 + b"1]}",
    "one number": lambda: b'{"cells":[0.' + b"1" * (30 << 20) + b"]}",
    "no UTF-8": lambda: b'{"cells":["' + b"\xff" * (31 << 20) + b'"]}',
    "no UTF-16": lambda: b"\xff\xfe" + b"\x00\xd8\x41\x00" * (7 << 20),
    "no UTF-32": lambda: b"\xff\xfe\0\0" + b"\xff" * (31 << 20),
    "damage": lambda: b'{"cells": [' + (b'{"cell_type":[' * 900 + b"0," * 50_000) * 250,
    "damage at the end": lambda: b'{"cells": [' + (b'{"cell_type": "raw", "metadata": {"a": [' + b"0," * 400_000) * 38,
    "nothing after the damage": lambda: b'{"cells": [x' + b" " * (30 << 20),
    "names alike": lambda: {"cells": [code("1", id="a" * 60) for _ in range(2_000)] + stripped()},
    "pictures": lambda: {
        "cells": [{**text("x"), "attachments": {f"{n}.png": {"image/png": PIXEL} for n in range(90_000)}}, *stripped()]
    },
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
class TestCostly:
    @pytest.mark.parametrize("kind", COSTLY)
    def test_is_read_all_the_same(self, tmp_path, kind):
        content = COSTLY[kind]()
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        path = tmp_path / "work.ipynb"
        path.write_bytes(data[:MAX_BYTES])
        start = time.process_time()
        repaired = read_submission(path, RELEASED)
        assert time.process_time() - start < 15
        holds_release(repaired)
        assert len(nbformat.writes(repaired.notebook)) < 2 * MAX_TEXT + MAX_PICTURES
        assert sum(map(len, repaired.problems)) < 3_000

    @pytest.mark.parametrize("own", [("pass", 20_000), ("y = 1\n" * 150_000, 30)], ids=["many", "large"])
    def test_answers_come_before_what_is_too_much(self, read, own):
        source, count = own
        tree = filled()
        tree["cells"][:0] = [code(source) for _ in range(count)]
        repaired = read(tree)
        assert answers_in(repaired) == ANSWERS
        assert len(repaired.problems) == 1
        assert sum(len(cell.source) for cell in repaired.notebook.cells) < 2 * MAX_TEXT

    def test_the_last_of_very_many_copies_counts(self, read):
        tree = filled()
        cell = cell_of(tree, "shift_right-answer")
        tree["cells"] += [{**cell, "source": f"# {number}"} for number in range(5_000)]
        assert answers_in(read(tree)) == {**ANSWERS, "shift_right-answer": "# 4999"}

    def test_pictures_of_the_answer_come_before_others(self, read):
        tree = filled()
        large = {"image/png": "A" * (MAX_PICTURES - 1_000 - MAX_PICTURES % 4)}
        tree["cells"][:0] = [{**text(f"my map {n}"), "attachments": {"map.png": large}} for n in range(3)]
        cell = cell_of(tree, WRITTEN)
        cell["attachments"] = {"map.png": {"image/png": PIXEL}}
        repaired = read(tree)
        assert written_in(repaired).attachments == cell["attachments"]
        assert sum("attachments" in cell for cell in repaired.notebook.cells) == 2
        assert "8 MB" in " ".join(repaired.problems)

    @pytest.mark.parametrize("damage", [b"", b"\x00", b"\x00\xd8\x41\x00"])
    def test_utf_16_that_is_cut_off_keeps_what_comes_before(self, tmp_path, damage):
        path = tmp_path / "work.ipynb"
        path.write_bytes(json.dumps(filled()).encode("utf-16")[:-40] + damage)
        repaired = read_submission(path, RELEASED)
        assert "damaged or incomplete" in repaired.problems[0]
        assert (
            len([name for name, answer in answers_in(repaired).items() if answer == ANSWERS[name]]) >= len(ANSWERS) - 1
        )


class TestNoFile:
    def problem(self, path: Path) -> str:
        repaired = read_submission(path, RELEASED)
        holds_release(repaired)
        assert answers_in(repaired) == {name: OURS[name].source for name in ANSWERS}
        (problem,) = repaired.problems
        return problem

    def test_nothing_there(self, tmp_path):
        assert self.problem(tmp_path / "none.ipynb") == "there is no such notebook"

    def test_directory(self, tmp_path):
        assert "not a regular file" in self.problem(tmp_path)

    def test_pipe_is_not_waited_for(self, tmp_path):
        os.mkfifo(tmp_path / "pipe.ipynb")
        assert "not a regular file" in self.problem(tmp_path / "pipe.ipynb")

    def test_link_is_not_followed(self, tmp_path):
        (tmp_path / "there.ipynb").write_text(json.dumps(filled()))
        (tmp_path / "link.ipynb").symlink_to(tmp_path / "there.ipynb")
        assert "symbolic link" in self.problem(tmp_path / "link.ipynb")

    def test_too_large_is_not_read(self, tmp_path):
        with (tmp_path / "large.ipynb").open("wb") as file:
            file.truncate(MAX_BYTES + 1)
        assert self.problem(tmp_path / "large.ipynb") == "the notebook has 33 MB; at most 32 MB are read"

    def test_may_not_be_read(self, tmp_path, monkeypatch):
        (tmp_path / "work.ipynb").write_text(json.dumps(filled()))

        def refuse(path: Path) -> bytes:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "read_bytes", refuse)
        assert "could not be read: Permission denied" in self.problem(tmp_path / "work.ipynb")


def one(tree: Tree, rng: random.Random) -> Tree:
    return rng.choice([cell for cell in tree["cells"] if isinstance(cell, dict)])


def shuffle(tree: Tree, rng: random.Random) -> None:
    rng.shuffle(tree["cells"])


def strip(tree: Tree, rng: random.Random) -> None:
    one(tree, rng)["metadata"] = rng.choice([None, [], {}, {"nbgrader": []}, {"nbgrader": {}}, 3])


def rename(tree: Tree, rng: random.Random) -> None:
    one(tree, rng)["metadata"] = {"nbgrader": {"grade_id": rng.choice(["", "x", "shift_right-", None, {}])}}


def retype(tree: Tree, rng: random.Random) -> None:
    one(tree, rng)["cell_type"] = rng.choice(["markdown", "raw"])


def copy_emptied(tree: Tree, rng: random.Random) -> None:
    cell = one(tree, rng)
    emptied = {**cell, "source": rng.choice(["", "\n", OURS.get(mark_of(cell), {}).get("source", "")])}
    tree["cells"].insert(rng.randrange(len(tree["cells"])), emptied)


def lose_one_of_ours(tree: Tree, rng: random.Random) -> None:
    tree["cells"] = [cell for cell in tree["cells"] if mark_of(cell) != rng.choice(LOCKED)] or tree["cells"]


def edit_one_of_ours(tree: Tree, rng: random.Random) -> None:
    for cell in tree["cells"]:
        if mark_of(cell) in LOCKED and rng.random() < 0.3:
            cell["source"] = rng.choice(["", "1 / 0", "import os", "def f(:", "\0"])


def write_a_cell(tree: Tree, rng: random.Random) -> None:
    tree["cells"].insert(rng.randrange(len(tree["cells"])), code(rng.choice(["x = 1", "", "%%bash\nls", "def f(:"])))


def clash(tree: Tree, rng: random.Random) -> None:
    for cell in tree["cells"]:
        cell["id"] = rng.choice(["x", "shift_right", None])


def split_sources(tree: Tree, rng: random.Random) -> None:
    for cell in tree["cells"]:
        if isinstance(cell["source"], str):
            cell["source"] = cell["source"].splitlines(keepends=True)
            if not cell["source"]:
                cell["source"] = [""]
    tree["cells"] = [{**cell, "source": "".join(cell["source"])} for cell in tree["cells"]]


def replace_a_value(tree: Tree, rng: random.Random) -> None:
    one(tree, rng)[rng.choice(["source", "cell_type", "metadata", "id", "attachments", "outputs"])] = rng.choice(
        [None, 1, 10**4000, float("nan"), [], {}, "", "x" * 2**20, ["a", 1], [[]], "\ud800", True, {"a": {"b": [{}]}}]
    )


def nest(tree: Tree, rng: random.Random) -> None:
    tree["cells"].insert(rng.randrange(len(tree["cells"])), json.loads("[" * 900 + "]" * 900))


def multiply(tree: Tree, rng: random.Random) -> None:
    cell = one(tree, rng)
    tree["cells"] += [cell] * (rng.choices([2, 50, 2_500], [8, 3, 1])[0] if len(json.dumps(cell)) < 2_000 else 2)


HARMFUL = [replace_a_value, nest, multiply]
HARMLESS = [
    shuffle,
    strip,
    rename,
    retype,
    copy_emptied,
    lose_one_of_ours,
    edit_one_of_ours,
    write_a_cell,
    clash,
    split_sources,
]


class TestAnything:
    @given(st.lists(st.sampled_from(HARMLESS), max_size=8), st.integers(0, 2**32))
    @settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_no_mix_of_mishaps_loses_an_answer(self, tmp_path, mishaps, seed):
        tree, rng = filled(), random.Random(seed)
        for mishap in mishaps:
            mishap(tree, rng)
        assert answers_in(sound(tmp_path / "work.ipynb", tree)) == ANSWERS

    @given(
        st.recursive(
            st.none() | st.booleans() | st.floats() | st.text(max_size=9) | st.sampled_from([*OURS, "code", "raw"]),
            lambda inner: (
                st.lists(inner, max_size=4)
                | st.dictionaries(
                    st.sampled_from(
                        [
                            "cells",
                            "cell_type",
                            "source",
                            "metadata",
                            "nbgrader",
                            "grade_id",
                            "id",
                            "worksheets",
                            "input",
                        ]
                    ),
                    inner,
                    max_size=4,
                )
            ),
            max_leaves=20,
        )
    )
    @settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_json_of_any_shape(self, tmp_path, tree):
        sound(tmp_path / "work.ipynb", tree)
        sound(tmp_path / "work.ipynb", {"cells": [tree, {"cell_type": "code", "metadata": tree, "source": "1"}]})

    @pytest.mark.drawn
    def test_whatever_happens_to_a_real_notebook(self, tmp_path):
        """Some 300 of them, each read within a bound, twice with the same result."""
        rng = drawn("mishaps")
        path = tmp_path / "work.ipynb"
        for _ in range(300):
            tree = filled()
            for mishap in [*rng.choices(HARMLESS, k=rng.randrange(4)), *rng.choices(HARMFUL, k=rng.randrange(3))]:
                mishap(tree, rng)
            data = bytearray(json.dumps(tree, indent=rng.choice([None, 1])).encode())
            for _ in range(rng.choice([0, 0, 1, 20])):
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            del data[rng.choice([len(data), rng.randrange(len(data))]) :]
            path.write_bytes(bytes(data))
            start = time.process_time()
            repaired = read_submission(path, RELEASED)
            assert time.process_time() - start < 10
            holds_release(repaired)
            assert read_submission(path, RELEASED) == repaired

    @pytest.mark.drawn
    def test_bytes_changed_at_random(self, tmp_path):
        rng = drawn("bytes")
        whole = json.dumps(filled(), indent=1).encode()
        for _ in range(60):
            data = bytearray(whole)
            for _ in range(rng.choice([1, 3, 30])):
                at = rng.randrange(len(data))
                data[at : at + rng.randrange(4)] = rng.randbytes(rng.randrange(4))
            sound(tmp_path / "work.ipynb", bytes(data))
