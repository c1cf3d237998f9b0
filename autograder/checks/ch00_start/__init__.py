"""Chapter 0: how the course works, and how sentences become tensors."""
