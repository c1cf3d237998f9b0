"""Reads pictures of the reader's own with their captions, so that the chapter on pictures also runs on photographs.

A folder holds the pictures and one file of captions, `captions.txt`, `captions.tsv` or `captions.csv`. A line of it is the name of a picture
and a caption, with a tab or a comma between them; a picture may have several lines. That is the form in which the
captions of Flickr8k are distributed, in both variants: `name.jpg#0`, a tab and the caption, or `name.jpg,caption` under
a line that says `image,caption`.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import torch
from PIL import Image, UnidentifiedImageError
from torch import Tensor

from seqlab.own_corpus import tokenize

FILES = ("captions.txt", "captions.tsv", "captions.csv")
_MOST_WORDS = 30
_NUMBERED = re.compile(r"#\d+$")


def own_pictures(folder: Path, size: int) -> list[tuple[str, Tensor, list[tuple[str, ...]]]]:
    """Reads a folder's pictures.

    Args:
        folder: The folder.
        size: The height and the width to which the middle square of each picture is scaled.

    Returns:
        For each picture its file name, its pixels as integers from 0 to 255 of shape (3, size, size), and its captions,
        in words as `seqlab.own_corpus.tokenize` cuts them. Captions without words or of more than thirty are left out,
        and pictures without captions.

    Raises:
        ValueError: If there is no such folder or no file of captions, or a line or a picture cannot be read.
    """
    if not folder.is_dir():
        raise ValueError(
            f"SEQLAB_PICTURES is {str(folder)!r}, which is no folder: name one with pictures and {FILES[0]}"
        )
    captions: dict[str, list[tuple[str, ...]]] = {}
    for name, caption in _lines(folder):
        words = tokenize(caption)
        if 0 < len(words) <= _MOST_WORDS and words not in captions.setdefault(name, []):
            captions[name].append(words)
    return [(name, _pixels(folder / name, size), found) for name, found in captions.items() if found]


def _lines(folder: Path) -> list[tuple[str, str]]:
    path = next((folder / name for name in FILES if (folder / name).is_file()), None)
    if path is None:
        raise ValueError(f"{folder} has no file of captions: write one named {', '.join(FILES[:-1])} or {FILES[-1]}")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 at byte {error.start}: save it as UTF-8") from error
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or (number == 1 and re.fullmatch(r"image[,\t]caption", line.strip())):
            continue
        name, separator, caption = line.partition("\t" if "\t" in line else ",")
        if not separator:
            raise ValueError(f"line {number} of {path} has neither tab nor comma: write picture, tab, caption")
        caption = caption.strip()
        if len(caption) > 1 and caption[0] == caption[-1] == '"':
            caption = caption[1:-1].replace('""', '"')
        found.append((_NUMBERED.sub("", name.strip()), caption))
    return found


def _pixels(path: Path, size: int) -> Tensor:
    """The middle square of a picture, scaled."""
    try:
        with Image.open(path) as opened:
            picture = opened.convert("RGB")
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError) as error:
        why = "there is no such file" if not path.exists() else "it is no picture that can be read"
        raise ValueError(f"{path}, which the captions name, cannot be opened: {why}") from error
    side = min(picture.size)
    left, top = (picture.width - side) // 2, (picture.height - side) // 2
    square = picture.crop((left, top, left + side, top + side)).resize((size, size), Image.Resampling.BOX)
    return torch.from_numpy(np.array(square)).permute(2, 0, 1).contiguous()
