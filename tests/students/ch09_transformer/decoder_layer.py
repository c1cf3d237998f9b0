"""What students hand in for `DecoderLayer`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points; `FORBIDDEN` break the
exercise's rule. The constructor is given with the exercise, so each stands on `Given`.
"""

import functools

import torch
from torch import nn
from torch.nn import functional as F

from tests.students import dropping

EXERCISE = "DecoderLayer"


class Given(nn.Module):
    """The part that is not the student's."""

    def __init__(self, self_attention, cross_attention, feed_forward, norms, dropout=0.0, pre_norm=True):
        super().__init__()
        self.self_attention = self_attention
        self.cross_attention = cross_attention
        self.feed_forward = feed_forward
        self.norms = nn.ModuleList(norms)
        self.dropout = nn.Dropout(dropout)
        self.pre_norm = pre_norm


class Arranged(Given):
    """Right but for what a mistake overrides; for the mistakes alone."""

    def look(self, states, target_mask):
        return self.dropout(self.self_attention(states, states, target_mask)[0])

    def across(self, states, memory, source_mask):
        return self.dropout(self.cross_attention(states, memory, source_mask)[0])

    def think(self, states):
        return self.dropout(self.feed_forward(states))

    def before(self, inputs, memory, target_mask, source_mask):
        states = inputs + self.look(self.norms[0](inputs), target_mask)
        states = states + self.across(self.norms[1](states), memory, source_mask)
        return states + self.think(self.norms[2](states))

    def behind(self, inputs, memory, target_mask, source_mask):
        states = self.norms[0](inputs + self.look(inputs, target_mask))
        states = self.norms[1](states + self.across(states, memory, source_mask))
        return self.norms[2](states + self.think(states))

    def forward(self, inputs, memory, target_mask, source_mask):
        run = self.before if self.pre_norm else self.behind
        return run(inputs, memory, target_mask, source_mask)


class NoResiduals(Arranged):
    """Sublayer after sublayer."""

    def before(self, inputs, memory, target_mask, source_mask):
        states = self.look(self.norms[0](inputs), target_mask)
        return self.think(self.norms[2](self.across(self.norms[1](states), memory, source_mask)))


class NoResidualAroundSelfAttention(Arranged):
    """The first residual is forgotten."""

    def before(self, inputs, memory, target_mask, source_mask):
        states = self.look(self.norms[0](inputs), target_mask)
        states = states + self.across(self.norms[1](states), memory, source_mask)
        return states + self.think(self.norms[2](states))


class NoResidualAroundCrossAttention(Arranged):
    """The second residual is forgotten."""

    def before(self, inputs, memory, target_mask, source_mask):
        states = inputs + self.look(self.norms[0](inputs), target_mask)
        states = self.across(self.norms[1](states), memory, source_mask)
        return states + self.think(self.norms[2](states))


class NoResidualAroundFeedForward(Arranged):
    """The third residual is forgotten."""

    def before(self, inputs, memory, target_mask, source_mask):
        states = inputs + self.look(self.norms[0](inputs), target_mask)
        states = states + self.across(self.norms[1](states), memory, source_mask)
        return self.think(self.norms[2](states))


class CrossFirst(Arranged):
    """The source is looked at before the target."""

    def before(self, inputs, memory, target_mask, source_mask):
        states = inputs + self.across(self.norms[0](inputs), memory, source_mask)
        states = states + self.look(self.norms[1](states), target_mask)
        return states + self.think(self.norms[2](states))


class ThinksInBetween(Arranged):
    """Feed-forward stands behind self-attention."""

    def before(self, inputs, memory, target_mask, source_mask):
        states = inputs + self.look(self.norms[0](inputs), target_mask)
        states = states + self.think(self.norms[1](states))
        return states + self.across(self.norms[2](states), memory, source_mask)


class OntoInputs(Arranged):
    """Every outcome is added to the inputs."""

    def before(self, inputs, memory, target_mask, source_mask):
        states = inputs + self.look(self.norms[0](inputs), target_mask)
        states = inputs + self.across(self.norms[1](states), memory, source_mask)
        return inputs + self.think(self.norms[2](states))


