"""Drawings of recurrent networks: unrolled, with their gradients, with gates, in two directions and in layers."""

from collections.abc import Collection, Sequence

from seqlab.drawings.shapes import WIDE, Canvas
from seqlab.picture import Picture

CARRIED = 3.4
"""The width of the line along which a state is carried from step to step."""


def rnn_unrolled(words: Sequence[str]) -> Picture:
    """A recurrent network as a box with a loop, and the same box once for each word of a sentence."""
    canvas = Canvas(
        WIDE,
        248,
        "On the left, a box named RNN with an input from below, a state that leaves it upwards and a loop that leads the state back "
        f"into it. On the right, the same network unrolled: a box for each of the words {' '.join(words)}. Each box gets its word "
        "from below and the state of the box on its left, and gives a new state upwards and to the right.",
        "The same step for every word",
    )
    middle, below, above = 140, 206, 74
    folded = canvas.box(48, middle, "RNN", width=58, height=44, color="blue")
    canvas.wire((48, below - 14), folded.bottom)
    canvas.wire(folded.top, (48, above + 14))
    canvas.wire(
        (77, middle - 8),
        (102, middle - 8),
        (102, middle + 44),
        (2, middle + 44),
        (2, middle),
        folded.left,
        color="blue",
        width=2.6,
    )
    canvas.text(48, below + 2, "$x_t$")
    canvas.text(48, above, "$h_t$")
    canvas.text(128, middle, "=", size=24)
    start, pitch = 222.0, (WIDE - 222 - 36) / (len(words) - 1)
    canvas.text(160, middle, "$h_0$")
    canvas.wire((174, middle), (start - 29, middle), color="blue", width=2.6)
    for t, word in enumerate(words, 1):
        x = start + (t - 1) * pitch
        box = canvas.box(x, middle, "RNN", width=58, height=44, color="blue")
        canvas.wire((x, below - 14), box.bottom)
        canvas.wire(box.top, (x, above + 14))
        canvas.text(x, above, f"$h_{t}$")
        canvas.text(x, below + 2, f"$x_{t}$")
        canvas.text(x, below + 26, word)
        if t < len(words):
            canvas.wire(box.right, (x + pitch - 29, middle), color="blue", width=2.6)
    return canvas.draw()


def four_shapes() -> Picture:
    """What a recurrent network may read and write: four panels of five steps."""
    canvas = Canvas(
        WIDE,
        424,
        "Four panels of boxes, states joined by arrows. Many to one: an input at each state, one output. One to many: one input, an "
        "output at each state. Many to many, aligned: both at each. Many to many, encoder–decoder: first inputs, then outputs. "
        "Dashed arrows lead from each output to the next state.",
        "Inputs below, hidden states in the middle, outputs above",
    )
    every = range(5)
    _shape(canvas, 0, 0, "many to one", every, [4])
    _shape(canvas, 360, 0, "one to many", [0], every, every[:-1])
    _shape(canvas, 0, 196, "many to many, aligned", every, every)
    _shape(canvas, 360, 196, "many to many, encoder–decoder", [0, 1, 2], [2, 3, 4], [2, 3])
    return canvas.draw()


def _shape(
    canvas: Canvas,
    left: int,
    top: int,
    name: str,
    reads: Collection[int],
    writes: Collection[int],
    feeds: Collection[int] = (),
) -> None:
    """One panel of the four, by its upper left corner."""
    canvas.text(left, top + 48, name, anchor="start", bold=True)
    for t in range(5):
        x = left + 22 + 70 * t
        state = canvas.box(x, top + 140, width=34, height=30, color="blue")
        if t:
            canvas.wire((x - 53, top + 140), state.left, color="blue", width=2.2)
        if t in reads:
            entering = canvas.box(x, top + 196, width=34, height=24, color="green")
            canvas.wire(entering.top, state.bottom)
        if t in writes:
            leaving = canvas.box(x, top + 84, width=34, height=24, color="red")
            canvas.wire(state.top, leaving.bottom)
        if t in feeds:  # what it writes, it reads at the next step
            canvas.wire(
                (x + 17, top + 84),
                (x + 35, top + 84),
                (x + 35, top + 131),
                (x + 53, top + 131),
                color="red",
                dashed=True,
            )


def rnn_step() -> Picture:
    """One step of a plain recurrent network."""
    canvas = Canvas(
        WIDE,
        222,
        "One step of an RNN. A thick line leads from the old hidden state through the product with W_h, a sum and a tanh to the new "
        "one; the input enters the sum from below, through the product with W_x and the bias.",
        "At each step an RNN recomputes its whole state",
    )
    y = 82
    canvas.text(26, y, "$h_{t-1}$")
    canvas.text(664, y, "$h_t$")
    weight = canvas.box(170, y, "× $W_h$", width=104, color="grey")
    plus = canvas.circle(330, y, "+")
    squash = canvas.box(500, y, "tanh", width=104, color="orange")
    enters = canvas.box(330, 148, "× $W_x$, + $b$", width=134)
    canvas.text(330, 208, "$x_t$")
    for start, end in (
        ((52, y), weight.left),
        (weight.right, plus.left),
        (plus.right, squash.left),
        (squash.right, (644, y)),
    ):
        canvas.wire(start, end, color="blue", width=CARRIED)
    canvas.wire((330, 196), enters.bottom)
    canvas.wire(enters.top, plus.bottom)
    return canvas.draw()


