"""A small English-French grammar that knows which words translate which.

A sentence is described by a tree of plain objects (`Clause`, `VerbPhrase`, `NounPhrase`, ...), the same
for both languages. `translate` puts it into English and French side by side, with the links between
their words, so that an attention map can be held against the truth. The module knows
what is correct; `seqlab.sampler` draws trees that also make sense.

How words are linked (the gold alignment):

- *Sure* links join words that translate each other. One word may have several: "saw" ~ "a vu" in both
  words, and "hit ... with a pie" ~ "entarté" in all four; "'s" ~ "de", "not" ~ "pas".
- *Possible* links, beside the sure ones, join words that a careful reader may or may not link:
  "not" ~ "ne"; an English auxiliary ("did", "is" in "is eating", "will") ~ the French verb; "did" ~ "ne",
  "pas"; the particle in "look for" ~ the verb; the article within "du" (its sure link is the
  preposition's); an article that only one language has ~ its noun.
- A word may have no link at all: "la" in "la semaine prochaine" (next week).

Words are in lower case. An elided word keeps its apostrophe and is a token of its own: "l'", "m'", "qu'".
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Literal, NamedTuple

from seqlab import lexicon
from seqlab.lexicon import (
    Adjective,
    Aspect,
    Conjunction,
    Determiner,
    EnglishVerb,
    Expression,
    Feeling,
    FrenchVerb,
    Gender,
    Name,
    Noun,
    Preposition,
    Profession,
    Pronoun,
    Verb,
)

Negation = Literal["not", "never"]


@dataclass(frozen=True, slots=True)
class Pair:
    """An English sentence, its French translation, and the links between their words.

    Attributes:
        source: The English words.
        target: The French words.
        sure: Links (source index, target index), counted from 0, that hold beyond doubt.
        possible: The sure links and those that may be made or left.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    sure: frozenset[tuple[int, int]]
    possible: frozenset[tuple[int, int]]


# What a sentence is made of


class Tense(Enum):
    """The tenses, by their English names."""

    PRESENT = "eats"
    PROGRESSIVE = "is eating"
    PAST = "ate"
    PAST_PROGRESSIVE = "was eating"
    FUTURE = "will eat"
    EXPECTED = "eats, in the future"
    """After "when", English has the present and French the future: quand il mangera."""


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A noun with what stands around it.

    `determiner` may be the owner: `NounPhrase(CAT, Name("marie", "f"))` is marie 's cat. A `relative`
    clause is a predicate whose subject is the noun ("who sings"), or a clause whose object is the noun
    ("that she sees").
    """

    noun: Noun
    determiner: Determiner | NounPhrase | Name
    plural: bool = False
    adjectives: tuple[Adjective, ...] = ()
    relative: Predicate | Clause | None = None


@dataclass(frozen=True, slots=True)
class Both:
    """Two nouns joined by "and"."""

    first: NounPhrase | Name
    second: NounPhrase | Name


@dataclass(frozen=True, slots=True)
class PrepositionalPhrase:
    """A preposition and its noun."""

    preposition: Preposition
    nominal: NounPhrase | Name | Both


@dataclass(frozen=True, slots=True)
class VerbPhrase:
    """A verb with its tense, its objects and what else is said of it.

    `that` is the clause behind a verb of saying; `recipient` is whom something is given to; `adverb`
    stands beside the verb, `adjuncts` at the end.
    """

    verb: Verb
    tense: Tense
    object: NounPhrase | Name | Both | Pronoun | None = None
    recipient: NounPhrase | Name | Pronoun | None = None
    that: Sentence | None = None
    negation: Negation | None = None
    adverb: Expression | None = None
    adjuncts: tuple[PrepositionalPhrase | Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Copula:
    """The verb "to be" with what the subject is, has or where it stands."""

    complement: Adjective | Profession | Feeling | PrepositionalPhrase
    tense: Tense
    degree: Expression | None = None
    negation: Negation | None = None
    adverb: Expression | None = None
    adjuncts: tuple[PrepositionalPhrase | Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class AndThen:
    """Two predicates of one subject, joined by "and"."""

    first: VerbPhrase | Copula
    second: VerbPhrase | Copula


@dataclass(frozen=True, slots=True)
class Clause:
    """A subject and what is said of it."""

    subject: NounPhrase | Name | Both | Pronoun
    predicate: Predicate


@dataclass(frozen=True, slots=True)
class ThereIs:
    """There is a cat in the garden: il y a un chat dans le jardin."""

    nominal: NounPhrase
    tense: Tense
    place: PrepositionalPhrase | None = None


@dataclass(frozen=True, slots=True)
class ThisIs:
    """This is a cat: c'est un chat."""

    nominal: NounPhrase | Name
    tense: Tense
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Joined:
    """Two sentences joined by a conjunction."""

    first: Sentence
    conjunction: Conjunction
    second: Sentence


