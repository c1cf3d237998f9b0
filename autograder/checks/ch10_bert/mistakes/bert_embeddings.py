"""Mistakes in `BertEmbeddings`, and right answers in other styles."""

import functools
import math

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch10_bert.bert_embeddings import (
    cut_out,
    dropped,
    embeddings_gradient,
    in_chapter,
    of_positions,
    of_segments,
    of_tokens,
    on_a_device,
    shorter,
    whole,
)
from autograder.judging.catalogue import mistake, right


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


@right
class InOneLine(Given):
    def forward(self, tokens, segments):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.dropout(self.norm(self.token(tokens) + self.position(places) + self.segment(segments)))


@right
class InTwoLines(Given):
    def forward(self, tokens, segments):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        states = self.token(tokens) + self.position(places) + self.segment(segments)
        return self.dropout(self.norm(states))


@right
class RowsOfTheTable(Given):
    def forward(self, tokens, segments):
        states = self.token(tokens) + self.position.weight[: tokens.size(1)] + self.segment(segments)
        return self.dropout(self.norm(states))


@right
class Usual(Given):
    def forward(self, tokens, segments):
        return self.dropout(self.norm(self.summed(tokens, segments)))


mistake(of_tokens, "the token embeddings are not in the sum").made_in(
    InOneLine, TokensForgotten={"self.token(tokens) + self": "self"}
)
mistake(of_tokens, "the segments are looked up in the table `token`, expected the tokens").made_in(
    InOneLine, ArgumentsSwapped={"self.token(tokens)": "self.token(segments)"}
)
mistake(of_tokens, "the three vectors are multiplied, expected added").made_in(
    InOneLine, Multiplied={"+ self.position(places) + self": "* self.position(places) * self"}
)


@mistake(of_tokens, "the three vectors are concatenated, expected added")
class SideBySide(Given):
    def forward(self, tokens, segments):
        places = torch.arange(tokens.shape[1], device=tokens.device).expand_as(tokens)
        states = torch.cat([self.token(tokens), self.position(places), self.segment(segments)], dim=-1)
        return self.dropout(self.norm(states))


@mistake(of_tokens, "the sum is returned too, expected one tensor")
class TwoResults(Given):
    def forward(self, tokens, segments):
        states = self.summed(tokens, segments)
        return self.dropout(self.norm(states)), states


mistake(of_tokens, "the first two dimensions of the result are swapped, expected (B, S, d_model)").made_in(
    Usual, PlacesFirst={"(self.summed(tokens, segments)))": "(self.summed(tokens, segments))).transpose(0, 1)"}
)


@mistake(of_tokens, "the layers of the constructor are changed")
class OtherLayers(Given):
    def __init__(self, vocab_size, d_model, max_length, dropout=0.1, eps=1e-12):
        super().__init__(vocab_size, d_model, max_length, dropout, eps)
        self.segment = nn.Embedding(3, d_model)

    def forward(self, tokens, segments):
        return self.dropout(self.norm(self.summed(tokens, segments)))


mistake(of_segments, "the segment embeddings are not in the sum").made_in(
    InOneLine, SegmentsForgotten={"+ self.segment(segments)))": "))"}
)
mistake(of_segments, "every position gets the embedding of segment 0, expected that of its own segment").made_in(
    Usual, AllFirst={".summed(tokens, segments)": ".summed(tokens, torch.zeros_like(segments))"}
)
mistake(of_segments, "the two sentences are swapped: segment 0 gets row 1, and segment 1 gets row 0").made_in(
    Usual, SegmentsInverted={"self.summed(tokens, segments)": "self.summed(tokens, 1 - segments)"}
)
mistake(of_segments, "the tokens are looked up in the table `segment`, expected the segments").made_in(
    InOneLine, TokensForSegments={"self.segment(segments)": "self.segment(tokens)"}
)
mistake(of_positions, "the position embeddings are not in the sum").made_in(
    Usual, PositionsForgotten={"self.summed(tokens, segments)": "self.token(tokens) + self.segment(segments)"}
)
mistake(of_positions, "the token ids are looked up in the table `position`, expected the positions 0 … S-1").made_in(
    RowsOfTheTable, PositionsOfTokens={"self.position.weight[: tokens.size(1)]": "self.position(tokens)"}
)
mistake(of_positions, "the segments are looked up in the table `position`, expected the positions 0 … S-1").made_in(
    RowsOfTheTable, PositionsOfSegments={"self.position.weight[: tokens.size(1)]": "self.position(segments)"}
)