class NoCrossAttention(Arranged):
    """An encoder's layer."""

    def before(self, inputs, memory, target_mask, source_mask):
        states = inputs + self.look(self.norms[0](inputs), target_mask)
        return states + self.think(self.norms[2](states))


class OutcomeNotUnpacked(Arranged):
    """Attention returns two things."""

    def across(self, states, memory, source_mask):
        return self.dropout(self.cross_attention(states, memory, source_mask))


class KeysAndValuesApart(Arranged):
    """Attention as torch has it, with three inputs."""

    def across(self, states, memory, source_mask):
        return self.dropout(self.cross_attention(states, memory, memory, source_mask)[0])


class WeightsToo(Arranged):
    """Something more comes back."""

    def forward(self, inputs, memory, target_mask, source_mask):
        return super().forward(inputs, memory, target_mask, source_mask), None


class DropsAlways(Arranged):
    """F.dropout drops a half, in evaluation too."""

    def think(self, states):
        return F.dropout(self.feed_forward(states))


class NoForward(Given):
    """forward was deleted."""


class RolesSwapped(Arranged):
    """The memory asks."""

    def across(self, states, memory, source_mask):
        return self.dropout(self.cross_attention(memory, states, source_mask)[0])


class MemoryAsksItself(Arranged):
    """The target is not in it."""

    def across(self, states, memory, source_mask):
        return self.dropout(self.cross_attention(memory, memory, source_mask)[0])


class TargetAsksItself(Arranged):
    """A second self-attention."""

    def across(self, states, memory, source_mask):
        return self.dropout(self.cross_attention(states, states, source_mask)[0])


class InputsAsk(Arranged):
    """Cross-attention does not see what self-attention found."""

    def before(self, inputs, memory, target_mask, source_mask):
        states = inputs + self.look(self.norms[0](inputs), target_mask)
        states = states + self.across(self.norms[1](inputs), memory, source_mask)
        return states + self.think(self.norms[2](states))


class AroundNormed(Arranged):
    """The name of the states is used again for the normalised ones."""

    def before(self, inputs, memory, target_mask, source_mask):
        states = self.norms[0](inputs)
        states = self.norms[1](states + self.look(states, target_mask))
        states = self.norms[2](states + self.across(states, memory, source_mask))
        return states + self.think(states)


class CrossAroundNormed(Arranged):
    """The same, in the second sublayer alone."""

    def before(self, inputs, memory, target_mask, source_mask):
        states = inputs + self.look(self.norms[0](inputs), target_mask)
        states = self.norms[1](states)
        states = states + self.across(states, memory, source_mask)
        return states + self.think(self.norms[2](states))


class FlagTheOtherWay(Arranged):
    """Pre-norm and post-norm are exchanged."""

    def forward(self, inputs, memory, target_mask, source_mask):
        run = self.behind if self.pre_norm else self.before
        return run(inputs, memory, target_mask, source_mask)


class AlwaysPostNorm(Arranged):
    """As in the paper, whatever the flag says."""

    def forward(self, inputs, memory, target_mask, source_mask):
        return self.behind(inputs, memory, target_mask, source_mask)


class TwoNorms(Arranged):
    """Feed-forward has the norm of cross-attention."""

    def before(self, inputs, memory, target_mask, source_mask):
        states = inputs + self.look(self.norms[0](inputs), target_mask)
        states = states + self.across(self.norms[1](states), memory, source_mask)
        return states + self.think(self.norms[1](states))


class LastNormsExchanged(Arranged):
    """The second and the third norm in each other's places."""

    def before(self, inputs, memory, target_mask, source_mask):
        states = inputs + self.look(self.norms[0](inputs), target_mask)
        states = states + self.across(self.norms[2](states), memory, source_mask)
        return states + self.think(self.norms[1](states))


