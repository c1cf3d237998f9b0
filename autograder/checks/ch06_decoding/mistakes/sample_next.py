"""Mistakes in `sample_next`, and right answers in other styles."""

import functools
import math
import random

import numpy as np
import torch
from torch import nn

from autograder.checks.ch06_decoding.sample_next import (
    far,
    filtered,
    in_chapter,
    plain,
    seeded,
    temperatures,
    untouched,
)
from autograder.judging.catalogue import mistake, right


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


@mistake(plain, "the most probable word is taken, expected a random draw")
@by
def most_probable(logits, generator):
    return logits.argmax(dim=-1)


mistake(plain, "all words are drawn equally often: the logits are not used").made_in(
    most_probable, uniform={"logits.argmax(dim=-1)": 'drawn((logits > float("-inf")).float(), generator)'}
)
mistake(plain, "the softmax is applied twice, the second time to probabilities").made_in(
    most_probable, softmax_twice={"logits.argmax(dim=-1)": "drawn(logits.softmax(dim=-1).softmax(dim=-1), generator)"}
)
mistake(plain, "the words are drawn with the logits as they are, expected with their softmax").made_in(
    most_probable, logits_as_they_are={"logits.argmax(dim=-1)": "drawn(logits, generator)"}
)
mistake(plain, "the softmax runs over the rows, expected over the words, dim=-1").made_in(
    most_probable, over_the_rows={"logits.argmax(dim=-1)": "drawn(logits.softmax(dim=0), generator)"}
)


@mistake(plain, "all rows share one random number, expected a separate draw for each row")
@by
def one_number_for_all(logits, generator):
    number = torch.rand(1, generator=generator)
    return (logits.softmax(dim=-1).cumsum(dim=-1) < number).sum(dim=-1).clamp(max=logits.shape[-1] - 1)


@mistake(plain, "the noise is -log(u) for a random number u, expected Gumbel noise, -log(-log(u))")
@by
def exponential_noise(logits, generator):
    return (logits - torch.rand(logits.shape, generator=generator, device=logits.device).log()).argmax(dim=-1)


@mistake(plain, "a random number from 0 to 1 is added to each logit, expected Gumbel noise, -log(-log(u))")
@by
def uniform_noise(logits, generator):
    return (logits + torch.rand(logits.shape, generator=generator, device=logits.device)).argmax(dim=-1)


@mistake(
    plain, "the least probable words are never drawn, as in nucleus sampling; expected all words if there is no filter"
)
@by
def nucleus_always(logits, generator):
    probabilities, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
    probabilities = probabilities.where(probabilities.cumsum(dim=-1) - probabilities < 0.95, 0.0)
    return order.gather(1, torch.multinomial(probabilities, 1, generator=generator))[:, 0]


@mistake(plain, "only the 50 most probable words can be drawn; expected all words if there is no filter")
def fifty_words(logits, generator, temperature=1.0, keep=None):
    fiftieth = logits.topk(min(50, logits.shape[-1])).values[:, -1:]
    return sampled(logits.masked_fill(logits < fiftieth, -math.inf), generator, temperature, keep)


@mistake(plain, "the logits are divided by another number than the temperature")
def too_cold(logits, generator, temperature=1.0, keep=None):
    return sampled(logits, generator, 0.85 * temperature, keep)


@mistake(plain, "the result has shape (B, 1), expected (B,)")
@by
def a_column(logits, generator):
    return torch.multinomial(logits.softmax(dim=-1), 1, generator=generator)


@mistake(plain, "one word is drawn for the whole batch, expected one for each row")
@by
def one_for_all(logits, generator):
    return torch.multinomial(logits[0].softmax(dim=-1), 1, generator=generator).expand(len(logits))


mistake(plain, "the words are returned as a list, expected a tensor").made_in(
    most_probable, a_list={"logits.argmax(dim=-1)": "drawn(logits.softmax(dim=-1), generator).tolist()"}
)


@mistake(temperatures, "the logits are multiplied by the temperature, expected divided by it")
def multiplied(logits, generator, temperature=1.0, keep=None):
    return sampled(logits, generator, 1 / temperature, keep)


@mistake(temperatures, "at temperatures below 1 the most probable word is taken, expected a random draw")
def cold_is_argmax(logits, generator, temperature=1.0, keep=None):
    if temperature < 1:
        return logits.argmax(dim=-1)
    return sampled(logits, generator, temperature, keep)


mistake(temperatures, "the temperature is not used").made_in(multiplied, no_temperature={"1 / temperature": "1.0"})


@mistake(
    temperatures,
    "the probabilities are divided by the temperature, which changes nothing once they are normalised; expected the logits",
)
def probabilities_divided(logits, generator, temperature=1.0, keep=None):
    logits = logits if keep is None else keep(logits)
    return drawn(logits.softmax(dim=-1) / temperature, generator)


@mistake(temperatures, "a constant is added to the temperature, expected the temperature as it is")
def warmer(logits, generator, temperature=1.0, keep=None):
    return sampled(logits, generator, temperature if temperature == 1 else temperature + 0.01, keep)


@mistake(temperatures, "low temperatures are raised to a constant, expected the temperature as it is")
def never_below_a_half(logits, generator, temperature=1.0, keep=None):
    return sampled(logits, generator, max(temperature, 0.5), keep)


@mistake(temperatures, "the logits are divided by the root of the temperature")
def rooted(logits, generator, temperature=1.0, keep=None):
    return sampled(logits, generator, temperature**0.5, keep)


