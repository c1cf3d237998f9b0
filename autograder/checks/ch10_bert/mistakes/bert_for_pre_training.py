"""Mistakes in `BertForPreTraining`, and right answers in other styles."""

import functools
import math

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch10_bert.bert_for_pre_training import (
    alone,
    asked,
    exact_gelu,
    in_chapter,
    model_gradient,
    of_pairs,
    of_words,
    table_of_words,
)
from autograder.judging.catalogue import mistake, right


class Given(nn.Module):
    """The part that is not the student's."""

    def __init__(self, embeddings, encoder, d_model, vocab_size):
        super().__init__()
        self.embeddings = embeddings
        self.encoder = encoder
        self.pooler = nn.Linear(d_model, d_model)
        self.next_sentence = nn.Linear(d_model, 2)
        self.transform = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(vocab_size))

    def encode(self, tokens, segments, mask):
        return self.encoder(self.embeddings(tokens, segments), mask)


class Parts(Given):
    """The two heads; for the mistakes that are made elsewhere."""

    def words(self, hidden):
        transformed = self.norm(F.gelu(self.transform(hidden)))
        return transformed @ self.embeddings.token.weight.T + self.bias

    def pair(self, hidden):
        return self.next_sentence(self.pooler(hidden[:, 0]).tanh())


@right
class Usual(Parts):
    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden), self.pair(hidden)


mistake(asked, "the encoder is called without the mask").made_in(
    Usual, MaskLeftOut={"encode(tokens, segments, mask)": "encoder(self.embeddings(tokens, segments))"}
)
mistake(asked, "the encoder gets None as its mask").made_in(
    Usual, MaskIsNone={"(tokens, segments, mask)": "(tokens, segments, None)"}
)
mistake(asked, "the mask for the encoder is inverted: True marks a real piece for the encoder too").made_in(
    Usual, MaskInverted={"(tokens, segments, mask)": "(tokens, segments, ~mask)"}
)
mistake(asked, "the encoder gets a mask that is True everywhere, expected the mask unchanged").made_in(
    Usual, MaskOfOnes={"(tokens, segments, mask)": "(tokens, segments, torch.ones_like(mask))"}
)
mistake(asked, "the mask gets an extra dimension, expected the mask unchanged").made_in(
    Usual, MaskWithQueries={"(tokens, segments, mask)": "(tokens, segments, mask.unsqueeze(1))"}
)
mistake(asked, "the embeddings are called without the segments").made_in(
    Usual, SegmentsLeftOut={"encode(tokens, segments, mask)": "encoder(self.embeddings(tokens), mask)"}
)
mistake(asked, "the segments are not passed on: every position gets segment 0").made_in(
    Usual, SegmentsOfZeros={"(tokens, segments, mask)": "(tokens, torch.zeros_like(segments), mask)"}
)
mistake(asked, "tokens and segments are swapped: embeddings(tokens, segments)").made_in(
    Usual, TokensAndSegmentsSwapped={"(tokens, segments, mask)": "(segments, tokens, mask)"}
)
mistake(asked, "mask and segments are swapped: encode(tokens, segments, mask)").made_in(
    Usual, MaskForSegments={"(tokens, segments, mask)": "(tokens, mask, segments)"}
)
mistake(
    asked, "the encoder gets rows of the table `token`, expected the result of embeddings(tokens, segments)"
).made_in(Usual, TokensAlone={"encode(tokens, segments, mask)": "encoder(self.embeddings.token(tokens), mask)"})
mistake(asked, "the encoder is not called: the heads get the result of the embeddings").made_in(
    Usual, NoEncoder={"encode(tokens, segments, mask)": "embeddings(tokens, segments)"}
)
mistake(asked, "the encoder gets the token ids, expected the result of the embeddings").made_in(
    Usual, EncodesTokens={"encode(tokens, segments, mask)": "encoder(tokens, mask)"}
)


@mistake(asked, "only the logits of the pieces are returned, expected those of the pair too")
class WordsOnly(Parts):
    def forward(self, tokens, segments, mask):
        return self.words(self.encode(tokens, segments, mask))


mistake(asked, "the two results are swapped: expected the logits of the pieces first").made_in(
    Usual, PairFirst={"self.words(hidden), self.pair(hidden)": "self.pair(hidden), self.words(hidden)"}
)


