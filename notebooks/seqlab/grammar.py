"""A small English-French grammar that knows which words translate which.

A sentence is described by a tree of plain objects (`Clause`, `VerbPhrase`, `NounPhrase`, ...), the same
for both languages. `translate` puts it into English and French side by side, with the links between
their words, so that an attention map can be compared with the truth. The module knows
what is correct; `seqlab.sampler` draws trees that also make sense.

How words are linked (the gold alignment):

- *Sure* links join words that translate each other. One word may have several: "saw" ~ "a vu" in both
  words, and "hit ... with a pie" ~ "entarté" in all four; "'s" ~ "de", "not" ~ "pas".
- *Possible* links, in addition to the sure ones, join words that a careful reader may or may not link:
  "not" ~ "ne"; an English auxiliary ("did", "is" in "is eating", "will") ~ the French verb; "did" ~ "ne",
  "pas"; the particle in "look for" ~ the verb; the article within "du" (its sure link is the
  preposition's); an article that only one language has ~ its noun.
- A word may have no link at all: "la" in "la semaine prochaine" (next week).

Words are in lower case. An elided word keeps its apostrophe and is a token of its own: "l'", "m'", "qu'".

The rules, each under the name of its golden sentences in the tests:

- *the article elides before a vowel and a mute h*
- *an aspirated h does not elide*
- *pronouns, ne, que and si elide*
- *de and à contract with le and les, not with la and l'*
- *the clitic le does not contract*
- *adjectives stand before or behind the noun, and agree*
- *vieil, bel and nouvel before a vowel, only in the masculine singular*
- *cet, mon, ton and son before a vowel*
- *plurals in -aux and -eaux, and those that do not change*
- *ne ... pas and ne ... jamais stand around the verb or its auxiliary*
- *pas de with indefinite objects, but not with others nor with to be*
- *des becomes de before an adjective*
- *beaucoup de*
- *être verbs agree with their subject, avoir verbs do not*
- *the participle agrees with an object that stands before it*
- *object clitics stand before the verb, in their order*
- *the English progressive is the French present or imparfait*
- *verbs in -ger keep their sound*
- *the past of what lasts is the imparfait*
- *the future, also where English has a present*
- *the English present perfect is the passé composé too*
- *what was over by then is the plus-que-parfait*
- *the conditional, and si with the imparfait*
- *bien que has the subjunctive*
- *a verb behind another is an infinitive*
- *clitics stand before the infinitive and do not contract with de*
- *the near future is aller*
- *the recent past is venir de*
- *reflexive verbs have être and a pronoun that goes with the subject*
- *avant de, sans and pour have the infinitive*
- *après has the past infinitive*
- *women speak of themselves in the feminine*
- *a woman spoken to is in the feminine*
- *questions with est-ce que*
- *questions with a word*
- *comparisons*
- *the passive*
- *du, de la and de l' with what is not counted, de behind a negation*
- *pronouns behind a preposition*
- *nobody and nothing as objects*
- *ne ... plus*
- *a time or a clause may stand first*
- *où in relative clauses of place*
- *nouns of several words*
- *an adjective that does not change*
- *one French word for two English ones*
- *relative clauses*
- *possession*
- *there is*
- *this was*
- *professions have no article, feelings have avoir*
- *adverbs and times*
- *an English verb with more words than its French counterpart*
- *a and an*
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
    Link,
    Manner,
    Modal,
    Name,
    NegativePronoun,
    Noun,
    Preposition,
    Profession,
    Pronoun,
    Verb,
)

Negation = Literal["not", "never", "no longer"]


@dataclass(frozen=True, slots=True)
class Pair:
    """An English sentence, its French translation, and the links between their words.

    Attributes:
        source: The English words.
        target: The French words.
        sure: Links (source index, target index), counted from 0, that hold beyond doubt.
        possible: The sure links and those that may be made or left out.
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
    PERFECT = "has eaten"
    PLUPERFECT = "had eaten"
    CONDITIONAL = "would eat"
    EXPECTED = "eats, in the future"
    """After "when", English has the present and French the future: quand il mangera."""
    SUPPOSED = "ate, in a supposition"
    """After "if", where the other clause has the conditional: s'il mangeait."""
    CONCEDED = "eats, after although"
    """French has the subjunctive there: bien qu'il mange."""
    CONCEDED_PROGRESSIVE = "is eating, after although"
    CONCEDED_PAST = "ate, after although"


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A noun with the words around it.

    `determiner` may be the owner: `NounPhrase(CAT, Name("marie", "f"))` is marie 's cat. A `relative`
    clause is a predicate whose subject is the noun ("who sings"), a clause whose object is the noun
    ("that she sees"), or one that happens there ("where she sings").
    """

    noun: Noun
    determiner: Determiner | NounPhrase | Name
    plural: bool = False
    adjectives: tuple[Adjective, ...] = ()
    relative: Predicate | Clause | Where | None = None


@dataclass(frozen=True, slots=True)
class Where:
    """The clause after a place: the house where she works."""

    clause: Clause


@dataclass(frozen=True, slots=True)
class Both:
    """Two nouns joined by "and"."""

    first: NounPhrase | Name
    second: NounPhrase | Name


@dataclass(frozen=True, slots=True)
class PrepositionalPhrase:
    """A preposition and its noun."""

    preposition: Preposition
    nominal: NounPhrase | Name | Both | Pronoun


@dataclass(frozen=True, slots=True)
class VerbPhrase:
    """A verb with its tense, its objects and what else is said of it.

    `that` is the clause after a verb of saying; `recipient` is whom something is given to; `adverb`
    goes beside the verb, `adjuncts` at the end; a `modal` verb before it takes the tense.
    """

    verb: Verb
    tense: Tense
    object: NounPhrase | Name | Both | Pronoun | NegativePronoun | None = None
    recipient: NounPhrase | Name | Pronoun | None = None
    that: Sentence | None = None
    negation: Negation | None = None
    adverb: Expression | None = None
    adjuncts: tuple[Adjunct, ...] = ()
    modal: Modal | None = None


@dataclass(frozen=True, slots=True)
class Subjectless:
    """What the subject does too, without a verb of its own tense: to eat, before eating."""

    link: Link
    phrase: VerbPhrase


@dataclass(frozen=True, slots=True)
class Comparison:
    """Bigger than the dog, as big as me."""

    manner: Manner
    adjective: Adjective
    than: NounPhrase | Name | Pronoun


@dataclass(frozen=True, slots=True)
class Passive:
    """Was written by marie: a été écrite par marie."""

    verb: Verb
    tense: Tense
    agent: NounPhrase | Name
    negation: Negation | None = None


@dataclass(frozen=True, slots=True)
class Copula:
    """The verb "to be" with what the subject is, has or where it is."""

    complement: Adjective | Comparison | Profession | Feeling | PrepositionalPhrase
    tense: Tense
    degree: Expression | None = None
    negation: Negation | None = None
    adverb: Expression | None = None
    adjuncts: tuple[Adjunct, ...] = ()


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
    """Two sentences joined by a conjunction; `fronted` puts the second first: if it rains, he sleeps."""

    first: Sentence
    conjunction: Conjunction
    second: Sentence
    fronted: bool = False


@dataclass(frozen=True, slots=True)
class Fronted:
    """A time before its sentence: yesterday, she left."""

    time: Expression
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class Address:
    """A name before what is said to its bearer: anne, you are late."""

    name: Name
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class Speech:
    """Words as they were said: marie said: "i am tired"."""

    speaker: NounPhrase | Name | Both
    tense: Tense
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class Question:
    """A question: is she singing? With a word: why is she singing? Of the subject `WHO`: who is singing?

    What follows a conjunction is not inverted: is she crying because he left?
    """

    clause: Clause
    word: Expression | None = None
    conjunction: Conjunction | None = None
    second: Sentence | None = None


@dataclass(frozen=True, slots=True)
class WhereIs:
    """Where is the cat?"""

    nominal: NounPhrase | Name
    tense: Tense


Nominal = NounPhrase | Name | Both | Pronoun
Predicate = VerbPhrase | Copula | AndThen | Passive
Adjunct = PrepositionalPhrase | Expression | Subjectless
Sentence = Clause | ThereIs | ThisIs | Joined | Fronted | Address | Speech
Utterance = Sentence | Question | WhereIs


def translate(sentence: Utterance) -> Pair:
    """Puts a sentence into English and French.

    Args:
        sentence: The tree of the sentence.

    Returns:
        Both sentences, each ending in "." or "?", with their links.

    Raises:
        ValueError: If the tree asks for something that the languages do not have, such as the singular of "several".
    """
    match sentence:
        case Question():
            phrase = _question(sentence) + _linked("?", "?")
        case WhereIs():
            phrase = _where_is(sentence) + _linked("?", "?")
        case _:
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
    """A word with the marks of its links: the sure ones, and all of them; a clitic never contracts."""

    text: str
    sure: frozenset[int]
    marks: frozenset[int]
    clitic: bool = False


_Words = tuple[_Word, ...]


@dataclass(frozen=True, slots=True)
class _Phrase:
    """The same phrase in both languages."""

    english: _Words = ()
    french: _Words = ()

    def __add__(self, other: _Phrase) -> _Phrase:
        return _Phrase(self.english + other.english, self.french + other.french)


def _words(text: str, *sure: int, possible: Collection[int] = ()) -> _Words:
    if not text:
        return ()
    marks = frozenset(sure)
    wider = marks.union(possible) if possible else marks
    if " " not in text:
        return (_Word(text, marks, wider),)
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


_ELIDING = frozenset({"le", "la", "je", "me", "te", "se", "ne", "de", "que"})


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
        if before and not word.clitic and (both := _CONTRACTIONS.get((before.text, word.text))):
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
    if english == "a" and english_next[0] in "aeiou" and english_next != "useful":
        english = "an"
    return _linked(english, french)


def _relative(noun: Noun, antecedent: Agreement, relative: Predicate | Clause | Where) -> _Phrase:
    """Who sings: qui chante. That she sees: qu'elle voit. Where she sings: où elle chante."""
    if isinstance(relative, Where):
        return _linked("where", "où") + _sentence(relative.clause)
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
    CONDITIONAL = "conditionnel"
    PLUPERFECT = "plus-que-parfait"
    SUBJUNCTIVE = "subjonctif"
    PAST_SUBJUNCTIVE = "subjonctif passé"


