"""Stored models that run on the site's pages: the file that a page loads, and what stands there until a reader uses it.

A file is a script that holds a safetensors file in base64, because a page that is opened from the disk may load scripts and nothing else.
The forward pass is `book/_static/network.js`, and what a reader types into is `book/_static/live.js`.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell
from safetensors.torch import save
from torch import Tensor

from autograder.building.page_questions import insert_before
from autograder.declare import slug_of
from seqlab.corpus import Corpus, Pair, load_corpus, make_batch
from seqlab.drawings.shapes import Canvas
from seqlab.models import greedy_translate
from seqlab.periods import ANSWER
from seqlab.periods import BOS as BOS_PIECE
from seqlab.periods import EOS as EOS_PIECE
from seqlab.presidents import load_speeches
from seqlab.scene_captions import COLOURS, SIZES
from seqlab.scenes import FAINT, HELD_OUT_PAIRS, INKS, WIDTHS, handwriting, load_scenes, split_digits
from seqlab.stored import load_table, load_weights
from seqlab.transformer import RecurrentTranslator, Translator
from seqlab.wordpieces import CLS, MASK, SEP, load_pieces

FOLDER = "models"
"""Where the files lie, beside the pages."""
EXAMPLES = (
    "The small black cat is watching the white mouse.",
    "Emma's black cat is hungry.",
    "He never wears the red hat.",
    "He hit me with a pie.",
)
"""English sentences to try; the picture is of the first."""
MOST_WORDS = 80
"""A translation or a caption ends after so many words."""
CAPTIONER = "as they were"
"""The variant of the table on hard scenes whose weights are stored."""
HANDS = 8
"""So many images of each digit may be in a scene that a reader composes."""
_FAINT = 0.05
"""A line with less weight is not drawn."""


def make_live(name: str, site: Path) -> str:
    """Write a model's file and make the place where it runs.

    Args:
        name: The model, such as "translator".
        site: The folder that the site's pages will lie in.

    Returns:
        The place, as HTML: a picture, which the script replaces with what a reader types into.

    Raises:
        ValueError: There is no model of this name, or SEQLAB_CORPUS or SEQLAB_PICTURES name other data than those that a model was trained on.
    """
    if name not in _MADE:
        raise ValueError(f"there is no model {name!r} for a page: the models are {', '.join(_MADE)}")
    weights, metadata, data, inside = _MADE[name]()
    file = site / FOLDER / f"{name}.js"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(as_script(name, weights, metadata), encoding="ascii")
    data |= {"file": f"{FOLDER}/{file.name}", "bytes": file.stat().st_size}
    # In a script's text, only the sign that could end it has to be written otherwise.
    packed = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return (
        f'<div class="live" data-live="{name}">{inside}<noscript><p>To use it here, turn on JavaScript.</p></noscript>'
        f'<script type="application/json">{packed}</script></div>'
    )


def as_script(name: str, weights: Mapping[str, Tensor], metadata: Mapping[str, Any]) -> str:
    """A model as a script that hands it to `network.js`.

    Args:
        name: What the model is called there.
        weights: Its state dict, which is stored in half precision.
        metadata: What else the forward pass needs, by name, such as the vocabulary.
    """
    halves = {key: tensor.half().contiguous() for key, tensor in weights.items()}
    packed = save(halves, {key: json.dumps(value, ensure_ascii=False) for key, value in metadata.items()})
    return f'network.files.{name} = "{b64encode(packed).decode()}";\n'


def load_translator(corpus: Corpus) -> RecurrentTranslator:
    """The translator of the chapter on attention, with its stored weights."""
    translator = RecurrentTranslator(len(corpus.source_vocab), len(corpus.target_vocab), 128)
    translator.load_state_dict(_without_decoder(load_weights("attention", "keyed", 0)))
    return translator.eval()


def _without_decoder(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights by names that do not say what is the decoder's, and what its attention's."""
    return {re.sub(r"^decoder\.(attention\.(score\.)?)?", "", name): weight for name, weight in weights.items()}


def load_transformer(corpus: Corpus) -> Translator:
    """The first stored translator of the chapter on the Transformer."""
    translator = Translator(len(corpus.source_vocab), len(corpus.target_vocab), 128, 4, 256, 2)
    translator.load_state_dict(load_weights("transformer", "pre", 0))
    return translator.eval()