Nominal = NounPhrase | Name | Both | Pronoun
Predicate = VerbPhrase | Copula | AndThen
Sentence = Clause | ThereIs | ThisIs | Joined


def translate(sentence: Sentence) -> Pair:
    """Puts a sentence into English and French.

    Args:
        sentence: The tree of the sentence.

    Returns:
        Both sentences, each ending in ".", with their links.

    Raises:
        ValueError: If the tree asks for what the languages do not have, as the singular of "several".
    """
    phrase = _sentence(sentence) + _linked(".", ".")
    source, target = phrase.english, _contract(_elide(phrase.french))
    return Pair(
        source=tuple(word.text for word in source),
        target=tuple(word.text for word in target),
        sure=_links([word.sure for word in source], [word.sure for word in target]),
        possible=_links([word.marks for word in source], [word.marks for word in target]),
    )


def _links(source: Sequence[frozenset[int]], target: Sequence[frozenset[int]]) -> frozenset[tuple[int, int]]:
    """The words, by their marks, that have a mark in common."""
    bearers: dict[int, list[int]] = {}
    for i, marks in enumerate(source):
        for mark in marks:
            bearers.setdefault(mark, []).append(i)
    return frozenset((i, j) for j, marks in enumerate(target) for mark in marks for i in bearers.get(mark, ()))


# Words and links: two words are linked when they carry a common mark


_new_mark = itertools.count().__next__


class _Word(NamedTuple):
    """A word with the marks of its links: the sure ones, and all of them."""

    text: str
    sure: frozenset[int]
    marks: frozenset[int]


_Words = tuple[_Word, ...]


@dataclass(frozen=True, slots=True)
class _Phrase:
    """The same phrase in both languages."""

    english: _Words = ()
    french: _Words = ()

    def __add__(self, other: _Phrase) -> _Phrase:
        return _Phrase(self.english + other.english, self.french + other.french)


def _words(text: str, *sure: int, possible: Collection[int] = ()) -> _Words:
    marks = frozenset(sure)
    wider = marks.union(possible) if possible else marks
    return tuple([_Word(word, marks, wider) for word in text.split()])


def _linked(english: str, french: str) -> _Phrase:
    """Links every word of one to every word of the other."""
    mark = _new_mark()
    return _Phrase(_words(english, mark), _words(french, mark))


def _expression(expression: Expression) -> _Phrase:
    marks = [(i, j, _new_mark()) for i, j in expression.links]
    english = (_words(text, *(m for i, _, m in marks if i == n)) for n, text in enumerate(expression.english.split()))
    french = (_words(text, *(m for _, j, m in marks if j == n)) for n, text in enumerate(expression.french.split()))
    return _Phrase(sum(english, ()), sum(french, ()))


# French spelling: elision and contraction


@cache
def _starts_with_vowel(word: str) -> bool:
    """Whether a French word makes the word before it elide; an h does unless it is aspirated."""
    first = unicodedata.normalize("NFD", word)[0]
    return first in "aeiouyhœ" and word not in lexicon.ASPIRATED


_ELIDING = frozenset({"le", "la", "je", "me", "te", "ne", "de", "que"})


def _elides(word: str, following: str) -> bool:
    if word == "si":
        return following in ("il", "ils")
    if word == "ce":  # the pronoun: the determiner is "cet" before a vowel
        return following[0] in "eé"
    return word in _ELIDING and _starts_with_vowel(following)


def _elide(words: Sequence[_Word]) -> _Words:
    elided = [
        word._replace(text=word.text[:-1] + "'") if _elides(word.text, following.text) else word
        for word, following in itertools.pairwise(words)
    ]
    return (*elided, words[-1])


_CONTRACTIONS = {
    ("de", "le"): "du",
    ("de", "les"): "des",
    ("à", "le"): "au",
    ("à", "les"): "aux",
}


def _contract(words: Iterable[_Word]) -> _Words:
    """Contracts preposition and article; the article's links become possible ones."""
    contracted: list[_Word] = []
    for word in words:
        before = contracted[-1] if contracted else None
        if before and (both := _CONTRACTIONS.get((before.text, word.text))):
            contracted[-1] = _Word(both, before.sure, before.marks | word.marks)
        else:
            contracted.append(word)
    return tuple(contracted)


