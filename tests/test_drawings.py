"""The drawings of machines: what they say, what they show, and that nothing in them collides."""

import ast
import re
from base64 import b64decode
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch
from PIL import Image

from seqlab.contrast import contrast
from seqlab.drawings import bert, pictures, post_training, recurrent, rewards, transformer, translators
from seqlab.drawings.shapes import DARK, LIGHT, STYLE, WIDE
from seqlab.picture import Picture
from seqlab.plots import PALETTE
from tests.browser import open_browser

CELLS = Path(__file__).resolve().parent.parent / "solutions" / "ch02_gates" / "cells.py"
ENGLISH, FRENCH = ["he", "hit", "me", "with", "a", "pie", "."], ["il", "m'", "a", "entarté", "."]
DRAWINGS: dict[str, Callable[[], Picture]] = {
    "unrolled": lambda: recurrent.rnn_unrolled(ENGLISH[:-1]),
    "four shapes": recurrent.four_shapes,
    "step": recurrent.rnn_step,
    "backward": recurrent.backward_through_time,
    "gru": recurrent.gru_cell,
    "lstm": recurrent.lstm_cell,
    "bidirectional": lambda: recurrent.bidirectional(ENGLISH[:-1]),
    "stacked": recurrent.stacked,
    "encoder-decoder": lambda: translators.encoder_decoder(ENGLISH, FRENCH),
    "attention in steps": lambda: translators.attention_in_steps(
        ENGLISH,
        "il",
        [-2.1, 1.0, 7.3, -0.4, -1.2, 2.0, -13.3],
        [0.0, 0.01, 0.98, 0.0, 0.0, 0.0, 0.01],
        [("m'", 0.98), ("entarté", 0.01)],
    ),
    "attention decoder": translators.attention_decoder,
    "encoder layer": transformer.encoder_layer,
    "transformer": transformer.whole,
    "gpt": lambda: transformer.gpt({"norm": "Layer normalisation", "+": "The residual, and\nwhere the norm goes"}),
    "fine-tuning": bert.fine_tuning,
    "packed pair": lambda: bert.packed_pair(
        ["[CLS]", *ENGLISH[:-1], "##e", ".", "[SEP]", "it", "was", "good", ".", "[SEP]"], [0] * 10 + [1] * 5
    ),
    "bert": lambda: bert.input_sum(
        ["[CLS]", "he", "hit", "me", "[SEP]", "it", "was", "good", "[SEP]"], [0] * 5 + [1] * 4
    ),
    "stages": post_training.stages,
    "loop of rewards": rewards.loop,
    "grid": lambda: pictures.grid(torch.zeros(3, 32, 32, dtype=torch.uint8), ["a", "purple", "seven", "above"]),
}
COLLISIONS = """
const found = [];
for (const svg of document.querySelectorAll("svg.drawing")) {
    const edge = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
    texts.forEach(([said, box], at) => {
        if (box.left < edge.left - 1 || box.right > edge.right + 1 || box.top < edge.top - 2 || box.bottom > edge.bottom + 2)
            found.push(`${said} runs out of the drawing`);
        for (const [other, its] of texts.slice(0, at)) {
            const across = Math.min(box.right, its.right) - Math.max(box.left, its.left);
            const down = Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top);
            if (across > 1 && down > 4) found.push(`${said} lies over ${other}`);
        }
        for (const shape of svg.querySelectorAll("rect.d-box")) {
            const its = shape.getBoundingClientRect();
            const across = Math.min(box.right, its.right) - Math.max(box.left, its.left);
            const down = Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top);
            if (across > 0 && down > 6 && !(box.left >= its.left && box.right <= its.right))
                found.push(`${said} sticks out of a box`);
        }
    });
}
return found;
"""


def svg_of(drawing: Picture) -> str:
    """The drawing alone, without buttons around it."""
    return drawing.html[drawing.html.index("<svg ") : drawing.html.index("</svg>") + len("</svg>")]