@mistake(asked, "the layers of the constructor are changed")
class OtherLayers(Parts):
    def __init__(self, embeddings, encoder, d_model, vocab_size):
        super().__init__(embeddings, encoder, d_model, vocab_size)
        self.next_sentence = nn.Linear(d_model, 1)

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden), self.pair(hidden)


@mistake(asked, "forward is deleted")
class NoForward(Given):
    pass


mistake(of_pairs, "the logits of the pairs come from the last position, expected the first, [CLS]").made_in(
    Usual, LastPlace={"pair(hidden)": "next_sentence(self.pooler(hidden[:, -1]).tanh())"}
)


@mistake(of_pairs, "the logits of the pairs come from the last real piece, expected the first position, [CLS]")
class LastPiece(Parts):
    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        last = hidden[torch.arange(len(hidden)), mask.sum(dim=1) - 1]
        return self.words(hidden), self.next_sentence(self.pooler(last).tanh())


mistake(of_pairs, "the logits of the pairs come from the second position, expected the first, [CLS]").made_in(
    Usual, SecondPlace={"pair(hidden)": "next_sentence(self.pooler(hidden[:, min(1, hidden.shape[1] - 1)]).tanh())"}
)
mistake(of_pairs, "the logits of the pairs come from the mean over all positions, expected the first, [CLS]").made_in(
    Usual, MeanOfPlaces={"pair(hidden)": "next_sentence(self.pooler(hidden.mean(dim=1)).tanh())"}
)


@mistake(
    of_pairs, "the logits of the pairs come from the mean over the real pieces, expected the first position, [CLS]"
)
class MeanOfPieces(Parts):
    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        mean = (hidden * mask.unsqueeze(-1)).sum(dim=1) / mask.sum(dim=1, keepdim=True)
        return self.words(hidden), self.next_sentence(self.pooler(mean).tanh())


mistake(
    of_pairs, "the logits of the pairs come from the maximum over all positions, expected the first, [CLS]"
).made_in(Usual, LargestOfPlaces={"pair(hidden)": "next_sentence(self.pooler(hidden.max(dim=1).values).tanh())"})
mistake(
    of_pairs, "there are two logits for every position, expected two for every pair, from the first position"
).made_in(Usual, EveryPlace={"pair(hidden)": "next_sentence(self.pooler(hidden).tanh())"})
mistake(
    of_pairs,
    "the states of the first sequence in the batch are used, expected the state of the first position in every sequence",
).made_in(Usual, FirstSequence={"pair(hidden)": "next_sentence(self.pooler(hidden[0]).tanh())"})
mistake(of_pairs, "there is no tanh between pooler and next_sentence").made_in(
    Usual, NoTanh={"pair(hidden)": "next_sentence(self.pooler(hidden[:, 0]))"}
)
mistake(of_pairs, "the tanh comes before pooler, expected after it").made_in(
    Usual, TanhFirst={"pair(hidden)": "next_sentence(self.pooler(hidden[:, 0].tanh()))"}
)
mistake(of_pairs, "the tanh comes after next_sentence, expected before it").made_in(
    Usual, TanhLast={"pair(hidden)": "next_sentence(self.pooler(hidden[:, 0])).tanh()"}
)
mistake(of_pairs, "there is a gelu between pooler and next_sentence, expected a tanh").made_in(
    Usual, GeluForTanh={"pair(hidden)": "next_sentence(F.gelu(self.pooler(hidden[:, 0])))"}
)
mistake(of_pairs, "there is a relu between pooler and next_sentence, expected a tanh").made_in(
    Usual, ReluForTanh={"pair(hidden)": "next_sentence(self.pooler(hidden[:, 0]).relu())"}
)
mistake(of_pairs, "pooler and tanh are left out: the state goes directly to next_sentence").made_in(
    Usual, NoPooler={"pair(hidden)": "next_sentence(hidden[:, 0])"}
)
mistake(of_pairs, "pooler is left out: the state goes through tanh to next_sentence").made_in(
    Usual, TanhWithoutPooler={"pair(hidden)": "next_sentence(hidden[:, 0].tanh())"}
)
mistake(of_pairs, "a softmax is applied to the logits of the pairs: it belongs to the loss").made_in(
    Usual, PairProbabilities={"pair(hidden)": "pair(hidden).softmax(dim=-1)"}
)


@mistake(
    of_pairs, "the logits of the pairs come from the transformed state of the first position, expected its hidden state"
)
class TransformedPair(Parts):
    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        transformed = self.norm(F.gelu(self.transform(hidden)))
        return self.words(hidden), self.pair(transformed)


