"""What students hand in for `BertForPreTraining`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points. The constructor and `encode` are
given with the exercise, so each stands on `Given`.
"""

import functools
import math

import torch
from torch import nn
from torch.nn import functional as F

EXERCISE = "BertForPreTraining"


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


class MaskLeftOut(Parts):
    """The encoder is called without its mask."""

    def forward(self, tokens, segments, mask):
        hidden = self.encoder(self.embeddings(tokens, segments))
        return self.words(hidden), self.pair(hidden)


class MaskIsNone(Parts):
    """The encoder gets no mask."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, None)
        return self.words(hidden), self.pair(hidden)


class MaskInverted(Parts):
    """torch's layers want it that way, and the encoder has turned it already."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, ~mask)
        return self.words(hidden), self.pair(hidden)


class MaskOfOnes(Parts):
    """A mask that hides nothing."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, torch.ones_like(mask))
        return self.words(hidden), self.pair(hidden)


class MaskWithQueries(Parts):
    """The mask gets an axis that this encoder does not want."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask.unsqueeze(1))
        return self.words(hidden), self.pair(hidden)


class SegmentsLeftOut(Parts):
    """The embeddings are called without the segments."""

    def forward(self, tokens, segments, mask):
        hidden = self.encoder(self.embeddings(tokens), mask)
        return self.words(hidden), self.pair(hidden)


class SegmentsOfZeros(Parts):
    """All in the first sentence."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, torch.zeros_like(segments), mask)
        return self.words(hidden), self.pair(hidden)


class TokensAndSegmentsSwapped(Parts):
    """Two arguments in the wrong order."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(segments, tokens, mask)
        return self.words(hidden), self.pair(hidden)


class MaskForSegments(Parts):
    """Two other arguments in the wrong order."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, mask, segments)
        return self.words(hidden), self.pair(hidden)


class TokensAlone(Parts):
    """The table of tokens in the place of the embeddings."""

    def forward(self, tokens, segments, mask):
        hidden = self.encoder(self.embeddings.token(tokens), mask)
        return self.words(hidden), self.pair(hidden)


class NoEncoder(Parts):
    """The heads read the embeddings."""

    def forward(self, tokens, segments, mask):
        hidden = self.embeddings(tokens, segments)
        return self.words(hidden), self.pair(hidden)


class EncodesTokens(Parts):
    """The encoder is given ids."""

    def forward(self, tokens, segments, mask):
        hidden = self.encoder(tokens, mask)
        return self.words(hidden), self.pair(hidden)


class WordsOnly(Parts):
    """One result for two."""

    def forward(self, tokens, segments, mask):
        return self.words(self.encode(tokens, segments, mask))


class PairFirst(Parts):
    """The results in another order."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.pair(hidden), self.words(hidden)


class OtherLayers(Parts):
    """The constructor was changed."""

    def __init__(self, embeddings, encoder, d_model, vocab_size):
        super().__init__(embeddings, encoder, d_model, vocab_size)
        self.next_sentence = nn.Linear(d_model, 1)

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden), self.pair(hidden)


class NoForward(Given):
    """forward was deleted."""


class LastPlace(Parts):
    """The last place for the first."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden), self.next_sentence(self.pooler(hidden[:, -1]).tanh())


class LastPiece(Parts):
    """The last piece that is no padding."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        last = hidden[torch.arange(len(hidden)), mask.sum(dim=1) - 1]
        return self.words(hidden), self.next_sentence(self.pooler(last).tanh())


class SecondPlace(Parts):
    """Places are counted from 1."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden), self.next_sentence(self.pooler(hidden[:, min(1, hidden.shape[1] - 1)]).tanh())


class MeanOfPlaces(Parts):
    """The mean over all."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden), self.next_sentence(self.pooler(hidden.mean(dim=1)).tanh())


class MeanOfPieces(Parts):
    """The mean over what is no padding."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        mean = (hidden * mask.unsqueeze(-1)).sum(dim=1) / mask.sum(dim=1, keepdim=True)
        return self.words(hidden), self.next_sentence(self.pooler(mean).tanh())


class LargestOfPlaces(Parts):
    """The largest number over all places."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden), self.next_sentence(self.pooler(hidden.max(dim=1).values).tanh())


