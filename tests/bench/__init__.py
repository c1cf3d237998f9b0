"""Measures the figures of the README: `python -m tests.bench build/bench.json`, one module for each kind of figure."""
