"""What students hand in for `replay_batches`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import itertools
import random

import torch

EXERCISE = "replay_batches"


def rows(text, number, generator):
    """So many rows of a text, drawn with replacement."""
    return text[torch.randint(len(text), (number,), generator=generator)]


def shares_exchanged(new, old, share, batch_size, generator):
    """The share is that of the new windows."""
    number = round(share * batch_size)
    while True:
        yield torch.cat([rows(new, number, generator), rows(old, batch_size - number, generator)])


def no_replay(new, old, share, batch_size, generator):
    """The old text is not looked at."""
    while True:
        yield rows(new, batch_size, generator)


def rounded_down(new, old, share, batch_size, generator):
    """int, where round was asked for."""
    number = int(share * batch_size)
    while True:
        yield torch.cat([rows(new, batch_size - number, generator), rows(old, number, generator)])


def rounded_up(new, old, share, batch_size, generator):
    """At least the share, always one more."""
    number = min(int(share * batch_size) + 1, batch_size)
    while True:
        yield torch.cat([rows(new, batch_size - number, generator), rows(old, number, generator)])


def by_chance(new, old, share, batch_size, generator):
    """A coin for each window, so that batches differ in their share."""
    while True:
        is_old = torch.rand(batch_size, generator=generator) < share
        yield torch.where(is_old[:, None], rows(old, batch_size, generator), rows(new, batch_size, generator))


def whole_batches(new, old, share, batch_size, generator):
    """Each batch is all old or all new."""
    while True:
        text = old if torch.rand((), generator=generator) < share else new
        yield rows(text, batch_size, generator)


def too_large(new, old, share, batch_size, generator):
    """The old windows come on top of the batch."""
    number = round(share * batch_size)
    while True:
        yield torch.cat([rows(new, batch_size, generator), rows(old, number, generator)])


def one_batch(new, old, share, batch_size, generator):
    """return, where yield was asked for."""
    number = round(share * batch_size)
    return torch.cat([rows(new, batch_size - number, generator), rows(old, number, generator)])


def one_round(new, old, share, batch_size, generator):
    """It ends."""
    number = round(share * batch_size)
    yield torch.cat([rows(new, batch_size - number, generator), rows(old, number, generator)])


def mixed_windows(new, old, share, batch_size, generator):
    """Pieces of old windows stand in new ones."""
    number = round(share * batch_size)
    while True:
        batch = torch.cat([rows(new, batch_size - number, generator), rows(old, number, generator)])
        batch[:, -1] = batch[:, -1].flip(0)
        yield batch


def last_never(new, old, share, batch_size, generator):
    """The last row of each text is never drawn."""
    number = round(share * batch_size)
    while True:
        yield torch.cat([rows(new[:-1], batch_size - number, generator), rows(old[:-1], number, generator)])


def first_rows(new, old, share, batch_size, generator):
    """Old windows come from the beginning of the text alone."""
    number = round(share * batch_size)
    while True:
        yield torch.cat([rows(new, batch_size - number, generator), rows(old[: max(1, number)], number, generator)])


def same_rows(new, old, share, batch_size, generator):
    """Row numbers are drawn for the smaller text, and used for both."""
    number, least = round(share * batch_size), min(len(new), len(old))
    while True:
        places = torch.randint(least, (batch_size,), generator=generator)
        yield torch.cat([new[places[number:]], old[places[:number]]])


def drawn_once(new, old, share, batch_size, generator):
    """The draw stands before the loop."""
    number = round(share * batch_size)
    batch = torch.cat([rows(new, batch_size - number, generator), rows(old, number, generator)])
    for turn in itertools.count():
        yield batch.roll(turn, 0)


def own_seed(new, old, share, batch_size, generator):
    """A generator of one's own with a seed of one's own."""
    own, number = torch.Generator().manual_seed(0), round(share * batch_size)
    while True:
        yield torch.cat([rows(new, batch_size - number, own), rows(old, number, own)])


def no_generator(new, old, share, batch_size, generator):
    """The random numbers that all share."""
    number = round(share * batch_size)
    while True:
        yield torch.cat([rows(new, batch_size - number, None), rows(old, number, None)])


def pythons_own(new, old, share, batch_size, generator):
    """random, which the generator does not rule."""
    number = round(share * batch_size)
    while True:
        some = random.choices(range(len(new)), k=batch_size - number)
        others = random.choices(range(len(old)), k=number)
        yield torch.cat([new[some], old[others]])


def in_order(new, old, share, batch_size, generator):
    """One row after the other, nothing is drawn."""
    number = round(share * batch_size)
    for turn in itertools.count():
        first = (torch.arange(batch_size - number) + turn * (batch_size - number)) % len(new)
        second = (torch.arange(number) + turn * number) % len(old)
        yield torch.cat([new[first], old[second]])


def old_drawn_once(new, old, share, batch_size, generator):
    """The old rows are drawn before the loop; the whole is permuted by chance."""
    number = round(share * batch_size)
    kept = rows(old, number, generator)
    while True:
        yield torch.cat([rows(new, batch_size - number, generator), kept])


def writes_over(new, old, share, batch_size, generator):
    """The text is shuffled in place."""
    number = round(share * batch_size)
    while True:
        new.copy_(new[torch.randperm(len(new), generator=generator)])
        yield torch.cat([rows(new, batch_size - number, generator), rows(old, number, generator)])


def without_replacement(new, old, share, batch_size, generator):
    """A permutation ends where the text does."""
    number = round(share * batch_size)
    while True:
        some = torch.randperm(len(new), generator=generator)[: batch_size - number]
        others = torch.randperm(len(old), generator=generator)[:number]
        yield torch.cat([new[some], old[others]])


def always_some_old(new, old, share, batch_size, generator):
    """At least one window is old."""
    number = max(1, round(share * batch_size))
    while True:
        yield torch.cat([rows(new, batch_size - number, generator), rows(old, number, generator)])


def half_up(new, old, share, batch_size, generator):
    """A half is always rounded up."""
    number = int(share * batch_size + 0.5)
    while True:
        yield torch.cat([rows(new, batch_size - number, generator), rows(old, number, generator)])


def rounds_the_new(new, old, share, batch_size, generator):
    """The number of new windows is rounded, so that a half goes the other way."""
    number = batch_size - round((1 - share) * batch_size)
    while True:
        yield torch.cat([rows(new, batch_size - number, generator), rows(old, number, generator)])


def floats_when_empty(new, old, share, batch_size, generator):
    """No old windows are an empty tensor of floats, which makes the batch one."""
    number = round(share * batch_size)
    while True:
        some = rows(old, number, generator) if number else torch.zeros(0, new.shape[1])
        yield torch.cat([rows(new, batch_size - number, generator), some])


def one_row_repeated(new, old, share, batch_size, generator):
    """One old window is drawn for the whole batch."""
    number = round(share * batch_size)
    while True:
        yield torch.cat([rows(new, batch_size - number, generator), rows(old, 1, generator).expand(number, -1)])


def in_rounds(new, old, share, batch_size, generator):
    """No window comes again before all others have come."""
    number = round(share * batch_size)

    def shuffled_for_ever(text):
        while True:
            yield from text[torch.randperm(len(text), generator=generator)]

    some, others = shuffled_for_ever(new), shuffled_for_ever(old)
    while True:
        yield torch.stack([*itertools.islice(some, batch_size - number), *itertools.islice(others, number)])


def one_buffer(new, old, share, batch_size, generator):
    """Every batch is written into the same tensor."""
    number = round(share * batch_size)
    batch = new.new_empty(batch_size, *new.shape[1:])
    while True:
        batch[number:] = rows(new, batch_size - number, generator)
        batch[:number] = rows(old, number, generator)
        yield batch


def a_list(new, old, share, batch_size, generator):
    """A thousand batches in a list."""
    number = round(share * batch_size)
    return [torch.cat([rows(new, batch_size - number, generator), rows(old, number, generator)]) for _ in range(1000)]


def made_beforehand(new, old, share, batch_size, generator):
    """An iterator over batches that were all made at once, and end."""
    return iter(a_list(new, old, share, batch_size, generator))


def pieces_permuted(new, old, share, batch_size, generator):
    """The batch is shuffled along the wrong dimension."""
    number = round(share * batch_size)
    while True:
        batch = torch.cat([rows(new, batch_size - number, generator), rows(old, number, generator)])
        yield batch[:, torch.randperm(batch.shape[1], generator=generator)]


def seed_of_the_generator(new, old, share, batch_size, generator):
    """A generator of one's own starts anew from the seed of the one that was given."""
    own, number = torch.Generator().manual_seed(generator.initial_seed()), round(share * batch_size)
    while True:
        yield torch.cat([rows(new, batch_size - number, own), rows(old, number, own)])


