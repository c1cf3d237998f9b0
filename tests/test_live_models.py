"""Models that run on a page: what the browser computes is what PyTorch computes, and a reader can use them with keys alone."""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell
from selenium.webdriver.common.keys import Keys

from autograder.building import live_models
from autograder.building.live_models import (
    CAPTIONER,
    EXAMPLES,
    as_script,
    load_transformer,
    load_translator,
    make_live,
    translated,
    with_models,
    words_of,
)
from seqlab import periods
from seqlab.corpus import BOS, EOS, UNK, Corpus, load_corpus
from seqlab.encoder import Encoder
from seqlab.gpt import GPT
from seqlab.periods import make_gpt
from seqlab.presidents import Speeches, load_speeches
from seqlab.scene_captions import COLOURS
from seqlab.scenes import INKS, SIZE, WIDTHS, load_scenes, scaled, split_digits
from seqlab.stored import load_weights
from seqlab.transformer import RecurrentTranslator, Translator
from seqlab.wordpieces import CLS, MASK, SEP, Pieces, load_pieces
from solutions.ch06_decoding import top_k_filter, top_p_filter
from solutions.ch10_bert import BertEmbeddings, BertForPreTraining
from solutions.ch11_pictures.sweeps.pictures import Captioner
from tests.browser import Browser, served

STATIC = Path(__file__).resolve().parent.parent / "book" / "_static"
SENTENCES = [
    *map(words_of, EXAMPLES),
    words_of("they rest."),
    words_of(
        "because the old wolf is hiding behind the white house, the goats that are drinking some milk cannot sleep."
    ),
]
READ = "network.read(network.files[arguments[0]])"


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return load_corpus()


@pytest.fixture(scope="module")
def speeches() -> Speeches:
    return load_speeches()


