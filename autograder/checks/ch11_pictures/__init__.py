"""Pictures as what a decoder reads."""
