"""Questions about a reader's code: sound for every exercise, the same under the same seed, and made within bounds."""

import functools
import inspect
import io
import itertools
import json
import linecache
import random
import re
import textwrap
import tomllib
import zipfile
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

import autograder
from autograder.asking.draw import derive_seed
from autograder.asking.probing import own_settings
from autograder.asking.serialization import decode, encode, to_plain
from autograder.building.handout import wheel
from autograder.building.page_questions import with_mistakes
from autograder.declare import chapters, load_checks
from autograder.grading.redaction import without_words
from autograder.judging.catalogue import load_catalogue
from autograder.judging.reference import load_reference
from autograder.notebook import quiz
from autograder.notebook.progress import FILE
from autograder.notebook.report import blocks_html
from autograder.questions.code import ENDLESS, Change, Code, UnaskableError, read_code
from autograder.questions.given import Given, Lucky, inputs_of
from autograder.questions.making import Question, off_centre, questions
from autograder.questions.recorded import input_of, read_recorded
from autograder.questions.rehearsal import MOST, perform, rehearse
from autograder.questions.values import form_of, is_apart, is_same, plain, shapes_of, text_of
from autograder.questions.why import read_whys, why_path, without_rubrics

ROOT = Path(__file__).resolve().parent.parent
EXERCISES = [(chapter, found.exercise.name) for chapter in chapters() for found in load_checks(chapter)]
every_exercise = pytest.mark.parametrize(("chapter", "name"), EXERCISES, ids=[name for _, name in EXERCISES])
SEED = "of the tests"
FEWEST = 8


@cache
def solutions(chapter: str) -> ModuleType:
    return load_reference(ROOT / "solutions", chapter)


@cache
def asked(chapter: str, name: str) -> tuple[Code, tuple[Question, ...]]:
    code, inputs = read_code(getattr(solutions(chapter), name)), inputs_of(chapter, name)
    assert inputs is not None, f"{chapter}/by_hand.py has no inputs for {name}"
    return code, tuple(itertools.islice(questions(code, inputs, SEED), FEWEST))


def drawn(chapter: str, name: str) -> list[Given]:
    """The inputs that questions are drawn from."""
    make = inputs_of(chapter, name)
    assert make is not None
    return [make(Lucky(derive_seed(SEED, name, number))) for number in range(32)]


def with_line(code: Code, told: str) -> str:
    """The code with a line changed as an option says."""
    found = re.fullmatch(r"line (\d+)(?:: (.*)| is left out)", told)
    assert found, told
    lines = code.source.splitlines()
    place = code.first + int(found[1]) - 1
    blanks = lines[place][: len(lines[place]) - len(lines[place].lstrip())]
    lines[place] = blanks + (found[2] or "pass")
    return "\n".join(lines)


def outcome(code: Code, source: str, given: Given) -> Any:
    """What a source makes of an input, run in the plainest way; an error as a text."""
    names = dict(code.names)
    with own_settings():
        try:
            exec(source, names)  # noqa: S102 - our own solution, with one change
            return plain(given.call(names[code.name]))
        except Exception as error:  # noqa: BLE001 - whatever a change leads to
            return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}".removesuffix(": ")


def changed_in(question: Question) -> str:
    """The change that a question states, as an option would say it."""
    found = re.search(r"line (\d+) is changed to\n\n    (.*)\n\n", question.ask)
    return f"line {found[1]}: {found[2]}" if found else re.search(r"line \d+ is left out", question.ask)[0]  # type: ignore[index]


def shown(value: Any, asked_for: str) -> str:
    """A result as the question shows it: its numbers, or its shape."""
    return f"a result of shape {shapes_of(value)}" if asked_for.startswith("a result of shape") else text_of(value)


