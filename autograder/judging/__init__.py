"""Judges: compares answers with the reference's, and recognises mistakes that are known."""
