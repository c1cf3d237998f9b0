"""What takes the place of our own functions in processes that are to be killed; it imports nothing that takes long."""

import os
import time
from typing import Any


def over_nasty(job: Any) -> tuple[list[str], str]:
    """Write no page, and end the process at one of them as the kernel does when memory is short."""
    if "nasty" in str(job.notebook):
        os._exit(1)
    return [], ""


def never_done(_: Any) -> None:
    """Write no page, and take for ever."""
    time.sleep(1000)
