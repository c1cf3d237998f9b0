"""A figure on the site: its vector graphics in the page itself, in colours that follow the page from light to dark.

The stored notebook has each figure as SVG and as PNG; a page carries the SVG alone. Colours of the palette become those
of the drawings; the lightness of every other colour is inverted, so that the darker of two becomes the lighter one,
which also keeps what a heat map says. A figure with pictures (of scenes, say) keeps its colours.
"""

from __future__ import annotations

import io
import re
from base64 import b64decode, b64encode
from hashlib import sha256
from xml.etree import ElementTree

import numpy as np
from nbformat import NotebookNode
from PIL import Image

from seqlab.contrast import ENOUGH, contrast, readable
from seqlab.drawings.shapes import DARK, FONTS
from seqlab.plots import INK, PALETTE, PAPER, SHADES
from seqlab.svg import PHOTO, SVG

KIND = "image/svg+xml"
_HEX = re.compile(r"#[0-9a-fA-F]{6}\b")
_FONT = re.compile(r";? *font-family: [^;]*(?=$|;)")
_BITMAP = "data:image/png;base64,"
_LUMA = np.array([0.2126, 0.7152, 0.0722])
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
        drawn: The SVG that `seqlab.svg` made.
        alt: What the figure shows, in words.
    """
    root = ElementTree.fromstring(drawn)
    name = f"figure-{sha256(drawn.encode()).hexdigest()[:8]}"
    # What has no colour is black.
    root.set("style", f"{_FONT.sub('', root.get('style', ''))}; fill: #000000")
    rules = [f".{name} {{ font-family: {FONTS} }}"] + ([] if root.get("class") == PHOTO else _follow(root, name))
    style = ElementTree.Element(f"{{{SVG}}}style")
    style.text = " ".join(rules)
    root.insert(0, style)
    rest = {key: value for key, value in root.attrib.items() if key != "class"}
    root.attrib = {"class": f"figure {name}", "role": "img", "aria-label": alt, **rest}
    ElementTree.register_namespace("", SVG)
    return ElementTree.tostring(root, encoding="unicode")


def _follow(root: ElementTree.Element, name: str) -> list[str]:
    """Have a figure's colours follow the page: the rules of style that do it."""
    variables: dict[tuple[str, str], str] = {}
    for parent in list(root.iter()):
        for at, child in reversed(list(enumerate(parent))):
            if child.get("href", "").startswith(_BITMAP):
                dark = ElementTree.Element(child.tag, {**child.attrib, "href": _dark_bitmap(child.get("href", ""))})
                child.set("class", "on-light")
                dark.set("class", "on-dark")
                parent.insert(at + 1, dark)
    for part in root.iter():
        style = part.get("style", "")
        is_bar = part.tag.endswith("}path") and "stroke" not in style and "opacity" not in style

        def variable(color: re.Match[str], is_bar: bool = is_bar) -> str:
            turned = (_on_dark_as_bar if is_bar else on_dark)(color[0].upper())
            return f"var(--{variables.setdefault((color[0], turned), f'c{len(variables)}')})"

        part.set("style", _HEX.sub(variable, style))
        if not part.get("style"):
            del part.attrib["style"]
    light = "".join(f"--{short}: {color};" for (color, _), short in variables.items())
    on_dark_page = "".join(f"--{short}: {turned};" for (_, turned), short in variables.items())
    shown, hidden = "{ display: inline }", "{ display: none }"
    page, paper = f'html[data-theme="dark"] .{name}', f"html .{name}.{name}"
    return [
        f".{name} {{ {light} }} .{name} .on-dark {hidden}",
        f"{page} {{ {on_dark_page} }} {page} .on-light {hidden} {page} .on-dark {shown}",
        f"@media print {{ {paper} {{ {light} }} {paper} .on-light {shown} {paper} .on-dark {hidden} }}",
    ]


def on_dark(color: str) -> str:
    """What a colour, as #RRGGBB, becomes on a dark page."""
    return _KNOWN.get(color) or _hex(_turned(_rgb(color)))


def _on_dark_as_bar(color: str) -> str:
    """What the colour of a bar becomes: dark where numbers may stand on it in ink, which are then light."""
    found = on_dark(color)
    if color not in PALETTE.values() or contrast(color, INK) < ENOUGH:
        return found
    return readable(found, DARK["ink"], DARK["ground"])


def _rgb(color: str) -> np.ndarray:
    return np.array([int(color[at : at + 2], 16) for at in (1, 3, 5)])


def _hex(rgb: np.ndarray) -> str:
    return "#" + bytes(rgb.tolist()).hex().upper()


def _turned(rgb: np.ndarray) -> np.ndarray:
    """Colours with their lightness turned round and their hue kept: white becomes the ground, and black the ink."""
    luma = rgb @ _LUMA
    turned = np.clip(rgb + (255 - 2 * luma)[..., None], 0, 255) / 255
    ground, ink = _rgb(DARK["ground"]), _rgb(DARK["ink"])
    return np.rint(ground + (ink - ground) * turned).astype(np.uint8)


def _dark_bitmap(source: str) -> str:
    """A bitmap of a heat map, or of many dots, with each colour as it is on a dark page."""
    with Image.open(io.BytesIO(b64decode(source.removeprefix(_BITMAP)))) as image:
        pixels = np.array(image.convert("RGBA"))
    pixels[..., :3] = _turned(pixels[..., :3].astype(float))
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG", optimize=True)
    return _BITMAP + b64encode(buffer.getvalue()).decode("ascii")
