"""What the judges of `GRUCell` and `LSTMCell` share."""

from torch import Tensor
from torch.nn import functional as F

FROM_ZEROS_HINT = (
    "At the beginning of a sequence nothing has been read. A state of zeros has one row for each sequence of the batch, x.shape[0] "
    "of them, and takes type and device from x: new_zeros of a tensor does."
)
ALONE_HINT = (
    "With B = 1 a state is (1, H) still, and the next step goes on from it. squeeze() takes away every dimension of size one, also "
    "those that belong there; keep nothing in self from one call to the next."
)
BIAS_HINT = "With bias=False, bias_ih and bias_hh are None. F.linear takes None for a bias; to add None is an error."
ARGUMENTS_HINT = (
    "The way back needs every state again. Methods that end in an underscore, operators such as *= and assignments to h[...] change "
    "the caller's tensor: make a new one."
)
GRADIENT_HINT = "Stay with torch's operations on the weights and the tensors themselves: detach, .data, .item() and no_grad cut the gradient off."
TYPES_HINT = (
    "torch.zeros makes float32 unless it is given a dtype; new_zeros of a tensor takes it from there. Convert no argument to another "
    "type."
)
CHANGED = "the call changed"
"""What is said before the name of an argument or of a weight."""


def parts(want: dict[str, Tensor], gates: int, *, first: str = "h") -> tuple[list[Tensor], list[Tensor]]:
    """What the input and what the state says for each gate, (B, H) each; `first` names what is taken for the state."""
    size = want["h"].shape[1]
    of_input = F.linear(want["x"], want["weight_ih"], want["bias_ih"]).split(size, dim=1)
    of_state = F.linear(want[first], want["weight_hh"], want["bias_hh"]).split(size, dim=1)
    return list(of_input), list(of_state)