class EveryPlace(Parts):
    """Two logits for every place."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden), self.next_sentence(self.pooler(hidden).tanh())


class FirstSequence(Parts):
    """The first of the batch for the first place."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden), self.next_sentence(self.pooler(hidden[0]).tanh())


class NoTanh(Parts):
    """Nothing between pooler and next_sentence."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden), self.next_sentence(self.pooler(hidden[:, 0]))


class TanhFirst(Parts):
    """The tanh before the pooler."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden), self.next_sentence(self.pooler(hidden[:, 0].tanh()))


class TanhLast(Parts):
    """The tanh at the end."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden), self.next_sentence(self.pooler(hidden[:, 0])).tanh()


class GeluForTanh(Parts):
    """The other head's function."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden), self.next_sentence(F.gelu(self.pooler(hidden[:, 0])))


class ReluForTanh(Parts):
    """relu for tanh."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden), self.next_sentence(self.pooler(hidden[:, 0]).relu())


class NoPooler(Parts):
    """The state goes straight to next_sentence."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden), self.next_sentence(hidden[:, 0])


class TanhWithoutPooler(Parts):
    """The tanh of the state."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden), self.next_sentence(hidden[:, 0].tanh())


class PairProbabilities(Parts):
    """A softmax over the two."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden), self.pair(hidden).softmax(dim=-1)


class TransformedPair(Parts):
    """The sentence head reads what the word head has transformed."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        transformed = self.norm(F.gelu(self.transform(hidden)))
        return self.words(hidden), self.pair(transformed)


class OwnMatrix(Parts):
    """A matrix that has nothing to do with the table."""

    def __init__(self, embeddings, encoder, d_model, vocab_size):
        super().__init__(embeddings, encoder, d_model, vocab_size)
        self.output = nn.Linear(d_model, vocab_size, bias=False)

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.output(self.norm(F.gelu(self.transform(hidden)))) + self.bias, self.pair(hidden)


class CopyWhenMade(Parts):
    """A matrix that was the table once."""

    def __init__(self, embeddings, encoder, d_model, vocab_size):
        super().__init__(embeddings, encoder, d_model, vocab_size)
        self.output = nn.Parameter(embeddings.token.weight.detach().clone())

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.norm(F.gelu(self.transform(hidden))) @ self.output.T + self.bias, self.pair(hidden)


class CopyEachTime(Parts):
    """The numbers of the table, without a way back to it."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        table = self.embeddings.token.weight.detach()
        return self.norm(F.gelu(self.transform(hidden))) @ table.T + self.bias, self.pair(hidden)


class CopyOfData(Parts):
    """The same by .data, into a layer of its own."""

    def __init__(self, embeddings, encoder, d_model, vocab_size):
        super().__init__(embeddings, encoder, d_model, vocab_size)
        self.output = nn.Linear(d_model, vocab_size, bias=False)

    def forward(self, tokens, segments, mask):
        self.output.weight.data = self.embeddings.token.weight.data
        hidden = self.encode(tokens, segments, mask)
        return self.output(self.norm(F.gelu(self.transform(hidden)))) + self.bias, self.pair(hidden)


class TableUpright(Parts):
    """The table is not transposed."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.norm(F.gelu(self.transform(hidden))) @ self.embeddings.token.weight + self.bias, self.pair(hidden)


class TableOfTokens(Parts):
    """The logits use only the embeddings of the input pieces, expected the whole table."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        rows = self.embeddings.token(tokens)
        return self.norm(F.gelu(self.transform(hidden))) @ rows.transpose(1, 2), self.pair(hidden)


class BiasOfItsOwn(Parts):
    """The table, and behind it a bias that is not the one that was given."""

    def __init__(self, embeddings, encoder, d_model, vocab_size):
        super().__init__(embeddings, encoder, d_model, vocab_size)
        self.output = nn.Linear(d_model, vocab_size)
        self.output.weight = embeddings.token.weight

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.output(self.norm(F.gelu(self.transform(hidden)))), self.pair(hidden)