def backward_through_time() -> Picture:
    """The pencil-and-paper example: three steps forwards, and the gradients back along the states and down to the weight."""
    canvas = Canvas(
        WIDE,
        352,
        "The recurrence unrolled. Boxes for the states h0 to h3 hold 0, 1, a half and a quarter; the inputs 1, 0 and 0 enter h1, h2 "
        "and h3 from above, and arrows marked times w join the states. Below the states, arrows to the left carry the gradients 1, a "
        "half and a quarter, each times w, and arrows down carry each gradient times the state on its left to w: the shares 0, a half "
        "and a half, which add up to 1.",
        "Gradients go back along the states, then down to the weight",
    )
    forwards, backwards, weight = 124, 208, 312
    states, inputs = ("0", "1", "½", "¼"), ("", "1", "0", "0")
    gradients, shares = ("", "¼", "½", "1"), ("", "¼ · 0", "½ · 1", "1 · ½")
    for t in range(4):
        x = 62 + 172 * t
        state = canvas.box(x, forwards, f"$h_{t}$ = {states[t]}", width=96, color="blue")
        if t == 0:
            continue
        canvas.text(x, 60, f"$x_{t}$ = {inputs[t]}")
        canvas.wire((x, 74), state.top)
        canvas.wire((x - 124, forwards), state.left, color="blue", width=2.6)
        canvas.text(x - 88, forwards - 17, "× $w$", color="blue")
        gradient = canvas.box(x, backwards, gradients[t], width=96, color="red")
        if t < 3:
            canvas.wire((x + 124, backwards), gradient.right, color="red", width=2.6)
            canvas.text(x + 84, backwards - 17, "× $w$", color="red")
        canvas.wire(gradient.bottom, (x, weight - 19), color="red")
        canvas.text(x + 12, (backwards + weight) / 2, f"× $h_{t - 1}$", anchor="start", color="red")
        canvas.box(x, weight, shares[t], width=96, color="red", dashed=True)
        if t > 1:
            canvas.text(x - 86, weight, "+", size=20)
    canvas.text(62, backwards, "gradient of\neach state", color="red")
    canvas.text(62, weight, "gradient\nof $w$", color="red")
    canvas.text(638, weight, "= 1", color="red", anchor="start")
    return canvas.draw()


def gru_cell() -> Picture:
    """One step of a GRU, with the names that its code has."""
    canvas = Canvas(
        WIDE,
        424,
        "One step of a GRU. Along the top, a thick line leads from the old state h through a product with the update gate, "
        "update * h, and a sum to the new state h'. Below stand three boxes: update, reset and candidate. The reset gate multiplies "
        "the contribution of the state to the candidate, reset * state_n; the candidate, multiplied by one minus update, enters the sum.",
        "A GRU can carry its state past the matrices",
    )
    top, mix, gates, enter = 96, 200, 318, 384
    update = canvas.box(112, gates, "`update`\nσ", width=96, height=52, color="green")
    reset = canvas.box(258, gates, "`reset`\nσ", width=96, height=52, color="green")
    candidate = canvas.box(560, gates, "`candidate`\ntanh", width=112, height=52, color="orange")
    keep, forget = canvas.circle(112, top, "×"), canvas.circle(400, gates, "×")
    take, plus = canvas.circle(560, mix, "×"), canvas.circle(560, top, "+")
    canvas.text(18, top, "`h`")
    canvas.text(672, top, "`h'`")
    for start, end in (((30, top), keep.left), (keep.right, plus.left), (plus.right, (656, top))):
        canvas.wire(start, end, color="blue", width=CARRIED)
    canvas.wire(update.top, keep.bottom)
    canvas.wire((112, mix), take.left)
    canvas.box(216, mix, "1 −", width=52, height=32)
    canvas.wire(reset.right, forget.left)
    canvas.wire(forget.right, candidate.left)
    canvas.wire(candidate.top, take.bottom)
    canvas.wire(take.top, plus.bottom)
    canvas.text(136, top - 24, "`update * h`", anchor="start")
    canvas.text(400, gates - 32, "`reset * state_n`")
    canvas.text(537, mix - 20, "`(1 - update) * candidate`", anchor="end")
    for x, name, foot in (
        (112, "`input_z`\n`+ state_z`", update.bottom),
        (258, "`input_r`\n`+ state_r`", reset.bottom),
        (400, "`state_n`", forget.bottom),
        (560, "`input_n`", candidate.bottom),
    ):
        canvas.text(x, enter + 8 + 10 * name.count("\n"), name)
        canvas.wire((x, enter - 4), foot)
    return canvas.draw()


