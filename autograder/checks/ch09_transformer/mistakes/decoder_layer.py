"""Mistakes in `DecoderLayer`, and right answers in other styles."""

import functools

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch09_transformer.decoder_layer import (
    both_masks,
    layer_arguments,
    layer_dropout,
    layer_gradient,
    normed,
    post_norm,
    pre_norm,
    residuals,
    roles,
)
from autograder.judging.catalogue import forbidden, mistake, right


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


@mistake(layer_dropout, "dropout is applied twice to the output of each sublayer, expected once")
class DropsTwice(Arranged):
    def look(self, states, mask):
        return self.dropout(super().look(states, mask))

    def think(self, states):
        return self.dropout(super().think(states))


@mistake(layer_dropout, "dropout is applied to the layer's inputs, expected to the output of each sublayer")
class DropsInputs(Arranged):
    def forward(self, inputs, memory, target_mask, source_mask):
        return super().forward(self.dropout(inputs), memory, target_mask, source_mask)


@mistake(layer_dropout, "dropout is applied to the layer's result, expected to the output of each sublayer")
class DropsResult(Arranged):
    def forward(self, inputs, memory, target_mask, source_mask):
        return self.dropout(super().forward(inputs, memory, target_mask, source_mask))


@mistake(layer_dropout, "the probability is changed before it is passed to F.dropout")
class DropsMore(Arranged):
    def think(self, states):
        found = self.feed_forward(states)
        return F.dropout(found, min(1.0, 1.1 * self.dropout.p), self.training)


@mistake(layer_dropout, "dropout is applied to the encoder's outputs too, expected only to the output of each sublayer")
class DropsMemory(Arranged):
    def across(self, states, memory, source_mask):
        return super().across(states, self.dropout(memory), source_mask)


@mistake(layer_dropout, "dropout is applied to the input of feed-forward too, expected only to its output")
class DropsBeforeAndAfter(Arranged):
    def think(self, states):
        return super().think(self.dropout(states))


mistake(both_masks, "cross-attention gets the mask of the first sentence for all").made_in(
    DropsMemory, SourceMaskOfTheFirstSentence={"self.dropout(memory), source_mask": "memory, source_mask[:1]"}
)


@mistake(both_masks, "target_mask is combined with a causal mask of the layer's own, expected unchanged")
class TargetMaskAndCausal(Arranged):
    def forward(self, inputs, memory, target_mask, source_mask):
        return super().forward(inputs, memory, target_mask.tril(), source_mask)


mistake(
    layer_arguments, "the encoder's outputs are set to zero at padding, expected unchanged: the mask is for that"
).made_in(DropsInputs, ZeroesPadding={"self.dropout(inputs), memory": "inputs, memory * source_mask.transpose(1, 2)"})


@mistake(residuals, "there is no residual around any sublayer")
class NoResiduals(Arranged):
    def before(self, inputs, memory, target_mask, source_mask):
        states = self.look(self.norms[0](inputs), target_mask)
        return self.think(self.norms[2](self.across(self.norms[1](states), memory, source_mask)))


mistake(residuals, "there is no residual around self-attention").made_in(
    Arranged, NoResidualAroundSelfAttention={"states = inputs + self": "states = self"}
)
mistake(residuals, "there is no residual around cross-attention").made_in(
    Arranged, NoResidualAroundCrossAttention={"states = states + self": "states = self"}
)
mistake(residuals, "there is no residual around feed-forward").made_in(
    Arranged, NoResidualAroundFeedForward={"return states + self": "return self"}
)


@mistake(residuals, "cross-attention comes before self-attention, expected after it")
class CrossFirst(Arranged):
    def before(self, inputs, memory, target_mask, source_mask):
        states = inputs + self.across(self.norms[0](inputs), memory, source_mask)
        states = states + self.look(self.norms[1](states), target_mask)
        return states + self.think(self.norms[2](states))


