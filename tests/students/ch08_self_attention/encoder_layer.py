"""What students hand in for `EncoderLayer`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points; `FORBIDDEN` break the
exercise's rule. The constructor is given with the exercise, so each stands on `Given`.
"""

import functools

import torch
from torch import nn
from torch.nn import functional as F

from tests.students import dropping

EXERCISE = "EncoderLayer"


class Given(nn.Module):
    """The part that is not the student's."""

    def __init__(self, self_attention, feed_forward, norms, dropout=0.0, pre_norm=True):
        super().__init__()
        self.self_attention = self_attention
        self.feed_forward = feed_forward
        self.norms = nn.ModuleList(norms)
        self.dropout = nn.Dropout(dropout)
        self.pre_norm = pre_norm


class Arranged(Given):
    """Right but for what a mistake overrides; for the mistakes alone."""

    def look(self, states, mask):
        return self.dropout(self.self_attention(states, states, mask)[0])

    def think(self, states):
        return self.dropout(self.feed_forward(states))

    def before(self, inputs, mask):
        states = inputs + self.look(self.norms[0](inputs), mask)
        return states + self.think(self.norms[1](states))

    def behind(self, inputs, mask):
        states = self.norms[0](inputs + self.look(inputs, mask))
        return self.norms[1](states + self.think(states))

    def forward(self, inputs, mask):
        return self.before(inputs, mask) if self.pre_norm else self.behind(inputs, mask)


class NoResiduals(Arranged):
    """Sublayer after sublayer, as in any network."""

    def before(self, inputs, mask):
        return self.think(self.norms[1](self.look(self.norms[0](inputs), mask)))

    def behind(self, inputs, mask):
        return self.norms[1](self.think(self.norms[0](self.look(inputs, mask))))


class NoResidualAroundAttention(Arranged):
    """Only the feed-forward has a residual."""

    def before(self, inputs, mask):
        states = self.look(self.norms[0](inputs), mask)
        return states + self.think(self.norms[1](states))


class NoResidualAroundFeedForward(Arranged):
    """Only the attention has a residual."""

    def before(self, inputs, mask):
        states = inputs + self.look(self.norms[0](inputs), mask)
        return self.think(self.norms[1](states))


class FeedForwardOntoInputs(Arranged):
    """Both outcomes are added to the inputs, the second without the first."""

    def before(self, inputs, mask):
        states = inputs + self.look(self.norms[0](inputs), mask)
        return inputs + self.think(self.norms[1](states))


class InParallel(Arranged):
    """The feed-forward reads the inputs."""

    def before(self, inputs, mask):
        return inputs + self.look(self.norms[0](inputs), mask) + self.think(self.norms[1](inputs))


class ThinksFirst(Arranged):
    """Feed-forward, then self-attention."""

    def before(self, inputs, mask):
        states = inputs + self.think(self.norms[0](inputs))
        return states + self.look(self.norms[1](states), mask)


class NoFeedForward(Arranged):
    """The second sublayer is forgotten."""

    def before(self, inputs, mask):
        return inputs + self.look(self.norms[0](inputs), mask)


class OutcomeNotUnpacked(Arranged):
    """Attention returns two things."""

    def look(self, states, mask):
        return self.dropout(self.self_attention(states, states, mask))


class WeightsForOutput(Arranged):
    """The second of the two things."""

    def look(self, states, mask):
        return self.dropout(self.self_attention(states, states, mask)[1])


class KeysAndValuesApart(Arranged):
    """Attention as torch has it, with three inputs."""

    def look(self, states, mask):
        return self.dropout(self.self_attention(states, states, states, mask)[0])


class MemoryForgotten(Arranged):
    """The mask stands in the memory's place."""

    def look(self, states, mask):
        return self.dropout(self.self_attention(states, mask)[0])


class WeightsToo(Arranged):
    """The weights come back with the outputs."""

    def forward(self, inputs, mask):
        return super().forward(inputs, mask), None


class DropsAlways(Arranged):
    """F.dropout drops a half, in evaluation too."""

    def look(self, states, mask):
        return F.dropout(self.self_attention(states, states, mask)[0])


class NoForward(Given):
    """forward was deleted."""


class AroundNormed(Arranged):
    """The name of the inputs is used again for the normalised ones."""

    def before(self, inputs, mask):
        inputs = self.norms[0](inputs)
        inputs = inputs + self.look(inputs, mask)
        inputs = self.norms[1](inputs)
        return inputs + self.think(inputs)


