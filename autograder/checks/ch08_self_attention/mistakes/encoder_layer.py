"""Mistakes in `EncoderLayer`, and right answers in other styles."""

import functools

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch08_self_attention.encoder_layer import (
    layer_arguments,
    layer_dropout,
    layer_gradient,
    layer_mask,
    normed,
    post_norm,
    pre_norm,
    residuals,
)
from autograder.judging.catalogue import forbidden, mistake, right


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


@mistake(layer_dropout, "dropout is applied twice to the output of each sublayer, expected once")
class DropsTwice(Arranged):
    def look(self, states, mask):
        return self.dropout(super().look(states, mask))

    def think(self, states):
        return self.dropout(super().think(states))


@mistake(layer_dropout, "dropout is applied to the layer's inputs, expected to the output of each sublayer")
class DropsInputs(Arranged):
    def forward(self, inputs, mask):
        return super().forward(self.dropout(inputs), mask)


@mistake(layer_dropout, "dropout is applied to the layer's result, expected to the output of each sublayer")
class DropsResult(Arranged):
    def forward(self, inputs, mask):
        return self.dropout(super().forward(inputs, mask))


@mistake(layer_dropout, "dropout is applied to the input of feed-forward too, expected only to its output")
class DropsBeforeAndAfter(Arranged):
    def think(self, states):
        return super().think(self.dropout(states))


@mistake(layer_dropout, "the probability is changed before it is passed to F.dropout")
class DropsMore(Arranged):
    def think(self, states):
        found = self.feed_forward(states)
        return F.dropout(found, min(1.0, 1.1 * self.dropout.p), self.training)


mistake(
    post_norm,
    "in post-norm, the output of feed-forward is added to the layer's inputs, expected to the sum after self-attention",
).made_in(Arranged, PostNormOntoInputs={"states + self.think(states)": "inputs + self.think(states)"})


@mistake(residuals, "there is no residual around either sublayer")
class NoResiduals(Arranged):
    def before(self, inputs, mask):
        return self.think(self.norms[1](self.look(self.norms[0](inputs), mask)))

    def behind(self, inputs, mask):
        return self.norms[1](self.think(self.norms[0](self.look(inputs, mask))))


mistake(residuals, "there is no residual around self-attention").made_in(
    Arranged, NoResidualAroundAttention={"states = inputs + self": "states = self"}
)
mistake(residuals, "there is no residual around feed-forward").made_in(
    Arranged, NoResidualAroundFeedForward={"return states + self": "return self"}
)
mistake(
    residuals, "the output of feed-forward is added to the layer's inputs, expected to the sum after self-attention"
).made_in(Arranged, FeedForwardOntoInputs={"return states": "return inputs"})


@mistake(residuals, "the input of feed-forward is the layer's inputs, expected the sum after self-attention")
class InParallel(Arranged):
    def before(self, inputs, mask):
        return inputs + self.look(self.norms[0](inputs), mask) + self.think(self.norms[1](inputs))


@mistake(residuals, "feed-forward is applied first, expected self-attention first")
class ThinksFirst(Arranged):
    def before(self, inputs, mask):
        states = inputs + self.think(self.norms[0](inputs))
        return states + self.look(self.norms[1](states), mask)


mistake(residuals, "there is no feed-forward").made_in(
    InParallel, NoFeedForward={" + self.think(self.norms[1](inputs))": ""}
)
mistake(residuals, "both results of self_attention are used together: the output is the first of them").made_in(
    Arranged, OutcomeNotUnpacked={"(states, states, mask)[0]": "(states, states, mask)"}
)
mistake(residuals, "the weights are used, the second result of self_attention; expected the output, the first").made_in(
    Arranged, WeightsForOutput={"(states, states, mask)[0]": "(states, states, mask)[1]"}
)
mistake(
    residuals, "self_attention is called with query, key and value, as torch's own; expected query, memory and mask"
).made_in(Arranged, KeysAndValuesApart={"states, states, mask": "states, states, states, mask"})
mistake(residuals, "the mask is passed to self_attention in place of the memory").made_in(
    Arranged, MemoryForgotten={"states, states, mask": "states, mask"}
)
mistake(residuals, "the weights are returned too, expected only the outputs").made_in(
    DropsInputs, WeightsToo={"super().forward(self.dropout(inputs), mask)": "super().forward(inputs, mask), None"}
)
mistake(
    residuals, "there is a dropout that does not stop in evaluation mode: F.dropout has to be told self.training"
).made_in(Arranged, DropsAlways={"self.dropout(self.self_attention": "F.dropout(self.self_attention"})


