"""The book on paper: the site's pages put one after the other and printed by Chromium, whose links lead from page to page.

Chromium cannot say in the contents on which page something stands. So the book is printed once to find that out, and then again.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lxml import html  # type: ignore[import-untyped]
from pypdf import PdfReader

# Jupyter Book would load it on every page if it lay in the book.
PAPER = Path(__file__).with_name("pdf.css")
# What is folded on the site, the check of an exercise with its report and its hint, and what leads around the site. Each chapter lists
# what it cites, so that the book needs no second list.
_LEFT_OUT = (
    ".//details[contains(@class, 'solution')] | .//details[contains(@class, 'hide')] | .//div[contains(@class, 'tag_check')]"
    " | .//p[starts-with(., 'Stuck? ') and code] | .//a[@class='headerlink'] | .//script | .//nav"
    " | .//p[contains(@class, 'notebook-links')] | .//*[contains(@class, 'prev-next-area')]"
)
_NOT_IN_OUTPUT = "[not(ancestor::div[contains(@class, 'cell_output')])]"
_NOT_PRINTED = {"accessibility", "bibliography", "guide_chatbots", "guide_instructors", "guide_teaching"}
LONG_LISTING = 8
"""A listing or an output of so many lines may continue on the next page, because the rest of the page would be left blank."""
LONG_OUTPUT = 16
"""A longer output ends with how many lines were left out."""
# A page's formulas stand in parts that MyST marks for MathJax to leave alone, but for what has these classes.
_OPTIONS = '{enableMenu: false, processHtmlClass: "math|output_area"}'
_MATHJAX = '<script src="_static/mathjax/tex-chtml.js"></script>'


class PaperError(RuntimeError):
    """The book could not be printed; the message says why."""


def pages_in_order(site: Path) -> dict[str, str]:
    """The names of the site's pages with their titles, as its contents list them, the front page first."""
    front = html.parse(str(site / "intro.html")).getroot()
    listed = front.xpath("//div[@id='pst-primary-sidebar']//a[contains(@class, 'internal')]")
    titles = {
        Path(link.get("href")).stem: link.text_content().strip() for link in listed if ".html" in link.get("href")
    }
    return {"intro": ""} | {name: title for name, title in titles.items() if name not in {"intro", *_NOT_PRINTED}}


def article_of(site: Path, name: str, names: list[str]) -> Any:
    """What a page says, without what is folded on the site; every address in it belongs to the whole book."""
    article = html.parse(str(site / f"{name}.html")).getroot().xpath("//article")[0]
    for part in article.xpath(_LEFT_OUT):
        part.drop_tree()
    for output in article.xpath(".//div[contains(@class, 'cell_output')]//pre"):
        _shorten(output)
    for listing in article.iter("pre"):
        if listing.text_content().count("\n") >= LONG_LISTING:
            listing.classes.add("long")
        for part in list(listing.iterdescendants()):
            _narrow_blank_lines(part)
    for part in article.iter("details"):
        part.set("open", "open")
    # What an output refers to within itself, such as the markers of a figure, has a name that nothing else has.
    for part in article.xpath(f".//*[@id]{_NOT_IN_OUTPUT}"):
        part.set("id", f"{name}--{part.get('id')}")
    for part in article.xpath(f".//*[@for]{_NOT_IN_OUTPUT}"):
        part.set("for", f"{name}--{part.get('for')}")
    for link in article.xpath(".//a[@href]"):
        page, _, section = link.get("href").partition("#")
        page = page.removesuffix(".html") or name
        if page in names:
            link.set("href", f"#{page}--{section}" if section else f"#{page}")
        elif (site / f"{page}.html").is_file():
            link.drop_tag()
    article.tag = "section"
    article.set("id", name)
    article.set("class", "bd-article page")
    return article


def _narrow_blank_lines(part: Any) -> None:
    """Put a small gap where there are blank lines after a part of a listing."""
    before, *after = re.split(r"\n{2,}", part.tail or "")
    part.tail = before
    for place, text in enumerate(after, part.getparent().index(part) + 1):
        gap = html.Element("span", {"class": "blank"})
        gap.tail = text
        part.getparent().insert(place, gap)


def _shorten(output: Any) -> None:
    """Leave the end of a long print-out to the site."""
    lines = output.text_content().rstrip("\n").split("\n")
    if len(lines) > LONG_OUTPUT:
        left = len(lines) - LONG_OUTPUT + 4
        output[:] = []
        output.text = "\n".join([*lines[:-left], f"… ({left} more lines on the site)"])


