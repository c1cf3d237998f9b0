"""What students hand in for `BertEmbeddings`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points. The constructor is given with
the exercise, so each stands on `Given`.
"""

import functools
import math

import torch
from torch import nn
from torch.nn import functional as F

EXERCISE = "BertEmbeddings"


class Given(nn.Module):
    """The part that is not the student's."""

    def __init__(self, vocab_size, d_model, max_length, dropout=0.1, eps=1e-12):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.position = nn.Embedding(max_length, d_model)
        self.segment = nn.Embedding(2, d_model)
        self.norm = nn.LayerNorm(d_model, eps=eps)
        self.dropout = nn.Dropout(dropout)

    def summed(self, tokens, segments):
        """The sum of the three; for the mistakes that are made elsewhere."""
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.token(tokens) + self.position(places) + self.segment(segments)


class TokensForgotten(Given):
    """Only the other two are added."""

    def forward(self, tokens, segments):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.dropout(self.norm(self.position(places) + self.segment(segments)))


class ArgumentsSwapped(Given):
    """The tokens are looked up by the segments."""

    def forward(self, tokens, segments):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.dropout(self.norm(self.token(segments) + self.position(places) + self.segment(segments)))


class Multiplied(Given):
    """A product in the place of the sum."""

    def forward(self, tokens, segments):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.dropout(self.norm(self.token(tokens) * self.position(places) * self.segment(segments)))


class SideBySide(Given):
    """The three are put side by side, and the norm takes one."""

    def forward(self, tokens, segments):
        places = torch.arange(tokens.shape[1], device=tokens.device).expand_as(tokens)
        states = torch.cat([self.token(tokens), self.position(places), self.segment(segments)], dim=-1)
        return self.dropout(self.norm(states))


class TwoResults(Given):
    """The sum comes back too."""

    def forward(self, tokens, segments):
        states = self.summed(tokens, segments)
        return self.dropout(self.norm(states)), states


class PlacesFirst(Given):
    """Two dimensions of the result are swapped."""

    def forward(self, tokens, segments):
        return self.dropout(self.norm(self.summed(tokens, segments))).transpose(0, 1)


class OtherLayers(Given):
    """The constructor was changed."""

    def __init__(self, vocab_size, d_model, max_length, dropout=0.1, eps=1e-12):
        super().__init__(vocab_size, d_model, max_length, dropout, eps)
        self.segment = nn.Embedding(3, d_model)

    def forward(self, tokens, segments):
        return self.dropout(self.norm(self.summed(tokens, segments)))


class SegmentsForgotten(Given):
    """Tokens and positions alone."""

    def forward(self, tokens, segments):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.dropout(self.norm(self.token(tokens) + self.position(places)))


class AllFirst(Given):
    """Every place is in the first sentence."""

    def forward(self, tokens, segments):
        return self.dropout(self.norm(self.summed(tokens, torch.zeros_like(segments))))


class SegmentsInverted(Given):
    """0 is taken for the second sentence."""

    def forward(self, tokens, segments):
        return self.dropout(self.norm(self.summed(tokens, 1 - segments)))


class TokensForSegments(Given):
    """The two rows of the segments are asked with the tokens."""

    def forward(self, tokens, segments):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.dropout(self.norm(self.token(tokens) + self.position(places) + self.segment(tokens)))


class PositionsForgotten(Given):
    """Tokens and segments alone."""

    def forward(self, tokens, segments):
        return self.dropout(self.norm(self.token(tokens) + self.segment(segments)))


class PositionsOfTokens(Given):
    """The positions are taken from the token ids."""

    def forward(self, tokens, segments):
        states = self.token(tokens) + self.position(tokens) + self.segment(segments)
        return self.dropout(self.norm(states))


class PositionsOfSegments(Given):
    """The positions are taken from the segments."""

    def forward(self, tokens, segments):
        states = self.token(tokens) + self.position(segments) + self.segment(segments)
        return self.dropout(self.norm(states))


class PositionsOfRows(Given):
    """A position for each row of the batch."""

    def forward(self, tokens, segments):
        rows = torch.arange(tokens.shape[0], device=tokens.device).unsqueeze(1)
        states = self.token(tokens) + self.position(rows) + self.segment(segments)
        return self.dropout(self.norm(states))


class PositionsOfRowsUnshaped(Given):
    """As many positions as rows, which fit no axis but by chance."""

    def forward(self, tokens, segments):
        places = torch.arange(len(tokens), device=tokens.device)
        states = self.token(tokens) + self.position(places) + self.segment(segments)
        return self.dropout(self.norm(states))


class PositionsFromOne(Given):
    """The first place is 1, and the last has no row."""

    def forward(self, tokens, segments):
        places = torch.arange(1, tokens.shape[1] + 1, device=tokens.device)
        states = self.token(tokens) + self.position(places) + self.segment(segments)
        return self.dropout(self.norm(states))


