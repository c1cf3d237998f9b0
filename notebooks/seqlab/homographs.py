"""Sentences whose meaning comes late: English homographs, which a French translator can only choose a word for after reading on.

*I arrived at the bank after crossing the river* is about a *rive*, *i arrived at the bank after crossing the street* about a *banque*. The
grammar of the translation corpus has one French word for each English noun, and this module, which builds on it, adds fifteen nouns that have two.
One later word, the *cue*, decides between them, and it comes 1 to 10 places after the homograph.

The contexts are balanced: sentences come in twins that are the same up to the cue, one for each of the two French
words. A model that reads only the words before the homograph, or before the cue, is therefore right for exactly one of
the two. Each French word has eight cues in two groups of four, so that what is learned from sentences with the cues of
one group can be tested on sentences with those of the other.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from seqlab import lexicon
from seqlab.corpus import Corpus, Vocabulary
from seqlab.grammar import (
    Adjunct,
    Both,
    Clause,
    Copula,
    Fronted,
    Joined,
    Negation,
    Nominal,
    NounPhrase,
    Pair,
    PrepositionalPhrase,
    Question,
    Sentence,
    Subjectless,
    Tense,
    Utterance,
    VerbPhrase,
    translate,
)
from seqlab.lexicon import NOWHERE, Adjective, Aspect, Conjunction, EnglishVerb, FrenchVerb, Gender, Kind, Noun, Verb

__all__ = ["GAPS", "HOMOGRAPHS", "Example", "Homograph", "HomographCorpus", "Sense", "draw_examples", "load_homographs"]

GAPS = tuple(range(1, 11))
"""How many places after the homograph its cue can stand."""
GROUPS = (0, 1)
"""The two groups of cues."""


@dataclass(frozen=True, slots=True)
class Sense:
    """One of the two things that a homograph can mean.

    Attributes:
        noun: The English word with its French counterpart.
        adjectives: What only this thing can be: two for each group of cues.
        nouns: What is found near this thing: two for each group of cues.
    """

    noun: Noun
    adjectives: tuple[tuple[Adjective, ...], ...]
    nouns: tuple[tuple[Noun, ...], ...]


@dataclass(frozen=True, slots=True)
class Homograph:
    """An English word and its two senses."""

    english: str
    senses: tuple[Sense, Sense]


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence with a homograph.

    Attributes:
        pair: The sentence and its translation.
        word: The homograph.
        sense: Which of its two senses it has here, 0 or 1.
        place: Its position among the English words, counted from 0.
        gap: How many places later its cue comes, from 1 to 10.
        cue: The English word that decides.
        group: The group of cues that it belongs to, 0 or 1.
        right: The French word for the homograph here.
        wrong: The French word for its other sense.
    """

    pair: Pair
    word: str
    sense: int
    place: int
    gap: int
    cue: str
    group: int
    right: str
    wrong: str


@dataclass(frozen=True, slots=True)
class HomographCorpus:
    """Three sets of examples that share no English sentence, and the same as a translation corpus.

    Attributes:
        train: The examples to learn from.
        valid: The examples to choose models by.
        test: The examples to judge them by.
        corpus: Their pairs, with the vocabularies of `train`.
    """

    train: tuple[Example, ...]
    valid: tuple[Example, ...]
    test: tuple[Example, ...]
    corpus: Corpus


# The words

