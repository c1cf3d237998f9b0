"""Makes questions about code: what a change of one line does to numbers that are small enough to do by hand, and what stands where.

Nothing in a question is typed in: the code is run, as it is and with one line changed at a time, and options are what came of it. Exactly one of
them is right, and each can be told from the others.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cache
from typing import Any

from torch import Tensor

from autograder.asking.draw import Draw, derive_seed
from autograder.questions.code import ENDLESS, Change, Code, Part, Place, Run, UnaskableError
from autograder.questions.given import Given, Lucky
from autograder.questions.recorded import Recorded, input_of
from autograder.questions.values import form_of, is_apart, is_plain, is_same, shapes_of, size_of, text_of

_OPTIONS = 4
_ROUNDS, _INPUTS = 24, 8
"""How many inputs are drawn at most, and how many there are to choose from where inputs are the options."""
_ALL, _CHANGES = 120, 40
"""How many changes of the code there are at most, and how many of them are tried on an input."""
_NUMBERS = 16
"""How many numbers a result has at most that is asked for."""
_TELLING = ("RuntimeError", "IndexError", "ValueError", ENDLESS)
"""How the errors begin that are about shapes and places; of the others, one can tell the line without thinking about the inputs."""
_MANY = 8
"""How many wrong options there are at most to choose from."""
_HIGH = 4
"""How many lines an input has at most that is an option."""


@dataclass(frozen=True)
class Option:
    """An answer to choose.

    Args:
        text: What it says.
        note: What is said of it afterwards.
    """

    text: str
    note: str = ""


@dataclass(frozen=True)
class Question:
    """A question about code.

    Args:
        kind: What is asked, in a word.
        ask: The question.
        code: The code, with the numbers of its lines.
        given: The inputs.
        options: What to choose from.
        right: The index of the one that is right.
        why: What the numbers are on the way, in paragraphs; code is indented.
    """

    kind: str
    ask: str
    code: str
    given: str
    options: tuple[Option, ...]
    right: int
    why: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Scene:
    """The code on one input.

    Args:
        code: The code.
        given: The input.
        own: What the code makes of it as it is.
        changed: What it makes of it with a line changed.
    """

    code: Code
    given: Given
    own: Run
    changed: tuple[tuple[Change, Run], ...]


def questions(
    code: Code, inputs: Callable[[Draw], Given], seed: str, recorded: Sequence[Recorded] = ()
) -> Iterator[Question]:
    """Questions about code, one after the other, no two alike; the same seed gives the same ones.

    Args:
        code: The code.
        inputs: Draws what it is called with.
        seed: Of all that is drawn.
        recorded: What is known of listed mistakes.

    Raises:
        UnaskableError: The code does not run.
    """
    chance = random.Random(f"{seed}/{code.name}")
    changes = list(itertools.islice(code.changes(chance), _ALL))
    seeds = [derive_seed(seed, code.name, number) for number in range(_ROUNDS + _INPUTS)]

    @cache
    def own(number: int) -> Run:
        return _run(code, inputs, seeds[number])

    if own(0).error:
        raise UnaskableError(_unrun(code.name, own(0).error))

    mistakes = [_which_mistake(code, inputs, one, chance) for one in chance.sample(recorded, len(recorded))]
    asked: set[str] = set()
    for number in range(_ROUNDS):
        used: set[str] = set()
        if own(number).error:
            continue
        reached = [change for change in changes if change.line in own(number).lines]
        tried = chance.sample(reached, min(_CHANGES, len(reached)))
        runs = tuple((change, _run(code, inputs, seeds[number], change)) for change in tried)
        scene = _Scene(code, inputs(Lucky(seeds[number])), own(number), runs)
        others = [at for at in range(number, number + _INPUTS) if not own(at).error]

        def differs() -> Iterator[Question]:
            found = [(inputs(Lucky(seeds[at])), own(at), seeds[at]) for at in others]  # noqa: B023 - used up before the next round
            return _which_input(scene, found, inputs, chance)  # noqa: B023

        kinds = (
            _what_happens(scene, chance),
            _what_is_here(scene, chance),
            _which_change(scene, chance),
            differs(),
            _which_shape(scene, chance),
            mistakes[number : number + 1],
            _which_keeps(scene, chance),
            _which_fails(scene, chance),
            _what_happens(scene, chance),
        )
        for kind in kinds:
            for question in kind:
                about = question.ask + "".join(sorted(option.text for option in question.options))
                if about not in asked and question.ask not in used:
                    asked.add(about)
                    used.add(question.ask)
                    yield question
                    break


def _run(code: Code, inputs: Callable[[Draw], Given], seed: int, change: Change | None = None) -> Run:
    """A run, without what depends on torch's generators, or on memory that nothing was written into."""
    draw = Lucky(seed)
    given = inputs(draw)
    run = code.run(given.call, change)
    if not draw.is_asked and "empty" not in code.source:
        return run
    again = code.run(inputs(Lucky(seed, luck=1)).call, change, filled=True)
    if run.error == again.error and not is_same(run.result, again.result):
        return Run(None, run.error or "it depends on chance", {}, {}, run.lines)
    kept = {place: v for place, v in run.values.items() if place in again.values and is_same(v, again.values[place])}
    return Run(run.result, run.error, run.parts, kept, run.lines)


