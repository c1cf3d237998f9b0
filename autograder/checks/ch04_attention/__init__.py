"""Chapter 4: attention and its variants."""