_TABLE = """
bank: rive f: muddy flooded | sandy grassy: river lake | bridge stream
bank: banque f: closed robbed | solvent bankrupt: street square | avenue boulevard
bat: chauve-souris f: hungry asleep | frightened wild: cave owl | nest mouse
bat: batte f: wooden varnished | painted broken: helmet glove | ball stadium
seal: phoque m: hungry asleep | frightened wild: whale beach | fish island
seal: sceau m: official forged | royal illegible: letter document | signature envelope
calf: veau m: hungry asleep | frightened wild: cow farm | bull stable
calf: mollet m: swollen bruised | sore shaved: knee thigh | ankle foot
palm: paume f: swollen bruised | sore infected: thumb wrist | finger elbow
palm: palmier m: leafy uprooted | withered watered: beach desert | island oasis
nail: ongle m: bitten infected | varnished painted: thumb toe | finger hand
nail: clou m: rusty metallic | bent magnetic: hammer plank | screw drill
trunk: tronc m: mossy rotten | hollow uprooted: branch root | leaf tree
trunk: malle f: locked full | leather stolen: suitcase bag | wardrobe ticket
match: allumette f: lit burnt | extinguished damp: candle fire | cigarette lighter
match: match m: cancelled exciting | postponed televised: referee stadium | team player
pen: stylo m: plastic borrowed | expensive golden: ink notebook | pencil paper
pen: enclos m: fenced muddy | grassy crowded: sheep pig | goat farm
plant: plante f: leafy withered | watered poisonous: flower pot | leaf garden
plant: usine f: noisy profitable | automated polluting: worker machine | engine boss
ring: bague f: golden expensive | stolen shiny: jewel necklace | bracelet finger
ring: sonnerie f: deafening loud | distant audible: phone alarm | bell door
racket: raquette f: wooden varnished | broken stolen: net ball | shoe glove
racket: vacarme m: deafening loud | distant audible: crowd siren | engine party
pupil: élève m: polite shy | lazy talkative: teacher school | desk blackboard
pupil: pupille f: dilated irritated | swollen infected: eyelid eye | eyelash forehead
organ: orgue m: wooden medieval | varnished tuned: church choir | piano violin
organ: organe m: swollen infected | transplanted sore: liver kidney | lung surgeon
chest: coffre m: locked full | wooden stolen: treasure jewel | suitcase key
chest: poitrine f: swollen bruised | sore wounded: shoulder arm | neck elbow
"""
"""A sense a line: the homograph, its French word and gender, then the adjectives and the nouns of the two groups of cues."""

_ADJECTIVES = """
asleep endormi endormie, audible audible audible, automated automatisé automatisée, bankrupt en_faillite en_faillite, bent tordu tordue,
bitten rongé rongée, borrowed emprunté empruntée, broken cassé cassée, bruised meurtri meurtrie, burnt brûlé brûlée,
cancelled annulé annulée, closed fermé fermée, crowded bondé bondée, damp humide humide, deafening assourdissant assourdissante,
dilated dilaté dilatée, distant lointain lointaine, exciting passionnant passionnante, expensive cher chère, extinguished éteint éteinte,
fenced clôturé clôturée, flooded inondé inondée, forged falsifié falsifiée, frightened effrayé effrayée, full plein pleine,
golden doré dorée, grassy herbeux herbeuse, hollow creux creuse, hungry affamé affamée, illegible illisible illisible,
infected infecté infectée, irritated irrité irritée, lazy paresseux paresseuse, leafy feuillu feuillue, leather en_cuir en_cuir,
lit allumé allumée, locked verrouillé verrouillée, loud bruyant bruyante, magnetic magnétique magnétique, medieval médiéval médiévale,
metallic métallique métallique, mossy moussu moussue, muddy boueux boueuse, noisy bruyant bruyante, official officiel officielle,
painted peint peinte, plastic en_plastique en_plastique, poisonous vénéneux vénéneuse, polite poli polie, polluting polluant polluante,
postponed reporté reportée, profitable rentable rentable, robbed dévalisé dévalisée, rotten pourri pourrie, royal royal royale,
rusty rouillé rouillée, sandy sablonneux sablonneuse, shaved rasé rasée, shiny brillant brillante, shy timide timide, solvent solvable solvable,
sore douloureux douloureuse, stolen volé volée, swollen enflé enflée, talkative bavard bavarde, televised télévisé télévisée,
transplanted greffé greffée, tuned accordé accordée, uprooted déraciné déracinée, varnished verni vernie, watered arrosé arrosée,
wild sauvage sauvage, withered fané fanée, wooden en_bois en_bois, wounded blessé blessée
"""
"""In English, and in the French masculine and feminine."""