class WordProbabilities(Parts):
    """A softmax over the pieces."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden).softmax(dim=-1), self.pair(hidden)


class WordLogProbabilities(Parts):
    """A log-softmax over the pieces."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden).log_softmax(dim=-1), self.pair(hidden)


class NoGradient(Parts):
    """All of it is computed without a gradient."""

    @torch.no_grad()
    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden), self.pair(hidden)


class NoTransform(Parts):
    """The hidden states go straight to the table."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return hidden @ self.embeddings.token.weight.T + self.bias, self.pair(hidden)


class NoGelu(Parts):
    """Nothing between transform and norm."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        words = self.norm(self.transform(hidden)) @ self.embeddings.token.weight.T + self.bias
        return words, self.pair(hidden)


class NoNorm(Parts):
    """No norm."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        words = F.gelu(self.transform(hidden)) @ self.embeddings.token.weight.T + self.bias
        return words, self.pair(hidden)


class NormBeforeGelu(Parts):
    """The gelu behind the norm."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        words = F.gelu(self.norm(self.transform(hidden))) @ self.embeddings.token.weight.T + self.bias
        return words, self.pair(hidden)


class NormFirst(Parts):
    """The norm before transform."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        words = F.gelu(self.transform(self.norm(hidden))) @ self.embeddings.token.weight.T + self.bias
        return words, self.pair(hidden)


class ReluForGelu(Parts):
    """relu for gelu."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        words = self.norm(self.transform(hidden).relu()) @ self.embeddings.token.weight.T + self.bias
        return words, self.pair(hidden)


class TanhForGelu(Parts):
    """The other head's function."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        words = self.norm(self.transform(hidden).tanh()) @ self.embeddings.token.weight.T + self.bias
        return words, self.pair(hidden)


class NormOfItsOwn(Parts):
    """A norm without the layer's gain and bias."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        transformed = F.gelu(self.transform(hidden))
        words = F.layer_norm(transformed, transformed.shape[-1:]) @ self.embeddings.token.weight.T + self.bias
        return words, self.pair(hidden)


class PoolerForTransform(Parts):
    """The other head's layer."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        words = self.norm(F.gelu(self.pooler(hidden))) @ self.embeddings.token.weight.T + self.bias
        return words, self.pair(hidden)


class NoBias(Parts):
    """The bias is forgotten."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        words = self.norm(F.gelu(self.transform(hidden))) @ self.embeddings.token.weight.T
        return words, self.pair(hidden)


class GeluByTanh(Parts):
    """The approximation, as torch gives it."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        transformed = self.norm(F.gelu(self.transform(hidden), approximate="tanh"))
        return transformed @ self.embeddings.token.weight.T + self.bias, self.pair(hidden)


class GeluByTanhByHand(Parts):
    """The approximation, written out."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        x = self.transform(hidden)
        x = 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
        return self.norm(x) @ self.embeddings.token.weight.T + self.bias, self.pair(hidden)


class GeluBySigmoid(Parts):
    """The quick approximation."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        x = self.transform(hidden)
        return self.norm(x * torch.sigmoid(1.702 * x)) @ self.embeddings.token.weight.T + self.bias, self.pair(hidden)


class Squeezes(Parts):
    """The first place is cut out with its axis, and squeeze takes away more than that."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden), self.next_sentence(self.pooler(hidden[:, :1].squeeze()).tanh())


class SqueezesWords(Parts):
    """One place alone loses its axis."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden).squeeze(1), self.pair(hidden)


class Views(Parts):
    """view wants its tensor in one piece."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        words = self.words(hidden.view(-1, hidden.shape[-1]))
        return words.view(*tokens.shape, -1), self.pair(hidden)


class DetachedPair(Parts):
    """The sentence head does not train the encoder."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden), self.pair(hidden.detach())


class DetachedWords(Parts):
    """The word head does not train the encoder."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden.detach()), self.pair(hidden)


