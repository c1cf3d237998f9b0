"""Draws sentences that make sense from the grammar.

`seqlab.grammar` translates any tree that it is given. This module chooses the trees: who can do what to
whom and where, which tenses go together, and which noun a pronoun stands for. Third-person pronouns
in a second clause always stand for the subject, or the object, of the one before, so that their French gender can
be told from the English sentence.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum, auto
from functools import cache
from typing import NamedTuple, TypeVar

from seqlab import lexicon as lex
from seqlab.grammar import (
    AndThen,
    Both,
    Clause,
    Copula,
    Joined,
    Negation,
    Nominal,
    NounPhrase,
    Pair,
    Predicate,
    PrepositionalPhrase,
    Sentence,
    Tense,
    ThereIs,
    ThisIs,
    VerbPhrase,
    agreement,
    translate,
)
from seqlab.lexicon import (
    Adjective,
    Aspect,
    Conjunction,
    Determiner,
    Expression,
    Kind,
    Name,
    Noun,
    Preposition,
    Pronoun,
    Verb,
)

SHORTEST = 3
"""The words of the shortest sentence, "he sleeps ."."""

Item = TypeVar("Item", bound=Noun | Name | Verb | Adjective)


def draw_pair(generator: random.Random, max_words: int = 20) -> Pair:
    """Draws a random sentence and its translation.

    Args:
        generator: The source of chance.
        max_words: The most English words, the full stop among them.

    Returns:
        A pair of at most `max_words` English words.

    Raises:
        ValueError: If no sentence is so short.
    """
    if max_words < SHORTEST:
        raise ValueError(f"max_words is {max_words}: the shortest sentence has {SHORTEST} words, ask for more")
    goal = generator.randint(SHORTEST, max_words)
    while True:
        pair = translate(_Sampler(generator).sentence(goal, generator.choice(_TOP_TIMES)))
        if 0.75 * goal <= len(pair.source) <= max_words:
            return pair


class _Time(Enum):
    """When a clause takes place, and how."""

    PRESENT = auto()
    HABIT = auto()
    PROGRESSING = auto()
    PAST = auto()
    PUNCTUAL = auto()
    BACKGROUND = auto()
    UNDERWAY = auto()
    FUTURE = auto()
    EXPECTED = auto()


_TOP_TIMES = (_Time.PRESENT, _Time.PRESENT, _Time.PAST, _Time.PAST, _Time.PAST, _Time.FUTURE)

_SUBORDINATES = {
    _Time.PRESENT: (
        (lex.BECAUSE, _Time.PRESENT, _Time.PRESENT),
        (lex.BECAUSE, _Time.PRESENT, _Time.PUNCTUAL),
        (lex.WHEN, _Time.HABIT, _Time.HABIT),
        (lex.WHILE, _Time.PROGRESSING, _Time.PROGRESSING),
    ),
    _Time.HABIT: ((lex.BECAUSE, _Time.HABIT, _Time.PRESENT),),
    _Time.PROGRESSING: ((lex.BECAUSE, _Time.PROGRESSING, _Time.PRESENT),),
    _Time.PAST: (
        (lex.BECAUSE, _Time.PAST, _Time.BACKGROUND),
        (lex.BECAUSE, _Time.PUNCTUAL, _Time.PUNCTUAL),
        (lex.WHEN, _Time.UNDERWAY, _Time.PUNCTUAL),
        (lex.WHILE, _Time.PUNCTUAL, _Time.UNDERWAY),
    ),
    _Time.PUNCTUAL: ((lex.BECAUSE, _Time.PUNCTUAL, _Time.BACKGROUND), (lex.WHILE, _Time.PUNCTUAL, _Time.UNDERWAY)),
    _Time.BACKGROUND: ((lex.BECAUSE, _Time.BACKGROUND, _Time.BACKGROUND),),
    _Time.UNDERWAY: ((lex.BECAUSE, _Time.UNDERWAY, _Time.BACKGROUND),),
    _Time.FUTURE: (
        (lex.BECAUSE, _Time.FUTURE, _Time.PRESENT),
        (lex.WHEN, _Time.FUTURE, _Time.EXPECTED),
        (lex.IF, _Time.FUTURE, _Time.PRESENT),
    ),
    _Time.EXPECTED: ((lex.BECAUSE, _Time.EXPECTED, _Time.PRESENT),),
}
"""For the time of a sentence: a conjunction, with the times of the clauses before and behind it."""

_SAID = {
    _Time.PRESENT: (Tense.PRESENT, (lex.SAY, lex.THINK, lex.KNOW), (_Time.PRESENT, _Time.PUNCTUAL, _Time.FUTURE)),
    _Time.PAST: (Tense.PAST, (lex.SAY, lex.THINK, lex.KNOW), (_Time.BACKGROUND,)),
    _Time.FUTURE: (Tense.FUTURE, (lex.SAY,), (_Time.PRESENT,)),
}
"""For the time of a saying: its tense, its verbs, and the times of what is said."""

_WHEN: dict[Tense, tuple[Expression, ...]] = {
    Tense.PRESENT: (lex.TODAY,),
    Tense.PROGRESSIVE: (lex.TODAY, lex.NOW),
    Tense.PAST: (lex.YESTERDAY, lex.LAST_NIGHT, lex.THIS_MORNING, lex.LAST_WEEK),
    Tense.PAST_PROGRESSIVE: (lex.YESTERDAY, lex.THIS_MORNING),
    Tense.FUTURE: (lex.TOMORROW, lex.THIS_EVENING, lex.NEXT_WEEK),
    Tense.EXPECTED: (lex.TOMORROW,),
}

_PRESENTED = {_Time.PRESENT: Tense.PRESENT, _Time.PAST: Tense.PAST, _Time.FUTURE: Tense.FUTURE}
"""The tenses of "there is" and "this is"."""

_SEQUENCES = {
    _Time.PRESENT: (_Time.HABIT, _Time.PROGRESSING),
    _Time.PAST: (_Time.PUNCTUAL, _Time.PUNCTUAL, _Time.BACKGROUND),
}
"""How two predicates of one subject narrow the time of a clause, where they do."""

_RELATIVE_TIMES = {
    Tense.PAST: (_Time.BACKGROUND, _Time.PUNCTUAL),
    Tense.PRESENT: (_Time.PRESENT, _Time.PUNCTUAL),
}

_ANYONE = (lex.I, lex.YOU, lex.HE, lex.SHE, lex.WE, lex.THEY)
_SPEAKERS = (lex.I, lex.YOU, lex.WE)

_ADVERBS = {
    Tense.PRESENT: (lex.OFTEN, lex.ALWAYS, lex.SOMETIMES),
    Tense.PAST: (lex.OFTEN, lex.SOMETIMES),
    Tense.FUTURE: (lex.OFTEN, lex.ALWAYS, lex.SOMETIMES),
}
_RESTRICTABLE = (lex.THE, lex.A, lex.SOME, lex.TWO, lex.THREE, lex.SEVERAL, lex.MANY, lex.EVERY)
"""Determiners of nouns that a relative clause can tell from others."""
_UNRESTRICTED = 5
"""The most words to ask for around a noun that shall have no relative clause."""

_THINGS = lex.PORTABLE | Kind.VEHICLE | Kind.FURNITURE | lex.PLANT | Kind.ROOM | lex.PLACE
_EATEN_OR_MET = lex.LIVING | lex.FOOD
"""What animals have to do with."""
_OWNED = (
    Kind.ACQUAINTANCE | Kind.KIN | Kind.ANIMAL | lex.PORTABLE | Kind.VEHICLE | Kind.FURNITURE | Kind.ROOM | lex.PLANT
)

_WHEREABOUTS = (
    (lex.PEOPLE, ((None, lex.ANYWHERE), (lex.NEAR, Kind.BUILDING | Kind.TREE), (lex.IN_FRONT_OF, Kind.BUILDING))),
    (
        Kind.ANIMAL,
        ((None, Kind.OUTDOORS | Kind.REGION), (lex.UNDER, Kind.FURNITURE | Kind.TREE), (lex.BEHIND, Kind.TREE)),
    ),
    (Kind.GARMENT, ((lex.ON, Kind.FURNITURE), (None, Kind.ROOM))),
    (Kind.CONTAINER, ((lex.ON, Kind.FURNITURE), (lex.UNDER, Kind.FURNITURE), (None, Kind.ROOM))),
    (lex.PORTABLE, ((None, Kind.CONTAINER), (lex.ON, Kind.FURNITURE), (lex.UNDER, Kind.FURNITURE))),
    (Kind.VEHICLE, ((lex.NEAR, Kind.BUILDING), (lex.BEHIND, Kind.BUILDING), (lex.IN_FRONT_OF, Kind.BUILDING))),
    (Kind.FURNITURE, ((None, Kind.ROOM),)),
    (Kind.FLOWER, ((lex.ON, Kind.FURNITURE), (None, Kind.ROOM))),
    (Kind.TREE | Kind.BUILDING, ((lex.NEAR, lex.PLACE), (lex.BEHIND, Kind.BUILDING))),
)
"""Where things are: prepositions with their places, None for a place's own preposition."""


