"""Mistakes in `wordpiece_tokenize`, and right answers in other styles."""

import functools
import itertools
import re

from autograder.checks.ch10_bert.wordpiece_tokenize import dead_ends, in_chapter, longest, marks, small, unknown
from autograder.judging.catalogue import forbidden, mistake, right

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


@right
def cut_or_unknown(word, vocabulary):
    found = cut(word, vocabulary)
    return UNKNOWN if found is None else found


@mistake(marks, "## is used neither to look a piece up nor to return it")
def never_marked(word, vocabulary):
    return greedily(word, vocabulary, bare, bare)


@mistake(marks, "the pieces after the first are looked up with ## and returned without it")
def written_bare(word, vocabulary):
    return greedily(word, vocabulary, marked, bare)


@mistake(marks, "the pieces after the first are looked up without ## and returned with it")
def looked_up_bare(word, vocabulary):
    return greedily(word, vocabulary, bare, marked)


@mistake(marks, "the first piece is looked up and returned with ## too")
def marked_at_the_first(word, vocabulary):
    return greedily(word, vocabulary, always, always)


@mistake(marks, "the first piece is returned with ## too")
def written_with_mark_at_the_first(word, vocabulary):
    return greedily(word, vocabulary, marked, always)


@mistake(marks, "the prefix is #, expected ##")
def one_hash(word, vocabulary):
    return [piece.replace("##", "#") for piece in cut(word, vocabulary) or UNKNOWN]


@mistake(marks, "## comes after a piece, expected before it")
def behind(word, vocabulary):
    return [re.sub(r"^##(.*)", r"\1##", piece) for piece in cut(word, vocabulary) or UNKNOWN]


@mistake(marks, "only the first piece is returned")
def the_first_piece(word, vocabulary):
    return (cut(word, vocabulary) or UNKNOWN)[:1]


@mistake(marks, "the search ends after two pieces")
def two_pieces(word, vocabulary):
    return (cut(word, vocabulary) or UNKNOWN)[:2]


@mistake(marks, "return is inside the loop, so that only the first piece comes back")
def returns_in_the_loop(word, vocabulary):
    pieces, start = [], 0
    while start < len(word):
        end = longest_at(word, start, vocabulary)
        if end is None:
            return UNKNOWN
        pieces.append(marked(word[start:end], start))
        start = end
        return pieces
    return pieces


@mistake(marks, "a piece after the first is also accepted without ##")
def either_mark(word, vocabulary):
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


@mistake(marks, "the pieces are joined into one string, expected a list")
def one_string(word, vocabulary):
    return " ".join(cut(word, vocabulary) or UNKNOWN)


@mistake(marks, "each piece comes with its position, expected a list of strings")
def with_places(word, vocabulary):
    return [(piece, place) for place, piece in enumerate(cut(word, vocabulary) or UNKNOWN)]


@mistake(marks, "there is no return")
def nothing(word, vocabulary):
    cut(word, vocabulary)


@mistake(longest, "the shortest piece that fits is taken, expected the longest")
def shortest(word, vocabulary):
    return greedily(word, vocabulary, marked, marked, lambda size, start: range(start + 1, size + 1))


@mistake(longest, "the word is split from the right, expected from the left")
def from_the_right(word, vocabulary):
    pieces, end = [], len(word)
    while end > 0:
        start = next((place for place in range(end) if marked(word[place:end], place) in vocabulary), None)
        if start is None:
            return UNKNOWN
        pieces.insert(0, marked(word[start:end], start))
        end = start
    return pieces


@mistake(longest, "the word is split into as few pieces as possible, expected the longest piece at each position")
def fewest(word, vocabulary):
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


@mistake(longest, "if the whole rest of the word does not fit, the shortest piece is taken, expected the longest")
def whole_word_or_letters(word, vocabulary):
    pieces, start = [], 0
    while start < len(word):
        ends = [len(word), *range(start + 1, len(word))]
        end = next((end for end in ends if marked(word[start:end], start) in vocabulary), None)
        if end is None:
            return UNKNOWN
        pieces.append(marked(word[start:end], start))
        start = end
    return pieces


@mistake(unknown, "[UNK] replaces only the rest of the word, expected the whole word")
def pieces_and_unknown(word, vocabulary):
    pieces, start = [], 0
    while start < len(word):
        end = longest_at(word, start, vocabulary)
        if end is None:
            return [*pieces, "[UNK]"]
        pieces.append(marked(word[start:end], start))
        start = end
    return pieces


