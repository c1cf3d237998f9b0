"""Instructions whose answers a program can verify, for the chapter on what comes after pre-training.

Each asks in English for one of ten tasks. The sentences and words in them are drawn from the grammar of the translation corpus and from the
speeches, and so is the right answer: whether a model follows an instruction is a number and not a matter of taste.
Eight tasks are for training, two are held out; of the ten templates of each task, two are held out.

One task is open: "write a sentence with a cat" has many right answers. `is_sentence_with` says whether an answer is one of them, because `parse`
reads the same small part of the grammar that the sentences are drawn from. The rule-based answerer, `answer_by_rule`, parses too: it finds the
task by its keywords and does what the task asks for. It is the ceiling that a model is measured against.
"""

from __future__ import annotations

import itertools
import math
import random
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from seqlab import lexicon as lex
from seqlab.grammar import (
    Adjunct,
    Clause,
    NounPhrase,
    PrepositionalPhrase,
    Tense,
    VerbPhrase,
    translate,
)
from seqlab.lexicon import NOWHERE, Adjective, Name, Noun, Pronoun, Verb
from seqlab.periods import LAST_OLD_YEAR
from seqlab.presidents import NUMBER, Speech, load_speeches

__all__ = [
    "HELD_OUT_TASKS",
    "HELD_OUT_TEMPLATES",
    "TASKS",
    "TEMPLATES",
    "Instruction",
    "Instructions",
    "answer_by_rule",
    "draw_clause",
    "draw_instructions",
    "english",
    "is_right",
    "is_sentence_with",
    "load_instructions",
    "parse",
]

Words = tuple[str, ...]

TEMPLATES: dict[str, tuple[str, ...]] = {
    "translate": (
        "translate into french : {}",
        "say in french : {}",
        "put this into french : {}",
        "give the french for : {}",
        "in french , please : {}",
        "{} translate this into french .",
        "{} how do you say this in french ?",
        "how would a frenchman say : {}",
        "what is the french for : {}",
        "{} now the same in french .",
    ),
    "negate": (
        "negate : {}",
        "make this negative : {}",
        "say that this is not so : {}",
        "put a not into this sentence : {}",
        "deny this : {}",
        "{} deny it .",
        "{} say that it is not true .",
        "turn this into its negation : {}",
        "give the negative of : {}",
        "{} now with a not .",
    ),
    "plural": (
        "make plural : {}",
        "give the plural of : {}",
        "more than one of this : {}",
        "put into the plural : {}",
        "what is the plural of : {}",
        "{} make it plural .",
        "{} what are several of them called ?",
        "the plural , please : {}",
        "how do you call two of these : {}",
        "{} now the plural .",
    ),
    "past": (
        "put into the past : {}",
        "say this in the past tense : {}",
        "it was yesterday : {}",
        "use the past tense : {}",
        "make this past : {}",
        "{} put it in the past .",
        "{} say that it happened yesterday .",
        "change the present into the past : {}",
        "tell this in the past : {}",
        "{} now in the past tense .",
    ),
    "reverse": (
        "reverse : {}",
        "say these words backwards : {}",
        "turn the order round : {}",
        "give the words in reverse order : {}",
        "read this from the end : {}",
        "{} reverse these words .",
        "{} say this from the last to the first .",
        "put the last word first : {}",
        "write these backwards : {}",
        "{} now in reverse .",
    ),
    "spell": (
        "spell : {}",
        "spell the word {}",
        "how is {} spelled ?",
        "give the letters of : {}",
        "write letter by letter : {}",
        "{} spell it .",
        "{} what are its letters ?",
        "how do you spell {} ?",
        "say the letters of the word {}",
        "{} now letter by letter .",
    ),
    "era": (
        "is this early or late : {}",
        "early or late : {}",
        "from which period is this : {}",
        "say whether this is early or late : {}",
        "date this sentence : {}",
        "{} is that early or late ?",
        "{} from which period is that ?",
        "old times or new times : {}",
        "which period is this from : {}",
        "{} early or late ?",
    ),
    "write": (
        "write a sentence with {}",
        "use {} in a sentence",
        "give me a sentence about {}",
        "make a sentence with {}",
        "say something about {}",
        "{} write a sentence with it .",
        "{} use it in a sentence .",
        "tell me something about {}",
        "form a sentence with {}",
        "{} now in a sentence .",
    ),
    "who": (
        "who did this : {}",
        "name the subject of : {}",
        "who is it about : {}",
        "say who does this : {}",
        "find who acts here : {}",
        "{} who did it ?",
        "{} name the subject .",
        "tell me who does this : {}",
        "give the subject of : {}",
        "{} who was that ?",
    ),
    "count": (
        "count : {}",
        "count the words : {}",
        "how many words are there : {}",
        "give the number of words : {}",
        "say how many words this has : {}",
        "{} how many words is that ?",
        "{} count them .",
        "how many are these : {}",
        "the number of words , please : {}",
        "{} how many were there ?",
    ),
}
"""What an instruction says around its input, by task; the last two of each are held out."""
HELD_OUT_TASKS = ("who", "count")
TASKS = tuple(task for task in TEMPLATES if task not in HELD_OUT_TASKS)
HELD_OUT_TEMPLATES = (8, 9)
_LEARNT_TEMPLATES = tuple(i for i in range(10) if i not in HELD_OUT_TEMPLATES)

NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight")
PERIODS = ("early", "late")


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction with its answer.

    Attributes:
        task: One of the keys of `TEMPLATES`.
        template: The number of its template, from 0 to 9.
        input: The words that the template is put around.
        prompt: The words of the whole instruction.
        answer: The words of the right answer; of the task "write", one right answer of many.
    """

    task: str
    template: int
    input: Words
    prompt: Words
    answer: Words


@dataclass(frozen=True, slots=True)
class Instructions:
    """Sets of instructions that share no input.

    Attributes:
        train: To learn from: the eight tasks, in eight templates each.
        valid: The same tasks and templates, to choose learning rates by.
        test: The same tasks and templates, to measure by.
        templates: The same tasks, in the two templates of each that are held out.
        tasks: The two tasks that are held out, in all templates.
    """

    train: tuple[Instruction, ...]
    valid: tuple[Instruction, ...]
    test: tuple[Instruction, ...]
    templates: tuple[Instruction, ...]
    tasks: tuple[Instruction, ...]


# The small part of the grammar: he sees the red house today .

_VERBS = tuple(verb for verb in lex.TRANSITIVE_VERBS if not verb.idiom and not verb.generic)
_SINGLE_NOUNS = tuple(
    noun for noun in lex.NOUNS if " " not in noun.english and "-" not in noun.french and not noun.unique
)
_TIMES = (lex.TODAY, lex.NOW)
_ADJUNCTS = {time.english: time for time in _TIMES}
_SUBJECTS: tuple[Name | Pronoun, ...] = (*lex.NAMES, lex.HE, lex.SHE)


@cache
def _nouns(kinds: lex.Kind) -> tuple[Noun, ...]:
    return tuple(noun for noun in _SINGLE_NOUNS if noun.kind in kinds)


@cache
def _adjectives(kind: lex.Kind) -> tuple[Adjective, ...]:
    return tuple(adjective for adjective in lex.ADJECTIVES if kind in adjective.kinds and adjective.attribute)


def _noun_phrase(draw: random.Random, noun: Noun, adjectives: float) -> NounPhrase:
    determiner = lex.THE if noun.mass or draw.random() < 0.6 else lex.A
    found = _adjectives(noun.kind)
    chosen = (draw.choice(found),) if found and draw.random() < adjectives else ()
    return NounPhrase(noun, determiner, adjectives=chosen)


def draw_clause(draw: random.Random, noun: Noun | None = None, *, adjectives: float = 0.3) -> Clause:
    """Draws a short clause in the present tense, about one person, animal or thing: he sees the red house today.

    Args:
        draw: The source of chance.
        noun: A noun that has to be in it, as its subject or its object; any if None.
        adjectives: How likely each noun is to have an adjective.

    Returns:
        The clause.
    """
    while True:
        verb = draw.choice(_VERBS)
        subject: Name | Pronoun | NounPhrase = draw.choice(_SUBJECTS)
        if draw.random() < 0.5:
            subject = _noun_phrase(draw, draw.choice(_nouns(verb.subjects)), adjectives)
        acted_on: Name | NounPhrase = _noun_phrase(draw, draw.choice(_nouns(verb.objects)), adjectives)
        if noun is not None and noun.kind in verb.objects and draw.random() < 0.7:
            acted_on = _noun_phrase(draw, noun, adjectives)
        elif noun is not None and noun.kind in verb.subjects:
            subject = _noun_phrase(draw, noun, adjectives)
        elif noun is not None:
            continue
        elif verb.objects & lex.PEOPLE and draw.random() < 0.3:
            acted_on = draw.choice(lex.NAMES)
        if subject == acted_on or _noun_of(subject) is not None and _noun_of(subject) is _noun_of(acted_on):
            continue
        adjuncts = _adjuncts(draw, verb)
        return Clause(subject, VerbPhrase(verb, Tense.PRESENT, acted_on, adjuncts=adjuncts))


def _noun_of(nominal: object) -> Noun | None:
    return nominal.noun if isinstance(nominal, NounPhrase) else None


def _adjuncts(draw: random.Random, verb: Verb) -> tuple[Adjunct, ...]:
    """Nothing, a place, or a time."""
    chance = draw.random()
    if chance < 0.25 and verb.where != NOWHERE:
        place = draw.choice([noun for noun in _nouns(verb.where) if noun.inside])
        assert place.inside
        return (PrepositionalPhrase(place.inside, NounPhrase(place, lex.THE)),)
    return (draw.choice(_TIMES),) if chance > 0.85 else ()


def english(clause: Clause) -> Words:
    """The English words of a clause, its full stop among them."""
    return translate(clause).source


def french(clause: Clause) -> Words:
    """The French words of a clause without their accents, which the pieces do not have."""
    return tuple(map(_plain, translate(clause).target))


def _plain(word: str) -> str:
    letters = unicodedata.normalize("NFD", word.replace("œ", "oe"))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def in_the_past(clause: Clause) -> Words:
    """He saw the red house today."""
    assert isinstance(clause.predicate, VerbPhrase)
    return english(replace(clause, predicate=replace(clause.predicate, tense=Tense.PAST)))


def negated(clause: Clause) -> Words:
    """He does not see the red house today."""
    assert isinstance(clause.predicate, VerbPhrase)
    return english(replace(clause, predicate=replace(clause.predicate, negation="not")))


# Reading such a sentence back


@cache
def _verb_forms() -> dict[tuple[Words, Words], Verb]:
    """A verb by its words before the object, in the third person, and those behind it."""
    found = {}
    for verb in _VERBS:
        example = english(
            Clause(
                lex.HE, VerbPhrase(verb, Tense.PRESENT, lex.NAMES[0] if verb.objects & lex.PEOPLE else _sample(verb))
            )
        )
        before = example[1 : 2 + bool(verb.particle)]
        found[before, tuple(verb.instrument.split())] = verb
    return found


def _sample(verb: Verb) -> NounPhrase:
    return NounPhrase(_nouns(verb.objects)[0], lex.THE)


@cache
def _tables() -> tuple[dict[str, Noun], dict[str, list[Adjective]], dict[str, Name | Pronoun]]:
    adjectives: dict[str, list[Adjective]] = {}
    for adjective in lex.ADJECTIVES:
        adjectives.setdefault(adjective.english, []).append(adjective)
    subjects = {each.text if isinstance(each, Name) else each.english: each for each in _SUBJECTS}
    return {noun.english: noun for noun in _SINGLE_NOUNS}, adjectives, subjects


def _read_nominal(words: Sequence[str]) -> tuple[Name | Pronoun | NounPhrase, int] | None:
    """A nominal at the start of some words, and how many words it has."""
    nouns, adjectives, subjects = _tables()
    if words and words[0] in subjects:
        return subjects[words[0]], 1
    if len(words) < 2 or words[0] not in ("the", "a", "an"):
        return None
    determiner = lex.THE if words[0] == "the" else lex.A
    for size in (0, 1):
        if len(words) < size + 2 or words[size + 1] not in nouns:
            continue
        noun = nouns[words[size + 1]]
        fitting = [each for each in adjectives.get(words[1], ()) if noun.kind in each.kinds and each.attribute]
        if size and not fitting or noun.mass and determiner is lex.A:
            return None
        phrase = NounPhrase(noun, determiner, adjectives=tuple(fitting[:1]) if size else ())
        return phrase, size + 2
    return None


def _read_adjuncts(words: Sequence[str]) -> tuple[Adjunct, ...] | None:
    """What stands behind the object, up to the full stop."""
    if not words:
        return ()
    if len(words) == 1 and words[0] in _ADJUNCTS:
        return (_ADJUNCTS[words[0]],)
    noun = _tables()[0].get(words[-1])
    if len(words) == 3 and noun is not None and noun.inside and words[:2] == (noun.inside.english, "the"):
        return (PrepositionalPhrase(noun.inside, NounPhrase(noun, lex.THE)),)
    return None


def parse(words: Sequence[str]) -> Clause | None:
    """Reads a short clause of the kind that `draw_clause` draws.

    Args:
        words: The words of a sentence, its full stop among them.

    Returns:
        The clause, or None: the words are not such a sentence, or a noun does not go with its verb or its adjective.
    """
    words = tuple(words)
    subject = _read_nominal(words)
    if subject is None or words[-1] != ".":
        return None
    start = subject[1]
    for (before, behind), verb in _verb_forms().items():
        if words[start : start + len(before)] != before:
            continue
        acted_on = _read_nominal(words[start + len(before) : -1])
        if acted_on is None or isinstance(acted_on[0], Pronoun):
            continue
        end = start + len(before) + acted_on[1]
        if words[end : end + len(behind)] != behind:
            continue
        adjuncts = _read_adjuncts(words[end + len(behind) : -1])
        if adjuncts is None or not _suits(subject[0], verb.subjects) or not _suits(acted_on[0], verb.objects):
            continue
        clause = Clause(subject[0], VerbPhrase(verb, Tense.PRESENT, acted_on[0], adjuncts=adjuncts))
        if english(clause) == words:
            return clause
    return None


def _suits(nominal: Name | Pronoun | NounPhrase, kinds: lex.Kind) -> bool:
    return bool(kinds & lex.PEOPLE) if not isinstance(nominal, NounPhrase) else nominal.noun.kind in kinds


def is_sentence_with(word: str, answer: Sequence[str]) -> bool:
    """Whether an answer is one right sentence that has the word in it, once.

    Args:
        word: The English noun that has to be in it.
        answer: The words of the answer.
    """
    return list(answer).count(word) == 1 and parse(answer) is not None


def is_right(instruction: Instruction, answer: Sequence[str]) -> bool:
    """Whether an answer is right: word for word, or, of the task "write", by `is_sentence_with`.

    Args:
        instruction: The instruction.
        answer: The words of the answer, without specials.
    """
    if instruction.task == "write":
        return is_sentence_with(instruction.input[-1], answer)
    return tuple(answer) == instruction.answer


# Drawing instructions


_Drawn = tuple[Words, Words]
"""The input of an instruction, and its answer."""


def _translate(draw: random.Random) -> _Drawn:
    clause = draw_clause(draw)
    return english(clause), french(clause)


def _negate(draw: random.Random) -> _Drawn:
    clause = draw_clause(draw)
    return english(clause), negated(clause)


def _past(draw: random.Random) -> _Drawn:
    clause = draw_clause(draw)
    return english(clause), in_the_past(clause)


def _who(draw: random.Random) -> _Drawn:
    clause = draw_clause(draw)
    words = english(clause)
    found = _read_nominal(words)
    assert found
    return words, words[: found[1]]


def _plural(draw: random.Random) -> _Drawn:
    noun = draw.choice([each for each in _SINGLE_NOUNS if not each.mass])
    adjective = draw.choice(_adjectives(noun.kind)).english if _adjectives(noun.kind) and draw.random() < 0.7 else ""
    determiner = draw.choice(("the", "this", "my", "his", "her", "our"))
    several = "these" if determiner == "this" else determiner
    between = (adjective,) if adjective else ()
    return (determiner, *between, noun.english), (several, *between, _plural_of(noun))


def _plural_of(noun: Noun) -> str:
    return noun.english_plural or noun.english + "s"


def _list(draw: random.Random, most: int) -> Words:
    return tuple(noun.english for noun in draw.sample(_SINGLE_NOUNS, draw.randint(2, most)))


def _reverse(draw: random.Random) -> _Drawn:
    words = _list(draw, 5)
    return words, words[::-1]


def _count(draw: random.Random) -> _Drawn:
    words = _list(draw, 8)
    return words, (NUMBERS[len(words) - 2],)


def _write(draw: random.Random) -> _Drawn:
    noun = draw.choice(_SINGLE_NOUNS)
    clause = draw_clause(draw, noun, adjectives=0.4)
    determiner = ("the",) if noun.mass else ("an",) if noun.english[0] in "aeiou" else ("a",)
    return (*determiner, noun.english), english(clause)


@cache
def _spelled() -> tuple[str, ...]:
    """The words that are spelled: frequent ones of the speeches, of four to seven letters."""
    counts = Counter(word for speech in load_speeches().train for sentence in speech.sentences for word in sentence)
    fitting = (word for word, count in counts.most_common(6_000) if count > 3)
    return tuple(word for word in fitting if re.fullmatch("[a-z]{4,7}", word))


def _spell(draw: random.Random) -> _Drawn:
    word = draw.choice(_spelled())
    return (word,), tuple(word)


@cache
def _dated(part: str, period: str) -> tuple[Words, ...]:
    """The sentences of one set and period that are neither long nor short."""
    speeches: tuple[Speech, ...] = getattr(load_speeches(), part)
    return tuple(
        sentence
        for speech in speeches
        if (speech.year <= LAST_OLD_YEAR) == (period == "early")
        for sentence in speech.sentences
        if 8 <= len(sentence) <= 16 and NUMBER not in sentence
    )


def _era(draw: random.Random, part: str) -> _Drawn:
    period = draw.choice(PERIODS)
    return draw.choice(_dated(part, period)), (period,)


_DRAW: dict[str, Callable[[random.Random], _Drawn]] = {
    "translate": _translate,
    "negate": _negate,
    "plural": _plural,
    "past": _past,
    "reverse": _reverse,
    "spell": _spell,
    "write": _write,
    "who": _who,
    "count": _count,
}
_REPEATED = "write"
"""The task whose inputs, single nouns, are so few that those of the test are those of training; what is judged is the sentence."""


@cache
def load_instructions(
    *, seed: int = 0, train: int = 2_000, valid: int = 25, test: int = 40, held_out: int = 40
) -> Instructions:
    """Draws the instructions.

    Args:
        seed: The seed that determines everything.
        train: How many instructions of each of the eight tasks to learn from.
        valid: The same, to choose learning rates by.
        test: The same, to measure by.
        held_out: How many of each task in held-out templates, and of each held-out task.

    Returns:
        The five sets; no input of one is in another, except for the task "write", whose inputs are single nouns.

    Raises:
        ValueError: If a size is below 1.
    """
    sizes = {"train": train, "valid": valid, "test": test, "held_out": held_out}
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name} is {size}: ask for at least 1")
    draw = random.Random(seed)
    seen: set[tuple[str, Words]] = set()
    held_out_of = [_draw_task(draw, task, held_out, range(10), "test", seen) for task in HELD_OUT_TASKS]
    templates = [_draw_task(draw, task, held_out, HELD_OUT_TEMPLATES, "test", seen) for task in TASKS]
    measured = [_draw_task(draw, task, test, _LEARNT_TEMPLATES, "test", seen) for task in TASKS]
    chosen = [_draw_task(draw, task, valid, _LEARNT_TEMPLATES, "valid", seen) for task in TASKS]
    learnt = [_draw_task(draw, task, train, _LEARNT_TEMPLATES, "train", seen) for task in TASKS]
    sets = (learnt, chosen, measured, templates, held_out_of)
    return Instructions(*(tuple(itertools.chain.from_iterable(each)) for each in sets))


def draw_instructions(task: str, size: int, seed: int) -> tuple[Instruction, ...]:
    """Draws more instructions of one task, in the templates that are for training.

    Args:
        task: One of `TASKS`.
        size: How many.
        seed: The seed that determines them.

    Raises:
        ValueError: If `task` is not one of `TASKS`.
    """
    if task not in TASKS:
        raise ValueError(f"task is {task!r}: choose one of {', '.join(TASKS)}")
    return tuple(_draw_task(random.Random(seed), task, size, _LEARNT_TEMPLATES, "train", set()))


def _draw_task(
    draw: random.Random, task: str, size: int, templates: Sequence[int], part: str, seen: set[tuple[str, Words]]
) -> list[Instruction]:
    """Instructions of one task with inputs that are not in `seen`, which they join when all are drawn."""
    found: list[Instruction] = []
    new: set[tuple[str, Words]] = set()
    while len(found) < size:
        given, answer = _era(draw, part) if task == "era" else _DRAW[task](draw)
        if task != _REPEATED and (task, given) in seen:
            continue
        new.add((task, given))
        number = draw.choice(templates)
        found.append(Instruction(task, number, given, _fill(TEMPLATES[task][number], given), answer))
    seen |= new
    return found


def _fill(template: str, given: Iterable[str]) -> Words:
    return tuple(template.format(" ".join(given)).split())


# The rule-based answerer

_KEYWORDS = (
    ("era", ("early or late", "period", "date this sentence", "old times")),
    ("translate", ("french", "frenchman")),
    ("plural", ("plural", "several", "more than one", "call two")),
    ("reverse", ("reverse", "backwards", "order round", "from the end", "last to the first", "last word first")),
    ("spell", ("spell", "spelled", "letters", "letter by letter")),
    ("count", ("count", "how many", "number of words")),
    ("who", ("who", "subject")),
    ("past", ("past", "yesterday")),
    ("negate", ("negate", "negative", "not", "deny", "negation")),
    ("write", ("sentence", "something about")),
)
"""By task, what only its templates have in them; the first task with a match is taken."""


def task_by_keyword(prompt: Sequence[str]) -> str | None:
    """The task that an instruction's words ask for; None if no keyword is among them.

    Args:
        prompt: The words of the whole instruction.
    """
    text = f" {' '.join(prompt)} "
    return next((task for task, words in _KEYWORDS if any(f" {word} " in text for word in words)), None)


def _input_of(prompt: Words, task: str) -> Words:
    """What is left of an instruction without the words of the template that fits it best."""
    best: Words = prompt
    for template in TEMPLATES[task]:
        before, behind = (tuple(part.split()) for part in template.split("{}"))
        end = len(prompt) - len(behind)
        if prompt[: len(before)] == before and prompt[end:] == behind and end - len(before) < len(best):
            best = prompt[len(before) : end]
    return best


@cache
def _log_ratios() -> dict[str, float]:
    """For each word, how much more probable it is late than early, in nats: a naive Bayes classifier with one added to each count."""
    counts = {period: Counter(itertools.chain.from_iterable(_dated("train", period))) for period in PERIODS}
    words = set(counts["early"]) | set(counts["late"])
    totals = {period: sum(counts[period].values()) + len(words) for period in PERIODS}
    return {
        word: math.log((counts["late"][word] + 1) / totals["late"])
        - math.log((counts["early"][word] + 1) / totals["early"])
        for word in words
    }


def answer_by_rule(prompt: Sequence[str], known: Collection[str] = tuple(TEMPLATES)) -> Words:
    """What a program of keywords, a parser and a naive Bayes classifier answers.

    Args:
        prompt: The words of the whole instruction.
        known: The tasks that the program has rules for.

    Returns:
        The words of the answer; none if the program does not understand the instruction.
    """
    prompt = tuple(prompt)
    task = task_by_keyword(prompt)
    if task is None or task not in known:
        return ()
    given = _input_of(prompt, task)
    if task in ("translate", "negate", "past", "who"):
        clause = parse(given)
        if clause is None:
            return ()
        rules = {"translate": french, "negate": negated, "past": in_the_past}
        if task in rules:
            return rules[task](clause)
        found = _read_nominal(given)
        return given[: found[1]] if found else ()
    if task == "plural":
        noun = _tables()[0].get(given[-1])
        first = "these" if given[0] == "this" else given[0]
        return (first, *given[1:-1], _plural_of(noun)) if noun else ()
    if task == "reverse":
        return given[::-1]
    if task == "spell":
        return tuple(given[-1])
    if task == "era":
        return (PERIODS[sum(_log_ratios().get(word, 0.0) for word in given) > 0],)
    if task == "count":
        return (NUMBERS[len(given) - 2],) if 2 <= len(given) <= 8 else ()
    noun = _tables()[0].get(given[-1])
    return english(draw_clause(random.Random(0), noun, adjectives=0.0)) if noun else ()