# Nouns


class Agreement(NamedTuple):
    """What verbs, adjectives and participles agree with."""

    gender: Gender
    plural: bool
    person: int


def agreement(nominal: Nominal) -> Agreement:
    """Returns the gender, number and person of a nominal."""
    match nominal:
        case NounPhrase():
            return Agreement(nominal.noun.gender, nominal.plural, 3)
        case Name():
            return Agreement(nominal.gender, False, 3)
        case Both():
            feminine = all(agreement(n).gender == "f" for n in (nominal.first, nominal.second))
            return Agreement("f" if feminine else "m", True, 3)
        case Pronoun():
            return Agreement(nominal.gender, nominal.plural, nominal.person)


def _nominal(nominal: NounPhrase | Name | Both, *, negated: bool = False) -> _Phrase:
    match nominal:
        case NounPhrase():
            return _noun_phrase(nominal, negated)
        case Name():
            return _linked(nominal.text, nominal.text)
        case Both():
            first = _nominal(nominal.first, negated=negated)
            second = _nominal(nominal.second, negated=negated)
            return first + _linked("and", "et") + second


def _noun_phrase(phrase: NounPhrase, negated: bool) -> _Phrase:
    """Puts determiner, adjectives, noun, owner and relative clause in their two orders."""
    mark = _new_mark()
    noun = _words(_english_noun(phrase.noun, phrase.plural), mark)
    french_noun = _french_noun(phrase.noun, phrase.plural)
    before = _Phrase()
    after = _Phrase()
    for adjective in phrase.adjectives:
        form = _french_adjective(adjective, agreement(phrase), french_noun)
        if adjective.before_noun:
            before += _linked(adjective.english, form)
        else:
            after += _linked(adjective.english, form)
    english = before.english + after.english + noun
    french = before.french + _words(french_noun, mark) + after.french
    if isinstance(phrase.determiner, Determiner):
        determiner = _determiner(
            phrase.determiner,
            agreement(phrase),
            mark,
            english_next=english[0].text,
            french_next=french[0].text,
            negated=negated,
            before_adjective=bool(before.french),
        )
        whole = determiner + _Phrase(english, french)
    else:
        whole = _owned(phrase.determiner, agreement(phrase), english, french)
    return whole if phrase.relative is None else whole + _relative(phrase.noun, agreement(phrase), phrase.relative)


def _owned(
    owner: NounPhrase | Name,
    owned: Agreement,
    english: _Words,
    french: _Words,
) -> _Phrase:
    """The farmer 's cat: le chat du fermier."""
    who = _nominal(owner)
    mark = _new_mark()
    article = "les" if owned.plural else "la" if owned.gender == "f" else "le"
    return _Phrase(
        who.english + _words("'s", mark) + english,
        _words(article, possible=(mark,)) + french + _words("de", mark) + who.french,
    )


def _determiner(
    determiner: Determiner,
    noun: Agreement,
    noun_mark: int,
    *,
    english_next: str,
    french_next: str,
    negated: bool,
    before_adjective: bool,
) -> _Phrase:
    english = determiner.english_plural if noun.plural else determiner.english
    french = determiner.plural
    if not noun.plural:
        vowel = _starts_with_vowel(french_next)
        if noun.gender == "f":
            french = vowel and determiner.feminine_vowel or determiner.feminine
        else:
            french = vowel and determiner.masculine_vowel or determiner.masculine
    if not french:
        number = "plural" if noun.plural else "singular"
        words = determiner.english or determiner.english_plural
        raise ValueError(f"the determiner {words!r} has no {number}: give the noun its other number")
    if determiner.negated and negated or french == "des" and before_adjective:
        french = "de"
    if not english:
        return _Phrase((), _words(french, possible=(noun_mark,)))
    if english == "a" and english_next[0] in "aeiou":
        english = "an"
    return _linked(english, french)


def _relative(noun: Noun, antecedent: Agreement, relative: Predicate | Clause) -> _Phrase:
    """Who sings: qui chante. That she sees: qu'elle voit."""
    if isinstance(relative, Clause):
        subject = agreement(relative.subject)
        return _linked("that", "que") + _subject(relative.subject) + _predicate(relative.predicate, subject, antecedent)
    who = "who" if noun.kind in lexicon.PEOPLE else "that"
    return _linked(who, "qui") + _predicate(relative, antecedent)


