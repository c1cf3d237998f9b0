"""What several modules of tests look at, made once in a run by whichever process needs it first."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from autograder.house import House
from autograder.weaving.site import build_site

HOUSE = House(Path(__file__).resolve().parent.parent)


@pytest.fixture(scope="session")
def edition(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bool], Path]:
    """The folder of the site's pages: with solutions, or of the edition for graded classes."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent

    def built(solutions: bool) -> Path:
        folder = shared / f"site-{solutions}"
        address = folder.with_suffix(".address")
        with FileLock(folder.with_suffix(".lock")):
            if not address.exists():
                address.write_text(str(build_site(HOUSE, folder, solutions=solutions)))
        return Path(address.read_text())

    return built