@mistake(residuals, "feed-forward comes before cross-attention, expected after it")
class ThinksInBetween(Arranged):
    def before(self, inputs, memory, target_mask, source_mask):
        states = inputs + self.look(self.norms[0](inputs), target_mask)
        states = states + self.think(self.norms[1](states))
        return states + self.across(self.norms[2](states), memory, source_mask)


mistake(
    residuals, "the output of each sublayer is added to the layer's inputs, expected to the input of that sublayer"
).made_in(Arranged, OntoInputs={"states = states": "states = inputs", "return states": "return inputs"})
mistake(
    residuals, "the output of cross-attention is added to the layer's inputs, expected to the sum after self-attention"
).made_in(Arranged, CrossOntoInputs={"states = states": "states = inputs"})
mistake(residuals, "there is no cross-attention").made_in(
    Arranged, NoCrossAttention={"states = states + self.across(self.norms[1](states), memory, source_mask)": ""}
)
mistake(
    residuals, "an attention returns two results, and both are used together: the output is the first of them"
).made_in(Arranged, OutcomeNotUnpacked={"(states, memory, source_mask)[0]": "(states, memory, source_mask)"})
mistake(
    residuals, "an attention is called with query, key and value, as torch's own; expected query, memory and mask"
).made_in(Arranged, KeysAndValuesApart={"(states, memory, source_mask)[0]": "(states, memory, memory, source_mask)[0]"})


@mistake(residuals, "the weights are returned too, expected only the outputs")
class WeightsToo(Arranged):
    def forward(self, inputs, memory, target_mask, source_mask):
        return super().forward(inputs, memory, target_mask, source_mask), None


mistake(
    residuals, "there is a dropout that does not stop in evaluation mode: F.dropout has to be told self.training"
).made_in(Arranged, DropsAlways={"self.dropout(self.feed_forward(states))": "F.dropout(self.feed_forward(states))"})


@mistake(residuals, "forward is missing")
class NoForward(Given):
    pass


mistake(roles, "queries and memory of cross-attention are swapped: the queries come from the target").made_in(
    Arranged, RolesSwapped={"(states, memory, source_mask)[0]": "(memory, states, source_mask)[0]"}
)
mistake(
    roles, "the encoder's outputs are the queries of cross-attention too, expected the sum after self-attention"
).made_in(Arranged, MemoryAsksItself={"(states, memory, source_mask)[0]": "(memory, memory, source_mask)[0]"})
mistake(roles, "the memory of cross-attention is the target itself, expected the encoder's outputs").made_in(
    Arranged, TargetAsksItself={"(states, memory, source_mask)[0]": "(states, states, source_mask)[0]"}
)
mistake(roles, "the queries of cross-attention are the layer's inputs, expected the sum after self-attention").made_in(
    Arranged, InputsAsk={"self.norms[1](states)": "self.norms[1](inputs)"}
)


@mistake(
    pre_norm,
    "the residual of each sublayer adds the normalised inputs: norm(x) + sublayer(norm(x)), expected x + sublayer(norm(x))",
)
class AroundNormed(Arranged):
    def before(self, inputs, memory, target_mask, source_mask):
        states = self.norms[0](inputs)
        states = self.norms[1](states + self.look(states, target_mask))
        states = self.norms[2](states + self.across(states, memory, source_mask))
        return states + self.think(states)


@mistake(
    pre_norm,
    "the residual of cross-attention adds its normalised input: norm(x) + sublayer(norm(x)), expected x + sublayer(norm(x))",
)
class CrossAroundNormed(Arranged):
    def before(self, inputs, memory, target_mask, source_mask):
        states = inputs + self.look(self.norms[0](inputs), target_mask)
        states = self.norms[1](states)
        states = states + self.across(states, memory, source_mask)
        return states + self.think(self.norms[2](states))


