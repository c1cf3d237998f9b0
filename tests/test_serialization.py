"""Plain data comes back as it was sent, and bytes that hold none are refused, whatever they are."""

import json
import math
import struct
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import save
from torch import Tensor

from autograder.asking.serialization import Foreign, NotPlainError, decode, encode, kind_of, to_plain

DTYPES = [
    torch.bool,
    torch.uint8,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.float16,
    torch.bfloat16,
    torch.float32,
    torch.float64,
]


@st.composite
def tensors(draw: st.DrawFn) -> Tensor:
    shape = draw(st.lists(st.integers(0, 3), max_size=4))
    values = draw(st.lists(st.integers(0, 100), min_size=math.prod(shape), max_size=math.prod(shape)))
    return torch.tensor(values, dtype=torch.float64).reshape(shape).to(draw(st.sampled_from(DTYPES)))


leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63) + 1, 2**63 - 1)
    | st.floats()
    | st.text()
    | st.sampled_from(["$tensor", "$foreign", "0", "\ud800"])
    | st.builds(Foreign, st.text())
    | tensors()
)
names = st.text() | st.sampled_from(["$tensor", "$foreign", "$$tensor", "$", "0"])
trees = st.recursive(leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4))


def same(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, Tensor):
        return one.dtype == other.dtype and torch.equal(one, other)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, float) and math.isnan(one):
        return math.isnan(other)
    return bool(one == other)


class TestRoundTrip:
    @given(trees)
    @settings(deadline=None)
    def test_tree_comes_back(self, tree):
        plain = to_plain(tree)
        assert same(plain, tree)
        assert same(decode(encode(plain)), plain)

    @pytest.mark.parametrize("dtype", DTYPES, ids=str)
    @pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (2, 3)], ids=str)
    def test_every_dtype_and_empty_shape_comes_back(self, dtype, shape):
        tensor = torch.ones(shape).to(dtype)
        assert same(decode(encode(to_plain([tensor, tensor]))), [tensor, tensor])

    def test_nan_and_infinity_come_back(self):
        tensor = torch.tensor([float("nan"), float("inf"), -float("inf")])
        numbers = [float("nan"), float("inf"), -float("inf")]
        back, back_numbers = decode(encode(to_plain([tensor, numbers])))
        assert torch.equal(back.isnan(), tensor.isnan())
        assert torch.equal(back[1:], tensor[1:])
        assert same(back_numbers, numbers)

    @pytest.mark.parametrize(
        "view",
        [
            torch.arange(6).reshape(2, 3).T,
            torch.zeros(1).expand(3),
            torch.ones(2, requires_grad=True) * 2,
            torch.nn.Parameter(torch.ones(2)),
            torch.arange(6)[::2],
        ],
        ids=["transposed", "expanded", "with a graph", "parameter", "every second"],
    )
    def test_a_view_is_copied(self, view):
        plain = to_plain(view)
        assert type(plain) is Tensor
        assert plain.is_contiguous()
        assert not plain.requires_grad
        assert plain.data_ptr() != view.data_ptr()
        assert same(decode(encode(plain)), plain)


class TestForeign:
    @pytest.mark.parametrize(
        "value",
        [
            np.ones(2),
            np.float64(1.0),
            object(),
            {1: "a key that is no string"},
            {1, 2},
            b"bytes",
            10**30,
            torch.ones(2, dtype=torch.complex128),
            torch.ones(2).to_sparse(),
            torch.ones(2, dtype=torch.float8_e4m3fn),
            lambda: None,
            type("Name" * 1000, (), {})(),
        ],
        ids=lambda value: type(value).__name__[:10],
    )
    def test_what_is_not_plain_is_named_and_crosses(self, value):
        plain = to_plain({"value": value})
        assert isinstance(plain["value"], Foreign)
        assert len(plain["value"].type_name) <= 80
        assert decode(encode(plain)) == plain

    def test_a_tree_within_itself_ends(self):
        tree: list[Any] = []
        tree.append(tree)
        plain = to_plain(tree)
        assert same(decode(encode(plain)), plain)

    def test_subclass_of_a_plain_type_is_foreign(self):
        assert to_plain(type("Text", (str,), {})("x")) == Foreign("Text")

    @pytest.mark.parametrize(
        ("value", "words"),
        [
            (torch.ones(2, 3), "a float32 tensor of shape (2, 3)"),
            (torch.ones(0, dtype=torch.int64), "an int64 tensor of shape (0,)"),
            (torch.ones(1, dtype=torch.uint8), "a uint8 tensor of shape (1,)"),
            (None, "None"),
            ((1, 2), "a tuple of 2"),
            ([1], "a list of 1"),
            ({(0, 1)}, "a set of 1"),
            (frozenset(), "a frozenset of 0"),
            ({"a": 1, "b": 2}, "a dict of 2"),
            (1.0, "of type float"),
            (Foreign("ndarray"), "of type ndarray"),
        ],
        ids=str,
    )
    def test_kind_in_words(self, value, words):
        assert kind_of(value) == words


