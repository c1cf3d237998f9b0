"""Wrong and right answers to `sample_next`."""

import functools
import random

import numpy as np
import torch
from torch import nn

EXERCISE = "sample_next"


def drawn(probabilities, generator):
    """A word of each row."""
    return torch.multinomial(probabilities, 1, generator=generator)[:, 0]


def sampled(logits, generator, temperature=1.0, keep=None):
    logits = logits / temperature
    if keep is not None:
        logits = keep(logits)
    return drawn(logits.softmax(dim=-1), generator)


def by(draw):
    """The same with another way of drawing from logits."""

    @functools.wraps(draw)
    def sample(logits, generator, temperature=1.0, keep=None):
        logits = logits / temperature
        return draw(logits if keep is None else keep(logits), generator)

    return sample


@by
def most_probable(logits, generator):
    """argmax."""
    return logits.argmax(dim=-1)


@by
def uniform(logits, generator):
    """The logits are not used."""
    return drawn((logits > float("-inf")).float(), generator)


@by
def softmax_twice(logits, generator):
    """Probabilities are taken for logits."""
    return drawn(logits.softmax(dim=-1).softmax(dim=-1), generator)


@by
def logits_as_they_are(logits, generator):
    """torch.multinomial is given logits, expected probabilities."""
    return drawn(logits, generator)


@by
def over_the_rows(logits, generator):
    """The softmax runs over the batch."""
    return drawn(logits.softmax(dim=0), generator)


@by
def one_number_for_all(logits, generator):
    """One random number for the whole batch."""
    number = torch.rand(1, generator=generator)
    return (logits.softmax(dim=-1).cumsum(dim=-1) < number).sum(dim=-1).clamp(max=logits.shape[-1] - 1)


@by
def a_column(logits, generator):
    """The result has a dimension too many."""
    return torch.multinomial(logits.softmax(dim=-1), 1, generator=generator)


@by
def one_for_all(logits, generator):
    """One word for the whole batch."""
    return torch.multinomial(logits[0].softmax(dim=-1), 1, generator=generator).expand(len(logits))


@by
def a_list(logits, generator):
    """A list of numbers."""
    return drawn(logits.softmax(dim=-1), generator).tolist()


def multiplied(logits, generator, temperature=1.0, keep=None):
    """Multiplied by the temperature."""
    return sampled(logits, generator, 1 / temperature, keep)


def cold_is_argmax(logits, generator, temperature=1.0, keep=None):
    """Below 1 there is no draw any more."""
    if temperature < 1:
        return logits.argmax(dim=-1)
    return sampled(logits, generator, temperature, keep)


def no_temperature(logits, generator, temperature=1.0, keep=None):
    """The temperature is not used."""
    return sampled(logits, generator, 1.0, keep)


def probabilities_divided(logits, generator, temperature=1.0, keep=None):
    """The division comes behind the softmax, where it changes nothing."""
    logits = logits if keep is None else keep(logits)
    return drawn(logits.softmax(dim=-1) / temperature, generator)


def rooted(logits, generator, temperature=1.0, keep=None):
    """The root of the temperature."""
    return sampled(logits, generator, temperature**0.5, keep)


def no_filter(logits, generator, temperature=1.0, keep=None):
    """The filter is not used."""
    return sampled(logits, generator, temperature)


def filter_first(logits, generator, temperature=1.0, keep=None):
    """The filter comes before the division."""
    return sampled(logits if keep is None else keep(logits), generator, temperature)


def filtered_probabilities(logits, generator, temperature=1.0, keep=None):
    """The filter is given probabilities."""
    probabilities = (logits / temperature).softmax(dim=-1)
    if keep is not None:
        probabilities = keep(probabilities).clamp(min=0.0)
    return drawn(probabilities, generator)


def result_dropped(logits, generator, temperature=1.0, keep=None):
    """What the filter returns is dropped."""
    logits = logits / temperature
    if keep is not None:
        keep(logits)
    return drawn(logits.softmax(dim=-1), generator)


@by
def from_the_least(logits, generator):
    """A softmax that takes the least logit away: minus infinity, where there is one."""
    weights = (logits - logits.min(dim=-1, keepdim=True).values).exp()
    return drawn(weights / weights.sum(dim=-1, keepdim=True), generator)


@by
def one_of_its_own(logits, generator):
    """A generator of its own, the same at each call."""
    return drawn(logits.softmax(dim=-1), torch.Generator().manual_seed(0))


@by
def no_generator(logits, generator):
    """The generator is not handed on."""
    return drawn(logits.softmax(dim=-1), None)


@by
def categorical(logits, generator):
    """torch's distributions take no generator."""
    return torch.distributions.Categorical(logits=logits).sample()