@mistake(unknown, "[UNK] replaces each letter that does not fit, expected the whole word")
def letters_unknown(word, vocabulary):
    pieces, start = [], 0
    while start < len(word):
        end = longest_at(word, start, vocabulary)
        pieces.append("[UNK]" if end is None else marked(word[start:end], start))
        start = start + 1 if end is None else end
    return pieces


@mistake(unknown, "##[UNK] replaces the rest of the word, expected [UNK] for the whole word")
def marked_unknown(word, vocabulary):
    found = pieces_and_unknown(word, vocabulary)
    return [*found[:-1], "##[UNK]"] if len(found) > 1 and found[-1] == "[UNK]" else found


@mistake(unknown, "letters that do not fit are skipped, expected [UNK] for the whole word")
def skips_letters(word, vocabulary):
    return [piece for piece in letters_unknown(word, vocabulary) if piece != "[UNK]"]


@mistake(unknown, "the pieces found so far are returned, expected [UNK] for the whole word")
def what_was_found(word, vocabulary):
    return [piece for piece in pieces_and_unknown(word, vocabulary) if piece != "[UNK]"]


@mistake(unknown, "an unknown word gives an empty list, expected ['[UNK]']")
def an_empty_list(word, vocabulary):
    return cut(word, vocabulary) or []


mistake(unknown, "an unknown word is returned unsplit, expected ['[UNK]']").made_in(
    cut_or_unknown, the_word_itself={"UNKNOWN": "[word]"}
)
mistake(unknown, "an unknown word gives <unk>, expected [UNK]").made_in(
    cut_or_unknown, another_name={"UNKNOWN": '["<unk>"]'}
)
mistake(unknown, "an unknown word gives the string [UNK], expected a list").made_in(
    cut_or_unknown, a_string={"UNKNOWN": '"[UNK]"'}
)


@mistake(unknown, "an unknown word gives None, expected ['[UNK]']")
def none(word, vocabulary):
    return cut(word, vocabulary)


@mistake(unknown, "an unknown word raises an error, expected ['[UNK]']")
def raises(word, vocabulary):
    found = cut(word, vocabulary)
    if found is None:
        raise ValueError(f"unknown word {word}")
    return found


@mistake(unknown, "if nothing fits, the loop starts again at the same position and never ends")
def has_no_end(word, vocabulary):
    pieces, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            if marked(word[start:end], start) in vocabulary:
                pieces.append(marked(word[start:end], start))
                start = end
                break
    return pieces


@mistake(unknown, "if nothing fits, the end moves past the beginning and the loop never ends")
def goes_below_zero(word, vocabulary):
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


mistake(dead_ends, "another split is tried if the longest pieces lead nowhere, expected [UNK]").made_in(
    cut_or_unknown, any_cut={"found = cut": "found = whole_cuts"}
)


@mistake(dead_ends, "a shorter first piece is tried if the rest cannot be split, expected [UNK]")
def goes_back_once(word, vocabulary):
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


@mistake(small, "the empty word gives [UNK], expected an empty list")
def empty_is_unknown(word, vocabulary):
    return cut(word, vocabulary) or UNKNOWN


@mistake(small, "the empty word gives a piece, expected an empty list")
def empty_is_a_piece(word, vocabulary):
    return cut(word, vocabulary) if cut(word, vocabulary) else UNKNOWN if word else [""]


@mistake(small, "a single letter is accepted without a look at the vocabulary")
def letters_are_known(word, vocabulary):
    return [word] if len(word) == 1 else cut_or_unknown(word, vocabulary)


@mistake(small, "the code loops over the vocabulary, expected only `piece in vocabulary`")
def goes_through(word, vocabulary):
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        fitting = [piece for piece in vocabulary if (mark + word[start:]).startswith(piece) and len(piece) > len(mark)]
        if not fitting:
            return UNKNOWN
        pieces.append(max(fitting, key=len))
        start += len(pieces[-1]) - len(mark)
    return pieces


@mistake(small, "a set is made of the vocabulary, expected only `piece in vocabulary`")
def makes_a_set(word, vocabulary):
    return cut_or_unknown(word, set(vocabulary))


@mistake(small, "the longest piece of the vocabulary is looked for, expected only `piece in vocabulary`")
def asks_for_the_longest(word, vocabulary):
    most = max(len(piece) for piece in vocabulary)
    found = cut_or_unknown(word, vocabulary)
    return found if most else UNKNOWN


@mistake(in_chapter, "the word is put into lower case")
def small_letters(word, vocabulary):
    return cut_or_unknown(word.lower(), vocabulary)


@mistake(in_chapter, "a word of more than 100 letters is returned as [UNK]")
def a_hundred_letters(word, vocabulary):
    return UNKNOWN if len(word) > 100 else cut_or_unknown(word, vocabulary)