@mistake(
    of_positions,
    "every position of a row gets the vector for the row's number in the batch, expected that for its position in the row",
)
class PositionsOfRows(Given):
    def forward(self, tokens, segments):
        rows = torch.arange(tokens.shape[0], device=tokens.device).unsqueeze(1)
        states = self.token(tokens) + self.position(rows) + self.segment(segments)
        return self.dropout(self.norm(states))


mistake(
    of_positions, "there are as many positions as rows in the batch, expected one for each of the S tokens of a row"
).made_in(InTwoLines, PositionsOfRowsUnshaped={"tokens.shape[1]": "len(tokens)"})
mistake(of_positions, "the positions are counted from 1, expected from 0").made_in(
    InTwoLines, PositionsFromOne={"tokens.shape[1]": "1, tokens.shape[1] + 1"}
)
mistake(of_positions, "the positions are in reverse order").made_in(
    InTwoLines, PositionsBackwards={"shape[1]": "shape[1] - 1, -1, -1"}
)
mistake(of_positions, "the positions start again at 0 in the second sentence, expected to continue").made_in(
    InTwoLines,
    PositionsBeginAnew={"states =": "places = places - segments * (1 - segments).sum(dim=1, keepdim=True); states ="},
)
mistake(of_positions, "every position gets the vector of position 0").made_in(
    RowsOfTheTable, SamePosition={"self.position.weight[: tokens.size(1)]": "self.position(torch.zeros_like(tokens))"}
)


@mistake(of_positions, "every position gets the vector of the last position")
class LengthAsPosition(Given):
    def forward(self, tokens, segments):
        last = torch.full_like(tokens, tokens.shape[1] - 1)
        states = self.token(tokens) + self.position(last) + self.segment(segments)
        return self.dropout(self.norm(states))


mistake(whole, "there is no norm: the sum of the three is returned as it is").made_in(
    Usual, NoNorm={"(self.norm(self.summed(tokens, segments)))": "(self.summed(tokens, segments))"}
)


@mistake(whole, "the norm is applied before the sum, to the token embeddings only")
class NormBeforeSum(Given):
    def forward(self, tokens, segments):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.dropout(self.norm(self.token(tokens)) + self.position(places) + self.segment(segments))


mistake(whole, "the norm is applied before the sum is complete: the segment embeddings are added after it").made_in(
    InOneLine, SegmentsBehindNorm={"+ self.segment(segments)))": ") + self.segment(segments))"}
)


@mistake(whole, "the norm is applied to each of the three before the sum")
class EachNormed(Given):
    def forward(self, tokens, segments):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        tokens, places, segments = self.token(tokens), self.position(places), self.segment(segments)
        return self.dropout(self.norm(tokens) + self.norm(places) + self.norm(segments))


mistake(whole, "the norm is applied twice").made_in(
    Usual, NormedTwice={".summed(tokens, segments)": ".norm(self.summed(tokens, segments))"}
)
mistake(whole, "the norm is applied to the mean of the three, expected to their sum").made_in(
    Usual, MeanOfThree={"self.summed(tokens, segments)": "self.summed(tokens, segments) / 3"}
)


@mistake(whole, "the token embeddings are multiplied by √d_model, as in the Transformer; expected no factor here")
class ScaledTokens(Given):
    def forward(self, tokens, segments):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        scaled = self.token(tokens) * math.sqrt(self.token.embedding_dim)
        return self.dropout(self.norm(scaled + self.position(places) + self.segment(segments)))


@mistake(whole, "the sum is normalised with neither the layer `norm` nor its eps")
class NormOfItsOwn(Given):
    def forward(self, tokens, segments):
        states = self.summed(tokens, segments)
        return self.dropout(F.layer_norm(states, states.shape[-1:]))


@mistake(whole, "the sum is normalised without the gain and the bias of the layer `norm`")
class NormWithoutGain(Given):
    def forward(self, tokens, segments):
        states = self.summed(tokens, segments)
        return self.dropout(F.layer_norm(states, states.shape[-1:], eps=self.norm.eps))