def _unrun(name: str, error: str) -> str:
    if error.startswith("NotImplementedError"):
        return f"`{name}` is not written yet. Once it runs, there are questions about it."
    told = "it never ends" if error == ENDLESS else f"it stops with {error}"
    return f"There are no questions about `{name}` yet: with small inputs, {told}. Run `check({name})` first."


def _numbered(code: Code) -> str:
    wide = len(str(len(code.lines)))
    return "\n".join(f"{number:{wide}}  {line}".rstrip() for number, line in enumerate(code.lines, start=1))


def _question(
    kind: str,
    ask: str,
    scene: _Scene,
    right: Option,
    wrong: Sequence[Option],
    chance: random.Random,
    why: tuple[str, ...] = (),
) -> Question:
    options = [right, *wrong]
    chance.shuffle(options)
    shown = scene.given.shown(scene.code.name)
    return Question(kind, ask, _numbered(scene.code), shown, tuple(options), options.index(right), why)


def is_small(value: Any, given: Given) -> bool:
    """Whether a person can work out a value that is computed from an input."""
    return not given.shapes_alone and is_plain(value) and 0 < size_of(value) <= _NUMBERS


def _shuffled(items: Iterable[Any], chance: random.Random) -> list[Any]:
    found = list(items)
    chance.shuffle(found)
    return found


def _fit(right: Any, pool: Iterable[Any], value: Callable[[Any], Any] = lambda one: one) -> list[Any] | None:
    """As many of the pool as there are wrong options, each unlike the others and the right one, which no form gives away."""
    found = _unlike(right, pool, value, _OPTIONS - 1)
    fits = len(found) == _OPTIONS - 1 and form_of(value(found[0])) == form_of(value(right))
    return found if fits else None


def _unlike(right: Any, pool: Iterable[Any], value: Callable[[Any], Any], most: int) -> list[Any]:
    """Some of the pool, each unlike the others and the right one; those of its form come first."""
    chosen = [right]
    alike: list[Any] = []
    others: list[Any] = []
    for one in pool:
        (alike if form_of(value(one)) == form_of(value(right)) else others).append(one)
    for one in (*alike, *others):
        if all(is_apart(value(one), value(other)) for other in chosen):
            chosen.append(one)
        if len(chosen) > most:
            break
    return chosen[1:]


def off_centre(right: str, wrong: Sequence[str], chance: random.Random) -> tuple[int, ...]:
    """Chooses wrong options such that the right one is not the one that is most like all others more often than it would be by chance.

    What one change makes of the right option is like it, so that of all options together it would be the one in the middle.

    Args:
        right: The right option.
        wrong: What there is to choose from, as many as there are wrong options at least.
        chance: Of the choice.

    Returns:
        The indices of those that were chosen.
    """
    texts = [right, *wrong]
    apart = [[1 - SequenceMatcher(None, one, other, autojunk=False).ratio() for other in texts] for one in texts]

    def place(chosen: tuple[int, ...]) -> int:
        """How many options are more like all others than the right one is."""
        sums = [sum(apart[one][other] for other in (0, *chosen)) for one in (0, *chosen)]
        return sum(each < sums[0] for each in sums[1:])

    wanted = chance.randrange(_OPTIONS)
    sets = _shuffled(itertools.combinations(range(1, len(texts)), _OPTIONS - 1), chance)
    return tuple(at - 1 for at in min(sets, key=lambda chosen: abs(place(chosen) - wanted)))


def _code_of(name: str) -> str:
    return f"`{name}`"


def _now(change: Change) -> str:
    return (
        f"line {change.line} is changed to\n\n    {change.text}\n\n"
        if change.text
        else f"line {change.line} is left out. "
    )


