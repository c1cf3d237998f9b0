"""What students hand in for `wordpiece_tokenize`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools
import itertools
import re

EXERCISE = "wordpiece_tokenize"

UNKNOWN = ["[UNK]"]


def longest_at(word, start, vocabulary):
    """Where the longest piece ends that begins here; None if there is none."""
    for end in range(len(word), start, -1):
        if "##" * (start > 0) + word[start:end] in vocabulary:
            return end
    return None


def cut(word, vocabulary):
    """The right pieces, or None, for the mistakes that are made elsewhere."""
    pieces, start = [], 0
    while start < len(word):
        end = longest_at(word, start, vocabulary)
        if end is None:
            return None
        pieces.append("##" * (start > 0) + word[start:end])
        start = end
    return pieces


def greedily(word, vocabulary, look_up, write, ends=None):
    """A search whose marks and order are those of a mistake."""
    pieces, start = [], 0
    while start < len(word):
        for end in ends(len(word), start) if ends else range(len(word), start, -1):
            if look_up(word[start:end], start) in vocabulary:
                break
        else:
            return UNKNOWN
        pieces.append(write(word[start:end], start))
        start = end
    return pieces


def marked(piece, start):
    return "##" * (start > 0) + piece


def bare(piece, start):
    return piece


def always(piece, start):
    return "##" + piece


def never_marked(word, vocabulary):
    """No ## anywhere, neither looked up nor written."""
    return greedily(word, vocabulary, bare, bare)


def written_bare(word, vocabulary):
    """Looked up with ## and written without."""
    return greedily(word, vocabulary, marked, bare)


def looked_up_bare(word, vocabulary):
    """Looked up without ## and written with it."""
    return greedily(word, vocabulary, bare, marked)


def marked_at_the_first(word, vocabulary):
    """## on the first piece too, as it is looked up."""
    return greedily(word, vocabulary, always, always)


def written_with_mark_at_the_first(word, vocabulary):
    """## on the first piece too, as it is written."""
    return greedily(word, vocabulary, marked, always)


def one_hash(word, vocabulary):
    """# for ##."""
    return [piece.replace("##", "#") for piece in cut(word, vocabulary) or UNKNOWN]


def behind(word, vocabulary):
    """The mark on the wrong side."""
    return [re.sub(r"^##(.*)", r"\1##", piece) for piece in cut(word, vocabulary) or UNKNOWN]


def the_first_piece(word, vocabulary):
    """One piece and no more."""
    return (cut(word, vocabulary) or UNKNOWN)[:1]


def two_pieces(word, vocabulary):
    """The loop is an if: beginning and rest."""
    return (cut(word, vocabulary) or UNKNOWN)[:2]


def returns_in_the_loop(word, vocabulary):
    """The return is too far to the right."""
    pieces, start = [], 0
    while start < len(word):
        end = longest_at(word, start, vocabulary)
        if end is None:
            return UNKNOWN
        pieces.append(marked(word[start:end], start))
        start = end
        return pieces
    return pieces


def either_mark(word, vocabulary):
    """Inside the word a piece without ## will do as well."""
    pieces, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = word[start:end]
            if piece in vocabulary or start and f"##{piece}" in vocabulary:
                pieces.append(piece if piece in vocabulary else f"##{piece}")
                break
        else:
            return UNKNOWN
        start = end
    return pieces


def one_string(word, vocabulary):
    """Joined by spaces."""
    return " ".join(cut(word, vocabulary) or UNKNOWN)


def with_places(word, vocabulary):
    """The pieces and where they begin."""
    return [(piece, place) for place, piece in enumerate(cut(word, vocabulary) or UNKNOWN)]


def nothing(word, vocabulary):
    """The return is missing."""
    cut(word, vocabulary)


def shortest(word, vocabulary):
    """The shortest piece that fits."""
    return greedily(word, vocabulary, marked, marked, lambda size, start: range(start + 1, size + 1))


def from_the_right(word, vocabulary):
    """The longest end of the word is cut off, again and again."""
    pieces, end = [], len(word)
    while end > 0:
        start = next((place for place in range(end) if marked(word[place:end], place) in vocabulary), None)
        if start is None:
            return UNKNOWN
        pieces.insert(0, marked(word[start:end], start))
        end = start
    return pieces