mistake(
    whole, "the sum is normalised with a different eps, expected that of the layer `norm`, which is an argument"
).made_in(NormOfItsOwn, NormWithOtherEps={"states.shape[-1:]": "states.shape[-1:], self.norm.weight, self.norm.bias"})
mistake(shorter, "the whole table of positions is added, expected its first S rows").made_in(
    RowsOfTheTable, AllPositions={"[: tokens.size(1)]": ""}
)
mistake(shorter, "there are always max_length positions, expected as many as tokens in a row").made_in(
    InTwoLines, AllPlaces={"tokens.shape[1]": "self.position.num_embeddings"}
)
mistake(dropped, "dropout comes before the norm, expected after it").made_in(
    Usual, DropoutBeforeNorm={"dropout(self.norm": "norm(self.dropout"}
)
mistake(dropped, "dropout is applied to the token embeddings only").made_in(
    NormBeforeSum,
    DropoutOnTokens={"self.dropout": "self.norm", "self.norm(self.token(tokens))": "self.dropout(self.token(tokens))"},
)
mistake(dropped, "there is no dropout").made_in(
    Usual, NoDropout={".dropout(self.norm(self.summed(tokens, segments)))": ".norm(self.summed(tokens, segments))"}
)


@mistake(dropped, "F.dropout is called without training=self.training, so that it drops in evaluation too")
class AlwaysDrops(Given):
    def forward(self, tokens, segments):
        return F.dropout(self.norm(self.summed(tokens, segments)), self.dropout.p)


mistake(dropped, "dropout has a fixed probability, expected the one that was given").made_in(
    AlwaysDrops, OtherDropout={"self.dropout.p": "0.1, self.training"}
)


@mistake(dropped, "what dropout keeps is not divided by 1 - p")
class DropsUnscaled(Given):
    def forward(self, tokens, segments):
        states = self.norm(self.summed(tokens, segments))
        return states * (torch.rand_like(states) >= self.dropout.p) if self.training else states


@mistake(dropped, "whole vectors are dropped, expected single components")
class DropsVectors(Given):
    def forward(self, tokens, segments):
        states = self.norm(self.summed(tokens, segments))
        return states * self.dropout(torch.ones_like(states[..., :1]))


mistake(dropped, "all rows of the batch share one dropout mask, expected an independent one for each row").made_in(
    DropsVectors, DropsTheSameInEveryRow={"..., :1": ":1"}
)


@mistake(
    in_chapter,
    "the position embeddings are kept from an earlier call, expected a new lookup in each call: the table changes in training",
)
class KeepsPositions(Given):
    kept = None

    def forward(self, tokens, segments):
        length = tokens.shape[1]
        if self.kept is None or len(self.kept) < length:
            self.kept = self.position(torch.arange(length, device=tokens.device))
        return self.dropout(self.norm(self.token(tokens) + self.kept[:length] + self.segment(segments)))


mistake(on_a_device, "the positions are created on the CPU, expected on the device of the tokens").made_in(
    RowsOfTheTable,
    PlacesOnTheCPU={"self.position.weight[: tokens.size(1)]": "self.position(torch.arange(tokens.shape[1]))"},
)


@mistake(on_a_device, "the positions are created from a list on the CPU, expected on the device of the tokens")
class PlacesFromAList(Given):
    def forward(self, tokens, segments):
        places = torch.tensor([list(range(tokens.size(1)))] * tokens.size(0))
        return self.dropout(self.norm(self.token(tokens) + self.position(places) + self.segment(segments)))


@mistake(cut_out, "view fails on a tensor that is not contiguous")
class Views(Given):
    def forward(self, tokens, segments):
        flat = self.token(tokens.view(-1)).reshape(*tokens.shape, -1)
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.dropout(self.norm(flat + self.position(places) + self.segment(segments)))


@mistake(cut_out, "the segments are changed in place")
class ChangesSegments(Given):
    def forward(self, tokens, segments):
        states = self.norm(self.summed(tokens, segments.clone()))
        segments.zero_()
        return self.dropout(states)


mistake(embeddings_gradient, "the token embeddings are detached, so no gradient reaches the table `token`").made_in(
    InTwoLines, Detached={"self.token(tokens)": "self.token.weight.data[tokens]"}
)


@mistake(embeddings_gradient, "the positions are looked up under no_grad, so no gradient reaches the table `position`")
class FixedPositions(Given):
    def forward(self, tokens, segments):
        with torch.no_grad():
            places = self.position(torch.arange(tokens.shape[1], device=tokens.device))
        return self.dropout(self.norm(self.token(tokens) + places + self.segment(segments)))


