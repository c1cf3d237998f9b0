"""Scenes that are harder to describe: what changes, and what stays true."""

import pytest
import torch

from seqlab.hard_scenes import harder
from seqlab.scenes import SIZE, load_scenes

SCENES = load_scenes(train=60, valid=0, test=0).train


def test_scenes_that_are_asked_to_be_no_harder_are_drawn_as_they_were():
    for scene, drawn in zip(SCENES, harder(SCENES), strict=True):
        assert torch.equal(drawn.pixels, scene.pixels)
        assert drawn.things == scene.things


@pytest.mark.parametrize("kind", ["spread", "clutter", "ground", "noise"])
def test_each_way_changes_the_pixels_and_not_what_is_said(kind):
    before = [scene.pixels.clone() for scene in SCENES]
    found, again, other = (harder(SCENES, **{kind: 4}, seed=seed) for seed in (0, 0, 1))
    for scene, old, drawn, same in zip(SCENES, before, found, again, strict=True):
        assert torch.equal(scene.pixels, old)
        assert torch.equal(drawn.pixels, same.pixels)
        assert (drawn.pixels.shape, drawn.pixels.dtype) == (old.shape, torch.uint8)
        assert drawn.captions == scene.captions
        assert [(t.digit, t.colour, t.place) for t in drawn.things] == [
            (t.digit, t.colour, t.place) for t in scene.things
        ]
    assert sum(not torch.equal(drawn.pixels, old) for drawn, old in zip(found, before, strict=True)) > 50
    assert any(not torch.equal(drawn.pixels, one.pixels) for drawn, one in zip(found, other, strict=True))


def test_a_digit_that_moves_stays_in_the_picture_on_its_side_of_its_neighbours():
    for scene in harder(SCENES, spread=4):
        for thing in scene.things:
            top, left, bottom, right = thing.box
            assert 0 <= top < bottom <= SIZE
            assert 0 <= left < right <= SIZE
            assert scene.pixels[:, top:bottom, left:right].any()
            for other in scene.things:
                if thing.place[1] < other.place[1]:
                    assert left + right < other.box[1] + other.box[3]
                if thing.place[0] < other.place[0]:
                    assert top + bottom < other.box[0] + other.box[2]


def test_a_digit_that_would_leave_its_side_is_refused():
    with pytest.raises(ValueError, match="spread is 5: ask for 0 to 4"):
        harder(SCENES, spread=5)