@every_exercise
class TestEveryExercise:
    def test_enough_questions_each_with_options_of_its_own(self, chapter, name):
        _, found = asked(chapter, name)
        assert len(found) == FEWEST
        assert len({(q.ask, q.given, q.options) for q in found}) == FEWEST
        for question in found:
            texts = [option.text for option in question.options]
            assert len(set(texts)) == len(texts) == 4
            assert 0 <= question.right < 4

    def test_inputs_can_be_shown(self, chapter, name):
        for given in drawn(chapter, name):
            text = given.shown(name)
            assert "<" not in text, "an object is shown by its address"
            assert len(text.splitlines()) < 20
            assert max(map(len, text.splitlines())) < 140

    def test_exactly_one_option_is_right(self, chapter, name):
        code, found = asked(chapter, name)
        by_text = {given.shown(name): number for number, given in enumerate(drawn(chapter, name))}
        for question in found:
            if question.kind == "input":
                self.one_input(chapter, name, code, question)
                continue
            at = by_text[question.given]

            def ran(source: str, at: int = at) -> Any:
                return outcome(code, source, drawn(chapter, name)[at])

            own, texts = ran(code.source), [option.text for option in question.options]
            if question.kind == "happens":
                result = ran(with_line(code, changed_in(question)))
                right = text_of(own if is_same(result, own) else result)
                assert [text == right for text in texts] == [place == question.right for place in range(4)]
                continue
            if question.kind == "fails":  # It may never end, so that only what counts its steps can run it.
                changed = [Change(0, "", with_line(code, text)) for text in texts]
                errors = [code.run(drawn(chapter, name)[at].call, each).error for each in changed]
                assert [bool(error) for error in errors] == [place == question.right for place in range(4)]
            if question.kind in ("change", "keeps"):
                results = [ran(with_line(code, text)) for text in texts]
                stated = textwrap.dedent(question.ask.split("\n\n")[1]) if question.kind == "change" else ""
                fits = {
                    "change": lambda result, stated=stated: shown(result, stated) == stated,
                    "keeps": lambda result, own=own: text_of(result) == text_of(own) and not is_apart(result, own),
                }[question.kind]
                assert [fits(result) for result in results] == [place == question.right for place in range(4)], question

    def one_input(self, chapter: str, name: str, code: Code, question: Question) -> None:
        source = with_line(code, changed_in(question))
        differs = []
        for option in question.options:
            (number,) = {
                tuple(entry for entry in given.entries(name) if entry not in question.given.splitlines()): n
                for n, given in reversed(list(enumerate(drawn(chapter, name))))
                if "\n".join(entry for entry in given.entries(name) if entry not in question.given) == option.text
            }.values()
            results = [outcome(code, each, drawn(chapter, name)[number]) for each in (code.source, source)]
            differs.append(is_apart(*results))
        assert differs == [place == question.right for place in range(4)]

    def test_recorded_mistakes_return_what_is_recorded(self, chapter, name):
        (exercise,) = (found for found in load_checks(chapter) if found.exercise.name == name)
        make, listed = inputs_of(chapter, name), load_catalogue(exercise).mistakes
        assert make is not None
        for one in read_recorded(chapter)[name]:
            texts: dict[str, set[str]] = {sentence: set() for sentence, _ in one.mistakes}
            for mistake in listed:
                if mistake.sentence in texts:
                    with own_settings():
                        texts[mistake.sentence].add(text_of(plain(input_of(make, one.draw).call(mistake.subject))))
            assert len(texts) == 4
            (right, told), *others = one.mistakes
            assert told in texts[right]
            assert all(told not in texts[other] and shown in texts[other] for other, shown in others)


@pytest.mark.parametrize(
    "name", ["masked_softmax", "GRUCell", "clip_gradients_", "sample_sentence", "clipped_precision"]
)
def test_same_seed_same_questions(name):
    (chapter,) = [chapter for chapter, each in EXERCISES if each == name]
    code, recorded = asked(chapter, name)[0], read_recorded(chapter)[name]
    again = [tuple(itertools.islice(questions(code, of(name), "a", recorded), 4)) for _ in range(2)]
    assert again[0] == again[1]
    assert again[0] != tuple(itertools.islice(questions(code, of(name), "b", recorded), 4))


def test_a_recorded_mistake_is_asked_about():
    code, recorded = asked("ch05_attention", "masked_softmax")[0], read_recorded("ch05_attention")["masked_softmax"]
    found = [q for q in questions(code, of("masked_softmax"), SEED, recorded) if q.kind == "mistake"]
    assert sorted(q.options[q.right].text for q in found) == sorted(one.mistakes[0][0] for one in recorded)
    assert all("Your code gives" in q.why for q in found)