@pytest.fixture(scope="module")
def pieces() -> Pieces:
    return load_pieces()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page for each model, with nothing else on it."""
    folder = tmp_path_factory.mktemp("live")
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A model</title>'
    for name in ("live.js", "network.js", "live.css", "book.css"):  # in the order in which a page has them
        shutil.copy(STATIC / name, folder)
        head += f'<script src="{name}"></script>' if name.endswith(".js") else f'<link rel="stylesheet" href="{name}">'
    for name in ("translator", "transformer", "gpt", "bert", "captioner", "instructed"):
        body = f'<main class="bd-article"><h1>A model</h1>{make_live(name, folder)}</main>'
        colors = "--pst-color-background: white; --pst-color-text-base: black; --pst-color-text-muted: #444"
        page = f'<!doctype html><html lang="en" data-theme="light" style="{colors}"><head>{head}</head><body>{body}</body></html>'
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with served(site) as found:
        yield found


@pytest.fixture
def page(browser: Browser, address: str) -> Browser:
    return opened(browser, address, "translator")


def opened(browser: Browser, address: str, name: str) -> Browser:
    browser.show(1280, "light")
    browser.open(f"{address}/{name}.html")
    return browser


def loaded(browser: Browser, address: str, name: str) -> Browser:
    """The page of a model that has come."""
    opened(browser, address, name).one(".live :is(input[type=text], select)").click()
    browser.until(lambda: browser.run("return arguments[0] in network.files", name), "the model")
    return browser


def type_in(browser: Browser, sentence: str) -> None:
    """Type a sentence in place of the one that is there, and send it off."""
    browser.one(".live input[type=text]").click()
    browser.press(Keys.END, *[Keys.BACKSPACE] * 120, sentence, Keys.ENTER)


def told(browser: Browser, part: str) -> str:
    """What the page says, as soon as this is part of it."""
    script = "const said = document.querySelector('.live-said').textContent; return said.includes(arguments[0]) && said"
    return browser.until(lambda: browser.run(script, part), part)


def shown(browser: Browser, selector: str) -> list[str]:
    return [found.text for found in browser.all(selector)]


@pytest.mark.parametrize(
    ("name", "load", "compute"),
    [("translator", load_translator, "translate"), ("transformer", load_transformer, "transform")],
)
@pytest.mark.parametrize("words", SENTENCES, ids=" ".join)
def test_the_page_translates_as_pytorch_does(
    browser: Browser,
    address: str,
    corpus: Corpus,
    words: list[str],
    name: str,
    load: Callable[[Corpus], RecurrentTranslator | Translator],
    compute: str,
) -> None:
    page = loaded(browser, address, name)
    steps = page.run(
        f"return [...network.{compute}({READ}, arguments[1])].map((step) => ({{...step, weights: [...step.weights]}}))",
        name,
        words,
    )
    target, probabilities, weights = translated(load(corpus), corpus, words)
    assert [step["word"] for step in steps] == target
    torch.testing.assert_close(torch.tensor([step["probability"] for step in steps]), probabilities, atol=1e-4, rtol=0)
    torch.testing.assert_close(torch.tensor([step["weights"] for step in steps]), weights, atol=1e-4, rtol=0)


@pytest.mark.parametrize("beginning", [[], ["we", "must"], ["the", "<unk>", "of", "<number>", "dollars", "was"]])
def test_the_page_predicts_the_next_word_as_pytorch_does(
    browser: Browser, address: str, speeches: Speeches, beginning: list[str]
) -> None:
    model = GPT(len(speeches.vocab), d_model=128, num_heads=4, num_layers=2)
    model.load_state_dict(load_weights("gpt", "gpt", 0))
    ids = [BOS, *speeches.vocab.encode(beginning)]
    with torch.no_grad():
        expected = model.output.log_prob(model.eval()(torch.tensor([ids]))[0][0])  # (T, V)
    page = loaded(browser, address, "gpt")
    read = f"const read = network.gpt({READ}); return arguments[1].map((id) => [...read(id)])"
    logits = torch.tensor(page.run(read, "gpt", ids))
    torch.testing.assert_close(logits.exp(), expected.exp(), atol=1e-4, rtol=0)
    torch.testing.assert_close(logits, expected, atol=1e-3, rtol=0)


@pytest.mark.parametrize(
    ("temperature", "k", "p"), [(1, 50, 1), (0.5, 1, 1), (2, 7, 0.5), (1, 50, 0.9), (0.7, 3, 0.05)]
)
def test_the_page_draws_from_the_words_that_the_filters_keep(
    page: Browser, temperature: float, k: int, p: float
) -> None:
    logits = torch.tensor([0.5, 2.0, -1.0, 2.0, 0.0, 1.0, float("-inf"), 0.5, *torch.linspace(-3, 1, 30).tolist()])
    asked = {"temperature": temperature, "k": k, "p": p}
    given = [number if number > float("-inf") else None for number in logits.tolist()]
    script = "const {ids, chances} = network.filtered(arguments[0].map((each) => each ?? -Infinity), arguments[1]); return [ids, [...chances]]"
    ids, chances = page.run(script, given, asked)
    found = torch.zeros_like(logits).index_put((torch.tensor(ids),), torch.tensor(chances, dtype=torch.float))
    expected = top_p_filter(top_k_filter(logits / temperature, k), p).softmax(dim=-1)
    torch.testing.assert_close(found, expected, atol=1e-6, rtol=0)
    assert chances == sorted(chances, reverse=True)


def test_at_top_k_one_the_page_writes_the_most_likely_words(browser: Browser, address: str, speeches: Speeches) -> None:
    model = GPT(len(speeches.vocab), d_model=128, num_heads=4, num_layers=2).eval()
    model.load_state_dict(load_weights("gpt", "gpt", 0))
    ids = [BOS, *speeches.vocab.encode(["we", "must"])]
    with torch.no_grad():
        while ids[-1] != EOS and len(ids) < 41:
            log_probs = model.output.log_prob(model(torch.tensor([ids]))[0][0, -1:])[0]
            log_probs[[0, BOS, UNK]] = float("-inf")
            ids.append(int(log_probs.argmax()))
    page = opened(browser, address, "gpt")
    page.run("const top = document.querySelector('#live-top-k'); top.value = 1; top.dispatchEvent(new Event('input'))")
    type_in(page, "We must")
    page.until(lambda: page.all(".live-why p"), "the end")
    assert shown(page, ".live-text :is(span, label)") == [
        word if word != "<eos>" else "(end)" for word in [speeches.vocab.words[i] for i in ids[1:]]
    ]
    page.all(".live-text label")[0].click()
    assert "was drawn from 1 word" in page.one(".live-why p").text
    assert page.violations() == []


@pytest.mark.parametrize(
    ("sentence", "hidden"),
    [("he hit me with a pie .", 5), ("our unhyphenated kitten's constitution is perpetual .", 3)],
)
def test_the_page_fills_a_blank_as_pytorch_does(
    browser: Browser, address: str, pieces: Pieces, sentence: str, hidden: int
) -> None:
    words = sentence.split()
    model = BertForPreTraining(BertEmbeddings(len(pieces), 128, 64), Encoder(128, 4, 512, 1), 128, len(pieces)).eval()
    model.load_state_dict(load_weights("bert", "pre", 0))
    cut = [[MASK] if at == hidden else pieces.encode([word]) for at, word in enumerate(words)]
    ids = torch.tensor([[CLS, *(i for part in cut for i in part), SEP]])
    with torch.no_grad():
        logits = model(ids, torch.zeros_like(ids), torch.ones_like(ids, dtype=torch.bool))[0][0]
    at = ids[0].tolist().index(MASK)
    expected = logits[at].softmax(dim=-1)
    page = loaded(browser, address, "bert")
    parts = page.run(
        f"const model = {READ}; return arguments[1].map((word) => network.piecesOf(model, word))", "bert", words
    )
    assert parts == [pieces.encode([word]) for word in words]
    found = page.run(f"return [...network.bert({READ}, arguments[1], arguments[2])]", "bert", ids[0].tolist(), at)
    torch.testing.assert_close(torch.tensor(found), expected, atol=1e-4, rtol=0)
    type_in(page, sentence)
    assert shown(page, ".live-text label") == words
    page.all(".live-text label")[hidden].click()
    best = expected.topk(5)
    told(page, f"first guess is “{pieces.tokens(best.indices)[0]}”")
    assert shown(page, ".live tbody th") == pieces.tokens(best.indices)
    assert [float(number) for number in shown(page, ".live tbody td:nth-child(2)")] == pytest.approx(
        best.values.tolist(), abs=6e-4
    )
    assert page.violations() == []


def choose(page: Browser, label: str, text: str) -> None:
    """Choose one of what a select offers."""
    page.run(
        "const [label, text] = arguments, select = document.querySelector(`select[aria-label='${label}']`);"
        "select.value = [...select.options].find((option) => option.text === text).value;"
        "select.dispatchEvent(new Event('change'))",
        label,
        text,
    )


def test_the_page_describes_a_picture_as_pytorch_does(browser: Browser, address: str) -> None:
    scenes = load_scenes(most_things=3)
    model = Captioner("grid", len(scenes.vocab)).eval()
    model.load_state_dict(load_weights("pictures_hard", CAPTIONER, 0))
    pictures = scenes.batch(scenes.test[:6]).pictures
    page = loaded(browser, address, "captioner")
    script = (
        f"return [...network.caption({READ}, arguments[1])].map((step) => ({{...step, weights: [...step.weights]}}))"
    )
    for picture in pictures:
        steps = page.run(script, "captioner", picture.flatten(1).tolist())
        words = [step["word"] for step in steps]
        with torch.no_grad():
            memory, state = model.encode(picture.unsqueeze(0))
            read = torch.tensor([[BOS, *scenes.vocab.encode(words)]])
            logits, weights, _ = model.step(read, state, memory)
        best = logits[0].softmax(dim=-1).max(dim=-1)
        assert [*words, "<eos>"] == [scenes.vocab.words[i] for i in best.indices]
        assert weights is not None
        probabilities = torch.tensor([step["probability"] for step in steps])
        torch.testing.assert_close(probabilities, best.values[:-1], atol=1e-4, rtol=0)
        torch.testing.assert_close(
            torch.tensor([step["weights"] for step in steps]), weights[0, :-1], atol=1e-4, rtol=0
        )


def test_a_reader_composes_the_scenes_of_the_course(browser: Browser, address: str) -> None:
    """The page paints as `seqlab.scenes` does: of a thing in the middle of its quarter, every pixel is the same."""
    page = opened(browser, address, "captioner")
    for quarter in ("top left", "top right"):
        choose(page, f"Digit, {quarter}", "no digit")
    choose(page, "Digit, bottom right", "6")
    choose(page, "Colour, bottom right", "yellow")
    choose(page, "Size, bottom right", "large")
    assert (
        page.one("canvas").get_attribute("aria-label") == "A black picture with a large yellow 6 at the bottom right."
    )
    shown = page.run(
        "const paper = document.querySelector('canvas').getContext('2d'), pixels = [];"
        "for (let y = 4; y < 256; y += 8) for (let x = 4; x < 256; x += 8) pixels.push(...paper.getImageData(x, y, 1, 1).data.slice(0, 3));"
        "return pixels"
    )
    ink = torch.from_numpy(scaled(split_digits(0)[2][6][0], WIDTHS[1])[0])
    expected = torch.zeros(3, SIZE, SIZE)
    expected[:, 17:31, 17:31] = (ink * torch.tensor(INKS[COLOURS.index("yellow")]).view(3, 1, 1)).round()
    torch.testing.assert_close(
        torch.tensor(shown).view(SIZE, SIZE, 3).permute(2, 0, 1).float(), expected, atol=1, rtol=0
    )
    page.one(".live-go").click()
    assert "yellow six" in told(page, "Caption: ")
    page.all(".live-text label")[1].click()
    assert "looks most at row" in page.one(".live-looked").text
    page.one(".live-tries button[type=button]").click()
    assert page.run("return document.querySelector('.live-text').hidden")
    page.show(390, "dark")
    assert page.run("return document.documentElement.scrollWidth") <= 390
    assert page.violations() == []


@pytest.mark.parametrize(
    "instruction",
    [
        "Translate into French: he hits Paul with a pie.",
        "Tell me, please, what Emma's unhyphenated çat likes?",
        "Spell it: mississippi",
    ],
)
def test_the_page_answers_an_instruction_as_pytorch_does(
    browser: Browser, address: str, pieces: Pieces, instruction: str
) -> None:
    model = make_gpt().eval()
    model.load_state_dict(load_weights("post_instruct", "answer", 0))
    prompt = [periods.BOS, *pieces.encode(words_of(instruction)), periods.ANSWER]
    written: list[int] = []
    with torch.no_grad():
        while len(written) < 40 and periods.EOS not in written:
            states, _ = model(torch.tensor([prompt + written]))
            written.append(int(model.output.log_prob(states[0, -1:]).argmax()))
    answer = pieces.decode([piece for piece in written if piece > periods.ANSWER])
    page = opened(browser, address, "instructed")
    type_in(page, instruction)
    said = told(page, "Answer: ").removeprefix("Answer: ").removesuffix(" …")
    assert re.sub(r"[ ']", "", said) == re.sub(r"[ ']", "", "".join(answer))
    assert page.violations() == []


def test_numbers_of_half_precision_arrive_as_they_are(page: Browser) -> None:
    """The smallest, the largest, both zeros and those that no weight of the models happens to have."""
    halves = torch.tensor([0, 0x8000, 1, 0x03FF, 0x0400, 0x3C00, 0xBC00, 0x3555, 0x7BFF, 0xFBFF], dtype=torch.int32)
    numbers = halves.to(torch.uint16).view(torch.float16)
    page.run(as_script("few", {"few": numbers.reshape(2, 5)}, {"words": ["é", "”"]}))
    read = page.run(f"const {{few, words}} = {READ}; return [few.shape, [...few.values], words]", "few")
    assert read == [[2, 5], numbers.tolist(), ["é", "”"]]


def test_without_the_script_there_is_a_picture_and_what_it_shows_in_words(site: Path) -> None:
    place = BeautifulSoup((site / "translator.html").read_text(encoding="utf-8"), "html.parser").select_one(".live")
    assert place is not None
    assert "noir looks most at black" in place.svg["aria-label"]
    assert {"chat", "noir", "black"} <= {text.text for text in place.svg.select("text")}
    assert "747 English words" in place.select_one("p.live-about").text
    assert (
        json.loads(place.select_one("script").text)["bytes"]
        == (site / "models" / "translator.js").stat().st_size
        < 4_000_000
    )


def test_the_model_is_not_loaded_before_somebody_uses_it(page: Browser, address: str) -> None:
    assert shown(page, ".live-words label")[:4] == ["le", "petit", "chat", "noir"]
    assert not page.run("return 'translator' in network.files")
    loaded(page, address, "translator")


def test_a_page_from_the_disk_translates_too(browser: Browser, site: Path) -> None:
    browser.show(1280, "light")
    browser.open((site / "translator.html").as_uri())
    type_in(browser, "the black cat is sleeping.")
    told(browser, "French: le chat noir dort.")


def test_a_reader_needs_only_keys(page: Browser) -> None:
    page.press(Keys.TAB)
    page.press(*[Keys.BACKSPACE] * 60, "the red car is behind the white house", Keys.ENTER)
    told(page, "French: la voiture rouge est derrière la maison blanche.")
    while not page.run("return document.activeElement.matches('.live-words input')"):
        page.press(Keys.TAB)
    page.press(Keys.SPACE, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert "“rouge” has probability" in page.one(".live-looked").text
    assert "looks at “red” (0." in page.one(".live-looked").text
    assert page.run("return getComputedStyle(document.activeElement.parentElement).outlineStyle") == "solid"
    page.press(Keys.TAB, Keys.ENTER)
    table = page.one(".live-table table")
    assert table.text.split("\n")[0].split() == ["the", "red", "car", "is", "behind", "the", "white", "house", "."]
    assert len(page.all(".live-table tbody tr")) == 9


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("Emma’s cat doesn't sleep", "emma 's cat does not sleep ."),
        ("I'm hungry, they won't come.", "i am hungry , they will not come ."),
        ('He says: "it\'s cold".', 'he says : " it is cold " .'),
    ],
)
def test_a_sentence_may_be_written_as_people_write(page: Browser, typed: str, read: str) -> None:
    page.run("document.querySelector('.live-said').textContent = ''")
    type_in(page, typed)
    told(page, "French")
    assert shown(page, "ul.live-words li") == read.split()


def test_an_unknown_word_is_named_and_a_known_one_offered(page: Browser) -> None:
    type_in(page, "the kitten is in the hous")
    told(page, "The model does not know “kitten”, “hous”.")
    page.one("button[aria-label='house for hous']").click()
    told(page, "The model does not know “kitten”.")
    page.one("button[aria-label='kitchen for kitten']").click()
    told(page, "French: la cuisine est dans la maison.")


def test_the_words_that_it_knows_can_be_read(page: Browser, corpus: Corpus) -> None:
    page.one(".live-known summary").click()
    listed = page.one(".live-known p").text.split(", ")
    assert set(listed) == {word for word in corpus.source_vocab.words if word.isalpha()}


def test_nothing_typed_is_markup(page: Browser) -> None:
    type_in(page, "<img src=x onerror=alert(1)>")
    told(page, "“img”")
    assert not page.all(".live img")


def test_a_sentence_that_is_too_long_is_refused(page: Browser) -> None:
    type_in(page, " ".join(["the cat"] * 21))
    told(page, "up to 40")


def test_a_model_that_does_not_come_is_told_and_can_be_tried_again(
    browser: Browser, site: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(site, tmp_path / "site")
    (folder / "models" / "translator.js").rename(tmp_path / "translator.js")
    with served(folder) as address:
        browser.show(1280, "light")
        browser.open(f"{address}/translator.html")
        type_in(browser, "they rest.")
        told(browser, "could not be loaded")
        (tmp_path / "translator.js").rename(folder / "models" / "translator.js")
        type_in(browser, "they rest.")
        told(browser, "French: ils se reposent.")


def test_on_a_phone_the_words_stand_in_two_columns_and_nothing_is_cut_off(page: Browser) -> None:
    page.show(390, "dark")
    page.until(lambda: page.all(".live-beside"), "two columns")
    assert page.run("return document.documentElement.scrollWidth") <= 390
    left, right = (page.one(f"{kind}.live-words").rect for kind in ("ul", "fieldset"))
    assert left["x"] + left["width"] < right["x"]
    assert page.violations() == []


def test_an_unknown_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match="no model 'poet' .* the models are translator, transformer, gpt, bert, captioner, instructed"
    ):
        make_live("poet", tmp_path)


def test_a_model_stands_at_the_end_of_its_section(tmp_path: Path) -> None:
    cells = [new_markdown_cell("Text.\n\n### Which bank is it?\n\nMore."), new_code_cell("### Which bank is it?\n")]
    before, place, after, code = with_models(cells, "ch10_bert", tmp_path)
    assert (before.source, after.source, code) == ("Text.\n\n", "### Which bank is it?\n\nMore.", cells[1])
    assert 'data-live="bert"' in place.source
    assert with_models(cells, "ch05_attention", tmp_path) == cells
    with pytest.raises(ValueError, match="ch10_bert has no heading '### Which bank is it"):
        with_models(cells[1:], "ch10_bert", tmp_path)


def test_a_corpus_of_ones_own_is_not_the_one_that_the_translator_knows(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(live_models, "load_corpus", lambda: replace(corpus, has_links=False))
    with pytest.raises(ValueError, match="unset SEQLAB_CORPUS"):
        make_live("translator", tmp_path)
