"""Chapter 8: BERT."""