def _effect(scene: _Scene, change: Change, run: Run) -> tuple[str, ...]:
    """What the changed line gives, and what it gives as it is."""
    old, new = (_outermost(each, change.line) for each in (scene.own, run))
    if old is None or new is None or scene.code.lines[change.line - 1].strip().startswith("return"):
        return ()
    before, after = scene.own.values[old], run.values[new]
    if not (is_small(before, scene.given) and is_small(after, scene.given)) or not is_apart(before, after):
        return ()
    rows = [(scene.own.parts[old].text, before), (run.parts[new].text, after)]
    first_time = ", the first time" * _repeats(scene.code, change.line)
    told = "\n".join(f"{text}\n  → " + text_of(value).replace("\n", "\n    ") for text, value in rows)
    return f"What line {change.line} computes in your code, and when it is changed{first_time}:", _indented(told)


def _outermost(run: Run, line: int) -> Place | None:
    found = [place for place, part in run.parts.items() if part.line == line and place in run.values]
    return min(found, key=len, default=None)


def _what_happens(scene: _Scene, chance: random.Random) -> Iterator[Question]:
    """A line is changed: what comes back?"""
    own = scene.own.result
    if not is_small(own, scene.given):
        return
    results = [(change, run) for change, run in scene.changed if not run.error and is_small(run.result, scene.given)]
    surprising = chance.random() < 1 / 4
    for change, run in _shuffled(results, chance):
        kept = is_same(run.result, own)
        if kept != surprising or not (kept or is_apart(run.result, own)):
            continue
        rest = [(other.condition, r.result) for other, r in _shuffled(results, chance) if other is not change]
        pool = [(f"if {condition}", value) for condition, value in rest if is_apart(value, own)]
        if not kept:
            pool.insert(0, ("from your code as it is", own))
        right = ("", own if kept else run.result)
        wrong = _fit(right, pool, value=lambda one: one[1])
        if wrong is None or (not kept and pool[0] not in wrong):
            continue
        ask = f"In {_code_of(scene.code.name)}, {_now(change)}What comes back for these inputs?"
        note = "nothing changes for these inputs" if kept else ""
        options = [Option(text_of(value), f"this comes back {told}") for told, value in wrong]
        yield _question(
            "happens", ask, scene, Option(text_of(right[1]), note), options, chance, _effect(scene, change, run)
        )


def _which_change(scene: _Scene, chance: random.Random) -> Iterator[Question]:
    """A changed line made this result: which?"""
    own = scene.own.result
    results = [(c, r) for c, r in scene.changed if not r.error and is_plain(r.result) and is_apart(r.result, own)]
    for change, run in _shuffled(results, chance):
        pool = [(c, r) for c, r in _shuffled(results, chance) if c is not change and not is_same(r.result, run.result)]
        if is_small(own, scene.given) and is_small(run.result, scene.given):
            wrong = _fit((change, run), pool, value=lambda one: one[1].result)
            told, instead = text_of(run.result), text_of(own)
        else:
            differ = [(c, r) for c, r in pool if shapes_of(r.result) != shapes_of(run.result)]
            wrong = differ[: _OPTIONS - 1] if shapes_of(run.result) != shapes_of(own) else None
            told, instead = f"a result of shape {shapes_of(run.result)}", f"shape {shapes_of(own)}"
        if wrong is None or len(wrong) < _OPTIONS - 1:
            continue
        ask = (
            f"With one line of {_code_of(scene.code.name)} changed, these inputs give\n\n{_indented(told)}\n\nin place of\n\n{_indented(instead)}\n\n"
            "Which change was it?"
        )
        options = [Option(c.told, f"gives {_brief(r.result, scene)}") for c, r in wrong]
        yield _question("change", ask, scene, Option(change.told), options, chance, _effect(scene, change, run))


def _brief(value: Any, scene: _Scene) -> str:
    return (
        text_of(value)
        if is_small(value, scene.given)
        else f"a result of shape {shapes_of(value)}"
        if shapes_of(value)
        else "another result"
    )


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def _which_mistake(code: Code, inputs: Callable[[Draw], Given], one: Recorded, chance: random.Random) -> Question:
    """A listed mistake made this result: which?"""
    asked = about_mistakes(code.name, inputs, one, chance)
    own = code.run(input_of(inputs, one.draw).call)
    why = () if own.error or not is_plain(own.result) else ("Your code gives", _indented(text_of(own.result)))
    return replace(asked, why=why)


