"""How each exercise of this chapter is used."""

import random
from typing import Any

import torch
from torch import Tensor, nn

from autograder.checks.ch10_bert.probes.make_nsp_pairs import pairs_of
from autograder.checks.ch10_bert.probes.pack_pair import packed, plain_ids
from autograder.checks.ch10_bert.probes.wordpiece_tokenize import cut_up
from autograder.draw import Draw
from autograder.in_use import Use, in_use, weigh

_PIECES, _D_MODEL = 23, 10


def _sequences(draw: Draw, batch: int, length: int) -> tuple[Tensor, Tensor]:
    """Tokens with [PAD], which is 0, behind them, and the segments: of 0 alone in the first row, of both in others."""
    real = draw.padding_mask(batch, length)
    tokens = draw.integers(1, _PIECES, batch, length) * real
    seconds = torch.arange(length) >= draw.integers(1, length, batch).unsqueeze(1)
    seconds[0] = False
    return tokens, (seconds & real).long()


@in_use("wordpiece_tokenize", gradients=False, dtypes=False, devices=False)
def wordpiece_tokenize(wordpiece_tokenize, draw: Draw) -> Use:
    """Words as a text has them: capitals, marks, accents, letters that come again, and one that is very long."""

    def call(words: list[str], pieces: list[str]) -> dict[str, list[str]]:
        found = cut_up(wordpiece_tokenize, [(word, pieces) for word in words])["pieces"]
        return {f"what came back for {word!r:.20}": cut for word, cut in zip(words, found, strict=True)}

    letters = ["e", "##e", "##l", "##s", "##é", "##.", "##S", "U", "f", "##a", "##f", "-", "##-", "1", "##9"]
    pieces = [
        *letters,
        "selfelf" * 9,
        "#un",
        "un",
        "##un",
        "##el",
        "elf",
        "##elf",
        "self",
        "##seen",
        "caf",
        "Un",
        "[UNK]",
        "##",
        "",
    ]
    words = [
        "elf",
        "unself",
        "Unself",
        "ELF",
        "café",
        "U.S.",
        "elf-elf",
        "199",
        "elfun" * 30,
        "selfelf" * 9,
        "selfless",
        "unseen",
        "[UNK]",
        "#",
        "#unself",
        "fz",
    ]
    words.append("".join("elfsun"[place] for place in draw.integers(0, 6, 30).tolist()))
    order = draw.normal(len(words)).argsort().tolist()
    return Use(call, ([words[place] for place in order], pieces), (words[:5], pieces[: int(draw.integers(5, 20))]))


@in_use("pack_pair", gradients=False, dtypes=False, devices=False)
def pack_pair(pack_pair, draw: Draw) -> Use:
    """Sentences in which pieces come again; then a long one beside a single piece, with 0 for a mark."""

    def call(first: list[int], second: list[int], cls_id: int, sep_id: int) -> dict[str, list[int]]:
        tokens, segments = packed(pack_pair, first, second, cls_id=cls_id, sep_id=sep_id)
        of = f"for sentences of {len(first)} and {len(second)} ids, some more than once"
        return {f"the tokens {of}": plain_ids(tokens, "tokens"), f"the segments {of}": plain_ids(segments, "segments")}

    def ids(length: int) -> list[int]:
        return draw.integers(4, 9, length).tolist()

    return Use(call, (ids(12), ids(9), 2, 3), (ids(70), ids(1), 0, 1))


@in_use("mask_tokens", gradients=False, dtypes=False)
def mask_tokens(mask_tokens, draw: Draw) -> Use:
    """Batches of pairs; which words are chosen is chance's, so the numbers that come back are not looked at."""
    generator = torch.Generator().manual_seed(int(draw.integers(0, 2**62)))

    def call(tokens: Tensor, *sizes: int) -> list[Tensor]:
        return [torch.zeros_like(found) for found in mask_tokens(tokens, *sizes, generator)]

    def tokens() -> Tensor:
        return draw.integers(0, 800, *draw.integers(1, 40, 2).tolist())

    return Use(call, (tokens(), 5, 800, 4), (tokens(), 4, 900, 3))


