"""Drawings of the machines as vector graphics: a module for each topic, and `shapes`, with which all of them are drawn."""
