"""Figures as vectors: what a notebook keeps of them, and what becomes of them on the site, light and dark."""

import re
from base64 import b64decode
from collections.abc import Iterator
from io import BytesIO
from itertools import pairwise
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest
from IPython.core.formatters import DisplayFormatter
from matplotlib.figure import Figure
from nbformat.v4 import new_code_cell, new_output
from PIL import Image

from autograder.building.figures import in_page, on_dark, put_in_page
from seqlab.contrast import contrast
from seqlab.drawings.shapes import DARK
from seqlab.plots import INK, PALETTE, PAPER, SHADES, WEIGHTS_MAP, use_style
from seqlab.svg import as_svg, show_as_vectors, tidy

LONG = re.compile(r"\d\.\d{3}")


@pytest.fixture
def axes() -> Iterator[plt.Axes]:
    with plt.rc_context():
        use_style()
        figure, axes = plt.subplots()
        yield axes
        plt.close(figure)


def svg(axes: plt.Axes) -> str:
    drawn = as_svg(axes.figure, SHADES)
    assert drawn
    return drawn


def parts(drawn: str, kind: str) -> list[ElementTree.Element]:
    return [part for part in ElementTree.fromstring(drawn).iter() if part.tag.endswith("}" + kind)]


def texts(drawn: str) -> list[str]:
    return ["".join(text.itertext()) for text in parts(drawn, "text")]


def ids_of(drawn: str) -> list[str]:
    return re.findall(r' id="([^"]+)"', drawn)


