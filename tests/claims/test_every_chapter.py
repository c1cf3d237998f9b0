"""What holds of every chapter's recorded numbers."""

import math
import re

import pytest

from autograder.building.notebook_files import RECORD
from autograder.building.plain_markdown import Plain
from autograder.declare import chapters
from tests.claims import CHECKOUT, numbers, stored

QUOTED = re.compile(r"\{glue:text\}`(?P<name>\w+)(?::(?P<form>[^`]+))?`")


@pytest.mark.parametrize("chapter", chapters())
class TestEveryChapter:
    def test_every_number_that_the_text_quotes_is_recorded(self, chapter):
        quoted = {match["name"] for match in QUOTED.finditer(CHECKOUT.text(chapter).read_text(encoding="utf-8"))}
        assert quoted <= numbers(chapter).keys()

    def test_every_quoted_number_has_a_format(self, chapter):
        plain = Plain(None, numbers(chapter))
        for match in QUOTED.finditer(CHECKOUT.text(chapter).read_text(encoding="utf-8")):
            assert match["form"], f"{match[0]} shows every digit: give it a format, such as :.2f"
            shown = plain(match[0])
            assert re.fullmatch(r"-?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?", shown), shown

    def test_what_is_recorded_is_finite_plain_floats(self, chapter):
        outputs = [output for cell in stored(chapter).cells for output in cell.get("outputs", [])]
        records = [output.data[RECORD] for output in outputs if RECORD in output.get("data", {})]
        assert len(records) == len(numbers(chapter))
        for record in records:
            assert re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", record), record
            assert math.isfinite(float(record))

    def test_no_cell_shows_an_error_or_a_warning(self, chapter):
        for cell in stored(chapter).cells:
            for output in cell.get("outputs", []):
                assert output.output_type != "error", cell.id
                assert output.get("name") != "stderr", cell.id

    def test_no_cell_shows_what_a_call_happened_to_return(self, chapter):
        for cell in stored(chapter).cells:
            for output in cell.get("outputs", []):
                shown = output.data["text/plain"] if output.output_type == "execute_result" else ""
                assert not re.match(r"Text\(|\[?<|\(?array\(", shown), f"{cell.id}: end the line with a semicolon"

    def test_is_small(self, chapter):
        assert CHECKOUT.solved(chapter).stat().st_size < 1_500_000