def _english_noun(noun: Noun, plural: bool) -> str:
    return (noun.english_plural or noun.english + "s") if plural else noun.english


def _french_noun(noun: Noun, plural: bool) -> str:
    return (noun.french_plural or noun.french + "s") if plural else noun.french


def _french_adjective(adjective: Adjective, noun: Agreement, following: str = "") -> str:
    """The form of an adjective; `following` is the noun that may follow it."""
    if noun.plural:
        return adjective.feminine_plural if noun.gender == "f" else adjective.masculine_plural
    if noun.gender == "f":
        return adjective.feminine
    if adjective.before_vowel and following and _starts_with_vowel(following):
        return adjective.before_vowel
    return adjective.masculine


# Verbs

_PERSONS = {(1, False): 0, (2, False): 1, (3, False): 2, (1, True): 3, (3, True): 4}
_REGULAR_PRESENT = ("e", "es", "e", "ons", "ent")
_IMPERFECT = ("ais", "ais", "ait", "ions", "aient")
_FUTURE = ("ai", "as", "a", "ons", "ont")


class _FrenchTense(Enum):
    PRESENT = "présent"
    PERFECT = "passé composé"
    IMPERFECT = "imparfait"
    FUTURE = "futur"


def _french_tense(tense: Tense, aspect: Aspect) -> _FrenchTense:
    match tense:
        case Tense.PRESENT | Tense.PROGRESSIVE:
            return _FrenchTense.PRESENT
        case Tense.FUTURE | Tense.EXPECTED:
            return _FrenchTense.FUTURE
        case Tense.PAST if aspect is not Aspect.STATE:
            return _FrenchTense.PERFECT
        case _:
            return _FrenchTense.IMPERFECT


@cache
def _conjugate(verb: FrenchVerb, tense: _FrenchTense, plural: bool, person: int) -> str:
    """A verb in a simple tense."""
    index = _PERSONS[person, plural]
    stem = verb.infinitive[:-2]
    soft = "e" if stem.endswith("g") else ""  # nous mangeons, je mangeais, but nous mangions
    if tense is _FrenchTense.FUTURE:
        return (verb.future or verb.infinitive) + _FUTURE[index]
    if tense is _FrenchTense.PRESENT and verb.present:
        return verb.present.split()[index]
    if tense is _FrenchTense.PRESENT:
        ending = _REGULAR_PRESENT[index]
    else:
        ending = _IMPERFECT[index]
        if verb.imperfect or verb.present:
            return (verb.imperfect or verb.present.split()[3].removesuffix("ons")) + ending
    return stem + (soft if ending[0] in "ao" else "") + ending


def _participle(verb: FrenchVerb, agrees_with: Agreement | None) -> str:
    participle = verb.participle or verb.infinitive[:-2] + "é"
    if agrees_with and agrees_with.gender == "f":
        participle += "e"
    if agrees_with and agrees_with.plural and not participle.endswith("s"):
        participle += "s"
    return participle


def _third_person(base: str) -> str:
    if base == "have":
        return "has"
    if base.endswith(("s", "sh", "ch", "x", "o")):
        return base + "es"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + "s"


def _be(subject: Agreement, *, past: bool) -> str:
    plural = subject.plural or subject.person == 2
    if past:
        return "were" if plural else "was"
    return "are" if plural else "am" if subject.person == 1 else "is"


def _english_forms(verb: EnglishVerb, tense: Tense, subject: Agreement) -> tuple[str, str]:
    """The auxiliary, where there is one, and the verb."""
    match tense:
        case Tense.PROGRESSIVE | Tense.PAST_PROGRESSIVE:
            return _be(subject, past=tense is Tense.PAST_PROGRESSIVE), verb.progressive
        case Tense.FUTURE:
            return "will", verb.base
        case _ if verb == lexicon.BE:
            return "", _be(subject, past=tense is Tense.PAST)
        case Tense.PAST:
            return "", verb.past
        case _:
            third = subject.person == 3 and not subject.plural
            return "", _third_person(verb.base) if third else verb.base


def _english_verb(
    verb: EnglishVerb,
    tense: Tense,
    subject: Agreement,
    mark: int,
    negation: Negation | None,
    negation_mark: int,
    adverb: _Words,
) -> _Words:
    """The verb with its auxiliary, and what stands between them or beside it."""
    auxiliary, main = _english_forms(verb, tense, subject)
    middle = _words(negation or "", negation_mark) + adverb
    if auxiliary:
        return _words(auxiliary, possible=(mark,)) + middle + _words(main, mark)
    if verb == lexicon.BE:
        return _words(main, mark) + middle
    if negation == "not":
        support = "did" if tense is Tense.PAST else "do" if main == verb.base else "does"
        return _words(support, possible=(mark, negation_mark)) + middle + _words(verb.base, mark)
    return middle + _words(main, mark)