_NOUNS = """
alarm alarme f, ankle cheville f, arm bras m, avenue avenue f, bag sac m, ball balle f, beach plage f, bell cloche f,
blackboard tableau m, boss patron m, boulevard boulevard m, bracelet bracelet m, branch branche f, bridge pont m, bull taureau m,
candle bougie f, cave grotte f, choir chœur m, church église f, cigarette cigarette f, cow vache f, crowd foule f, desert désert m,
desk bureau m, document document m, door porte f, drill perceuse f, elbow coude m, engine moteur m, envelope enveloppe f, eye œil m,
eyelash cil m, eyelid paupière f, farm ferme f, finger doigt m, fire feu m, fish poisson m, flower fleur f, foot pied m,
forehead front m, garden jardin m, glove gant m, goat chèvre f, hammer marteau m, hand main f, helmet casque m, ink encre f,
island île f, jewel bijou m, key clé f, kidney rein m, knee genou m, lake lac m, leaf feuille f, letter lettre f, lighter briquet m,
liver foie m, lung poumon m, machine machine f, mouse souris f, neck cou m, necklace collier m, nest nid m, net filet m,
notebook cahier m, oasis oasis f, owl hibou m, paper papier m, party fête f, pencil crayon m, phone téléphone m, piano piano m,
pig cochon m, plank planche f, player joueur m, pot pot m, referee arbitre m, river rivière f, root racine f, school école f,
screw vis f, sheep mouton m, shoe chaussure f, shoulder épaule f, signature signature f, siren sirène f, square place f,
stable étable f, stadium stade m, stream ruisseau m, street rue f, suitcase valise f, surgeon chirurgien m, teacher professeur m,
team équipe f, thigh cuisse f, thumb pouce m, ticket billet m, toe orteil m, treasure trésor m, tree arbre m, violin violon m,
wardrobe armoire f, whale baleine f, worker ouvrier m, wrist poignet m
"""
"""In English and in French, with the gender. All stand in the singular here."""


def _entries(table: str) -> Iterator[list[str]]:
    """The words of each entry; an underscore is a space."""
    return ([word.replace("_", " ") for word in entry.split()] for entry in table.split(","))


def _gender(text: str) -> Gender:
    return "f" if text == "f" else "m"


def _read_table() -> tuple[Homograph, ...]:
    """The homographs with their senses and cues."""
    adjectives = {english: Adjective(english, m, f, "", "", NOWHERE) for english, m, f in _entries(_ADJECTIVES)}
    nouns = {english: Noun(english, french, _gender(gender), NOWHERE) for english, french, gender in _entries(_NOUNS)}
    senses: dict[str, list[Sense]] = {}
    for line in _TABLE.strip().splitlines():
        english, french, *cues = (part.strip() for part in line.split(":"))
        word, gender = french.split()
        by_group = [[group.split() for group in each.split("|")] for each in cues]
        sense = Sense(
            Noun(english, word, _gender(gender), NOWHERE),
            tuple(tuple(adjectives[cue] for cue in group) for group in by_group[0]),
            tuple(tuple(nouns[cue] for cue in group) for group in by_group[1]),
        )
        senses.setdefault(english, []).append(sense)
    return tuple(Homograph(english, (first, second)) for english, (first, second) in senses.items())


HOMOGRAPHS = _read_table()