@mistake(table_of_words, "the word head has a matrix of its own, expected the table of token embeddings")
class OwnMatrix(Parts):
    def __init__(self, embeddings, encoder, d_model, vocab_size):
        super().__init__(embeddings, encoder, d_model, vocab_size)
        self.output = nn.Linear(d_model, vocab_size, bias=False)

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.output(self.norm(F.gelu(self.transform(hidden)))) + self.bias, self.pair(hidden)


@mistake(
    table_of_words,
    "the word head uses a copy of the token embeddings that is made in the constructor, expected the table itself",
)
class CopyWhenMade(Parts):
    def __init__(self, embeddings, encoder, d_model, vocab_size):
        super().__init__(embeddings, encoder, d_model, vocab_size)
        self.output = nn.Parameter(embeddings.token.weight.detach().clone())

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.norm(F.gelu(self.transform(hidden))) @ self.output.T + self.bias, self.pair(hidden)


mistake(table_of_words, "the table is detached or copied, so no gradient reaches it through the word head").made_in(
    Usual,
    CopyEachTime={
        "return": "table = self.embeddings.token.weight.detach(); return",
        "self.words(hidden)": "self.norm(F.gelu(self.transform(hidden))) @ table.T + self.bias",
    },
)


@mistake(table_of_words, "the table is detached or copied, so no gradient reaches it through the word head")
class CopyOfData(Parts):
    def __init__(self, embeddings, encoder, d_model, vocab_size):
        super().__init__(embeddings, encoder, d_model, vocab_size)
        self.output = nn.Linear(d_model, vocab_size, bias=False)

    def forward(self, tokens, segments, mask):
        self.output.weight.data = self.embeddings.token.weight.data
        hidden = self.encode(tokens, segments, mask)
        return self.output(self.norm(F.gelu(self.transform(hidden)))) + self.bias, self.pair(hidden)


@mistake(table_of_words, "the table is not transposed")
class TableUpright(Parts):
    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.norm(F.gelu(self.transform(hidden))) @ self.embeddings.token.weight + self.bias, self.pair(hidden)


@mistake(table_of_words, "the logits use only the embeddings of the input pieces, expected the whole table")
class TableOfTokens(Parts):
    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        rows = self.embeddings.token(tokens)
        return self.norm(F.gelu(self.transform(hidden))) @ rows.transpose(1, 2), self.pair(hidden)


@mistake(table_of_words, "the word head is a layer with a bias of its own, expected self.bias")
class BiasOfItsOwn(Parts):
    def __init__(self, embeddings, encoder, d_model, vocab_size):
        super().__init__(embeddings, encoder, d_model, vocab_size)
        self.output = nn.Linear(d_model, vocab_size)
        self.output.weight = embeddings.token.weight

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.output(self.norm(F.gelu(self.transform(hidden)))), self.pair(hidden)


mistake(table_of_words, "a softmax is applied to the logits of the pieces: it belongs to the loss").made_in(
    Usual, WordProbabilities={"self.words(hidden)": "self.words(hidden).softmax(dim=-1)"}
)
mistake(table_of_words, "a log-softmax is applied to the logits of the pieces: it belongs to the loss").made_in(
    Usual, WordLogProbabilities={"self.words(hidden)": "self.words(hidden).log_softmax(dim=-1)"}
)


@mistake(table_of_words, "everything is computed under no_grad, so no gradient comes back")
class NoGradient(Parts):
    @torch.no_grad()
    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden), self.pair(hidden)


mistake(of_words, "transform, gelu and norm are left out: the hidden states go directly to the table").made_in(
    Usual, NoTransform={"self.words(hidden)": "hidden @ self.embeddings.token.weight.T + self.bias"}
)


@mistake(of_words, "there is no gelu after transform")
class NoGelu(Parts):
    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        words = self.norm(self.transform(hidden)) @ self.embeddings.token.weight.T + self.bias
        return words, self.pair(hidden)


mistake(of_words, "there is no norm after the gelu").made_in(NoGelu, NoNorm={"self.norm": "F.gelu"})
mistake(of_words, "the gelu comes after the norm, expected between transform and norm").made_in(
    NoGelu, NormBeforeGelu={"self.norm(self.transform(hidden))": "F.gelu(self.norm(self.transform(hidden)))"}
)
mistake(of_words, "the norm comes before transform, expected after the gelu").made_in(
    NoGelu, NormFirst={"self.norm(self.transform(hidden))": "F.gelu(self.transform(self.norm(hidden)))"}
)
mistake(of_words, "there is a relu after transform, expected a gelu").made_in(
    NoGelu, ReluForGelu={"self.transform(hidden)": "self.transform(hidden).relu()"}
)
mistake(of_words, "there is a tanh after transform, expected a gelu").made_in(
    NoGelu, TanhForGelu={"self.transform(hidden)": "self.transform(hidden).tanh()"}
)


