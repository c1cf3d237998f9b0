"""Scenes of handwritten digits: what is promised of them, and what is said of pictures that cannot be read."""

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from seqlab.corpus import BOS, EOS, PAD
from seqlab.scene_captions import (
    COLOURS,
    LANGUAGES,
    Thing,
    caption_bleu,
    caption_named,
    captions_of,
    describes,
    mirrored,
    relation,
    words_of,
)
from seqlab.scenes import HELD_OUT_PAIRS, INKS, REFERENCES, SIZE, Scene, Scenes, handwriting, load_scenes, split_digits

SIZES = {"train": 400, "valid": 40, "test": 120}


@pytest.fixture(scope="module", params=LANGUAGES)
def scenes(request: pytest.FixtureRequest) -> Scenes:
    return load_scenes(**SIZES, language=request.param)


def sets(scenes: Scenes) -> dict[str, tuple[Scene, ...]]:
    return {"train": scenes.train, "valid": scenes.valid, "test": scenes.test, "unseen": scenes.unseen}


def all_of(scenes: Scenes) -> list[Scene]:
    return [scene for some in sets(scenes).values() for scene in some]


def pairs_of(some: tuple[Scene, ...]) -> set[tuple[int, int]]:
    return {(thing.digit, thing.colour) for scene in some for thing in scene.things}


class TestSplit:
    def test_no_image_of_a_held_out_scene_is_in_one_to_learn_from(self, scenes: Scenes) -> None:
        images = {
            name: {thing.image for scene in some for thing in scene.things} for name, some in sets(scenes).items()
        }
        assert not images["train"] & (images["valid"] | images["test"] | images["unseen"])
        assert not images["valid"] & (images["test"] | images["unseen"])

    @pytest.mark.parametrize("seed", range(3))
    def test_every_image_is_in_one_part_and_every_digit_in_all(self, seed: int) -> None:
        parts = [[image for images in part for image in images] for part in split_digits(seed)]
        assert sorted(image for part in parts for image in part) == list(range(1797))
        digits = handwriting()[1]
        for part in split_digits(seed):
            assert all(images and set(digits[list(images)].tolist()) == {d} for d, images in enumerate(part))

    def test_no_picture_comes_twice_across_sets(self, scenes: Scenes) -> None:
        pixels = [scene.pixels.numpy().tobytes() for scene in scenes.train]
        assert not set(pixels) & {scene.pixels.numpy().tobytes() for scene in (*scenes.valid, *scenes.test)}

    def test_held_out_pairs_are_in_unseen_scenes_alone(self, scenes: Scenes) -> None:
        for name in ("train", "valid", "test"):
            assert not pairs_of(sets(scenes)[name]) & HELD_OUT_PAIRS
        for scene in scenes.unseen:
            assert len(pairs_of((scene,)) & HELD_OUT_PAIRS) == 1

    def test_each_digit_lacks_one_colour_and_each_colour_two_digits(self) -> None:
        assert sorted(digit for digit, _ in HELD_OUT_PAIRS) == list(range(10))
        assert Counter(colour for _, colour in HELD_OUT_PAIRS) == dict.fromkeys(range(len(COLOURS)), 2)

    def test_every_word_of_a_held_out_pair_is_learnt_with_others(self, scenes: Scenes) -> None:
        digits, colours = (words_of(kind, scenes.language) for kind in ("digits", "colours"))
        assert {*digits, *colours} <= set(scenes.vocab.words)


