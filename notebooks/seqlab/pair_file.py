"""Sentence pairs in a small file: the corpora of the chapters lie in such files, because drawing one takes longer than importing torch.

A file holds arrays, compressed with LZMA: all words, their indices in the sentences one after the other, and the links.
"""

from __future__ import annotations

import io
import lzma
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from seqlab.grammar import Pair


def write_pairs(pairs: Sequence[Pair], path: Path) -> None:
    """Store pairs.

    Args:
        pairs: The pairs, of at most 255 words and links each.
        path: The file, which is replaced.
    """
    words = sorted({word for pair in pairs for word in (*pair.source, *pair.target)})
    index = {word: i for i, word in enumerate(words)}
    links = [sorted(pair.possible) for pair in pairs]
    sure = [link in pair.sure for pair, each in zip(pairs, links, strict=True) for link in each]
    places = np.array([link for each in links for link in each], dtype=np.uint8).reshape(-1, 2)
    buffer = io.BytesIO()
    np.savez(
        buffer,
        words=np.frombuffer("\n".join(words).encode(), dtype=np.uint8),
        lengths=np.array(
            [(len(p.source), len(p.target), len(p.possible)) for p in pairs], dtype=np.uint8
        ).T,  # (3, pairs)
        source=np.array([index[word] for pair in pairs for word in pair.source], dtype=np.uint16),
        target=np.array([index[word] for pair in pairs for word in pair.target], dtype=np.uint16),
        linked=places[:, 0],
        # Links are near the diagonal, so that the distance takes less room than the place.
        offset=places[:, 1] - places[:, 0],
        sure=np.packbits(sure),
    )
    path.write_bytes(lzma.compress(buffer.getvalue(), preset=9))


def read_pairs(path: Path) -> list[Pair]:
    """The pairs of a file that `write_pairs` wrote."""
    with np.load(io.BytesIO(lzma.decompress(path.read_bytes()))) as arrays:
        words = np.array(arrays["words"].tobytes().decode().split("\n"), dtype=object)
        source, target = (iter(words[arrays[name]].tolist()) for name in ("source", "target"))
        linked = arrays["linked"]
        links = zip(linked.tolist(), (linked + arrays["offset"]).tolist(), strict=True)
        sure = iter(np.unpackbits(arrays["sure"], count=len(linked)).tolist())
        lengths = arrays["lengths"].T.tolist()
    return [_pair(source, target, links, sure, *each) for each in lengths]


def _pair(
    source: Iterator[str],
    target: Iterator[str],
    links: Iterator[tuple[int, int]],
    sure: Iterator[int],
    source_length: int,
    target_length: int,
    linked: int,
) -> Pair:
    possible = list(islice(links, linked))
    return Pair(
        tuple(islice(source, source_length)),
        tuple(islice(target, target_length)),
        frozenset(link for link, is_sure in zip(possible, islice(sure, linked), strict=True) if is_sure),
        frozenset(possible),
    )
