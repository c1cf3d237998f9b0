"""A sample class, for `make demo`, the benchmark and the tests."""
