"""The student's seat: the student notebook in JupyterLab, filled in by typing, checked, restarted and validated.

The tests of `TestSitting` are one sitting, in this order. Demonstrations are taken out of the copy, for they only take time.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from nbformat import NotebookNode, write
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from autograder.building.notebook_files import is_demonstration, read
from autograder.checkout import Checkout
from autograder.declare import load_checks
from autograder.judging.verdict import Outcome, Status
from autograder.notebook.report import as_html, note_html
from autograder.samples.course import all_visible_points
from tests.browser import Browser, jupyterlab, served

CHAPTER = "ch00_start"
STUDENT = Checkout(Path(__file__).parent.parent).released(CHAPTER)
EXERCISES = {exercise.exercise.name: exercise for exercise in load_checks(CHAPTER)}
NAME = "one_hot"
# What is typed in the place of the stub's last line; the editor keeps the indentation.
ANSWER = """\
rows = torch.eye(vocab_size, device=tokens.device)
return rows[tokens]"""
_NOTEBOOK = "window.jupyterapp?.shell.currentWidget"
_CELL = (
    f"{_NOTEBOOK}.content.widgets.find(cell => (cell.model.getMetadata('nbgrader') ?? {{}}).grade_id === arguments[0])"
)
_READY = f"""
const open = {_NOTEBOOK};
return Boolean(open?.context?.isReady && open.sessionContext?.session?.kernel && open.content.widgets.length === arguments[0]);
"""
_SELECT = f"""
const notebook = {_NOTEBOOK}.content, done = arguments[1];
notebook.activeCellIndex = notebook.widgets.indexOf({_CELL});
notebook.deselectAll();
notebook.mode = "command";
notebook.scrollToItem(notebook.activeCellIndex).then(() => {{ notebook.activate(); done(); }});
"""


class Lab:
    """JupyterLab with one notebook open, as a student uses it; cells go by their nbgrader ids."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser

    def run(self, cell: str) -> str:
        """Run a cell; returns what stands below it."""
        self.browser.driver.execute_async_script(_SELECT, cell)
        ActionChains(self.browser.driver).key_down(Keys.CONTROL).send_keys(Keys.ENTER).key_up(Keys.CONTROL).perform()
        return self.wait_for(cell)

    def wait_for(self, cell: str) -> str:
        """Wait until the kernel is done; returns what stands below the cell."""
        self.browser.until(lambda: self.is_idle(cell), f"{cell} to be run")
        return "\n".join(output.text for output in self.outputs(cell))

    def is_idle(self, cell: str) -> bool:
        """Whether the cell has been run and nothing is being run any more."""
        state = f"const cell = {_CELL}; return [cell.model.executionState, {_NOTEBOOK}.sessionContext.session.kernel.status]"
        return self.browser.run(state, cell) == ["idle", "idle"] and bool(self.prompt(cell))

    def prompt(self, cell: str) -> str:
        """The number of a cell that was run; empty where it was not."""
        found = re.fullmatch(r"\[(\d+)\]:", self.element(cell).find_element(By.CSS_SELECTOR, ".jp-InputPrompt").text)
        return found[1] if found else ""

    def element(self, cell: str) -> WebElement:
        """The cell on the page."""
        return self.browser.run(f"return {_CELL}.node", cell)

    def outputs(self, cell: str) -> list[WebElement]:
        """What is shown below a cell, prompts included."""
        shown = self.element(cell).find_elements(By.CSS_SELECTOR, ".jp-OutputArea-child")
        return [output for output in shown if output.is_displayed()]

    def type_for_stub(self, cell: str, text: str) -> None:
        """Put text in the place of the line that the stub ends with."""
        self.browser.driver.execute_async_script(_SELECT, cell)
        lines = self.element(cell).find_elements(By.CSS_SELECTOR, ".cm-line")
        next(line for line in lines if line.text.strip() == "raise NotImplementedError").click()
        keys = ActionChains(self.browser.driver).send_keys(Keys.HOME).key_down(Keys.SHIFT).send_keys(Keys.END)
        keys.key_up(Keys.SHIFT).send_keys(text).send_keys(Keys.ESCAPE).perform()

    def menu(self, title: str, entry: str) -> None:
        """Choose an entry of a menu."""
        self._click(".lm-MenuBar-itemLabel", title)
        self._click(".lm-Menu-itemLabel", entry)

    def press(self, button: str) -> None:
        """Press a button of the notebook's toolbar."""
        self._click(".jp-NotebookPanel-toolbar button, .jp-NotebookPanel-toolbar jp-button", button)

    def dialog(self, choice: str, seconds: int = 30) -> str:
        """Wait for a dialog and press one of its buttons; returns what it said."""
        dialog = self.browser.until(
            lambda: next(iter(self.browser.all(".jp-Dialog-content")), None), "a dialog", seconds
        )
        said = dialog.text
        self._click(".jp-Dialog-content button", choice)
        self.browser.until(lambda: not self.browser.all(".jp-Dialog-content"), "the dialog to close")
        return said

    def _click(self, selector: str, text: str) -> None:
        def found() -> WebElement | None:
            shown = [element for element in self.browser.all(selector) if element.is_displayed()]
            return next((element for element in shown if element.text.strip() == text), None)

        self.browser.until(found, f"{text} to press").click()


