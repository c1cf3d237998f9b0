"""Reference solutions of this chapter: convolution, a picture as a memory to attend to, a step of captioning, and where the decoder looks."""

from .captioning import caption_step
from .convolution import conv2d
from .grid import GridEncoder
from .pointing import pointing_accuracy
from .positions import positions_2d

__all__ = ["GridEncoder", "caption_step", "conv2d", "pointing_accuracy", "positions_2d"]