_AUXILIARY_TENSES = {
    _FrenchTense.PERFECT: _FrenchTense.PRESENT,
    _FrenchTense.PLUPERFECT: _FrenchTense.IMPERFECT,
    _FrenchTense.PAST_SUBJUNCTIVE: _FrenchTense.SUBJUNCTIVE,
}
"""The compound tenses, with the tense of their auxiliary."""


def _french_tense(tense: Tense, aspect: Aspect) -> _FrenchTense:
    match tense:
        case Tense.PRESENT | Tense.PROGRESSIVE:
            return _FrenchTense.PRESENT
        case Tense.FUTURE | Tense.EXPECTED:
            return _FrenchTense.FUTURE
        case Tense.PAST if aspect is not Aspect.STATE:
            return _FrenchTense.PERFECT
        case Tense.PERFECT:
            return _FrenchTense.PERFECT
        case Tense.PLUPERFECT:
            return _FrenchTense.PLUPERFECT
        case Tense.CONDITIONAL:
            return _FrenchTense.CONDITIONAL
        case Tense.CONCEDED | Tense.CONCEDED_PROGRESSIVE:
            return _FrenchTense.SUBJUNCTIVE
        case Tense.CONCEDED_PAST:
            return _FrenchTense.PAST_SUBJUNCTIVE
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
    if tense is _FrenchTense.CONDITIONAL:
        return (verb.future or verb.infinitive) + _IMPERFECT[index]
    if tense is _FrenchTense.SUBJUNCTIVE and verb.subjunctive:
        return verb.subjunctive.split()[index]
    if tense is _FrenchTense.SUBJUNCTIVE:  # nous as in the imparfait, all others from the present of ils
        if (person, plural) == (1, True):
            return _conjugate(verb, _FrenchTense.IMPERFECT, plural, person)
        return _conjugate(verb, _FrenchTense.PRESENT, True, 3).removesuffix("ent") + _REGULAR_PRESENT[index]
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
        case Tense.PROGRESSIVE | Tense.PAST_PROGRESSIVE | Tense.CONCEDED_PROGRESSIVE:
            return _be(subject, past=tense is Tense.PAST_PROGRESSIVE), verb.progressive
        case Tense.FUTURE:
            return "will", verb.base
        case Tense.CONDITIONAL:
            return "would", verb.base
        case Tense.PERFECT:
            return "has" if _is_third(subject) else "have", verb.participle or verb.past
        case Tense.PLUPERFECT:
            return "had", verb.participle or verb.past
        case _ if verb == lexicon.BE:
            return "", _be(subject, past=tense in _ENGLISH_PAST)
        case _ if tense in _ENGLISH_PAST:
            return "", verb.past
        case _:
            return "", _third_person(verb.base) if _is_third(subject) else verb.base


