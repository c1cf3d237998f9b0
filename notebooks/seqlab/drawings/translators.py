"""Drawings of translators with recurrent networks: encoder and decoder, and a decoder with attention."""

from collections.abc import Sequence

from seqlab.drawings.shapes import WIDE, Canvas
from seqlab.drawings.steps import in_steps
from seqlab.picture import Picture


def encoder_decoder(source: Sequence[str], target: Sequence[str]) -> Picture:
    """One network reads the source, another writes the target and reads each word that it has written."""
    canvas = Canvas(
        WIDE,
        392,
        f"Above, the encoder reads {' '.join(source)} word after word. An arrow leads from its last state to the first state of the "
        f"decoder below, which writes {' '.join(target)} and the end mark. Dashed arrows lead from each word that it has written to the "
        "input of the next step.",
        "One network reads, another writes",
    )
    reads, writes, said, heard = 104, 300, 242, 364
    canvas.text(0, 58, "encoder", anchor="start", bold=True)
    pitch = 560 / (len(source) - 1)
    for i, word in enumerate(source):
        x = 40 + i * pitch
        state = canvas.box(x, reads, f"$h_{i + 1}$", width=42, height=34, color="blue")
        canvas.text(x, reads + 56, word)
        canvas.wire((x, reads + 44), state.bottom)
        if i:
            canvas.wire((x - pitch + 21, reads), state.left, color="blue", width=2.6)
    pitch = 530 / len(target)
    canvas.wire(
        (621, reads), (666, reads), (666, 196), (42, 196), (42, writes), (77, writes), color="orange", width=2.6
    )
    canvas.text(344, 212, "the encoding")
    canvas.text(54, 216, "decoder", bold=True, anchor="start")
    for t, (word, following) in enumerate(zip(["<bos>", *target], [*target, "<eos>"], strict=True)):
        x = 98 + t * pitch
        state = canvas.box(x, writes, f"$s_{t + 1}$", width=42, height=34, color="green")
        canvas.text(x, said + 4, following, color="red")
        canvas.wire(state.top, (x, said + 16))
        canvas.text(x, heard, word)
        canvas.wire((x, heard - 14), state.bottom)
        if t < len(target):
            half = 6 + 4.4 * len(following)
            way = x + pitch / 2
            canvas.wire(state.right, (x + pitch - 21, writes), color="green", width=2.6)
            canvas.wire(
                (x + half, said + 4), (way, said + 4), (way, heard), (x + pitch - half, heard), color="red", dashed=True
            )
    return canvas.draw()


def attention_decoder() -> Picture:
    """One step of a decoder with attention, from the previous word to the next."""
    canvas = Canvas(
        WIDE,
        504,
        "One step of a decoder with attention. On the right, the previous word, y t-1, and the previous state enter a GRU, whose new state "
        "s t goes to the left, as the query, into a row of scores with the encoder's states h 1 to h 4. The softmax turns the scores into "
        "weights, with which the states h i are averaged to the context c t. Context and state together enter a tanh layer and the "
        "output layer, which predicts the next word, y t.",
        "Every step uses a context of its own",
    )
    memory, score, share, average, column = 438, 352, 270, 188, 570
    scores = canvas.box(222, score, "score of $s_t$ and each $h_i$", width=340, color="blue")
    canvas.box(222, share, "softmax", width=340, color="orange")
    context = canvas.box(222, average, "average of the $h_i$, with these weights", width=340, color="purple")
    for i in range(1, 5):
        x = 90 + 88 * (i - 1)
        state = canvas.box(x, memory, f"$h_{i}$", width=52, color="blue")
        canvas.wire(state.top, (x, score + 19))
        canvas.wire((x, score - 19), (x, share + 19))
        canvas.text(x + 8, (score + share) / 2, f"$e_{{t{i}}}$", anchor="start")
        canvas.wire((x, share - 19), (x, average + 19))
        canvas.text(x + 8, (share + average) / 2, f"$α_{{t{i}}}$", anchor="start")
    held = canvas.frame(222, memory, 352, 62)
    canvas.wire(held.left, (22, memory), (22, average), context.left, color="blue")
    canvas.text(222, memory + 46, "encoder states")
    gru = canvas.box(column, score, "GRU", width=100, color="green")
    embed = canvas.box(column, memory - 12, "embedding", width=100)
    mixed = canvas.box(column, average, "$W_c$ [$c_t$; $s_t$] + $b_c$, tanh", width=210, color="orange")
    output = canvas.box(column, 112, "output layer", width=130)
    canvas.text(column, memory + 46, "$y_{t-1}$")
    canvas.text(column, 52, "$y_t$")
    canvas.text(672, score, "$s_{t-1}$")
    canvas.wire((column, memory + 32), embed.bottom)
    canvas.wire(embed.top, gru.bottom)
    canvas.wire((654, score), gru.right, color="green", width=2.6)
    canvas.wire(gru.left, scores.right, color="green", width=2.6)
    canvas.text(456, score - 18, "$s_t$")
    canvas.wire(gru.top, mixed.bottom, color="green", width=2.6)
    canvas.text(column + 12, share, "$s_t$", anchor="start")
    canvas.wire(context.right, mixed.left, color="purple", width=2.6)
    canvas.text(428, average - 18, "$c_t$")
    canvas.wire(mixed.top, output.bottom)
    canvas.wire(output.top, (column, 66))
    return canvas.draw()


