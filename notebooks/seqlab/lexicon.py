"""The words of the corpus, as tables.

The grammar in `seqlab.grammar` says how words are put together; this module says which words there
are, which translate each other, and which of them go together ("people read texts"). A word that is wrong or missing
is corrected here and nowhere else. An entry is equal only to itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, Flag, auto
from typing import Literal

Gender = Literal["m", "f"]


class Kind(Flag):
    """What a noun stands for: verbs, adjectives and places choose their nouns by it."""

    ADULT = auto()
    CHILD = auto()
    ACQUAINTANCE = auto()
    KIN = auto()
    ANIMAL = auto()
    WILD = auto()
    FRUIT = auto()
    SWEET = auto()
    SAVOURY = auto()
    STAPLE = auto()
    DRINK = auto()
    BREW = auto()
    WRITING = auto()
    PRESS = auto()
    TALE = auto()
    GARMENT = auto()
    OBJECT = auto()
    CONTAINER = auto()
    VEHICLE = auto()
    FURNITURE = auto()
    OPENING = auto()
    FLOWER = auto()
    TREE = auto()
    ROOM = auto()
    BUILDING = auto()
    OUTDOORS = auto()
    WAY = auto()
    REGION = auto()


NOWHERE = Kind(0)
PEOPLE = Kind.ADULT | Kind.CHILD | Kind.ACQUAINTANCE | Kind.KIN
BEAST = Kind.ANIMAL | Kind.WILD
LIVING = PEOPLE | BEAST
COUNTED_FOOD = Kind.FRUIT | Kind.SWEET | Kind.SAVOURY
FOOD = COUNTED_FOOD | Kind.STAPLE
TEXT = Kind.WRITING | Kind.PRESS | Kind.TALE
PORTABLE = FOOD | Kind.WRITING | Kind.PRESS | Kind.GARMENT | Kind.OBJECT | Kind.CONTAINER
BEVERAGE = Kind.DRINK | Kind.BREW
PLANT = Kind.FLOWER | Kind.TREE
OPEN_AIR = Kind.OUTDOORS | Kind.WAY | Kind.REGION
PLACE = Kind.BUILDING | OPEN_AIR
ANYWHERE = PLACE | Kind.ROOM


class Aspect(Enum):
    """How an action or a state unfolds in time, which decides the tenses of its verb."""

    ACTION = auto()
    """May be in progress ("was eating"); its past is the passé composé."""
    EVENT = auto()
    """Over at once, never in progress ("found"); its past is the passé composé."""
    STATE = auto()
    """Lasts, never in progress ("knew"); its past is the imparfait."""


@dataclass(frozen=True, slots=True, eq=False)
class Preposition:
    """A preposition, one or more words on either side."""

    english: str
    french: str


IN = Preposition("in", "dans")
AT = Preposition("at", "à")
ON = Preposition("on", "sur")
TO = Preposition("to", "à")
FROM = Preposition("from", "de")
WITH = Preposition("with", "avec")
UNDER = Preposition("under", "sous")
BEHIND = Preposition("behind", "derrière")
NEAR = Preposition("near", "près de")
IN_FRONT_OF = Preposition("in front of", "devant")


@dataclass(frozen=True, slots=True, eq=False)
class Noun:
    """A noun; an empty plural is the regular one, in -s.

    `inside` is the preposition that says that something is there: in the park, at the market. `mass` nouns
    are not counted (some bread, du pain); of a `unique` noun, one has only one (my mother).
    """

    english: str
    french: str
    gender: Gender
    kind: Kind
    english_plural: str = ""
    french_plural: str = ""
    inside: Preposition | None = None
    mass: bool = False
    unique: bool = False


NOUNS = (
    Noun("man", "homme", "m", Kind.ADULT, "men"),
    Noun("woman", "femme", "f", Kind.ADULT, "women"),
    Noun("king", "roi", "m", Kind.ADULT),
    Noun("queen", "reine", "f", Kind.ADULT),
    Noun("prince", "prince", "m", Kind.ADULT),
    Noun("princess", "princesse", "f", Kind.ADULT, "princesses"),
    Noun("hero", "héros", "m", Kind.ADULT, "heroes", "héros"),
    Noun("soldier", "soldat", "m", Kind.ADULT),
    Noun("boy", "garçon", "m", Kind.CHILD),
    Noun("girl", "fille", "f", Kind.CHILD),
    Noun("child", "enfant", "m", Kind.CHILD, "children"),
    Noun("friend", "ami", "m", Kind.ACQUAINTANCE),
    Noun("neighbour", "voisin", "m", Kind.ACQUAINTANCE),
    Noun("doctor", "médecin", "m", Kind.ACQUAINTANCE),
    Noun("teacher", "professeur", "m", Kind.ACQUAINTANCE),
    Noun("student", "étudiant", "m", Kind.ACQUAINTANCE),
    Noun("nurse", "infirmière", "f", Kind.ACQUAINTANCE),
    Noun("actress", "actrice", "f", Kind.ACQUAINTANCE, "actresses"),
    Noun("farmer", "fermier", "m", Kind.ACQUAINTANCE),
    Noun("baker", "boulanger", "m", Kind.ACQUAINTANCE),
    Noun("lawyer", "avocat", "m", Kind.ACQUAINTANCE),
    Noun("singer", "chanteur", "m", Kind.ACQUAINTANCE),
    Noun("cook", "cuisinier", "m", Kind.ACQUAINTANCE),
    Noun("brother", "frère", "m", Kind.KIN),
    Noun("sister", "sœur", "f", Kind.KIN),
    Noun("uncle", "oncle", "m", Kind.KIN),
    Noun("aunt", "tante", "f", Kind.KIN),
    Noun("cousin", "cousin", "m", Kind.KIN),
    Noun("son", "fils", "m", Kind.KIN, "", "fils"),
    Noun("daughter", "fille", "f", Kind.KIN),
    Noun("grandmother", "grand-mère", "f", Kind.KIN, "", "grands-mères"),
    Noun("grandfather", "grand-père", "m", Kind.KIN, "", "grands-pères"),
    Noun("mother", "mère", "f", Kind.KIN, unique=True),
    Noun("father", "père", "m", Kind.KIN, unique=True),
    Noun("cat", "chat", "m", Kind.ANIMAL),
    Noun("dog", "chien", "m", Kind.ANIMAL),
    Noun("horse", "cheval", "m", Kind.ANIMAL, "", "chevaux"),
    Noun("cow", "vache", "f", Kind.ANIMAL),
    Noun("mouse", "souris", "f", Kind.ANIMAL, "mice", "souris"),
    Noun("bird", "oiseau", "m", Kind.ANIMAL, "", "oiseaux"),
    Noun("donkey", "âne", "m", Kind.ANIMAL),
    Noun("hedgehog", "hérisson", "m", Kind.ANIMAL),
    Noun("rabbit", "lapin", "m", Kind.ANIMAL),
    Noun("duck", "canard", "m", Kind.ANIMAL),
    Noun("hen", "poule", "f", Kind.ANIMAL),
    Noun("goat", "chèvre", "f", Kind.ANIMAL),
    Noun("goose", "oie", "f", Kind.ANIMAL, "geese"),
    Noun("fox", "renard", "m", Kind.WILD, "foxes"),
    Noun("wolf", "loup", "m", Kind.WILD, "wolves"),
    Noun("bear", "ours", "m", Kind.WILD, "", "ours"),
    Noun("frog", "grenouille", "f", Kind.WILD),
    Noun("owl", "hibou", "m", Kind.WILD, "", "hiboux"),
    Noun("elephant", "éléphant", "m", Kind.WILD),
    Noun("monkey", "singe", "m", Kind.WILD),
    Noun("apple", "pomme", "f", Kind.FRUIT),
    Noun("orange", "orange", "f", Kind.FRUIT),
    Noun("pear", "poire", "f", Kind.FRUIT),
    Noun("banana", "banane", "f", Kind.FRUIT),
    Noun("cherry", "cerise", "f", Kind.FRUIT, "cherries"),
    Noun("lemon", "citron", "m", Kind.FRUIT),
    Noun("cake", "gâteau", "m", Kind.SWEET, "", "gâteaux"),
    Noun("strawberry", "fraise", "f", Kind.SWEET, "strawberries"),
    Noun("biscuit", "biscuit", "m", Kind.SWEET),
    Noun("pancake", "crêpe", "f", Kind.SWEET),
    Noun("egg", "œuf", "m", Kind.SAVOURY),
    Noun("tomato", "tomate", "f", Kind.SAVOURY, "tomatoes"),
    Noun("carrot", "carotte", "f", Kind.SAVOURY),
    Noun("potato", "pomme de terre", "f", Kind.SAVOURY, "potatoes", "pommes de terre"),
    Noun("bread", "pain", "m", Kind.STAPLE, mass=True),
    Noun("cheese", "fromage", "m", Kind.STAPLE, mass=True),
    Noun("meat", "viande", "f", Kind.STAPLE, mass=True),
    Noun("soup", "soupe", "f", Kind.STAPLE, mass=True),
    Noun("chocolate", "chocolat", "m", Kind.STAPLE, mass=True),
    Noun("water", "eau", "f", Kind.DRINK, "", "eaux", mass=True),
    Noun("milk", "lait", "m", Kind.DRINK, mass=True),
    Noun("coffee", "café", "m", Kind.BREW, mass=True),
    Noun("tea", "thé", "m", Kind.BREW, mass=True),
    Noun("letter", "lettre", "f", Kind.WRITING),
    Noun("book", "livre", "m", Kind.WRITING),
    Noun("poem", "poème", "m", Kind.WRITING),
    Noun("story", "histoire", "f", Kind.TALE, "stories"),
    Noun("newspaper", "journal", "m", Kind.PRESS, "", "journaux"),
    Noun("magazine", "magazine", "m", Kind.PRESS),
    Noun("hat", "chapeau", "m", Kind.GARMENT, "", "chapeaux"),
    Noun("coat", "manteau", "m", Kind.GARMENT, "", "manteaux"),
    Noun("dress", "robe", "f", Kind.GARMENT, "dresses"),
    Noun("scarf", "écharpe", "f", Kind.GARMENT, "scarves"),
    Noun("shirt", "chemise", "f", Kind.GARMENT),
    Noun("skirt", "jupe", "f", Kind.GARMENT),
    Noun("jacket", "veste", "f", Kind.GARMENT),
    Noun("shoe", "chaussure", "f", Kind.GARMENT),
    Noun("key", "clé", "f", Kind.OBJECT),
    Noun("ring", "bague", "f", Kind.OBJECT),
    Noun("umbrella", "parapluie", "m", Kind.OBJECT),
    Noun("gift", "cadeau", "m", Kind.OBJECT, "", "cadeaux"),
    Noun("knife", "couteau", "m", Kind.OBJECT, "knives", "couteaux"),
    Noun("plate", "assiette", "f", Kind.OBJECT),
    Noun("cup", "tasse", "f", Kind.OBJECT),
    Noun("lamp", "lampe", "f", Kind.OBJECT),
    Noun("clock", "horloge", "f", Kind.OBJECT),
    Noun("phone", "téléphone", "m", Kind.OBJECT),
    Noun("ball", "ballon", "m", Kind.OBJECT),
    Noun("box", "boîte", "f", Kind.CONTAINER, "boxes", "", IN),
    Noun("bag", "sac", "m", Kind.CONTAINER, "", "", IN),
    Noun("suitcase", "valise", "f", Kind.CONTAINER, "", "", IN),
    Noun("basket", "panier", "m", Kind.CONTAINER, "", "", IN),
    Noun("car", "voiture", "f", Kind.VEHICLE),
    Noun("boat", "bateau", "m", Kind.VEHICLE, "", "bateaux"),
    Noun("bicycle", "vélo", "m", Kind.VEHICLE),
    Noun("table", "table", "f", Kind.FURNITURE),
    Noun("chair", "chaise", "f", Kind.FURNITURE),
    Noun("bench", "banc", "m", Kind.FURNITURE, "benches"),
    Noun("bed", "lit", "m", Kind.FURNITURE),
    Noun("sofa", "canapé", "m", Kind.FURNITURE),
    Noun("desk", "bureau", "m", Kind.FURNITURE, "", "bureaux"),
    Noun("door", "porte", "f", Kind.OPENING),
    Noun("window", "fenêtre", "f", Kind.OPENING),
    Noun("flower", "fleur", "f", Kind.FLOWER),
    Noun("rose", "rose", "f", Kind.FLOWER),
    Noun("tulip", "tulipe", "f", Kind.FLOWER),
    Noun("tree", "arbre", "m", Kind.TREE),
    Noun("apple tree", "pommier", "m", Kind.TREE),
    Noun("house", "maison", "f", Kind.ROOM, "", "", IN),
    Noun("kitchen", "cuisine", "f", Kind.ROOM, "", "", IN),
    Noun("room", "chambre", "f", Kind.ROOM, "", "", IN),
    Noun("living room", "salon", "m", Kind.ROOM, "", "", IN),
    Noun("bathroom", "salle de bains", "f", Kind.ROOM, "", "salles de bains", IN),
    Noun("office", "bureau", "m", Kind.ROOM, "", "bureaux", IN),
    Noun("school", "école", "f", Kind.BUILDING, "", "", AT),
    Noun("hotel", "hôtel", "m", Kind.BUILDING, "", "", AT),
    Noun("hospital", "hôpital", "m", Kind.BUILDING, "", "hôpitaux", AT),
    Noun("museum", "musée", "m", Kind.BUILDING, "", "", AT),
    Noun("church", "église", "f", Kind.BUILDING, "churches", "", IN),
    Noun("castle", "château", "m", Kind.BUILDING, "", "châteaux", IN),
    Noun("restaurant", "restaurant", "m", Kind.BUILDING, "", "", AT),
    Noun("theatre", "théâtre", "m", Kind.BUILDING, "", "", AT),
    Noun("library", "bibliothèque", "f", Kind.BUILDING, "libraries", "", AT),
    Noun("station", "gare", "f", Kind.BUILDING, "", "", AT),
    Noun("shop", "magasin", "m", Kind.BUILDING, "", "", IN),
    Noun("garden", "jardin", "m", Kind.OUTDOORS, "", "", IN),
    Noun("park", "parc", "m", Kind.OUTDOORS, "", "", IN),
    Noun("market", "marché", "m", Kind.OUTDOORS, "", "", AT),
    Noun("street", "rue", "f", Kind.WAY, "", "", IN),
    Noun("field", "champ", "m", Kind.WAY, "", "", IN),
    Noun("village", "village", "m", Kind.OUTDOORS, "", "", IN),
    Noun("beach", "plage", "f", Kind.OUTDOORS, "beaches", "", ON),
    Noun("forest", "forêt", "f", Kind.REGION, "", "", IN),
    Noun("island", "île", "f", Kind.REGION, "", "", ON),
)

ASPIRATED = frozenset({"hérisson", "hérissons", "héros", "hibou", "hiboux"})
"""French words whose h counts as a consonant: le hérisson, ce hérisson."""


@dataclass(frozen=True, slots=True, eq=False)
class Name:
    """A person's name, the same in both languages."""

    text: str
    gender: Gender