@mistake(in_chapter, "only pieces of up to 16 letters are looked up")
def sixteen_letters(word, vocabulary):
    return greedily(word, vocabulary, marked, marked, lambda size, start: range(min(size, start + 16), start, -1))


@mistake(in_chapter, "punctuation is stripped from the word")
def without_marks(word, vocabulary):
    return cut_or_unknown(word.strip(".,!?"), vocabulary)


@mistake(small, "pieces of a single letter are never looked up")
def no_single_letters(word, vocabulary):
    return greedily(word, vocabulary, marked, marked, lambda size, start: range(size, start + 1, -1))


@mistake(in_chapter, "lstrip removes all letters that occur in the piece, expected only the piece itself")
def strips_letters(word, vocabulary):
    pieces, rest = [], word
    while rest:
        end = next((end for end in range(len(rest), 0, -1) if marked(rest[:end], len(pieces)) in vocabulary), None)
        if end is None:
            return UNKNOWN
        pieces.append(marked(rest[:end], len(pieces)))
        rest = rest.lstrip(rest[:end])
    return pieces


@mistake(small, "the pieces are in a tuple, expected a list")
def a_tuple(word, vocabulary):
    return tuple(cut(word, vocabulary) or UNKNOWN) if word else ()


@mistake(unknown, "a single letter is kept without a look at the vocabulary, expected [UNK] for the whole word")
def keeps_single_letters(word, vocabulary):
    pieces, start = [], 0
    while start < len(word):
        end = longest_at(word, start, vocabulary) or start + 1
        pieces.append(marked(word[start:end], start))
        start = end
    return pieces


@mistake(in_chapter, "replace removes every occurrence of a piece from the rest of the word, expected only the first")
def replaces_letters(word, vocabulary):
    pieces, rest = [], word
    while rest:
        for end in range(len(rest), 0, -1):
            if "##" * bool(pieces) + rest[:end] in vocabulary:
                break
        else:
            return UNKNOWN
        pieces.append("##" * bool(pieces) + rest[:end])
        rest = rest.replace(rest[:end], "")
    return pieces


@mistake(in_chapter, "a piece that comes again in the word is returned only once")
def each_once(word, vocabulary):
    return list(dict.fromkeys(cut(word, vocabulary) or UNKNOWN)) if word else []


@mistake(in_chapter, "# is stripped from the ends of the word, although it may be part of it")
def strips_hashes(word, vocabulary):
    word = word.strip("#")
    return cut(word, vocabulary) or UNKNOWN if word else []


@right
def recursive(word, vocabulary, mark=""):
    if not word:
        return []
    for end in range(len(word), 0, -1):
        if mark + word[:end] in vocabulary:
            rest = recursive(word[end:], vocabulary, "##")
            return UNKNOWN if rest == UNKNOWN else [mark + word[:end], *rest]
    return ["[UNK]"]


@right
def shortens_the_word(word, vocabulary):
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


@right
def with_next(word, vocabulary):
    start, pieces = 0, []
    while start != len(word):
        candidates = (marked(word[start:end], start) for end in reversed(range(start + 1, len(word) + 1)))
        piece = next((candidate for candidate in candidates if candidate in vocabulary), None)
        if piece is None:
            return ["[UNK]"]
        pieces.append(piece)
        start += len(piece.removeprefix("##"))
    return pieces


@right
def from_shortest_to_longest(word, vocabulary):
    pieces, start = [], 0
    while start < len(word):
        fitting = [end for end in range(start + 1, len(word) + 1) if marked(word[start:end], start) in vocabulary]
        if not fitting:
            return ["[UNK]"]
        pieces.append(marked(word[start : fitting[-1]], start))
        start = fitting[-1]
    return pieces


@right
def with_a_flag(word, vocabulary):
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


@forbidden
def _with_the_library(word, vocabulary):
    from tokenizers.models import WordPiece

    return [token.value for token in WordPiece({piece: i for i, piece in enumerate(vocabulary)}).tokenize(word)]


right(Tokenizer())


right(functools.partial(greedily, look_up=marked, write=marked))


right(lambda word, vocabulary: greedily(word, vocabulary, marked, marked))


@right
def yielded(word, vocabulary):
    def pieces():
        start = 0
        while start < len(word):
            ends = (e for e in range(len(word), start, -1) if marked(word[start:e], start) in vocabulary)
            end = next(ends, None)
            yield None if end is None else marked(word[start:end], start)
            start = len(word) if end is None else end

    found = list(pieces())
    return UNKNOWN if None in found else found
