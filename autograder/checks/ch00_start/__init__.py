"""How the course works, and how sentences become tensors."""