NAMES = (
    Name("paul", "m"),
    Name("louis", "m"),
    Name("marie", "f"),
    Name("anne", "f"),
    Name("hugo", "m"),
    Name("emma", "f"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Pronoun:
    """A personal pronoun: its subject and object forms, and what agrees with it.

    `tonic` follows prepositions. "You" is always "tu". The speaker and the person spoken to are men
    unless the English sentence says otherwise (marie said: "i left"), so that it has one French counterpart.
    """

    english: str
    english_object: str
    french: str
    direct: str
    indirect: str
    tonic: str
    gender: Gender
    plural: bool
    person: int


I = Pronoun("i", "me", "je", "me", "me", "moi", "m", False, 1)
I_FEMININE = Pronoun("i", "me", "je", "me", "me", "moi", "f", False, 1)
YOU = Pronoun("you", "you", "tu", "te", "te", "toi", "m", False, 2)
YOU_FEMININE = Pronoun("you", "you", "tu", "te", "te", "toi", "f", False, 2)
HE = Pronoun("he", "him", "il", "le", "lui", "lui", "m", False, 3)
SHE = Pronoun("she", "her", "elle", "la", "lui", "elle", "f", False, 3)
IT_MASCULINE = Pronoun("it", "it", "il", "le", "lui", "lui", "m", False, 3)
IT_FEMININE = Pronoun("it", "it", "elle", "la", "lui", "elle", "f", False, 3)
WE = Pronoun("we", "us", "nous", "nous", "nous", "nous", "m", True, 1)
WE_FEMININE = Pronoun("we", "us", "nous", "nous", "nous", "nous", "f", True, 1)
THEY = Pronoun("they", "them", "ils", "les", "leur", "eux", "m", True, 3)
THEY_FEMININE = Pronoun("they", "them", "elles", "les", "leur", "elles", "f", True, 3)
WHO = Pronoun("who", "whom", "qui", "", "", "qui", "m", False, 3)
"""Asks for the subject: who is singing?"""


@dataclass(frozen=True, slots=True, eq=False)
class NegativePronoun:
    """No one or nothing, as an object; `before_participle` tells il n'a rien vu from il n'a vu personne."""

    english: str
    french: str
    before_participle: bool = False


NOBODY = NegativePronoun("nobody", "personne")
NOTHING = NegativePronoun("nothing", "rien", before_participle=True)


@dataclass(frozen=True, slots=True, eq=False)
class Determiner:
    """A determiner; an empty form does not exist, as the singular of "several".

    `masculine_vowel` and `feminine_vowel` replace the singular forms before a vowel: cet ami, mon amie.
    `definite` says that the hearer knows which one is meant; `negated` that the French form is "de" for
    the object of a negated verb: il ne voit pas de chat.
    """

    english: str
    english_plural: str
    masculine: str
    feminine: str
    plural: str
    masculine_vowel: str = ""
    feminine_vowel: str = ""
    definite: bool = False
    negated: bool = False


THE = Determiner("the", "the", "le", "la", "les", definite=True)
A = Determiner("a", "", "un", "une", "", negated=True)
SOME = Determiner("", "some", "", "", "des", negated=True)
BARE = Determiner("", "", "", "", "des", negated=True)
"""No English word at all: "he sees cats", il voit des chats."""
ANY = Determiner("", "any", "", "", "de", negated=True)
"""Only for the object of a negated verb: "he does not see any cats"."""
NO = Determiner("no", "no", "pas de", "pas de", "pas de")
"""Only in "there is no cat"."""
THIS = Determiner("this", "these", "ce", "cette", "ces", masculine_vowel="cet", definite=True)
MY = Determiner("my", "my", "mon", "ma", "mes", feminine_vowel="mon", definite=True)
YOUR = Determiner("your", "your", "ton", "ta", "tes", feminine_vowel="ton", definite=True)
HIS = Determiner("his", "his", "son", "sa", "ses", feminine_vowel="son", definite=True)
HER = Determiner("her", "her", "son", "sa", "ses", feminine_vowel="son", definite=True)
OUR = Determiner("our", "our", "notre", "notre", "nos", definite=True)
THEIR = Determiner("their", "their", "leur", "leur", "leurs", definite=True)
TWO = Determiner("", "two", "", "", "deux")
THREE = Determiner("", "three", "", "", "trois")
SEVERAL = Determiner("", "several", "", "", "plusieurs")
MANY = Determiner("", "many", "", "", "beaucoup de")
SOME_OF = Determiner("some", "", "de le", "de la", "", negated=True)
"""Of what is not counted: some bread, du pain."""
BARE_OF = Determiner("", "", "de le", "de la", "", negated=True)
ANY_OF = Determiner("any", "", "de", "de", "", negated=True)
MUCH = Determiner("a lot of", "", "beaucoup de", "beaucoup de", "")
EVERY = Determiner("every", "", "chaque", "chaque", "")

POSSESSIVES = (MY, YOUR, HIS, HER, OUR, THEIR)


@dataclass(frozen=True, slots=True, eq=False)
class Adjective:
    """An adjective: its French forms, its side of the noun, and the nouns that it suits.

    `before_vowel` is the masculine singular before a vowel (un vieil ami); `predicate` says that it can also follow "to
    be", `attribute` that it can go beside a noun, `passing` that it can change from day to day, `graded` that there is
    a "very" and a "too" of it. An empty `comparative` is the one with "more". Two adjectives of one `theme` may
    contradict each other.
    """

    english: str
    masculine: str
    feminine: str
    masculine_plural: str
    feminine_plural: str
    kinds: Kind
    before_noun: bool = False
    before_vowel: str = ""
    predicate: bool = True
    attribute: bool = True
    passing: bool = False
    graded: bool = True
    theme: str = ""
    comparative: str = ""


_BULKY = Kind.CONTAINER | Kind.VEHICLE | Kind.FURNITURE | Kind.OPENING
_PAINTED = Kind.GARMENT | _BULKY
_STRANGERS = Kind.ADULT | Kind.ACQUAINTANCE

ADJECTIVES = (
    Adjective(
        "big", "grand", "grande", "grands", "grandes", BEAST | _BULKY | Kind.TREE | ANYWHERE,
        before_noun=True, theme="size", comparative="bigger",
    ),
    Adjective(
        "small", "petit", "petite", "petits", "petites", BEAST | _BULKY | Kind.TREE | ANYWHERE | Kind.SWEET,
        before_noun=True, theme="size", comparative="smaller",
    ),
    Adjective(
        "old", "vieux", "vieille", "vieux", "vieilles",
        _STRANGERS | BEAST | TEXT | _PAINTED | Kind.TREE | Kind.ROOM | Kind.BUILDING,
        before_noun=True, before_vowel="vieil", theme="age", comparative="older",
    ),
    Adjective(
        "beautiful", "beau", "belle", "beaux", "belles",
        BEAST | Kind.GARMENT | Kind.VEHICLE | PLANT | Kind.ROOM | PLACE,
        before_noun=True, before_vowel="bel", theme="looks",
    ),
    Adjective(
        "new", "nouveau", "nouvelle", "nouveaux", "nouvelles",
        Kind.ACQUAINTANCE | Kind.WRITING | _PAINTED | Kind.BUILDING,
        before_noun=True, before_vowel="nouvel", predicate=False, theme="age",
    ),
    Adjective(
        "young", "jeune", "jeune", "jeunes", "jeunes", PEOPLE & ~Kind.KIN | BEAST,
        before_noun=True, theme="age", comparative="younger",
    ),
    Adjective(
        "good", "bon", "bonne", "bons", "bonnes", Kind.ACQUAINTANCE | FOOD | TEXT,
        before_noun=True, predicate=False, theme="worth",
    ),
    Adjective(
        "pretty", "joli", "jolie", "jolis", "jolies", Kind.GARMENT | Kind.FLOWER | Kind.ROOM | Kind.CONTAINER,
        before_noun=True, theme="looks", comparative="prettier",
    ),
    Adjective(
        "red", "rouge", "rouge", "rouges", "rouges", _PAINTED | Kind.FLOWER,
        graded=False, theme="colour",
    ),
    Adjective(
        "black", "noir", "noire", "noirs", "noires", _PAINTED | BEAST,
        graded=False, theme="colour",
    ),
    Adjective(
        "white", "blanc", "blanche", "blancs", "blanches", _PAINTED | BEAST | Kind.FLOWER,
        graded=False, theme="colour",
    ),
    Adjective("green", "vert", "verte", "verts", "vertes", _PAINTED, graded=False, theme="colour"),
    Adjective("blue", "bleu", "bleue", "bleus", "bleues", _PAINTED, graded=False, theme="colour"),
    Adjective("happy", "heureux", "heureuse", "heureux", "heureuses", LIVING, passing=True, theme="mood", comparative="happier"),
    Adjective("sad", "triste", "triste", "tristes", "tristes", LIVING, passing=True, theme="mood", comparative="sadder"),
    Adjective("tired", "fatigué", "fatiguée", "fatigués", "fatiguées", LIVING, passing=True),
    Adjective("sick", "malade", "malade", "malades", "malades", LIVING, passing=True, theme="health", comparative="sicker"),
    Adjective("polite", "poli", "polie", "polis", "polies", PEOPLE, passing=True),
    Adjective("rich", "riche", "riche", "riches", "riches", _STRANGERS, comparative="richer"),
    Adjective("famous", "célèbre", "célèbre", "célèbres", "célèbres", _STRANGERS | Kind.BUILDING),
    Adjective("strange", "étrange", "étrange", "étranges", "étranges", LIVING | TEXT | Kind.OBJECT, comparative="stranger"),
    Adjective(
        "expensive", "cher", "chère", "chers", "chères",
        Kind.GARMENT | Kind.OBJECT | Kind.VEHICLE | Kind.FURNITURE,
    ),
    Adjective("clean", "propre", "propre", "propres", "propres", _PAINTED | Kind.ROOM, passing=True, theme="dirt", comparative="cleaner"),
    Adjective(
        "dirty", "sale", "sale", "sales", "sales", _PAINTED | Kind.ROOM | BEAST,
        passing=True, theme="dirt", comparative="dirtier",
    ),
    Adjective("heavy", "lourd", "lourde", "lourds", "lourdes", Kind.CONTAINER | Kind.FURNITURE, comparative="heavier"),
    Adjective("quiet", "calme", "calme", "calmes", "calmes", ANYWHERE, passing=True, comparative="quieter"),
    Adjective("delicious", "délicieux", "délicieuse", "délicieux", "délicieuses", FOOD | BEVERAGE, passing=True, graded=False, theme="worth"),
    Adjective("interesting", "intéressant", "intéressante", "intéressants", "intéressantes", TEXT, theme="interest"),
    Adjective(
        "bad", "mauvais", "mauvaise", "mauvais", "mauvaises", Kind.ACQUAINTANCE | COUNTED_FOOD | TEXT, before_noun=True, predicate=False, theme="worth",
    ),
    Adjective(
        "long", "long", "longue", "longs", "longues", Kind.WRITING | Kind.TALE, before_noun=True, comparative="longer",
    ),
    Adjective(
        "fat", "gros", "grosse", "gros", "grosses", Kind.ANIMAL, before_noun=True, theme="size", comparative="fatter",
    ),
    Adjective(
        "kind", "gentil", "gentille", "gentils", "gentilles", PEOPLE, before_noun=True, passing=True, comparative="kinder",
    ),
    Adjective(
        "tall", "grand", "grande", "grands", "grandes", PEOPLE | Kind.TREE, attribute=False, theme="size", comparative="taller",
    ),
    Adjective(
        "ill", "malade", "malade", "malades", "malades", LIVING, attribute=False, passing=True, theme="health",
    ),
    Adjective(
        "yellow", "jaune", "jaune", "jaunes", "jaunes", _PAINTED | Kind.FLOWER, graded=False, theme="colour",
    ),
    Adjective(
        "grey", "gris", "grise", "gris", "grises", _PAINTED | BEAST, graded=False, theme="colour",
    ),
    Adjective(
        "brown", "marron", "marron", "marron", "marron", _PAINTED, graded=False, theme="colour",
    ),
    Adjective(
        "empty", "vide", "vide", "vides", "vides", Kind.CONTAINER | Kind.ROOM | PLACE & ~Kind.REGION, graded=False, passing=True, theme="fill",
    ),
    Adjective(
        "closed", "fermé", "fermée", "fermés", "fermées", Kind.OPENING | Kind.CONTAINER | Kind.BUILDING, attribute=False, graded=False, passing=True,
    ),
    Adjective(
        "busy", "occupé", "occupée", "occupés", "occupées", PEOPLE, attribute=False, passing=True, comparative="busier",
    ),
    Adjective(
        "ready", "prêt", "prête", "prêts", "prêtes", PEOPLE, attribute=False, graded=False, passing=True,
    ),
    Adjective(
        "shy", "timide", "timide", "timides", "timides", PEOPLE, comparative="shyer",
    ),
    Adjective(
        "brave", "courageux", "courageuse", "courageux", "courageuses", PEOPLE | BEAST, comparative="braver",
    ),
    Adjective(
        "intelligent", "intelligent", "intelligente", "intelligents", "intelligentes", LIVING,
    ),
    Adjective(
        "funny", "drôle", "drôle", "drôles", "drôles", PEOPLE | TEXT, passing=True, comparative="funnier",
    ),
    Adjective(
        "nervous", "nerveux", "nerveuse", "nerveux", "nerveuses", LIVING, passing=True,
    ),
    Adjective(
        "proud", "fier", "fière", "fiers", "fières", PEOPLE, passing=True, comparative="prouder",
    ),
    Adjective(
        "dangerous", "dangereux", "dangereuse", "dangereux", "dangereuses", Kind.WILD | Kind.VEHICLE,
    ),
    Adjective(
        "comfortable", "confortable", "confortable", "confortables", "confortables", Kind.FURNITURE | Kind.ROOM,
    ),
    Adjective(
        "useful", "utile", "utile", "utiles", "utiles", Kind.OBJECT | Kind.CONTAINER,
    ),
    Adjective(
        "modern", "moderne", "moderne", "modernes", "modernes", Kind.ROOM | Kind.FURNITURE | Kind.BUILDING, theme="age",
    ),
    Adjective(
        "boring", "ennuyeux", "ennuyeuse", "ennuyeux", "ennuyeuses", TEXT, theme="interest",
    ),
    Adjective(
        "fresh", "frais", "fraîche", "frais", "fraîches", Kind.FRUIT | Kind.SAVOURY, passing=True, graded=False,
    ),
    Adjective(
        "hot", "chaud", "chaude", "chauds", "chaudes", BEVERAGE, passing=True, theme="heat", comparative="hotter",
    ),
    Adjective(
        "cold", "froid", "froide", "froids", "froides", BEVERAGE, passing=True, theme="heat", comparative="colder",
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Profession:
    """What someone is by trade, said without an article in French: elle est médecin."""

    english: str
    masculine: str
    feminine: str


PROFESSIONS = (
    Profession("doctor", "médecin", "médecin"),
    Profession("teacher", "professeur", "professeur"),
    Profession("student", "étudiant", "étudiante"),
    Profession("actor", "acteur", "actrice"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Feeling:
    """A state that one is in English and has in French: she is hungry, elle a faim."""

    english: str
    french: str


FEELINGS = (
    Feeling("hungry", "faim"),
    Feeling("thirsty", "soif"),
    Feeling("cold", "froid"),
    Feeling("afraid", "peur"),
)


@dataclass(frozen=True, slots=True, eq=False)
class EnglishVerb:
    """An English verb; its third person in -s follows from its base; an empty participle is like the past."""

    base: str
    past: str
    progressive: str
    participle: str = ""


BE = EnglishVerb("be", "was", "being", "been")


@dataclass(frozen=True, slots=True, eq=False)
class FrenchVerb:
    """A French verb; empty forms are those of regular verbs in -er.

    `present` has the forms for je, tu, il, nous and ils: the corpus has no vous. So has `subjunctive`, where it
    does not follow from the present and the imparfait. `reflexive` verbs have their subject for an object
    too: elle se lève.
    """

    infinitive: str
    present: str = ""
    participle: str = ""
    future: str = ""
    imperfect: str = ""
    with_etre: bool = False
    subjunctive: str = ""
    reflexive: bool = False


AVOIR = FrenchVerb("avoir", "ai as a avons ont", "eu", "aur", subjunctive="aie aies ait ayons aient")
ETRE = FrenchVerb("être", "suis es est sommes sont", "été", "ser", "ét", subjunctive="sois sois soit soyons soient")


@dataclass(frozen=True, slots=True, eq=False)
class Verb:
    """An English verb and its French counterpart, with what both go with.

    Attributes:
        english: The verb proper.
        french: Its counterpart.
        aspect: How it unfolds in time.
        subjects: The nouns that can do it.
        objects: The nouns that it can be done to; none if it takes no object.
        particle: A word after the English verb that only completes it: look for.
        idiom: Words after the English verb that its French counterpart includes: take a picture of.
        instrument: The same, but after the object: hit someone with a pie.
        where: The places where it can be said to happen.
        needs_place: Whether the verb cannot do without one of them: stay at.
        direction: The preposition of the place, if it is not the place's own: go to.
        company: Whether one can do it with someone.
        generic: Whether an indefinite object would need another article in French (aimer les pommes).
    """

    english: EnglishVerb
    french: FrenchVerb
    aspect: Aspect
    subjects: Kind = PEOPLE
    objects: Kind = NOWHERE
    particle: str = ""
    idiom: str = ""
    instrument: str = ""
    where: Kind = NOWHERE
    needs_place: bool = False
    direction: Preposition | None = None
    company: bool = False
    generic: bool = False


_VOIR = FrenchVerb("voir", "vois vois voit voyons voient", "vu", "verr")
_CONNAITRE = FrenchVerb("connaître", "connais connais connaît connaissons connaissent", "connu", "connaîtr")
_VENDRE = FrenchVerb("vendre", "vends vends vend vendons vendent", "vendu", "vendr")
_ACHETER = FrenchVerb("acheter", "achète achètes achète achetons achètent", "acheté", "achèter")
_PERDRE = FrenchVerb("perdre", "perds perds perd perdons perdent", "perdu", "perdr")
_PRENDRE = FrenchVerb("prendre", "prends prends prend prenons prennent", "pris", "prendr")
_NETTOYER = FrenchVerb("nettoyer", "nettoie nettoies nettoie nettoyons nettoient", "nettoyé", "nettoier")
_ATTENDRE = FrenchVerb("attendre", "attends attends attend attendons attendent", "attendu", "attendr")
_CHOISIR = FrenchVerb("choisir", "choisis choisis choisit choisissons choisissent", "choisi", "choisir")
_SUIVRE = FrenchVerb("suivre", "suis suis suit suivons suivent", "suivi", "suivr")
_LIRE = FrenchVerb("lire", "lis lis lit lisons lisent", "lu", "lir")
_ECRIRE = FrenchVerb("écrire", "écris écris écrit écrivons écrivent", "écrit", "écrir")
_OUVRIR = FrenchVerb("ouvrir", "ouvre ouvres ouvre ouvrons ouvrent", "ouvert", "ouvrir")
_APPELER = FrenchVerb("appeler", "appelle appelles appelle appelons appellent", "appelé", "appeller")
_BALAYER = FrenchVerb("balayer", "balaie balaies balaie balayons balaient", "balayé", "balaier")
_DORMIR = FrenchVerb("dormir", "dors dors dort dormons dorment", "dormi", "dormir")
_RIRE = FrenchVerb("rire", "ris ris rit rions rient", "ri", "rir")
_COURIR = FrenchVerb("courir", "cours cours court courons courent", "couru", "courr")
ALLER = FrenchVerb(
    "aller", "vais vas va allons vont", "allé", "ir", with_etre=True, subjunctive="aille ailles aille allions aillent"
)
VENIR = FrenchVerb("venir", "viens viens vient venons viennent", "venu", "viendr", with_etre=True)
_REVENIR = FrenchVerb("revenir", "reviens reviens revient revenons reviennent", "revenu", "reviendr", with_etre=True)
_PARTIR = FrenchVerb("partir", "pars pars part partons partent", "parti", "partir", with_etre=True)
_SORTIR = FrenchVerb("sortir", "sors sors sort sortons sortent", "sorti", "sortir", with_etre=True)
_DIRE = FrenchVerb("dire", "dis dis dit disons disent", "dit", "dir")
_SAVOIR = FrenchVerb(
    "savoir", "sais sais sait savons savent", "su", "saur", subjunctive="sache saches sache sachions sachent"
)
_BOIRE = FrenchVerb("boire", "bois bois boit buvons boivent", "bu", "boir")
_ENTENDRE = FrenchVerb("entendre", "entends entends entend entendons entendent", "entendu", "entendr")
_SOURIRE = FrenchVerb("sourire", "souris souris sourit sourions sourient", "souri", "sourir")
_SE_LEVER = FrenchVerb("lever", "lève lèves lève levons lèvent", "levé", "lèver", with_etre=True, reflexive=True)
_SE_PROMENER = FrenchVerb(
    "promener", "promène promènes promène promenons promènent", "promené", "promèner", with_etre=True, reflexive=True
)
_POUVOIR = FrenchVerb(
    "pouvoir", "peux peux peut pouvons peuvent", "pu", "pourr", subjunctive="puisse puisses puisse puissions puissent"
)
_DEVOIR = FrenchVerb("devoir", "dois dois doit devons doivent", "dû", "devr")
_VOULOIR = FrenchVerb(
    "vouloir", "veux veux veut voulons veulent", "voulu", "voudr",
    subjunctive="veuille veuilles veuille voulions veuillent",
)  # fmt: skip
_ENVOYER = FrenchVerb("envoyer", "envoie envoies envoie envoyons envoient", "envoyé", "enverr")

_GOODS = FOOD | Kind.WRITING | Kind.GARMENT | Kind.OBJECT | Kind.FLOWER
_SEARCHED = PEOPLE | Kind.ANIMAL | Kind.WRITING | Kind.PRESS | Kind.GARMENT | Kind.OBJECT | Kind.CONTAINER

TRANSITIVE_VERBS = (
    Verb(
        EnglishVerb("see", "saw", "seeing", "seen"), _VOIR, Aspect.EVENT,
        LIVING, LIVING | PORTABLE | PLANT | Kind.VEHICLE | PLACE, where=ANYWHERE,
    ),
    Verb(
        EnglishVerb("watch", "watched", "watching"), FrenchVerb("regarder"), Aspect.ACTION,
        LIVING, LIVING, where=PLACE,
    ),
    Verb(
        EnglishVerb("look", "looked", "looking"), FrenchVerb("chercher"), Aspect.ACTION,
        LIVING, _SEARCHED, particle="for", where=ANYWHERE,
    ),
    Verb(
        EnglishVerb("find", "found", "finding"), FrenchVerb("trouver"), Aspect.EVENT,
        LIVING, _SEARCHED, where=ANYWHERE,
    ),
    Verb(
        EnglishVerb("love", "loved", "loving"), FrenchVerb("aimer"), Aspect.STATE,
        PEOPLE, LIVING | TEXT | PLANT | ANYWHERE, generic=True,
    ),
    Verb(
        EnglishVerb("know", "knew", "knowing", "known"), _CONNAITRE, Aspect.STATE,
        PEOPLE, PEOPLE | PLACE | Kind.WRITING | Kind.TALE, generic=True,
    ),
    Verb(
        EnglishVerb("buy", "bought", "buying"), _ACHETER, Aspect.ACTION,
        PEOPLE, _GOODS | BEVERAGE | Kind.PRESS | Kind.VEHICLE | Kind.FURNITURE | Kind.ANIMAL,
    ),
    Verb(
        EnglishVerb("sell", "sold", "selling"), _VENDRE, Aspect.ACTION,
        PEOPLE, _GOODS | Kind.VEHICLE | Kind.FURNITURE | Kind.ANIMAL,
    ),
    Verb(
        EnglishVerb("lose", "lost", "losing"), _PERDRE, Aspect.EVENT,
        PEOPLE, Kind.WRITING | Kind.GARMENT | Kind.OBJECT | Kind.CONTAINER,
        where=ANYWHERE,
    ),
    Verb(
        EnglishVerb("take", "took", "taking", "taken"), _PRENDRE, Aspect.ACTION,
        PEOPLE, PORTABLE,
    ),
    Verb(
        EnglishVerb("wash", "washed", "washing"), FrenchVerb("laver"), Aspect.ACTION,
        PEOPLE, Kind.GARMENT | Kind.VEHICLE | Kind.ANIMAL | Kind.FRUIT,
    ),
    Verb(
        EnglishVerb("wear", "wore", "wearing", "worn"), FrenchVerb("porter"), Aspect.STATE,
        PEOPLE, Kind.GARMENT,
    ),
    Verb(
        EnglishVerb("clean", "cleaned", "cleaning"), _NETTOYER, Aspect.ACTION,
        PEOPLE, Kind.ROOM | Kind.FURNITURE | Kind.VEHICLE | Kind.OPENING,
    ),
    Verb(
        EnglishVerb("wait", "waited", "waiting"), _ATTENDRE, Aspect.ACTION,
        PEOPLE, PEOPLE, particle="for", where=ANYWHERE,
    ),
    Verb(
        EnglishVerb("choose", "chose", "choosing", "chosen"), _CHOISIR, Aspect.ACTION,
        PEOPLE, _GOODS,
    ),
    Verb(
        EnglishVerb("help", "helped", "helping"), FrenchVerb("aider"), Aspect.ACTION,
        PEOPLE, PEOPLE, where=ANYWHERE,
    ),
    Verb(
        EnglishVerb("invite", "invited", "inviting"), FrenchVerb("inviter"), Aspect.ACTION,
        PEOPLE, PEOPLE,
    ),
    Verb(
        EnglishVerb("follow", "followed", "following"), _SUIVRE, Aspect.ACTION,
        LIVING, LIVING, where=OPEN_AIR,
    ),
    Verb(
        EnglishVerb("eat", "ate", "eating", "eaten"), FrenchVerb("manger"), Aspect.ACTION,
        LIVING, FOOD, where=ANYWHERE,
    ),
    Verb(
        EnglishVerb("read", "read", "reading"), _LIRE, Aspect.ACTION,
        PEOPLE, TEXT, where=ANYWHERE,
    ),
    Verb(
        EnglishVerb("write", "wrote", "writing", "written"), _ECRIRE, Aspect.ACTION,
        PEOPLE, Kind.WRITING | Kind.TALE, where=ANYWHERE,
    ),
    Verb(
        EnglishVerb("open", "opened", "opening"), _OUVRIR, Aspect.ACTION,
        PEOPLE, Kind.OPENING | Kind.CONTAINER,
    ),
    Verb(
        EnglishVerb("close", "closed", "closing"), FrenchVerb("fermer"), Aspect.ACTION,
        PEOPLE, Kind.OPENING | Kind.CONTAINER,
    ),
    Verb(
        EnglishVerb("visit", "visited", "visiting"), FrenchVerb("visiter"), Aspect.ACTION,
        PEOPLE, PLACE & ~Kind.WAY,
    ),
    Verb(
        EnglishVerb("call", "called", "calling"), _APPELER, Aspect.ACTION,
        PEOPLE, PEOPLE,
    ),
    Verb(
        EnglishVerb("thank", "thanked", "thanking"), FrenchVerb("remercier"), Aspect.ACTION,
        PEOPLE, PEOPLE,
    ),
    Verb(
        EnglishVerb("take", "took", "taking", "taken"), FrenchVerb("photographier"), Aspect.ACTION,
        PEOPLE, LIVING | PLANT | PLACE, idiom="a picture of",
    ),
    Verb(
        EnglishVerb("hit", "hit", "hitting"), FrenchVerb("entarter"), Aspect.ACTION,
        PEOPLE, PEOPLE, instrument="with a pie", where=ANYWHERE,
    ),
    Verb(
        EnglishVerb("spray", "sprayed", "spraying"), FrenchVerb("arroser"), Aspect.ACTION,
        PEOPLE, PLANT, instrument="with water",
    ),
    Verb(
        EnglishVerb("sprinkle", "sprinkled", "sprinkling"), FrenchVerb("sucrer"), Aspect.ACTION,
        PEOPLE, Kind.SWEET, instrument="with sugar",
    ),
    Verb(
        EnglishVerb("sprinkle", "sprinkled", "sprinkling"), FrenchVerb("saler"), Aspect.ACTION,
        PEOPLE, Kind.SAVOURY, instrument="with salt",
    ),
    Verb(
        EnglishVerb("clean", "cleaned", "cleaning"), _BALAYER, Aspect.ACTION,
        PEOPLE, Kind.ROOM, instrument="with a broom",
    ),
    Verb(
        EnglishVerb("drink", "drank", "drinking", "drunk"), _BOIRE, Aspect.ACTION,
        LIVING, BEVERAGE, where=ANYWHERE,
    ),
    Verb(
        EnglishVerb("prepare", "prepared", "preparing"), FrenchVerb("préparer"), Aspect.ACTION,
        PEOPLE, Kind.SWEET | Kind.STAPLE | Kind.BREW, where=Kind.ROOM,
    ),
    Verb(
        EnglishVerb("forget", "forgot", "forgetting", "forgotten"), FrenchVerb("oublier"), Aspect.EVENT,
        PEOPLE, Kind.WRITING | Kind.GARMENT | Kind.OBJECT | Kind.CONTAINER,
    ),
    Verb(
        EnglishVerb("carry", "carried", "carrying"), FrenchVerb("porter"), Aspect.ACTION,
        PEOPLE, Kind.CONTAINER | Kind.FURNITURE | Kind.OBJECT,
    ),
    Verb(
        EnglishVerb("repair", "repaired", "repairing"), FrenchVerb("réparer"), Aspect.ACTION,
        PEOPLE, Kind.VEHICLE | Kind.FURNITURE | Kind.OPENING,
    ),
    Verb(
        EnglishVerb("draw", "drew", "drawing", "drawn"), FrenchVerb("dessiner"), Aspect.ACTION,
        PEOPLE, LIVING | PLANT | PLACE,
    ),
    Verb(
        EnglishVerb("listen", "listened", "listening"), FrenchVerb("écouter"), Aspect.ACTION,
        PEOPLE, PEOPLE, particle="to", where=ANYWHERE,
    ),
    Verb(
        EnglishVerb("meet", "met", "meeting"), FrenchVerb("rencontrer"), Aspect.EVENT,
        PEOPLE, PEOPLE, where=PLACE,
    ),
    Verb(
        EnglishVerb("hear", "heard", "hearing"), _ENTENDRE, Aspect.EVENT,
        LIVING, LIVING, where=PLACE,
    ),
    Verb(
        EnglishVerb("close", "closed", "closing"), FrenchVerb("verrouiller"), Aspect.ACTION,
        PEOPLE, Kind.OPENING, instrument="with a key",
    ),
)  # fmt: skip

INTRANSITIVE_VERBS = (
    Verb(
        EnglishVerb("sleep", "slept", "sleeping"), _DORMIR, Aspect.ACTION, LIVING, where=ANYWHERE
    ),
    Verb(
        EnglishVerb("sing", "sang", "singing", "sung"), FrenchVerb("chanter"), Aspect.ACTION,
        where=ANYWHERE, company=True,
    ),
    Verb(
        EnglishVerb("work", "worked", "working"), FrenchVerb("travailler"), Aspect.ACTION,
        PEOPLE & ~Kind.CHILD, where=ANYWHERE, company=True,
    ),
    Verb(
        EnglishVerb("dance", "danced", "dancing"), FrenchVerb("danser"), Aspect.ACTION,
        where=ANYWHERE, company=True,
    ),
    Verb(EnglishVerb("laugh", "laughed", "laughing"), _RIRE, Aspect.ACTION),
    Verb(EnglishVerb("cry", "cried", "crying"), FrenchVerb("pleurer"), Aspect.ACTION, where=ANYWHERE),
    Verb(
        EnglishVerb("run", "ran", "running", "run"), _COURIR, Aspect.ACTION, LIVING,
        where=OPEN_AIR,
    ),
    Verb(
        EnglishVerb("play", "played", "playing"), FrenchVerb("jouer"), Aspect.ACTION,
        Kind.CHILD | Kind.ANIMAL | Kind.KIN, where=ANYWHERE, company=True,
    ),
    Verb(
        EnglishVerb("swim", "swam", "swimming", "swum"), FrenchVerb("nager"), Aspect.ACTION, company=True
    ),
    Verb(
        EnglishVerb("have", "had", "having"), FrenchVerb("dîner"), Aspect.ACTION,
        idiom="dinner", where=Kind.ROOM | Kind.BUILDING | Kind.OUTDOORS, company=True,
    ),
    Verb(
        EnglishVerb("arrive", "arrived", "arriving"), FrenchVerb("arriver", with_etre=True),
        Aspect.EVENT, LIVING, company=True,
    ),
    Verb(EnglishVerb("leave", "left", "leaving"), _PARTIR, Aspect.ACTION, company=True),
    Verb(
        EnglishVerb("fall", "fell", "falling", "fallen"), FrenchVerb("tomber", with_etre=True), Aspect.EVENT,
        LIVING | PORTABLE & ~Kind.STAPLE | Kind.TREE, where=ANYWHERE,
    ),
    Verb(EnglishVerb("come", "came", "coming", "come"), _REVENIR, Aspect.EVENT, LIVING, particle="back"),
    Verb(EnglishVerb("go", "went", "going", "gone"), _SORTIR, Aspect.ACTION, LIVING, particle="out"),
    Verb(
        EnglishVerb("stay", "stayed", "staying"), FrenchVerb("rester", with_etre=True),
        Aspect.ACTION, LIVING, where=ANYWHERE, needs_place=True, company=True,
    ),
    Verb(
        EnglishVerb("go", "went", "going", "gone"), ALLER, Aspect.ACTION,
        where=Kind.BUILDING | Kind.OUTDOORS, needs_place=True, direction=TO, company=True,
    ),
    Verb(
        EnglishVerb("come", "came", "coming", "come"), VENIR, Aspect.EVENT,
        where=PLACE, needs_place=True, direction=FROM,
    ),
    Verb(
        EnglishVerb("smile", "smiled", "smiling"), _SOURIRE, Aspect.ACTION,
        PEOPLE,
    ),
    Verb(
        EnglishVerb("talk", "talked", "talking"), FrenchVerb("parler"), Aspect.ACTION,
        PEOPLE, where=ANYWHERE, company=True,
    ),
    Verb(
        EnglishVerb("have", "had", "having"), FrenchVerb("déjeuner"), Aspect.ACTION,
        PEOPLE, idiom="lunch", where=Kind.ROOM | Kind.BUILDING | Kind.OUTDOORS, company=True,
    ),
    Verb(
        EnglishVerb("get", "got", "getting"), _SE_LEVER, Aspect.EVENT,
        PEOPLE, particle="up",
    ),
    Verb(
        EnglishVerb("wake", "woke", "waking", "woken"), FrenchVerb("réveiller", with_etre=True, reflexive=True), Aspect.EVENT,
        LIVING, particle="up", where=ANYWHERE,
    ),
    Verb(
        EnglishVerb("hurry", "hurried", "hurrying"), FrenchVerb("dépêcher", with_etre=True, reflexive=True), Aspect.ACTION,
        PEOPLE,
    ),
    Verb(
        EnglishVerb("rest", "rested", "resting"), FrenchVerb("reposer", with_etre=True, reflexive=True), Aspect.ACTION,
        LIVING, where=ANYWHERE,
    ),
    Verb(
        EnglishVerb("hide", "hid", "hiding", "hidden"), FrenchVerb("cacher", with_etre=True, reflexive=True), Aspect.ACTION,
        LIVING, where=ANYWHERE,
    ),
    Verb(
        EnglishVerb("go", "went", "going", "gone"), _SE_PROMENER, Aspect.ACTION,
        PEOPLE, idiom="for a walk", where=OPEN_AIR, company=True,
    ),
)  # fmt: skip

GIVING_VERBS = (
    Verb(EnglishVerb("give", "gave", "giving", "given"), FrenchVerb("donner"), Aspect.ACTION, objects=_GOODS),
    Verb(
        EnglishVerb("show", "showed", "showing", "shown"), FrenchVerb("montrer"), Aspect.ACTION,
        objects=_GOODS | Kind.PRESS | Kind.ANIMAL | Kind.VEHICLE,
    ),
    Verb(
        EnglishVerb("send", "sent", "sending"), _ENVOYER, Aspect.ACTION,
        objects=Kind.WRITING | Kind.OBJECT | Kind.FLOWER,
    ),
)  # fmt: skip
"""Verbs of giving: their object goes to someone."""


@dataclass(frozen=True, slots=True, eq=False)
class Modal:
    """A verb before another verb.

    Attributes:
        present: The English present (and its third person), or nothing where a form of "be" or "have" stands.
        past: The English past.
        word: English words after the finite form: is *going to* eat, has *just* eaten, wants *to* eat.
        french: The French verb.
        french_link: A French word before the infinitive: vient *de* manger.
        auxiliary: Whether the English form is one to which "not" is added and that needs no "do".
    """

    present: tuple[str, str]
    past: str
    word: str
    french: FrenchVerb
    french_link: str = ""
    auxiliary: bool = True


CAN = Modal(("can", "can"), "could", "", _POUVOIR)
MUST = Modal(("must", "must"), "", "", _DEVOIR)
WANT = Modal(("want", "wants"), "wanted", "to", _VOULOIR, auxiliary=False)
GOING = Modal(("", ""), "", "going to", ALLER)
"""The near future: is going to eat, va manger."""
JUST = Modal(("have", "has"), "had", "just", VENIR, "de")
"""The recent past: has just eaten, vient de manger."""

THINK = Verb(EnglishVerb("think", "thought", "thinking"), FrenchVerb("penser"), Aspect.STATE)
KNOW = Verb(EnglishVerb("know", "knew", "knowing", "known"), _SAVOIR, Aspect.STATE)
SAY = Verb(EnglishVerb("say", "said", "saying"), _DIRE, Aspect.EVENT)


@dataclass(frozen=True, slots=True, eq=False)
class Expression:
    """A fixed expression, with its own links from English to French words."""

    english: str
    french: str
    links: tuple[tuple[int, int], ...] = ((0, 0),)


OFTEN = Expression("often", "souvent")
ALWAYS = Expression("always", "toujours")
SOMETIMES = Expression("sometimes", "parfois")
ALREADY = Expression("already", "déjà")
STILL = Expression("still", "encore")

WHERE_IS = Expression("where", "où")
WHY = Expression("why", "pourquoi")
WHEN_IS = Expression("when", "quand")

VERY = Expression("very", "très")
TOO = Expression("too", "trop")

TODAY = Expression("today", "aujourd'hui")
NOW = Expression("now", "maintenant")
YESTERDAY = Expression("yesterday", "hier")
TOMORROW = Expression("tomorrow", "demain")
THIS_MORNING = Expression("this morning", "ce matin", ((0, 0), (1, 1)))
THIS_EVENING = Expression("this evening", "ce soir", ((0, 0), (1, 1)))
LAST_NIGHT = Expression("last night", "hier soir", ((0, 0), (1, 1)))
EVERY_DAY = Expression("every day", "chaque jour", ((0, 0), (1, 1)))
LAST_WEEK = Expression("last week", "la semaine dernière", ((0, 2), (1, 1)))
NEXT_WEEK = Expression("next week", "la semaine prochaine", ((0, 2), (1, 1)))


@dataclass(frozen=True, slots=True, eq=False)
class Conjunction:
    """A word or two that joins two clauses."""

    english: str
    french: str


AND = Conjunction("and", "et")
BUT = Conjunction("but", "mais")
BECAUSE = Conjunction("because", "parce que")
WHEN = Conjunction("when", "quand")
WHILE = Conjunction("while", "pendant que")
IF = Conjunction("if", "si")
AS_SOON_AS = Conjunction("as soon as", "dès que")
ALTHOUGH = Conjunction("although", "bien que")


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """What ties a verb without a subject to a clause; `english` of purpose is "to", all others have -ing.

    `perfect` says that the French infinitive is a past one: après avoir mangé.
    """

    english: str
    french: str
    perfect: bool = False


IN_ORDER_TO = Link("to", "pour")
BEFORE = Link("before", "avant de")
AFTER = Link("after", "après", perfect=True)
WITHOUT = Link("without", "sans")


@dataclass(frozen=True, slots=True, eq=False)
class Manner:
    """How two compare; `than` is the word after the adjective."""

    english: str
    french: str
    than: str


MORE = Manner("more", "plus", "than")
LESS = Manner("less", "moins", "than")
AS = Manner("as", "aussi", "as")