_ENGLISH_PAST = (Tense.PAST, Tense.CONCEDED_PAST, Tense.SUPPOSED)


def _is_third(subject: Agreement) -> bool:
    return subject.person == 3 and not subject.plural


def _english_verb(
    verb: EnglishVerb,
    tense: Tense,
    subject: Agreement,
    mark: int,
    negation: Negation | None,
    negation_mark: int,
    adverb: _Words,
    inverted: _Words = (),
) -> _Words:
    """The verb with its auxiliary, and what stands between them or beside it; in a question, the subject too."""
    auxiliary, main = _english_forms(verb, tense, subject)
    middle = inverted + _words(negation or "", negation_mark) + adverb
    if auxiliary:
        return _words(auxiliary, possible=(mark,)) + middle + _words(main, mark)
    if verb == lexicon.BE:
        return _words(main, mark) + middle
    if negation == "not" or inverted:
        support = "did" if tense in _ENGLISH_PAST else "does" if _is_third(subject) else "do"
        possible = (mark, negation_mark) if negation == "not" else (mark,)
        return _words(support, possible=possible) + middle + _words(verb.base, mark)
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
    if tense in _AUXILIARY_TENSES:
        finite, finite_tense = (lexicon.ETRE if verb.with_etre else lexicon.AVOIR), _AUXILIARY_TENSES[tense]
        participle = _words(_participle(verb, subject if verb.with_etre else preceding_object), mark)
    words = clitics + _words(_conjugate(finite, finite_tense, subject.plural, subject.person), mark)
    return _negated(words, negation, negation_mark) + adverb + participle


