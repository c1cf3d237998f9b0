"""A figure as the book keeps it: vector graphics that are small, the same at every run, and readable."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from itertools import pairwise
from operator import itemgetter
from typing import TypeVar
from xml.etree import ElementTree

# Where it is the backend, its import sets up the formats in which figures are shown; done later, that would undo ours.
import matplotlib_inline.backend_inline  # noqa: F401
import numpy as np
from IPython.core.formatters import DisplayFormatter
from IPython.core.pylabtools import print_figure
from matplotlib.artist import Artist
from matplotlib.collections import Collection, QuadMesh
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.text import Text

PHOTO = "photo"
"""The class of a figure that shows pictures, whose colours are their own."""
_MANY = 400
"""With more dots or cells, a bitmap is smaller than as many shapes."""
_CLOSE, _FAR = 0.2, 0.9
"""Letters that are nearer to one another along the line, or farther across it, stand above one another; in sizes of a letter."""
_DPI = 230
"""Dots per inch of such a bitmap: twice those of a screen."""
SVG, _LINK = "http://www.w3.org/2000/svg", "{http://www.w3.org/1999/xlink}href"
_LONG = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
_SIZE = re.compile(r"font-size: (?P<size>[\d.]+)px")
_FAMILY = re.compile(r"font-family: (?P<family>'DejaVu Sans'(?:,[^;]*)?);? ?")
_REFERENCE = re.compile(r"(?<=url\(#)[^)]+|(?<=^#).+")
_SIGN = re.compile(r"(?<![\s\u00a0])([=+−<>≤≥≈×→])(?![\s\u00a0])")
Kind = TypeVar("Kind", bound=Artist)


def show_as_vectors(formatter: DisplayFormatter, shades: dict[str, str]) -> None:
    """Have a notebook show each figure twice: as SVG, and as PNG for programs that cannot show SVG.

    Args:
        formatter: The notebook's.
        shades: By colour, as #RRGGBB in upper case, the shade that text in this colour is written in.
    """
    formatter.formatters["image/svg+xml"].for_type(Figure, partial(as_svg, shades=shades))
    formatter.formatters["image/png"].for_type(Figure, partial(_as_png, shades=shades))


def as_svg(figure: Figure, shades: dict[str, str]) -> str | None:
    """The figure as SVG, or nothing if nothing has been drawn."""
    _prepare(figure, shades)
    drawn = print_figure(figure, "svg", dpi=_DPI)
    if drawn is None:
        return None
    photo = any((array := image.get_array()) is not None and array.ndim == 3 for image in _all(figure, AxesImage))
    return tidy(drawn, PHOTO if photo else "")


def _as_png(figure: Figure, shades: dict[str, str]) -> str | None:
    _prepare(figure, shades)
    return print_figure(figure, "png", base64=True)


def _all(figure: Figure, kind: type[Kind]) -> Iterator[Kind]:
    return (artist for artist in figure.findobj(kind) if isinstance(artist, kind))


def _prepare(figure: Figure, shades: dict[str, str]) -> None:
    """Write text in shades that can be read, and draw what would be hundreds of shapes as a bitmap."""
    for text in _all(figure, Text):
        color = to_hex(text.get_color()).upper()
        if color in shades:
            text.set_color(shades[color])
    for image in _all(figure, AxesImage):
        # As vector graphics, matplotlib would leave out transparency that differs from pixel to pixel.
        if isinstance(image.get_alpha(), np.ndarray):
            image.set_interpolation("nearest")
    for line in _all(figure, Line2D):
        if line.get_linestyle() == "None" and len(np.asarray(line.get_xdata())) > _MANY:
            line.set_rasterized(True)
    for shapes in _all(figure, Collection):
        cells = shapes.get_array() if isinstance(shapes, QuadMesh) else None
        counted = np.asarray(shapes.get_offsets()) if cells is None else cells.ravel()
        if len(counted) > _MANY:
            shapes.set_rasterized(True)


def tidy(drawn: str, look: str = "") -> str:
    """Matplotlib's SVG without what nobody sees: the date, names of groups, digits after the second.

    Args:
        drawn: What matplotlib wrote.
        look: The class of the whole, if any.

    Returns:
        The SVG, the same to the eye at half the size.
    """
    ElementTree.register_namespace("", SVG)
    root = ElementTree.fromstring(drawn)
    family = ""
    for text in root.iter(f"{{{SVG}}}text"):
        _flow(text)
    for part in root.iter():
        part.tail = None if part.tag.endswith("}text") or not (part.tail or "").strip() else part.tail
        if part.tag not in (f"{{{SVG}}}text", f"{{{SVG}}}tspan"):
            part.text = None
        if _LINK in part.attrib:
            part.set("href", part.attrib.pop(_LINK))
        if part.get("transform", "").startswith("rotate(-0 "):
            del part.attrib["transform"]
        if found := _FAMILY.search(part.get("style", "")):
            family = found["family"]
            part.set("style", _FAMILY.sub("", part.get("style", "")))
        for name, value in part.attrib.items():
            if name != "href":
                part.set(name, " ".join(_LONG.sub(_short, value).split()))
    _unwrap(root)
    # What matplotlib says in a style sheet, which would hold for a whole page.
    root.set("style", "stroke-linejoin: round; stroke-linecap: butt" + (f"; font-family: {family}" if family else ""))
    if look:
        root.set("class", look)
    _rename(root, "")
    # Different figures of one page have different names in them.
    _rename(root, f"f{sha256(ElementTree.tostring(root)).hexdigest()[:8]}-")
    return ElementTree.tostring(root, encoding="unicode")


def _rename(root: ElementTree.Element, prefix: str) -> None:
    """Number the parts that others refer to, in their order, and let the other parts have no name."""
    parts = list(root.iter())
    used = {name for part in parts for value in part.attrib.values() for name in _REFERENCE.findall(value)}
    names: dict[str, str] = {}
    for part in parts:
        name = part.attrib.pop("id", "")
        if name in used:
            names[name] = f"{prefix}{len(names)}"
            part.set("id", names[name])
    for part in parts:
        for key, value in part.attrib.items():
            part.set(key, _REFERENCE.sub(lambda found: names.get(found[0], found[0]), value))


def _flow(text: ElementTree.Element) -> None:
    """Let the letters of a formula follow one another.

    Matplotlib puts each in the place that it has in matplotlib's own font, and other fonts are narrower.
    """
    placed = sorted(
        ((float(letter.get("x", 0)), float(letter.get("y", 0)), letter) for letter in text), key=itemgetter(0)
    )
    # Letters above one another, as in a fraction, keep their places.
    near = any(b - a < _CLOSE * _size(letter) for (a, _, letter), (b, _, _) in pairwise(placed))
    far = any(abs(b - a) > _FAR * _size(letter) for (_, a, letter), (_, b, _) in pairwise(placed))
    if near or far:
        return
    letters = [letter for _, _, letter in placed]
    text[:] = []
    height = 0.0
    for letter in letters:
        y = float(letter.attrib.pop("y"))
        before = text[-1] if len(text) else letter
        said = (letter.text or "").replace(" ", "\u00a0")
        if letter is not before:
            del letter.attrib["x"]
            if y == height and letter.get("style") == before.get("style"):
                before.text = f"{before.text}{said}"
                continue
        letter.text = said
        if y != height:
            letter.set("dy", str(y - height))
        text.append(letter)
        height = y
    for run in text:
        run.text = _SIGN.sub("\u2009\\1\u2009", run.text or "")


def _size(letter: ElementTree.Element) -> float:
    found = _SIZE.search(letter.get("style", ""))
    return float(found["size"]) if found else 0.0


def _short(number: re.Match[str]) -> str:
    short = f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
    return "0" if short == "-0" else short


def _unwrap(part: ElementTree.Element) -> None:
    """Put the parts of groups that say nothing in their place, and leave out what holds nothing."""
    inside = []
    for child in part:
        _unwrap(child)
        kind = child.tag.rpartition("}")[2]
        if kind in ("metadata", "style") or (kind in ("defs", "g") and not len(child)):
            continue
        inside += list(child) if kind == "g" and not child.attrib else [child]
    part[:] = inside
