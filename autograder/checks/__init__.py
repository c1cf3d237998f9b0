"""One folder a chapter: the checks of its exercises, their known mistakes, and the recorded answers to the visible checks."""
