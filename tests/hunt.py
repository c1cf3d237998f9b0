"""Looks for a seed under which a test fails: `python -m tests.hunt MINUTES`, or without a number until Ctrl-C.

Runs everything that draws its inputs, such as the answers of students, the sample of mutants and damaged notebooks, under one random
seed after another, and stops at the first that fails. The end of its output has the line that repeats it.
"""

import math
import os
import re
import secrets
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DRAWS = re.compile(r"mark\.drawn|^from hypothesis import", re.MULTILINE)


def main(minutes: float = math.inf) -> int:
    """Run under new seeds, and begin no run when the time is up; returns the exit code."""
    end, held = time.monotonic() + 60 * minutes, 0
    modules = [str(path) for path in sorted((ROOT / "tests").glob("test_*.py")) if DRAWS.search(path.read_text())]
    options = ["-q", "-x", "-n", str(os.cpu_count()), "--dist", "loadscope", "-m", "drawn or hypothesis"]
    try:
        while time.monotonic() < end:
            seed = str(secrets.randbelow(2**32))
            print(f"SEED={seed}, after {held} that held", flush=True)
            environment = {**os.environ, "SEED": seed, "PYTHONHASHSEED": seed}
            code = subprocess.run(
                [sys.executable, "-m", "pytest", *options, *modules], cwd=ROOT, env=environment, check=False
            ).returncode
            if code:
                return code
            held += 1
    except KeyboardInterrupt:
        pass
    print(f"{held} seeds held")
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(float, sys.argv[1:2])))