def _french_verb(
    verb: FrenchVerb,
    tense: _FrenchTense,
    subject: Agreement,
    mark: int,
    negation: Negation | None,
    negation_mark: int,
    adverb: _Words,
    clitics: _Words,
    preceding_object: Agreement | None,
) -> _Words:
    """The verb with its clitics, within its negation: ne l'a pas vue."""
    participle: _Words = ()
    finite, finite_tense = verb, tense
    if tense is _FrenchTense.PERFECT:
        finite, finite_tense = (lexicon.ETRE if verb.with_etre else lexicon.AVOIR), _FrenchTense.PRESENT
        participle = _words(_participle(verb, subject if verb.with_etre else preceding_object), mark)
    words = clitics + _words(_conjugate(finite, finite_tense, subject.plural, subject.person), mark)
    if negation:
        french = {"not": "pas", "never": "jamais"}[negation]
        words = _words("ne", possible=(negation_mark,)) + words + _words(french, negation_mark)
    return words + adverb + participle


def _predicate(predicate: Predicate, subject: Agreement, gap: Agreement | None = None) -> _Phrase:
    """What is said of a subject; `gap` is the noun that stands before it as the object of its verb."""
    match predicate:
        case VerbPhrase():
            return _verb_phrase(predicate, subject, gap)
        case Copula():
            return _copula(predicate, subject)
        case AndThen():
            first = _predicate(predicate.first, subject)
            return first + _linked("and", "et") + _predicate(predicate.second, subject)


def _verb_phrase(phrase: VerbPhrase, subject: Agreement, gap: Agreement | None) -> _Phrase:
    _check(phrase, gap)
    verb = phrase.verb
    mark, negation_mark = _new_mark(), _new_mark()
    adverb = _expression(phrase.adverb) if phrase.adverb else _Phrase()
    objects, clitics = _objects(phrase)
    preceding = agreement(phrase.object) if isinstance(phrase.object, Pronoun) else gap
    english = (
        _english_verb(verb.english, phrase.tense, subject, mark, phrase.negation, negation_mark, adverb.english)
        + _words(verb.particle, possible=(mark,))
        + _words(verb.idiom, mark)
        + objects.english
        + _words(verb.instrument, mark)
    )
    french = (
        _french_verb(
            verb.french,
            _french_tense(phrase.tense, verb.aspect),
            subject,
            mark,
            phrase.negation,
            negation_mark,
            adverb.french,
            clitics,
            preceding,
        )
        + objects.french
    )
    whole = _Phrase(english, french) + _adjuncts(phrase.adjuncts)
    return whole + _linked("that", "que") + _sentence(phrase.that) if phrase.that else whole


def _check(phrase: VerbPhrase, gap: Agreement | None) -> None:
    base = phrase.verb.english.base
    progressive = phrase.tense in (Tense.PROGRESSIVE, Tense.PAST_PROGRESSIVE)
    if progressive and phrase.verb.aspect is not Aspect.ACTION:
        raise ValueError(f"the verb {base!r} is never in progress: use the present or the past")
    if phrase.verb.objects and phrase.object is None and gap is None:
        raise ValueError(f"the verb {base!r} has no object: give it one")
    if not phrase.verb.objects and (phrase.object is not None or gap is not None):
        raise ValueError(f"the verb {base!r} has an object: it takes none")


_CLITIC_ORDER = ("me", "te", "nous", "le", "la", "les", "lui", "leur")


def _objects(phrase: VerbPhrase) -> tuple[_Phrase, _Words]:
    """The objects behind the verb, and the French clitics before it."""
    whole = _Phrase()
    clitics: _Words = ()
    if isinstance(phrase.object, Pronoun):
        mark = _new_mark()
        whole += _Phrase(_words(phrase.object.english_object, mark))
        clitics += _words(phrase.object.direct, mark)
    elif phrase.object:
        whole += _nominal(phrase.object, negated=phrase.negation is not None)
    if isinstance(phrase.recipient, Pronoun):
        mark = _new_mark()
        person = _words(phrase.recipient.english_object, mark)
        clitics += _words(phrase.recipient.indirect, mark)
        if isinstance(phrase.object, Pronoun):
            whole += _Phrase(_words("to", possible=(mark,)) + person)
        else:
            whole = _Phrase(person + whole.english, whole.french)
    elif phrase.recipient:
        whole += _linked("to", "à") + _nominal(phrase.recipient)
    return whole, tuple(sorted(clitics, key=lambda word: _CLITIC_ORDER.index(word.text)))