@torch.no_grad()
def translated(
    translator: RecurrentTranslator | Translator, corpus: Corpus, words: Sequence[str]
) -> tuple[list[str], Tensor, Tensor]:
    """The greedy translation of an English sentence, and how it came about.

    Args:
        translator: The model.
        corpus: The corpus that it was trained on.
        words: The words of the sentence.

    Returns:
        The French words; the probability of each, shape (T,); and the weights with which each looked at the English ones, (T, S): of a
        Transformer the mean of the heads in its last layer.
    """
    source = make_batch([Pair(tuple(words), ("",), frozenset(), frozenset())], corpus)
    french = greedy_translate(*translator.search(source), corpus.target_vocab, MOST_WORDS)[0]
    batch = make_batch([Pair(tuple(words), tuple(french), frozenset(), frozenset())], corpus)
    probabilities = translator(batch)[0, :-1].softmax(dim=-1).gather(1, batch.target_out[0, :-1, None]).squeeze(1)
    if isinstance(translator, Translator):
        return french, probabilities, translator.looks(batch)[-1, 0].mean(dim=0)[:-1]
    memory, state = translator.encoder(batch.source, batch.source_lengths)
    states, _ = translator.rnn(translator.embedding(batch.target_in[:, :-1]), state)  # (1, T, H)
    scores = states @ translator.to_key(memory).transpose(1, 2) / states.shape[-1] ** 0.5
    return french, probabilities, scores.softmax(dim=-1)[0]


def words_of(sentence: str) -> list[str]:
    """A plain English sentence as the corpus writes it: in lower case, with spaces around its marks."""
    return re.findall(r"'s|\w+|[^\w\s]", sentence.lower())


def as_block(html: str) -> str:
    """HTML as a block of a page's Markdown."""
    return f"```{{raw}} html\n{html}\n```"


def with_models(cells: Sequence[NotebookNode], chapter: str, site: Path) -> list[NotebookNode]:
    """The cells of a chapter's page, with the model that runs there at the end of its section.

    Args:
        cells: The cells.
        chapter: The chapter's name.
        site: The folder that the site's pages will lie in.

    Raises:
        ValueError: The chapter no longer has the heading that the model stands before.
    """
    if slug_of(chapter) not in _BEFORE:
        return list(cells)
    name, heading = _BEFORE[slug_of(chapter)]
    place = new_markdown_cell(as_block(make_live(name, site)), id=f"{chapter}-live")
    found = insert_before(heading, place, cells)
    if place not in found:
        raise ValueError(f"{chapter} has no heading {heading!r}, before which the model {name!r} would stand")
    return found


Made = tuple[Mapping[str, Tensor], Mapping[str, Any], dict[str, Any], str]


def _translator() -> Made:
    corpus = _own_corpus()
    said = (
        f"The model knows {_known(corpus)} English words: it was trained on {len(corpus.train):,} sentences that a small grammar "
        "generated. It runs in your browser, and nothing that you type is sent anywhere."
    )
    return _translates(load_translator(corpus), corpus, said, {})


def _transformer() -> Made:
    row = _row("transformer", "pre")
    said = (
        f"The first of the three stored Transformers translates here, in your browser. It was trained for {row['steps']:,} steps, and translates "
        f"{row['exact']:.0f} % of the test sentences exactly as the reference has them. The lines show where the cross-attention of its last layer "
        "looks, as the mean of its four heads."
    )
    corpus = _own_corpus()
    return _translates(load_transformer(corpus), corpus, said, {"heads": 4, "layers": 2})


def _own_corpus() -> Corpus:
    corpus = load_corpus()
    if not corpus.has_links:
        raise ValueError(
            "the stored translators know only the words of the course's own corpus: unset SEQLAB_CORPUS to build the site"
        )
    return corpus


def _known(corpus: Corpus) -> int:
    """How many English words there are, without marks."""
    return sum(word.isalpha() for word in corpus.source_vocab.words)


def _translates(
    translator: RecurrentTranslator | Translator, corpus: Corpus, said: str, shape: Mapping[str, int]
) -> Made:
    """A translator, with what is said of it, and what its forward pass needs to know of its shape."""
    source = words_of(EXAMPLES[0])
    target, probabilities, weights = translated(translator, corpus, source)
    shown = {
        "source": source,
        "target": target,
        "probabilities": [round(each, 4) for each in probabilities.tolist()],
        "weights": [[round(each, 4) for each in row] for row in weights.tolist()],
    }
    words = {"source": corpus.source_vocab.words, "target": corpus.target_vocab.words}
    data = {
        "examples": EXAMPLES,
        "known": _known(corpus),
        "longest": max(len(pair.source) for pair in corpus.train),
        "shown": shown,
    }
    inside = _picture(source, target, weights) + f'<p class="live-about">{said}</p>'
    return translator.state_dict(), {**words, "most": MOST_WORDS, **shape}, data, inside


def _row(table: str, variant: str) -> dict[str, Any]:
    """What a stored table says of a variant's first model."""
    return next(row for row in load_table(table) if row["variant"] == variant and row["seed"] == 0)