@by
def pythons_own(logits, generator):
    """Python's random numbers."""
    return torch.tensor([random.choices(range(len(row)), row.tolist())[0] for row in logits.softmax(dim=-1)])


@by
def seeds_torch(logits, generator):
    """torch's own generator is given the seed."""
    torch.manual_seed(int(torch.randint(2**60, (), generator=generator)))
    return drawn(logits.softmax(dim=-1), None)


@by
def starts_anew(logits, generator):
    """The generator begins again from its seed."""
    return drawn(logits.softmax(dim=-1), generator.manual_seed(generator.initial_seed()))


@by
def unshifted(logits, generator):
    """exp overflows."""
    weights = torch.exp(logits)
    return drawn(weights / weights.sum(dim=-1, keepdim=True), generator)


@by
def through_numpy(logits, generator):
    """NumPy takes nothing with a gradient behind it."""
    weights = np.exp(logits.numpy() - logits.numpy().max(axis=-1, keepdims=True))
    return drawn(torch.from_numpy(weights), generator)


def in_place(logits, generator, temperature=1.0, keep=None):
    """The model's own logits are divided."""
    if logits.requires_grad:
        return sampled(logits, generator, temperature, keep)
    logits /= temperature
    return sampled(logits, generator, 1.0, keep)


@by
def squeezed(logits, generator):
    """A batch of one loses its dimension."""
    return torch.multinomial(logits.softmax(dim=-1), 1, generator=generator).squeeze()


_DRAWN = "without temperature and filter, a word is drawn with probability softmax(logits)"
_WARM = "the temperature divides the logits"
_FILTER = "the filter gets the logits at that temperature, and words that it removes are not drawn"
_SEEDED = "every draw uses the given generator"
_FAR = "logits far from zero, impossible words and logits with a gradient work too"
_LEFT = "the logits are not changed, and a batch may have one row"

WRONG = {
    logits_as_they_are: _DRAWN,
    most_probable: _DRAWN,
    uniform: _DRAWN,
    softmax_twice: _DRAWN,
    over_the_rows: _DRAWN,
    one_number_for_all: _DRAWN,
    a_column: _DRAWN,
    one_for_all: _DRAWN,
    a_list: _DRAWN,
    multiplied: _WARM,
    cold_is_argmax: _WARM,
    no_temperature: _WARM,
    probabilities_divided: _WARM,
    rooted: _WARM,
    no_filter: _FILTER,
    filter_first: _FILTER,
    filtered_probabilities: _FILTER,
    result_dropped: _FILTER,
    from_the_least: _FILTER,
    no_generator: _SEEDED,
    categorical: _SEEDED,
    pythons_own: _SEEDED,
    seeds_torch: _SEEDED,
    starts_anew: _SEEDED,
    one_of_its_own: _SEEDED,
    unshifted: _FAR,
    through_numpy: _FAR,
    in_place: _LEFT,
    squeezed: _LEFT,
}


@by
def gumbel(logits, generator):
    """The Gumbel trick."""
    noise = -torch.log(-torch.log(torch.rand(logits.shape, generator=generator, device=logits.device)))
    return (logits + noise).argmax(dim=-1)


@by
def exponential_race(logits, generator):
    """The first of several clocks."""
    clocks = torch.empty_like(logits).exponential_(generator=generator)
    return (logits.softmax(dim=-1) / clocks).argmax(dim=-1)


@by
def inverse_of_the_sum(logits, generator):
    """Where a uniform number falls in the running sum."""
    edges = logits.detach().double().softmax(dim=-1).cumsum(dim=-1)
    number = torch.rand(len(logits), 1, generator=generator, dtype=torch.float64, device=logits.device) * edges[:, -1:]
    return torch.searchsorted(edges, number, right=True).squeeze(1)


@by
def row_by_row(logits, generator):
    """A loop over the rows."""
    return torch.stack([torch.multinomial(row.softmax(dim=0), 1, generator=generator)[0] for row in logits])


@by
def raised(logits, generator):
    """Exponentials of log-probabilities."""
    return drawn(logits.log_softmax(dim=-1).exp(), generator)


@by
def log_space(logits, generator):
    """Noise of the exponential distribution in log space."""
    noise = torch.empty_like(logits).exponential_(generator=generator).log()
    return torch.argmax(torch.log_softmax(logits, dim=-1) - noise, dim=-1)


class Sample(nn.Module):
    """A module."""

    def forward(self, logits, generator, temperature=1.0, keep=None):
        return sampled(logits, generator, temperature, keep)


RIGHT = {
    "noise in log space": log_space,
    "the Gumbel trick": gumbel,
    "an exponential race": exponential_race,
    "the inverse of the running sum": inverse_of_the_sum,
    "row by row": row_by_row,
    "exp of log-probabilities": raised,
    "a module": Sample(),
    "a partial": functools.partial(sampled),
}
