"""Asks: runs a student's code beside the checks' questions, and brings back plain data."""