class AttentionAroundNormed(Arranged):
    """The same, in the first sublayer alone."""

    def before(self, inputs, mask):
        inputs = self.norms[0](inputs)
        states = inputs + self.look(inputs, mask)
        return states + self.think(self.norms[1](states))


class FeedForwardAroundNormed(Arranged):
    """The same, in the second sublayer alone."""

    def before(self, inputs, mask):
        states = inputs + self.look(self.norms[0](inputs), mask)
        states = self.norms[1](states)
        return states + self.think(states)


class FlagTheOtherWay(Arranged):
    """Pre-norm and post-norm are exchanged."""

    def forward(self, inputs, mask):
        return self.behind(inputs, mask) if self.pre_norm else self.before(inputs, mask)


class AlwaysPostNorm(Arranged):
    """As in the paper, whatever the flag says."""

    def forward(self, inputs, mask):
        return self.behind(inputs, mask)


class FirstNormTwice(Arranged):
    """One norm for both sublayers."""

    def before(self, inputs, mask):
        states = inputs + self.look(self.norms[0](inputs), mask)
        return states + self.think(self.norms[0](states))


class NormsExchanged(Arranged):
    """The second norm for the first sublayer."""

    def before(self, inputs, mask):
        states = inputs + self.look(self.norms[1](inputs), mask)
        return states + self.think(self.norms[0](states))


class OutcomeNormed(Arranged):
    """The norm stands behind the sublayer, in front of the sum."""

    def before(self, inputs, mask):
        states = inputs + self.norms[0](self.look(inputs, mask))
        return states + self.norms[1](self.think(states))


class NormBehindTheLast(Arranged):
    """The norm that belongs behind a whole stack."""

    def before(self, inputs, mask):
        return self.norms[1](super().before(inputs, mask))


class NoNormBeforeFeedForward(Arranged):
    """The second norm is forgotten."""

    def before(self, inputs, mask):
        states = inputs + self.look(self.norms[0](inputs), mask)
        return states + self.think(states)


class QueriesAlone(Arranged):
    """The memory is not normalised."""

    def before(self, inputs, mask):
        states = inputs + self.dropout(self.self_attention(self.norms[0](inputs), inputs, mask)[0])
        return states + self.think(self.norms[1](states))


class MemoryAlone(Arranged):
    """The queries are not normalised."""

    def before(self, inputs, mask):
        states = inputs + self.dropout(self.self_attention(inputs, self.norms[0](inputs), mask)[0])
        return states + self.think(self.norms[1](states))


class NoNormBeforeAttention(Arranged):
    """The first norm is forgotten."""

    def before(self, inputs, mask):
        states = inputs + self.look(inputs, mask)
        return states + self.think(self.norms[1](states))


class SecondNormTwice(Arranged):
    """The last of the norms for both sublayers."""

    def before(self, inputs, mask):
        states = inputs + self.look(self.norms[-1](inputs), mask)
        return states + self.think(self.norms[-1](states))


class AlwaysPreNorm(Arranged):
    """The flag is not asked."""

    def forward(self, inputs, mask):
        return self.before(inputs, mask)


class PostNormUnwritten(Arranged):
    """Nothing comes back in post-norm."""

    def behind(self, inputs, mask):
        return None


class PostNormNoResidual(Arranged):
    """The norm behind what was found, without the sum."""

    def behind(self, inputs, mask):
        states = self.norms[0](self.look(inputs, mask))
        return self.norms[1](self.think(states))


class PostNormOfTheOutcome(Arranged):
    """The norm behind what was found, in front of the sum."""

    def behind(self, inputs, mask):
        states = inputs + self.norms[0](self.look(inputs, mask))
        return states + self.norms[1](self.think(states))


class PostNormAtTheEnd(Arranged):
    """Only the last sum is normalised."""

    def behind(self, inputs, mask):
        states = inputs + self.look(inputs, mask)
        return self.norms[1](states + self.think(states))


class PostNormTwice(Arranged):
    """What the sublayers read is normalised in both."""

    def behind(self, inputs, mask):
        states = self.norms[0](inputs + self.look(self.norms[0](inputs), mask))
        return self.norms[1](states + self.think(self.norms[1](states)))