@mistake(residuals, "forward is missing")
class NoForward(Given):
    pass


@mistake(
    pre_norm,
    "the residual of each sublayer adds the normalised inputs: norm(x) + sublayer(norm(x)), expected x + sublayer(norm(x))",
)
class AroundNormed(Arranged):
    def before(self, inputs, mask):
        inputs = self.norms[0](inputs)
        inputs = inputs + self.look(inputs, mask)
        inputs = self.norms[1](inputs)
        return inputs + self.think(inputs)


@mistake(
    pre_norm,
    "the residual of self-attention adds the normalised inputs: norm(x) + sublayer(norm(x)), expected x + sublayer(norm(x))",
)
class AttentionAroundNormed(Arranged):
    def before(self, inputs, mask):
        inputs = self.norms[0](inputs)
        states = inputs + self.look(inputs, mask)
        return states + self.think(self.norms[1](states))


@mistake(
    pre_norm,
    "the residual of feed-forward adds its normalised input: norm(x) + sublayer(norm(x)), expected x + sublayer(norm(x))",
)
class FeedForwardAroundNormed(Arranged):
    def before(self, inputs, mask):
        states = inputs + self.look(self.norms[0](inputs), mask)
        states = self.norms[1](states)
        return states + self.think(states)


mistake(pre_norm, "the norm is applied after each sum, as in post-norm: is pre_norm ignored or inverted?").made_in(
    Arranged,
    FlagTheOtherWay={"self.before": "self.behind", "else self.behind": "else self.before"},
    AlwaysPostNorm={
        "self.before(inputs, mask) if self.pre_norm else self.behind(inputs, mask)": "self.behind(inputs, mask)"
    },
)
mistake(pre_norm, "norms[0] is used for both sublayers: feed-forward has norms[1]").made_in(
    Arranged, FirstNormTwice={"self.norms[1](states)": "self.norms[0](states)"}
)
mistake(pre_norm, "norms[0] and norms[1] are swapped").made_in(
    Arranged,
    NormsExchanged={"self.norms[0](inputs)": "self.norms[1](inputs)", "self.norms[1](states)": "self.norms[0](states)"},
)


@mistake(pre_norm, "the output of each sublayer is normalised: x + norm(sublayer(x)), expected x + sublayer(norm(x))")
class OutcomeNormed(Arranged):
    def before(self, inputs, mask):
        states = inputs + self.norms[0](self.look(inputs, mask))
        return states + self.norms[1](self.think(states))


@mistake(pre_norm, "the sum after feed-forward is normalised too, expected only the input of each sublayer")
class NormBehindTheLast(Arranged):
    def before(self, inputs, mask):
        return self.norms[1](super().before(inputs, mask))


mistake(pre_norm, "there is no norm before feed-forward").made_in(
    Arranged, NoNormBeforeFeedForward={"(self.norms[1](states))": "(states)"}
)


@mistake(normed, "self-attention has the normalised inputs as queries, but the inputs without the norm as memory")
class QueriesAlone(Arranged):
    def before(self, inputs, mask):
        states = inputs + self.dropout(self.self_attention(self.norms[0](inputs), inputs, mask)[0])
        return states + self.think(self.norms[1](states))


mistake(
    normed, "self-attention has the normalised inputs as memory, but the inputs without the norm as queries"
).made_in(QueriesAlone, MemoryAlone={"self.norms[0](inputs), inputs": "inputs, self.norms[0](inputs)"})
mistake(normed, "self-attention gets the inputs without a norm").made_in(
    Arranged, NoNormBeforeAttention={"self.norms[0](inputs)": "inputs"}
)
mistake(normed, "norms[1] is used for both sublayers: self-attention has norms[0]").made_in(
    Arranged, SecondNormTwice={"[0](inputs)": "[-1](inputs)", "self.norms[1](states)": "self.norms[-1](states)"}
)
mistake(post_norm, "the norm is applied before each sublayer, as in pre-norm, whatever pre_norm is").made_in(
    Arranged, AlwaysPreNorm={" if self.pre_norm else self.behind(inputs, mask)": ""}
)