@mistake(of_words, "the norm lacks the gain and the bias of the layer `norm`")
class NormOfItsOwn(Parts):
    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        transformed = F.gelu(self.transform(hidden))
        words = F.layer_norm(transformed, transformed.shape[-1:]) @ self.embeddings.token.weight.T + self.bias
        return words, self.pair(hidden)


mistake(of_words, "the hidden states go through pooler, expected transform").made_in(
    NoGelu, PoolerForTransform={"self.transform(hidden)": "F.gelu(self.pooler(hidden))"}
)


@mistake(of_words, "the bias is missing, one number for each piece")
class NoBias(Parts):
    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        words = self.norm(F.gelu(self.transform(hidden))) @ self.embeddings.token.weight.T
        return words, self.pair(hidden)


mistake(exact_gelu, "the gelu is the approximation by tanh, expected the exact one").made_in(
    Usual,
    GeluByTanh={
        "return": 'transformed = self.norm(F.gelu(self.transform(hidden), approximate="tanh")); return',
        "self.words(hidden)": "transformed @ self.embeddings.token.weight.T + self.bias",
    },
)


@mistake(exact_gelu, "the gelu is the approximation by tanh, expected the exact one")
class GeluByTanhByHand(Parts):
    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        x = self.transform(hidden)
        x = 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
        return self.norm(x) @ self.embeddings.token.weight.T + self.bias, self.pair(hidden)


mistake(exact_gelu, "the gelu is the approximation x · sigmoid(1.702 x), expected the exact one").made_in(
    Usual,
    GeluBySigmoid={
        "return": "x = self.transform(hidden); return",
        "self.words(hidden)": "self.norm(x * torch.sigmoid(1.702 * x)) @ self.embeddings.token.weight.T + self.bias",
    },
)
mistake(alone, "squeeze() removes every dimension of size one, expected only that of the position").made_in(
    Usual, Squeezes={"pair(hidden)": "next_sentence(self.pooler(hidden[:, :1].squeeze()).tanh())"}
)
mistake(alone, "a dimension of size one is removed that belongs to the result").made_in(
    Usual, SqueezesWords={"self.words(hidden)": "self.words(hidden).squeeze(1)"}
)


@mistake(alone, "view fails on a tensor that is not contiguous")
class Views(Parts):
    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        words = self.words(hidden.view(-1, hidden.shape[-1]))
        return words.view(*tokens.shape, -1), self.pair(hidden)


mistake(
    model_gradient, "the hidden states are detached for the pair, so no gradient reaches the encoder from there"
).made_in(Usual, DetachedPair={"pair(hidden)": "pair(hidden.detach())"})
mistake(
    model_gradient, "the hidden states are detached for the word head, so no gradient reaches the encoder from there"
).made_in(Usual, DetachedWords={"self.words(hidden)": "self.words(hidden.detach())"})


@mistake(model_gradient, "the bias is detached, so no gradient reaches it")
class DetachedBias(Parts):
    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        words = F.linear(self.norm(F.gelu(self.transform(hidden))), self.embeddings.token.weight, self.bias.data)
        return words, self.pair(hidden)


@mistake(of_words, "the hidden states are added after transform and gelu, expected no residual connection here")
class ResidualInTheHead(Parts):
    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        transformed = self.norm(hidden + F.gelu(self.transform(hidden)))
        return transformed @ self.embeddings.token.weight.T + self.bias, self.pair(hidden)


@mistake(in_chapter, "the encoder is called once for each head, expected once for both")
class EncodesTwice(Parts):
    def forward(self, tokens, segments, mask):
        return self.words(self.encode(tokens, segments, mask)), self.pair(self.encode(tokens, segments, mask))


mistake(table_of_words, "the logits of the pieces are set to 0 at padding").made_in(
    Usual, ZeroAtPadding={"self.words(hidden)": "self.words(hidden).masked_fill(~mask.unsqueeze(-1), 0.0)"}
)
mistake(of_words, "the layer `transform` is not used").made_in(NoGelu, NotTransformed={"self.transform": "F.gelu"})