mistake(filtered, "what keep returns is not used").made_in(rooted, no_filter={"temperature**0.5, keep": "temperature"})


@mistake(filtered, "keep gets the logits before they are divided by the temperature")
def filter_first(logits, generator, temperature=1.0, keep=None):
    return sampled(logits if keep is None else keep(logits), generator, temperature)


@mistake(filtered, "keep gets probabilities, expected logits")
def filtered_probabilities(logits, generator, temperature=1.0, keep=None):
    probabilities = (logits / temperature).softmax(dim=-1)
    if keep is not None:
        probabilities = keep(probabilities).clamp(min=0.0)
    return drawn(probabilities, generator)


mistake(filtered, "what keep returns is not used").made_in(
    sampled, result_dropped={"logits = keep(logits)": "keep(logits)"}
)


@mistake(filtered, "every word gets some probability, even where the filter has removed it")
@by
def no_less_than_a_little(logits, generator):
    probabilities = logits.softmax(dim=-1)
    return drawn(probabilities.where(probabilities > 0, 0.005), generator)


@mistake(filtered, "the softmax subtracts the smallest logit, which may be minus infinity; expected the largest")
@by
def from_the_least(logits, generator):
    weights = (logits - logits.min(dim=-1, keepdim=True).values).exp()
    return drawn(weights / weights.sum(dim=-1, keepdim=True), generator)


@mistake(seeded, "a new generator with a fixed seed is made in every call, expected the given one")
@by
def one_of_its_own(logits, generator):
    return drawn(logits.softmax(dim=-1), torch.Generator().manual_seed(0))


mistake(seeded, "the generator is not passed on to torch.multinomial").made_in(
    one_of_its_own, no_generator={"torch.Generator().manual_seed(0)": "None"}
)
mistake(seeded, "torch.distributions draws with the global generator, expected the given one").made_in(
    most_probable, categorical={"logits.argmax(dim=-1)": "torch.distributions.Categorical(logits=logits).sample()"}
)


@mistake(seeded, "Python's random draws the words, expected the given generator")
@by
def pythons_own(logits, generator):
    return torch.tensor([random.choices(range(len(row)), row.tolist())[0] for row in logits.softmax(dim=-1)])


@mistake(seeded, "torch's global generator is seeded, expected the given one passed on")
@by
def seeds_torch(logits, generator):
    torch.manual_seed(int(torch.randint(2**60, (), generator=generator)))
    return drawn(logits.softmax(dim=-1), None)


mistake(seeded, "the generator is seeded again in every call").made_in(
    one_of_its_own, starts_anew={"torch.Generator().manual_seed(0)": "generator.manual_seed(generator.initial_seed())"}
)
mistake(far, "exp of the logits overflows: the largest is not subtracted first").made_in(
    from_the_least, unshifted={"(logits - logits.min(dim=-1, keepdim=True).values).exp()": "torch.exp(logits)"}
)


@mistake(far, "the logits are converted to NumPy, which refuses tensors that require a gradient")
@by
def through_numpy(logits, generator):
    weights = np.exp(logits.numpy() - logits.numpy().max(axis=-1, keepdims=True))
    return drawn(torch.from_numpy(weights), generator)


@mistake(in_chapter.elsewhere, "the words are put into a new tensor on the CPU, expected on the device of the logits")
@by
def made_of_numbers(logits, generator):
    return torch.tensor(drawn(logits.softmax(dim=-1), generator).tolist())


@mistake(untouched, "the caller's logits are divided in place")
def in_place(logits, generator, temperature=1.0, keep=None):
    if logits.requires_grad:
        return sampled(logits, generator, temperature, keep)
    logits /= temperature
    return sampled(logits, generator, 1.0, keep)


@mistake(untouched, "a dimension of size one is removed that belongs to the result")
@by
def squeezed(logits, generator):
    return torch.multinomial(logits.softmax(dim=-1), 1, generator=generator).squeeze()


@right
@by
def gumbel(logits, generator):
    noise = -torch.log(-torch.log(torch.rand(logits.shape, generator=generator, device=logits.device)))
    return (logits + noise).argmax(dim=-1)


@right
@by
def exponential_race(logits, generator):
    clocks = torch.empty_like(logits).exponential_(generator=generator)
    return (logits.softmax(dim=-1) / clocks).argmax(dim=-1)


@right
@by
def inverse_of_the_sum(logits, generator):
    edges = logits.detach().double().softmax(dim=-1).cumsum(dim=-1)
    number = torch.rand(len(logits), 1, generator=generator, dtype=torch.float64, device=logits.device) * edges[:, -1:]
    return torch.searchsorted(edges, number, right=True).squeeze(1)


@right
@by
def row_by_row(logits, generator):
    return torch.stack([torch.multinomial(row.softmax(dim=0), 1, generator=generator)[0] for row in logits])


@right
@by
def raised(logits, generator):
    return drawn(logits.log_softmax(dim=-1).exp(), generator)


@right
@by
def log_space(logits, generator):
    noise = torch.empty_like(logits).exponential_(generator=generator).log()
    return torch.argmax(torch.log_softmax(logits, dim=-1) - noise, dim=-1)


@right
@by
def small_integers(logits, generator):
    return drawn(logits.softmax(dim=-1), generator).int()


class Sample(nn.Module):
    """A module."""

    def forward(self, logits, generator, temperature=1.0, keep=None):
        return sampled(logits, generator, temperature, keep)


right(Sample())


right(functools.partial(sampled))