def test_the_right_option_is_no_more_often_in_the_middle_than_by_chance():
    right, near, far = "[1, 2, 3]", ["[1, 2, 4]", "[1, 5, 3]", "[6, 2, 3]"], ["[7, 8, 9]", "[7, 8, 0]", "[7, 4, 9]"]
    chosen = [off_centre(right, [*near, *far], random.Random(number)) for number in range(60)]
    assert all(len(set(each)) == 3 for each in chosen)
    assert sum(each == (0, 1, 2) for each in chosen) < 60 / 4, "changes of the right option alone put it in the middle"
    assert sum(sum(at > 2 for at in each) > 1 for each in chosen) > 60 / 4
    assert off_centre(right, near, random.Random(0)) == (0, 1, 2), "where there is nothing to choose"


def test_an_error_is_not_told_by_its_line_alone():
    for name in ("one_hot", "clipped_ratio_loss"):
        (chapter,) = [chapter for chapter, each in EXERCISES if each == name]
        code = read_code(getattr(solutions(chapter), name))
        failing = [
            question for question in itertools.islice(questions(code, of(name), SEED), 14) if question.kind == "fails"
        ]
        assert failing
        for question in failing:
            lines = [re.match(r"line (\d+)", option.text)[1] for option in question.options]  # type: ignore[index]
            assert lines.count(lines[question.right]) > 1


@every_exercise
def test_the_form_of_a_recorded_result_does_not_tell_the_mistake(chapter, name):
    (exercise,) = (found for found in load_checks(chapter) if found.exercise.name == name)
    make, listed = inputs_of(chapter, name), load_catalogue(exercise).mistakes
    assert make is not None
    for one in read_recorded(chapter)[name]:
        forms: dict[str, list[Any]] = {sentence: [] for sentence, _ in one.mistakes}
        for mistake in listed:
            if mistake.sentence in forms:
                with own_settings():
                    forms[mistake.sentence].append(form_of(plain(input_of(make, one.draw).call(mistake.subject))))
        right, *others = forms.values()
        assert any(form in right for each in others for form in each), one


@pytest.mark.parametrize("chapter", chapters())
def test_a_chapters_page_asks_three_questions_without_a_kernel(chapter):
    (asked_about, _) = with_mistakes([new_markdown_cell("## Read on")], chapter)
    assert asked_about.source.count("Show the answer") == 3
    assert len(set(re.findall(r"\*\*`(\w+)`", asked_about.source))) == min(3, len(load_checks(chapter)))


def defined(source: str, name: str, **names: Any) -> Any:
    """What a cell defines."""
    file = f"<cell {hash(source)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    space = {"__name__": "__main__", "torch": torch, "nn": torch.nn, "Tensor": torch.Tensor, **names}
    exec(compile(source, file, "exec"), space)  # noqa: S102 - as a kernel runs a cell
    return space[name]


WRITTEN = '''
def top_k_filter(logits: Tensor, k: int) -> Tensor:
    """Keep the k largest."""
    # My own way.
    order = logits.argsort(dim=-1, descending=True)
    ranks = order.argsort(dim=-1)
    return logits.masked_fill(ranks >= k, float("-inf"))
'''
ENDLESS_LOOP = """
def top_k_filter(logits, k):
    while True:
        k = k + 1
"""
A_CLASS = """
class RMSNorm(nn.Module):
    def __init__(self, size, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, inputs):
        square = inputs.square().mean(dim=-1, keepdim=True)
        return self.weight * inputs / (square + self.eps).sqrt()
"""


def of(name: str) -> Any:
    (chapter,) = [chapter for chapter, each in EXERCISES if each == name]
    return inputs_of(chapter, name)