def shortened() -> NotebookNode:
    """The student notebook without what is only there to be looked at."""
    notebook = read(STUDENT)
    notebook.cells = [cell for cell in notebook.cells if not is_demonstration(cell)]
    return notebook


@pytest.fixture(scope="module")
def lab(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    folder = tmp_path_factory.mktemp("student") / "notebooks"
    folder.mkdir()
    notebook = shortened()
    write(notebook, folder / STUDENT.name)
    browser.show(1300, "light")
    options = ("--LabApp.expose_app_in_browser=True", "--LabApp.news_url=None")
    with jupyterlab(folder, browser, *options, SEQLAB_BUDGET="smoke") as address:
        browser.driver.get(f"{address}/lab/tree/{STUDENT.name}")
        browser.until(lambda: browser.run(_READY, len(notebook.cells)), "the notebook and its kernel")
        yield Lab(browser)


def points_of(report: str) -> str:
    """The first line of a report."""
    return report.partition("\n")[0]


def full(name: str) -> str:
    return all_visible_points(EXERCISES[name])


class TestSitting:
    def test_unwritten_exercise_says_what_to_write_where(self, lab: Lab) -> None:
        lab.run(f"{CHAPTER}-setup")
        lab.run(f"{NAME}-answer")
        report = lab.run(NAME)
        assert points_of(report).startswith(f"{NAME}: 0 of ")
        assert "Not written yet: replace raise NotImplementedError with your own lines." in report

    def test_typed_answer_is_checked(self, lab: Lab) -> None:
        lab.type_for_stub(f"{NAME}-answer", ANSWER)
        assert lab.run(f"{NAME}-answer") == ""
        report = lab.run(NAME)
        assert points_of(report) == full(NAME)
        assert report.count("✓") == len(EXERCISES[NAME].visible.checks)

    def test_report_stands_alone_below_its_cell(self, lab: Lab) -> None:
        """The points, which nbgrader reads from the cell's result, are there and are not seen."""
        (report,) = lab.outputs(NAME)
        assert report.text.startswith(full(NAME))
        results = lab.element(NAME).find_elements(By.CSS_SELECTOR, ".jp-OutputArea-executeResult")
        assert [result.is_displayed() for result in results] == [False] * len(results)
        assert results

    def test_restarted_kernel_leads_to_the_cells_above(self, lab: Lab) -> None:
        lab.menu("Kernel", "Restart Kernel…")
        lab.dialog("Restart")
        told = lab.run(NAME)
        assert f"NameError: name '{NAME}' is not defined" in told
        assert "Choose Run → Run All Above Selected Cell, then run this cell again." in lab.outputs(NAME)[-1].text

    def test_what_it_says_helps(self, lab: Lab) -> None:
        lab.menu("Run", "Run All Above Selected Cell")
        lab.wait_for(f"{NAME}-answer")
        assert points_of(lab.run(NAME)) == full(NAME)

    def test_validation_names_what_is_not_right_yet(self, lab: Lab) -> None:
        lab.menu("File", "Save Notebook")
        lab.press("Validate")
        said = lab.dialog("Ok", 120)
        asked = [cell.id for cell in read(STUDENT).cells if cell.cell_type == "code" and cell.id in EXERCISES]
        failed = [name for name in asked if f"check({name})" in said]
        assert failed == [name for name in asked if name != NAME]
        assert "changed" not in said


class TestReport:
    @pytest.mark.parametrize(("ground", "ink"), [("#ffffff", "rgba(0, 0, 0, 0.87)"), ("#111111", "#ffffff")])
    def test_is_readable_on_the_grounds_of_both_themes(
        self, browser: Browser, tmp_path: Path, ground: str, ink: str
    ) -> None:
        """By axe, which looks for contrast too; the report sets no ground of its own."""
        outcomes = [
            Outcome(f"a check that ended so: {status}", 1, "a hint", hidden, status, "a message with `code` in it")
            for status in Status
            for hidden in (False, True)
        ]
        report = as_html(EXERCISES[NAME], outcomes) + note_html("A sentence with `code` in it.")
        style = f"background: {ground}; color: {ink}; font: 13px sans-serif"
        page = f"<!doctype html><html lang=en><meta charset=utf-8><title>Report</title><body style='{style}'><main>"
        (tmp_path / "index.html").write_text(f"{page}<h1>Report</h1>{report}</main></body></html>", encoding="utf-8")
        with served(tmp_path) as address:
            browser.driver.get(address)
            assert browser.violations() == []
