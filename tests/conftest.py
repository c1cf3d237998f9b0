"""How the tests are shared out when several processes run them."""

import pytest
from xdist.scheduler.loadscope import LoadScopeScheduling


class ByModule(LoadScopeScheduling):
    """A module's tests stay together, for what they set up is dear; those of the checks, many and light, go function by function."""

    def _split_scope(self, nodeid: str) -> str:
        return nodeid.partition("[" if "test_checks.py" in nodeid else "::")[0]


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> ByModule:
    """Takes the place of xdist's own choices."""
    return ByModule(config, log)