_SHARE = "in each batch the share of old windows is the one that was given"
_DRAWN = "windows are drawn one by one, and all windows of a text are equally likely"
_SEEDED = "each batch is drawn anew, with the generator that was given"
_LEFT = "both texts are left as they were"
_EDGES = "a batch may be all new, all old, or larger than a text"

WRONG = {
    shares_exchanged: _SHARE,
    no_replay: _SHARE,
    rounded_down: _SHARE,
    rounded_up: _SHARE,
    by_chance: _SHARE,
    whole_batches: _SHARE,
    too_large: _SHARE,
    one_batch: _SHARE,
    one_round: _SHARE,
    a_list: _SHARE,
    pieces_permuted: _SHARE,
    mixed_windows: _SHARE,
    last_never: _DRAWN,
    first_rows: _DRAWN,
    same_rows: _DRAWN,
    drawn_once: _DRAWN,
    old_drawn_once: _DRAWN,
    in_order: _DRAWN,
    without_replacement: _DRAWN,
    one_row_repeated: _DRAWN,
    in_rounds: _DRAWN,
    one_buffer: _DRAWN,
    made_beforehand: _DRAWN,
    own_seed: _SEEDED,
    no_generator: _SEEDED,
    pythons_own: _SEEDED,
    seed_of_the_generator: _SEEDED,
    writes_over: _LEFT,
    always_some_old: _EDGES,
    half_up: _EDGES,
    rounds_the_new: _EDGES,
    floats_when_empty: _EDGES,
}


