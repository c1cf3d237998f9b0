"""The checks of the chapter on a model of today."""
