"""nbgrader's programming interface, called quietly, with what went wrong in one line."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Any

from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config


def nbgrader_api(config: Config, directory: CourseDirectory | None = None) -> NbGraderAPI:
    """Nbgrader's own programming interface for a course.

    Args:
        config: The course's configuration.
        directory: Where its folders are, if not where the configuration says.
    """
    api = NbGraderAPI(directory or CourseDirectory(config=config), config=config)
    api.log.setLevel(logging.ERROR)
    api.log.propagate = False
    return api


def cause_of(result: Mapping[str, Any]) -> str:
    """What a call that failed says: its last exception, or all that it logged."""
    log = str(result.get("log") or result.get("error") or "it said nothing")
    causes = re.findall(r"^\s*\S*(?:Error|Exception): .+", log, re.MULTILINE)
    return causes[-1].strip() if causes else log
