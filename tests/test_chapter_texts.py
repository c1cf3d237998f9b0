"""What holds of every chapter's text, whatever its notebook has recorded."""

import re
from pathlib import Path

import pytest

from autograder.checkout import Checkout
from autograder.declare import chapters

CHECKOUT = Checkout(Path(__file__).resolve().parent.parent)
_QUESTION = re.compile(r"^:{3,}\{dropdown\} (?P<question>.+)\n(?P<answer>[\s\S]+?)^:{3,}$", re.MULTILINE)


def text_of(chapter: str) -> str:
    return CHECKOUT.text(chapter).read_text(encoding="utf-8")


@pytest.mark.parametrize("chapter", chapters())
def test_what_to_remember_is_five_points(chapter):
    """A point that is swallowed by the line before it is not one of the list."""
    section = text_of(chapter).partition("\n## What to remember\n")[2].partition("\n## ")[0]
    assert re.findall(r"^(\d)\. ", section, re.MULTILINE) == list("12345")


@pytest.mark.parametrize("chapter", chapters())
class TestYouCanNow:
    def test_it_stands_between_what_to_remember_and_read_on(self, chapter):
        assert re.findall(r"^## (.+)", text_of(chapter), re.MULTILINE)[-3:] == [
            "What to remember",
            "You can now",
            "Read on",
        ]

    def test_it_asks_four_or_five_questions_and_answers_each(self, chapter):
        section = text_of(chapter).partition("\n## You can now\n")[2].partition("\n## ")[0]
        found = _QUESTION.findall(section)
        assert len(found) in (4, 5)
        assert section.count("{dropdown}") == len(found)
        for question, answer in found:
            assert question.endswith("?"), question
            assert len(answer.split()) > 15, question


@pytest.mark.parametrize("page", sorted((CHECKOUT.root / "book").glob("*.md")), ids=lambda page: page.stem)
def test_no_line_of_prose_begins_with_a_percent_sign(page):
    """MyST takes such a line for a comment, and what it says is nowhere on the page."""
    prose = re.sub(r"^(`{3,}).*?^\1$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert not re.findall(r"^\s*%.*", prose, re.MULTILINE)