class PostNormFirstNormTwice(Arranged):
    """One norm for both sums."""

    def behind(self, inputs, mask):
        states = self.norms[0](inputs + self.look(inputs, mask))
        return self.norms[0](states + self.think(states))


class MaskLeftOut(Arranged):
    """Attention is called without its mask."""

    def look(self, states, mask):
        return self.dropout(self.self_attention(states, states)[0])


class MaskLeftOutOfPostNorm(Arranged):
    """The same in one of the two branches."""

    def behind(self, inputs, mask):
        states = self.norms[0](inputs + self.dropout(self.self_attention(inputs, inputs)[0]))
        return self.norms[1](states + self.think(states))


class MaskInverted(Arranged):
    """The mask goes in the wrong way round, as torch's own has it."""

    def look(self, states, mask):
        return super().look(states, ~mask)


class MaskOfOnes(Arranged):
    """A mask that hides nothing."""

    def look(self, states, mask):
        return super().look(states, torch.ones_like(mask))


class MaskForHeads(Arranged):
    """The mask gets an axis for the heads, which attention gives it itself."""

    def look(self, states, mask):
        return super().look(states, mask.unsqueeze(1))


class NoDropout(Arranged):
    """self.dropout is not used."""

    def look(self, states, mask):
        return self.self_attention(states, states, mask)[0]

    def think(self, states):
        return self.feed_forward(states)


class NoDropoutOfAttention(Arranged):
    """One of the two is forgotten."""

    def look(self, states, mask):
        return self.self_attention(states, states, mask)[0]


class NoDropoutOfFeedForward(Arranged):
    """The other is forgotten."""

    def think(self, states):
        return self.feed_forward(states)


class DropsTheSum(Arranged):
    """The residual is dropped too."""

    def before(self, inputs, mask):
        states = self.dropout(inputs + self.self_attention(*[self.norms[0](inputs)] * 2, mask)[0])
        return self.dropout(states + self.feed_forward(self.norms[1](states)))

    def behind(self, inputs, mask):
        states = self.norms[0](self.dropout(inputs + self.self_attention(inputs, inputs, mask)[0]))
        return self.norms[1](self.dropout(states + self.feed_forward(states)))


class DropsWhatIsRead(Arranged):
    """Dropout in front of the sublayers."""

    def look(self, states, mask):
        states = self.dropout(states)
        return self.self_attention(states, states, mask)[0]

    def think(self, states):
        return self.feed_forward(self.dropout(states))


class DropsAHalf(Arranged):
    """F.dropout is called without its probability, so it drops one half."""

    def look(self, states, mask):
        return F.dropout(self.self_attention(states, states, mask)[0], training=self.training)

    def think(self, states):
        return F.dropout(self.feed_forward(states), training=self.training)


class DropsInEvaluation(Arranged):
    """F.dropout is not told whether the model is in training mode."""

    def look(self, states, mask):
        return F.dropout(self.self_attention(states, states, mask)[0], self.dropout.p)

    def think(self, states):
        return F.dropout(self.feed_forward(states), self.dropout.p)


class DropsInPreNormAlone(Arranged):
    """In post-norm nothing is dropped."""

    def behind(self, inputs, mask):
        states = self.norms[0](inputs + self.self_attention(inputs, inputs, mask)[0])
        return self.norms[1](states + self.feed_forward(states))


class DropsTheSameTwice(dropping.SameTwice, Arranged):
    """One mask is drawn for all sublayers."""


class DropsVectors(dropping.Vectors, Arranged):
    """Whole vectors are dropped."""


class DropsTheSameInEverySentence(dropping.SameInEverySentence, Arranged):
    """One mask is drawn for the whole batch."""


class DropsWithoutDividing(dropping.WithoutDividing, Arranged):
    """What is left is as large as it was."""


class AddsInPlace(Arranged):
    """The sum is made in the caller's tensor."""

    def before(self, inputs, mask):
        inputs += self.look(self.norms[0](inputs), mask)
        return inputs + self.think(self.norms[1](inputs))


class InvertsMaskInPlace(Arranged):
    """The mask is turned for a moment, and stays so."""

    def look(self, states, mask):
        return super().look(states, ~mask.logical_not_())


class DetachedResidual(Arranged):
    """The residual connections pass no gradient."""

    def before(self, inputs, mask):
        states = inputs.detach() + self.look(self.norms[0](inputs), mask)
        return states + self.think(self.norms[1](states))


