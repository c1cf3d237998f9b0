"""The solution's cut into word pieces and that of the `tokenizers` package, on words as awkward as hypothesis can find them."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers.models import WordPiece

from solutions.ch10_bert import wordpiece_tokenize

# Few letters, so that pieces fit at many places and lie across each other; # is the mark's own, and é is two bytes.
words = st.text("ab#é", max_size=9)
pieces = st.builds("{}{}".format, st.sampled_from(["", "##"]), st.text("ab#é", min_size=1, max_size=4))
vocabularies = st.sets(pieces, max_size=20)


def of_the_package(word, vocabulary):
    """The pieces that the package finds."""
    ids = {piece: number for number, piece in enumerate(["[UNK]", *sorted(vocabulary)])}
    model = WordPiece(ids, unk_token="[UNK]", max_input_chars_per_word=100)
    return [token.value for token in model.tokenize(word)]


@settings(max_examples=300, deadline=None, database=None)
@given(words, vocabularies)
def test_pieces_are_those_of_the_package(word, vocabulary):
    assert wordpiece_tokenize(word, vocabulary) == of_the_package(word, vocabulary)


@settings(max_examples=200, deadline=None, database=None)
@given(words, vocabularies)
def test_pieces_are_those_of_the_package_where_every_letter_is_known(word, vocabulary):
    letters = {mark + letter for mark in ("", "##") for letter in "ab#é"}
    found = wordpiece_tokenize(word, vocabulary | letters)
    assert found == of_the_package(word, vocabulary | letters)
    assert "".join(piece.removeprefix("##") if place else piece for place, piece in enumerate(found)) == word


def test_any_container_will_do():
    vocabulary = ["un", "##know", "##n", "##known", "unk"]
    assert wordpiece_tokenize("unknown", vocabulary) == ["[UNK]"]  # The greedy cut: unk, and no ##nown.
    vocabulary.remove("unk")
    for container in (vocabulary, tuple(vocabulary), set(vocabulary), dict.fromkeys(vocabulary)):
        assert wordpiece_tokenize("unknown", container) == ["un", "##known"]