class PositionsBackwards(Given):
    """The positions count down."""

    def forward(self, tokens, segments):
        places = torch.arange(tokens.shape[1] - 1, -1, -1, device=tokens.device)
        states = self.token(tokens) + self.position(places) + self.segment(segments)
        return self.dropout(self.norm(states))


class PositionsBeginAnew(Given):
    """The second sentence counts from 0 again."""

    def forward(self, tokens, segments):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        places = places - segments * (1 - segments).sum(dim=1, keepdim=True)
        states = self.token(tokens) + self.position(places) + self.segment(segments)
        return self.dropout(self.norm(states))


class SamePosition(Given):
    """Every place is the first."""

    def forward(self, tokens, segments):
        states = self.token(tokens) + self.position(torch.zeros_like(tokens)) + self.segment(segments)
        return self.dropout(self.norm(states))


class LengthAsPosition(Given):
    """One row, that of the last place, for all."""

    def forward(self, tokens, segments):
        last = torch.full_like(tokens, tokens.shape[1] - 1)
        states = self.token(tokens) + self.position(last) + self.segment(segments)
        return self.dropout(self.norm(states))


class NoNorm(Given):
    """The sum as it is."""

    def forward(self, tokens, segments):
        return self.dropout(self.summed(tokens, segments))


class NormBeforeSum(Given):
    """The norm runs on the tokens' vectors alone."""

    def forward(self, tokens, segments):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.dropout(self.norm(self.token(tokens)) + self.position(places) + self.segment(segments))


class SegmentsBehindNorm(Given):
    """The segments are added afterwards."""

    def forward(self, tokens, segments):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.dropout(self.norm(self.token(tokens) + self.position(places)) + self.segment(segments))


class EachNormed(Given):
    """Each of the three by itself."""

    def forward(self, tokens, segments):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        tokens, places, segments = self.token(tokens), self.position(places), self.segment(segments)
        return self.dropout(self.norm(tokens) + self.norm(places) + self.norm(segments))


class NormedTwice(Given):
    """Once more than needed."""

    def forward(self, tokens, segments):
        return self.dropout(self.norm(self.norm(self.summed(tokens, segments))))


class MeanOfThree(Given):
    """A mean in the place of the sum, which only eps shows."""

    def forward(self, tokens, segments):
        return self.dropout(self.norm(self.summed(tokens, segments) / 3))


class ScaledTokens(Given):
    """The tokens' vectors are made larger, as in the Transformer."""

    def forward(self, tokens, segments):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        scaled = self.token(tokens) * math.sqrt(self.token.embedding_dim)
        return self.dropout(self.norm(scaled + self.position(places) + self.segment(segments)))


class NormOfItsOwn(Given):
    """A norm without the layer's gain, bias and eps."""

    def forward(self, tokens, segments):
        states = self.summed(tokens, segments)
        return self.dropout(F.layer_norm(states, states.shape[-1:]))


class NormWithoutGain(Given):
    """The layer's eps, and neither its gain nor its bias."""

    def forward(self, tokens, segments):
        states = self.summed(tokens, segments)
        return self.dropout(F.layer_norm(states, states.shape[-1:], eps=self.norm.eps))


class NormWithOtherEps(Given):
    """torch's eps for the layer's."""

    def forward(self, tokens, segments):
        states = self.summed(tokens, segments)
        return self.dropout(F.layer_norm(states, states.shape[-1:], self.norm.weight, self.norm.bias))


class AllPositions(Given):
    """The whole table of positions is added."""

    def forward(self, tokens, segments):
        states = self.token(tokens) + self.position.weight + self.segment(segments)
        return self.dropout(self.norm(states))


class AllPlaces(Given):
    """As many places as there are positions, whatever came."""

    def forward(self, tokens, segments):
        places = torch.arange(self.position.num_embeddings, device=tokens.device)
        states = self.token(tokens) + self.position(places) + self.segment(segments)
        return self.dropout(self.norm(states))


class DropoutBeforeNorm(Given):
    """The norm is the last step."""

    def forward(self, tokens, segments):
        return self.norm(self.dropout(self.summed(tokens, segments)))


class DropoutOnTokens(Given):
    """Dropout on the tokens' vectors alone."""

    def forward(self, tokens, segments):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.norm(self.dropout(self.token(tokens)) + self.position(places) + self.segment(segments))


class NoDropout(Given):
    """Nothing is dropped."""

    def forward(self, tokens, segments):
        return self.norm(self.summed(tokens, segments))


class AlwaysDrops(Given):
    """The function does not know that the model is in evaluation."""

    def forward(self, tokens, segments):
        return F.dropout(self.norm(self.summed(tokens, segments)), self.dropout.p)


