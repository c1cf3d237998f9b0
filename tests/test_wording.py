"""Words that the book does not use, and the words that it uses instead: what the field and a native speaker would say.

A row of a table is a regular expression, found as whole words whatever the line breaks, and its better wording.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from autograder.checkout import Checkout
from autograder.declare import chapters
from autograder.questions.why import read_whys

CHECKOUT = Checkout(Path(__file__).resolve().parent.parent)

BETTER = {
    r"(un)?likel(iest|ier)": "most likely, more likely, least likely",
    r"lest": "so that … does not",
    r"[Ww]hoever": "you, anyone who, or the agent's name",
    r"need it be": "does it have to be",
    r"thousand million": "billion",
    r"in the mean": "on average",
    r"nothing is to pay|is to be paid": "there is no penalty",
    r"of these you need": "you need … of these",
    r"dear|dearer|dearest": "expensive, costly",
    r"held against": "compared with, checked against",
    r"marks? of the end": "end mark",
    r"marks? of the beginning": "start mark",
    r"in the place of": "instead of",
    r"taken for": "treated as, mistaken for",
    r"hands? on|handed on|handing on": "passes on, returns",
    r"falls? away|fell away|fallen away": "is dropped",
    r"cut behind|cut after": "truncated after",
    r"wholly": "fully, completely, entirely",
    r"counts? whole": "every word counts",
}
"""What no page says."""

PLAINER = {
    r"whole numbers?": "integers",
    r"behind": "after",
    r"stands?|stood": "is, holds, comes",
    r"takes? away|took away|taken away": "removes, subtracts",
    r"comes? of|came of": "comes from",
    r"say (device|dtype|total_length|enforce_sorted)": "pass device=…",
    r"unless (you|one) says?": "unless you pass …, by default",
    r"(view|GRU|torch|function|check|loss) wants|that wants": "expects, needs",
    r"place of the (first|next|previous)": "position",
    r"do no harm|does no harm": "are handled correctly",
    r"no more and no less|and no more": "only, alone",
    r"in one piece": "contiguous",
    r"ran twice": "was applied twice",
    r"mend": "fix",
}
"""What the messages, hints and names of checks do not say either."""

NOT_YET: frozenset[str] = frozenset()
"""Topics whose pages have not been rewritten; to bring one in, remove it here."""
MESSAGES_NOT_YET: frozenset[str] = frozenset()
"""Topics whose checks have not been rewritten; likewise."""
PAGES = (
    "glossary",
    "guide_chatbots",
    "guide_instructors",
    "guide_languages",
    "guide_students",
    "guide_teaching",
    "intro",
    "notation",
)
SHARED = (
    "asking/fake_device",
    "asking/probing",
    "asking/usage",
    "judging/compare",
    "judging/outcomes",
    "asking/rules",
    "judging/verdict",
    "notebook/commands",
    "notebook/report",
)
"""The modules of `autograder` whose sentences students read in every chapter."""


def topic_of(chapter: str) -> str:
    return chapter.partition("_")[2]


def without(topics: frozenset[str]) -> list[str]:
    return [chapter for chapter in chapters() if topic_of(chapter) not in topics]


def found(text: str, table: Mapping[str, str]) -> list[str]:
    """Each phrase of the table that the text holds, with what stands around it and its better wording."""
    flat = " ".join(text.split())
    return [
        f"… {flat[max(0, hit.start() - 40) : hit.end() + 40]} …: say {better!r}"
        for pattern, better in table.items()
        for hit in re.finditer(rf"(?<![\w-])(?:{pattern})(?![\w-])", flat)
    ]


def docstrings(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            yield ast.get_docstring(node) or ""


def sentences(path: Path) -> Iterator[str]:
    """The strings of a module that are no docstrings and no code: messages, hints and names of checks."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute))
    made = (keyword for call in calls if call.func.attr == "made_in" for keyword in call.keywords)
    code = {id(text) for keyword in made for text in ast.walk(keyword)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs | code:
            yield node.value


def steps(path: Path) -> Iterator[str]:
    """The comments of a module, where the steps of a stub are."""
    yield from re.findall(r"^\s*# ?(.*)", path.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("chapter", without(NOT_YET))
class TestChapter:
    def test_its_text_uses_the_words_of_the_field(self, chapter: str) -> None:
        assert found(CHECKOUT.text(chapter).read_text(encoding="utf-8"), BETTER) == []

    def test_so_do_the_docstrings_and_steps_of_its_exercises(self, chapter: str) -> None:
        paths = sorted((CHECKOUT.solutions / chapter).glob("*.py"))
        assert [
            told for path in paths for text in (*docstrings(path), *steps(path)) for told in found(text, BETTER)
        ] == []


@pytest.mark.parametrize("page", PAGES)
def test_other_pages_use_them_too(page: str) -> None:
    assert found((CHECKOUT.root / "book" / f"{page}.md").read_text(encoding="utf-8"), BETTER) == []


@pytest.mark.parametrize("chapter", without(MESSAGES_NOT_YET))
def test_checks_speak_plainly(chapter: str) -> None:
    paths = sorted(CHECKOUT.checks(chapter).rglob("*.py"))
    assert [told for path in paths for text in sentences(path) for told in found(text, BETTER | PLAINER)] == []


@pytest.mark.parametrize("chapter", chapters())
def test_open_questions_speak_plainly(chapter: str) -> None:
    texts = [text for why in read_whys(chapter).values() for text in (why.ask, *why.rubric)]
    assert [told for text in texts for told in found(text, BETTER | PLAINER)] == []


@pytest.mark.parametrize("module", SHARED)
def test_sentences_of_every_chapter_are_plain(module: str) -> None:
    path = CHECKOUT.root / "autograder" / f"{module}.py"
    assert [told for text in sentences(path) for told in found(text, BETTER | PLAINER)] == []


def test_exceptions_are_chapters() -> None:
    """A renamed topic would otherwise be an exception of nothing."""
    assert {*NOT_YET, *MESSAGES_NOT_YET} <= {topic_of(chapter) for chapter in chapters()}


def test_a_phrase_is_found_across_a_line_break_and_named_with_its_better_wording() -> None:
    assert "say 'end mark'" in found("up to the mark of\nthe end", BETTER)[0]
    assert found("behindhand, a stand-in", {r"behind|stand": ""}) == []