_FRENCH_NEGATIONS = {"not": "pas", "never": "jamais", "no longer": "plus"}


def _negated(words: _Words, negation: Negation | None, mark: int) -> _Words:
    if negation is None:
        return words
    return _words("ne", possible=(mark,)) + words + _words(_FRENCH_NEGATIONS[negation], mark)


def _modal(
    modal: Modal, phrase: VerbPhrase, subject: Agreement, clitics: _Words, mark: int, inverted: _Words
) -> _Phrase:
    """A modal verb and the verb behind it, without its objects: cannot see, ne peut pas voir."""
    own, negation_mark = _new_mark(), _new_mark()
    past = phrase.tense is Tense.PAST
    verb = phrase.verb.english
    negation = _words(phrase.negation or "", negation_mark)
    english: _Words
    if modal is lexicon.GOING:
        english = _words(_be(subject, past=past), possible=(own,)) + inverted + negation
        english += _words("going", own) + _words("to", possible=(own, mark)) + _words(verb.base, mark)
    elif modal is lexicon.JUST:
        have = modal.past if past else modal.present[_is_third(subject)]
        english = _words(have, possible=(own,)) + inverted + negation
        english += _words(modal.word, own) + _words(verb.participle or verb.past, mark)
    else:
        to = _words(modal.word, possible=(own, mark))
        form = modal.past if past else modal.present[_is_third(subject)]
        if phrase.negation == "not" and form == "can" and not inverted:
            english = _words("cannot", own, negation_mark)
        elif modal.auxiliary:
            english = _words(form, own) + inverted + negation
        elif phrase.negation == "not" or inverted:
            support = "did" if past else "does" if _is_third(subject) else "do"
            possible = (own, negation_mark) if phrase.negation else (own,)
            english = _words(support, possible=possible) + inverted + negation + _words(modal.present[0], own)
        else:
            english = negation + _words(form, own)
        english += to + _words(verb.base, mark)
    tense = _FrenchTense.IMPERFECT if past else _FrenchTense.PRESENT
    finite = _words(_conjugate(modal.french, tense, subject.plural, subject.person), own)
    french = _negated(finite, phrase.negation, negation_mark) + _words(modal.french_link, own)
    return _Phrase(english, french + clitics + _words(phrase.verb.french.infinitive, mark))