@mistake(of_words, "the vectors are normalised without the gain and the bias of the layer `norm`")
class NormWithoutGain(Parts):
    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        states = F.gelu(self.transform(hidden))
        normed = F.layer_norm(states, states.shape[-1:], eps=self.norm.eps)
        return normed @ self.embeddings.token.weight.T + self.bias, self.pair(hidden)


mistake(of_words, "the hidden states are set to zero at padding, expected unchanged").made_in(
    Usual, HiddenZeroAtPadding={"(tokens, segments, mask)": "(tokens, segments, mask) * mask.unsqueeze(-1)"}
)
mistake(of_pairs, "the two logits of a pair are swapped, expected not next, then next").made_in(
    Usual, NextFirst={"pair(hidden)": "pair(hidden).flip(-1)"}
)


@right
class ByHand(Given):
    def forward(self, tokens, segments, mask):
        hidden = self.encoder(self.embeddings(tokens, segments), mask)
        x = hidden @ self.transform.weight.T + self.transform.bias
        x = x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))
        x = (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, correction=0) + self.norm.eps).sqrt()
        words = torch.einsum("bsd,vd->bsv", x * self.norm.weight + self.norm.bias, self.embeddings.token.weight)
        pooled = torch.tanh(hidden.select(1, 0) @ self.pooler.weight.T + self.pooler.bias)
        return words + self.bias, pooled @ self.next_sentence.weight.T + self.next_sentence.bias


@right
class WithLinear(Given):
    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        words = F.linear(self.norm(F.gelu(self.transform(hidden))), self.embeddings.token.weight, bias=self.bias)
        pooled = self.pooler(hidden.narrow(1, 0, 1).squeeze(1)).tanh()
        return words, self.next_sentence(pooled)


@right
class TiedLayer(Given):
    def __init__(self, embeddings, encoder, d_model, vocab_size):
        super().__init__(embeddings, encoder, d_model, vocab_size)
        self.output = nn.Linear(d_model, vocab_size)
        self.output.weight = embeddings.token.weight
        self.output.bias = self.bias

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens=tokens, segments=segments, mask=mask)
        return self.output(self.norm(F.gelu(self.transform(hidden)))), self.next_sentence(
            torch.tanh(self.pooler(hidden[:, 0, :]))
        )


@right
class InSequence(Given):
    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        words = nn.Sequential(self.transform, nn.GELU(), self.norm)(hidden)
        words = torch.matmul(words, self.embeddings.token.weight.transpose(0, 1)).add(self.bias)
        return words, nn.Sequential(self.pooler, nn.Tanh(), self.next_sentence)(hidden[:, 0])


@right
class PlaceByPlace(Given):
    def forward(self, tokens, segments, mask):
        states = self.encode(tokens, segments, mask).unbind(dim=1)
        table = self.embeddings.token.weight
        words = [self.norm(F.gelu(self.transform(state))) @ table.mT + self.bias for state in states]
        return torch.stack(words, dim=1), self.next_sentence(self.pooler(states[0]).tanh())


@right
class Flattened(Given):
    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        flat = self.norm(F.gelu(self.transform(hidden.flatten(0, 1))))
        words = torch.addmm(self.bias, flat, self.embeddings.token.weight.t()).reshape(*tokens.shape, -1)
        return words, self.next_sentence(torch.tanh(self.pooler(hidden[:, 0])))


@right
class PoolsEveryPlace(Given):
    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        pairs = self.next_sentence(self.pooler(hidden).tanh())[:, 0]
        scores = (self.norm(F.gelu(self.transform(hidden))).unsqueeze(-2) * self.embeddings.token.weight).sum(dim=-1)
        return scores + self.bias, pairs


@right
class KeepsHidden(Given):
    def __init__(self, embeddings, encoder, d_model, vocab_size):
        super().__init__(embeddings, encoder, d_model, vocab_size)
        self.register_buffer("calls", torch.zeros(()))

    def word_head(self, hidden):
        return self.norm(F.gelu(self.transform(hidden))) @ self.embeddings.token.weight.T + self.bias

    def forward(self, tokens, segments, mask):
        self.calls += 1
        self.hidden = self.encode(tokens, segments, mask)
        return self.word_head(self.hidden), self.next_sentence(self.pooler(self.hidden[:, 0]).tanh())


@right
def made_by_a_function(embeddings, encoder, d_model, vocab_size):
    return PlaceByPlace(embeddings, encoder, d_model, vocab_size)


right(functools.partial(WithLinear))