def fewest(word, vocabulary):
    """The cut of the fewest pieces, the greedy one where there are several."""
    greedy = cut(word, vocabulary)
    if greedy is None:
        return UNKNOWN
    for number in range(1, len(greedy)):
        for inner in itertools.combinations(range(1, len(word)), number - 1):
            edges = [0, *inner, len(word)]
            pieces = [marked(word[a:b], a) for a, b in itertools.pairwise(edges)]
            if all(piece in vocabulary for piece in pieces):
                return pieces
    return greedy


def whole_word_or_letters(word, vocabulary):
    """Letters, where the whole rest is no piece; pieces of several letters only where letters are none."""
    pieces, start = [], 0
    while start < len(word):
        ends = [len(word), *range(start + 1, len(word))]
        end = next((end for end in ends if marked(word[start:end], start) in vocabulary), None)
        if end is None:
            return UNKNOWN
        pieces.append(marked(word[start:end], start))
        start = end
    return pieces


def pieces_and_unknown(word, vocabulary):
    """What was found stays, with [UNK] for the rest."""
    pieces, start = [], 0
    while start < len(word):
        end = longest_at(word, start, vocabulary)
        if end is None:
            return [*pieces, "[UNK]"]
        pieces.append(marked(word[start:end], start))
        start = end
    return pieces


def letters_unknown(word, vocabulary):
    """[UNK] for each letter at which nothing fits."""
    pieces, start = [], 0
    while start < len(word):
        end = longest_at(word, start, vocabulary)
        pieces.append("[UNK]" if end is None else marked(word[start:end], start))
        start = start + 1 if end is None else end
    return pieces


def marked_unknown(word, vocabulary):
    """The unknown part has a mark."""
    found = pieces_and_unknown(word, vocabulary)
    return [*found[:-1], "##[UNK]"] if len(found) > 1 and found[-1] == "[UNK]" else found


def skips_letters(word, vocabulary):
    """A letter at which nothing fits is left out."""
    return [piece for piece in letters_unknown(word, vocabulary) if piece != "[UNK]"]


def what_was_found(word, vocabulary):
    """The loop is left with what there is."""
    return [piece for piece in pieces_and_unknown(word, vocabulary) if piece != "[UNK]"]


def an_empty_list(word, vocabulary):
    """No pieces for a word that is unknown."""
    return cut(word, vocabulary) or []


def the_word_itself(word, vocabulary):
    """The word stays whole."""
    found = cut(word, vocabulary)
    return [word] if found is None else found


def another_name(word, vocabulary):
    """Another mark of what is unknown."""
    found = cut(word, vocabulary)
    return ["<unk>"] if found is None else found


def a_string(word, vocabulary):
    """No list around it."""
    found = cut(word, vocabulary)
    return "[UNK]" if found is None else found


def none(word, vocabulary):
    """Nothing is returned for a word that is unknown."""
    return cut(word, vocabulary)


def raises(word, vocabulary):
    """An error for a word that is unknown."""
    found = cut(word, vocabulary)
    if found is None:
        raise ValueError(f"unknown word {word}")
    return found


def has_no_end(word, vocabulary):
    """Where nothing fits, the loop begins again at the same place."""
    pieces, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            if marked(word[start:end], start) in vocabulary:
                pieces.append(marked(word[start:end], start))
                start = end
                break
    return pieces


def goes_below_zero(word, vocabulary):
    """Where nothing fits, the end walks past the beginning for ever."""
    pieces, start = [], 0
    while start < len(word):
        end = len(word)
        while marked(word[start:end], start) not in vocabulary:
            end -= 1
        pieces.append(marked(word[start:end], start))
        start = end
    return pieces


def whole_cuts(word, vocabulary, start=0):
    """Every cut is tried, the longest pieces first."""
    if start == len(word):
        return []
    for end in range(len(word), start, -1):
        piece = marked(word[start:end], start)
        if piece in vocabulary:
            rest = whole_cuts(word, vocabulary, end)
            if rest is not None:
                return [piece, *rest]
    return None


def any_cut(word, vocabulary):
    """Another cut where the greedy one leads nowhere."""
    found = whole_cuts(word, vocabulary)
    return UNKNOWN if found is None else found


