"""What the site does for a reader beyond the text, and the book on paper."""

from pathlib import Path

import pytest

from autograder.weaving.paper import article_of
from autograder.weaving.reading import equation_number, names_of, notebook_links, only_icons


@pytest.mark.parametrize(
    ("term", "names"),
    [
        ("attention", ["attention"]),
        ("alignment error rate (AER)", ["alignment error rate", "AER"]),
        ("clipping (in BLEU)", []),
        ("post-norm, pre-norm", ["post-norm", "pre-norm"]),
    ],
)
def test_a_term_has_the_names_that_the_text_uses(term: str, names: list[str]) -> None:
    assert names_of(term) == names


def test_equations_are_numbered_by_chapter() -> None:
    assert equation_number("ch05_attention", 3) == "5.3"
    assert equation_number("notation", 3) == "3"


def test_the_icons_that_no_page_shows_are_left_out() -> None:
    icon = '[448,512,["navicon"],"f0c9","M0 96"]'
    assert only_icons(f'p={{list:{icon},bars:{icon},"a-b":{icon}}}', {"bars"}) == f"p={{bars:{icon}}}"


def test_services_are_linked_only_where_the_course_is_public() -> None:
    assert "https:" not in notebook_links("ch05_attention", "")
    public = notebook_links("ch05_attention", "https://github.com/name/course/tree/main")
    assert "github/name/course/blob/main/notebooks/ch05_attention/ch05_attention.ipynb" in public
    assert "mybinder.org/v2/gh/name/course/main?" in public
    with pytest.raises(ValueError, match="public_address"):
        notebook_links("ch05_attention", "https://example.org")


def test_on_paper_links_stay_in_the_book_and_solutions_are_left_out(tmp_path: Path) -> None:
    said = (
        '<h1>One</h1><a href="two.html#there">two</a><a href="#here">here</a><details class="solution">x = 1</details>'
    )
    (tmp_path / "one.html").write_text(f"<html><body><article><p id='here'></p>{said}</article></body></html>")
    article = article_of(tmp_path, "one", ["one", "two"])
    assert article.xpath(".//a/@href") == ["#two--there", "#one--here"]
    assert article.xpath(".//p/@id") == ["one--here"]
    assert "x = 1" not in article.text_content()