_VERBS = (
    Verb(EnglishVerb("notice", "noticed", "noticing"), FrenchVerb("remarquer"), Aspect.EVENT, objects=Kind.OBJECT),
    Verb(
        EnglishVerb("mention", "mentioned", "mentioning"), FrenchVerb("mentionner"), Aspect.EVENT, objects=Kind.OBJECT
    ),
    Verb(EnglishVerb("imagine", "imagined", "imagining"), FrenchVerb("imaginer"), Aspect.EVENT, objects=Kind.OBJECT),
    Verb(EnglishVerb("study", "studied", "studying"), FrenchVerb("étudier"), Aspect.EVENT, objects=Kind.OBJECT),
    Verb(
        EnglishVerb("describe", "described", "describing"),
        FrenchVerb("décrire", "décris décris décrit décrivons décrivent", "décrit", "décrir"),
        Aspect.EVENT,
        objects=Kind.OBJECT,
    ),
)
"""What one can do to anything, whatever it is."""
_CROSS = Verb(EnglishVerb("cross", "crossed", "crossing"), FrenchVerb("traverser"), Aspect.EVENT, objects=Kind.OBJECT)
_CROSSED = "bank"
"""The homograph at which one arrives, and whose nouns one can cross: i arrived at the bank after crossing the river."""
_ARRIVE, *_OTHERS = (
    next(verb for verb in lexicon.INTRANSITIVE_VERBS if verb.english.base == base)
    for base in ("arrive", "laugh", "cry", "dance", "sing", "leave", "smile")
)
_PEOPLE: tuple[Nominal, ...] = (
    *(lexicon.I, lexicon.HE, lexicon.SHE, lexicon.WE, lexicon.THEY),
    *lexicon.NAMES,
    *(NounPhrase(noun, lexicon.THE) for noun in lexicon.NOUNS if noun.english in ("man", "woman", "boy", "girl")),
)
_TIMES = (lexicon.YESTERDAY, lexicon.LAST_WEEK, lexicon.LAST_NIGHT, lexicon.THIS_MORNING)
_TENSES = (Tense.PRESENT, Tense.PAST, Tense.PAST, Tense.FUTURE, Tense.CONDITIONAL)
_NEGATIONS: tuple[Negation | None, ...] = (None, None, "not", "never", "no longer")
_PLACES = (lexicon.NEAR, lexicon.BEHIND, lexicon.IN_FRONT_OF)
_LINKS = (lexicon.AFTER, lexicon.BEFORE, lexicon.WITHOUT)


# The sentences. All that is drawn here is drawn in the same order whatever the sense, so that the twins of a pair differ in nothing else.


def _subject(draw: random.Random) -> Nominal:
    return draw.choice(_PEOPLE)


def _time(draw: random.Random) -> tuple[Adjunct, ...]:
    """Nothing, or a time."""
    return (draw.choice(_TIMES),) if draw.random() < 0.4 else ()


def _the(draw: random.Random, noun: Noun, *, described: bool = False) -> NounPhrase:
    """The bank; this bank; if `described`, also the bank that she noticed yesterday."""
    determiner = draw.choice((lexicon.THE, lexicon.THE, lexicon.THIS))
    relative = None
    if described and draw.random() < 0.5:
        relative = Clause(_subject(draw), VerbPhrase(draw.choice(_VERBS), Tense.PAST, adjuncts=_time(draw)))
    return NounPhrase(noun, determiner, relative=relative)


def _cue(draw: random.Random, noun: Noun) -> NounPhrase:
    return _the(draw, noun)


def _being(draw: random.Random, thing: Noun, cue: Adjective | Noun) -> Clause:
    """The bank is muddy; the bank is near the river."""
    subject = _the(draw, thing, described=True)
    tense, negation = draw.choice(_TENSES), draw.choice(_NEGATIONS)
    if isinstance(cue, Adjective):
        return Clause(subject, Copula(cue, tense, negation=negation))
    return Clause(subject, Copula(PrepositionalPhrase(draw.choice(_PLACES), _cue(draw, cue)), tense, negation=negation))


def _statement(draw: random.Random, thing: Noun, cue: Adjective | Noun) -> Utterance:
    return _framed(draw, _being(draw, thing, cue))


def _question(draw: random.Random, thing: Noun, cue: Adjective | Noun) -> Utterance:
    """Is the bank muddy? Why is the bank near the river?"""
    question = Question(_being(draw, thing, cue), word=lexicon.WHY if draw.random() < 0.3 else None)
    if draw.random() < 0.6:
        return question
    return replace(question, conjunction=_conjunction(draw, question.clause), second=_aside(draw))


