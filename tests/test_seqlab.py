"""What a chapter may rely on in seqlab's training loop, recorder and attention map."""

import itertools
from base64 import b64decode
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import matplotlib
import nbformat
import numpy as np
import pytest
import torch
from myst_nb.ext.glue import extract_glue_data_cell
from nbclient import NotebookClient
from torch import Tensor, nn

from seqlab.plots import PALETTE, PAPER, attention_map, use_style
from seqlab.record import record
from seqlab.training import SMOKE_STEPS, budget, pick_device, train

matplotlib.use("Agg")

SOLVED = sorted((Path(__file__).resolve().parent.parent / "solutions").glob("ch*/ch*.ipynb"))

# What becomes of linear RGB where one kind of cone is missing: Machado, Oliveira and Fernandes (2009), severity 1.
VISIONS = {
    "all cones": np.eye(3),
    "protanopia": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deuteranopia": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritanopia": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}


def squared_error(model: nn.Linear, batch: tuple[Tensor, Tensor]) -> Tensor:
    inputs, targets = batch
    return (model(inputs) - targets).square().mean()


def line_batches() -> Iterator[tuple[Tensor, Tensor]]:
    generator = torch.Generator().manual_seed(0)
    while True:
        inputs = torch.randn(16, 2, generator=generator)
        yield inputs, inputs @ torch.tensor([[2.0], [-1.0]])


@pytest.fixture
def full_budget(monkeypatch):
    monkeypatch.setenv("SEQLAB_BUDGET", "full")


class TestBudget:
    def test_is_full_where_nothing_is_said(self, monkeypatch):
        monkeypatch.delenv("SEQLAB_BUDGET", raising=False)
        assert budget() == "full"

    def test_refuses_an_unknown_value_and_names_it(self, monkeypatch):
        monkeypatch.setenv("SEQLAB_BUDGET", "tiny")
        with pytest.raises(ValueError, match="SEQLAB_BUDGET is 'tiny'.*'full' or 'smoke'"):
            budget()

    def test_smoke_stops_training_early(self, monkeypatch):
        monkeypatch.setenv("SEQLAB_BUDGET", "smoke")
        losses = train(nn.Linear(2, 1), squared_error, line_batches(), steps=1000)
        assert len(losses) == SMOKE_STEPS

    def test_smoke_never_lengthens_training(self, monkeypatch):
        monkeypatch.setenv("SEQLAB_BUDGET", "smoke")
        assert len(train(nn.Linear(2, 1), squared_error, line_batches(), steps=3)) == 3


@pytest.mark.usefixtures("full_budget")
class TestTrain:
    def test_lowers_the_loss_and_makes_every_step(self):
        torch.manual_seed(0)
        losses = train(nn.Linear(2, 1), squared_error, line_batches(), steps=300, learning_rate=0.05)
        assert len(losses) == 300
        assert losses[-1] < losses[0] / 100

    def test_takes_no_more_batches_than_steps(self):
        batches = itertools.islice(line_batches(), 5)
        assert len(train(nn.Linear(2, 1), squared_error, batches, steps=5)) == 5

    def test_leaves_the_model_in_evaluation_mode(self):
        model = nn.Linear(2, 1)
        train(model, squared_error, line_batches(), steps=1)
        assert not model.training

    def test_clipping_bounds_the_gradient(self):
        model = nn.Linear(2, 1)
        train(model, lambda m, b: 1e6 * squared_error(m, b), line_batches(), steps=1, clip=0.5)
        norms = [parameter.grad.norm() for parameter in model.parameters()]
        assert torch.stack(norms).norm() == pytest.approx(0.5, rel=1e-3)

    def test_says_when_the_batches_run_out(self):
        with pytest.raises(ValueError, match="ran out after 2 of 3 steps"):
            train(nn.Linear(2, 1), squared_error, itertools.islice(line_batches(), 2), steps=3)

    def test_says_when_the_loss_is_no_number(self):
        with pytest.raises(ValueError, match="the loss is nan at step 1"):
            train(nn.Linear(2, 1), lambda m, b: squared_error(m, b) * float("nan"), line_batches(), steps=3)

    def test_refuses_to_make_no_step(self):
        with pytest.raises(ValueError, match="steps is 0"):
            train(nn.Linear(2, 1), squared_error, line_batches(), steps=0)

    def test_says_nothing_where_nobody_watches(self, capfd):
        train(nn.Linear(2, 1), squared_error, line_batches(), steps=3)
        assert capfd.readouterr() == ("", "")


def test_device_can_hold_a_tensor():
    assert torch.zeros(1, device=pick_device()).item() == 0


@pytest.fixture(scope="module")
def executed_cells():
    notebook = nbformat.v4.new_notebook()
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    notebook.cells = [
        nbformat.v4.new_code_cell(
            "import torch\nfrom seqlab.record import record\nrecord(share=0.125, error_rate=torch.tensor(0.5))"
        ),
        nbformat.v4.new_code_cell(
            "from seqlab.training import train\n"
            "model = torch.nn.Linear(1, 1)\n"
            "batches = iter(lambda: torch.ones(1, 1), None)\n"
            "losses = train(model, lambda m, b: m(b).square().sum(), batches, steps=2)"
        ),
    ]
    NotebookClient(notebook, timeout=120).execute()
    return notebook.cells


