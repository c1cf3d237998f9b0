"""What a notebook and the site show as HTML, with the words that stand in for it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Picture:
    """A drawing, a picture in steps or something to play with.

    Args:
        html: Its markup.
        text: What it shows, in words, for where HTML is not shown.
    """

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        """What it shows, in words."""
        return self.text