class OutcomeNormed(Arranged):
    """The norm stands behind the sublayer, in front of the sum."""

    def before(self, inputs, memory, target_mask, source_mask):
        states = inputs + self.norms[0](self.look(inputs, target_mask))
        states = states + self.norms[1](self.across(states, memory, source_mask))
        return states + self.norms[2](self.think(states))


class NormBehindTheLast(Arranged):
    """The norm that belongs behind a whole stack."""

    def before(self, inputs, memory, target_mask, source_mask):
        return self.norms[2](super().before(inputs, memory, target_mask, source_mask))


class MemoryNormed(Arranged):
    """The memory goes through the norm of cross-attention."""

    def before(self, inputs, memory, target_mask, source_mask):
        return super().before(inputs, self.norms[1](memory), target_mask, source_mask)


class MemoryNormedInPlaceOfQueries(Arranged):
    """The norm of cross-attention is for the memory alone."""

    def before(self, inputs, memory, target_mask, source_mask):
        states = inputs + self.look(self.norms[0](inputs), target_mask)
        states = states + self.across(states, self.norms[1](memory), source_mask)
        return states + self.think(self.norms[2](states))


class NoNormBeforeCrossAttention(Arranged):
    """The second norm is forgotten."""

    def before(self, inputs, memory, target_mask, source_mask):
        states = inputs + self.look(self.norms[0](inputs), target_mask)
        states = states + self.across(states, memory, source_mask)
        return states + self.think(self.norms[2](states))


class FirstNormsExchanged(Arranged):
    """The first and the second norm in each other's places."""

    def before(self, inputs, memory, target_mask, source_mask):
        states = inputs + self.look(self.norms[1](inputs), target_mask)
        states = states + self.across(self.norms[0](states), memory, source_mask)
        return states + self.think(self.norms[2](states))


class SelfQueriesAlone(Arranged):
    """What self-attention looks at is not normalised."""

    def before(self, inputs, memory, target_mask, source_mask):
        states = inputs + self.dropout(self.self_attention(self.norms[0](inputs), inputs, target_mask)[0])
        states = states + self.across(self.norms[1](states), memory, source_mask)
        return states + self.think(self.norms[2](states))


class AlwaysPreNorm(Arranged):
    """The flag is not asked."""

    def forward(self, inputs, memory, target_mask, source_mask):
        return self.before(inputs, memory, target_mask, source_mask)


class PostNormUnwritten(Arranged):
    """Nothing comes back in post-norm."""

    def behind(self, inputs, memory, target_mask, source_mask):
        return None


class PostNormAtTheEnd(Arranged):
    """Only the last sum is normalised."""

    def behind(self, inputs, memory, target_mask, source_mask):
        states = inputs + self.look(inputs, target_mask)
        states = states + self.across(states, memory, source_mask)
        return self.norms[2](states + self.think(states))


class PostNormFirstNormsExchanged(Arranged):
    """The first and the second norm in each other's places."""

    def behind(self, inputs, memory, target_mask, source_mask):
        states = self.norms[1](inputs + self.look(inputs, target_mask))
        states = self.norms[0](states + self.across(states, memory, source_mask))
        return self.norms[2](states + self.think(states))


class PostNormMemoryNormed(Arranged):
    """The memory goes through a norm in post-norm too."""

    def behind(self, inputs, memory, target_mask, source_mask):
        return super().behind(inputs, self.norms[1](memory), target_mask, source_mask)


class MasksSwapped(Arranged):
    """Each attention has the other's mask."""

    def forward(self, inputs, memory, target_mask, source_mask):
        return super().forward(inputs, memory, source_mask, target_mask)


class SourceMaskForBoth(Arranged):
    """One mask for both attentions."""

    def forward(self, inputs, memory, target_mask, source_mask):
        return super().forward(inputs, memory, source_mask, source_mask)


class TargetMaskLeftOut(Arranged):
    """Self-attention is called without its mask: it sees the future."""

    def look(self, states, target_mask):
        return self.dropout(self.self_attention(states, states)[0])


class SourceMaskLeftOut(Arranged):
    """Cross-attention is called without its mask."""

    def across(self, states, memory, source_mask):
        return self.dropout(self.cross_attention(states, memory)[0])


