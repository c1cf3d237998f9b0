"""Decoding: search and sampling."""
