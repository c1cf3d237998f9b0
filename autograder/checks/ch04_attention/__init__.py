"""Attention and its variants."""
