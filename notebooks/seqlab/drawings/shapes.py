"""The shapes that the drawings are made of: boxes, circles and arrows, written as one piece of SVG.

A drawing is part of the page itself, not an image, so that its colours follow the page: they are variables, with values
for light and for dark pages. The colours are those of the palette, moved towards black or white until they can be read
as text.

Coordinates are pixels, x to the right and y downwards, and a text is as large as that of the page around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape

from seqlab.contrast import mix, readable
from seqlab.picture import Picture
from seqlab.plots import INK, PALETTE

Point = tuple[float, float]

WIDE = 690
"""How wide a drawing may be: as wide as the page's column."""
SIZE = 16
"""The size of the letters."""
_SCRIPT = 0.74
"""How large sub- and superscripts are, relative to the letters."""
_DARK_PAGES = (
    'html[data-theme="dark"]',
    'html[theme="dark"]',
    'body[data-jp-theme-light="false"]',
    "body.vscode-dark",
)
"""How the site, Colab, JupyterLab and VS Code say that a page is dark."""
FONTS = "-apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Liberation Sans', Arial, sans-serif"
_MATH_FONTS = "'Latin Modern Math', 'STIX Two Text', Cambria, 'Times New Roman', 'Liberation Serif', serif"
_CODE_FONTS = "SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace"
_RUN = re.compile(r"\$(?P<math>[^$]*)\$|`(?P<code>[^`]*)`|(?P<plain>[^$`]+)")
_SYMBOL = re.compile(r"(?P<script>[_^])(?:\{(?P<group>[^}]*)\}|(?P<one>.))|(?P<base>[^_^]+)")


def theme(ground: str, ink: str, tint: float) -> dict[str, str]:
    """The colours of a drawing on one ground: lines and letters by the palette's names, and `name-tint` for the boxes' inside."""
    colors = {"ground": ground, "ink": ink}
    for name, color in PALETTE.items():
        inside = mix(color, ground, tint)
        colors |= {name: readable(color, inside, ink), f"{name}-tint": inside}
    return colors


LIGHT = theme("#FFFFFF", INK, 0.13)
DARK = theme("#14181E", "#F2F2F2", 0.22)


def _variables(colors: dict[str, str]) -> str:
    return " ".join(f"--d-{name}: {color};" for name, color in colors.items())


def _style() -> str:
    """The style sheet that each drawing brings with it."""
    dark = ", ".join(f"{page} .drawing" for page in _DARK_PAGES)
    rules = [
        f".drawing {{ {_variables(LIGHT)} display: block; max-width: none; font: {SIZE}px {FONTS}; fill: var(--d-ink); }}",
        f"{dark} {{ {_variables(DARK)} }}",
        f"@media print {{ html .drawing.drawing {{ {_variables(LIGHT)} }} }}",
        ".drawing .d-line { fill: none; stroke: var(--d-ink); }",
        f".drawing .d-math {{ font-family: {_MATH_FONTS}; font-size: 1.12em; }}",
        ".drawing .d-var { font-style: italic; }",
        f".drawing .d-code {{ font-family: {_CODE_FONTS}; font-size: 0.92em; }}",
        f".drawing .d-script {{ font-size: {_SCRIPT:.2f}em; }}",
        ".drawing .d-round { fill: var(--d-ground); }",
    ]
    for name in PALETTE:
        rules.append(
            f".drawing .d-{name} {{ fill: var(--d-{name}); }} "
            f".drawing .d-line.d-{name} {{ fill: none; stroke: var(--d-{name}); }} "
            f".drawing .d-box.d-{name} {{ fill: var(--d-{name}-tint); stroke: var(--d-{name}); }} "
            f".drawing .d-round.d-{name} {{ fill: var(--d-ground); stroke: var(--d-{name}); }}"
        )
    return "\n".join(rules)


STYLE = _style()


@dataclass(frozen=True)
class Shape:
    """What has been drawn around a point, with the places where arrows begin and end."""

    x: float
    y: float
    width: float
    height: float

    @property
    def left(self) -> Point:
        """The middle of its left side."""
        return self.x - self.width / 2, self.y

    @property
    def right(self) -> Point:
        """The middle of its right side."""
        return self.x + self.width / 2, self.y

    @property
    def top(self) -> Point:
        """The middle of its upper side."""
        return self.x, self.y - self.height / 2

    @property
    def bottom(self) -> Point:
        """The middle of its lower side."""
        return self.x, self.y + self.height / 2