def one_page(site: Path) -> str:
    """The whole book as one page of HTML, with a table of contents that has room for the numbers of pages."""
    titles = pages_in_order(site)
    names = list(titles)
    articles = [article_of(site, name, names) for name in names]
    cover = _cover_of(articles[0])
    entries = []
    for name, article in zip(names[1:], articles[1:], strict=True):
        sections = article.xpath(".//section/section[h2]")
        under = "".join(f"<li>{_entry(part.get('id'), part[0])}</li>" for part in sections)
        entries.append(f"<li>{_entry(name, article.xpath('.//h1')[0])}<ol>{under}</ol></li>")
    contents = f'<section class="bd-article page"><h1>Contents</h1><nav><ol>{"".join(entries)}</ol></nav></section>'
    sheets = re.findall(r'<link[^>]* href="(_static/[^"?]+\.css)', (site / "intro.html").read_text(encoding="utf-8"))
    links = "".join(f'<link rel="stylesheet" href="{sheet}">' for sheet in sheets)
    first, *rest = (html.tostring(article, encoding="unicode") for article in articles)
    heads = "".join(
        f"#{name} {{ page: {name} }} @page {name} {{ @top-right {{ content: {json.dumps(title, ensure_ascii=False)} }} }}"
        for name, title in titles.items()
        if title
    )
    title = cover.xpath(".//h1")[0].text_content()
    style = f"{PAPER.read_text(encoding='utf-8')}{heads}"
    head = f'<meta charset="utf-8"><title>{title}</title>{links}<style>{style}</style><script>window.MathJax = {{options: {_OPTIONS}}}</script>{_MATHJAX}'
    body = html.tostring(cover, encoding="unicode") + first + contents + "".join(rest)
    return f'<!doctype html><html lang="en" data-theme="light" data-mode="light"><head>{head}</head><body>{body}</body></html>'


def _cover_of(front: Any) -> Any:
    """The first page, which has the front page's title and, where one follows it, the line below it."""
    cover = html.Element("section", {"class": "bd-article page cover"})
    heading = front.xpath(".//h1")[0]
    below = heading.getnext()
    line = (
        [below]
        if below is not None and below.tag == "p" and below.text_content() == "".join(below.itertext("em"))
        else []
    )
    cover.append(html.Element("img", {"src": "_static/favicon.svg", "alt": ""}))
    cover.extend([heading, *line])
    return cover


def _entry(section: str, heading: Any) -> str:
    """A section's line in the contents, with a number as wide as most."""
    return f'<a href="#{section}"><span>{heading.text_content()}</span><span data-page-of="{section}">000</span></a>'


def _numbered(page: str, numbers: Mapping[str, int]) -> str:
    """The book's page of HTML with the numbers of pages in its contents."""
    return re.sub(r'(<span data-page-of="([^"]+)">)000', lambda found: f"{found[1]}{numbers[found[2]]}", page)


def page_numbers(pdf: Path) -> dict[str, int]:
    """On which page of a printed book each section begins that a link leads to, by the section's id; the first page is 1."""
    book = PdfReader(pdf)
    found = {name: book.get_destination_page_number(place) for name, place in book.named_destinations.items()}
    return {name.removeprefix("/"): 1 + page for name, page in found.items() if page is not None}


def print_book(site: Path, pdf: Path) -> Path:
    """Print a built site.

    Args:
        site: The folder of its pages.
        pdf: The file to write.

    Raises:
        PaperError: There is no Chromium, or it wrote no file.
    """
    page = one_page(site)
    _print(page, site, pdf)
    _print(_numbered(page, page_numbers(pdf)), site, pdf)
    return pdf


def _print(text: str, site: Path, pdf: Path) -> None:
    page = site / "whole_book.html"
    page.write_text(text, encoding="utf-8")
    try:
        print_page(page, pdf)
    finally:
        page.unlink()


def print_page(page: Path, pdf: Path) -> Path:
    """Print a page.

    Args:
        page: The file.
        pdf: The file to write.

    Raises:
        PaperError: There is no Chromium, or it wrote no file.
    """
    chromium = shutil.which("chromium")
    if chromium is None:
        raise PaperError("printing needs Chromium: on Debian, run `apt install chromium`")
    pdf.parent.mkdir(parents=True, exist_ok=True)
    pdf.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as profile:
        # Root in a container may not use Chromium's own sandbox. Time that is virtual ends once every formula is drawn.
        options = [
            "--headless=new",
            "--no-sandbox",
            "--disable-dev-shm-usage",
            "--disable-gpu",
            f"--user-data-dir={profile}",
        ]
        options += ["--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=120000", "--no-pdf-header-footer"]
        options += ["--generate-pdf-document-outline", f"--print-to-pdf={pdf}", page.resolve().as_uri()]
        done = subprocess.run([chromium, *options], check=False, capture_output=True, text=True)
    if not pdf.is_file():
        raise PaperError(f"chromium did not print {page.name}: {done.stderr.strip()[-500:]}")
    return pdf