class _Role(Enum):
    """What a noun phrase is for, which decides its determiners."""

    SUBJECT = auto()
    OBJECT = auto()
    NEGATED = auto()
    KNOWN = auto()
    PLACE = auto()
    EXISTING = auto()
    PRESENTED = auto()


_DEFINITE = {lex.THE: 40, lex.THIS: 10} | dict.fromkeys(lex.POSSESSIVES, 4)
_COUNTED = {lex.TWO: 6, lex.THREE: 4, lex.SEVERAL: 4, lex.MANY: 6}
_DETERMINERS: dict[_Role, dict[Determiner, int]] = {
    _Role.SUBJECT: _DEFINITE | _COUNTED | {lex.A: 15, lex.SOME: 10, lex.EVERY: 3},
    _Role.OBJECT: _DEFINITE | _COUNTED | {lex.A: 25, lex.SOME: 10, lex.BARE: 10},
    _Role.NEGATED: _DEFINITE | {lex.A: 25, lex.ANY: 15, lex.BARE: 5},
    _Role.KNOWN: _DEFINITE,
    _Role.PLACE: _DEFINITE | {lex.A: 5},
    _Role.EXISTING: _COUNTED | {lex.A: 30, lex.SOME: 15, lex.NO: 15},
    _Role.PRESENTED: {lex.THE: 6, lex.A: 20, lex.BARE: 15} | dict.fromkeys(lex.POSSESSIVES, 4),
}