class DetachedBias(Parts):
    """The bias stays as it is."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        words = F.linear(self.norm(F.gelu(self.transform(hidden))), self.embeddings.token.weight, self.bias.data)
        return words, self.pair(hidden)


class ResidualInTheHead(Parts):
    """The hidden states are added to the output of transform and gelu, before the norm."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        transformed = self.norm(hidden + F.gelu(self.transform(hidden)))
        return transformed @ self.embeddings.token.weight.T + self.bias, self.pair(hidden)


class EncodesTwice(Parts):
    """The encoder is called once for each head."""

    def forward(self, tokens, segments, mask):
        return self.words(self.encode(tokens, segments, mask)), self.pair(self.encode(tokens, segments, mask))


class ZeroAtPadding(Parts):
    """The logits of padding are set to zero."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        return self.words(hidden).masked_fill(~mask.unsqueeze(-1), 0.0), self.pair(hidden)


_ASKED = "tokens, segments and mask are passed to the embeddings and the encoder"
_PAIRS = "the logits of a pair come from the first position, through pooler, tanh and next_sentence"
_TIED = "the matrix of the word head is the table of token embeddings"
_WORDS = "the hidden states go through transform, gelu and norm, and the bias is added"
_GELU = "the gelu is the exact one"
_ALONE = "a single sequence and a single position keep their dimensions"
_GRADIENT = "the gradient of both losses reaches every weight and the encoder"

WRONG = {
    ResidualInTheHead: _WORDS,
    EncodesTwice: "works as the chapter uses it",
    ZeroAtPadding: _TIED,
    MaskLeftOut: _ASKED,
    MaskIsNone: _ASKED,
    MaskInverted: _ASKED,
    MaskOfOnes: _ASKED,
    MaskWithQueries: _ASKED,
    SegmentsLeftOut: _ASKED,
    SegmentsOfZeros: _ASKED,
    TokensAndSegmentsSwapped: _ASKED,
    MaskForSegments: _ASKED,
    TokensAlone: _ASKED,
    NoEncoder: _ASKED,
    EncodesTokens: _ASKED,
    WordsOnly: _ASKED,
    PairFirst: _ASKED,
    OtherLayers: _ASKED,
    NoForward: _ASKED,
    LastPlace: _PAIRS,
    LastPiece: _PAIRS,
    SecondPlace: _PAIRS,
    MeanOfPlaces: _PAIRS,
    MeanOfPieces: _PAIRS,
    LargestOfPlaces: _PAIRS,
    EveryPlace: _PAIRS,
    FirstSequence: _PAIRS,
    NoTanh: _PAIRS,
    TanhFirst: _PAIRS,
    TanhLast: _PAIRS,
    GeluForTanh: _PAIRS,
    ReluForTanh: _PAIRS,
    NoPooler: _PAIRS,
    TanhWithoutPooler: _PAIRS,
    PairProbabilities: _PAIRS,
    TransformedPair: _PAIRS,
    OwnMatrix: _TIED,
    CopyWhenMade: _TIED,
    CopyEachTime: _TIED,
    CopyOfData: _TIED,
    TableUpright: _TIED,
    TableOfTokens: _TIED,
    BiasOfItsOwn: _TIED,
    WordProbabilities: _TIED,
    WordLogProbabilities: _TIED,
    NoGradient: _TIED,
    NoTransform: _WORDS,
    NoGelu: _WORDS,
    NoNorm: _WORDS,
    NormBeforeGelu: _WORDS,
    NormFirst: _WORDS,
    ReluForGelu: _WORDS,
    TanhForGelu: _WORDS,
    NormOfItsOwn: _WORDS,
    PoolerForTransform: _WORDS,
    NoBias: _WORDS,
    GeluByTanh: _GELU,
    GeluByTanhByHand: _GELU,
    GeluBySigmoid: _GELU,
    Squeezes: _ALONE,
    SqueezesWords: _ALONE,
    Views: _ALONE,
    DetachedPair: _GRADIENT,
    DetachedWords: _GRADIENT,
    DetachedBias: _GRADIENT,
}


class ByHand(Given):
    """Every layer written out."""

    def forward(self, tokens, segments, mask):
        hidden = self.encoder(self.embeddings(tokens, segments), mask)
        x = hidden @ self.transform.weight.T + self.transform.bias
        x = x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))
        x = (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, correction=0) + self.norm.eps).sqrt()
        words = torch.einsum("bsd,vd->bsv", x * self.norm.weight + self.norm.bias, self.embeddings.token.weight)
        pooled = torch.tanh(hidden.select(1, 0) @ self.pooler.weight.T + self.pooler.bias)
        return words + self.bias, pooled @ self.next_sentence.weight.T + self.next_sentence.bias


class WithLinear(Given):
    """The table and the bias as a linear layer's."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        words = F.linear(self.norm(F.gelu(self.transform(hidden))), self.embeddings.token.weight, bias=self.bias)
        pooled = self.pooler(hidden.narrow(1, 0, 1).squeeze(1)).tanh()
        return words, self.next_sentence(pooled)


