"""Things to play with: what stands there without the script, what the controls do, and that the script computes what the book does."""

import json
import random
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
import torch
from nbformat.v4 import new_code_cell, new_output
from selenium.webdriver.common.keys import Keys
from torch import Tensor

from autograder.building.notebook_files import RECORD
from autograder.building.site import GUESSED, SiteError, with_questions
from seqlab import widgets
from solutions.ch05_attention import masked_softmax
from solutions.ch06_decoding import top_k_filter, top_p_filter
from solutions.ch07_bleu import brevity_penalty, clipped_precision, corpus_bleu, sentence_bleu
from tests.browser import Browser, picture_page

ENGLISH, FRENCH = ["he", "hit", "me", "with", "a", "pie", "."], ["il", "m'", "a", "entarté", "."]
REFERENCES = [["the", "cat", "is", "on", "the", "mat"], ["there", "is", "a", "cat", "on", "the", "mat"]]
WORDS = [f"word{number}" for number in range(3000)]
INPUTS = [0.5, -1.0, 0.25]


def drawn(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


LOGITS, SCORES = 2.5 * drawn(len(WORDS)), 2 * drawn(4, 4)
WIDGETS = {
    "sampling": widgets.sampling(WORDS, LOGITS, "The next word"),
    "attention": widgets.attention(ENGLISH, FRENCH, drawn(5, 7).softmax(dim=-1), "Where it looks", chosen=1),
    "heads": widgets.attention(ENGLISH, ENGLISH, drawn(2, 7, 7).softmax(dim=-1), "Heads", names=["head 1", "head 2"]),
    "bleu": widgets.bleu(REFERENCES, ["the", "cat", "the", "cat", "on", "the", "mat"], "Try it", smoothed=True),
    "backward": widgets.backward(INPUTS, 0.5, "Back through time", tanh=True, every_step=True),
    "mask": widgets.mask(SCORES, list("abcd"), list("abcd"), "Masks", causal=True),
}
NASTY = "<img src=x onerror=alert(1)></script>&"


class _Read(HTMLParser):
    """Holds that all that is opened is closed, in order, and keeps ids, tables and scripts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.ids: list[str] = []
        self.scripts: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.seen.append(tag)
        self.ids += [value or "" for name, value in attrs if name == "id"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)


@pytest.mark.parametrize("name", WIDGETS)
def test_without_the_script_there_is_a_table_and_without_html_a_text(name: str) -> None:
    read = _Read(WIDGETS[name].html)
    assert read.seen.count("table") == 1
    assert not {"input", "button", "select"} & set(read.seen)
    json.loads(read.scripts[0])
    assert read.scripts[1] == widgets.script()
    assert len(repr(WIDGETS[name]).splitlines()) > 2


def test_widgets_of_one_page_have_names_of_their_own() -> None:
    ids = [name for widget in WIDGETS.values() for name in _Read(widget.html).ids]
    assert len(set(ids)) == len(ids) == len(WIDGETS)


def test_words_and_titles_are_no_markup() -> None:
    for widget in (
        widgets.sampling([NASTY, "b"], torch.zeros(2), NASTY),
        widgets.attention([NASTY], [NASTY], torch.ones(1, 1), NASTY),
        widgets.bleu([[NASTY]], [NASTY], NASTY),
        widgets.mask(torch.zeros(1, 1), [NASTY], [NASTY], NASTY),
    ):
        read = _Read(widget.html)
        assert "img" not in read.seen
        assert NASTY in json.dumps(json.loads(read.scripts[0]))


def test_the_script_makes_no_markup_of_text_and_asks_nobody() -> None:
    script = widgets.SCRIPT.read_text(encoding="utf-8")
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|Function\(|http|fetch|import\b", script
    )
    assert "</" not in script and "<!--" not in script


def test_none_of_them_is_large() -> None:
    sizes = {name: len(widget.html.encode()) - len(widgets.script().encode()) for name, widget in WIDGETS.items()}
    assert max(sizes.values()) < 10_000, sizes
    assert len(widgets.script().encode()) < 25_000


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: widgets.sampling(["a"], torch.zeros(2), ""), r"logits has shape \(2,\) for 1 words: expected \(1,\)"),
        (lambda: widgets.sampling(["a"], torch.tensor([float("-inf")]), ""), "no logit is finite"),
        (lambda: widgets.attention(["a"], ["b"], torch.ones(2, 1), ""), r"shape \(2, 1\).* expected \(1, 1, 1\)"),
        (lambda: widgets.attention(["a"], ["b"], torch.ones(1, 1), "", chosen=1), "chosen is 1"),
        (lambda: widgets.bleu([], ["a"], ""), "references is empty"),
        (lambda: widgets.backward([], 0.5, ""), "there are 0 inputs"),
        (lambda: widgets.backward([1.0], 3, ""), "the weight is 3"),
        (lambda: widgets.mask(torch.zeros(1, 2), ["a"], ["b"], ""), r"shape \(1, 2\)"),
        (lambda: widgets.mask(torch.zeros(1, 1) / 0, ["a"], ["b"], ""), "a score is not finite"),
    ],
)
def test_what_does_not_fit_is_refused(make, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        make()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    html = "".join(f'<section id="{name}">{widget.html}</section>' for name, widget in WIDGETS.items())
    return picture_page(html, tmp_path_factory.mktemp("play"))


@pytest.fixture
def page(browser: Browser, address: str) -> Browser:
    browser.show(1280, "light")
    browser.open(address)
    assert len(browser.all(".play[data-live]")) == len(WIDGETS)
    return browser


def fill(browser: Browser, selector: str, value: object) -> None:
    """Give the first control of a selector a value, as a reader's input does."""
    script = "const box = document.querySelector(arguments[0]); box.value = arguments[1]; box.dispatchEvent(new Event('input'))"
    browser.run(script, selector, str(value))


def choose(browser: Browser, selector: str, number: int, on: bool = True) -> None:
    """Switch one of the radio buttons or check boxes of a selector."""
    script = "const box = document.querySelectorAll(arguments[0])[arguments[1]]; if (box.checked !== arguments[2]) box.click()"
    browser.run(script, selector, number, on)


def rows(browser: Browser, widget: str, table: int = 0) -> list[list[str]]:
    """The cells of one of a widget's tables, without its head."""
    script = (
        "const table = document.querySelectorAll(`#${arguments[0]} table.play-table`)[arguments[1]];"
        "return [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    return browser.run(script, widget, table)


def said(browser: Browser, widget: str) -> str:
    return browser.run("return document.querySelector(`#${arguments[0]} .play-said`).textContent", widget)


def test_temperature_top_k_and_top_p_are_those_of_the_chapter(page: Browser) -> None:
    ranges = [f"#sampling .play-row:nth-of-type({at}) input" for at in (1, 2, 3)]
    words = [row[0] for row in rows(page, "sampling")][:-1]
    for temperature, k, p in [
        (1, 61, 1),
        (0.5, 61, 1),
        (2, 7, 1),
        (1, 61, 0.9),
        (1.5, 61, 0.5),
        (0.7, 20, 0.8),
        (0.1, 1, 0.05),
    ]:
        for selector, value in zip(ranges, (temperature, k, p), strict=True):
            fill(page, selector, value)
        logits = LOGITS.double() / temperature
        logits = top_k_filter(logits, k) if k < 61 else logits
        logits = top_p_filter(logits, p) if p < 1 else logits
        chances, kept = logits.softmax(dim=0), int(logits.isfinite().sum())
        shown = rows(page, "sampling")
        for word, row in zip(words, shown, strict=False):
            chance = chances[WORDS.index(word)].item()
            assert row[2] == "cut" if chance == 0 else abs(float(row[2].removesuffix(" %")) - 100 * chance) < 0.0501
        assert f"{kept:,} word" in said(page, "sampling")


def test_words_are_drawn_from_what_is_left(page: Browser) -> None:
    fill(page, "#sampling .play-row:nth-of-type(2) input", 3)
    page.run("document.querySelector('#sampling button').click()")
    drawn_words = page.run("return document.querySelectorAll('#sampling .play-said')[1].textContent")
    most = {WORDS[i] for i in LOGITS.topk(3).indices.tolist()}
    found = drawn_words.removeprefix("Drawn: ").removesuffix(".").split(", ")
    assert len(found) == 10 and set(found) <= most


def test_a_map_is_read_word_by_word_by_keys(page: Browser) -> None:
    weights = drawn(5, 7).softmax(dim=-1)
    page.run("document.querySelector('#attention input:checked').focus()")
    for at in (1, 2, 3):
        best = int(weights[at].argmax())
        assert said(page, "attention").startswith(
            f"“{FRENCH[at]}” attends most to “{ENGLISH[best]}” {weights[at, best]:.2f}"
        )
        shown = page.run("return [...document.querySelectorAll('#attention li span')].map((each) => each.textContent)")
        assert shown == [f"{weight:.2f}" for weight in weights[at].tolist()]
        page.press(Keys.ARROW_RIGHT)


def test_another_head_has_another_map(page: Browser) -> None:
    weights = drawn(2, 7, 7).softmax(dim=-1)
    choose(page, "#heads input", 1)
    shown = page.run("return [...document.querySelectorAll('#heads li span')].map((each) => each.textContent)")
    assert shown == [f"{weight:.2f}" for weight in weights[1, 0].tolist()]


def test_bleu_is_the_chapter_s_own_on_random_sentences(page: Browser) -> None:
    generator = random.Random(0)
    pool = ["the", "cat", "is", "on", "mat", "there", "a", "constructor", "__proto__", "<b>", "entarté"]
    texts = ["", "  ", "mat", "the the the the the the the", *(" ".join(words) for words in REFERENCES)]
    for _ in range(150):
        start = generator.choice(REFERENCES)[: generator.randrange(8)]
        texts.append(" ".join(start + generator.choices(pool, k=generator.randrange(9))))
    parts = (clipped_precision, brevity_penalty)
    for text in texts:
        fill(page, "#bleu input[type=text]", text)
        words = text.split()
        plain, smooth = corpus_bleu([words], [REFERENCES], *parts), sentence_bleu(words, REFERENCES, *parts)
        found = re.search(
            r"penalty ([\d.]+)\. BLEU ([\d.]+), smoothed as a single sentence ([\d.]+)\.$", said(page, "bleu")
        )
        assert found, said(page, "bleu")
        for text_of, wanted, digits in zip(
            found.groups(), (brevity_penalty([words], [REFERENCES]), plain, smooth), (3, 2, 2), strict=True
        ):
            assert abs(float(text_of) - wanted) < 0.5001 * 10**-digits, text
        for n, row in enumerate(rows(page, "bleu"), 1):
            matches, total = clipped_precision(words, REFERENCES, n)
            assert (row[1], row[3]) == (str(total), str(matches))


def test_what_is_clipped_is_shown_and_what_is_typed_stays_text(page: Browser) -> None:
    assert ["the cat", "2", "1", "1, clipped"] in rows(page, "bleu", 1)
    fill(page, "#bleu input[type=text]", f"{NASTY} {NASTY}")
    assert rows(page, "bleu", 1)[0][0].startswith("<img src=x")
    assert not page.all("img")


def by_autograd(weight: float, tanh: bool, every_step: bool) -> float:
    w, state, loss = torch.tensor(weight, dtype=torch.float64, requires_grad=True), torch.zeros(()), torch.zeros(())
    for x in INPUTS:
        state = x + w * state
        state = state.tanh() if tanh else state
        loss = loss + state if every_step else state
    loss.backward()
    return w.grad.item()


def test_the_gradient_is_autograd_s(page: Browser) -> None:
    for _ in range(6):
        page.run("document.querySelectorAll('#backward button')[1].click()")
    assert page.run("return document.querySelectorAll('#backward button')[1].disabled")
    for weight in (-1.5, 0.0, 0.5, 1.75):
        fill(page, "#backward input[type=range]", weight)
        for tanh in (True, False):
            for every_step in (True, False):
                choose(page, "#backward input[type=checkbox]", 0, tanh)
                choose(page, "#backward input[type=checkbox]", 1, every_step)
                total = float(said(page, "backward").rpartition("= ")[2].removesuffix(".").replace("−", "-"))
                assert abs(total - by_autograd(weight, tanh, every_step)) < 1e-4
    assert f"{by_autograd(0.5, True, True):.2f}" in WIDGETS["backward"].text


def test_steps_forwards_and_back_are_made_by_keys(page: Browser) -> None:
    page.run("document.querySelectorAll('#backward button')[1].focus()")
    filled = []
    for _ in range(7):
        filled.append(sum(cell != "" for row in rows(page, "backward") for cell in row[1:]))
        page.press(Keys.SPACE)
    assert filled == sorted(filled) and len(set(filled)) == 6, "each step but the sum shows something more"
    assert said(page, "backward").startswith("Step 7 of 7: the shares add up")


def test_masks_are_those_of_the_chapter(page: Browser) -> None:
    for causal in (True, False):
        choose(page, "#mask fieldset:nth-of-type(2) input", 0, causal)
        for hidden in ([], [0], [1, 3], [0, 1, 2, 3]):
            for at in range(4):
                choose(page, "#mask fieldset:nth-of-type(1) input", at, at not in hidden)
            mask = torch.ones(4, 4, dtype=torch.bool)
            mask[:, hidden] = False
            mask = mask.tril() if causal else mask
            for number, weights in enumerate((masked_softmax(SCORES, mask), SCORES.softmax(dim=-1) * mask)):
                choose(page, "#mask fieldset:nth-of-type(3) input", number)
                shown = torch.tensor([[float(cell) for cell in row[1:]] for row in rows(page, "mask")])
                assert (shown[:, :4] - weights).abs().max() < 0.0051
                assert (shown[:, 4] - weights.sum(dim=-1)).abs().max() < 0.0051
                told = said(page, "mask")
                assert ("no longer sum to 1" in told) == bool(((weights.sum(-1) > 0) & (weights.sum(-1) < 0.995)).any())
                assert ("attend to nothing" in told) == bool((weights.sum(dim=-1) == 0).any())


def test_every_control_is_reached_by_keys_has_a_name_and_says_its_value(page: Browser) -> None:
    groups = page.run(
        "return new Set([...document.querySelectorAll('.play :is(input[type=radio])')].map((each) => each.name)).size"
    )
    others = len(page.all(".play :is(input:not([type=radio]), button:not(:disabled), .play-scroll)"))
    stops = []
    while True:
        page.press(Keys.TAB)
        stop = page.run(
            "const at = document.activeElement; return at === document.body ? null : [at.tagName, getComputedStyle(at).outlineStyle]"
        )
        if stop is None or len(stops) > 100:
            break
        stops.append(stop)
    assert len(stops) == groups + others
    assert {outline for _, outline in stops} == {"solid"}
    # JupyterLab leaves the keys of these alone.
    assert len(page.all("[data-lm-suppress-shortcuts]")) == len(page.all(".play :is(input, button, [tabindex])"))
    page.run("document.querySelector('#sampling input').focus()")
    page.press(Keys.ARROW_LEFT)
    assert page.run("return document.activeElement.getAttribute('aria-valuetext')") == "0.95"


def test_without_scripts_the_tables_are_to_be_seen(browser: Browser, address: str) -> None:
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.driver.get(address)
        assert len([table for table in browser.all("table") if table.is_displayed()]) == len(WIDGETS)
        assert not browser.all("input")
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@pytest.mark.parametrize(("width", "mode"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")])
def test_axe_finds_nothing_wrong_it_fits_and_nothing_is_logged(
    browser: Browser, address: str, width: int, mode: str
) -> None:
    browser.show(width, mode)
    browser.open(address)
    browser.run("document.documentElement.dataset.theme = arguments[0]", mode)
    assert browser.violations() == []
    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert browser.driver.get_log("browser") == []
    assert browser.asked_elsewhere() == []


def test_the_page_asks_after_the_guess_and_marks_the_cell_that_shows_it() -> None:
    guess = new_code_cell("my_guess = 1.0  # here", metadata={"measured": "{far:.1f} nats"})
    computes, shows = new_code_cell("far = 2"), new_code_cell("print(my_guess)")
    computes.outputs = [new_output("display_data", {RECORD: "2.25"}, metadata={"scrapbook": {"name": "far"}})]
    page = with_questions([guess, computes, shows])
    assert page[1].source == '<div class="play-ask" data-measured="2.2 nats" data-alone></div>'
    assert [GUESSED in cell.metadata.get("tags", []) for cell in page] == [False, False, False, True]
    assert "measured" not in guess.metadata


def test_a_measurement_that_no_cell_recorded_is_refused() -> None:
    guess = new_code_cell("my_guess = 1.0", metadata={"measured": "{farther}"})
    with pytest.raises(SiteError, match="farther"):
        with_questions([guess, new_code_cell("print(my_guess)")])


def test_a_guess_that_nothing_shows_is_not_asked_for() -> None:
    cells = [new_code_cell("my_guess = 1.0"), new_code_cell("my_guess = 2.0"), new_code_cell("print(1)")]
    assert with_questions(list(cells)) == cells


GUESS = (
    '<section><div class="cell" id="guess"><div class="cell_input">my_guess = 1</div></div>'
    '<div class="play-ask" data-measured="1.41" data-alone></div>'
    f'<div class="cell" id="before">computes</div><div class="cell tag_{GUESSED}" id="figure">figure</div>'
    '<p id="text">It is 1.41.</p><div class="cell" id="more">more</div></section>'
)


@pytest.fixture
def asked(browser: Browser, tmp_path: Path) -> Browser:
    browser.show(1280, "light")
    browser.open(picture_page(f"{GUESS}<script>{widgets.script()}</script>", tmp_path))
    return browser


def seen(browser: Browser) -> list[str]:
    names = ("guess", "before", "figure", "text", "more")
    return [
        n
        for n in names
        if browser.run("return document.getElementById(arguments[0]).checkVisibility({contentVisibilityAuto: true})", n)
    ]


def test_a_guess_is_made_before_the_result_shows(asked: Browser) -> None:
    assert seen(asked) == ["more"]
    assert asked.violations() == []
    asked.press(Keys.TAB, *"1.2", Keys.ENTER)
    assert seen(asked) == ["before", "figure", "text", "more"]
    assert said_here(asked) == "Your guess: 1.2. Measured: 1.41. The result follows."


def test_nobody_has_to_guess(asked: Browser) -> None:
    asked.press(Keys.TAB, Keys.TAB, Keys.TAB, Keys.ENTER)
    assert seen(asked) == ["before", "figure", "text", "more"]


def test_a_link_into_what_waits_opens_it(asked: Browser) -> None:
    asked.run("location.hash = 'text'")
    asked.until(lambda: "text" in seen(asked), "the text")


def said_here(browser: Browser) -> str:
    return browser.run("return document.querySelector('.play-ask .play-said').textContent")