@mistake(post_norm, "nothing is returned in post-norm")
class PostNormUnwritten(Arranged):
    def behind(self, inputs, mask):
        return None


@mistake(post_norm, "there is no residual around the sublayers in post-norm")
class PostNormNoResidual(Arranged):
    def behind(self, inputs, mask):
        states = self.norms[0](self.look(inputs, mask))
        return self.norms[1](self.think(states))


@mistake(
    post_norm, "only the output of each sublayer is normalised: x + norm(sublayer(x)), expected norm(x + sublayer(x))"
)
class PostNormOfTheOutcome(Arranged):
    def behind(self, inputs, mask):
        states = inputs + self.norms[0](self.look(inputs, mask))
        return states + self.norms[1](self.think(states))


mistake(
    post_norm,
    "in post-norm, the norm after feed-forward leaves out the residual: x + norm(sublayer(x)), expected norm(x + sublayer(x))",
).made_in(
    Arranged,
    PostNormOfFeedForward={"self.norms[1](states + self.think(states))": "states + self.norms[1](self.think(states))"},
)
mistake(
    post_norm,
    "in post-norm, the norm after self-attention leaves out the residual: x + norm(sublayer(x)), expected norm(x + sublayer(x))",
).made_in(
    Arranged,
    PostNormOfAttention={
        "self.norms[0](inputs + self.look(inputs, mask))": "inputs + self.norms[0](self.look(inputs, mask))"
    },
)
mistake(post_norm, "only the last sum is normalised, expected every sum").made_in(
    Arranged, PostNormAtTheEnd={"self.norms[0](inputs + self.look(inputs, mask))": "inputs + self.look(inputs, mask)"}
)


@mistake(post_norm, "the input of each sublayer is normalised too, expected only the sum")
class PostNormTwice(Arranged):
    def behind(self, inputs, mask):
        states = self.norms[0](inputs + self.look(self.norms[0](inputs), mask))
        return self.norms[1](states + self.think(self.norms[1](states)))


@mistake(post_norm, "in post-norm, norms[0] and norms[1] are swapped")
class PostNormNormsExchanged(Arranged):
    def behind(self, inputs, mask):
        states = self.norms[1](inputs + self.look(inputs, mask))
        return self.norms[0](states + self.think(states))


mistake(post_norm, "norms[0] is used for both sublayers: feed-forward has norms[1]").made_in(
    Arranged, PostNormFirstNormTwice={"return self.norms[1]": "return self.norms[0]"}
)
mistake(layer_mask, "self_attention is called without the mask").made_in(
    Arranged, MaskLeftOut={"states, states, mask": "states, states"}
)
mistake(layer_mask, "self_attention is called without the mask in post-norm").made_in(
    Arranged, MaskLeftOutOfPostNorm={"self.look(inputs, mask)": "self.dropout(self.self_attention(inputs, inputs)[0])"}
)


@mistake(layer_mask, "the mask is inverted: True means that a position may be attended to")
class MaskInverted(Arranged):
    def look(self, states, mask):
        return super().look(states, ~mask)


@mistake(layer_mask, "self_attention gets a mask that hides nothing, expected the mask that is passed to forward")
class MaskOfOnes(Arranged):
    def look(self, states, mask):
        return super().look(states, torch.ones_like(mask))


mistake(layer_mask, "self_attention is called without the mask in pre-norm").made_in(
    Arranged,
    MaskLeftOutOfPreNorm={
        "self.look(self.norms[0](inputs), mask)": "self.dropout(self.self_attention(self.norms[0](inputs), self.norms[0](inputs))[0])"
    },
)
mistake(
    layer_mask, "in pre-norm, self_attention gets a mask that hides nothing, expected the one that is given"
).made_in(
    Arranged,
    MaskOfOnesInPreNorm={"self.norms[0](inputs), mask": "self.norms[0](inputs), torch.ones_like(mask)"},
)
mistake(layer_mask, "the mask is inverted in pre-norm: True means that a position may be attended to").made_in(
    Arranged, MaskInvertedInPreNorm={"self.norms[0](inputs), mask": "self.norms[0](inputs), ~mask"}
)
mistake(layer_mask, "the mask is inverted in post-norm: True means that a position may be attended to").made_in(
    Arranged, MaskInvertedInPostNorm={"self.look(inputs, mask)": "self.look(inputs, ~mask)"}
)
mistake(
    layer_mask, "the mask is transposed to (B, S, 1), so it hides queries, expected the positions that they attend to"
).made_in(MaskOfOnes, MaskTransposed={"torch.ones_like(mask)": "mask.transpose(1, 2)"})