GOOD = encode({"a": [torch.arange(6.0), "text", {"b": None}], "c": torch.ones(2, dtype=torch.bool)})


def framed(text: bytes, tensors: bytes) -> bytes:
    return struct.pack("<I", len(text)) + text + tensors


def header(**fields: Any) -> bytes:
    text = json.dumps(fields).encode()
    return struct.pack("<Q", len(text)) + text


NOTHING = save({})

MALFORMED = {
    "empty": b"",
    "length alone": struct.pack("<I", 5),
    "length beyond the end": struct.pack("<I", 2**32 - 1) + b"{}",
    "not JSON": framed(b"{", NOTHING),
    "not text": framed(b"\xff\xfe", NOTHING),
    "no tensors": framed(b"{}", b""),
    "deep JSON": framed(b"[" * 100_000 + b"]" * 100_000, NOTHING),
    "deep JSON objects": framed(b'{"a":' * 100_000 + b"1" + b"}" * 100_000, NOTHING),
    "long number": framed(b"1" * 100_000, NOTHING),
    "tensor that is not there": framed(b'{"$tensor": "0"}', NOTHING),
    "tensor by a list": framed(b'{"$tensor": []}', NOTHING),
    "tensor by null": framed(b'{"$tensor": null}', NOTHING),
    "header beyond the end": framed(b"{}", struct.pack("<Q", 2**63)),
    "header of an unknown type": framed(
        b"{}", header(a={"dtype": "Q99", "shape": [1], "data_offsets": [0, 1]}) + b"\0"
    ),
    "offsets beyond the end": framed(b"{}", header(a={"dtype": "F32", "shape": [9], "data_offsets": [0, 36]}) + b"\0"),
    "shape beyond the data": framed(
        b"{}", header(a={"dtype": "F32", "shape": [9], "data_offsets": [0, 4]}) + b"\0" * 4
    ),
    "shape below zero": framed(b"{}", header(a={"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}) + b"\0" * 4),
    "shape that overflows": framed(b"{}", header(a={"dtype": "F32", "shape": [2**40, 2**40], "data_offsets": [0, 0]})),
    "nothing of a large shape": framed(
        b"{}", header(a={"dtype": "F32", "shape": [0, 2**62, 2**62], "data_offsets": [0, 0]})
    ),
    "pickle": b"\x80\x04\x95" + b"\0" * 40,
    "noise": bytes(range(256)) * 4,
}


def decodes_or_refuses(data: bytes) -> bool:
    """Whether it could be decoded; anything but a refusal is an error of the test."""
    try:
        decode(data)
    except NotPlainError:
        return False
    return True


class TestHostileBytes:
    @pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED.keys())
    def test_malformed_is_refused(self, data):
        with pytest.raises(NotPlainError):
            decode(data)

    @pytest.mark.parametrize("length", range(len(GOOD)))
    def test_truncated_is_refused(self, length):
        with pytest.raises(NotPlainError):
            decode(GOOD[:length])

    @given(st.binary(max_size=300))
    @settings(deadline=None)
    def test_noise_is_decoded_or_refused(self, data):
        decodes_or_refuses(data)

    @given(st.integers(0, len(GOOD) - 1), st.integers(0, 255))
    @settings(deadline=None, max_examples=500)
    def test_one_changed_byte_is_decoded_or_refused(self, place, value):
        decodes_or_refuses(GOOD[:place] + bytes([value]) + GOOD[place + 1 :])

    @given(
        st.dictionaries(
            st.text(max_size=3),
            st.fixed_dictionaries(
                {
                    "dtype": st.sampled_from(
                        ["F32", "BOOL", "F8_E4M3", "F8_E8M0", "F4", "F6_E2M3", "C64", "U64", "I8", ""]
                    ),
                    "shape": st.lists(st.integers(-1, 2**64) | st.integers(0, 2), max_size=5),
                    "data_offsets": st.lists(st.integers(-1, 9), min_size=2, max_size=2),
                }
            ),
            max_size=3,
        ),
        st.binary(max_size=9),
    )
    @settings(deadline=None, max_examples=500)
    def test_any_header_is_decoded_or_refused(self, fields, data):
        decodes_or_refuses(framed(b"{}", header(**fields) + data))

    @given(trees)
    @settings(deadline=None)
    def test_json_of_any_shape_is_decoded_or_refused(self, tree):
        text = json.dumps(tree, default=lambda value: {"$tensor": "0"}).encode()
        decodes_or_refuses(framed(text, save({"0": torch.ones(2)})))

    def test_a_mark_that_hides_a_foreign_value_is_harmless(self):
        tree = decode(framed(json.dumps({"$foreign": {"a": 1}}).encode(), NOTHING))
        assert isinstance(tree, Foreign)
        assert "expected" not in kind_of(tree)