@dataclass
class Canvas:
    """A drawing in the making.

    Labels may hold mathematics between dollars, as in `$h_{t-1}$`, and names of the code between backquotes.

    Args:
        width: Its width, at most `WIDE`.
        height: Its height.
        alt: What it shows, in words.
        title: The sentence above it.
    """

    width: int
    height: int
    alt: str
    title: str = ""
    step: int = 0
    """The step from which on what is drawn now is to be seen, where a drawing has steps."""
    _layers: dict[str, list[str]] = field(
        default_factory=lambda: {"back": [], "lines": [], "shapes": [], "letters": []}
    )

    def __post_init__(self) -> None:
        """Write the title."""
        if self.title:
            self.text(0, 14, self.title, anchor="start", size=18, bold=True)

    def _add(self, layer: str, part: str) -> None:
        self._layers[layer].append(f'<g class="step-{self.step}">{part}</g>' if self.step else part)

    def draw(self) -> Picture:
        """The finished drawing."""
        inside = "".join(part for parts in self._layers.values() for part in parts)
        return Picture(
            f'<svg xmlns="http://www.w3.org/2000/svg" class="drawing" role="img" aria-label="{escape(self.alt)}" '
            f'width="{self.width}" height="{self.height}" viewBox="0 0 {self.width} {self.height}">'
            f"<style>{STYLE}</style>{inside}</svg>",
            self.alt,
        )

    def text(
        self,
        x: float,
        y: float,
        label: str,
        *,
        color: str = "",
        anchor: str = "middle",
        size: int = SIZE,
        bold: bool = False,
        turned: bool = False,
        layer: str = "letters",
    ) -> None:
        """Write a label whose middle, start or end (`anchor`) is at a point; a new line begins at each line break.

        Args:
            x: The point, across.
            y: The point, the middle of the label's height.
            label: The label.
            color: A name of the palette; the page's own ink if none is given.
            anchor: "start", "middle" or "end".
            size: The size of the letters.
            bold: Whether it is written in bold type.
            turned: Whether it is written upwards.
            layer: The layer that it belongs to.
        """
        lines = label.split("\n")
        pitch = 1.25 * size
        for number, line in enumerate(lines):
            base = y + (number - (len(lines) - 1) / 2) * pitch + 0.35 * size
            more = f' font-size="{size}"' if size != SIZE else ""
            more += ' font-weight="600"' if bold else ""
            more += f' class="d-{color}"' if color else ""
            more += f' transform="rotate(-90 {_round(x)} {_round(y)})"' if turned else ""
            anchored = f' text-anchor="{anchor}"' if anchor != "start" else ""
            self._add(
                layer, f'<text x="{_round(x)}" y="{_round(base)}"{anchored}{more}>{"".join(_spans(line, size))}</text>'
            )

    def box(
        self,
        x: float,
        y: float,
        label: str = "",
        *,
        width: float = 100,
        height: float = 38,
        color: str = "grey",
        rounded: float = 6,
        dashed: bool = False,
        thick: float = 1.6,
    ) -> Shape:
        """A box around a point, with its label inside."""
        self._add(
            "shapes",
            f'<rect class="d-box d-{color}" x="{_round(x - width / 2)}" y="{_round(y - height / 2)}" width="{_round(width)}" '
            f'height="{_round(height)}" rx="{_round(rounded)}" stroke-width="{_round(thick)}"{_dashes(dashed)}/>',
        )
        if label:
            self.text(x, y, label)
        return Shape(x, y, width, height)

    def circle(self, x: float, y: float, sign: str, *, color: str = "blue", radius: float = 15) -> Shape:
        """An operation on each component: a circle around its sign."""
        self._add(
            "shapes",
            f'<circle class="d-round d-{color}" cx="{_round(x)}" cy="{_round(y)}" r="{_round(radius)}" stroke-width="1.6"/>',
        )
        self.text(x, y, sign, size=19)
        return Shape(x, y, 2 * radius, 2 * radius)

    def frame(
        self, x: float, y: float, width: float, height: float, *, color: str = "grey", dashed: bool = True
    ) -> Shape:
        """A frame behind the parts that belong together, placed by its centre."""
        self._add(
            "back",
            f'<rect class="d-line d-{color}" x="{_round(x - width / 2)}" y="{_round(y - height / 2)}" width="{_round(width)}" '
            f'height="{_round(height)}" rx="10" stroke-width="1.4"{_dashes(dashed)}/>',
        )
        return Shape(x, y, width, height)

    def cell(self, x: float, y: float, width: float, height: float, *, color: str, opacity: float = 1.0) -> None:
        """A coloured cell of a grid or a bar, by its upper left corner."""
        self._add(
            "shapes",
            f'<rect class="d-{color}" x="{_round(x)}" y="{_round(y)}" width="{_round(width)}" height="{_round(height)}" '
            f'fill-opacity="{_round(opacity)}"/>',
        )

    def image(self, x: float, y: float, size: float, source: str) -> None:
        """A square bitmap, by its upper left corner; its pixels stay sharp."""
        self._add(
            "shapes",
            f'<image x="{_round(x)}" y="{_round(y)}" width="{_round(size)}" height="{_round(size)}" href="{source}" '
            'style="image-rendering: pixelated"/>',
        )

    def wire(
        self,
        *points: Point,
        color: str = "grey",
        width: float = 1.8,
        head: bool = True,
        dashed: bool = False,
        rounded: float = 9,
        opacity: float = 1.0,
    ) -> None:
        """A line along the points, with rounded corners, and an arrow's head at its end."""
        way = list(points)
        faint = f' opacity="{_round(opacity)}"' if opacity < 1 else ""
        if head:
            long, wide = 5 + 2.4 * width, 2 + 1.5 * width
            tip, (dx, dy) = way[-1], _direction(way[-2], way[-1])
            foot = tip[0] - long * dx, tip[1] - long * dy
            corners = [tip, (foot[0] - wide * dy, foot[1] + wide * dx), (foot[0] + wide * dy, foot[1] - wide * dx)]
            shape = " ".join(f"{_round(x)},{_round(y)}" for x, y in corners)
            self._add("lines", f'<polygon class="d-{color}" points="{shape}"{faint}/>')
            way[-1] = tip[0] - 0.7 * long * dx, tip[1] - 0.7 * long * dy
        self._add(
            "lines",
            f'<path class="d-line d-{color}" d="{_path(way, rounded)}" stroke-width="{_round(width)}"{_dashes(dashed)}{faint}/>',
        )