def about_mistakes(name: str, inputs: Callable[[Draw], Given], one: Recorded, chance: random.Random) -> Question:
    """A listed mistake made this result: which? It is a question to somebody whose own code need not run.

    Args:
        name: The exercise.
        inputs: Draws what it is called with.
        one: What is known of listed mistakes.
        chance: Of the order of the options.
    """
    (right, told), *others = one.mistakes
    options = [Option(right), *(Option(sentence, f"then it is {shown}") for sentence, shown in others)]
    chance.shuffle(options)
    ask = f"Somebody else's {_code_of(name)} has a mistake. For these inputs it gives\n\n{_indented(told)}\n\nWhich mistake is it?"
    shown = input_of(inputs, one.draw).shown(name)
    return Question("mistake", ask, "", shown, tuple(options), options.index(Option(right)))


def _which_keeps(scene: _Scene, chance: random.Random) -> Iterator[Question]:
    """Which change leaves the result as it is?"""
    own = scene.own.result
    results = [(c, r) for c, r in scene.changed if not r.error and is_plain(r.result)]
    kept = [(c, r) for c, r in results if is_same(r.result, own)]
    apart = [(c, r) for c, r in results if is_apart(r.result, own)]
    for change, run in _shuffled(kept, chance):
        wrong = _shuffled(apart, chance)[: _OPTIONS - 1]
        if len(wrong) == _OPTIONS - 1:
            ask = f"Three of these changes to {_code_of(scene.code.name)} give another result for these inputs. Which one gives the same?"
            options = [Option(c.told, f"gives {_brief(r.result, scene)}") for c, r in wrong]
            right = Option(change.told, f"gives {_brief(own, scene)}, as your code does")
            yield _question("keeps", ask, scene, right, options, chance, _effect(scene, change, run))


def _which_fails(scene: _Scene, chance: random.Random) -> Iterator[Question]:
    """A changed line made this error: which?"""
    failed = [(c, r) for c, r in scene.changed if r.error.startswith(_TELLING)]
    returned = [(c, r) for c, r in scene.changed if not r.error and is_plain(r.result)]
    for change, run in _shuffled(failed, chance):
        # Without another change of its line, the words of the error may tell the line to whoever does not think about the inputs.
        others = sorted(_shuffled(returned, chance), key=lambda one: one[0].line != change.line)
        wrong = others[: _OPTIONS - 1]
        if len(wrong) == _OPTIONS - 1 and wrong[0][0].line == change.line:
            told = "it never ends" if run.error == ENDLESS else f"it stops with an error:\n\n    {run.error:.200}"
            ask = f"With one line of {_code_of(scene.code.name)} changed, {told}\n\nWhich change was it?"
            options = [Option(c.told, f"gives {_brief(r.result, scene)}") for c, r in wrong]
            yield _question("fails", ask, scene, Option(change.told), options, chance)


def _parts(scene: _Scene, chance: random.Random) -> list[tuple[Place, Part, Any]]:
    """The expressions that are worth asking for, with their values."""
    own = scene.own
    found = [(place, part, own.values[place]) for place, part in own.parts.items() if place in own.values]
    texts = {part.text for _, part, _ in found}
    return _shuffled(
        (
            (place, part, value)
            for place, part, value in found
            if (not part.text.replace(".", "").isidentifier() or part.text.endswith(".T"))
            and not is_same(value, own.result)
            and len(texts) > 1
        ),
        chance,
    )


def _what_is_here(scene: _Scene, chance: random.Random) -> Iterator[Question]:
    """What is the value of an expression?"""
    for place, part, value in _parts(scene, chance):
        if (
            not is_small(value, scene.given)
            or isinstance(value, bool | str)
            or size_of(value) < 2 - isinstance(value, float)
        ):
            continue
        pool = []
        for change, run in _shuffled(scene.changed, chance):
            there = run.parts.get(place)
            if (
                change.line == part.line
                and there
                and there.text != part.text
                and place in run.values
                and is_small(run.values[place], scene.given)
            ):
                pool.append((there.text, run.values[place]))
        elsewhere = [(other.text, one) for _, other, one in _parts(scene, chance)]
        elsewhere += [(run.parts[at].text, one) for _, run in scene.changed for at, one in run.values.items()]
        pool += [(text, one) for text, one in elsewhere if text != part.text and form_of(one) == form_of(value)]
        found = _unlike(("", value), pool, lambda one: one[1], _MANY)
        if len(found) < _OPTIONS - 1 or form_of(found[0][1]) != form_of(value):
            continue
        wrong = [found[at] for at in off_centre(text_of(value), [text_of(one) for _, one in found], chance)]
        if not any(form_of(one) == form_of(value) for _, one in wrong):
            continue
        ask = f"In line {part.line} of {_code_of(scene.code.name)}, what is\n\n    {part.text}\n\nfor these inputs{', the first time that it is computed' * _repeats(scene.code, part.line)}?"
        options = [Option(text_of(other), f"this is `{text}`") for text, other in wrong]
        yield _question("here", ask, scene, Option(text_of(value)), options, chance)


