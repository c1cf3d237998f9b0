"""Ways in which a layer's dropout goes wrong that the encoder's and the decoder's have in common: each stands in front of `Arranged`."""

import torch


class SameTwice:
    """One mask is drawn for all sublayers."""

    def forward(self, *given):
        self.kept = self.dropout(torch.ones_like(given[0]))
        return super().forward(*given)

    def look(self, states, mask):
        return self.kept * self.self_attention(states, states, mask)[0]

    def think(self, states):
        return self.kept * self.feed_forward(states)


class Vectors:
    """Whole vectors are dropped."""

    def think(self, states):
        found = self.feed_forward(states)
        return found * self.dropout(torch.ones_like(found[..., :1]))


class SameInEverySentence:
    """One mask is drawn for the whole batch."""

    def think(self, states):
        found = self.feed_forward(states)
        return found * self.dropout(torch.ones_like(found[:1]))


class WithoutDividing:
    """What is left is as large as it was."""

    def think(self, states):
        found = self.feed_forward(states)
        return found * (torch.rand_like(found) >= self.dropout.p) if self.training else found
