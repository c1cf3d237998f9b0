"""Colours as WCAG 2 sees them: how far apart two of them are, and the shade of one that can be read as text."""

from __future__ import annotations

ENOUGH = 4.5
"""The contrast that text needs on its ground."""


def _channels(color: str) -> tuple[int, ...]:
    return tuple(int(color[at : at + 2], 16) for at in (1, 3, 5))


def mix(color: str, other: str, share: float) -> str:
    """A share of one colour, and the rest of another."""
    pairs = zip(_channels(color), _channels(other), strict=True)
    return "#" + "".join(f"{round(share * a + (1 - share) * b):02X}" for a, b in pairs)


def contrast(color: str, ground: str) -> float:
    """The contrast of two colours as WCAG 2 defines it, between 1 and 21."""

    def luminance(of: str) -> float:
        parts = [c / 255 for c in _channels(of)]
        red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((luminance(color), luminance(ground)))
    return (high + 0.05) / (low + 0.05)


def readable(color: str, ground: str, ink: str) -> str:
    """The colour, moved towards the ink until text in it can be read on the background."""
    share = 1.0
    while contrast(mix(color, ink, share), ground) < ENOUGH:
        share -= 0.02
    return mix(color, ink, share)