mistake(in_chapter, "there are never more than 512 positions, expected as many as tokens in a row").made_in(
    InOneLine, AtMost512={"(tokens.shape[1], device=tokens.device)": "(512, device=tokens.device)[: tokens.shape[1]]"}
)


@mistake(of_tokens, "the embedding of the id 0 is set to zero, expected that of the table")
class PaddingIsZero(Given):
    def forward(self, tokens, segments):
        states = self.summed(tokens, segments) - self.token(tokens) * (tokens == 0).unsqueeze(-1)
        return self.dropout(self.norm(states))


mistake(of_segments, "every row gets the segments of the first row").made_in(
    Usual, SegmentsOfTheFirstRow={".summed(tokens, segments)": ".summed(tokens, segments[:1].expand_as(segments))"}
)


@mistake(of_positions, "tokens with the id 0 are not counted, expected the positions 0 … S-1 in every row")
class CountsNoPadding(Given):
    def forward(self, tokens, segments):
        places = ((tokens != 0).long().cumsum(1) - 1).clamp(min=0)
        return self.dropout(self.norm(self.token(tokens) + self.position(places) + self.segment(segments)))


@mistake(shorter, "the last S rows of the table of positions are added, expected the first")
class LastPositions(Given):
    def forward(self, tokens, segments):
        places = self.position.weight[-tokens.shape[1] :]
        return self.dropout(self.norm(self.token(tokens) + places + self.segment(segments)))


@right
class PositionsForEveryRow(Given):
    def forward(self, tokens, segments):
        places = torch.arange(tokens.size(1)).to(tokens.device).unsqueeze(0).expand(tokens.size(0), -1)
        return self.dropout(self.norm(self.segment(segments) + self.position(places) + self.token(tokens)))


@right
class CountedPositions(Given):
    def forward(self, tokens, segments):
        places = torch.ones_like(tokens).cumsum(dim=1) - 1
        return self.dropout(self.norm(sum([self.token(tokens), self.position(places), self.segment(segments)])))


@right
class BuffersPositions(Given):
    def __init__(self, vocab_size, d_model, max_length, dropout=0.1, eps=1e-12):
        super().__init__(vocab_size, d_model, max_length, dropout, eps)
        self.register_buffer("places", torch.arange(max_length).expand(1, -1))

    def forward(self, tokens, segments):
        states = self.token(tokens)
        states = states + self.segment(segments)
        states = states + self.position(self.places[:, : tokens.shape[1]])
        return self.dropout(self.norm(states))


@right
class OneHot(Given):
    def forward(self, tokens, segments):
        kinds = F.one_hot(tokens, self.token.num_embeddings).to(self.token.weight.dtype)
        sides = F.one_hot(segments, 2).to(self.segment.weight.dtype)
        places = torch.eye(self.position.num_embeddings).to(self.position.weight)[: tokens.shape[1]]
        states = kinds @ self.token.weight + sides @ self.segment.weight + places @ self.position.weight
        return self.dropout(self.norm(states))


@right
class ByHand(Given):
    def forward(self, tokens, segments):
        places = tokens.new_tensor(range(tokens.shape[1]))
        states = F.embedding(tokens, self.token.weight) + F.embedding(segments, self.segment.weight)
        states = states + F.embedding(places, self.position.weight)
        centred = states - states.mean(-1, keepdim=True)
        normed = centred / (states.var(-1, unbiased=False, keepdim=True) + self.norm.eps).sqrt()
        return F.dropout(normed * self.norm.weight + self.norm.bias, self.dropout.p, training=self.training)


@right
class PlaceByPlace(Given):
    def forward(self, tokens, segments):
        states = []
        for place in range(tokens.shape[1]):
            total = self.token(tokens[:, place]) + self.segment(segments[:, place]) + self.position.weight[place]
            states.append(self.norm(total))
        return self.dropout(torch.stack(states, dim=1))


@right
class OneTable(Given):
    def forward(self, tokens, segments):
        first, second = self.segment.weight
        sides = torch.where(segments.unsqueeze(-1).bool(), second, first)
        places = torch.arange(tokens.shape[1], device=next(self.parameters()).device)
        return nn.Sequential(self.norm, self.dropout)(self.token(tokens) + self.position(places)[None] + sides)


@right
def made_by_a_function(vocab_size, d_model, max_length, dropout=0.1, eps=1e-12):
    return PlaceByPlace(vocab_size, d_model, max_length, dropout, eps)


right(functools.partial(RowsOfTheTable))
