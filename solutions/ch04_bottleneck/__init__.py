"""Reference solutions of this chapter: the three instruments with which the bottleneck is measured."""

from .gradients import gradient_map
from .lengths import accuracy_by_length
from .probing import position_probe

__all__ = ["accuracy_by_length", "gradient_map", "position_probe"]