def shuffled(new, old, share, batch_size, generator):
    """Old and new stand in any order."""
    number = round(share * batch_size)
    while True:
        batch = torch.cat([rows(old, number, generator), rows(new, batch_size - number, generator)])
        yield batch[torch.randperm(batch_size, generator=generator)]


def stacked(new, old, share, batch_size, generator):
    """Row by row."""
    number = round(share * batch_size)
    while True:
        found = []
        for place in range(batch_size):
            text = old if place < number else new
            found.append(text[int(torch.randint(len(text), (), generator=generator))])
        yield torch.stack(found)


def joined_text(new, old, share, batch_size, generator):
    """Places in one joined text."""
    whole, number = torch.cat([new, old]), round(share * batch_size)
    while True:
        some = torch.randint(0, len(new), (batch_size - number,), generator=generator)
        others = torch.randint(len(new), len(whole), (number,), generator=generator)
        yield whole[torch.cat([some, others])]


def by_rand(new, old, share, batch_size, generator):
    """Fractions of the length, rounded down."""
    number = round(share * batch_size)
    while True:
        some = (torch.rand(batch_size - number, generator=generator, dtype=torch.float64) * len(new)).long()
        others = (torch.rand(number, generator=generator, dtype=torch.float64) * len(old)).long()
        yield torch.cat([new[some], old[others]])


class Batches:
    """An iterator, where a generator function was shown."""

    def __init__(self, new, old, share, batch_size, generator):
        self.texts, self.generator = (new, old), generator
        number = round(share * batch_size)
        self.numbers = (batch_size - number, number)

    def __iter__(self):
        return self

    def __next__(self):
        drawn = [rows(text, number, self.generator) for text, number in zip(self.texts, self.numbers, strict=True)]
        return torch.cat(drawn)


def by_multinomial(new, old, share, batch_size, generator):
    """Equal weights, and an iterator from a function that never gives the sentinel."""
    number = round(share * batch_size)

    def some(text, how_many):
        weights = torch.ones(len(text))
        return text[torch.multinomial(weights, how_many, True, generator=generator)] if how_many else text[:0]

    return iter(lambda: torch.cat([some(old, number), some(new, batch_size - number)]), None)


RIGHT = {
    "shuffled": shuffled,
    "stacked": stacked,
    "joined text": joined_text,
    "by rand": by_rand,
    "an iterator": Batches,
    "by multinomial": by_multinomial,
}
