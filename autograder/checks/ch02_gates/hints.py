"""The hints that `GRUCell` and `LSTMCell` share."""

FROM_ZEROS_HINT = (
    "At the beginning of a sequence, nothing has been read. A state of zeros has one row for each sequence of the batch, "
    "x.shape[0] of them, and takes its type and device from x, as x.new_zeros does."
)
ALONE_HINT = (
    "With B = 1, a state is still (1, H), and the next step continues from it. squeeze() removes every dimension of size one, "
    "even those that belong there; keep nothing in self from one call to the next."
)
BIAS_HINT = "With bias=False, bias_ih and bias_hh are None. F.linear accepts None as a bias; adding None is an error."
ARGUMENTS_HINT = (
    "The backward pass needs every state again. Methods that end in an underscore, operators such as *= and assignments to "
    "h[...] change the caller's tensor: make a new one."
)
GRADIENT_HINT = "Use only torch operations on the weights and the tensors themselves: detach, .data, .item() and no_grad cut off the gradient."
TYPES_HINT = (
    "torch.zeros creates float32 tensors unless you pass a dtype; new_zeros of a tensor uses the dtype of that tensor. Do not "
    "convert any argument to another type."
)