class TiedLayer(Given):
    """A layer whose weight and bias are the others', as the public code has it."""

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


class InSequence(Given):
    """Each head a chain of modules."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        words = nn.Sequential(self.transform, nn.GELU(), self.norm)(hidden)
        words = torch.matmul(words, self.embeddings.token.weight.transpose(0, 1)).add(self.bias)
        return [words, nn.Sequential(self.pooler, nn.Tanh(), self.next_sentence)(hidden[:, 0])]


class PlaceByPlace(Given):
    """A loop over the places."""

    def forward(self, tokens, segments, mask):
        states = self.encode(tokens, segments, mask).unbind(dim=1)
        table = self.embeddings.token.weight
        words = [self.norm(F.gelu(self.transform(state))) @ table.mT + self.bias for state in states]
        return torch.stack(words, dim=1), self.next_sentence(self.pooler(states[0]).tanh())


class Flattened(Given):
    """All places of the batch in one row."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        flat = self.norm(F.gelu(self.transform(hidden.flatten(0, 1))))
        words = torch.addmm(self.bias, flat, self.embeddings.token.weight.t()).reshape(*tokens.shape, -1)
        return words, self.next_sentence(torch.tanh(self.pooler(hidden[:, 0])))


class PoolsEveryPlace(Given):
    """All places are pooled, and the first is kept."""

    def forward(self, tokens, segments, mask):
        hidden = self.encode(tokens, segments, mask)
        pairs = self.next_sentence(self.pooler(hidden).tanh())[:, 0]
        scores = (self.norm(F.gelu(self.transform(hidden))).unsqueeze(-2) * self.embeddings.token.weight).sum(dim=-1)
        return scores + self.bias, pairs


class KeepsHidden(Given):
    """What it last saw and a count are kept beside the layers."""

    def __init__(self, embeddings, encoder, d_model, vocab_size):
        super().__init__(embeddings, encoder, d_model, vocab_size)
        self.register_buffer("calls", torch.zeros(()))

    def word_head(self, hidden):
        return self.norm(F.gelu(self.transform(hidden))) @ self.embeddings.token.weight.T + self.bias

    def forward(self, tokens, segments, mask):
        self.calls += 1
        self.hidden = self.encode(tokens, segments, mask)
        return self.word_head(self.hidden), self.next_sentence(self.pooler(self.hidden[:, 0]).tanh())


def made_by_a_function(embeddings, encoder, d_model, vocab_size):
    """A function that builds one."""
    return PlaceByPlace(embeddings, encoder, d_model, vocab_size)


RIGHT = {
    "by hand": ByHand,
    "with F.linear": WithLinear,
    "a tied layer": TiedLayer,
    "in sequence": InSequence,
    "place by place": PlaceByPlace,
    "flattened": Flattened,
    "pools every place": PoolsEveryPlace,
    "keeps the hidden states": KeepsHidden,
    "made by a function": made_by_a_function,
    "a partial": functools.partial(WithLinear),
}