class TestCode:
    def test_shown_without_comments_docstring_and_types(self):
        code = read_code(defined(WRITTEN, "top_k_filter"))
        assert code.lines == [
            "def top_k_filter(logits, k):",
            "    order = logits.argsort(dim=-1, descending=True)",
            "    ranks = order.argsort(dim=-1)",
            "    return logits.masked_fill(ranks >= k, float('-inf'))",
        ]

    def test_of_a_class_what_the_reader_writes(self):
        code = read_code(defined(A_CLASS, "RMSNorm"))
        assert code.lines[0] == "def forward(self, inputs):"
        assert all(change.line > 1 for change in itertools.islice(code.changes(random.Random(0)), 40))

    def test_a_loop_that_never_ends_is_ended(self):
        code = read_code(defined(ENDLESS_LOOP, "top_k_filter"))
        assert code.run(of("top_k_filter")(Lucky(1)).call).error == ENDLESS

    def test_a_loop_in_what_it_calls_is_ended_too(self):
        def forever(k):
            while True:
                k = k + 1

        code = read_code(
            defined("def top_k_filter(logits, k):\n    return forever(k)\n", "top_k_filter", forever=forever)
        )
        assert code.run(of("top_k_filter")(Lucky(1)).call).error == ENDLESS

    def test_an_import_that_takes_long_is_not_cut_off(self, tmp_path, monkeypatch):
        monkeypatch.syspath_prepend(tmp_path)
        (tmp_path / "takes_long.py").write_text(
            "import time\nend = time.process_time() + 1.2\nwhile time.process_time() < end:\n    pass\nWHOLE = True\n"
        )
        code = read_code(
            defined(
                "def top_k_filter(logits, k):\n    import takes_long\n    return takes_long.WHOLE\n", "top_k_filter"
            )
        )
        run = code.run(of("top_k_filter")(Lucky(1)).call)
        assert (run.error, run.result) == ("", True)

    @pytest.mark.parametrize(
        ("subject", "told"),
        [
            (lambda logits, k: logits, "was not found"),
            (functools.partial(max, 1), "written with `def`"),
            (max, "written with `def`"),
            (type("RMSNorm", (torch.nn.Module,), {}), "written with `def`"),
        ],
    )
    def test_what_has_no_code_to_ask_about(self, subject, told):
        with pytest.raises(UnaskableError, match=told):
            read_code(subject)


def test_no_option_comes_from_memory_that_nothing_was_written_into():
    written = """
def positional_encoding(length, d_model):
    rows = torch.full((64, 64), 7.0)
    del rows
    encoding = torch.empty(length, d_model)
    angles = torch.arange(length).unsqueeze(1) * 100.0 ** (-torch.arange(0, d_model, 2) / d_model)
    encoding[:, 0::2] = angles.sin()
    encoding[:, 1::2] = angles.cos()
    return encoding
"""
    code = read_code(defined(written, "positional_encoding"))
    made = list(itertools.islice(questions(code, of("positional_encoding"), SEED), 12))
    told = " ".join(option.text + option.note for question in made for option in question.options)
    assert "line 7 is left out" not in told or "7." not in told
    assert made == list(itertools.islice(questions(code, of("positional_encoding"), SEED), 12))


class TestValues:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (torch.tensor([[1.0, 0.5], [2e-9, -0.333]]), "tensor([[1., 0.5], [0., -0.33]])"),
            (torch.tensor([True, False]), "tensor([True, False])"),
            (torch.tensor(2.0), "tensor(2.)"),
            (torch.zeros(2, 0), "tensor([], shape (2, 0))"),
            ((3.0, [1, 2], "a"), "(3.0, [1, 2], 'a')"),
            (frozenset({(1, 0), (0, 1)}), "{(0, 1), (1, 0)}"),
            (float("-inf"), "-inf"),
        ],
    )
    def test_shown_with_few_digits(self, value, text):
        assert text_of(value) == text

    @pytest.mark.parametrize(
        ("one", "other", "told_apart"),
        [
            (torch.tensor([0.50]), torch.tensor([0.51]), False),
            (torch.tensor([0.50]), torch.tensor([0.60]), True),
            (torch.tensor([1.0]), torch.tensor([1]), True),
            (torch.tensor([torch.nan]), torch.tensor([torch.nan]), False),
            ([1, 2], [2, 1], True),
            (torch.zeros(2), torch.zeros(2, 1), True),
        ],
    )
    def test_told_apart_as_by_hand(self, one, other, told_apart):
        assert is_apart(one, other) is told_apart