def _round(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0") if abs(number) >= 1 else f"{number:.2f}".rstrip("0").rstrip(".") or "0"


def _dashes(dashed: bool) -> str:
    return ' stroke-dasharray="5 4"' if dashed else ""


def _direction(start: Point, end: Point) -> Point:
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = (dx**2 + dy**2) ** 0.5
    return dx / length, dy / length


def _path(points: list[Point], rounded: float) -> str:
    """Lines through the points, whose corners are cut by curves."""
    parts = [f"M{_round(points[0][0])} {_round(points[0][1])}"]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        sides = [max(abs(end[0] - corner[0]), abs(end[1] - corner[1])) for end in (before, after)]
        reach = min(rounded, *(side / 2 for side in sides))
        (ax, ay), (bx, by) = _direction(corner, before), _direction(corner, after)
        parts.append(
            f"L{_round(corner[0] + reach * ax)} {_round(corner[1] + reach * ay)}"
            f"Q{_round(corner[0])} {_round(corner[1])} {_round(corner[0] + reach * bx)} {_round(corner[1] + reach * by)}"
        )
    parts.append(f"L{_round(points[-1][0])} {_round(points[-1][1])}")
    return "".join(parts)


def _spans(line: str, size: int) -> Iterator[str]:
    """A label's line as SVG: mathematics with italic letters and raised or lowered scripts, code in its own type."""
    for run in _RUN.finditer(line):
        if run["math"] is not None:
            yield from _formula(run["math"], size)
        elif run["code"] is not None:
            yield f'<tspan class="d-code">{escape(run["code"])}</tspan>'
        else:
            yield escape(run["plain"])


def _formula(formula: str, size: int) -> Iterator[str]:
    """A formula's letters, with each script moved off the line and the next part back to it."""
    moved = 0.0
    for symbol in _SYMBOL.finditer(formula):
        to = {"_": 0.26 * size, "^": -0.38 * size}.get(symbol["script"] or "", 0.0)
        shift = f' dy="{_round(to - moved)}"' if to != moved else ""
        moved = to
        part = symbol["base"] or symbol["group"] or symbol["one"]
        script = " d-script" if symbol["script"] else ""
        # A space keeps the width of a word's, and letters are italic where digits and signs are upright.
        for letters in re.findall(r"[^\W\d_]+|[\W\d_]+", part):
            kind = " d-var" if letters[0].isalpha() else ""
            yield f'<tspan class="d-math{kind}{script}"{shift}>{escape(letters)}</tspan>'
            shift = ""
    if moved:
        # What follows stands on the line again; a zero-width space carries the shift.
        yield f'<tspan dy="{_round(-moved)}">\u200b</tspan>'