class OtherDropout(Given):
    """Dropout uses a fixed probability, not the one that was given."""

    def forward(self, tokens, segments):
        return F.dropout(self.norm(self.summed(tokens, segments)), 0.1, self.training)


class DropsUnscaled(Given):
    """What is left is not made larger."""

    def forward(self, tokens, segments):
        states = self.norm(self.summed(tokens, segments))
        return states * (torch.rand_like(states) >= self.dropout.p) if self.training else states


class DropsVectors(Given):
    """Whole vectors are dropped."""

    def forward(self, tokens, segments):
        states = self.norm(self.summed(tokens, segments))
        return states * self.dropout(torch.ones_like(states[..., :1]))


class DropsTheSameInEveryRow(Given):
    """One mask is drawn for the whole batch."""

    def forward(self, tokens, segments):
        states = self.norm(self.summed(tokens, segments))
        return states * self.dropout(torch.ones_like(states[:1]))


class KeepsPositions(Given):
    """The position vectors are looked up only once and then reused."""

    kept = None

    def forward(self, tokens, segments):
        length = tokens.shape[1]
        if self.kept is None or len(self.kept) < length:
            self.kept = self.position(torch.arange(length, device=tokens.device))
        return self.dropout(self.norm(self.token(tokens) + self.kept[:length] + self.segment(segments)))


class PlacesOnTheCPU(Given):
    """A new tensor where the tokens need not be."""

    def forward(self, tokens, segments):
        states = self.token(tokens) + self.position(torch.arange(tokens.shape[1])) + self.segment(segments)
        return self.dropout(self.norm(states))


class PlacesFromAList(Given):
    """A tensor made of a list is on the CPU too."""

    def forward(self, tokens, segments):
        places = torch.tensor([list(range(tokens.size(1)))] * tokens.size(0))
        return self.dropout(self.norm(self.token(tokens) + self.position(places) + self.segment(segments)))


class Views(Given):
    """view wants its tensor in one piece."""

    def forward(self, tokens, segments):
        flat = self.token(tokens.view(-1)).reshape(*tokens.shape, -1)
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.dropout(self.norm(flat + self.position(places) + self.segment(segments)))


class ChangesSegments(Given):
    """The caller's segments are overwritten."""

    def forward(self, tokens, segments):
        states = self.norm(self.summed(tokens, segments.clone()))
        segments.zero_()
        return self.dropout(states)


class Detached(Given):
    """No gradient reaches the tokens' table."""

    def forward(self, tokens, segments):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        states = self.token.weight.data[tokens] + self.position(places) + self.segment(segments)
        return self.dropout(self.norm(states))


class FixedPositions(Given):
    """The positions are looked up without a gradient."""

    def forward(self, tokens, segments):
        with torch.no_grad():
            places = self.position(torch.arange(tokens.shape[1], device=tokens.device))
        return self.dropout(self.norm(self.token(tokens) + places + self.segment(segments)))


_TOKEN = "the vector at each position contains the embedding of its token"
_SEGMENT = "the vector at each position contains the embedding of its segment"
_POSITION = "the vector at each position contains the embedding of its position"
_NORM = "the sum of the three goes through norm"
_SHORTER = "a sequence may be shorter than max_length"
_DROPOUT = "in training dropout comes last, and in evaluation there is none"
_DEVICE = "the positions are created on the device of the tokens"
_PARTS = "tokens and segments may be parts of larger tensors, and are not changed"
_GRADIENT = "the gradient reaches the three tables and the norm"

WRONG = {
    TokensForgotten: _TOKEN,
    ArgumentsSwapped: _TOKEN,
    Multiplied: _TOKEN,
    SideBySide: _TOKEN,
    TwoResults: _TOKEN,
    PlacesFirst: _TOKEN,
    OtherLayers: _TOKEN,
    SegmentsForgotten: _SEGMENT,
    AllFirst: _SEGMENT,
    SegmentsInverted: _SEGMENT,
    TokensForSegments: _SEGMENT,
    PositionsForgotten: _POSITION,
    PositionsOfTokens: _POSITION,
    PositionsOfSegments: _POSITION,
    PositionsOfRows: _POSITION,
    PositionsOfRowsUnshaped: _POSITION,
    PositionsFromOne: _POSITION,
    PositionsBackwards: _POSITION,
    PositionsBeginAnew: _POSITION,
    SamePosition: _POSITION,
    LengthAsPosition: _POSITION,
    NoNorm: _NORM,
    NormBeforeSum: _NORM,
    SegmentsBehindNorm: _NORM,
    EachNormed: _NORM,
    NormedTwice: _NORM,
    MeanOfThree: _NORM,
    ScaledTokens: _NORM,
    NormOfItsOwn: _NORM,
    NormWithoutGain: _NORM,
    NormWithOtherEps: _NORM,
    AllPositions: _SHORTER,
    AllPlaces: _SHORTER,
    DropoutBeforeNorm: _DROPOUT,
    DropoutOnTokens: _DROPOUT,
    NoDropout: _DROPOUT,
    AlwaysDrops: _DROPOUT,
    OtherDropout: _DROPOUT,
    DropsUnscaled: _DROPOUT,
    DropsVectors: _DROPOUT,
    DropsTheSameInEveryRow: _DROPOUT,
    KeepsPositions: "works as the chapter uses it",
    PlacesOnTheCPU: _DEVICE,
    PlacesFromAList: _DEVICE,
    Views: _PARTS,
    ChangesSegments: _PARTS,
    Detached: _GRADIENT,
    FixedPositions: _GRADIENT,
}