def goes_back_once(word, vocabulary):
    """The first piece is shortened where the rest cannot be cut."""
    for end in range(len(word), 0, -1):
        if word[:end] in vocabulary:
            rest = []
            start = end
            while start < len(word):
                to = longest_at(word, start, vocabulary)
                if to is None:
                    break
                rest.append("##" + word[start:to])
                start = to
            else:
                return [word[:end], *rest]
    return [] if not word else UNKNOWN


def empty_is_unknown(word, vocabulary):
    """No pieces are taken to mean that nothing fits."""
    return cut(word, vocabulary) or UNKNOWN


def empty_is_a_piece(word, vocabulary):
    """The loop asks too late whether letters are left."""
    return cut(word, vocabulary) if cut(word, vocabulary) else UNKNOWN if word else [""]


def letters_are_known(word, vocabulary):
    """A single letter is always accepted as a piece."""
    return [word] if len(word) == 1 else cut_or_unknown(word, vocabulary)


def goes_through(word, vocabulary):
    """All pieces of the vocabulary, for the longest that fits."""
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        fitting = [piece for piece in vocabulary if (mark + word[start:]).startswith(piece) and len(piece) > len(mark)]
        if not fitting:
            return UNKNOWN
        pieces.append(max(fitting, key=len))
        start += len(pieces[-1]) - len(mark)
    return pieces


def makes_a_set(word, vocabulary):
    """A set of its own."""
    return cut_or_unknown(word, set(vocabulary))


def asks_for_the_longest(word, vocabulary):
    """How long the longest piece is, to begin there."""
    most = max(len(piece) for piece in vocabulary)
    found = cut_or_unknown(word, vocabulary)
    return found if most else UNKNOWN


def small_letters(word, vocabulary):
    """Capital letters are made small."""
    return cut_or_unknown(word.lower(), vocabulary)


def a_hundred_letters(word, vocabulary):
    """A word of more than 100 letters is unknown."""
    return UNKNOWN if len(word) > 100 else cut_or_unknown(word, vocabulary)


def sixteen_letters(word, vocabulary):
    """A piece has 16 letters at most."""
    return greedily(word, vocabulary, marked, marked, lambda size, start: range(min(size, start + 16), start, -1))


def without_marks(word, vocabulary):
    """Full stops and commas at the ends are taken off."""
    return cut_or_unknown(word.strip(".,!?"), vocabulary)


def no_single_letters(word, vocabulary):
    """A piece of a single letter is never tried."""
    return greedily(word, vocabulary, marked, marked, lambda size, start: range(size, start + 1, -1))


def strips_letters(word, vocabulary):
    """lstrip takes away letters, as many as it finds, and not the piece."""
    pieces, rest = [], word
    while rest:
        end = next((end for end in range(len(rest), 0, -1) if marked(rest[:end], len(pieces)) in vocabulary), None)
        if end is None:
            return UNKNOWN
        pieces.append(marked(rest[:end], len(pieces)))
        rest = rest.lstrip(rest[:end])
    return pieces


_USE = "works as the chapter uses it"
_MARKS = "every piece except the first is looked up and returned with ##"
_LONGEST = "the longest piece that fits is taken, from the left"
_UNKNOWN = "a word in which no piece fits at some position is [UNK] as a whole"
_DEAD_ENDS = "no other way to split is tried when the longest pieces lead nowhere"
_SMALL = "words of one letter or none, and a vocabulary that supports only `in`"

