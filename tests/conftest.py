"""What several modules of tests look at, made once in a run by whichever process needs it first."""

import gc
import os
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from autograder.checkout import Checkout, Course
from autograder.samples import seeds
from tests.browser import Browser, open_browser

CHECKOUT = Checkout(Path(__file__).resolve().parent.parent)


def pytest_configure(config: pytest.Config) -> None:
    """Give hypothesis its seed, and let the kernels that run the chapters share what they draw."""
    config.option.hypothesis_seed = str(seeds.SEED)
    if "PYTEST_XDIST_WORKER" not in os.environ:
        shorten_corpora(config)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Have each test begin with the same random numbers, whichever ran before it."""
    seeds.restart()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which seed it was, and how each failure is repeated."""
    failed = [report.nodeid for kind in ("failed", "error") for report in terminalreporter.getreports(kind)]
    for name in dict.fromkeys(name.partition("::")[0] if ".ipynb" in name else name for name in failed):
        terminalreporter.write_line(f"To repeat: SEED={seeds.SEED} make test NAME={shlex.quote(name)}")
    terminalreporter.write_line(f"Inputs were drawn under SEED={seeds.SEED}.")


def shorten_corpora(config: pytest.Config) -> None:
    """Let the kernels that the tests start run with less text."""
    folder = tempfile.mkdtemp(prefix="ipython-")
    startup = Path(folder, "profile_default", "startup")
    startup.mkdir(parents=True)
    shutil.copy(Path(__file__).with_name("short_corpora.py"), startup)
    os.environ["IPYTHONDIR"] = folder
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser of one's own for each module of tests."""
    with open_browser() as found:
        yield found


def pytest_collection_finish() -> None:
    """Keep what is there now out of the garbage collector's sight: torch and thousands of tests stay until the end."""
    gc.freeze()


@pytest.fixture(scope="session")
def edition(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bool], Path]:
    """The folder of the site's pages: with solutions, or of the edition for graded classes."""
    from autograder.building.site import build_site  # The process that hands out the tests would only wait for it.

    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent

    def built(solutions: bool) -> Path:
        folder = shared / f"site-{solutions}"
        address = folder.with_suffix(".address")
        with FileLock(folder.with_suffix(".lock")):
            if not address.exists():
                address.write_text(str(build_site(CHECKOUT, folder, solutions=solutions)))
        return Path(address.read_text())

    return built


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course with the sample chapter released and nothing handed in: the others are copies of it. It loses patience soon."""
    from autograder.samples.course import make_course

    course = make_course(tmp_path_factory.mktemp("released"))
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write('c.ExecuteInSandbox.limits = {"cell_seconds": 3}\n')
    return course


@pytest.fixture
def fresh(released: Course, tmp_path: Path) -> Course:
    """A course of its own with the chapter released and nothing handed in."""
    return Course(shutil.copytree(released.root, tmp_path / "course"))