class TestScenes:
    def test_the_same_seed_gives_the_same_scenes_and_another_others(self) -> None:
        one, same, other = (load_scenes(seed=seed, train=30, valid=5, test=5) for seed in (1, 1, 2))
        for mine, its in zip(all_of(one), all_of(same), strict=True):
            assert torch.equal(mine.pixels, its.pixels)
            assert (mine.captions, mine.things) == (its.captions, its.things)
        assert any(not torch.equal(a.pixels, b.pixels) for a, b in zip(one.train, other.train, strict=True))

    def test_more_scenes_begin_with_the_same_ones(self) -> None:
        few, more = (load_scenes(train=number, valid=5, test=5) for number in (10, 20))
        assert [scene.captions for scene in few.train] == [scene.captions for scene in more.train[:10]]
        assert [scene.captions for scene in few.test] == [scene.captions for scene in more.test]

    def test_each_number_of_things_is_as_frequent(self, scenes: Scenes) -> None:
        assert Counter(len(scene.things) for scene in scenes.train) == dict.fromkeys(range(1, 5), 100)

    def test_a_box_holds_all_of_its_digits_ink_and_none_of_anothers(self, scenes: Scenes) -> None:
        for scene in all_of(scenes):
            ink = scene.pixels.amax(dim=0) > 0
            assert ink.shape == (SIZE, SIZE)
            for thing in scene.things:
                top, left, bottom, right = thing.box
                inside = ink[top:bottom, left:right]
                assert (
                    inside.any(dim=0)[[0, -1]].all() and inside.any(dim=1)[[0, -1]].all()
                )  # it is as small as it can be
                found = scene.pixels[:, top:bottom, left:right].flatten(1)
                brightest = found[:, found.sum(dim=0).argmax()].float()
                colour = torch.tensor(INKS[thing.colour]).float()
                assert torch.cosine_similarity(brightest, colour, dim=0) > 0.999
                ink[top:bottom, left:right] = False
            assert not ink.any()

    def test_things_of_a_scene_differ_and_stand_where_captions_say(self, scenes: Scenes) -> None:
        for scene in all_of(scenes):
            assert len(pairs_of((scene,))) == len(scene.things)
            for one in scene.things:
                for other in scene.things:
                    seen = relation(one.place, other.place)
                    if seen == "left":
                        assert one.box[3] <= other.box[1]
                    if seen == "above":
                        assert one.box[2] <= other.box[0]

    @pytest.mark.parametrize(
        ("sizes", "told"),
        [
            ({"train": 0}, "train is 0: ask for at least 1"),
            ({"test": -1}, "test is -1"),
            ({"most_things": 5}, "most_things is 5"),
            ({"language": "german"}, "language is 'german'"),
        ],
    )
    def test_what_cannot_be_composed_is_refused(self, sizes: dict, told: str) -> None:
        with pytest.raises(ValueError, match=told):
            load_scenes(**{"train": 2, "valid": 1, "test": 1, **sizes})

    def test_the_digits_are_those_that_scikit_learn_loads(self) -> None:
        from sklearn.datasets import load_digits

        images, digits = handwriting()
        bunch = load_digits()
        assert np.array_equal(images.numpy() * 16, bunch.images)
        assert np.array_equal(digits.numpy(), bunch.target)


class TestCaptions:
    def test_five_different_true_ones_whose_names_are_the_digits(self, scenes: Scenes) -> None:
        digits = words_of("digits", scenes.language)
        for scene in all_of(scenes):
            assert len(set(scene.references)) == REFERENCES
            for caption in scene.captions:
                assert describes(caption.words, scene.things, scenes.language)
                assert sorted(thing for _, thing in caption.names) == list(range(len(scene.things)))
                assert all(caption.words[at] == digits[scene.things[thing].digit] for at, thing in caption.names)

    def test_a_false_word_makes_a_caption_false(self, scenes: Scenes) -> None:
        draw = random.Random(0)
        for scene in scenes.test:
            for caption in scene.captions:
                at = draw.randrange(len(caption.words))
                other = draw.choice([word for word in scenes.vocab.words if word != caption.words[at]])
                words = (*caption.words[:at], other, *caption.words[at + 1 :])
                named = caption_named(words, scene.things, scenes.language)
                assert named is None or named.words == words  # such as "there is" for "this is"
                if at in dict(caption.names):
                    assert named is None

    def test_left_and_right_swapped_is_false_where_they_are_said(self, scenes: Scenes) -> None:
        for scene in scenes.test:
            for words in scene.references:
                swapped = tuple(mirrored(words, scenes.language))
                assert describes(swapped, scene.things, scenes.language) == (swapped == words)
                assert tuple(mirrored(swapped, scenes.language)) == words

    def test_what_is_said_of_two_things(self) -> None:
        three = Thing(3, 0, 0, (2, 2, 10, 8), (0, 0), 0)
        seven = Thing(7, 2, 1, (1, 17, 14, 30), (0, 1), 1)
        said = {language: {" ".join(c.words) for c in captions_of((three, seven), language)} for language in LANGUAGES}
        assert "a small red three is left of a large blue seven ." in said["english"]
        assert "there is a blue seven right of a red three ." in said["english"]
        assert "un petit trois rouge est à gauche d' un grand sept bleu ." in said["french"]
        assert {len(found) for found in said.values()} == {8}

    def test_no_two_captions_of_a_scene_are_alike(self, scenes: Scenes) -> None:
        for scene in scenes.test[:40]:
            every = captions_of(scene.things, scenes.language)
            assert len({caption.words for caption in every}) == len(every) >= REFERENCES

    def test_bleu_takes_several_references(self) -> None:
        words = ["a", "red", "three", "is", "left", "of", "a", "blue", "seven", "."]
        assert caption_bleu([words, words], [[words], [["no"], words]]) == pytest.approx(100)
        assert caption_bleu([words], [[["no", "such", "word"]]]) < 5
        with pytest.raises(ValueError, match="give one caption and at least one reference"):
            caption_bleu([words], [[]])