def _subjectless(subjectless: Subjectless, subject: Agreement) -> _Phrase:
    """To see her: pour la voir. After seeing her: après l'avoir vue."""
    phrase, link = subjectless.phrase, subjectless.link
    _check(phrase, None)
    mark = _new_mark()
    verb = phrase.verb
    objects, clitics = _objects(phrase)
    clitics = _reflexive(verb, subject, mark) + clitics
    if link.perfect:
        auxiliary = lexicon.ETRE if verb.french.with_etre else lexicon.AVOIR
        preceding = agreement(phrase.object) if isinstance(phrase.object, Pronoun) else None
        agrees_with = subject if verb.french.with_etre else preceding
        infinitive = _words(auxiliary.infinitive, mark) + _words(_participle(verb.french, agrees_with), mark)
    else:
        infinitive = _words(verb.french.infinitive, mark)
    form = verb.english.base if link is lexicon.IN_ORDER_TO else verb.english.progressive
    english = _words(form, mark) + _around(verb, objects.english, mark)
    whole = _linked(link.english, link.french) + _Phrase(english, clitics + infinitive + objects.french)
    return whole + _adjuncts(phrase.adjuncts, subject)


def _around(verb: Verb, objects: _Words, mark: int) -> _Words:
    """The English objects with the words that complete the verb."""
    return _words(verb.particle, possible=(mark,)) + _words(verb.idiom, mark) + objects + _words(verb.instrument, mark)


def _reflexive(verb: Verb, subject: Agreement, mark: int) -> _Words:
    """The pronoun of a reflexive verb: je me lève, elle se lève."""
    if not verb.french.reflexive:
        return ()
    pronoun = {1: "nous" if subject.plural else "me", 2: "te", 3: "se"}[subject.person]
    return _clitic(pronoun, mark)


def _clitic(text: str, mark: int) -> _Words:
    return tuple(word._replace(clitic=True) for word in _words(text, mark))


def _predicate(
    predicate: Predicate, subject: Agreement, gap: Agreement | None = None, inverted: _Words = ()
) -> _Phrase:
    """What is said of a subject.

    `gap` is the noun that stands before it as the object of its verb, `inverted` the English subject of a question,
    which stands behind the auxiliary.
    """
    match predicate:
        case VerbPhrase():
            return _verb_phrase(predicate, subject, gap, inverted)
        case Copula():
            return _copula(predicate, subject, inverted)
        case Passive():
            return _passive(predicate, subject, inverted)
        case AndThen():
            first = _predicate(predicate.first, subject)
            return first + _linked("and", "et") + _predicate(predicate.second, subject)


def _verb_phrase(phrase: VerbPhrase, subject: Agreement, gap: Agreement | None, inverted: _Words) -> _Phrase:
    _check(phrase, gap)
    verb = phrase.verb
    mark, negation_mark = _new_mark(), _new_mark()
    objects, clitics = _objects(phrase)
    clitics = _reflexive(verb, subject, mark) + clitics
    if phrase.modal:
        head = _modal(phrase.modal, phrase, subject, clitics, mark, inverted)
    else:
        adverb = _expression(phrase.adverb) if phrase.adverb else _Phrase()
        preceding = agreement(phrase.object) if isinstance(phrase.object, Pronoun) else gap
        head = _Phrase(
            _english_verb(
                verb.english, phrase.tense, subject, mark, phrase.negation, negation_mark, adverb.english, inverted
            ),
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
            ),
        )
    if isinstance(phrase.object, NegativePronoun):
        head, objects = _without_object(phrase.object, head)
    whole = _Phrase(head.english + _around(verb, objects.english, mark), head.french + objects.french)
    whole += _adjuncts(phrase.adjuncts, subject)
    return whole + _linked("that", "que") + _sentence(phrase.that) if phrase.that else whole


