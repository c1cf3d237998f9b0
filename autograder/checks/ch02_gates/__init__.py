"""Gradients through time, and gates."""