mistake(pre_norm, "the norm is applied after each sum, as in post-norm: is pre_norm ignored or inverted?").made_in(
    Arranged,
    FlagTheOtherWay={"self.before": "self.behind", "else self.behind": "else self.before"},
    AlwaysPostNorm={"run = self.before if self.pre_norm else self.behind": "", "return run": "return self.behind"},
)
mistake(pre_norm, "norms[1] is used for feed-forward too, expected norms[2]").made_in(
    Arranged, TwoNorms={"self.norms[2](states)": "self.norms[1](states)"}
)
mistake(pre_norm, "norms[0] is used for all three sublayers: each has its own norm").made_in(
    Arranged,
    OneNorm={"self.norms[1](states)": "self.norms[0](states)", "self.norms[2](states)": "self.norms[0](states)"},
)


@mistake(pre_norm, "norms[1] and norms[2] are swapped")
class LastNormsExchanged(Arranged):
    def before(self, inputs, memory, target_mask, source_mask):
        states = inputs + self.look(self.norms[0](inputs), target_mask)
        states = states + self.across(self.norms[2](states), memory, source_mask)
        return states + self.think(self.norms[1](states))


@mistake(pre_norm, "the output of each sublayer is normalised: x + norm(sublayer(x)), expected x + sublayer(norm(x))")
class OutcomeNormed(Arranged):
    def before(self, inputs, memory, target_mask, source_mask):
        states = inputs + self.norms[0](self.look(inputs, target_mask))
        states = states + self.norms[1](self.across(states, memory, source_mask))
        return states + self.norms[2](self.think(states))


@mistake(pre_norm, "the sum after feed-forward is normalised too, expected only the input of each sublayer")
class NormBehindTheLast(Arranged):
    def before(self, inputs, memory, target_mask, source_mask):
        return self.norms[2](super().before(inputs, memory, target_mask, source_mask))


@mistake(normed, "the memory is normalised by norms[1], expected unchanged")
class MemoryNormed(Arranged):
    def before(self, inputs, memory, target_mask, source_mask):
        return super().before(inputs, self.norms[1](memory), target_mask, source_mask)


mistake(normed, "the memory is normalised, and the queries are not; expected the other way round").made_in(
    Arranged, MemoryNormedInPlaceOfQueries={"self.norms[1](states), memory": "states, self.norms[1](memory)"}
)
mistake(normed, "the queries of cross-attention are not normalised").made_in(
    Arranged, NoNormBeforeCrossAttention={"self.norms[1](states)": "states"}
)
mistake(normed, "norms[0] and norms[1] are swapped").made_in(
    Arranged, FirstNormsExchanged={"[0](inputs)": "[1](inputs)", "self.norms[1](states)": "self.norms[0](states)"}
)


@mistake(normed, "self-attention has the normalised inputs as queries, but the inputs without the norm as memory")
class SelfQueriesAlone(Arranged):
    def before(self, inputs, memory, target_mask, source_mask):
        states = inputs + self.dropout(self.self_attention(self.norms[0](inputs), inputs, target_mask)[0])
        states = states + self.across(self.norms[1](states), memory, source_mask)
        return states + self.think(self.norms[2](states))


@mistake(post_norm, "in post-norm, norms[1] and norms[2] are swapped")
class PostNormLastNormsExchanged(Arranged):
    def behind(self, inputs, memory, target_mask, source_mask):
        states = self.norms[0](inputs + self.look(inputs, target_mask))
        states = self.norms[2](states + self.across(states, memory, source_mask))
        return self.norms[1](states + self.think(states))


mistake(post_norm, "the norm is applied before each sublayer, as in pre-norm, whatever pre_norm is").made_in(
    DropsInputs, AlwaysPreNorm={"super().forward": "self.before", "self.dropout(inputs)": "inputs"}
)


@mistake(post_norm, "nothing is returned in post-norm")
class PostNormUnwritten(Arranged):
    def behind(self, inputs, memory, target_mask, source_mask):
        return None


@mistake(post_norm, "only the last sum is normalised, expected every sum")
class PostNormAtTheEnd(Arranged):
    def behind(self, inputs, memory, target_mask, source_mask):
        states = inputs + self.look(inputs, target_mask)
        states = states + self.across(states, memory, source_mask)
        return self.norms[2](states + self.think(states))