def referred_to(drawn: str) -> set[str]:
    return {a or b for a, b in re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', drawn)}


class TestInANotebook:
    def test_each_figure_is_there_as_svg_and_as_png(self, axes):
        formatter = DisplayFormatter()
        show_as_vectors(formatter, SHADES)
        axes.plot([1, 2])
        data, _ = formatter.format(axes.figure)
        assert data["image/svg+xml"].startswith("<svg ")
        assert data["image/png"].startswith("iVBOR")

    def test_an_empty_figure_is_not_shown(self):
        assert as_svg(Figure(), SHADES) is None

    def test_it_is_the_same_at_every_run(self, axes):
        axes.plot([0.123456, 0.2], "o-", label="$h_t$")
        axes.legend()
        assert svg(axes) == svg(axes)

    def test_nothing_is_kept_that_nobody_sees(self, axes):
        axes.plot([0.123456, 0.2, 0.7], "o-")
        axes.text(1, 0.5, "0.123456")
        drawn = svg(axes)
        assert "0.123456" in texts(drawn)
        shapes = re.sub(r">[^<]*<", "><", drawn)
        assert not LONG.search(shapes)
        assert not re.search(r"metadata|<style|<!--|xlink|figure_1", drawn)
        assert set(ids_of(drawn)) == referred_to(drawn) != set()
        original = BytesIO()
        axes.figure.savefig(original, format="svg")
        assert len(drawn) < 0.6 * len(original.getvalue())

    def test_the_letters_of_a_formula_follow_one_another(self, axes):
        axes.set_title(r"loss $h_t=2$ and $p$ $q$ so on")
        [title] = [text for text in parts(svg(axes), "text") if "loss" in "".join(text.itertext())]
        assert "".join(title.itertext()).split() == ["loss", "ht", "=", "2", "and", "p", "q", "so", "on"]
        assert [part.get("x") for part in title][1:] == [None] * (len(title) - 1)
        moved = [float(part.get("dy", 0)) for part in title]
        assert sum(moved[1:]) == pytest.approx(0, abs=0.02)

    def test_the_letters_of_a_fraction_keep_their_places(self, axes):
        axes.set_title(r"$\frac{a}{b}$")
        [title] = [text for text in parts(svg(axes), "text") if "a" in "".join(text.itertext())]
        assert all(part.get("x") for part in title)

    def test_transparency_that_differs_from_pixel_to_pixel_stays(self, axes):
        axes.imshow(np.ones((2, 2)), alpha=np.array([[0.0, 0.5], [0.5, 1.0]]))
        [image] = parts(svg(axes), "image")
        with Image.open(BytesIO(b64decode(image.get("href", "").partition(",")[2]))) as pixels:
            assert {0, 255} < set(np.unique(np.array(pixels.convert("RGBA"))[..., 3]).tolist())

    def test_thousands_of_dots_are_a_bitmap(self, axes):
        axes.plot(np.arange(5000) % 71, np.arange(5000) % 73, ".")
        axes.scatter(np.arange(5000) % 31, np.arange(5000) % 37)
        drawn = svg(axes)
        assert len(parts(drawn, "image")) >= 1
        assert len(parts(drawn, "use")) < 100

    def test_a_few_dots_and_a_long_line_are_vectors(self, axes):
        axes.plot(np.arange(30), "o")
        axes.plot(np.arange(5000) % 71)
        assert not parts(svg(axes), "image")

    @pytest.mark.parametrize("color", PALETTE.values(), ids=PALETTE)
    def test_a_label_in_a_colour_of_the_palette_has_that_colours_shade(self, color, axes):
        axes.plot([1, 2], color=color)
        axes.annotate("label", (0, 1), color=color)
        drawn = svg(axes)
        [label] = [text for text in parts(drawn, "text") if text.text == "label"]
        assert SHADES[color].lower() in label.get("style", "")
        assert f"stroke: {color.lower()}" in drawn
        assert contrast(SHADES[color], PAPER) >= 4.5

    def test_what_is_no_svg_is_refused(self):
        with pytest.raises(ElementTree.ParseError):
            tidy("no svg")


class TestOnTheSite:
    def test_the_page_gets_the_svg_with_the_alt_text_and_no_other_kind_of_it(self, axes):
        axes.plot([1, 2])
        cell = new_code_cell("plot", id="a", metadata={"mystnb": {"image": {"alt": 'A "line"\nrises.'}}})
        cell.outputs = [new_output("display_data", {"image/svg+xml": svg(axes), "image/png": "iVBOR"})]
        put_in_page(cell)
        [output] = cell.outputs
        assert set(output.data) == {"text/html", "image/png"}
        [root] = [ElementTree.fromstring(output.data["text/html"])]
        assert root.get("role") == "img"
        assert root.get("aria-label") == 'A "line" rises.'

    def test_every_colour_follows_the_page_and_no_name_is_there_twice(self, axes):
        axes.plot([1, 2], "o-", color=PALETTE["orange"])
        axes.imshow(np.eye(3), cmap=WEIGHTS_MAP)
        first = svg(axes)
        axes.set_title("Another")
        two = [in_page(drawn, "alt") for drawn in (first, svg(axes))]
        for page in two:
            shapes = re.sub(r"<style>.*?</style>", "", page)
            assert not re.search(r"[\"' ]#[0-9a-fA-F]{6}\b", shapes)
            assert referred_to(page) == set(ids_of(page))
        assert not set(ids_of(two[0])) & set(ids_of(two[1]))

    def test_a_heat_map_has_a_second_bitmap_for_dark_pages_and_a_picture_has_not(self, axes):
        axes.imshow(np.eye(3), cmap=WEIGHTS_MAP)
        images = parts(in_page(svg(axes), "alt"), "image")
        assert [image.get("class") for image in images] == ["on-light", "on-dark"]
        assert images[0].get("href") != images[1].get("href")
        axes.clear()
        axes.imshow(np.full((3, 3, 3), 0.5))
        assert [image.get("class") for image in parts(in_page(svg(axes), "alt"), "image")] == [None]

    def test_numbers_can_be_read_on_bars_on_a_dark_page(self, axes):
        axes.bar([0], [1], color=PALETTE["orange"])
        page = in_page(svg(axes), "alt")
        [short] = re.findall(f"--(c\\d+): {PALETTE['orange'].lower()};", page)[:1]
        dark = re.findall(rf"--{short}: (#\w+);", page)[1]
        assert contrast(DARK["ink"], dark) >= 4.5
        assert contrast(DARK["ground"], dark) >= 3

    def test_a_figure_with_pictures_keeps_its_colours(self, axes):
        axes.imshow(np.full((3, 3, 3), 0.5))
        assert "data-theme" not in in_page(svg(axes), "alt")

    def test_text_without_a_colour_is_black(self, axes):
        axes.text(0, 0, "black", color="black")
        page = in_page(svg(axes), "alt")
        root = ElementTree.fromstring(page)
        [short] = re.findall(r"fill: var\(--(c\d+)\)", root.get("style", ""))
        assert f"--{short}: #000000;" in page
        assert f"--{short}: {on_dark('#000000')};" in page

    def test_text_can_be_read_on_a_dark_page(self):
        for color in (INK, *SHADES.values(), *PALETTE.values(), "#000000", "#444444"):
            assert contrast(on_dark(color), DARK["ground"]) >= 4.5

    def test_a_larger_weight_stands_out_more_on_a_dark_page_too(self):
        steps = [f"#{bytes(int(255 * part) for part in WEIGHTS_MAP(at)[:3]).hex().upper()}" for at in range(0, 256, 8)]
        found = [contrast(on_dark(color), DARK["ground"]) for color in steps]
        assert all(a < b for a, b in pairwise(found))