def _beside(draw: random.Random, thing: Noun, cue: Noun) -> Utterance:
    """She noticed the bank yesterday near the river."""
    subject, verb, noticed = _subject(draw), draw.choice(_VERBS), _the(draw, thing, described=True)
    adjuncts = (*_time(draw), PrepositionalPhrase(draw.choice(_PLACES), _cue(draw, cue)))
    return _framed(draw, Clause(subject, VerbPhrase(verb, Tense.PAST, noticed, adjuncts=adjuncts)))


def _after(draw: random.Random, thing: Noun, cue: Noun) -> Utterance:
    """She noticed the bank yesterday before describing the river."""
    subject, verb, noticed = _subject(draw), draw.choice(_VERBS), _the(draw, thing, described=True)
    time, second = _time(draw), VerbPhrase(draw.choice(_VERBS), Tense.PAST, _cue(draw, cue))
    adjuncts = (*time, Subjectless(draw.choice(_LINKS), second))
    return _framed(draw, Clause(subject, VerbPhrase(verb, Tense.PAST, noticed, adjuncts=adjuncts)))


def _while(draw: random.Random, thing: Noun, cue: Noun) -> Utterance:
    """She noticed the bank because he described the river."""
    first = Clause(_subject(draw), VerbPhrase(draw.choice(_VERBS), Tense.PAST, _the(draw, thing, described=True)))
    second = Clause(_subject(draw), VerbPhrase(draw.choice(_VERBS), Tense.PAST, _cue(draw, cue)))
    return Joined(first, draw.choice((lexicon.AND, lexicon.BUT, lexicon.BECAUSE, lexicon.WHEN)), second)


def _both(draw: random.Random, thing: Noun, cue: Noun) -> Utterance:
    """She noticed the bank and the river."""
    two = Both(_the(draw, thing, described=True), _cue(draw, cue))
    return _framed(draw, Clause(_subject(draw), VerbPhrase(draw.choice(_VERBS), Tense.PAST, two)))


def _crossing(draw: random.Random, thing: Noun, cue: Noun) -> Utterance:
    """She arrived at the bank after crossing the river."""
    second = VerbPhrase(_CROSS, Tense.PAST, _cue(draw, cue))
    adjuncts = (
        PrepositionalPhrase(lexicon.AT, _the(draw, thing, described=True)),
        *_time(draw),
        Subjectless(draw.choice(_LINKS), second),
    )
    return _framed(draw, Clause(_subject(draw), VerbPhrase(_ARRIVE, Tense.PAST, adjuncts=adjuncts)))


def _aside(draw: random.Random) -> Clause:
    """What has nothing to do with it: she laughed."""
    return Clause(_subject(draw), VerbPhrase(draw.choice(_OTHERS), Tense.PAST))


def _conjunction(draw: random.Random, clause: Clause) -> Conjunction:
    """What joins an aside to a clause; "when" only where both are past."""
    drawn = draw.choice((lexicon.BECAUSE, lexicon.BUT, lexicon.WHEN))
    return drawn if drawn is not lexicon.WHEN or _tense(clause) is Tense.PAST else lexicon.BECAUSE


def _tense(clause: Clause) -> Tense:
    assert isinstance(clause.predicate, VerbPhrase | Copula)
    return clause.predicate.tense


def _framed(draw: random.Random, clause: Clause) -> Sentence:
    """The clause alone, with a time before it, as what somebody thinks, or with another clause after it."""
    frame, aside, time, conjunction = draw.random(), _aside(draw), draw.choice(_TIMES), _conjunction(draw, clause)
    says = VerbPhrase(draw.choice((lexicon.SAY, lexicon.THINK)), Tense.PAST, that=clause)
    if frame < 0.2 and _tense(clause) in (Tense.PAST, Tense.CONDITIONAL):
        return Clause(aside.subject, says)
    if frame < 0.3 and _tense(clause) is Tense.PAST:
        return Fronted(time, clause)
    return Joined(clause, conjunction, aside) if frame > 0.7 else clause


_Frame = Callable[[random.Random, Noun, Any], Utterance]
"""Takes what is drawn from, the homograph and its cue, which is an adjective or a noun."""

