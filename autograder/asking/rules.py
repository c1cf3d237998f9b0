"""What an answer may not call, in kind: an exercise's declaration lists such rules, and `autograder.asking.watch` holds answers to them."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """Functions and classes that an answer may not call.

    Args:
        told: What they are, as a student reads it behind "must be written without".
        names: A regular expression that is found in their names, in lower case and without underscores: in torch, a layer, its
            function and the operators below it have such a part of the name in common. Empty for a whole package.
        package: The package that they are from.
        allows: The modules of the package that may be called all the same.
    """

    told: str
    names: str = ""
    package: str = "torch"
    allows: tuple[str, ...] = ()

    def covers(self, module: str, name: str) -> bool:
        """Whether the rule is about this function, or about this method of a class."""
        plain = name.lower().replace("_", "")
        is_from_package = module.partition(".")[0] == self.package and module not in self.allows
        return is_from_package and re.search(self.names, plain) is not None


ATTENTION = Rule(
    "torch's attention, such as torch.nn.functional.scaled_dot_product_attention",
    r"attention|attn|transformer(?!\.generate)",  # A mask may come from `Transformer.generate_square_subsequent_mask`.
)
AUTOGRAD = Rule(
    "automatic differentiation, such as torch.autograd and Tensor.backward",
    r"backward|^(_engine)?grad$|jvp|vjp|jac(obian|fwd|rev)|hessian|makedual",
)
CLIPPING = Rule(
    "torch's gradient clipping, such as torch.nn.utils.clip_grad_norm_",
    r"clipgrad|gettotalnorm",
)
CONVOLUTION = Rule(
    "torch's convolutions, such as torch.nn.functional.conv2d", r"conv(nd|\dd|transpose|olution|tbc|depthwise)"
)
CROSS_ENTROPY = Rule("torch's cross-entropy, such as torch.nn.functional.cross_entropy", r"crossentropy")
MULTI_HEAD = Rule("torch's multi-head attention, such as torch.nn.MultiheadAttention", r"multihead|transformer")
NORMALIZATION = Rule(
    "torch's normalisation layers, such as torch.nn.LayerNorm", r"(layer|group|batch|instance|rms)norm"
)
ONE_HOT = Rule("torch.nn.functional.one_hot", r"onehot")
PADDING = Rule(
    "torch's padding of sequences, such as torch.nn.utils.rnn.pad_sequence", r"padsequence|padpacked|paddedtensor"
)
RECURRENT = Rule("torch's recurrent layers and cells, such as torch.nn.GRU", r"rnn|gru|lstm")
SACREBLEU = Rule("sacrebleu", package="sacrebleu")
TOKENIZERS = Rule("tokenizers", package="tokenizers")

SEQLAB = Rule("seqlab", package="seqlab")
BLINDFOLD = Rule("sys.setprofile, by which the calls of your code are watched", r"setprofile", package="sys")
"""What every exercise forbids, as it forbids `SEQLAB`."""
RULES = tuple(value for value in dict(globals()).values() if isinstance(value, Rule))