class DetachedMemory(Arranged):
    """The memory of self-attention gets no gradient."""

    def look(self, states, mask):
        return self.dropout(self.self_attention(states, states.detach(), mask)[0])


class NoGradient(Arranged):
    """All of it is computed without a gradient."""

    @torch.no_grad()
    def forward(self, inputs, mask):
        return super().forward(inputs, mask)


_RESIDUAL = "the output of each sublayer is added to its input"
_PRE = "pre-norm: the residual bypasses the norm, and feed-forward has the second norm"
_NORMED = "pre-norm: in self-attention, queries and memory are both the normalised inputs"
_POST = "post-norm: each sum is normalised"
_MASK = "self-attention gets the mask"
_DROPOUT = "dropout is applied to each sublayer's output, in training only"
_ARGUMENTS = "inputs and mask are not changed"
_GRADIENT = "the gradient reaches the inputs and every part"

WRONG = {
    NoResiduals: _RESIDUAL,
    NoResidualAroundAttention: _RESIDUAL,
    NoResidualAroundFeedForward: _RESIDUAL,
    FeedForwardOntoInputs: _RESIDUAL,
    InParallel: _RESIDUAL,
    ThinksFirst: _RESIDUAL,
    NoFeedForward: _RESIDUAL,
    OutcomeNotUnpacked: _RESIDUAL,
    WeightsForOutput: _RESIDUAL,
    KeysAndValuesApart: _RESIDUAL,
    MemoryForgotten: _RESIDUAL,
    WeightsToo: _RESIDUAL,
    DropsAlways: _RESIDUAL,
    NoForward: _RESIDUAL,
    AroundNormed: _PRE,
    AttentionAroundNormed: _PRE,
    FeedForwardAroundNormed: _PRE,
    FlagTheOtherWay: _PRE,
    AlwaysPostNorm: _PRE,
    FirstNormTwice: _PRE,
    NormsExchanged: _PRE,
    OutcomeNormed: _PRE,
    NormBehindTheLast: _PRE,
    NoNormBeforeFeedForward: _PRE,
    QueriesAlone: _NORMED,
    MemoryAlone: _NORMED,
    NoNormBeforeAttention: _NORMED,
    SecondNormTwice: _NORMED,
    AlwaysPreNorm: _POST,
    PostNormUnwritten: _POST,
    PostNormNoResidual: _POST,
    PostNormOfTheOutcome: _POST,
    PostNormAtTheEnd: _POST,
    PostNormTwice: _POST,
    PostNormFirstNormTwice: _POST,
    MaskLeftOut: _MASK,
    MaskLeftOutOfPostNorm: _MASK,
    MaskInverted: _MASK,
    MaskOfOnes: _MASK,
    MaskForHeads: _MASK,
    NoDropout: _DROPOUT,
    NoDropoutOfAttention: _DROPOUT,
    NoDropoutOfFeedForward: _DROPOUT,
    DropsTheSum: _DROPOUT,
    DropsWhatIsRead: _DROPOUT,
    DropsAHalf: _DROPOUT,
    DropsInEvaluation: _DROPOUT,
    DropsTheSameTwice: _DROPOUT,
    DropsVectors: _DROPOUT,
    DropsTheSameInEverySentence: _DROPOUT,
    DropsWithoutDividing: _DROPOUT,
    DropsInPreNormAlone: _DROPOUT,
    AddsInPlace: _ARGUMENTS,
    InvertsMaskInPlace: _ARGUMENTS,
    DetachedResidual: _GRADIENT,
    DetachedMemory: _GRADIENT,
    NoGradient: _GRADIENT,
}


class WithAHelper(Given):
    """A method around each sublayer."""

    def around(self, states, norm, sublayer):
        if self.pre_norm:
            return states + self.dropout(sublayer(norm(states)))
        return norm(states + self.dropout(sublayer(states)))

    def forward(self, inputs, mask):
        states = self.around(inputs, self.norms[0], lambda x: self.self_attention(x, x, mask)[0])
        return self.around(states, self.norms[1], self.feed_forward)


class AskedAtEveryPlace(Given):
    """The flag is asked wherever a norm can stand."""

    def forward(self, inputs, mask):
        states = inputs
        for place, norm in enumerate(self.norms):
            read = norm(states) if self.pre_norm else states
            if place == 0:
                found, _ = self.self_attention(query=read, memory=read, mask=mask)
            else:
                found = self.feed_forward(read)
            states = states + self.dropout(found)
            if not self.pre_norm:
                states = norm(states)
        return states


