"""The bottleneck."""