@cache
def _determiners(role: _Role, kind: Kind, plural: bool) -> tuple[tuple[Determiner, ...], tuple[int, ...]]:
    """The determiners of a noun, with their weights."""
    options = _DETERMINERS[role]
    if kind in Kind.KIN:
        options = dict.fromkeys(lex.POSSESSIVES, 1)
    elif kind not in _OWNED:
        options = {d: weight for d, weight in options.items() if d not in lex.POSSESSIVES}
    options = {d: weight for d, weight in options.items() if (d.plural if plural else d.masculine)}
    return tuple(options), tuple(options.values())


@cache
def _nouns(kinds: Kind, inside: bool = False) -> tuple[Noun, ...]:
    return tuple(noun for noun in lex.NOUNS if noun.kind in kinds and (noun.inside or not inside))


@cache
def _verbs(
    table: tuple[Verb, ...], subject: Kind, aspects: tuple[Aspect, ...], acted_on: Kind = lex.NOWHERE
) -> tuple[Verb, ...]:
    return tuple(v for v in table if subject in v.subjects and v.aspect in aspects and acted_on in v.objects)


@cache
def _attributes(kind: Kind, before_noun: bool) -> tuple[Adjective, ...]:
    return tuple(a for a in lex.ADJECTIVES if kind in a.kinds and a.before_noun == before_noun)


@cache
def _qualities(kind: Kind, passing: bool) -> tuple[Adjective, ...]:
    """The adjectives that a subject can be said to be; only what passes can be foretold, where there is any."""
    qualities = tuple(a for a in lex.ADJECTIVES if kind in a.kinds and a.predicate)
    return tuple(a for a in qualities if a.passing) or qualities if passing else qualities


@cache
def _alike(word: Noun | Name | Verb | Adjective) -> Sequence[Verb | Adjective]:
    """The words that would contradict a word in the same sentence, or repeat it."""
    match word:
        case Adjective(theme=theme) if theme:
            return tuple(a for a in lex.ADJECTIVES if a.theme == theme)
        case Verb():
            verbs = lex.TRANSITIVE_VERBS + lex.INTRANSITIVE_VERBS
            return tuple(v for v in verbs if v.english.base == word.english.base)
        case _:
            return ()


_ALL_ASPECTS = tuple(Aspect)
_ASPECTS = {
    _Time.PROGRESSING: (Aspect.ACTION,),
    _Time.BACKGROUND: (Aspect.ACTION, Aspect.STATE),
    _Time.PUNCTUAL: (Aspect.ACTION, Aspect.EVENT),
    _Time.UNDERWAY: (Aspect.ACTION,),
    _Time.HABIT: (Aspect.ACTION, Aspect.EVENT),
    _Time.EXPECTED: (Aspect.ACTION, Aspect.EVENT),
}
"""The verbs that can be said of a time, where not all can."""

_TENSES = {
    _Time.PRESENT: Tense.PRESENT,
    _Time.HABIT: Tense.PRESENT,
    _Time.PROGRESSING: Tense.PRESENT,
    _Time.PAST: Tense.PAST,
    _Time.PUNCTUAL: Tense.PAST,
    _Time.BACKGROUND: Tense.PAST,
    _Time.UNDERWAY: Tense.PAST,
    _Time.FUTURE: Tense.FUTURE,
    _Time.EXPECTED: Tense.EXPECTED,
}
_IN_PROGRESS = {Tense.PRESENT: Tense.PROGRESSIVE, Tense.PAST: Tense.PAST_PROGRESSIVE}
_PROGRESS_CHANCE = {
    _Time.PRESENT: 0.6,
    _Time.PAST: 0.2,
    _Time.PROGRESSING: 1.0,
    _Time.BACKGROUND: 1.0,
    _Time.UNDERWAY: 1.0,
}
_MOMENTS = (_Time.PROGRESSING, _Time.PUNCTUAL, _Time.UNDERWAY)
"""The times of which one says what happens, not what is so."""
_UNDENIED = (*_MOMENTS, _Time.EXPECTED)
"""The times that "while" and "when" speak of: what did not happen then tells little."""
_GENERAL = (_Time.PRESENT, _Time.PAST, _Time.FUTURE)
"""The times of which one says "never"."""


