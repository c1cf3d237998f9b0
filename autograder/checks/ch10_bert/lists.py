"""Lists that have to be exactly those of the reference."""

from typing import Any

from autograder.judging.verdict import Verdict, failed, passed


def same_lists(got: Any, want: Any) -> Verdict:
    """Compares lists of any length, by name."""
    wrong = next((name for name in want if got[name] != want[name]), None)
    return (
        passed() if wrong is None else failed(f"{wrong}: came back {got[wrong]!r:.150}, expected {want[wrong]!r:.150}")
    )