@mistake(layer_mask, "the outputs are set to zero at padding, expected unchanged: the mask is for self-attention alone")
class ZeroAtPadding(Arranged):
    def forward(self, inputs, mask):
        return super().forward(inputs, mask) * mask.transpose(1, 2)


mistake(layer_mask, "the mask of the first sentence is used for all").made_in(
    MaskOfOnes, MaskOfTheFirstSentence={"torch.ones_like(mask)": "mask[:1]"}
)
mistake(layer_mask, "the mask gets a dimension for the heads, which self_attention inserts itself").made_in(
    MaskOfOnes, MaskForHeads={"torch.ones_like(mask)": "mask.unsqueeze(1)"}
)


@mistake(layer_dropout, "there is no dropout, expected on the output of each sublayer")
class NoDropout(Arranged):
    def look(self, states, mask):
        return self.self_attention(states, states, mask)[0]

    def think(self, states):
        return self.feed_forward(states)


mistake(layer_dropout, "there is no dropout on the output of self-attention").made_in(
    MaskInverted, NoDropoutOfAttention={"super().look(states, ~mask)": "self.self_attention(states, states, mask)[0]"}
)
mistake(layer_dropout, "there is no dropout on the output of feed-forward").made_in(
    Arranged, NoDropoutOfFeedForward={"self.dropout(self.feed_forward(states))": "self.feed_forward(states)"}
)


@mistake(
    layer_dropout, "dropout is applied to the sum, and so to the inputs too; expected to the output of each sublayer"
)
class DropsTheSum(Arranged):
    def before(self, inputs, mask):
        states = self.dropout(inputs + self.self_attention(*[self.norms[0](inputs)] * 2, mask)[0])
        return self.dropout(states + self.feed_forward(self.norms[1](states)))

    def behind(self, inputs, mask):
        states = self.norms[0](self.dropout(inputs + self.self_attention(inputs, inputs, mask)[0]))
        return self.norms[1](self.dropout(states + self.feed_forward(states)))


@mistake(layer_dropout, "dropout is applied to the inputs of the sublayers, expected to their outputs")
class DropsWhatIsRead(Arranged):
    def look(self, states, mask):
        states = self.dropout(states)
        return self.self_attention(states, states, mask)[0]

    def think(self, states):
        return self.feed_forward(self.dropout(states))


@mistake(layer_dropout, "F.dropout is called without its probability, so it drops one half")
class DropsAHalf(Arranged):
    def look(self, states, mask):
        return F.dropout(self.self_attention(states, states, mask)[0], training=self.training)

    def think(self, states):
        return F.dropout(self.feed_forward(states), training=self.training)


@mistake(
    layer_dropout, "there is a dropout that does not stop in evaluation mode: F.dropout has to be told self.training"
)
class DropsInEvaluation(Arranged):
    def look(self, states, mask):
        return F.dropout(self.self_attention(states, states, mask)[0], self.dropout.p)

    def think(self, states):
        return F.dropout(self.feed_forward(states), self.dropout.p)


@mistake(layer_dropout, "there is no dropout in post-norm, expected on the output of each sublayer")
class DropsInPreNormAlone(Arranged):
    def behind(self, inputs, mask):
        states = self.norms[0](inputs + self.self_attention(inputs, inputs, mask)[0])
        return self.norms[1](states + self.feed_forward(states))


@mistake(layer_dropout, "one dropout mask is used for both sublayers: call dropout separately for each")
class DropsTheSameTwice(Arranged):
    def forward(self, *given):
        self.kept = self.dropout(torch.ones_like(given[0]))
        return super().forward(*given)

    def look(self, states, mask):
        return self.kept * self.self_attention(states, states, mask)[0]

    def think(self, states):
        return self.kept * self.feed_forward(states)