_FOR_ADJECTIVES = (_statement, _question, _question)
_FOR_NOUNS = (_statement, _question, _beside, _after, _while, _both)
_MOST_FAILURES = 20_000
"""Draws in a row without a new sentence before there count as too few."""


def draw_examples(seed: int, per_gap: int, *, avoid: Collection[tuple[str, ...]] = ()) -> tuple[Example, ...]:
    """Draws twins: for each homograph, each gap and each group of cues the same number of pairs of sentences.

    Args:
        seed: The seed that determines the examples.
        per_gap: How many twins of each homograph, gap and group.
        avoid: English sentences that must not occur.

    Returns:
        The examples, one twin after the other; no English sentence occurs twice.

    Raises:
        ValueError: If `per_gap` is below 1, or there are too few sentences.
    """
    if per_gap < 1:
        raise ValueError(f"per_gap is {per_gap}: ask for at least 1")
    draw = random.Random(seed)
    wanted = [(homograph, gap, group) for homograph in HOMOGRAPHS for gap in GAPS for group in GROUPS] * per_gap
    draw.shuffle(wanted)
    used = set(avoid)
    examples: list[Example] = []
    for homograph, gap, group in wanted:
        twins = _twins(draw, homograph, gap, group, used)
        used.update(twin.pair.source for twin in twins)
        examples.extend(twins)
    return tuple(examples)


def _twins(
    draw: random.Random, homograph: Homograph, gap: int, group: int, used: set[tuple[str, ...]]
) -> tuple[Example, Example]:
    """Two sentences that are the same up to the cue, which stands `gap` places after the homograph."""
    for _ in range(_MOST_FAILURES):
        adjective, which = draw.random() < 0.5, [draw.randrange(2) for _ in homograph.senses]
        frames: tuple[_Frame, ...] = _FOR_ADJECTIVES if adjective else _FOR_NOUNS
        if homograph.english == _CROSSED and not adjective:
            frames = (*frames, _crossing)
        frame, state = draw.choice(frames), draw.getrandbits(32)
        twins = []
        for sense, cue_index in enumerate(which):
            found = homograph.senses[sense]
            cue = (found.adjectives if adjective else found.nouns)[group][cue_index]
            pair = translate(frame(random.Random(state), found.noun, cue))
            place = pair.source.index(homograph.english)
            if pair.source.index(cue.english) - place != gap or pair.source in used:
                break
            right, wrong = found.noun.french, homograph.senses[1 - sense].noun.french
            twins.append(Example(pair, homograph.english, sense, place, gap, cue.english, group, right, wrong))
        else:
            first, second = twins
            return first, second
    raise ValueError(
        f"there are too few sentences with {homograph.english!r} and its cue {gap} places later: ask for fewer"
    )


@cache
def load_homographs(*, seed: int = 0, train: int = 8, valid: int = 1, test: int = 5) -> HomographCorpus:
    """Draws three sets of examples that share no English sentence.

    Args:
        seed: The seed that determines everything.
        train: How many twins to learn from, for each of the 15 homographs, 10 gaps and 2 groups of cues.
        valid: The same, to choose models by.
        test: The same, to judge them by.

    Returns:
        The examples, and their pairs as a corpus.

    Raises:
        ValueError: If a size is below 1, or there are too few sentences.
    """
    sets: list[tuple[Example, ...]] = []
    for number, size in enumerate((test, valid, train)):
        seen = {example.pair.source for examples in sets for example in examples}
        sets.append(draw_examples(3 * seed + number, size, avoid=seen))
    judged, chosen, learnt = sets
    learnt_pairs, chosen_pairs, judged_pairs = (
        tuple(example.pair for example in examples) for examples in (learnt, chosen, judged)
    )
    corpus = Corpus(
        train=learnt_pairs,
        valid=chosen_pairs,
        test=judged_pairs,
        source_vocab=Vocabulary(pair.source for pair in learnt_pairs),
        target_vocab=Vocabulary(pair.target for pair in learnt_pairs),
        has_links=True,
        name="homographs",
    )
    return HomographCorpus(learnt, chosen, judged, corpus)