WRONG = {
    no_single_letters: _USE,
    strips_letters: _USE,
    small_letters: _USE,
    a_hundred_letters: _USE,
    sixteen_letters: _USE,
    without_marks: _USE,
    never_marked: _MARKS,
    written_bare: _MARKS,
    looked_up_bare: _MARKS,
    marked_at_the_first: _MARKS,
    written_with_mark_at_the_first: _MARKS,
    one_hash: _MARKS,
    behind: _MARKS,
    the_first_piece: _MARKS,
    two_pieces: _MARKS,
    returns_in_the_loop: _MARKS,
    either_mark: _MARKS,
    one_string: _MARKS,
    with_places: _MARKS,
    nothing: _MARKS,
    shortest: _LONGEST,
    from_the_right: _LONGEST,
    fewest: _LONGEST,
    whole_word_or_letters: _LONGEST,
    pieces_and_unknown: _UNKNOWN,
    letters_unknown: _UNKNOWN,
    marked_unknown: _UNKNOWN,
    skips_letters: _UNKNOWN,
    what_was_found: _UNKNOWN,
    an_empty_list: _UNKNOWN,
    the_word_itself: _UNKNOWN,
    another_name: _UNKNOWN,
    a_string: _UNKNOWN,
    none: _UNKNOWN,
    raises: _UNKNOWN,
    has_no_end: _UNKNOWN,
    goes_below_zero: _UNKNOWN,
    any_cut: _DEAD_ENDS,
    goes_back_once: _DEAD_ENDS,
    empty_is_unknown: _SMALL,
    empty_is_a_piece: _SMALL,
    letters_are_known: _SMALL,
    goes_through: _SMALL,
    makes_a_set: _SMALL,
    asks_for_the_longest: _SMALL,
}


def cut_or_unknown(word, vocabulary):
    """None is another thing than no pieces."""
    found = cut(word, vocabulary)
    return UNKNOWN if found is None else found


def recursive(word, vocabulary, mark=""):
    """The rest of the word is cut in the same way."""
    if not word:
        return []
    for end in range(len(word), 0, -1):
        if mark + word[:end] in vocabulary:
            rest = recursive(word[end:], vocabulary, "##")
            return UNKNOWN if rest == UNKNOWN else [mark + word[:end], *rest]
    return ["[UNK]"]


def shortens_the_word(word, vocabulary):
    """The word with its mark becomes shorter and shorter."""
    pieces, rest = [], word
    while rest:
        end = len(rest)
        while end > 0 and ("##" if pieces else "") + rest[:end] not in vocabulary:
            end -= 1
        if end == 0:
            return ["[UNK]"]
        pieces.append(("##" if pieces else "") + rest[:end])
        rest = rest[end:]
    return pieces


def with_next(word, vocabulary):
    """next() with a default."""
    start, pieces = 0, ()
    while start != len(word):
        candidates = (marked(word[start:end], start) for end in reversed(range(start + 1, len(word) + 1)))
        piece = next((candidate for candidate in candidates if candidate in vocabulary), None)
        if piece is None:
            return ["[UNK]"]
        pieces += (piece,)
        start += len(piece.removeprefix("##"))
    return pieces


def from_shortest_to_longest(word, vocabulary):
    """All that fit, the last of them."""
    pieces, start = [], 0
    while start < len(word):
        fitting = [end for end in range(start + 1, len(word) + 1) if marked(word[start:end], start) in vocabulary]
        if not fitting:
            return ["[UNK]"]
        pieces.append(marked(word[start : fitting[-1]], start))
        start = fitting[-1]
    return pieces


def with_a_flag(word, vocabulary):
    """As in BERT's own code."""
    is_bad, start, sub_tokens = False, 0, []
    while start < len(word):
        end, current = len(word), None
        while start < end:
            substring = "".join(word[start:end])
            if start > 0:
                substring = "##" + substring
            if substring in vocabulary:
                current = substring
                break
            end -= 1
        if current is None:
            is_bad = True
            break
        sub_tokens.append(current)
        start = end
    return ["[UNK]"] if is_bad else sub_tokens


class Tokenizer:
    """An object that is called."""

    def __call__(self, word, vocabulary):
        return recursive(word, vocabulary)


RIGHT = {
    "a helper": cut_or_unknown,
    "recursive": recursive,
    "the rest becomes shorter": shortens_the_word,
    "next": with_next,
    "the last that fits": from_shortest_to_longest,
    "BERT's own": with_a_flag,
    "an object": Tokenizer(),
    "a partial": functools.partial(greedily, look_up=marked, write=marked),
    "a lambda": lambda word, vocabulary: greedily(word, vocabulary, marked, marked),
}


def _with_the_library(word, vocabulary):
    from tokenizers.models import WordPiece

    return [token.value for token in WordPiece({piece: i for i, piece in enumerate(vocabulary)}).tokenize(word)]


FORBIDDEN = [_with_the_library]