class TestInNotebook:
    def test_recorded_numbers_are_found_by_glue_and_shown_by_nobody(self, executed_cells):
        cell = executed_cells[0]
        found = {name: output["data"]["text/plain"] for name, output in extract_glue_data_cell(cell)}
        assert found == {"share": "0.125", "error_rate": "0.5"}
        assert cell.outputs == []

    def test_training_leaves_one_line_and_no_warning(self, executed_cells):
        (output,) = executed_cells[1].outputs
        assert output["output_type"] == "display_data"
        assert output["data"]["text/plain"].startswith("step 2 of 2, loss ")


class TestRecord:
    def test_is_silent_outside_a_notebook(self, capfd):
        assert record(share=0.5) is None
        assert capfd.readouterr() == ("", "")

    @pytest.mark.parametrize("value", [torch.zeros(2), "many", None])
    def test_refuses_what_is_not_one_number(self, value):
        with pytest.raises(ValueError, match="share is .*single numbers"):
            record(share=value)


class TestAttentionMap:
    source, target = ("he", "sees", "the", "cat"), ("il", "voit", "le", "petit", "chat")

    @pytest.fixture
    def figure(self):
        weights = torch.eye(5, 4, dtype=torch.half)
        return attention_map(weights, self.source, self.target, {(0, 1), (3, 4)}, "A title")

    def test_source_runs_along_x_and_target_down_y(self, figure):
        axes = figure.axes[0]
        assert tuple(label.get_text() for label in axes.get_xticklabels()) == self.source
        assert tuple(label.get_text() for label in axes.get_yticklabels()) == self.target
        assert axes.yaxis_inverted()
        assert not axes.xaxis_inverted()
        assert axes.get_title(loc="left") + axes.get_title() == "A title"

    def test_words_stand_upright_and_apart(self, figure):
        figure.canvas.draw()
        labels = figure.axes[0].get_xticklabels()
        assert all(label.get_rotation() == 0 for label in labels)
        boxes = [label.get_window_extent() for label in labels]
        assert all(left.x1 < right.x0 for left, right in itertools.pairwise(boxes))

    def test_gold_links_are_outlined_and_nothing_else(self, figure):
        axes = figure.axes[0]
        ticks = list(axes.get_xticks())
        cells = set()
        for patch in axes.patches:
            assert not patch.get_fill()
            assert matplotlib.colors.to_hex(patch.get_edgecolor()) == PALETTE["red"].lower()
            middle = patch.get_x() + patch.get_width() / 2
            cells.add((min(range(4), key=lambda i: abs(ticks[i] - middle)), int(patch.get_y())))
        assert cells == {(0, 1), (3, 4)}

    def test_a_long_title_is_broken_into_lines_and_not_cut_off(self):
        title = "Each target word has a look of its own, and few of them are anywhere near the diagonal"
        with matplotlib.rc_context():
            use_style()
            figure = attention_map(torch.eye(5, 4), self.source, self.target, title=title)
            figure.canvas.draw()
            drawn = figure.get_tightbbox()
        assert figure.axes[0].get_title(loc="left").split() == title.split()
        assert drawn.x0 >= 0 and drawn.x1 <= figure.get_figwidth()
        assert drawn.y0 >= 0 and drawn.y1 <= figure.get_figheight()

    def test_refuses_weights_of_another_size(self):
        with pytest.raises(ValueError, match=r"shape \(4, 5\).*expected \(5, 4\)"):
            attention_map(torch.zeros(4, 5), self.source, self.target)

    def test_refuses_links_outside_the_grid(self):
        with pytest.raises(ValueError, match=r"link \(4, 0\)"):
            attention_map(torch.zeros(5, 4), self.source, self.target, {(4, 0)})


def stored_figures(notebook):
    for cell in nbformat.read(notebook, as_version=4).cells:
        for output in cell.get("outputs", []):
            if png := output.get("data", {}).get("image/png"):
                yield cell.source, matplotlib.image.imread(BytesIO(b64decode(png)))[:, :, :3]


@pytest.mark.parametrize("notebook", SOLVED, ids=lambda path: path.stem)
def test_the_figures_of_the_book_stand_on_its_paper_and_nothing_is_cut_off(notebook):
    paper = matplotlib.colors.to_rgb(PAPER)
    figures = list(stored_figures(notebook))
    assert figures
    for source, image in figures:
        for edge in (image[0], image[-1], image[:, 0], image[:, -1]):
            assert abs(edge - paper).max() < 0.01, f"something touches the edge of the figure of {source!r}"


def as_seen(colour, vision):
    """A colour in CIELAB, where distances are as large as differences look."""
    stored = np.array(matplotlib.colors.to_rgb(colour))
    linear = np.where(stored <= 0.04045, stored / 12.92, ((stored + 0.055) / 1.055) ** 2.4)
    seen = np.clip(VISIONS[vision] @ linear, 0, 1)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = np.cbrt(to_xyz @ seen / [0.9505, 1.0, 1.089])
    return np.array([116 * y, 500 * (x - y), 200 * (y - z)])


class TestStyle:
    @pytest.fixture(autouse=True)
    def style(self):
        with matplotlib.rc_context():
            use_style()
            yield

    def test_words_are_as_large_as_the_page_s(self):
        assert matplotlib.rcParams["font.size"] >= 12

    @pytest.mark.parametrize("vision", VISIONS)
    def test_the_colours_of_the_palette_are_told_apart(self, vision):
        seen = {name: as_seen(colour, vision) for name, colour in PALETTE.items()}
        for (one, first), (other, second) in itertools.combinations(seen.items(), 2):
            assert np.linalg.norm(first - second) > 12, f"{one} and {other} look alike"
