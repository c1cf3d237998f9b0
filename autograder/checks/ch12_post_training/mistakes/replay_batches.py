"""Mistakes in `replay_batches`, and right answers in other styles."""

import itertools
import random

import torch

from autograder.checks.ch12_post_training.replay_batches import drawn, edges, left_alone, seeds, shares
from autograder.judging.catalogue import mistake, right


def rows(text, number, generator):
    """So many rows of a text, drawn with replacement."""
    return text[torch.randint(len(text), (number,), generator=generator)]


@right
def usual(new, old, share, batch_size, generator):
    number = round(share * batch_size)
    while True:
        yield torch.cat([rows(new, batch_size - number, generator), rows(old, number, generator)])


mistake(shares, "the share is that of the new windows, expected that of the old ones").made_in(
    usual, shares_exchanged={"batch_size - number": "number", "old, number": "old, batch_size - number"}
)


@mistake(shares, "no window is old")
def no_replay(new, old, share, batch_size, generator):
    while True:
        yield rows(new, batch_size, generator)


mistake(shares, "the number of old windows is rounded down, expected round(share * batch_size)").made_in(
    usual, rounded_down={"number = round": "number = int"}
)
mistake(shares, "the number of old windows is rounded up, expected round(share * batch_size)").made_in(
    usual, rounded_up={"round(share * batch_size)": "min(int(share * batch_size) + 1, batch_size)"}
)


@mistake(shares, "whether a window is old is drawn, expected the same number of old windows in every batch")
def by_chance(new, old, share, batch_size, generator):
    while True:
        is_old = torch.rand(batch_size, generator=generator) < share
        yield torch.where(is_old[:, None], rows(old, batch_size, generator), rows(new, batch_size, generator))


@mistake(shares, "each batch is all old or all new, expected both in every batch")
def whole_batches(new, old, share, batch_size, generator):
    while True:
        text = old if torch.rand((), generator=generator) < share else new
        yield rows(text, batch_size, generator)


mistake(shares, "the old windows are added to a full batch of new ones").made_in(usual, too_large={" - number": ""})


@mistake(shares, "one batch is returned, expected a generator that yields batches")
def one_batch(new, old, share, batch_size, generator):
    number = round(share * batch_size)
    return torch.cat([rows(new, batch_size - number, generator), rows(old, number, generator)])


@mistake(shares, "there is no loop, so that only one batch is yielded")
def one_round(new, old, share, batch_size, generator):
    number = round(share * batch_size)
    yield torch.cat([rows(new, batch_size - number, generator), rows(old, number, generator)])


@mistake(shares, "the pieces in a column are moved to other rows, so that old and new text mix in a window")
def mixed_windows(new, old, share, batch_size, generator):
    number = round(share * batch_size)
    while True:
        batch = torch.cat([rows(new, batch_size - number, generator), rows(old, number, generator)])
        batch[:, -1] = batch[:, -1].flip(0)
        yield batch


mistake(drawn, "the last window of each text is never drawn").made_in(
    usual, last_never={"new, batch_size": "new[:-1], batch_size", "old, number": "old[:-1], number"}
)
mistake(drawn, "the old windows all come from the beginning of the text").made_in(
    usual, first_rows={"old, number": "old[: max(1, number)], number"}
)


@mistake(drawn, "the indices for both texts are drawn below the length of the shorter one")
def same_rows(new, old, share, batch_size, generator):
    number, least = round(share * batch_size), min(len(new), len(old))
    while True:
        places = torch.randint(least, (batch_size,), generator=generator)
        yield torch.cat([new[places[number:]], old[places[:number]]])


@mistake(drawn, "the rows are drawn once, before the loop, expected anew for each batch")
def drawn_once(new, old, share, batch_size, generator):
    number = round(share * batch_size)
    batch = torch.cat([rows(new, batch_size - number, generator), rows(old, number, generator)])
    for turn in itertools.count():
        yield batch.roll(turn, 0)


@mistake(seeds, "a new generator with a fixed seed is used, expected the given one")
def own_seed(new, old, share, batch_size, generator):
    own, number = torch.Generator().manual_seed(0), round(share * batch_size)
    while True:
        yield torch.cat([rows(new, batch_size - number, own), rows(old, number, own)])


mistake(seeds, "the draws are made without the given generator").made_in(
    usual, no_generator={"generator), rows(old, number, generator)": "None), rows(old, number, None)"}
)


@mistake(seeds, "the draws are made without the given generator")
def pythons_own(new, old, share, batch_size, generator):
    number = round(share * batch_size)
    while True:
        some = random.choices(range(len(new)), k=batch_size - number)
        others = random.choices(range(len(old)), k=number)
        yield torch.cat([new[some], old[others]])


@mistake(drawn, "the windows are taken one after the other, expected random ones")
def in_order(new, old, share, batch_size, generator):
    number = round(share * batch_size)
    for turn in itertools.count():
        first = (torch.arange(batch_size - number) + turn * (batch_size - number)) % len(new)
        second = (torch.arange(number) + turn * number) % len(old)
        yield torch.cat([new[first], old[second]])


@mistake(drawn, "the old rows are drawn once, before the loop, expected anew for each batch")
def old_drawn_once(new, old, share, batch_size, generator):
    number = round(share * batch_size)
    kept = rows(old, number, generator)
    while True:
        yield torch.cat([rows(new, batch_size - number, generator), kept])


mistake(left_alone, "the text new is shuffled in place").made_in(
    usual, writes_over={"yield": "new.copy_(new[torch.randperm(len(new), generator=generator)]); yield"}
)