@mistake(post_norm, "norms[0] and norms[1] are swapped")
class PostNormFirstNormsExchanged(Arranged):
    def behind(self, inputs, memory, target_mask, source_mask):
        states = self.norms[1](inputs + self.look(inputs, target_mask))
        states = self.norms[0](states + self.across(states, memory, source_mask))
        return self.norms[2](states + self.think(states))


@mistake(post_norm, "the memory is normalised by norms[1], expected unchanged")
class PostNormMemoryNormed(Arranged):
    def behind(self, inputs, memory, target_mask, source_mask):
        return super().behind(inputs, self.norms[1](memory), target_mask, source_mask)


mistake(
    both_masks, "the two masks are swapped: target_mask belongs to self-attention, source_mask to cross-attention"
).made_in(TargetMaskAndCausal, MasksSwapped={"target_mask.tril(), source_mask": "source_mask, target_mask"})
mistake(both_masks, "both attentions get source_mask, expected target_mask for self-attention").made_in(
    TargetMaskAndCausal, SourceMaskForBoth={"target_mask.tril()": "source_mask"}
)
mistake(both_masks, "self-attention gets no mask, so it sees the future").made_in(
    Arranged, TargetMaskLeftOut={"states, states, target_mask": "states, states"}
)
mistake(both_masks, "cross-attention gets no mask, so it attends to padding").made_in(
    Arranged, SourceMaskLeftOut={"(states, memory, source_mask)[0]": "(states, memory)[0]"}
)
mistake(both_masks, "cross-attention gets a mask that hides nothing, expected source_mask").made_in(
    DropsMemory, SourceMaskOfOnes={"self.dropout(memory), source_mask": "memory, torch.ones_like(source_mask)"}
)


@mistake(both_masks, "self-attention gets a causal mask that the layer creates, expected target_mask")
class CausalMaskOfItsOwn(Arranged):
    def look(self, states, target_mask):
        length = states.shape[1]
        return super().look(states, torch.ones(1, length, length, dtype=torch.bool).tril())


@mistake(
    both_masks, "target_mask is transposed, expected unchanged: row t says which positions position t may attend to"
)
class TargetMaskTurned(Arranged):
    def look(self, states, target_mask):
        return super().look(states, target_mask.transpose(1, 2))


mistake(both_masks, "both masks are inverted: True means that a position may be attended to").made_in(
    TargetMaskAndCausal, MasksInverted={"target_mask.tril(), source_mask": "~target_mask, ~source_mask"}
)
mistake(both_masks, "the first sentence's mask is used for all sentences").made_in(
    PostNormMemoryNormed, MaskForOneSentence={"self.norms[1](memory), target_mask": "memory, target_mask[:1]"}
)


@mistake(layer_dropout, "there is no dropout, expected on the output of each sublayer")
class NoDropout(Arranged):
    def look(self, states, target_mask):
        return self.self_attention(states, states, target_mask)[0]

    def across(self, states, memory, source_mask):
        return self.cross_attention(states, memory, source_mask)[0]

    def think(self, states):
        return self.feed_forward(states)


@mistake(layer_dropout, "there is no dropout on the output of cross-attention")
class NoDropoutOfCrossAttention(Arranged):
    def across(self, states, memory, source_mask):
        return self.cross_attention(states, memory, source_mask)[0]


@mistake(
    layer_dropout, "dropout is applied to the sum, and so to the inputs too; expected to the output of each sublayer"
)
class DropsTheSum(Arranged):
    def before(self, inputs, memory, target_mask, source_mask):
        asked = self.norms[0](inputs)
        states = self.dropout(inputs + self.self_attention(asked, asked, target_mask)[0])
        states = self.dropout(states + self.cross_attention(self.norms[1](states), memory, source_mask)[0])
        return self.dropout(states + self.feed_forward(self.norms[2](states)))


@mistake(layer_dropout, "dropout is applied to the inputs of the sublayers, expected to their outputs")
class DropsWhatIsRead(Arranged):
    def look(self, states, target_mask):
        states = self.dropout(states)
        return self.self_attention(states, states, target_mask)[0]

    def across(self, states, memory, source_mask):
        return self.cross_attention(self.dropout(states), memory, source_mask)[0]

    def think(self, states):
        return self.feed_forward(self.dropout(states))