def _adjuncts(adjuncts: Iterable[PrepositionalPhrase | Expression]) -> _Phrase:
    whole = _Phrase()
    for adjunct in adjuncts:
        whole += _expression(adjunct) if isinstance(adjunct, Expression) else _prepositional(adjunct)
    return whole


def _prepositional(phrase: PrepositionalPhrase) -> _Phrase:
    return _linked(phrase.preposition.english, phrase.preposition.french) + _nominal(phrase.nominal)


def _copula(copula: Copula, subject: Agreement) -> _Phrase:
    verb = lexicon.AVOIR if isinstance(copula.complement, Feeling) else lexicon.ETRE
    whole = _being(verb, copula.tense, subject, copula.negation, copula.adverb)
    if copula.degree:
        whole += _expression(copula.degree)
    return whole + _complement(copula.complement, subject) + _adjuncts(copula.adjuncts)


def _being(
    verb: FrenchVerb,
    tense: Tense,
    subject: Agreement,
    negation: Negation | None = None,
    adverb: Expression | None = None,
) -> _Phrase:
    """The verb "to be" and its French counterpart."""
    mark, negation_mark = _new_mark(), _new_mark()
    beside = _expression(adverb) if adverb else _Phrase()
    french_tense = _french_tense(tense, Aspect.STATE)
    return _Phrase(
        _english_verb(lexicon.BE, tense, subject, mark, negation, negation_mark, beside.english),
        _french_verb(verb, french_tense, subject, mark, negation, negation_mark, beside.french, (), None),
    )


def _complement(complement: Adjective | Profession | Feeling | PrepositionalPhrase, subject: Agreement) -> _Phrase:
    match complement:
        case Adjective():
            return _linked(complement.english, _french_adjective(complement, subject))
        case Feeling():
            return _linked(complement.english, complement.french)
        case PrepositionalPhrase():
            return _prepositional(complement)
        case Profession():
            french = complement.feminine if subject.gender == "f" else complement.masculine
            if subject.plural:
                return _linked(complement.english + "s", french + "s")
            mark = _new_mark()
            article = "an" if complement.english[0] in "aeiou" else "a"
            return _Phrase(_words(article, possible=(mark,)) + _words(complement.english, mark), _words(french, mark))


# Sentences


def _subject(subject: Nominal) -> _Phrase:
    return _linked(subject.english, subject.french) if isinstance(subject, Pronoun) else _nominal(subject)


def _sentence(sentence: Sentence) -> _Phrase:
    match sentence:
        case Clause():
            return _subject(sentence.subject) + _predicate(sentence.predicate, agreement(sentence.subject))
        case ThereIs():
            return _there_is(sentence)
        case ThisIs():
            return _this_is(sentence)
        case Joined():
            conjunction = _linked(sentence.conjunction.english, sentence.conjunction.french)
            return _sentence(sentence.first) + conjunction + _sentence(sentence.second)


def _there_is(sentence: ThereIs) -> _Phrase:
    """There is no cat: il n'y a pas de chat."""
    there, be = _new_mark(), _new_mark()
    there_are = agreement(sentence.nominal)
    french_tense = _french_tense(sentence.tense, Aspect.STATE)
    nominal = _nominal(sentence.nominal)
    ne: _Words = ()
    if sentence.nominal.determiner == lexicon.NO:
        ne = _words("ne", possible=nominal.french[0].sure)
    english = _english_verb(lexicon.BE, sentence.tense, there_are, be, None, 0, ())
    il, y = _words("il y", there, possible=(be,))
    has = _words(_conjugate(lexicon.AVOIR, french_tense, False, 3), be, possible=(there,))
    whole = _Phrase(_words("there", there) + english, (il, *ne, y) + has) + nominal
    return whole + _prepositional(sentence.place) if sentence.place else whole


def _this_is(sentence: ThisIs) -> _Phrase:
    """This is a cat: c'est un chat. These are cats: ce sont des chats."""
    number = agreement(sentence.nominal)
    pronoun = _linked("these" if number.plural else "this", "ce")
    negation: Negation | None = "not" if sentence.negated else None
    return pronoun + _being(lexicon.ETRE, sentence.tense, number, negation) + _nominal(sentence.nominal)
