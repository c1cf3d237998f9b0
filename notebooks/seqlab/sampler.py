"""Draws sentences that make sense from the grammar.

`seqlab.grammar` translates any tree that it is given. This module chooses the trees: who can do what to
whom and where, which tenses go together, and which noun a pronoun stands for. Third-person pronouns
in a second clause always refer to the subject, or the object, of the one before, so that their French gender can
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
    Address,
    AndThen,
    Both,
    Clause,
    Comparison,
    Copula,
    Fronted,
    Joined,
    Negation,
    Nominal,
    NounPhrase,
    Pair,
    Passive,
    Predicate,
    PrepositionalPhrase,
    Question,
    Sentence,
    Speech,
    Subjectless,
    Tense,
    ThereIs,
    ThisIs,
    Utterance,
    VerbPhrase,
    Where,
    WhereIs,
    agreement,
    translate,
)
from seqlab.lexicon import (
    Adjective,
    Aspect,
    Conjunction,
    Determiner,
    Expression,
    Feeling,
    Kind,
    Link,
    Modal,
    Name,
    NegativePronoun,
    Noun,
    Preposition,
    Pronoun,
    Verb,
)

SHORTEST = 3
"""The words of the shortest sentence, "he sleeps ."."""

Item = TypeVar("Item", bound=Noun | Name | Verb | Adjective | Feeling)


def draw_pair(generator: random.Random, max_words: int = 40) -> Pair:
    """Draws a random sentence and its translation; the longer, the rarer.

    Args:
        generator: The source of chance.
        max_words: The largest number of English words, including the full stop.

    Returns:
        A pair of at most `max_words` English words.

    Raises:
        ValueError: If no sentence is so short.
    """
    if max_words < SHORTEST:
        raise ValueError(f"max_words is {max_words}: the shortest sentence has {SHORTEST} words, ask for more")
    goal = round(SHORTEST + (max_words - SHORTEST) * generator.random() ** 2)
    while True:
        try:
            pair = translate(_Sampler(generator).utterance(goal))
        except _NothingNewError:
            continue
        if 0.75 * goal <= len(pair.source) <= min(max_words, 1.25 * goal + 1):
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
    PERFECT = auto()
    EARLIER = auto()
    WOULD = auto()
    SUPPOSED = auto()
    CONCEDED = auto()
    CONCEDED_PAST = auto()


_TOP_TIMES = {
    _Time.PRESENT: 10,
    _Time.PAST: 12,
    _Time.FUTURE: 6,
    _Time.PERFECT: 3,
    _Time.WOULD: 3,
}
"""The times of whole sentences, with their weights."""
_SPOKEN_TIMES = (_Time.PRESENT, _Time.PAST, _Time.FUTURE, _Time.PERFECT)
"""The times of what is asked and of what is quoted."""

_SUBORDINATES = {
    _Time.PRESENT: (
        (lex.BECAUSE, _Time.PRESENT, _Time.PRESENT),
        (lex.BECAUSE, _Time.PRESENT, _Time.PUNCTUAL),
        (lex.WHEN, _Time.HABIT, _Time.HABIT),
        (lex.WHILE, _Time.PROGRESSING, _Time.PROGRESSING),
        (lex.BECAUSE, _Time.PRESENT, _Time.PERFECT),
        (lex.ALTHOUGH, _Time.PRESENT, _Time.CONCEDED),
        (lex.ALTHOUGH, _Time.PRESENT, _Time.CONCEDED_PAST),
    ),
    _Time.HABIT: ((lex.BECAUSE, _Time.HABIT, _Time.PRESENT),),
    _Time.PROGRESSING: ((lex.BECAUSE, _Time.PROGRESSING, _Time.PRESENT),),
    _Time.PAST: (
        (lex.BECAUSE, _Time.PAST, _Time.BACKGROUND),
        (lex.BECAUSE, _Time.PUNCTUAL, _Time.PUNCTUAL),
        (lex.BECAUSE, _Time.PUNCTUAL, _Time.EARLIER),
        (lex.WHEN, _Time.UNDERWAY, _Time.PUNCTUAL),
        (lex.WHILE, _Time.PUNCTUAL, _Time.UNDERWAY),
        (lex.ALTHOUGH, _Time.PUNCTUAL, _Time.CONCEDED_PAST),
    ),
    _Time.PUNCTUAL: ((lex.BECAUSE, _Time.PUNCTUAL, _Time.BACKGROUND), (lex.WHILE, _Time.PUNCTUAL, _Time.UNDERWAY)),
    _Time.BACKGROUND: ((lex.BECAUSE, _Time.BACKGROUND, _Time.BACKGROUND),),
    _Time.UNDERWAY: ((lex.BECAUSE, _Time.UNDERWAY, _Time.BACKGROUND),),
    _Time.FUTURE: (
        (lex.BECAUSE, _Time.FUTURE, _Time.PRESENT),
        (lex.WHEN, _Time.FUTURE, _Time.EXPECTED),
        (lex.AS_SOON_AS, _Time.FUTURE, _Time.EXPECTED),
        (lex.IF, _Time.FUTURE, _Time.PRESENT),
    ),
    _Time.EXPECTED: ((lex.BECAUSE, _Time.EXPECTED, _Time.PRESENT),),
    _Time.PERFECT: ((lex.BECAUSE, _Time.PERFECT, _Time.PRESENT), (lex.ALTHOUGH, _Time.PERFECT, _Time.CONCEDED)),
    _Time.EARLIER: ((lex.BECAUSE, _Time.EARLIER, _Time.BACKGROUND),),
    _Time.WOULD: ((lex.IF, _Time.WOULD, _Time.SUPPOSED),),
    _Time.SUPPOSED: ((lex.BECAUSE, _Time.SUPPOSED, _Time.BACKGROUND),),
    _Time.CONCEDED: ((lex.BECAUSE, _Time.CONCEDED, _Time.PRESENT),),
    _Time.CONCEDED_PAST: ((lex.BECAUSE, _Time.CONCEDED_PAST, _Time.BACKGROUND),),
}
"""For the time of a sentence: a conjunction, with the times of the clauses before and behind it."""

_SAID = {
    _Time.PRESENT: (Tense.PRESENT, (lex.SAY, lex.THINK, lex.KNOW), (_Time.PRESENT, _Time.PUNCTUAL, _Time.FUTURE)),
    _Time.PAST: (
        Tense.PAST,
        (lex.SAY, lex.THINK, lex.KNOW),
        (_Time.BACKGROUND, _Time.EARLIER, _Time.WOULD),
    ),
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
    Tense.PERFECT: (lex.TODAY,),
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
    Tense.PLUPERFECT: (_Time.BACKGROUND,),
    Tense.CONDITIONAL: (_Time.BACKGROUND,),
    Tense.SUPPOSED: (_Time.BACKGROUND,),
    Tense.CONCEDED_PAST: (_Time.BACKGROUND,),
}


_ADVERBS = {
    Tense.PRESENT: (lex.OFTEN, lex.ALWAYS, lex.SOMETIMES),
    Tense.PAST: (lex.OFTEN, lex.SOMETIMES),
    Tense.FUTURE: (lex.OFTEN, lex.ALWAYS, lex.SOMETIMES),
    Tense.PERFECT: (lex.ALREADY, lex.OFTEN),
    Tense.PROGRESSIVE: (lex.STILL,),
}
_MODALS = {
    Tense.PRESENT: (lex.CAN, lex.MUST, lex.WANT, lex.GOING, lex.JUST),
    Tense.PAST: (lex.CAN, lex.WANT),
}
"""The verbs that stand before another, by their tense."""
_DEPARTURES = ("go", "leave", "come", "arrive", "get", "hurry")
"""Verbs of what one does in order to do something else."""
_EXPRESSIONS = ("laugh", "smile", "cry")
"""Verbs of which one sentence has only one."""
_MADE_PASSIVE = ("see", "find", "buy", "sell", "take", "choose", "read", "write", "visit", "draw", "eat", "drink")
_NOTHING_DONE = ("see", "find", "buy", "eat", "drink", "lose", "choose", "sell", "read", "write", "forget")
_NOBODY_MET = ("see", "look", "find", "know", "help", "invite", "call", "meet", "thank", "wait")
"""Verbs that are said of things in the passive, of nothing, and of nobody."""
_RESTRICTABLE = (lex.THE, lex.A, lex.SOME, lex.TWO, lex.THREE, lex.SEVERAL, lex.MANY, lex.EVERY)
"""Determiners of nouns that a relative clause can tell from others."""
_UNRESTRICTED = 5
"""The most words to ask for around a noun that shall have no relative clause."""

_THINGS = lex.PORTABLE | Kind.VEHICLE | Kind.FURNITURE | lex.PLANT | Kind.ROOM | lex.PLACE
_EATEN_OR_MET = lex.LIVING | lex.FOOD | Kind.DRINK
"""What animals have to do with."""
_OWNED = (
    Kind.ACQUAINTANCE | Kind.KIN | Kind.ANIMAL | lex.PORTABLE | Kind.VEHICLE | Kind.FURNITURE | Kind.ROOM | lex.PLANT
)

_WHEREABOUTS = (
    (lex.PEOPLE, ((None, lex.ANYWHERE), (lex.NEAR, Kind.BUILDING | Kind.TREE), (lex.IN_FRONT_OF, Kind.BUILDING))),
    (
        lex.BEAST,
        ((None, lex.OPEN_AIR), (lex.UNDER, Kind.FURNITURE | Kind.TREE), (lex.BEHIND, Kind.TREE)),
    ),
    (Kind.GARMENT, ((lex.ON, Kind.FURNITURE), (None, Kind.ROOM))),
    (Kind.CONTAINER, ((lex.ON, Kind.FURNITURE), (lex.UNDER, Kind.FURNITURE), (None, Kind.ROOM))),
    (lex.BEVERAGE, ((lex.ON, Kind.FURNITURE),)),
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


_OF_MASS: dict[_Role, dict[Determiner, int]] = {
    _Role.SUBJECT: {lex.THE: 40, lex.THIS: 8} | dict.fromkeys(lex.POSSESSIVES, 3),
    _Role.OBJECT: {lex.THE: 30, lex.THIS: 5, lex.SOME_OF: 25, lex.BARE_OF: 15, lex.MUCH: 6},
    _Role.NEGATED: {lex.THE: 20, lex.ANY_OF: 25, lex.BARE_OF: 10},
    _Role.KNOWN: {lex.THE: 40, lex.THIS: 8} | dict.fromkeys(lex.POSSESSIVES, 3),
    _Role.PLACE: {lex.THE: 1},
    _Role.EXISTING: {lex.SOME_OF: 30, lex.NO: 10, lex.MUCH: 6},
    _Role.PRESENTED: {lex.THE: 6, lex.BARE_OF: 20} | dict.fromkeys(lex.POSSESSIVES, 2),
}
"""The determiners of nouns that are not counted."""


@cache
def _mass_determiners(role: _Role) -> tuple[tuple[Determiner, ...], tuple[int, ...]]:
    options = _OF_MASS[role]
    return tuple(options), tuple(options.values())


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
    return tuple(a for a in lex.ADJECTIVES if kind in a.kinds and a.attribute and a.before_noun == before_noun)


@cache
def _qualities(kind: Kind, passing: bool) -> tuple[Adjective, ...]:
    """The adjectives that a subject can be said to be; only what passes can be foretold, where there is any."""
    qualities = tuple(a for a in lex.ADJECTIVES if kind in a.kinds and a.predicate)
    return tuple(a for a in qualities if a.passing) or qualities if passing else qualities


@cache
def _alike(word: Noun | Name | Verb | Adjective | Feeling) -> Sequence[Noun | Verb | Adjective]:
    """The words that would contradict a word in the same sentence, or repeat it."""
    match word:
        case Adjective(theme=theme) if theme:
            return tuple(a for a in lex.ADJECTIVES if a.theme == theme)
        case Verb():
            verbs = lex.TRANSITIVE_VERBS + lex.INTRANSITIVE_VERBS
            if word.english.base in _EXPRESSIONS:
                return tuple(v for v in verbs if v.english.base in _EXPRESSIONS)
            same = (v for v in verbs if v.english.base == word.english.base)
            return (*same, *(a for a in lex.ADJECTIVES if a.english == word.english.base))
        case Noun():
            return tuple(n for n in lex.NOUNS if n.french == word.french)
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
    _Time.PERFECT: (Aspect.ACTION, Aspect.EVENT),
    _Time.EARLIER: (Aspect.ACTION, Aspect.EVENT),
    _Time.WOULD: (Aspect.ACTION, Aspect.EVENT),
    _Time.SUPPOSED: (Aspect.ACTION, Aspect.EVENT),
    _Time.CONCEDED: (Aspect.ACTION, Aspect.STATE),
    _Time.CONCEDED_PAST: (Aspect.ACTION, Aspect.EVENT),
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
    _Time.PERFECT: Tense.PERFECT,
    _Time.EARLIER: Tense.PLUPERFECT,
    _Time.WOULD: Tense.CONDITIONAL,
    _Time.SUPPOSED: Tense.SUPPOSED,
    _Time.CONCEDED: Tense.CONCEDED,
    _Time.CONCEDED_PAST: Tense.CONCEDED_PAST,
}
_IN_PROGRESS = {
    Tense.PRESENT: Tense.PROGRESSIVE,
    Tense.PAST: Tense.PAST_PROGRESSIVE,
    Tense.CONCEDED: Tense.CONCEDED_PROGRESSIVE,
}
_PROGRESS_CHANCE = {
    _Time.PRESENT: 0.6,
    _Time.PAST: 0.2,
    _Time.PROGRESSING: 1.0,
    _Time.BACKGROUND: 1.0,
    _Time.UNDERWAY: 1.0,
    _Time.CONCEDED: 1.0,
}
_MOMENTS = (
    _Time.PROGRESSING,
    _Time.PUNCTUAL,
    _Time.UNDERWAY,
    _Time.PERFECT,
    _Time.EARLIER,
    _Time.CONCEDED_PAST,
)
"""The times of which one says what happens, not what is so."""
_UNDENIED = (_Time.PROGRESSING, _Time.PUNCTUAL, _Time.UNDERWAY, _Time.EXPECTED, _Time.CONCEDED, _Time.CONCEDED_PAST)
"""The times that "while" and "when" speak of: what did not happen then tells little."""
_GENERAL = (_Time.PRESENT, _Time.PAST, _Time.FUTURE, _Time.PERFECT)
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


class _NothingNewError(Exception):
    """There is nothing to be said of a subject that was not said before."""


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
        self.used: set[Noun | Name | Verb | Adjective | Feeling | Conjunction] = set()
        self.speakers: tuple[Pronoun, ...] = (lex.I, lex.YOU, lex.WE)
        self.quoting = False
        self.asking = False
        self.explained = False
        self.located = False
        self.affirming = False

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def fresh(self, options: Sequence[Item]) -> Item:
        """One of the words that the sentence does not have yet, if there is any."""
        word = self.random.choice([o for o in options if o not in self.used] or options)
        self.used.add(word)
        self.used.update(_alike(word))
        return word

    def people(self) -> tuple[Pronoun, ...]:
        """The pronouns that need no one spoken of before; he, she and they only where no one was."""
        return self.speakers if self.clause > 1 or self.embedded else (*self.speakers, lex.HE, lex.SHE, lex.THEY)

    # Questions, speech and plain sentences

    def utterance(self, goal: int) -> Utterance:
        """A whole sentence of roughly `goal` words."""
        kind = self.random.random()
        if goal > 4 and kind < 0.09:
            return self.question(goal)
        if goal > 7 and kind < 0.16:
            return self.speech(goal)
        if goal > 6 and kind < 0.20:
            return self.address(goal)
        times = tuple(_TOP_TIMES) if goal > 8 else tuple(_TOP_TIMES)[:-1]
        time = self.random.choices(times, tuple(_TOP_TIMES.values())[: len(times)])[0]
        return self.sentence(goal, time)

    def question(self, goal: int) -> Question | WhereIs:
        """Is she singing? Why is she singing?"""
        if goal < 8 and self.chance(0.3):
            nominal = self.noun_phrase(lex.PEOPLE & ~Kind.KIN | lex.PORTABLE | Kind.VEHICLE, goal - 3, _Role.KNOWN)
            return WhereIs(nominal, self.random.choice((Tense.PRESENT, Tense.PAST)))
        time = self.random.choice(_SPOKEN_TIMES)
        self.tense = _TENSES[time]
        self.asking = True
        topic: _Topic
        if self.chance(0.2):
            self.clause += 1
            topic = _topic(lex.WHO)
        else:
            topic = self.next_subject(lex.PEOPLE if self.chance(0.75) else Kind.ANIMAL, min(goal, 7), time)
        conjunction = self.random.choice((lex.BECAUSE, lex.AND, lex.BUT)) if goal > 12 else None
        first = goal if conjunction is None else self.split(goal)[0]
        word = None
        if topic.nominal is not lex.WHO and conjunction is None and self.chance(0.4):
            word = lex.WHY
        self.explained = conjunction is lex.BECAUSE
        predicate: Predicate = self.predicate(topic, first - 3, time)
        self.asking = False
        clause = Clause(topic.nominal, predicate)
        if conjunction is not lex.BECAUSE:
            return Question(clause, word)
        self.used.add(lex.BECAUSE)
        later = {_Time.PAST: _Time.EARLIER, _Time.FUTURE: _Time.PRESENT}.get(time, _Time.PERFECT)
        second = self.sentence(goal - first - 1, later, subordinate=True)
        return Question(clause, None, conjunction, second)

    def speech(self, goal: int) -> Speech:
        """Marie said: "i am tired"."""
        self.clause = 1
        speaker: NounPhrase | Name
        if self.chance(0.5):
            speaker = self.fresh(lex.NAMES)
        else:
            noun = self.fresh([noun for noun in _nouns(lex.PEOPLE) if noun.gender == "f" or self.chance(0.5)])
            determiner = self.random.choice(lex.POSSESSIVES) if noun.kind in Kind.KIN else lex.THE
            speaker = NounPhrase(noun, determiner, plural=not noun.unique and self.chance(0.2))
        gender, plural, _ = agreement(speaker)
        i, we = (lex.I_FEMININE, lex.WE_FEMININE) if gender == "f" else (lex.I, lex.WE)
        self.speakers = (we,) if plural else (i,)
        self.quoting = True
        tense = self.random.choice((Tense.PRESENT, Tense.PAST, Tense.PAST))
        return Speech(speaker, tense, self.sentence(goal - 6, self.random.choice(_SPOKEN_TIMES)))

    def address(self, goal: int) -> Address:
        """Anne, you are late."""
        self.clause = 1
        name = self.fresh(lex.NAMES)
        self.speakers = (lex.YOU_FEMININE if name.gender == "f" else lex.YOU,)
        self.quoting = True
        return Address(name, self.sentence(goal - 2, self.random.choice(_SPOKEN_TIMES)))

    # Sentences of several clauses

    def sentence(self, goal: int, time: _Time, *, subordinate: bool = False) -> Sentence:
        """A sentence of roughly `goal` words; a subordinate one is not joined by "and"."""
        if time is _Time.WOULD and not self.said and lex.IF not in self.used:
            return self.subordination(goal, *_SUBORDINATES[time][0])
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
        first, second = self.split(goal)
        outermost = self.clause == 0 and not self.said
        if outermost and conjunction is not lex.BECAUSE and self.chance(0.35):
            self.bound = True
            before = self.simple(first, later)
            self.bound = False
            self.affirming = conjunction is lex.AS_SOON_AS
            behind = self.sentence(second - 1, main, subordinate=True)
            self.affirming = False
            return Joined(behind, conjunction, before, fronted=True)
        self.bound = True
        self.affirming = conjunction is lex.AS_SOON_AS
        before = self.simple(first, main)
        self.affirming = False
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
        first = self.random.randint(3, max(3, goal * 2 // 3 - 2))
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

    def simple(self, goal: int, time: _Time) -> Clause | ThereIs | ThisIs | Fronted:
        """One clause; its predicate may be double, and its time may stand first."""
        clause = self.one_clause(goal, time)
        if self.clause > 1 or self.bound or self.said or not isinstance(clause, Clause):
            return clause
        predicate = clause.predicate
        if isinstance(predicate, VerbPhrase | Copula) and predicate.adjuncts and self.chance(0.4):
            *others, last = predicate.adjuncts
            if isinstance(last, Expression):
                return Fronted(last, replace(clause, predicate=replace(predicate, adjuncts=tuple(others))))
        return clause

    def one_clause(self, goal: int, time: _Time) -> Clause | ThereIs | ThisIs:
        self.tense = _TENSES[time]
        if not self.clause and not self.bound and time in _PRESENTED and goal > 4 and self.chance(0.15):
            self.clause += 1
            return self.presentation(goal, _PRESENTED[time])
        kinds = lex.PEOPLE if goal < 4 or self.chance(0.7) else lex.BEAST
        if goal > 3 and not self.bound and time in _SAID and self.chance(0.3):
            kinds = _THINGS
        topic = self.next_subject(kinds, goal, time)
        if kinds is _THINGS and goal > 5 and (passive := self.passive(topic, time)):
            return Clause(topic.nominal, passive)
        telling = self.explaining or self.quoting and self.clause == 2
        if telling and time not in _MOMENTS and self.chance(0.75 if self.explaining else 0.5):
            self.explaining = False
            return Clause(topic.nominal, self.copula(topic, goal - 2, time))
        self.explaining = False
        if goal > 9 and topic.kind in lex.LIVING and self.chance(0.25 if goal < 16 else 0.45):
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

    def passive(self, topic: _Topic, time: _Time) -> Passive | None:
        """Was written by marie."""
        tense = _TENSES[time]
        if tense not in (Tense.PAST, Tense.FUTURE) or not _is_definite(topic.nominal) or self.chance(0.6):
            return None
        aspects = (Aspect.ACTION,) if tense is Tense.FUTURE else (Aspect.ACTION, Aspect.EVENT)
        verbs = [
            verb
            for verb in _verbs(lex.TRANSITIVE_VERBS, Kind.ADULT, aspects, topic.kind)
            if verb.english.base in _MADE_PASSIVE and not verb.idiom and verb not in self.used
        ]
        if not verbs or isinstance(topic.nominal, Pronoun):
            return None
        agent = self.fresh(lex.NAMES) if self.chance(0.4) else self.noun_phrase(lex.PEOPLE, 1, _Role.KNOWN)
        return Passive(self.fresh(verbs), tense, agent, "not" if self.chance(0.15) else None)

    def next_subject(self, kinds: Kind, goal: int, time: _Time) -> _Topic:
        """The subject of the next clause: a pronoun for someone or something spoken of, or someone new."""
        self.clause += 1
        last = self.mentioned(time)
        if last and not self.asking and self.chance(0.75 if self.explaining else 0.55):
            self.subject = last
            return _Topic(last.pronoun(), last.kind)
        nominal: Nominal
        first = self.quoting and self.clause < 3
        if first and time is not _Time.EXPECTED or kinds is lex.PEOPLE and self.chance(0.35 if goal > 5 else 0.6):
            nominal = self.random.choice(self.people())
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
        if time in _UNDENIED or self.affirming or not _is_definite(subject) or not self.chance(0.2):
            return None
        if time is _Time.PRESENT and self.chance(0.15):
            return "no longer"
        never = time in _GENERAL and tense not in _IN_PROGRESS.values() and self.chance(0.3)
        return "never" if never and not self.asking else "not"

    def modal(self, phrase: VerbPhrase, topic: _Topic, time: _Time) -> VerbPhrase:
        """A verb phrase with, perhaps, a verb before its verb: can see, is going to see."""
        tense = _TENSES[time]
        if (
            time not in (_Time.PRESENT, _Time.PAST)
            or phrase.verb.aspect is not Aspect.ACTION
            or topic.kind not in lex.LIVING
            or phrase.negation in ("never", "no longer")
            or self.explained
            or isinstance(phrase.object, NegativePronoun)
            or not self.chance(0.3)
        ):
            return phrase
        modal: Modal = self.random.choice(_MODALS[tense])
        if modal is lex.JUST and phrase.negation:
            modal = lex.GOING
        return replace(phrase, tense=tense, modal=modal)

    def purpose(self, phrase: VerbPhrase, topic: _Topic, goal: int, time: _Time) -> VerbPhrase:
        """A verb phrase with, perhaps, another verb of the same subject: before eating."""
        moving = phrase.verb.english.base in _DEPARTURES and time is not _Time.CONCEDED
        possible = phrase.verb.aspect is Aspect.ACTION or moving
        full = self.embedded or self.asking or self.time_said or phrase.negation or phrase.modal in (lex.CAN, lex.JUST)
        if goal < 7 or full or not possible or topic.kind not in lex.PEOPLE or not self.chance(0.35):
            return phrase
        links: tuple[Link, ...] = (lex.BEFORE, lex.AFTER, lex.WITHOUT)
        if moving and self.chance(0.7):
            links = (lex.IN_ORDER_TO,)
        if _TENSES[time] in (Tense.PRESENT, Tense.PAST) and phrase.tense in _IN_PROGRESS.values():
            links = tuple(link for link in links if link in (lex.IN_ORDER_TO, lex.WITHOUT)) or (lex.WITHOUT,)
        link = self.random.choice(links)
        verbs: tuple[Verb, ...]
        if self.chance(0.3):
            verbs = _verbs(lex.INTRANSITIVE_VERBS, topic.kind, (Aspect.ACTION,))
            verb = self.fresh([v for v in verbs if not v.needs_place and v.english.base not in _DEPARTURES])
            inner = VerbPhrase(verb, Tense.PRESENT)
        else:
            verb = self.fresh(_verbs(lex.TRANSITIVE_VERBS, topic.kind, (Aspect.ACTION,)))
            role = _Role.KNOWN if link is lex.WITHOUT or verb.generic else _Role.OBJECT
            inner = VerbPhrase(verb, Tense.PRESENT, self.noun_phrase(verb.objects, 2, role))
        return replace(phrase, adjuncts=(*phrase.adjuncts, Subjectless(link, inner)))

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
        if verb.company and topic.kind in lex.PEOPLE and goal > 2 and not places and self.chance(0.4):
            places = (PrepositionalPhrase(lex.WITH, self.companion(topic)),)
        phrase = self.modal(VerbPhrase(verb, tense, negation=negation, adjuncts=places), topic, time)
        if phrase.modal is None:
            phrase = self.timed(phrase, time, repeatable=verb.aspect is Aspect.ACTION)
        return self.purpose(phrase, topic, goal, time)

    def companion(self, topic: _Topic) -> NounPhrase | Name | Pronoun:
        if self.chance(0.4):
            return self.other_than(topic)
        return self.fresh(lex.NAMES) if self.chance(0.2) else self.noun_phrase(lex.PEOPLE, 1, _Role.KNOWN)

    def other_than(self, topic: _Topic) -> NounPhrase | Name | Pronoun:
        """A pronoun for someone else than the subject, if there is any."""
        person = agreement(topic.nominal).person
        others = [p for p in self.people() if person == 3 or p.person != person]
        return self.random.choice(others) if others else self.fresh(lex.NAMES)

    def transitive(self, topic: _Topic, goal: int, time: _Time, aspects: tuple[Aspect, ...]) -> VerbPhrase:
        known = self.last_object()
        if known and not self.embedded and self.chance(0.5):
            verbs = [v for v in _verbs(lex.TRANSITIVE_VERBS, topic.kind, aspects, known.kind) if v not in self.used]
            if verbs and (topic.kind in lex.PEOPLE or known.kind in _EATEN_OR_MET):
                verb = self.fresh(verbs)
                tense = self.tense_of(verb, time)
                negation = self.negation(topic.nominal, tense, time)
                return self.modal(VerbPhrase(verb, tense, known.pronoun(), negation=negation), topic, time)
        verb = self.fresh(_verbs(lex.TRANSITIVE_VERBS, topic.kind, aspects))
        tense = self.tense_of(verb, time)
        if (
            time not in (*_UNDENIED, _Time.HABIT)
            and not self.asking
            and _is_definite(topic.nominal)
            and self.chance(0.06)
        ):
            if verb.english.base in _NOTHING_DONE and not verb.idiom and not self.embedded:
                return VerbPhrase(verb, tense, lex.NOTHING)
            if verb.english.base in _NOBODY_MET and Kind.ADULT in verb.objects and topic.kind in lex.PEOPLE:
                return VerbPhrase(verb, tense, lex.NOBODY)
        negation = self.negation(topic.nominal, tense, time)
        if negation and verb.english.base == "know":
            negation = "not"
        acted_on = self.acted_on(verb, topic, goal, negation)
        self.remember_object(acted_on, negation)
        kind = _topic(acted_on).kind
        phrase = VerbPhrase(verb, tense, acted_on, negation=negation)
        if goal > 5 and kind in lex.PEOPLE | Kind.ANIMAL | lex.PORTABLE and self.chance(0.25):
            phrase = replace(phrase, adjuncts=self.place(verb.where, topic.kind | kind))
        repeatable = kind in lex.PEOPLE or agreement(acted_on).plural
        phrase = self.modal(phrase, topic, time)
        if phrase.modal is None:
            phrase = self.timed(phrase, time, repeatable=repeatable and verb.aspect is not Aspect.STATE)
        return phrase if verb.instrument else self.purpose(phrase, topic, goal, time)

    def acted_on(self, verb: Verb, topic: _Topic, goal: int, negation: Negation | None) -> Nominal:
        """The object of a verb."""
        kinds = verb.objects if topic.kind in lex.PEOPLE else verb.objects & _EATEN_OR_MET
        if Kind.ADULT in kinds and self.chance(0.3 if goal > 3 else 0.6):
            return self.other_than(topic)
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
        phrase = VerbPhrase(verb, tense, given, self.recipient(topic), negation=negation)
        return self.modal(phrase, topic, time)

    def recipient(self, topic: _Topic) -> NounPhrase | Name | Pronoun:
        if self.chance(0.5):
            return self.other_than(topic)
        if self.chance(0.2):
            return self.fresh(lex.NAMES)
        return self.noun_phrase(lex.PEOPLE, 1, _Role.KNOWN)

    def timed(self, phrase: VerbPhrase, time: _Time, *, repeatable: bool) -> VerbPhrase:
        """A verb phrase with, perhaps, an adverb or a time."""
        if self.embedded or phrase.verb.aspect is Aspect.STATE or time in (_Time.PUNCTUAL, _Time.UNDERWAY):
            return phrase
        repeated = repeatable and not (time is _Time.HABIT and self.clause > 1)
        if repeated and phrase.negation is None and phrase.tense in _ADVERBS and self.chance(0.2):
            adverb = self.random.choice(_ADVERBS[phrase.tense])
            if adverb is not lex.STILL or phrase.verb.english.base not in _DEPARTURES:
                return replace(phrase, adverb=adverb)
        times = () if time is _Time.HABIT else _WHEN.get(phrase.tense, ())
        if times and phrase.negation not in ("never", "no longer") and not self.time_said and self.chance(0.2):
            self.time_said = True
            if repeatable and phrase.tense is Tense.PRESENT:
                times += (lex.EVERY_DAY,)
            return replace(phrase, adjuncts=(*phrase.adjuncts, self.random.choice(times)))
        return phrase

    # To be

    def copula(self, topic: _Topic, goal: int, time: _Time) -> Copula:
        tense = _TENSES[time]
        negation = self.negation(topic.nominal, tense, time)
        told = self.located and isinstance(topic.nominal, Pronoun)
        if goal > 3 and not told and self.chance(0.3) and (place := self.whereabouts(topic.kind)):
            self.located = True
            return Copula(place, tense, negation="not" if negation else None)
        if topic.kind in lex.LIVING and self.chance(0.2) and not self.used.issuperset(lex.FEELINGS):
            feeling = Copula(self.fresh(lex.FEELINGS), tense, negation=negation)
            return self.qualified(feeling, time, graded=True)
        if (
            self.chance(0.15)
            and topic.kind in Kind.KIN | Kind.ADULT
            and time in (_Time.PRESENT, _Time.PAST, _Time.BACKGROUND)
            and not isinstance(topic.nominal, NounPhrase | Both)
        ):
            return Copula(self.random.choice(lex.PROFESSIONS), tense, negation=negation)
        foretold = time in (_Time.FUTURE, _Time.EXPECTED, _Time.HABIT, _Time.WOULD, _Time.SUPPOSED, _Time.CONCEDED)
        passing = foretold or self.bound and topic.kind in lex.LIVING
        qualities = _qualities(topic.kind, passing)
        if self.used.issuperset(qualities):
            raise _NothingNewError
        adjective = self.fresh(qualities)
        comparable = adjective.graded and time in (_Time.PRESENT, _Time.PAST, _Time.BACKGROUND) and not self.embedded
        if comparable and goal > 3 and negation not in ("never", "no longer") and self.chance(0.5):
            return Copula(self.comparison(adjective, topic), tense, negation=negation)
        quality = Copula(adjective, tense, negation=negation if adjective.passing or negation != "never" else "not")
        return self.qualified(quality, time, graded=adjective.graded) if adjective.passing else quality

    def qualified(self, copula: Copula, time: _Time, *, graded: bool) -> Copula:
        """A passing state with, perhaps, a degree, an adverb or a time."""
        if graded and self.chance(0.2):
            copula = replace(copula, degree=self.random.choice((lex.VERY, lex.TOO)))
        if self.embedded or time is _Time.EXPECTED or copula.negation in ("never", "no longer"):
            return copula
        repeated = not (time is _Time.HABIT and self.clause > 1)
        if repeated and copula.negation is None and self.chance(0.2):
            return replace(copula, adverb=self.random.choice((lex.OFTEN, lex.ALWAYS, lex.SOMETIMES)))
        times = () if time is _Time.HABIT else _WHEN.get(copula.tense, ())
        if times and not self.time_said and self.chance(0.2):
            self.time_said = True
            return replace(copula, adjuncts=(self.random.choice(times),))
        return copula

    def comparison(self, adjective: Adjective, topic: _Topic) -> Comparison:
        """Bigger than the dog."""
        manner = self.random.choice((lex.MORE, lex.MORE, lex.AS, lex.LESS))
        kinds = topic.kind
        than: NounPhrase | Name | Pronoun
        if kinds in lex.PEOPLE:
            kinds = lex.PEOPLE
            than = self.other_than(topic) if self.chance(0.4) else self.noun_phrase(kinds, 0, _Role.KNOWN)
        else:
            than = self.noun_phrase(kinds, 0, _Role.KNOWN)
        if isinstance(than, NounPhrase):
            than = replace(than, adjectives=())
        return Comparison(manner, adjective, than)

    # Places

    def place(self, where: Kind, kind: Kind) -> tuple[PrepositionalPhrase, ...]:
        """A place where someone of a kind does something, if there is any; animals stay outdoors."""
        if kind is Kind.TREE:
            return ()
        places = where & lex.OPEN_AIR if kind & lex.BEAST else where
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
        plural = not (noun.mass or noun.unique) and self.chance(0.05 if role is _Role.PLACE else 0.3)
        options = _mass_determiners(role) if noun.mass else _determiners(role, noun.kind, plural)
        drawn = self.random.choices(*options)[0]
        determiner: Determiner | NounPhrase | Name = drawn
        if goal > 2 and drawn.definite and not noun.mass and noun.kind in _OWNED and self.chance(0.2):
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

    def relative(self, phrase: NounPhrase) -> Predicate | Clause | Where:
        """Who sings, that she sees, or where she works."""
        self.embedded = True
        time = self.random.choice(_RELATIVE_TIMES.get(self.tense, (_Time.PROGRESSING,)))
        topic = _topic(phrase)
        if phrase.noun.kind & lex.ANYWHERE and self.chance(0.6):
            clause = self.happening(phrase.noun.kind, time)
            self.embedded = False
            return Where(clause)
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

    def happening(self, place: Kind, time: _Time) -> Clause:
        """She works, said of a place."""
        aspects = _ASPECTS.get(time, _ALL_ASPECTS)
        verbs = _verbs(lex.INTRANSITIVE_VERBS, Kind.ADULT, aspects)
        verb = self.fresh([v for v in verbs if place in v.where and not v.needs_place])
        return Clause(self.relative_subject(), VerbPhrase(verb, self.tense_of(verb, time)))

    def relative_subject(self) -> Nominal:
        if self.chance(0.5):
            return self.random.choice((*self.speakers, lex.HE, lex.SHE))
        return self.fresh(lex.NAMES) if self.chance(0.3) else self.noun_phrase(lex.PEOPLE, 0, _Role.KNOWN)