@mistake(
    layer_dropout, "there is a dropout that does not stop in evaluation mode: F.dropout has to be told self.training"
)
class DropsInEvaluation(Arranged):
    def think(self, states):
        return F.dropout(self.feed_forward(states), self.dropout.p)


@mistake(layer_dropout, "one dropout mask is used for several sublayers: call dropout separately for each")
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
    def before(self, inputs, memory, target_mask, source_mask):
        inputs += self.look(self.norms[0](inputs), target_mask)
        inputs += self.across(self.norms[1](inputs), memory, source_mask)
        return inputs + self.think(self.norms[2](inputs))


@mistake(layer_arguments, "padding is set to zero in the caller's memory")
class FillsMemoryInPlace(Arranged):
    def forward(self, inputs, memory, target_mask, source_mask):
        outputs = super().forward(inputs, memory, target_mask, source_mask)
        with torch.no_grad():
            memory.masked_fill_(~source_mask.transpose(1, 2), 0.0)
        return outputs


mistake(layer_gradient, "the memory is detached, so no gradient reaches the encoder").made_in(
    DropsMemory, DetachedMemory={"self.dropout(memory)": "memory.detach()"}
)
mistake(
    layer_gradient, "the queries of cross-attention are detached, so no gradient reaches self-attention through them"
).made_in(DropsMemory, DetachedTarget={"states, self.dropout(memory)": "states.detach(), memory"})


@mistake(layer_gradient, "everything is computed under no_grad, so no gradient comes back")
class NoGradient(Arranged):
    @torch.no_grad()
    def forward(self, inputs, memory, target_mask, source_mask):
        return super().forward(inputs, memory, target_mask, source_mask)


mistake(residuals, "self_attention is used for the memory too, expected cross_attention").made_in(
    Arranged, SelfAttentionLooksAcross={"self.cross_attention": "self.self_attention"}
)


@right
class WithAHelper(Given):
    def around(self, states, norm, sublayer):
        if self.pre_norm:
            return states + self.dropout(sublayer(norm(states)))
        return norm(states + self.dropout(sublayer(states)))

    def forward(self, inputs, memory, target_mask, source_mask):
        states = self.around(inputs, self.norms[0], lambda x: self.self_attention(x, x, target_mask)[0])
        states = self.around(states, self.norms[1], lambda x: self.cross_attention(x, memory, source_mask)[0])
        return self.around(states, self.norms[2], self.feed_forward)


@right
class InALoop(Given):
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


@right
class FunctionalDropout(Given):
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


@right
class InTwoSteps(Given):
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


@right
class SentenceBySentence(Given):
    around = WithAHelper.around

    def forward(self, inputs, memory, target_mask, source_mask):
        target_mask = target_mask.expand(len(inputs), -1, -1)
        rows = [inputs.split(1), memory.split(1), target_mask.split(1), source_mask.split(1)]
        return torch.cat([WithAHelper.forward(self, *row) for row in zip(*rows, strict=True)])


@right
class MasksExpanded(Given):
    around = WithAHelper.around

    def forward(self, inputs, memory, target_mask, source_mask):
        batch, length, _ = inputs.shape
        return WithAHelper.forward(
            self, inputs, memory, target_mask.expand(batch, -1, -1), source_mask.expand(-1, length, -1)
        )


@right
def made_by_a_function(*args, **kwargs):
    return InALoop(*args, **kwargs)


@forbidden
class TorchsOwn(Given):
    def forward(self, inputs, memory, target_mask, source_mask):
        layer = nn.TransformerDecoderLayer(inputs.shape[-1], 2, batch_first=True, norm_first=self.pre_norm)
        return layer(inputs, memory, tgt_mask=~target_mask[0], memory_key_padding_mask=~source_mask[:, 0])


right(functools.partial(FunctionalDropout))
