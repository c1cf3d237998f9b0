"""The drawing of BERT's input: what is added up at each position."""

from collections.abc import Sequence

from seqlab.drawings.shapes import WIDE, Canvas
from seqlab.picture import Picture


def input_sum(tokens: Sequence[str], segments: Sequence[int]) -> Picture:
    """The three embeddings of each position, their sum and its norm.

    Args:
        tokens: The packed sequence, as it is written.
        segments: The segment of each token, 0 or 1.

    Raises:
        ValueError: If there is not one segment for each token.
    """
    if len(tokens) != len(segments):
        raise ValueError(f"there are {len(tokens)} tokens and {len(segments)} segments: expected one segment a token")
    pitch = max(64, *(16 + 9 * len(token) for token in tokens))
    canvas = Canvas(
        max(WIDE, int(92 + pitch * len(tokens))),
        386,
        f"A column for each of the tokens {' '.join(tokens)}. Three boxes in each, the embeddings of the token, of its position and of its "
        "segment, are added up and normalised, which gives the vector that enters the encoder.",
        "Three embeddings are added at each position",
    )
    rows = {"token": 296, "position": 240, "segment": 184}
    for name, y in rows.items():
        canvas.text(2, y, name, anchor="start", bold=True)
    canvas.text(2, 122, "norm", anchor="start", bold=True)
    for i, (token, segment) in enumerate(zip(tokens, segments, strict=True)):
        x = 92 + pitch * (i + 0.5)
        canvas.text(x, 366, token)
        canvas.wire((x, 352), (x, 318))
        canvas.box(x, rows["token"], f"$E_{{{token}}}$", width=pitch - 8, height=34, color="blue")
        canvas.box(x, rows["position"], f"$P_{i}$", width=pitch - 8, height=34, color="grey")
        canvas.box(
            x, rows["segment"], f"$G_{segment}$", width=pitch - 8, height=34, color="orange" if segment else "green"
        )
        for y in (268, 212):
            canvas.text(x, y, "+")
        normed = canvas.box(x, 122, width=pitch - 8, height=26, color="purple")
        canvas.wire((x, rows["segment"] - 17), normed.bottom)
        canvas.wire(normed.top, (x, 80))
        canvas.text(x, 60, f"$h_{i}^{{(0)}}$")
    return canvas.draw()