def _without_object(pronoun: NegativePronoun, verb: _Phrase) -> tuple[_Phrase, _Phrase]:
    """A verb with "nobody" or "nothing" for an object, and that object: n'a rien vu, n'a vu personne."""
    mark = _new_mark()
    ne, french = _words("ne", possible=(mark,)), _words(pronoun.french, mark)
    if pronoun.before_participle:
        finite, *rest = verb.french
        return _Phrase(verb.english, (*ne, finite, *french, *rest)), _Phrase(_words(pronoun.english, mark))
    return _Phrase(verb.english, ne + verb.french), _Phrase(_words(pronoun.english, mark), french)


def _check(phrase: VerbPhrase, gap: Agreement | None) -> None:
    base = phrase.verb.english.base
    progressive = phrase.tense in (Tense.PROGRESSIVE, Tense.PAST_PROGRESSIVE, Tense.CONCEDED_PROGRESSIVE)
    if progressive and phrase.verb.aspect is not Aspect.ACTION:
        raise ValueError(f"the verb {base!r} is never in progress: use the present or the past")
    if phrase.verb.objects and phrase.object is None and gap is None:
        raise ValueError(f"the verb {base!r} has no object: give it one")
    if not phrase.verb.objects and (phrase.object is not None or gap is not None):
        raise ValueError(f"the verb {base!r} has an object: it takes none")
    if phrase.modal and phrase.tense not in (Tense.PRESENT, Tense.PAST):
        raise ValueError(
            f"the verb {base!r} has a modal and the tense {phrase.tense.value!r}: use the present or the past"
        )
    if phrase.modal is lexicon.MUST and phrase.tense is Tense.PAST:
        raise ValueError(f"the verb {base!r} has 'must' in the past: use the present")


_CLITIC_ORDER = ("me", "te", "se", "nous", "le", "la", "les", "lui", "leur")


def _objects(phrase: VerbPhrase) -> tuple[_Phrase, _Words]:
    """The objects behind the verb, and the French clitics before it."""
    whole = _Phrase()
    clitics: _Words = ()
    if isinstance(phrase.object, Pronoun):
        mark = _new_mark()
        whole += _Phrase(_words(phrase.object.english_object, mark))
        clitics += _clitic(phrase.object.direct, mark)
    elif phrase.object and not isinstance(phrase.object, NegativePronoun):
        whole += _nominal(phrase.object, negated=phrase.negation is not None)
    if isinstance(phrase.recipient, Pronoun):
        mark = _new_mark()
        person = _words(phrase.recipient.english_object, mark)
        clitics += _clitic(phrase.recipient.indirect, mark)
        if isinstance(phrase.object, Pronoun):
            whole += _Phrase(_words("to", possible=(mark,)) + person)
        else:
            whole = _Phrase(person + whole.english, whole.french)
    elif phrase.recipient:
        whole += _linked("to", "à") + _nominal(phrase.recipient)
    return whole, tuple(sorted(clitics, key=lambda word: _CLITIC_ORDER.index(word.text)))


def _adjuncts(adjuncts: Iterable[Adjunct], subject: Agreement) -> _Phrase:
    whole = _Phrase()
    for adjunct in adjuncts:
        match adjunct:
            case Expression():
                whole += _expression(adjunct)
            case Subjectless():
                whole += _subjectless(adjunct, subject)
            case _:
                whole += _prepositional(adjunct)
    return whole


def _prepositional(phrase: PrepositionalPhrase) -> _Phrase:
    return _linked(phrase.preposition.english, phrase.preposition.french) + _tonic(phrase.nominal)


def _tonic(nominal: Nominal) -> _Phrase:
    """A nominal that is neither subject nor object: with her, than me."""
    if isinstance(nominal, Pronoun):
        return _linked(nominal.english_object, nominal.tonic)
    return _nominal(nominal)


def _copula(copula: Copula, subject: Agreement, inverted: _Words) -> _Phrase:
    verb = lexicon.AVOIR if isinstance(copula.complement, Feeling) else lexicon.ETRE
    whole = _being(verb, copula.tense, subject, copula.negation, copula.adverb, inverted)
    if copula.degree:
        whole += _expression(copula.degree)
    return whole + _complement(copula.complement, subject) + _adjuncts(copula.adjuncts, subject)