class FunctionalDropout(Given):
    """F.dropout, told everything."""

    def forward(self, inputs, mask):
        def drop(found):
            return F.dropout(found, p=self.dropout.p, training=self.training)

        first, second = self.norms
        if not self.pre_norm:
            inputs = first(inputs + drop(self.self_attention(inputs, inputs, mask)[0]))
            return second(inputs + drop(self.feed_forward(inputs)))
        asked = first(inputs)
        inputs = inputs + drop(self.self_attention(asked, asked, mask)[0])
        return inputs + drop(self.feed_forward(second(inputs)))


class DropoutByHand(Given):
    """A draw of its own says what is kept."""

    def drop(self, found):
        if not self.training or self.dropout.p == 0:
            return found
        return found * (torch.rand_like(found) > self.dropout.p) / (1 - self.dropout.p)

    def forward(self, inputs, mask):
        residual = inputs
        inputs = self.norms[0](inputs) if self.pre_norm else inputs
        found = residual + self.drop(self.self_attention(inputs, inputs, mask)[0])
        states = found if self.pre_norm else self.norms[0](found)
        inputs = self.norms[1](states) if self.pre_norm else states
        found = states + self.drop(self.feed_forward(inputs))
        return found if self.pre_norm else self.norms[1](found)


class InTwoSteps(Given):
    """Keys and values first, then the look-up."""

    def forward(self, inputs, mask):
        norms = [*self.norms, nn.Identity(), nn.Identity()]
        before, behind = (norms[:2], norms[2:]) if self.pre_norm else (norms[2:], norms[:2])
        asked = before[0](inputs)
        found, _ = self.self_attention.look_up(asked, *self.self_attention.keys_values(asked), mask)
        states = behind[0](inputs.add(self.dropout(found)))
        return behind[1](torch.add(states, self.dropout(self.feed_forward(before[1](states)))))


class SentenceBySentence(Given):
    """One sentence at a time."""

    def forward(self, inputs, mask):
        rows = [self.one(x[None], m[None]) for x, m in zip(inputs, mask, strict=True)]
        return torch.cat(rows)

    def one(self, x, mask):
        if self.pre_norm:
            normed = self.norms[0](x)
            x = x + self.dropout(self.self_attention(normed, normed, mask)[0])
            return x + self.dropout(self.feed_forward(self.norms[1](x)))
        x = self.norms[0](x + self.dropout(self.self_attention(x, x, mask)[0]))
        return self.norms[1](x + self.dropout(self.feed_forward(x)))


class MaskForEveryQuery(Given):
    """The mask is expanded to a row for every query."""

    def forward(self, inputs, mask):
        mask = mask.expand(-1, inputs.shape[1], -1)
        return WithAHelper.forward(self, inputs, mask)

    around = WithAHelper.around


def made_by_a_function(*args, **kwargs):
    """A function that builds one."""
    return WithAHelper(*args, **kwargs)


RIGHT = {
    "with a helper": WithAHelper,
    "asked at every place": AskedAtEveryPlace,
    "functional dropout": FunctionalDropout,
    "dropout by hand": DropoutByHand,
    "in two steps": InTwoSteps,
    "sentence by sentence": SentenceBySentence,
    "a mask for every query": MaskForEveryQuery,
    "made by a function": made_by_a_function,
    "a partial": functools.partial(FunctionalDropout),
}


class TorchsOwn(Given):
    """The rule is that this is not used."""

    def forward(self, inputs, mask):
        layer = nn.TransformerEncoderLayer(inputs.shape[-1], 2, batch_first=True, norm_first=self.pre_norm)
        return layer(inputs, src_key_padding_mask=~mask[:, 0])


class TorchsAttention(Given):
    """Nor this."""

    def forward(self, inputs, mask):
        attention = nn.MultiheadAttention(inputs.shape[-1], 2, batch_first=True)
        states = inputs + attention(inputs, inputs, inputs, key_padding_mask=~mask[:, 0])[0]
        return states + self.feed_forward(self.norms[1](states))


class SeqlabsOwn(Given):
    """Nor this, the library's."""

    def forward(self, inputs, mask):
        from seqlab.attention_layers import EncoderLayer as Own

        return Own.forward(self, inputs, mask)


FORBIDDEN = (TorchsOwn, TorchsAttention, SeqlabsOwn)