def texts_of(drawing: Picture) -> list[str]:
    return [
        "".join(text.itertext()) for text in ElementTree.fromstring(svg_of(drawing)).iter() if text.tag.endswith("text")
    ]


@pytest.mark.parametrize("draw", DRAWINGS.values(), ids=DRAWINGS)
class TestEachDrawing:
    def test_it_is_valid_and_described(self, draw):
        drawing = draw()
        root = ElementTree.fromstring(svg_of(drawing))
        assert root.get("role") == "img"
        assert repr(drawing) == drawing.text
        assert drawing.text.startswith(root.get("aria-label", "?"))
        assert len(drawing.text.split()) > 15

    def test_it_is_no_wider_than_the_page(self, draw):
        assert int(ElementTree.fromstring(svg_of(draw())).get("width", "")) <= WIDE

    def test_its_colours_are_named_and_so_follow_the_page(self, draw):
        shapes = svg_of(draw()).replace(STYLE, "")
        assert not re.search(r"#[0-9A-Fa-f]{3,6}\b", shapes)
        known = {"line", "box", "round", "math", "var", "code", "script", *PALETTE}
        assert set(re.findall(r"\bd-(\w+)", shapes)) <= known

    def test_its_letters_are_as_large_as_the_pages(self, draw):
        for text in ElementTree.fromstring(svg_of(draw())).iter():
            assert int(text.get("font-size", "16")) >= 16


def test_nothing_runs_out_of_a_drawing_or_over_another_text(tmp_path):
    page = tmp_path / "page.html"
    drawn = "".join(f"<p>{draw().html}</p>" for draw in DRAWINGS.values())
    page.write_text(f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Drawings</title>{drawn}</html>')
    with open_browser() as browser:
        browser.driver.get(page.as_uri())
        assert browser.driver.execute_script(COLLISIONS) == []


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_every_colour_can_be_read_on_its_ground_and_in_its_box(colors):
    for name in PALETTE:
        assert contrast(colors[name], colors["ground"]) >= 4.5
        assert contrast(colors[name], colors[f"{name}-tint"]) >= 4.5
        assert contrast(colors["ink"], colors[f"{name}-tint"]) >= 4.5


@pytest.mark.parametrize(("name", "draw"), [("GRUCell", recurrent.gru_cell), ("LSTMCell", recurrent.lstm_cell)])
def test_every_product_of_the_cells_code_is_named(name, draw):
    [cell] = [
        node for node in ast.parse(CELLS.read_text()).body if isinstance(node, ast.ClassDef) and node.name == name
    ]
    [forward] = [node for node in cell.body if isinstance(node, ast.FunctionDef) and node.name == "forward"]
    products = [node for node in ast.walk(forward) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)]
    assert len(products) == 3
    said = texts_of(draw())
    for product in products:
        # A gate's squashing stands in its box.
        assert re.sub(r"\b([ifgo])\.(sigmoid|tanh)\(\)", r"\1", ast.unparse(product)) in said


def test_a_picture_keeps_its_colours():
    drawn = svg_of(pictures.grid(torch.full((3, 4, 4), 200, dtype=torch.uint8), ["a"]))
    [source] = re.findall(r'href="data:image/png;base64,([^"]+)"', drawn)
    with Image.open(BytesIO(b64decode(source))) as image:
        assert image.convert("RGB").getpixel((0, 0)) == (200, 200, 200)


def test_sizes_and_names_that_do_not_fit_are_refused():
    for draw in (bert.input_sum, bert.packed_pair):
        with pytest.raises(ValueError, match="2 tokens and 1 segments"):
            draw(["[CLS]", "he"], [0])
    with pytest.raises(ValueError, match="no part 'cross-attention': expected one of 'output layer', 'norm'"):
        transformer.gpt({"cross-attention": "Two stacks"})
    with pytest.raises(ValueError, match="2 source words, 1 scores and 2 weights"):
        translators.attention_in_steps(["he", "hit"], "il", [1.0], [0.5, 0.5], [("m'", 0.9)])