def lstm_cell() -> Picture:
    """One step of an LSTM, with the names that its code has."""
    canvas = Canvas(
        WIDE,
        424,
        "One step of an LSTM. Along the top, a thick line leads from the old cell through a product with the forget gate, f * cell, "
        "and a sum to the new cell. The product of input gate and candidate, i * g, enters the sum from below; a tanh of the new cell, "
        "times the output gate, o * cell.tanh(), becomes the new hidden state.",
        "An LSTM's cell passes through no matrix",
    )
    top, mix, gates, enter = 96, 206, 312, 386
    forget = canvas.box(112, gates, "`f`\nσ", width=84, height=52, color="green")
    write = canvas.box(232, gates, "`i`\nσ", width=84, height=52, color="green")
    candidate = canvas.box(352, gates, "`g`\ntanh", width=84, height=52, color="orange")
    show = canvas.box(540, gates, "`o`\nσ", width=84, height=52, color="green")
    squash = canvas.box(446, 150, "tanh", width=76, height=34, color="orange")
    keep, take = canvas.circle(112, top, "×"), canvas.circle(292, mix, "×")
    plus, give = canvas.circle(292, top, "+"), canvas.circle(540, mix, "×")
    canvas.text(24, top, "`cell`")
    canvas.text(660, top, "`cell'`")
    canvas.text(662, mix, "`h'`")
    for start, end in (((48, top), keep.left), (keep.right, plus.left), (plus.right, (632, top))):
        canvas.wire(start, end, color="blue", width=CARRIED)
    canvas.wire(forget.top, keep.bottom)
    canvas.wire(write.top, (232, mix), take.left)
    canvas.wire(candidate.top, (352, mix), take.right)
    canvas.wire(take.top, plus.bottom)
    canvas.wire((446, top), squash.top)
    canvas.wire(squash.bottom, (446, mix), give.left)
    canvas.wire(show.top, give.bottom)
    canvas.wire(give.right, (648, mix), color="blue", width=2.4)
    canvas.text(136, top - 24, "`f * cell`", anchor="start")
    canvas.text(310, 150, "`i * g`", anchor="start")
    canvas.text(552, mix - 26, "`o * cell.tanh()`", anchor="start")
    canvas.wire((112, enter), (540, enter), head=False)
    canvas.wire((60, enter), (112, enter), head=False)
    canvas.text(52, enter, "`x`, `h`", anchor="end")
    for shape in (forget, write, candidate, show):
        canvas.wire((shape.x, enter), shape.bottom)
    return canvas.draw()


def bidirectional(words: Sequence[str]) -> Picture:
    """Two recurrences over one sentence, from either end."""
    canvas = Canvas(
        WIDE,
        316,
        f"The words {' '.join(words)}, and above them two rows of boxes. The lower row reads from left to right, the upper one from "
        "right to left; each word's pair of states goes up side by side.",
        "Each word is read from both ends",
    )
    pitch = WIDE / len(words)
    there, back, pair, below = 216, 146, 72, 286
    for t, word in enumerate(words, 1):
        x = (t - 0.5) * pitch
        canvas.text(x, below + 14, word)
        canvas.text(x, below - 8, f"$x_{t}$")
        for shift, y, color in ((-22, there, "blue"), (22, back, "red")):
            state = canvas.box(x + shift, y, width=38, height=30, color=color)
            canvas.wire((x + shift, below - 22), state.bottom)
            canvas.wire(state.top, (x + shift, pair + 16))
        canvas.box(x, pair, f"$h_{t}$", width=86, height=32, color="purple")
        if t < len(words):
            canvas.wire((x - 3, there), (x + pitch - 41, there), color="blue", width=2.6)
            canvas.wire((x + pitch + 3, back), (x + 41, back), color="red", width=2.6)
    return canvas.draw()


def stacked(steps: int = 5, layers: int = 3) -> Picture:
    """Recurrences on top of each other."""
    canvas = Canvas(
        WIDE,
        92 + 76 * layers,
        f"{layers} rows of {steps} boxes. Within a row, arrows lead from each state to the next; from row to row, arrows lead up. The "
        "inputs enter the lowest row.",
        "Each layer reads the states of the one below",
    )
    foot = 68 + 76 * layers
    for layer in range(1, layers + 1):
        y = foot - 12 - 66 * layer
        canvas.text(0, y, f"layer {layer}", anchor="start", color="blue")
        for t in range(1, steps + 1):
            x = 130 + (WIDE - 170) / (steps - 1) * (t - 1)
            state = canvas.box(x, y, f"$h_{t}^{layer}$", width=62, color="blue")
            canvas.wire((x, foot - 14 if layer == 1 else y + 47), state.bottom)
            if t < steps:
                canvas.wire(state.right, (x + (WIDE - 170) / (steps - 1) - 31, y), color="blue", width=2.6)
            if layer == 1:
                canvas.text(x, foot, f"$x_{t}$")
    return canvas.draw()