class RowsOfTheTable(Given):
    """The first rows of the table of positions, without any number."""

    def forward(self, tokens, segments):
        states = self.token(tokens) + self.position.weight[: tokens.size(1)] + self.segment(segments)
        return self.dropout(self.norm(states))


class PositionsForEveryRow(Given):
    """A table of places as large as the tokens."""

    def forward(self, tokens, segments):
        places = torch.arange(tokens.size(1)).to(tokens.device).unsqueeze(0).expand(tokens.size(0), -1)
        return self.dropout(self.norm(self.segment(segments) + self.position(places) + self.token(tokens)))


class CountedPositions(Given):
    """The places are counted along the row."""

    def forward(self, tokens, segments):
        places = torch.ones_like(tokens).cumsum(dim=1) - 1
        return self.dropout(self.norm(sum([self.token(tokens), self.position(places), self.segment(segments)])))


class BuffersPositions(Given):
    """The places are kept as a buffer, as the published code does."""

    def __init__(self, vocab_size, d_model, max_length, dropout=0.1, eps=1e-12):
        super().__init__(vocab_size, d_model, max_length, dropout, eps)
        self.register_buffer("places", torch.arange(max_length).expand(1, -1))

    def forward(self, tokens, segments):
        states = self.token(tokens)
        states = states + self.segment(segments)
        states = states + self.position(self.places[:, : tokens.shape[1]])
        return self.dropout(self.norm(states))


class OneHot(Given):
    """Products with one-hot vectors in the place of look-ups."""

    def forward(self, tokens, segments):
        kinds = F.one_hot(tokens, self.token.num_embeddings).to(self.token.weight.dtype)
        sides = F.one_hot(segments, 2).to(self.segment.weight.dtype)
        places = torch.eye(self.position.num_embeddings).to(self.position.weight)[: tokens.shape[1]]
        states = kinds @ self.token.weight + sides @ self.segment.weight + places @ self.position.weight
        return self.dropout(self.norm(states))


class ByHand(Given):
    """The norm written out, and torch's functions for layers."""

    def forward(self, tokens, segments):
        places = tokens.new_tensor(range(tokens.shape[1]))
        states = F.embedding(tokens, self.token.weight) + F.embedding(segments, self.segment.weight)
        states = states + F.embedding(places, self.position.weight)
        centred = states - states.mean(-1, keepdim=True)
        normed = centred / (states.var(-1, unbiased=False, keepdim=True) + self.norm.eps).sqrt()
        return F.dropout(normed * self.norm.weight + self.norm.bias, self.dropout.p, training=self.training)


class PlaceByPlace(Given):
    """A loop over the places."""

    def forward(self, tokens, segments):
        states = []
        for place in range(tokens.shape[1]):
            total = self.token(tokens[:, place]) + self.segment(segments[:, place]) + self.position.weight[place]
            states.append(self.norm(total))
        return self.dropout(torch.stack(states, dim=1))


class OneTable(Given):
    """The segment is chosen by a condition."""

    def forward(self, tokens, segments):
        first, second = self.segment.weight
        sides = torch.where(segments.unsqueeze(-1).bool(), second, first)
        places = torch.arange(tokens.shape[1], device=next(self.parameters()).device)
        return nn.Sequential(self.norm, self.dropout)(self.token(tokens) + self.position(places)[None] + sides)


def made_by_a_function(vocab_size, d_model, max_length, dropout=0.1, eps=1e-12):
    """A function that builds one."""
    return PlaceByPlace(vocab_size, d_model, max_length, dropout, eps)


RIGHT = {
    "rows of the table": RowsOfTheTable,
    "positions for every row": PositionsForEveryRow,
    "counted positions": CountedPositions,
    "a buffer of positions": BuffersPositions,
    "one-hot": OneHot,
    "by hand": ByHand,
    "place by place": PlaceByPlace,
    "a condition": OneTable,
    "made by a function": made_by_a_function,
    "a partial": functools.partial(RowsOfTheTable),
}
