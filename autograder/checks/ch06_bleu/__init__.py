"""Chapter 6: BLEU."""