def _being(
    verb: FrenchVerb,
    tense: Tense,
    subject: Agreement,
    negation: Negation | None = None,
    adverb: Expression | None = None,
    inverted: _Words = (),
) -> _Phrase:
    """The verb "to be" and its French counterpart."""
    mark, negation_mark = _new_mark(), _new_mark()
    beside = _expression(adverb) if adverb else _Phrase()
    french_tense = _french_tense(tense, Aspect.STATE)
    return _Phrase(
        _english_verb(lexicon.BE, tense, subject, mark, negation, negation_mark, beside.english, inverted),
        _french_verb(verb, french_tense, subject, mark, negation, negation_mark, beside.french, (), None),
    )


def _passive(passive: Passive, subject: Agreement, inverted: _Words) -> _Phrase:
    """Was written by marie: a été écrite par marie."""
    be, mark, negation_mark = _new_mark(), _new_mark(), _new_mark()
    verb = passive.verb
    english = _english_verb(
        lexicon.BE, passive.tense, subject, be, passive.negation, negation_mark, (), inverted
    ) + _words(verb.english.participle or verb.english.past, mark)
    french = _french_verb(
        lexicon.ETRE,
        _french_tense(passive.tense, verb.aspect),
        subject,
        be,
        passive.negation,
        negation_mark,
        (),
        (),
        None,
    ) + _words(_participle(verb.french, subject), mark)
    return _Phrase(english, french) + _linked("by", "par") + _nominal(passive.agent)


def _complement(
    complement: Adjective | Comparison | Profession | Feeling | PrepositionalPhrase, subject: Agreement
) -> _Phrase:
    match complement:
        case Adjective():
            return _linked(complement.english, _french_adjective(complement, subject))
        case Comparison():
            return _comparison(complement, subject)
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


def _comparison(comparison: Comparison, subject: Agreement) -> _Phrase:
    """Bigger than: plus grand que. As big as: aussi grand que."""
    manner, adjective = comparison.manner, comparison.adjective
    form = _french_adjective(adjective, subject)
    if manner is lexicon.MORE and adjective.comparative:
        head = _linked(adjective.comparative, f"{manner.french} {form}")
    else:
        head = _linked(manner.english, manner.french) + _linked(adjective.english, form)
    return head + _linked(manner.than, "que") + _tonic(comparison.than)


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
            return _joined(sentence)
        case Fronted():
            return _expression(sentence.time) + _linked(",", ",") + _sentence(sentence.sentence)
        case Address():
            return _nominal(sentence.name) + _linked(",", ",") + _sentence(sentence.sentence)
        case Speech():
            return _speech(sentence)


def _joined(sentence: Joined) -> _Phrase:
    first, second = _sentence(sentence.first), _sentence(sentence.second)
    conjunction = _linked(sentence.conjunction.english, sentence.conjunction.french)
    if sentence.fronted:
        return conjunction + second + _linked(",", ",") + first
    return first + conjunction + second


def _speech(speech: Speech) -> _Phrase:
    """Marie said: "i am tired": marie a dit : « je suis fatiguée »."""
    says = VerbPhrase(lexicon.SAY, speech.tense)
    speaker = _subject(speech.speaker) + _predicate(says, agreement(speech.speaker))
    return speaker + _linked(":", ":") + _linked('"', "«") + _sentence(speech.sentence) + _linked('"', "»")


def _question(question: Question) -> _Phrase:
    """Is she singing: est-ce qu'elle chante. Who is singing: qui chante."""
    subject = question.clause.subject
    said = _subject(subject)
    number = agreement(subject)
    if subject is lexicon.WHO:
        whole = said + _predicate(question.clause.predicate, number)
    else:
        turned = _predicate(question.clause.predicate, number, inverted=said.english)
        mark = _new_mark()
        first = turned.english[0]
        first = first._replace(marks=first.marks | {mark})
        whole = _expression(question.word) if question.word else _Phrase()
        whole += _Phrase((first, *turned.english[1:]), _words("est-ce que", possible=(mark,)))
        whole += _Phrase((), said.french + turned.french)
    if question.conjunction and question.second:
        conjunction = _linked(question.conjunction.english, question.conjunction.french)
        whole += conjunction + _sentence(question.second)
    return whole


def _where_is(question: WhereIs) -> _Phrase:
    """Where is the cat: où est le chat."""
    be = _being(lexicon.ETRE, question.tense, agreement(question.nominal))
    return _expression(lexicon.WHERE_IS) + be + _nominal(question.nominal)


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
