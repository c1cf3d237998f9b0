"""How the tests are shared out when several processes run them."""

from typing import Any

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A module's tests stay together, for what they set up is dear; but those of the checks go by chapter, for they are many."""
    for item in items:
        params: dict[str, Any] = item.callspec.params if hasattr(item, "callspec") else {}
        chapter = getattr(params.get("exercise"), "chapter", "")
        item.add_marker(pytest.mark.xdist_group(f"{item.path.stem} {chapter}".strip()))