def attention_in_steps(
    source: Sequence[str],
    read: str,
    scores: Sequence[float],
    weights: Sequence[float],
    chances: Sequence[tuple[str, float]],
) -> Picture:
    """One look of a decoder at the source, built up in six steps, with the numbers of a trained model.

    Args:
        source: The S source words.
        read: The word that the decoder has just read.
        scores: The S scores.
        weights: The S attention weights.
        chances: The most probable next words with their probabilities, the best one first.

    Raises:
        ValueError: If there is not one score and one weight for each word.
    """
    if not len(source) == len(scores) == len(weights):
        raise ValueError(
            f"there are {len(source)} source words, {len(scores)} scores and {len(weights)} weights: expected one of each per word"
        )
    pitch = max(60, *(22 + 8 * len(word) for word in source))
    right = 88 + pitch * len(source) + 96
    canvas = Canvas(
        max(WIDE, int(right + 64)),
        372,
        f"The encoder's states of {' '.join(source)}, above them the scores that the decoder's state after {read} gives them, above "
        "these the attention weights, from which lines as thick as the weights lead to the context; context and state lead to the next word.",
        "One look at the source, step by step",
    )
    words, states, compared, shared, context_at = 356, 312, 240, 188, 84
    middle = 88 + pitch * len(source) / 2
    places = [88 + pitch * (i + 0.5) for i in range(len(source))]
    best = max(range(len(source)), key=lambda i: weights[i])
    canvas.step = 1
    canvas.text(2, states, "states", anchor="start", bold=True)
    for i, (x, word) in enumerate(zip(places, source, strict=True), 1):
        canvas.box(x, states, f"$h_{{{i}}}$", width=44, height=34, color="blue")
        canvas.text(x, words, word)
    canvas.step = 2
    query = canvas.box(right, compared, "$s_t$", width=56, color="green")
    canvas.text(right, compared + 42, f"state after\n“{read}”")
    canvas.step = 3
    canvas.text(2, compared, "scores", anchor="start", bold=True)
    canvas.frame(middle, compared, pitch * len(source), 34, color="green")
    canvas.wire(query.left, (88 + pitch * len(source), compared), color="green", width=2.6)
    for x, score in zip(places, scores, strict=True):
        canvas.wire((x, states - 17), (x, compared + 17))
        canvas.text(x, compared, _number(score, 1))
    canvas.step = 4
    canvas.text(2, shared, "weights", anchor="start", bold=True)
    for x, weight in zip(places, weights, strict=True):
        canvas.wire((x, compared - 17), (x, shared + 12))
        canvas.text(x, shared, _number(weight, 2))
    canvas.step = 5
    context = canvas.box(middle, context_at, "context $c_t$", width=120, color="purple")
    for x, weight in zip(places, weights, strict=True):
        canvas.wire((x, shared - 14), context.bottom, color="purple", width=0.6 + 9 * weight, head=False, opacity=0.75)
    canvas.step = 6
    found = canvas.box(
        right,
        context_at + 10,
        "\n".join(f"{word}  {_number(chance, 2)}" for word, chance in chances),
        width=120,
        height=24 + 22 * len(chances),
        color="red",
    )
    canvas.wire(context.right, (right - 60, context_at), color="purple", width=2.6)
    canvas.wire(query.top, found.bottom, color="green", width=2.6)
    return in_steps(
        canvas.draw(),
        [
            "The encoder has a hidden state for every source word.",
            f"The decoder’s state, which has just read “{read}”, is the query.",
            "The query is compared with every encoder state, and each of them gets a score.",
            f"The softmax turns the scores into weights. The largest, {_number(weights[best], 2)}, is on “{source[best]}”.",
            "The context vector is the average of the encoder states with these weights.",
            f"Context and state predict the next word: “{chances[0][0]}” gets a probability of {_number(chances[0][1], 2)}.",
        ],
    )


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".replace("-", "−")