def _picture(source: Sequence[str], target: Sequence[str], weights: Tensor) -> str:
    """English words on the left, French ones on the right, and a line from each French word to where it looked."""
    pitch, left, right = 28, 100, 250
    links = ", ".join(
        f"{word} looks most at {source[int(row.argmax())]}" for word, row in zip(target, weights, strict=True)
    )
    canvas = Canvas(350, pitch * max(len(source), len(target)), f"An English sentence and its translation: {links}.")
    middles = [[pitch * (at + 0.5) for at in range(len(words))] for words in (source, target)]
    for words, heights, anchor, side in zip((source, target), middles, ("end", "start"), (left, right), strict=True):
        for word, y in zip(words, heights, strict=True):
            canvas.text(side, y, word, anchor=anchor)
    for end, row in zip(middles[1], weights.tolist(), strict=True):
        for start, weight in zip(middles[0], row, strict=True):
            if weight >= _FAINT:
                way = (left + 10, start), (right - 10, end)
                canvas.wire(*way, color="blue", width=1 + 3 * weight, head=False, opacity=weight)
    return canvas.draw().html


def _gpt() -> Made:
    words = load_speeches().vocab.words
    said = (
        '<p class="live-about">The stored model that wrote the sentences above can write here, in your browser. At each word, it divides its '
        "logits by the temperature, keeps the k most likely words (top-k), and of these only as many as it takes to reach the probability p "
        "(top-p).</p>"
    )
    metadata = {"words": words, "heads": 4, "layers": 2}
    return load_weights("gpt", "gpt", 0), metadata, {"beginning": "We must", "most": 40}, said


def _bert() -> Made:
    pieces = load_pieces().pieces
    said = (
        '<p class="live-about">The stored model that filled the blanks above can fill them here, in your browser: hide any word of a sentence '
        "and see what it would put there.</p>"
    )
    metadata = {"pieces": pieces, "heads": 4, "layers": 1, "cls": CLS, "sep": SEP, "mask": MASK}
    weights = load_weights("bert", "pre", 0)
    return (
        weights,
        metadata,
        {"sentence": "He hit me with a pie.", "longest": len(weights["embeddings.position.weight"]) - 2},
        said,
    )


def _captioner() -> Made:
    scenes = load_scenes(most_things=3)
    if not scenes.has_boxes:
        raise ValueError(
            "the stored captioner describes only the course's own scenes: unset SEQLAB_PICTURES to build the site"
        )
    images, held_out = (handwriting()[0] * 16).int().flatten(1).tolist(), split_digits(0)[2]
    letters = "0123456789abcdefg"
    data = {
        "handwriting": [["".join(letters[value] for value in images[at]) for at in some[:HANDS]] for some in held_out],
        "colours": COLOURS,
        "sizes": SIZES,
        "scene": {0: (3, 1, 1), 1: (5, 3, 0)},
        "paint": {"widths": WIDTHS, "inks": INKS, "faint": FAINT},
    }
    digit, colour = min(HELD_OUT_PAIRS)
    row = _row("pictures_hard", CAPTIONER)
    said = (
        '<p class="live-about">A model like the one above, with 64 vectors, describes here, in your browser, what you compose. It was trained '
        f"for {row['steps']:,} steps on scenes with one to three digits in neighbouring quarters, and describes {row['exact']:.0f} % of the test "
        "scenes, whose handwriting you see, correctly. Try what it never saw, too: two digits in opposite corners, four digits, or "
        f"a {COLOURS[colour]} {digit}.</p>"
    )
    weights = {
        re.sub(
            r"convolutions\.(\d+)", lambda found: f"convolutions.{int(found[1]) // 3}.{int(found[1]) % 3}", name
        ): weight
        for name, weight in _without_decoder(load_weights("pictures_hard", CAPTIONER, 0)).items()
    }
    layers = [{"stride": 2, "padding": 1}, {"stride": 2, "padding": 1}, {"stride": 1, "padding": 1}]
    return weights, {"target": scenes.vocab.words, "most": MOST_WORDS, "layers": layers}, data, said


def _instructed() -> Made:
    examples = (
        "Translate into French: he hits Paul with a pie.",
        "What is the plural of: his kind aunt",
        "Deny this: Emma takes the fresh tomato today.",
        "What is your name?",
    )
    said = (
        '<p class="live-about">Another model answers here, in your browser: the first of the three stored ones, which were tuned in the same way. '
        "Ask it for one of its ten tasks, or for something else.</p>"
    )
    metadata = {
        "pieces": load_pieces().pieces,
        "heads": 4,
        "layers": 3,
        "bos": BOS_PIECE,
        "eos": EOS_PIECE,
        "answer": ANSWER,
    }
    return load_weights("post_instruct", "answer", 0), metadata, {"examples": examples, "most": 40}, said


_MADE: dict[str, Callable[[], Made]] = {
    "translator": _translator,
    "transformer": _transformer,
    "gpt": _gpt,
    "bert": _bert,
    "captioner": _captioner,
    "instructed": _instructed,
}
_BEFORE = {
    "transformer": ("transformer", "## Against the GRU with attention"),
    "self_attention": ("gpt", "## Words that wait for other words"),
    "bert": ("bert", "### Which bank is it?"),
    "pictures": ("captioner", "## Patches are words"),
    "post_training": ("instructed", "## Write"),
}
"""By chapter, the model that runs on its page, and the heading that it stands before."""