@mistake(drawn, "the rows are drawn without replacement")
def without_replacement(new, old, share, batch_size, generator):
    number = round(share * batch_size)
    while True:
        some = torch.randperm(len(new), generator=generator)[: batch_size - number]
        others = torch.randperm(len(old), generator=generator)[:number]
        yield torch.cat([new[some], old[others]])


mistake(edges, "at least one window is old, even if the share is 0").made_in(
    usual, always_some_old={"round(share * batch_size)": "max(1, round(share * batch_size))"}
)
mistake(edges, "a half is always rounded up, expected round(share * batch_size)").made_in(
    usual, half_up={"round(share * batch_size)": "int(share * batch_size + 0.5)"}
)
mistake(edges, "the number of new windows is rounded, expected that of the old ones").made_in(
    usual, rounds_the_new={"round(share * batch_size)": "batch_size - round((1 - share) * batch_size)"}
)


@mistake(edges, "if no window is old, an empty float tensor is joined, which changes the dtype of the batch")
def floats_when_empty(new, old, share, batch_size, generator):
    number = round(share * batch_size)
    while True:
        some = rows(old, number, generator) if number else torch.zeros(0, new.shape[1])
        yield torch.cat([rows(new, batch_size - number, generator), some])


@mistake(edges, "the batch is int64 whatever the windows are, expected their dtype")
def always_int64(new, old, share, batch_size, generator):
    for batch in usual(new, old, share, batch_size, generator):
        yield batch.long()


mistake(drawn, "one old window is drawn for the whole batch, expected a separate draw for each").made_in(
    usual, one_row_repeated={"rows(old, number, generator)": "rows(old, 1, generator).expand(number, -1)"}
)


@mistake(drawn, "no window comes again before all others have come, expected draws with replacement")
def in_rounds(new, old, share, batch_size, generator):
    number = round(share * batch_size)

    def shuffled_for_ever(text):
        while True:
            yield from text[torch.randperm(len(text), generator=generator)]

    some, others = shuffled_for_ever(new), shuffled_for_ever(old)
    while True:
        yield torch.stack([*itertools.islice(some, batch_size - number), *itertools.islice(others, number)])


@mistake(drawn, "every batch is written into the same tensor, so that a batch that is kept changes")
def one_buffer(new, old, share, batch_size, generator):
    number = round(share * batch_size)
    batch = new.new_empty(batch_size, *new.shape[1:])
    while True:
        batch[number:] = rows(new, batch_size - number, generator)
        batch[:number] = rows(old, number, generator)
        yield batch


@mistake(shares, "the batches are returned in a list, expected a generator that never ends")
def a_list(new, old, share, batch_size, generator):
    number = round(share * batch_size)
    return [torch.cat([rows(new, batch_size - number, generator), rows(old, number, generator)]) for _ in range(1000)]


@mistake(drawn, "all batches are made beforehand, so that they come to an end")
def made_beforehand(new, old, share, batch_size, generator):
    return iter(a_list(new, old, share, batch_size, generator))


@mistake(shares, "the batch is shuffled along the wrong dimension, so that the pieces of a window change places")
def pieces_permuted(new, old, share, batch_size, generator):
    number = round(share * batch_size)
    while True:
        batch = torch.cat([rows(new, batch_size - number, generator), rows(old, number, generator)])
        yield batch[:, torch.randperm(batch.shape[1], generator=generator)]


mistake(seeds, "a new generator starts from the seed of the given one, expected the given one itself").made_in(
    usual,
    seed_of_the_generator={
        "number = round": "own, number = torch.Generator().manual_seed(generator.initial_seed()), round",
        "generator), rows(old, number, generator)": "own), rows(old, number, own)",
    },
)


@right
def shuffled(new, old, share, batch_size, generator):
    number = round(share * batch_size)
    while True:
        batch = torch.cat([rows(old, number, generator), rows(new, batch_size - number, generator)])
        yield batch[torch.randperm(batch_size, generator=generator)]


@right
def stacked(new, old, share, batch_size, generator):
    number = round(share * batch_size)
    while True:
        found = []
        for place in range(batch_size):
            text = old if place < number else new
            found.append(text[int(torch.randint(len(text), (), generator=generator))])
        yield torch.stack(found)


@right
def joined_text(new, old, share, batch_size, generator):
    whole, number = torch.cat([new, old]), round(share * batch_size)
    while True:
        some = torch.randint(0, len(new), (batch_size - number,), generator=generator)
        others = torch.randint(len(new), len(whole), (number,), generator=generator)
        yield whole[torch.cat([some, others])]


@right
def by_rand(new, old, share, batch_size, generator):
    number = round(share * batch_size)
    while True:
        some = (torch.rand(batch_size - number, generator=generator, dtype=torch.float64) * len(new)).long()
        others = (torch.rand(number, generator=generator, dtype=torch.float64) * len(old)).long()
        yield torch.cat([new[some], old[others]])


@right
class Batches:
    def __init__(self, new, old, share, batch_size, generator):
        self.texts, self.generator = (new, old), generator
        number = round(share * batch_size)
        self.numbers = (batch_size - number, number)

    def __iter__(self):
        return self

    def __next__(self):
        drawn = [rows(text, number, self.generator) for text, number in zip(self.texts, self.numbers, strict=True)]
        return torch.cat(drawn)


@right
def by_multinomial(new, old, share, batch_size, generator):
    number = round(share * batch_size)

    def some(text, how_many):
        weights = torch.ones(len(text))
        return text[torch.multinomial(weights, how_many, True, generator=generator)] if how_many else text[:0]

    return iter(lambda: torch.cat([some(old, number), some(new, batch_size - number)]), None)