def letters(text: str) -> list[str]:
    return re.findall(r"^    ([a-d])\)", text, flags=re.MULTILINE)


class TestNotebook:
    @pytest.fixture(autouse=True)
    def fresh(self, monkeypatch, tmp_path):
        monkeypatch.setattr(quiz, "_decks", {})
        monkeypatch.chdir(tmp_path)

    @pytest.fixture
    def said(self, capsys):
        def call(*given: Any, **names: Any) -> str:
            space = {"question": autograder.question, "given": given, **names}
            exec("question(*given)", space)  # noqa: S102 - as a cell calls it
            return capsys.readouterr().out

        return call

    def test_the_same_question_until_it_is_answered(self, said):
        mine = defined(WRITTEN, "top_k_filter")
        first = said(mine)
        assert letters(first) == ["a", "b", "c", "d"]
        assert said(mine) == first
        judged = [said(mine, letter) for letter in "b"]
        assert re.match(r"Right: b\.|No: [acd] is right\.", judged[0])
        assert said(mine) != first

    def test_one_answer_in_four_is_right(self, said, monkeypatch):
        mine = defined(WRITTEN, "top_k_filter")
        told = []
        for letter in ("a", "B", " c) ", "(d)"):
            monkeypatch.setattr(quiz, "_decks", {})
            said(mine)
            told.append(said(mine, letter))
        assert sorted(text[:3] for text in told) == ["No:", "No:", "No:", "Rig"]

    def test_a_change_of_the_code_is_another_question(self, said):
        first = said(defined(WRITTEN, "top_k_filter"))
        assert said(defined(WRITTEN.replace("order", "sorting"), "top_k_filter")) != first

    def test_wrong_code_is_asked_about_as_it_is(self, said):
        text = said(defined(WRITTEN.replace(">= k", "> k"), "top_k_filter"))
        assert "ranks > k" in text

    @pytest.mark.parametrize(
        ("source", "told"),
        [
            ("def top_k_filter(logits, k):\n    raise NotImplementedError\n", "is not written yet"),
            ("def top_k_filter(logits, k):\n    return logits[9]\n", "it stops with IndexError"),
            (ENDLESS_LOOP, "it never ends"),
            ("def top_k_filter(logits):\n    return logits\n", "it stops with TypeError"),
        ],
    )
    def test_what_cannot_be_asked_about_is_told_in_a_sentence(self, source, told, said):
        text = said(defined(source, "top_k_filter"))
        assert told in text
        assert "Traceback" not in text

    def test_nothing_to_ask(self, said, monkeypatch):
        monkeypatch.setattr(quiz, "read_recorded", lambda chapter: {})
        assert "No question was found" in said(
            defined("def top_k_filter(logits, k):\n    return None\n", "top_k_filter")
        )

    def test_answers_that_are_none(self, said):
        mine = defined(WRITTEN, "top_k_filter")
        assert "No question waits" in said(mine, "a")
        said(mine)
        for wrong in ("e", "", "ab", 1, None):
            assert "one of the letters a, b, c, d" in said(mine, wrong)
        said(mine, "a")
        assert "No question waits" in said(mine, "a")

    def test_no_exercise(self, said):
        assert "Give question the function" in said()
        assert "is not an exercise" in said(max)

    def test_it_can_be_read_on_a_page(self):
        page = blocks_html("Say `x`.\n\n    a  <b>\n      c")
        assert "<code>x</code>" in page
        assert ">a  &lt;b&gt;\n  c</pre>" in page

    def test_in_a_kernel_answers_are_counted_apart_from_points(self, tmp_path):
        cells = [
            "import torch\nfrom torch import nn\nfrom autograder import check, progress, question",
            A_CLASS,
            "check(RMSNorm)",
            "question(RMSNorm)",
            "question(RMSNorm, 'a')",
            "progress()",
        ]
        notebook = new_notebook(cells=[new_code_cell(cell) for cell in cells])
        NotebookClient(notebook, resources={"metadata": {"path": str(tmp_path)}}).execute()
        asked_for, judged, progress = (cell.outputs[0].data for cell in notebook.cells[-3:])
        assert letters(asked_for["text/plain"]) == ["a", "b", "c", "d"]
        assert "is right" in judged["text/plain"] or "Right" in judged["text/plain"]
        assert re.search(r"[01] of 1 question about your code answered right\.", progress["text/plain"])
        kept = json.loads((tmp_path / FILE).read_text())
        assert kept["questions"]["RMSNorm"][1] == 1
        assert type(kept["RMSNorm"]) is int