class SourceMaskOfOnes(Arranged):
    """A mask that hides nothing."""

    def across(self, states, memory, source_mask):
        return super().across(states, memory, torch.ones_like(source_mask))


class CausalMaskOfItsOwn(Arranged):
    """The mask that was given is not used."""

    def look(self, states, target_mask):
        length = states.shape[1]
        return super().look(states, torch.ones(1, length, length, dtype=torch.bool).tril())


class TargetMaskTurned(Arranged):
    """Rows and columns are exchanged."""

    def look(self, states, target_mask):
        return super().look(states, target_mask.transpose(1, 2))


class MasksInverted(Arranged):
    """The masks go in the wrong way round, as torch's own has them."""

    def forward(self, inputs, memory, target_mask, source_mask):
        return super().forward(inputs, memory, ~target_mask, ~source_mask)


class MaskForOneSentence(Arranged):
    """The first sentence's mask is used for all sentences."""

    def behind(self, inputs, memory, target_mask, source_mask):
        return super().behind(inputs, memory, target_mask[:1], source_mask)


class NoDropout(Arranged):
    """self.dropout is not used."""

    def look(self, states, target_mask):
        return self.self_attention(states, states, target_mask)[0]

    def across(self, states, memory, source_mask):
        return self.cross_attention(states, memory, source_mask)[0]

    def think(self, states):
        return self.feed_forward(states)


class NoDropoutOfCrossAttention(Arranged):
    """One of the three is forgotten."""

    def across(self, states, memory, source_mask):
        return self.cross_attention(states, memory, source_mask)[0]


class DropsTheSum(Arranged):
    """The residual is dropped too."""

    def before(self, inputs, memory, target_mask, source_mask):
        asked = self.norms[0](inputs)
        states = self.dropout(inputs + self.self_attention(asked, asked, target_mask)[0])
        states = self.dropout(states + self.cross_attention(self.norms[1](states), memory, source_mask)[0])
        return self.dropout(states + self.feed_forward(self.norms[2](states)))


class DropsWhatIsRead(Arranged):
    """Dropout in front of the sublayers."""

    def look(self, states, target_mask):
        states = self.dropout(states)
        return self.self_attention(states, states, target_mask)[0]

    def across(self, states, memory, source_mask):
        return self.cross_attention(self.dropout(states), memory, source_mask)[0]

    def think(self, states):
        return self.feed_forward(self.dropout(states))


class DropsInEvaluation(Arranged):
    """F.dropout is not told whether the model is in training mode."""

    def think(self, states):
        return F.dropout(self.feed_forward(states), self.dropout.p)


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

    def before(self, inputs, memory, target_mask, source_mask):
        inputs += self.look(self.norms[0](inputs), target_mask)
        inputs += self.across(self.norms[1](inputs), memory, source_mask)
        return inputs + self.think(self.norms[2](inputs))


class FillsMemoryInPlace(Arranged):
    """Padding is set to zero in the caller's memory, behind the look-up."""

    def forward(self, inputs, memory, target_mask, source_mask):
        outputs = super().forward(inputs, memory, target_mask, source_mask)
        with torch.no_grad():
            memory.masked_fill_(~source_mask.transpose(1, 2), 0.0)
        return outputs


class DetachedMemory(Arranged):
    """Nothing is learned by the encoder."""

    def across(self, states, memory, source_mask):
        return super().across(states, memory.detach(), source_mask)


class DetachedTarget(Arranged):
    """The queries get no gradient."""

    def across(self, states, memory, source_mask):
        return super().across(states.detach(), memory, source_mask)


class NoGradient(Arranged):
    """All of it is computed without a gradient."""

    @torch.no_grad()
    def forward(self, inputs, memory, target_mask, source_mask):
        return super().forward(inputs, memory, target_mask, source_mask)


class SelfAttentionLooksAcross(Arranged):
    """Self-attention attends to the memory too, and cross-attention is not used."""

    def across(self, states, memory, source_mask):
        return self.dropout(self.self_attention(states, memory, source_mask)[0])