class _Topic(NamedTuple):
    """Someone or something spoken of, to whom a pronoun may come back."""

    nominal: Nominal
    kind: Kind

    def pronoun(self) -> Pronoun:
        if isinstance(self.nominal, Pronoun):
            return self.nominal
        gender, plural, _ = agreement(self.nominal)
        if plural:
            return lex.THEY_FEMININE if gender == "f" else lex.THEY
        if self.kind in lex.PEOPLE:
            return lex.SHE if gender == "f" else lex.HE
        return lex.IT_FEMININE if gender == "f" else lex.IT_MASCULINE


def _topic(nominal: NounPhrase | Name | Both | Pronoun) -> _Topic:
    match nominal:
        case NounPhrase():
            return _Topic(nominal, nominal.noun.kind)
        case Both():
            return _Topic(nominal, _topic(nominal.first).kind | _topic(nominal.second).kind)
        case _:
            return _Topic(nominal, Kind.ADULT)


def _is_definite(nominal: Nominal) -> bool:
    """Whether the hearer knows who or what is meant."""
    match nominal:
        case NounPhrase():
            return not isinstance(nominal.determiner, Determiner) or nominal.determiner.definite
        case Both():
            return _is_definite(nominal.first) and _is_definite(nominal.second)
        case _:
            return True


