"""Chapter 3: the bottleneck."""