def _repeats(code: Code, line: int) -> bool:
    """Whether a line may be run several times in a call."""
    return " for " in code.lines[line - 1] or any(
        above.lstrip().startswith(("for ", "while ", "def ")) for above in code.lines[1:line]
    )


def _which_shape(scene: _Scene, chance: random.Random) -> Iterator[Question]:
    """What is the shape of an expression?"""
    tensors = {tuple(v.shape) for v in scene.own.values.values() if isinstance(v, Tensor)}
    on_show = {tuple(v.shape) for v in scene.given.arguments.values() if isinstance(v, Tensor)}
    for place, part, value in _parts(scene, chance):
        if not isinstance(value, Tensor) or value.dim() < 1 or tuple(value.shape) in on_show:
            continue
        shape = tuple(value.shape)
        near = {
            tuple(run.values[place].shape)
            for change, run in scene.changed
            if change.line == part.line and isinstance(run.values.get(place), Tensor)
        }
        turned = set(itertools.islice(itertools.permutations(shape), 24))
        larger = {(*shape[:at], 1, *shape[at:]) for at in range(len(shape) + 1)}
        pool = [_shuffled(sorted(group - {shape}), chance) for group in (near, turned, tensors, larger)]
        found = list(dict.fromkeys(one for group in pool for one in group))
        found = found[
            : max(_OPTIONS - 1, min(_MANY, len(found) - len(pool[-1])))
        ]  # A dimension more is easily ruled out.
        if len(found) < _OPTIONS - 1:
            continue
        wrong = [found[at] for at in off_centre(str(shape), list(map(str, found)), chance)]
        if not any(len(one) == len(shape) for one in wrong):
            continue
        ask = f"In line {part.line} of {_code_of(scene.code.name)}, what is the shape of\n\n    {part.text}\n\nfor these inputs{', the first time that it is computed' * _repeats(scene.code, part.line)}?"
        yield _question("shape", ask, scene, Option(str(shape)), [Option(str(one)) for one in wrong], chance)


def _which_input(
    scene: _Scene, found: Sequence[tuple[Given, Run, int]], inputs: Callable[[Draw], Given], chance: random.Random
) -> Iterator[Question]:
    """On which input does a changed line make a difference?"""
    name = scene.code.name
    shown = [given.entries(name) for given, _, _ in found]
    common = [entry for entry in shown[0] if all(entry in entries for entries in shown)]
    own_parts = ["\n".join(entry for entry in entries if entry not in common) for entries in shown]
    if any(not part or part.count("\n") >= _HIGH for part in own_parts):
        return
    for change, _ in _shuffled(scene.changed, chance)[:20]:
        same: list[tuple[str, Any, Any]] = []
        apart: list[tuple[str, Any, Any]] = []
        for text, (_, own, seed) in zip(own_parts, found, strict=True):
            if change.line not in own.lines:
                same.append((text, own.result, own.result))
                continue
            run = _run(scene.code, inputs, seed, change)
            if run.error or not is_plain(run.result):
                continue
            (same if is_same(run.result, own.result) else apart).append((text, own.result, run.result))
        apart = [one for one in apart if is_apart(one[1], one[2]) and one[0] not in [other[0] for other in same]]
        same = list({one[0]: one for one in same}.values())
        if len(same) < _OPTIONS - 1 or not apart:
            continue
        text, before, after = chance.choice(apart)
        right = Option(text, f"gives {_brief(after, scene)}, where your code gives {_brief(before, scene)}")
        wrong = [Option(one[0], f"gives {_brief(one[1], scene)} either way") for one in same[: _OPTIONS - 1]]
        ask = f"In {_code_of(name)}, {_now(change)}For one of these inputs, the result is then different. For which?"
        question = _question("input", ask, scene, right, wrong, chance)
        yield Question(question.kind, ask, question.code, "\n".join(common), question.options, question.right)