class TestBatches:
    def test_pictures_and_targets(self, scenes: Scenes) -> None:
        batch = scenes.batch(scenes.test[:7])
        assert batch.pictures.shape == (7, 3, SIZE, SIZE)
        assert batch.pictures.max() <= 1
        for row, caption in enumerate(batch.captions):
            length = len(caption.words)
            assert batch.target_in[row, 0] == BOS
            assert batch.target_out[row, length] == EOS
            assert torch.equal(batch.target_in[row, 1 : length + 1], batch.target_out[row, :length])
            assert batch.target_mask[row].sum() == length + 1
            assert (batch.target_out[row, length + 1 :] == PAD).all()
            assert scenes.vocab.decode(batch.target_out[row]) == list(caption.words)

    def test_a_round_has_each_scene_once_and_the_seed_says_in_which_order(self, scenes: Scenes) -> None:
        one, same = scenes.batches(64, seed=3), scenes.batches(64, seed=3)
        seen = []
        for _ in range(7):
            batch, again = next(one), next(same)
            assert torch.equal(batch.target_in, again.target_in)
            assert all(caption in scene.captions for scene, caption in zip(batch.scenes, batch.captions, strict=True))
            seen += [id(scene) for scene in batch.scenes]
        assert len(set(seen)) == len(seen) == len(scenes.train)

    def test_what_makes_no_batch_is_refused(self, scenes: Scenes) -> None:
        with pytest.raises(ValueError, match="scenes is empty"):
            scenes.batch([])
        with pytest.raises(ValueError, match="1 captions for 2 scenes"):
            scenes.batch(scenes.test[:2], scenes.test[0].captions[:1])
        with pytest.raises(ValueError, match="batch_size is 0"):
            scenes.batches(0)


class TestOwnPictures:
    @pytest.fixture
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        draw = np.random.default_rng(0)
        lines = []
        for number in range(40):
            shape = (40 + number, 90, 3) if number % 2 else (90, 40 + number, 3)
            picture = Image.fromarray(draw.integers(0, 255, shape, dtype=np.uint8))
            picture.convert("L" if number == 3 else "RGB").save(tmp_path / f"p{number}.png")
            lines += [f"p{number}.png#0\tA dog number {number % 5}.", f"p{number}.png#1\tThe dog, again!"]
        (tmp_path / "captions.txt").write_text("\n".join(lines), encoding="utf-8")
        monkeypatch.setenv("SEQLAB_PICTURES", str(tmp_path))
        return tmp_path

    def test_are_read_and_split(self, folder: Path) -> None:
        own = load_scenes()
        assert [len(some) for some in sets(own).values()] == [32, 4, 4, 0]
        names = [scene.name for scene in all_of(own)]
        assert sorted(names) == sorted({f"p{number}.png" for number in range(40)})
        assert not own.has_boxes
        assert own.name == folder.name
        assert next(own.batches(8)).pictures.shape == (8, 3, 64, 64)
        assert own.test[0].references[1] == ("the", "dog", ",", "again", "!")

    def test_captions_may_stand_behind_a_comma(self, folder: Path) -> None:
        lines = [f'p{number}.png,"A dog, number {number % 3}"' for number in range(30)]
        (folder / "captions.txt").write_text("\n".join(["image,caption", *lines]), encoding="utf-8")
        own = load_scenes()
        assert len(all_of(own)) == 30
        assert all(scene.references[0][:3] == ("a", "dog", ",") for scene in all_of(own))

    def test_none_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SEQLAB_PICTURES", " ")
        assert load_scenes(train=4, valid=1, test=1).has_boxes

    @pytest.mark.parametrize(
        ("line", "told"),
        [
            ("p0.png a dog", r"line 1 of .*captions.txt has neither tab nor comma"),
            ("p99.png\ta dog", "p99.png, which the captions name, cannot be opened: there is no such file"),
            ("captions.txt\ta dog", "cannot be opened: it is no picture that can be read"),
            ("p0.png\ta dog", "has 1 pictures with captions: there must be at least 20"),
        ],
    )
    def test_what_is_wrong_is_said(self, folder: Path, line: str, told: str) -> None:
        (folder / "captions.txt").write_text(line, encoding="utf-8")
        with pytest.raises(ValueError, match=told):
            load_scenes()

    def test_no_folder_no_captions_and_no_utf_8_are_said(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (folder / "captions.txt").write_bytes("p0.png\té".encode("latin-1"))
        with pytest.raises(ValueError, match="is not UTF-8 at byte"):
            load_scenes()
        (folder / "captions.txt").unlink()
        with pytest.raises(ValueError, match="has no file of captions"):
            load_scenes()
        monkeypatch.setenv("SEQLAB_PICTURES", str(folder / "none"))
        with pytest.raises(ValueError, match="which is no folder"):
            load_scenes()