class TestWhy:
    @every_exercise
    def test_every_exercise_has_one_with_three_points(self, chapter, name):
        why = read_whys(chapter)[name]
        assert why.ask.endswith(("?", "."))
        assert 50 < len(why.ask) < 330
        assert len(why.rubric) == 3
        assert all(30 < len(point) < 260 and point.endswith(".") for point in why.rubric)

    def test_no_other_names(self):
        assert {(c, name) for c in chapters() for name in read_whys(c)} == set(EXERCISES)

    def test_students_get_the_questions_without_the_rubrics(self):
        for chapter in chapters():
            text = why_path(chapter).read_text(encoding="utf-8")
            given = tomllib.loads(without_rubrics(text))
            assert {name: one["ask"] for name, one in given.items()} == {
                n: w.ask for n, w in read_whys(chapter).items()
            }
            assert all(one.keys() == {"ask"} for one in given.values())
        with zipfile.ZipFile(io.BytesIO(wheel("ch00_start", []))) as files:
            (name,) = [name for name in files.namelist() if name.endswith("ch00_start/why.toml")]
            assert "rubric" not in files.read(name).decode()

    def test_in_a_notebook(self, capsys):
        mine = defined(WRITTEN, "top_k_filter")
        why = read_whys("ch06_decoding")["top_k_filter"]
        autograder.question(mine, kind="why")
        asked_for = capsys.readouterr().out
        assert why.ask in asked_for
        assert not any(point in " ".join(asked_for.split()) for point in why.rubric)
        autograder.question(mine, "Because names are many.", kind="why")
        told = " ".join(capsys.readouterr().out.split())
        assert all(point in told for point in why.rubric)
        autograder.question(mine, kind="how")
        assert "There is no kind 'how'" in capsys.readouterr().out


class TestRehearsal:
    """Questions about code that runs in a sandbox are those that would be asked about it here."""

    NAMES = (
        *(
            "one_hot",
            "perplexity",
            "sample_sentence",
            "clip_gradients_",
            "LSTMCell",
            "hard_alignment",
            "diagnose_error",
        ),
        *("clipped_precision", "positional_encoding", "wordpiece_tokenize", "conv2d", "dpo_loss", "merge_byte_pairs"),
    )

    def rehearsed(self, name: str) -> tuple[str, Any, str, Any]:
        (chapter,) = [chapter for chapter, each in EXERCISES if each == name]
        subject = getattr(solutions(chapter), name)
        kept = without_words(decode(encode(to_plain(rehearse(chapter, name, subject, SEED)))))
        return chapter, subject, inspect.getsource(subject), kept

    @pytest.mark.parametrize("name", NAMES)
    def test_from_what_the_runs_gave_come_the_same_questions(self, name):
        chapter, subject, source, kept = self.rehearsed(name)
        here = list(itertools.islice(questions(read_code(subject), of(name), SEED), MOST))
        assert perform(chapter, name, source, SEED, kept) == here

    def test_nothing_runs_where_they_are_made(self):
        chapter, _, source, kept = self.rehearsed("one_hot")
        stopping = source.replace("identity = ", "raise SystemExit or ")
        with pytest.raises(UnaskableError, match="is not what the last cell that defines it says"):
            perform(chapter, "one_hot", stopping, SEED, kept)

    def test_results_that_lie_are_shown_as_results_and_nothing_else(self):
        chapter, _, source, kept = self.rehearsed("one_hot")
        for entry in kept:
            entry[3] = "<script>" + "x" * 10_000
        try:
            made = perform(chapter, "one_hot", source, SEED, kept)
        except UnaskableError:
            return
        assert all(len(option.text) < 1_000 for question in made for option in question.options)
        assert all(question.code == made[0].code for question in made)
