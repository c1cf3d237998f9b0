"""One folder a chapter: its exercises, probes, judges and the recorded answers to the visible checks."""
