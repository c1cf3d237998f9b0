"""A figure on the site: its vector graphics in the page itself, in colours that follow the page from light to dark.

The stored notebook has each figure as SVG and as PNG; a page carries the SVG alone. Colours of the palette become those of the
drawings of machines; of every other colour the lightness is turned round, so that of two the darker is the lighter one, which also
keeps what a heat map says. A picture (of a scene, say) keeps its colours.
"""

from __future__ import annotations

import io
import re
from base64 import b64decode, b64encode
from colorsys import hls_to_rgb, rgb_to_hls
from hashlib import sha256
from xml.etree import ElementTree

import numpy as np
from nbformat import NotebookNode
from PIL import Image

from seqlab.drawings.shapes import DARK, FONTS
from seqlab.plots import INK, PALETTE, PAPER, SHADES
from seqlab.vectors import PHOTO, SVG

KIND = "image/svg+xml"
_HEX = re.compile(r"#[0-9a-fA-F]{6}\b")
_FONT = re.compile(r";? *font-family: [^;]*(?=$|;)")
_BITMAP = "data:image/png;base64,"
_DARKEST, _LIGHTEST = 0.1, 0.95
_KNOWN = {
    PAPER: DARK["ground"],
    INK: DARK["ink"],
    **{color: DARK[name] for name, color in PALETTE.items()},
    **{SHADES[color]: DARK[name] for name, color in PALETTE.items()},
}


def put_in_page(cell: NotebookNode) -> None:
    """Replace the figures that the cell shows as SVG by pieces of the page, with the cell's alt text."""
    alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
    for output in cell.get("outputs", []):
        if drawn := output.get("data", {}).pop(KIND, None):
            output.data["text/html"] = in_page(drawn, " ".join(alt.split()))


def in_page(drawn: str, alt: str) -> str:
    """The SVG of a figure as a piece of a page.

    Args:
        drawn: The SVG that `seqlab.vectors` made.
        alt: What the figure shows, in words.
    """
    root = ElementTree.fromstring(drawn)
    name = f"figure-{sha256(drawn.encode()).hexdigest()[:8]}"
    photo = root.get("class") == PHOTO
    colors: dict[str, str] = {}

    def variable(color: re.Match[str]) -> str:
        return f"var(--{colors.setdefault(color[0].upper(), f'c{len(colors)}')})"

    for parent in list(root.iter()):
        for child in list(parent):
            if child.get("href", "").startswith(_BITMAP) and not photo:
                dark = ElementTree.Element(child.tag, {**child.attrib, "href": _dark_bitmap(child.get("href", ""))})
                child.set("class", "on-light")
                dark.set("class", "on-dark")
                parent.insert(list(parent).index(child) + 1, dark)
    for part in root.iter():
        for key, value in part.attrib.items():
            if key != "href":
                part.set(key, _HEX.sub(variable, value))
    root.set("style", _FONT.sub("", root.get("style", "")))
    light = "".join(f"--{short}: {color};" for color, short in colors.items())
    turned = "".join(f"--{short}: {on_dark(color)};" for color, short in colors.items())
    style = ElementTree.Element(f"{{{SVG}}}style")
    style.text = (
        f".{name} {{ {light} font-family: {FONTS} }} .{name} .on-dark {{ display: none }} "
        f'html[data-theme="dark"] .{name} {{ {turned} }} '
        f'html[data-theme="dark"] .{name} .on-light {{ display: none }} html[data-theme="dark"] .{name} .on-dark {{ display: inline }} '
        f"@media print {{ html .{name}.{name} {{ {light} }} "
        f"html .{name}.{name} .on-light {{ display: inline }} html .{name}.{name} .on-dark {{ display: none }} }}"
    )
    root.insert(0, style)
    rest = {key: value for key, value in root.attrib.items() if key != "class"}
    root.attrib = {"class": f"figure {name}", "role": "img", "aria-label": alt, **rest}
    ElementTree.register_namespace("", SVG)
    return ElementTree.tostring(root, encoding="unicode")


def on_dark(color: str) -> str:
    """What a colour, as #RRGGBB, becomes on a dark page."""
    return _KNOWN.get(color) or _turned(color)


def _turned(color: str) -> str:
    """The colour with its lightness turned round."""
    parts = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    hue, lightness, saturation = rgb_to_hls(*parts)
    turned = _LIGHTEST - (_LIGHTEST - _DARKEST) * lightness
    return "#" + "".join(f"{round(255 * part):02X}" for part in hls_to_rgb(hue, turned, saturation))


def _dark_bitmap(source: str) -> str:
    """A bitmap of a heat map, or of many dots, with each colour as it is on a dark page."""
    with Image.open(io.BytesIO(b64decode(source.removeprefix(_BITMAP)))) as image:
        pixels = np.array(image.convert("RGBA"))
    colors, of = np.unique(pixels[..., :3].reshape(-1, 3), axis=0, return_inverse=True)
    turned = [list(bytes.fromhex(_turned(f"#{bytes(color).hex()}")[1:])) for color in colors]
    pixels[..., :3] = np.array(turned, dtype=np.uint8)[of.reshape(pixels.shape[:2])]
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG", optimize=True)
    return _BITMAP + b64encode(buffer.getvalue()).decode("ascii")
