"""Chapter 7: the Transformer."""