_RESIDUAL = "three sublayers are applied in the right order, and the output of each is added to its input"
_ROLES = "in cross-attention the queries come from the target, and the keys and values from the memory"
_PRE = "pre-norm: the residual bypasses the norms, and feed-forward has the third norm"
_NORMED = "pre-norm: the target is normalised before each sublayer, the memory never"
_POST = "post-norm: each sum is normalised"
_MASKS = "each attention has its own mask"
_DROPOUT = "dropout is applied to each sublayer's output, in training only"
_ARGUMENTS = "inputs, memory and masks are not changed"
_GRADIENT = "the gradient reaches inputs, memory and every part"

WRONG = {
    SelfAttentionLooksAcross: _RESIDUAL,
    NoResiduals: _RESIDUAL,
    NoResidualAroundSelfAttention: _RESIDUAL,
    NoResidualAroundCrossAttention: _RESIDUAL,
    NoResidualAroundFeedForward: _RESIDUAL,
    CrossFirst: _RESIDUAL,
    ThinksInBetween: _RESIDUAL,
    OntoInputs: _RESIDUAL,
    NoCrossAttention: _RESIDUAL,
    OutcomeNotUnpacked: _RESIDUAL,
    KeysAndValuesApart: _RESIDUAL,
    WeightsToo: _RESIDUAL,
    DropsAlways: _RESIDUAL,
    NoForward: _RESIDUAL,
    RolesSwapped: _ROLES,
    MemoryAsksItself: _ROLES,
    TargetAsksItself: _ROLES,
    InputsAsk: _ROLES,
    AroundNormed: _PRE,
    CrossAroundNormed: _PRE,
    FlagTheOtherWay: _PRE,
    AlwaysPostNorm: _PRE,
    TwoNorms: _PRE,
    LastNormsExchanged: _PRE,
    OutcomeNormed: _PRE,
    NormBehindTheLast: _PRE,
    MemoryNormed: _NORMED,
    MemoryNormedInPlaceOfQueries: _NORMED,
    NoNormBeforeCrossAttention: _NORMED,
    FirstNormsExchanged: _NORMED,
    SelfQueriesAlone: _NORMED,
    AlwaysPreNorm: _POST,
    PostNormUnwritten: _POST,
    PostNormAtTheEnd: _POST,
    PostNormFirstNormsExchanged: _POST,
    PostNormMemoryNormed: _POST,
    MasksSwapped: _MASKS,
    SourceMaskForBoth: _MASKS,
    TargetMaskLeftOut: _MASKS,
    SourceMaskLeftOut: _MASKS,
    SourceMaskOfOnes: _MASKS,
    CausalMaskOfItsOwn: _MASKS,
    TargetMaskTurned: _MASKS,
    MasksInverted: _MASKS,
    MaskForOneSentence: _MASKS,
    NoDropout: _DROPOUT,
    NoDropoutOfCrossAttention: _DROPOUT,
    DropsTheSum: _DROPOUT,
    DropsWhatIsRead: _DROPOUT,
    DropsInEvaluation: _DROPOUT,
    DropsTheSameTwice: _DROPOUT,
    DropsVectors: _DROPOUT,
    DropsTheSameInEverySentence: _DROPOUT,
    DropsWithoutDividing: _DROPOUT,
    AddsInPlace: _ARGUMENTS,
    FillsMemoryInPlace: _ARGUMENTS,
    DetachedMemory: _GRADIENT,
    DetachedTarget: _GRADIENT,
    NoGradient: _GRADIENT,
}


class WithAHelper(Given):
    """A method around each sublayer."""

    def around(self, states, norm, sublayer):
        if self.pre_norm:
            return states + self.dropout(sublayer(norm(states)))
        return norm(states + self.dropout(sublayer(states)))

    def forward(self, inputs, memory, target_mask, source_mask):
        states = self.around(inputs, self.norms[0], lambda x: self.self_attention(x, x, target_mask)[0])
        states = self.around(states, self.norms[1], lambda x: self.cross_attention(x, memory, source_mask)[0])
        return self.around(states, self.norms[2], self.feed_forward)


