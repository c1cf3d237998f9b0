"""`python -m autograder`, for an environment whose commands are not on the PATH."""

from autograder.cli import app

app(prog_name="python -m autograder")