class _Sampler:
    """Draws one sentence, and remembers what has been spoken of."""

    def __init__(self, generator: random.Random) -> None:
        self.random = generator
        self.subject: _Topic | None = None
        self.object: _Topic | None = None
        self.tense = Tense.PRESENT
        self.clause = 0
        self.object_clause = 0
        self.embedded = False
        self.bound = False
        self.explaining = False
        self.said = False
        self.time_said = False
        self.used: set[Noun | Name | Verb | Adjective | Conjunction] = set()

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def fresh(self, options: Sequence[Item]) -> Item:
        """One of the words that the sentence does not have yet, if there is any."""
        word = self.random.choice([o for o in options if o not in self.used] or options)
        self.used.add(word)
        self.used.update(_alike(word))
        return word

    # Sentences of several clauses

    def sentence(self, goal: int, time: _Time, *, subordinate: bool = False) -> Sentence:
        """A sentence of roughly `goal` words; a subordinate one is not joined by "and"."""
        if goal < 9 or self.chance(0.1):
            return self.simple(goal, time)
        if not subordinate and self.chance(0.3 if goal < 16 else 0.6):
            return self.coordination(goal, time)
        if time in _SAID and not self.said and not self.bound and self.chance(0.3):
            return self.saying(goal, time)
        options = [option for option in _SUBORDINATES[time] if option[0] not in self.used]
        return self.subordination(goal, *self.random.choice(options)) if options else self.simple(goal, time)

    def subordination(self, goal: int, conjunction: Conjunction, main: _Time, later: _Time) -> Joined:
        self.used.add(conjunction)
        self.bound = True
        first, second = self.split(goal)
        before = self.simple(first, main)
        self.explaining = conjunction is lex.BECAUSE
        behind = self.sentence(second, later, subordinate=True)
        self.bound = False
        return Joined(before, conjunction, behind)

    def coordination(self, goal: int, time: _Time) -> Joined:
        conjunction = lex.AND if lex.BUT in self.used or self.chance(0.6) else lex.BUT
        self.used.add(conjunction)
        first, second = self.split(goal)
        return Joined(self.sentence(first, time), conjunction, self.sentence(second, time))

    def split(self, goal: int) -> tuple[int, int]:
        first = self.random.randint(3, goal * 2 // 3 - 2)
        return first, goal - first - 1

    def saying(self, goal: int, time: _Time) -> Clause:
        """She says that the cat is sleeping."""
        self.said = True
        self.tense, verbs, times = _SAID[time]
        verb = self.random.choice(verbs)
        tense = self.tense
        if self.subject and self.subject.kind not in lex.PEOPLE:
            self.subject = None
        self.object = None
        subject = self.next_subject(lex.PEOPLE, 3, time).nominal
        deniable = verb is not lex.THINK and _is_definite(subject) and agreement(subject).person != 1
        negated = deniable and self.chance(0.15)
        said = self.sentence(goal - 4, self.random.choice(times), subordinate=True)
        return Clause(subject, VerbPhrase(verb, tense, that=said, negation="not" if negated else None))

    # One clause

    def simple(self, goal: int, time: _Time) -> Clause | ThereIs | ThisIs:
        """One clause; its predicate may be double."""
        self.tense = _TENSES[time]
        if not self.clause and not self.bound and time in _PRESENTED and goal > 4 and self.chance(0.15):
            self.clause += 1
            return self.presentation(goal, _PRESENTED[time])
        kinds = lex.PEOPLE if goal < 4 or self.chance(0.65) else Kind.ANIMAL
        if goal > 3 and not self.bound and time in _SAID and self.chance(0.3):
            kinds = _THINGS
        topic = self.next_subject(kinds, goal, time)
        if self.explaining and time not in _MOMENTS and self.chance(0.6):
            self.explaining = False
            return Clause(topic.nominal, self.copula(topic, goal - 2, time))
        self.explaining = False
        if goal > 9 and topic.kind in lex.LIVING and self.chance(0.25):
            return Clause(topic.nominal, self.double_predicate(topic, goal - 3, time))
        return Clause(topic.nominal, self.predicate(topic, goal - 2, time))

    def presentation(self, goal: int, tense: Tense) -> ThereIs | ThisIs:
        if self.chance(0.5):
            kinds = lex.LIVING & ~Kind.KIN | lex.PORTABLE | Kind.VEHICLE
            nominal = self.noun_phrase(kinds, goal - 4, _Role.EXISTING)
            place = self.whereabouts(nominal.noun.kind) if nominal.relative is None and goal > 5 else None
            return ThereIs(nominal, tense, place)
        nominal = self.noun_phrase(lex.LIVING | _THINGS & ~lex.PLACE, goal - 3, _Role.PRESENTED)
        negated = nominal.relative is None and self.chance(0.2)
        return ThisIs(nominal, Tense.PAST if tense is Tense.PAST else Tense.PRESENT, negated)

    def next_subject(self, kinds: Kind, goal: int, time: _Time) -> _Topic:
        """The subject of the next clause: a pronoun for someone or something spoken of, or someone new."""
        self.clause += 1
        last = self.mentioned(time)
        if last and self.chance(0.75 if self.explaining else 0.45):
            self.subject = last
            return _Topic(last.pronoun(), last.kind)
        nominal: Nominal
        if kinds is lex.PEOPLE and self.chance(0.35 if goal > 5 else 0.6):
            nominal = self.random.choice(_SPEAKERS if self.clause > 1 else _ANYONE)
        elif kinds is lex.PEOPLE and (goal < 4 or self.chance(0.2)):
            nominal = self.fresh(lex.NAMES)
        else:
            nominal = self.noun_phrase(kinds, goal - 3, _Role.KNOWN if kinds is _THINGS else _Role.SUBJECT)
            if goal > 7 and nominal.relative is None and self.chance(0.12):
                nominal = self.both(nominal, _Role.SUBJECT)
        self.subject = self.remembered(nominal)
        return _topic(nominal)

    def mentioned(self, time: _Time) -> _Topic | None:
        """What "he", "she", "it" or "they" would stand for: the last subject or, for "it", the last object."""
        thing = self.last_object()
        if time in (_Time.PROGRESSING, _Time.UNDERWAY):
            return None
        human_subject = self.subject is None or self.subject.kind in lex.PEOPLE
        if thing and human_subject and thing.kind not in lex.PEOPLE and not agreement(thing.nominal).plural:
            possible = time not in _MOMENTS or thing.kind in lex.LIVING
            if possible and (self.subject is None or self.chance(0.5)):
                self.object = None
                return thing
        if self.subject and (time not in _MOMENTS or self.subject.kind in lex.LIVING):
            return self.subject
        return None

    def last_object(self) -> _Topic | None:
        """The object of this clause or the one before."""
        return self.object if self.clause - self.object_clause < 2 else None

    def remembered(self, nominal: Nominal) -> _Topic | None:
        """The topic of a third person, unless no pronoun can stand for it."""
        if agreement(nominal).person != 3 or isinstance(nominal, NounPhrase) and nominal.determiner is lex.EVERY:
            return None
        return _topic(nominal)

    def predicate(self, topic: _Topic, goal: int, time: _Time) -> VerbPhrase | Copula:
        """What is said of a subject."""
        if topic.kind not in lex.LIVING:
            verbs = _verbs(lex.INTRANSITIVE_VERBS, topic.kind, _ASPECTS.get(time, _ALL_ASPECTS))
            falls = bool(verbs) and self.used.isdisjoint(verbs) and self.chance(0.2)
            return self.intransitive(topic, goal, time) if falls else self.copula(topic, goal, time)
        if time not in _MOMENTS and self.chance(0.3):
            return self.copula(topic, goal, time)
        return self.action(topic, goal, time, _ASPECTS.get(time, _ALL_ASPECTS))

    def double_predicate(self, topic: _Topic, goal: int, time: _Time) -> AndThen:
        """Took the apple and ate it."""
        time = self.random.choice(_SEQUENCES.get(time, (time,)))
        aspects = (Aspect.ACTION,) if time is _Time.BACKGROUND else _ASPECTS.get(time, (Aspect.ACTION, Aspect.EVENT))
        first = self.action(topic, goal // 2, time, aspects)
        second = self.action(topic, goal - goal // 2, time, aspects)
        return AndThen(first, second)

    # Verbs

    def action(self, topic: _Topic, goal: int, time: _Time, aspects: tuple[Aspect, ...]) -> VerbPhrase:
        if goal < 2 or self.chance(0.3):
            return self.intransitive(topic, goal, time)
        if topic.kind in lex.PEOPLE and goal > 4 and self.chance(0.15):
            return self.giving(topic, goal, time)
        return self.transitive(topic, goal, time, aspects)

    def tense_of(self, verb: Verb, time: _Time) -> Tense:
        tense = _TENSES[time]
        ambiguous = tense is Tense.PRESENT and verb.english.base == verb.english.past  # "i read", "i hit"
        chance = 1.0 if ambiguous and time is _Time.PRESENT else _PROGRESS_CHANCE.get(time, 0.0)
        if verb.aspect is Aspect.ACTION and self.chance(chance):
            return _IN_PROGRESS[tense]
        return tense

    def negation(self, subject: Nominal, tense: Tense, time: _Time) -> Negation | None:
        if time in _UNDENIED or not _is_definite(subject) or not self.chance(0.2):
            return None
        never = time in _GENERAL and tense not in _IN_PROGRESS.values() and self.chance(0.3)
        return "never" if never else "not"

    def intransitive(self, topic: _Topic, goal: int, time: _Time) -> VerbPhrase:
        aspects = _ASPECTS.get(time, _ALL_ASPECTS)
        verbs = _verbs(lex.INTRANSITIVE_VERBS, topic.kind, aspects)
        verb = self.fresh([v for v in verbs if goal > 3 or not v.needs_place])
        tense = self.tense_of(verb, time)
        negation = self.negation(topic.nominal, tense, time)
        places: tuple[PrepositionalPhrase, ...] = ()
        if verb.direction:
            places = (PrepositionalPhrase(verb.direction, self.noun_phrase(verb.where, 0, _Role.PLACE)),)
        elif verb.needs_place or goal > 3 and self.chance(0.35):
            places = self.place(verb.where, topic.kind)
        if verb.company and topic.kind in lex.PEOPLE and goal > 4 and not places and self.chance(0.4):
            places = (PrepositionalPhrase(lex.WITH, self.noun_phrase(lex.PEOPLE, 1, _Role.KNOWN)),)
        phrase = VerbPhrase(verb, tense, negation=negation, adjuncts=places)
        return self.timed(phrase, time, repeatable=verb.aspect is Aspect.ACTION)

    def transitive(self, topic: _Topic, goal: int, time: _Time, aspects: tuple[Aspect, ...]) -> VerbPhrase:
        known = self.last_object()
        if known and not self.embedded and self.chance(0.5):
            verbs = [v for v in _verbs(lex.TRANSITIVE_VERBS, topic.kind, aspects, known.kind) if v not in self.used]
            if verbs and (topic.kind in lex.PEOPLE or known.kind in _EATEN_OR_MET):
                verb = self.fresh(verbs)
                tense = self.tense_of(verb, time)
                return VerbPhrase(verb, tense, known.pronoun(), negation=self.negation(topic.nominal, tense, time))
        verb = self.fresh(_verbs(lex.TRANSITIVE_VERBS, topic.kind, aspects))
        tense = self.tense_of(verb, time)
        negation = self.negation(topic.nominal, tense, time)
        acted_on = self.acted_on(verb, topic, goal, negation)
        self.remember_object(acted_on, negation)
        kind = _topic(acted_on).kind
        phrase = VerbPhrase(verb, tense, acted_on, negation=negation)
        if goal > 5 and kind in lex.PEOPLE | Kind.ANIMAL | lex.PORTABLE and self.chance(0.25):
            phrase = replace(phrase, adjuncts=self.place(verb.where, topic.kind | kind))
        repeatable = kind in lex.PEOPLE or agreement(acted_on).plural
        return self.timed(phrase, time, repeatable=repeatable and verb.aspect is not Aspect.STATE)

    def acted_on(self, verb: Verb, topic: _Topic, goal: int, negation: Negation | None) -> Nominal:
        """The object of a verb."""
        kinds = verb.objects if topic.kind in lex.PEOPLE else verb.objects & _EATEN_OR_MET
        if Kind.ADULT in kinds and self.chance(0.3 if goal > 3 else 0.6):
            pronouns = _SPEAKERS if self.clause > 1 or self.embedded else _ANYONE
            person = agreement(topic.nominal).person
            return self.random.choice([p for p in pronouns if person == 3 or p.person != person])
        if Kind.ADULT in kinds and self.chance(0.1):
            return self.fresh(lex.NAMES)
        role = _Role.KNOWN if verb.generic else _Role.NEGATED if negation else _Role.OBJECT
        # "roses that are red with water": what follows a relative clause seems to belong to it
        nominal = self.noun_phrase(kinds, min(goal - 2, _UNRESTRICTED) if verb.instrument else goal - 2, role)
        if goal > 6 and not negation and nominal.relative is None and self.chance(0.12):
            return self.both(nominal, role)
        return nominal

    def remember_object(self, nominal: Nominal, negation: Negation | None) -> None:
        if not self.embedded and not isinstance(nominal, Pronoun):
            exists = negation is None or _is_definite(nominal)
            self.object = self.remembered(nominal) if exists else None
            self.object_clause = self.clause

    def giving(self, topic: _Topic, goal: int, time: _Time) -> VerbPhrase:
        """Gives an apple to the boy; gives me an apple."""
        verb = self.fresh(lex.GIVING_VERBS)
        tense = self.tense_of(verb, time)
        negation = self.negation(topic.nominal, tense, time)
        given: Nominal
        known = self.last_object()
        if known and known.kind in verb.objects and not self.embedded and self.chance(0.6):
            given = known.pronoun()
        else:
            role = _Role.NEGATED if negation else _Role.OBJECT
            given = self.noun_phrase(verb.objects, min(goal - 4, _UNRESTRICTED), role)
            self.remember_object(given, negation)
        return VerbPhrase(verb, tense, given, self.recipient(topic), negation=negation)

    def recipient(self, topic: _Topic) -> NounPhrase | Name | Pronoun:
        if self.chance(0.5):
            pronouns = _SPEAKERS if self.clause > 1 or self.embedded else _ANYONE
            person = agreement(topic.nominal).person
            return self.random.choice([p for p in pronouns if person == 3 or p.person != person])
        if self.chance(0.2):
            return self.fresh(lex.NAMES)
        return self.noun_phrase(lex.PEOPLE, 1, _Role.KNOWN)

    def timed(self, phrase: VerbPhrase, time: _Time, *, repeatable: bool) -> VerbPhrase:
        """A verb phrase with, perhaps, an adverb or a time."""
        if self.embedded or phrase.verb.aspect is Aspect.STATE or time is _Time.PUNCTUAL:
            return phrase
        repeated = repeatable and not (time is _Time.HABIT and self.clause > 1)
        if repeated and phrase.negation is None and phrase.tense in _ADVERBS and self.chance(0.2):
            return replace(phrase, adverb=self.random.choice(_ADVERBS[phrase.tense]))
        if phrase.negation != "never" and not self.time_said and self.chance(0.2):
            self.time_said = True
            times = _WHEN[phrase.tense]
            if repeatable and phrase.tense is Tense.PRESENT:
                times += (lex.EVERY_DAY,)
            return replace(phrase, adjuncts=(*phrase.adjuncts, self.random.choice(times)))
        return phrase

    # To be

    def copula(self, topic: _Topic, goal: int, time: _Time) -> Copula:
        tense = _TENSES[time]
        negation = self.negation(topic.nominal, tense, time)
        if goal > 3 and self.chance(0.3) and (place := self.whereabouts(topic.kind)):
            return Copula(place, tense, negation="not" if negation else None)
        if topic.kind in lex.LIVING and self.chance(0.2):
            feeling = Copula(self.random.choice(lex.FEELINGS), tense, negation=negation)
            return self.qualified(feeling, time, graded=True)
        if (
            self.chance(0.15)
            and topic.kind in Kind.KIN | Kind.ADULT
            and not isinstance(topic.nominal, NounPhrase | Both)
        ):
            return Copula(self.random.choice(lex.PROFESSIONS), tense, negation=negation)
        foretold = time in (_Time.FUTURE, _Time.EXPECTED, _Time.HABIT)
        passing = foretold or self.bound and topic.kind in lex.LIVING
        qualities = _qualities(topic.kind, passing)
        if self.used.issuperset(qualities) and (place := self.whereabouts(topic.kind)):
            return Copula(place, tense, negation="not" if negation else None)
        adjective = self.fresh(qualities)
        quality = Copula(adjective, tense, negation=negation if adjective.passing or negation != "never" else "not")
        return self.qualified(quality, time, graded=adjective.graded) if adjective.passing else quality

    def qualified(self, copula: Copula, time: _Time, *, graded: bool) -> Copula:
        """A passing state with, perhaps, a degree, an adverb or a time."""
        if graded and self.chance(0.2):
            copula = replace(copula, degree=self.random.choice((lex.VERY, lex.TOO)))
        if self.embedded or time is _Time.EXPECTED or copula.negation == "never":
            return copula
        repeated = not (time is _Time.HABIT and self.clause > 1)
        if repeated and copula.negation is None and self.chance(0.2):
            return replace(copula, adverb=self.random.choice((lex.OFTEN, lex.ALWAYS, lex.SOMETIMES)))
        if not self.time_said and self.chance(0.2):
            self.time_said = True
            return replace(copula, adjuncts=(self.random.choice(_WHEN[copula.tense]),))
        return copula

    # Places

    def place(self, where: Kind, kind: Kind) -> tuple[PrepositionalPhrase, ...]:
        """A place where someone of a kind does something, if there is any; animals stay outdoors."""
        if kind is Kind.TREE:
            return ()
        places = where & (Kind.OUTDOORS | Kind.REGION) if Kind.ANIMAL in kind else where
        return (self.at(None, places),) if places else ()

    def whereabouts(self, kind: Kind) -> PrepositionalPhrase | None:
        for kinds, places in _WHEREABOUTS:
            if kind in kinds:
                return self.at(*self.random.choice(places))
        return None

    def at(self, preposition: Preposition | None, kinds: Kind) -> PrepositionalPhrase:
        place = self.noun_phrase(kinds, 0, _Role.PLACE, inside=preposition is None)
        preposition = preposition or place.noun.inside or lex.IN
        if preposition is lex.AT:  # "at the hotel" is à l'hôtel, but "at this hotel" is dans cet hôtel
            place = replace(place, determiner=lex.THE, plural=False)
        return PrepositionalPhrase(preposition, place)

    # Nouns

    def noun_phrase(self, kinds: Kind, goal: int, role: _Role, *, inside: bool = False) -> NounPhrase:
        """A noun with roughly `goal` words around it."""
        noun = self.fresh(_nouns(kinds, inside))
        plural = self.chance(0.05 if role is _Role.PLACE else 0.3)
        determiner: Determiner | NounPhrase | Name
        determiner = self.random.choices(*_determiners(role, noun.kind, plural))[0]
        if goal > 2 and determiner.definite and noun.kind in _OWNED and self.chance(0.2):
            determiner = self.owner()
        adjectives = self.attributes(noun.kind) if self.chance(min(0.45, 0.08 + goal / 12)) else ()
        phrase = NounPhrase(noun, determiner, plural, adjectives)
        may_restrict = determiner in _RESTRICTABLE and role is not _Role.NEGATED or determiner is lex.THE
        if goal > _UNRESTRICTED and may_restrict and not self.embedded and self.chance(0.45):
            return replace(phrase, relative=self.relative(phrase))
        return phrase

    def owner(self) -> NounPhrase | Name:
        if self.chance(0.4):
            return self.fresh(lex.NAMES)
        noun = self.fresh(_nouns(lex.PEOPLE))
        return NounPhrase(noun, self.random.choice(lex.POSSESSIVES) if noun.kind in Kind.KIN else lex.THE)

    def attributes(self, kind: Kind) -> tuple[Adjective, ...]:
        options = [adjectives for side in (True, False) if (adjectives := _attributes(kind, side))]
        if self.chance(0.8):
            options = [self.random.choice(options)] if options else []
        return tuple(self.fresh(adjectives) for adjectives in options)

    def both(self, first: NounPhrase, role: _Role) -> Both:
        kind = first.noun.kind
        return Both(first, self.noun_phrase(lex.PEOPLE if kind in lex.PEOPLE else kind, 1, role))

    def relative(self, phrase: NounPhrase) -> Predicate | Clause:
        """Who sings, or that she sees."""
        self.embedded = True
        time = self.random.choice(_RELATIVE_TIMES.get(self.tense, (_Time.PROGRESSING,)))
        topic = _topic(phrase)
        verbs = _verbs(
            lex.TRANSITIVE_VERBS + lex.GIVING_VERBS, Kind.ADULT, _ASPECTS.get(time, _ALL_ASPECTS), topic.kind
        )
        relative: Predicate | Clause
        if verbs and self.chance(0.5):
            verb = self.fresh(verbs)
            subject = self.relative_subject()
            recipient = self.recipient(_topic(subject)) if verb in lex.GIVING_VERBS else None
            relative = Clause(subject, VerbPhrase(verb, self.tense_of(verb, time), recipient=recipient))
        else:
            relative = self.predicate(topic, 3, time)
        self.embedded = False
        return relative

    def relative_subject(self) -> Nominal:
        if self.chance(0.5):
            return self.random.choice((lex.I, lex.YOU, lex.HE, lex.SHE, lex.WE))
        return self.fresh(lex.NAMES) if self.chance(0.3) else self.noun_phrase(lex.PEOPLE, 0, _Role.KNOWN)