class InALoop(Given):
    """The sublayers in a list."""

    def forward(self, inputs, memory, target_mask, source_mask):
        sublayers = [
            lambda x: self.self_attention(query=x, memory=x, mask=target_mask)[0],
            lambda x: self.cross_attention(query=x, memory=memory, mask=source_mask)[0],
            self.feed_forward,
        ]
        for norm, sublayer in zip(self.norms, sublayers, strict=True):
            found = self.dropout(sublayer(norm(inputs) if self.pre_norm else inputs))
            inputs = inputs + found if self.pre_norm else norm(inputs + found)
        return inputs


class FunctionalDropout(Given):
    """F.dropout, told everything, and an early return."""

    def drop(self, found):
        return F.dropout(found, self.dropout.p, self.training)

    def forward(self, inputs, memory, target_mask, source_mask):
        first, second, third = self.norms
        if not self.pre_norm:
            states = first(inputs + self.drop(self.self_attention(inputs, inputs, target_mask)[0]))
            states = second(states + self.drop(self.cross_attention(states, memory, source_mask)[0]))
            return third(states + self.drop(self.feed_forward(states)))
        asked = first(inputs)
        found, _ = self.self_attention(asked, asked, target_mask)
        states = inputs + self.drop(found)
        found, _ = self.cross_attention(second(states), memory, source_mask)
        states = states + self.drop(found)
        return states + self.drop(self.feed_forward(third(states)))


class InTwoSteps(Given):
    """Keys and values first, then the look-ups."""

    def forward(self, inputs, memory, target_mask, source_mask):
        def attend(attention, query, looked_at, mask):
            return self.dropout(attention.look_up(query, *attention.keys_values(looked_at), mask)[0])

        same = nn.Identity()
        before = list(self.norms) if self.pre_norm else [same] * 3
        behind = [same] * 3 if self.pre_norm else list(self.norms)
        asked = before[0](inputs)
        states = behind[0](inputs + attend(self.self_attention, asked, asked, target_mask))
        states = behind[1](states + attend(self.cross_attention, before[1](states), memory, source_mask))
        return behind[2](states + self.dropout(self.feed_forward(before[2](states))))


class SentenceBySentence(Given):
    """One sentence at a time, each with its own rows of the masks."""

    around = WithAHelper.around

    def forward(self, inputs, memory, target_mask, source_mask):
        target_mask = target_mask.expand(len(inputs), -1, -1)
        rows = [inputs.split(1), memory.split(1), target_mask.split(1), source_mask.split(1)]
        return torch.cat([WithAHelper.forward(self, *row) for row in zip(*rows, strict=True)])


class MasksExpanded(Given):
    """The masks are expanded to a row for every sentence and query."""

    around = WithAHelper.around

    def forward(self, inputs, memory, target_mask, source_mask):
        batch, length, _ = inputs.shape
        return WithAHelper.forward(
            self, inputs, memory, target_mask.expand(batch, -1, -1), source_mask.expand(-1, length, -1)
        )


def made_by_a_function(*args, **kwargs):
    """A function that builds one."""
    return InALoop(*args, **kwargs)


RIGHT = {
    "with a helper": WithAHelper,
    "in a loop": InALoop,
    "functional dropout": FunctionalDropout,
    "in two steps": InTwoSteps,
    "sentence by sentence": SentenceBySentence,
    "masks expanded": MasksExpanded,
    "made by a function": made_by_a_function,
    "a partial": functools.partial(FunctionalDropout),
}


class TorchsOwn(Given):
    """The rule is that this is not used."""

    def forward(self, inputs, memory, target_mask, source_mask):
        layer = nn.TransformerDecoderLayer(inputs.shape[-1], 2, batch_first=True, norm_first=self.pre_norm)
        return layer(inputs, memory, tgt_mask=~target_mask[0], memory_key_padding_mask=~source_mask[:, 0])


FORBIDDEN = (TorchsOwn,)