@mistake(layer_dropout, "whole vectors are dropped, expected single components")
class DropsVectors(Arranged):
    def think(self, states):
        found = self.feed_forward(states)
        return found * self.dropout(torch.ones_like(found[..., :1]))


mistake(layer_dropout, "one dropout mask is used for all sentences").made_in(
    DropsVectors, DropsTheSameInEverySentence={"found[..., :1]": "found[:1]"}
)


@mistake(layer_dropout, "the values that dropout keeps are not divided by 1 - p")
class DropsWithoutDividing(Arranged):
    def think(self, states):
        found = self.feed_forward(states)
        return found * (torch.rand_like(found) >= self.dropout.p) if self.training else found


@mistake(layer_arguments, "the sum is written into the caller's tensor")
class AddsInPlace(Arranged):
    def before(self, inputs, mask):
        inputs += self.look(self.norms[0](inputs), mask)
        return inputs + self.think(self.norms[1](inputs))


mistake(layer_arguments, "the caller's mask is inverted in place").made_in(
    MaskOfOnes, InvertsMaskInPlace={"torch.ones_like(mask)": "~mask.logical_not_()"}
)
mistake(layer_gradient, "the residual is detached, so no gradient reaches the inputs through it").made_in(
    Arranged, DetachedResidual={"states = inputs": "states = inputs.detach()"}
)
mistake(
    layer_gradient,
    "the memory of self-attention is detached, so no gradient reaches the inputs through keys and values",
).made_in(Arranged, DetachedMemory={"states, states": "states, states.detach()"})


@mistake(layer_gradient, "everything is computed under no_grad, so no gradient comes back")
class NoGradient(Arranged):
    @torch.no_grad()
    def forward(self, inputs, mask):
        return super().forward(inputs, mask)


@right
class WithAHelper(Given):
    def around(self, states, norm, sublayer):
        if self.pre_norm:
            return states + self.dropout(sublayer(norm(states)))
        return norm(states + self.dropout(sublayer(states)))

    def forward(self, inputs, mask):
        states = self.around(inputs, self.norms[0], lambda x: self.self_attention(x, x, mask)[0])
        return self.around(states, self.norms[1], self.feed_forward)


@right
class AskedAtEveryPlace(Given):
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


@right
class FunctionalDropout(Given):
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


@right
class DropoutByHand(Given):
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


@right
class InTwoSteps(Given):
    def forward(self, inputs, mask):
        norms = [*self.norms, nn.Identity(), nn.Identity()]
        before, behind = (norms[:2], norms[2:]) if self.pre_norm else (norms[2:], norms[:2])
        asked = before[0](inputs)
        found, _ = self.self_attention.look_up(asked, *self.self_attention.keys_values(asked), mask)
        states = behind[0](inputs.add(self.dropout(found)))
        return behind[1](torch.add(states, self.dropout(self.feed_forward(before[1](states)))))


@right
class SentenceBySentence(Given):
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


@right
class MaskForEveryQuery(Given):
    def forward(self, inputs, mask):
        mask = mask.expand(-1, inputs.shape[1], -1)
        return WithAHelper.forward(self, inputs, mask)

    around = WithAHelper.around


@right
def made_by_a_function(*args, **kwargs):
    return WithAHelper(*args, **kwargs)


@forbidden
class TorchsOwn(Given):
    def forward(self, inputs, mask):
        layer = nn.TransformerEncoderLayer(inputs.shape[-1], 2, batch_first=True, norm_first=self.pre_norm)
        return layer(inputs, src_key_padding_mask=~mask[:, 0])


@forbidden
class TorchsAttention(Given):
    def forward(self, inputs, mask):
        attention = nn.MultiheadAttention(inputs.shape[-1], 2, batch_first=True)
        states = inputs + attention(inputs, inputs, inputs, key_padding_mask=~mask[:, 0])[0]
        return states + self.feed_forward(self.norms[1](states))


@forbidden
class SeqlabsOwn(Given):
    def forward(self, inputs, mask):
        from seqlab.attention_layers import EncoderLayer as Own

        return Own.forward(self, inputs, mask)


right(functools.partial(FunctionalDropout))