@in_use("make_nsp_pairs", gradients=False, dtypes=False, devices=False)
def make_nsp_pairs(make_nsp_pairs, draw: Draw) -> Use:
    """Documents of lists of ids, in which sentences come again; which second sentence comes is chance's. Two documents are equal.

    Beside them one long document of different sentences, and two of one sentence, one of which is empty: both come. And one in which
    each sentence is the same, as is that of the other document: some are the next one, some are not.
    """
    generator = random.Random(int(draw.integers(0, 2**62)))
    long = [f"sentence {number}" for number in range(60)]

    def call(documents: list[list[Any]]) -> list[Any]:
        firsts = sorted(first for first, _, _ in pairs_of(make_nsp_pairs, documents, generator))
        pairs = pairs_of(make_nsp_pairs, [["another"], long, [""]], generator)
        alike = {is_next for _, _, is_next in pairs_of(make_nsp_pairs, [["one"] * 40, ["one"]], generator)}
        return [firsts, sorted({second for _, second, is_next in pairs if not is_next}), sorted(alike)]

    def documents(*lengths: int) -> list[list[Any]]:
        return [draw.integers(0, 3, length, 2).tolist() for length in lengths]

    (one,) = documents(9)
    return Use(call, (documents(5, 0, 1, 8, 5),), ([[], one, list(one)],))


@in_use("BertEmbeddings")
def bert_embeddings(embeddings_class, draw: Draw) -> Use:
    """A padded batch, then a sequence as long as there are positions."""
    module = weigh(embeddings_class(_PIECES, _D_MODEL, 30, dropout=0.0), draw)
    return Use(module, _sequences(draw, 3, 21), _sequences(draw, 1, 30), last=_sequences(draw, 1, 30))


class _Mixes(nn.Module):
    """In place of BERT's encoder: each place gets something of the mean over the places that are not padding. It counts its calls."""

    calls = 0

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Vectors (B, S, d_model) for such vectors and their mask (B, S)."""
        self.calls += 1
        real = mask.unsqueeze(-1)
        return states.tanh() + (states * real).sum(dim=1, keepdim=True) / real.sum(dim=1, keepdim=True)


class _Embeds(nn.Module):
    """In place of `BertEmbeddings`."""

    def __init__(self) -> None:
        super().__init__()
        self.token, self.segment = nn.Embedding(_PIECES, _D_MODEL), nn.Embedding(2, _D_MODEL)

    def forward(self, tokens: Tensor, segments: Tensor) -> Tensor:
        """Vectors (B, S, d_model)."""
        return self.token(tokens) - self.segment(segments)


@in_use("BertForPreTraining")
def bert_for_pre_training(bert_class, draw: Draw) -> Use:
    """A padded batch, then one sequence of another length."""
    encoder = _Mixes()
    model = weigh(bert_class(_Embeds(), encoder, _D_MODEL, _PIECES), draw, scale=0.6)

    def call(*given: Tensor) -> list[Any]:
        before = encoder.calls
        return [*model(*given), encoder.calls - before]

    def given(batch: int, length: int) -> tuple[Tensor, Tensor, Tensor]:
        tokens, segments = _sequences(draw, batch, length)
        return tokens, segments, (tokens != 0) | (torch.arange(length) == 0)

    return Use(call, given(2, 20), given(1, 23), modules=(model,), last=given(1, 23))


@in_use("masked_lm_loss")
def masked_lm_loss(masked_lm_loss, draw: Draw) -> Use:
    """A batch of which a sixth is asked for, the id 0 among it; then one place alone, of a model that is very sure."""

    def given(batch: int, length: int, scale: float) -> tuple[Tensor, Tensor]:
        labels = draw.integers(0, 11, batch, length)
        labels[draw.integers(0, 6, batch, length) > 0] = -100
        labels[0, :1] = 0
        return draw.normal(batch, length, 11, scale=scale), labels

    one = draw.normal(1, 24, 11, scale=40.0), torch.full((1, 24), -100)
    one[1][0, 7] = int(draw.integers(0, 11))
    return Use(masked_lm_loss, given(4, 21, 1.0), one)
