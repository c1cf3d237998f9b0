"""Mistakes in `beam_search`, and right answers in other styles."""

import functools
import heapq
import math

import torch
from torch import Tensor, nn

from autograder.checks.ch06_decoding.beam_search import (
    BOS,
    batch,
    effort,
    ends,
    full_width,
    in_chapter,
    long,
    one_place,
    places,
    scores,
    states,
    ties,
)
from autograder.judging.catalogue import forbidden, mistake, right
from seqlab.search import first_tensor, largest, take_rows

INF = float("inf")


def search(
    step,
    state,
    bos,
    eos,
    beam_width,
    max_words,
    gamma=1.0,
    batch_dim=1,
    *,
    first_word=None,
    copies=False,
    value=lambda logits: logits.log_softmax(dim=-1),
    per_parent=False,
    best=largest,
    reorder=True,
    rows_of_parents=True,
    words_of_parents=True,
    read_new=True,
    ends=True,
    aside=True,
    expand=False,
    shrink=True,
    off_beam=True,
    counted=lambda t, done: t,
    score=lambda total, length, gamma: total / length**gamma,
    ranked=lambda found: sorted(found, key=lambda item: -item[1]),
    rest=True,
    rest_mixed=False,
    strip=True,
    stop=lambda live, ended, width: not live.any(),
    offset=True,
    limit=0,
    add_end=True,
    impossible=False,
    start=0.0,
    join=lambda sums, values: sums + values,
):
    """A search of which each part can be another."""
    first = first_tensor(state)
    sources, k = first.shape[batch_dim], beam_width
    source = torch.arange(sources, device=first.device)
    state = take_rows(state, source.repeat_interleave(k), batch_dim)
    word = torch.full((sources * k, 1), bos if first_word is None else first_word, device=first.device)
    written = word[:, :0]
    sums = torch.full((sources, k), start, device=first.device)
    if not copies:
        sums[:, 1:] = -INF
    live = sums > -INF
    ended = [[] for _ in range(sources)]
    length = 0
    for length in range(1, max_words + 1 + limit):
        logits, after = step(word, state)
        state = after if rows_of_parents is not None else state
        values = value(logits[:, 0])
        size = values.shape[-1]
        totals = join(sums.view(-1, 1), values).view(sources, k, size)
        if per_parent and length > 1:
            keep = totals.argmax(dim=-1, keepdim=True)
            totals = torch.full_like(totals, -INF).scatter(-1, keep, totals.gather(-1, keep))
        before = sums
        sums, places = best(totals.flatten(1), k)
        parents, words = places // size, places % size
        if shrink:
            left = torch.tensor([k - len(found) for found in ended], device=first.device)
            sums = sums.masked_fill(torch.arange(k, device=first.device) >= left.unsqueeze(1), -INF)
        starts = source.unsqueeze(1) * k if offset else torch.zeros_like(source).unsqueeze(1)
        rows = (starts + parents).flatten()
        if reorder:
            state = take_rows(state, rows, batch_dim)
        if read_new:
            word = words.view(-1, 1)
        written = torch.cat([written[rows] if words_of_parents else written, words.view(-1, 1)], dim=1)
        over = (words == eos) & (sums > -INF)
        if impossible:
            over = words == eos
        if ends:
            for b, place in over.nonzero().tolist():
                if not aside:
                    continue
                total = sums[b, place].item() if add_end else before[b, parents[b, place]].item()
                row = written[b * k + place]
                ended[b].append(((row[:-1] if strip else row).tolist(), score(total, counted(length, True), gamma)))
            if off_beam and not expand:
                sums = sums.masked_fill(over, -INF)
        live = torch.ones_like(sums, dtype=torch.bool) if impossible else sums > -INF
        if stop(live, ended, k):
            break
    found = [list(hypotheses) if rest_mixed else ranked(hypotheses) for hypotheses in ended]
    for b, place in live.nonzero().tolist() if rest else ():
        total = sums[b, place].item()
        found[b].append((written[b * k + place].tolist(), score(total, counted(length, False), gamma)))
    return [ranked(hypotheses) for hypotheses in found] if rest_mixed else found


def wrong(name, check, sentence, **changes):
    """List the search with something changed as a mistake."""

    def searched(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
        return search(step, state, bos, eos, beam_width, max_words, gamma, batch_dim, **changes)

    searched.__name__ = name
    mistake(check, sentence)(searched)


@mistake(in_chapter, "bos is never written, even where step makes it possible; expected it to be a word like any other")
def never_writes_bos(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    def without(word, state):
        logits, state = step(word, state)
        return logits.masked_fill(torch.arange(logits.shape[-1], device=logits.device) == bos, -INF), state

    return search(without, state, bos, eos, beam_width, max_words, gamma, batch_dim)


wrong(
    "bos_never_kept",
    in_chapter,
    "bos is never written, even where step makes it possible; expected it to be a word like any other",
    value=lambda logits: logits.log_softmax(dim=-1).index_fill(-1, torch.tensor(BOS, device=logits.device), -INF),
)


@mistake(
    in_chapter,
    "bos is removed from the sentences wherever it was written; only the first one, which was read, is no word",
)
def without_bos(*args, **kwargs):
    found = search(*args, **kwargs)
    return [[([word for word in words if word != args[2]], score) for words, score in of_one] for of_one in found]


wrong(
    "log_of_softmax",
    in_chapter,
    "the logarithm of the softmax is minus infinity for a very improbable word, which is then lost; log_softmax avoids that",
    value=lambda logits: logits.softmax(dim=-1).log(),
)


@mistake(ends, "no hypothesis may end at the first step; expected eos to be a word like any other there")
def no_empty_sentence(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    steps = []

    def without(word, state):
        logits, state = step(word, state)
        steps.append(None)
        is_eos = torch.arange(logits.shape[-1], device=logits.device) == eos
        return logits.masked_fill(is_eos & (len(steps) == 1), -INF), state

    return search(without, state, bos, eos, beam_width, max_words, gamma, batch_dim)


@mistake(one_place, "tuples are returned, expected lists of hypotheses and of words")
def in_tuples(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    found = search(step, state, bos, eos, beam_width, max_words, gamma, batch_dim)
    return tuple(tuple((tuple(words), score) for words, score in hypotheses) for hypotheses in found)


def topk_of(scores, k):
    """The best of a row in any order among equals: here the last first."""
    flipped, places = scores.flip(1).sort(dim=1, descending=True, stable=True)
    return flipped[:, :k], scores.shape[1] - 1 - places[:, :k]


def lowest(scores, k):
    values, places = scores.masked_fill(scores == -INF, INF).sort(dim=1, stable=True)
    return values[:, :k], places[:, :k]


def in_order_of_rows(scores, k):
    """The best, in the order in which they stand."""
    _, places = largest(scores, k)
    places = places.sort(dim=1).values
    return scores.gather(1, places), places


wrong("reads_eos_first", one_place, "the first word that is read is eos, expected bos", first_word=3)


wrong("least_likely", one_place, "the least likely word is taken at every step", best=lowest)


wrong(
    "no_words_left",
    one_place,
    "hypotheses that have not ended after max_words steps are dropped, expected returned as they are",
    rest=False,
)


wrong("always_reads_bos", one_place, "every step reads bos instead of the word that was just chosen", read_new=False)


wrong("one_step_too_few", one_place, "the search takes one step too few", limit=-1)


wrong("one_step_too_many", one_place, "the search takes one step too many", limit=1)


@mistake(one_place, "the state that step returned is not used for the next step")
def state_not_carried(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    return search(step, state, bos, eos, beam_width, max_words, gamma, batch_dim, rows_of_parents=None, reorder=False)


@mistake(one_place, "the sentence begins with bos, which is only read and is not a word of the sentence")
def with_bos(*args, **kwargs):
    return [[([args[2], *words], score) for words, score in found] for found in search(*args, **kwargs)]


@mistake(one_place, "the hypotheses are returned without their scores")
def words_alone(*args, **kwargs):
    return [[words for words, _ in found] for found in search(*args, **kwargs)]


@mistake(one_place, "only the best hypothesis of each source is returned, expected a list of all")
def best_alone(*args, **kwargs):
    return [found[0] for found in search(*args, **kwargs)]


@mistake(one_place, "only the hypotheses of the first source are returned, expected a list for each source")
def first_source_alone(*args, **kwargs):
    return search(*args, **kwargs)[0]


@mistake(one_place, "the words of a hypothesis are a tensor, expected a list of integers")
def as_tensors(*args, **kwargs):
    return [[(torch.tensor(words), score) for words, score in found] for found in search(*args, **kwargs)]


@mistake(one_place, "the words passed to step have shape (N,), expected (N, 1)")
def flat_words(step, *args, **kwargs):
    return search(lambda word, state: step(word[:, 0], state), *args, **kwargs)


wrong("k_copies", places, "the beam starts with k equal hypotheses, expected one hypothesis", copies=True)


wrong(
    "probabilities",
    places,
    "probabilities are added, expected log-probabilities",
    value=lambda logits: logits.softmax(dim=-1),
)


wrong("raw_logits", places, "logits are added, expected log-probabilities", value=lambda logits: logits)


wrong(
    "k_per_hypothesis",
    places,
    "each hypothesis keeps its own best word; expected the best of all candidates, of which one parent may have several",
    per_parent=True,
)


wrong("state_of_another", places, "the rows of the state are not put in the order of the parents", reorder=False)


wrong(
    "words_of_another",
    places,
    "the words that were written before are not put in the order of the parents",
    words_of_parents=False,
)


wrong(
    "not_in_order",
    places,
    "the hypotheses stay in the order of the candidates, expected the largest sum first",
    best=in_order_of_rows,
)


@mistake(places, "the sums of the parents are not added: only the log-probability of the last word decides")
def only_the_last_word(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    sums_forgotten = []

    def value(logits):
        sums_forgotten.append(1)
        return logits.log_softmax(dim=-1)

    def best(scores, k):
        if len(sums_forgotten) > 1:
            size = scores.shape[1] // k
            blocks = scores.view(len(scores), k, size)
            scores = (blocks - blocks.logsumexp(dim=-1, keepdim=True)).nan_to_num(nan=-INF).flatten(1)
        return largest(scores, k)

    return search(step, state, bos, eos, beam_width, max_words, gamma, batch_dim, value=value, best=best)


@mistake(places, "the beam is narrower than beam_width from the first step on")
def one_less(*args, **kwargs):
    args = list(args)
    args[4] = max(args[4] - 1, 1)
    return search(*args, **kwargs)


@mistake(
    ends,
    "a hypothesis that has ended competes with the others and may drop out later; expected it to keep its place to the end",
)
def ended_held_against_others(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    def free(word, inner):
        logits, after = step(word, inner)
        ended = word[:, 0] == eos
        logits = logits.log_softmax(dim=-1).masked_fill(ended.view(-1, 1, 1), -INF)
        logits[ended, :, eos] = 0.0
        return logits, after

    found = search(
        free,
        state,
        bos,
        eos,
        beam_width,
        max_words,
        0.0,
        batch_dim,
        value=lambda logits: logits,
        ends=False,
        strip=False,
    )
    results = []
    for of_one in found:
        done, rest = [], []
        for words, total in of_one:
            written = words[: words.index(eos)] if eos in words else words
            length = len(written) + (eos in words)
            (done if eos in words else rest).append((written, total / length**gamma))
        results.append(sorted(done, key=lambda item: -item[1]) + rest)
    return results


wrong("forgets_the_ended", ends, "hypotheses that have ended are lost; expected them put aside", aside=False)


wrong(
    "goes_on_behind_the_end",
    ends,
    "hypotheses that have ended are extended, as if eos were a word like any other",
    ends=False,
)


wrong(
    "expands_and_keeps",
    ends,
    "a hypothesis that has ended is put aside and extended as well",
    off_beam=False,
    shrink=False,
)


wrong("keeps_the_end", ends, "eos is returned as the last word, expected the words alone", strip=False)


wrong(
    "gives_places_back",
    ends,
    "a hypothesis that has ended gives its place back to the others; expected the beam to get narrower",
    shrink=False,
)


wrong(
    "stops_at_the_first_end",
    ends,
    "the search stops when the first hypothesis has ended",
    stop=lambda live, ended, width: not live.any() or any(ended),
    rest=True,
)


@mistake(ends, "hypotheses that have not ended are returned only if none has ended, expected always")
def unfinished_only_in_need(*args, **kwargs):
    most = args[5]
    found = search(*args, **kwargs)
    whole = [[item for item in of_one if len(item[0]) < most] for of_one in found]
    return [ended or of_one for ended, of_one in zip(whole, found, strict=True)]


wrong(
    "no_normalisation",
    scores,
    "the scores are the sums, expected sum / T'^gamma",
    score=lambda total, length, gamma: total,
)


wrong(
    "always_by_length",
    scores,
    "the scores are sum / T', whatever gamma is",
    score=lambda total, length, gamma: total / length,
)


wrong(
    "gamma_as_a_switch",
    scores,
    "the scores are sum / T' for every gamma except 0, expected sum / T'^gamma",
    score=lambda total, length, gamma: total / length if gamma else total,
)


wrong(
    "end_not_counted",
    scores,
    "T' leaves out eos, expected the words and eos",
    counted=lambda length, done: max(length - done, 1),
)


wrong(
    "unfinished_by_sum",
    scores,
    "the sums of hypotheses that have not ended are not divided by T'^gamma",
    counted=lambda length, done: length if done else 1,
)


wrong("end_not_scored", scores, "the log-probability of eos is missing from the sum", add_end=False)


wrong(
    "every_end_counted",
    scores,
    "T' counts eos in hypotheses that have not ended, too",
    counted=lambda length, done: length + 1 - done,
)


wrong(
    "worst_first",
    scores,
    "the hypotheses are sorted with the lowest score first",
    ranked=lambda found: sorted(found, key=lambda i: i[1]),
)


wrong(
    "not_ranked",
    scores,
    "the hypotheses are returned in the order in which they ended, expected the best score first",
    ranked=list,
)


wrong(
    "all_in_one_order",
    scores,
    "hypotheses that have not ended are ranked among the others, expected after them",
    rest_mixed=True,
)


@mistake(scores, "the sums are divided by the length at every step; gamma is used only when the search is over")
def by_length_at_each_step(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    steps = []

    def divided(sums, values):
        steps.append(1)
        return (sums + values) / len(steps) ** gamma

    as_it_is = {"join": divided, "score": lambda total, length, gamma: total}
    return search(step, state, bos, eos, beam_width, max_words, gamma, batch_dim, **as_it_is)


wrong(
    "times_gamma",
    scores,
    "the scores are (sum / T') * gamma, expected sum / T'^gamma",
    score=lambda total, length, gamma: total / length * gamma,
)


wrong(
    "sum_is_gone",
    scores,
    "the score is read after the sum on the beam was set to minus infinity",
    score=lambda total, length, gamma: -INF,
)


wrong(
    "multiplied",
    scores,
    "the sums are multiplied by T'^gamma, expected divided by it",
    score=lambda total, length, gamma: total * length**gamma,
)


wrong(
    "as_probability",
    scores,
    "the scores are probabilities, expected sums of their logarithms over T'^gamma",
    score=lambda total, length, gamma: math.exp(total),
)


def from_one_row(scores, k):
    """The best of all sources together."""
    values, places = largest(scores.reshape(1, -1), k * len(scores))
    return values.view(-1, k), places.view(-1, k)


wrong(
    "sources_in_one_row",
    batch,
    "the best candidates of all sources together stay, expected the best of each source",
    best=from_one_row,
    offset=False,
)


wrong(
    "rows_without_offset",
    batch,
    "the rows of the parents lack the offset of their source, so all sources read rows of the first",
    offset=False,
)


wrong(
    "stops_with_the_first_source",
    batch,
    "the search stops when all hypotheses of one source have ended, expected of all sources",
    stop=lambda live, ended, width: not live.any(dim=1).all(),
)


@mistake(batch, "the state is repeated as a whole, expected the rows of a source next to each other")
def state_in_blocks(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    sources = first_tensor(state).shape[batch_dim]
    order = torch.arange(sources * beam_width) % sources
    mixed = []

    def other(word, inner):
        if not mixed:
            mixed.append(1)
            inner = take_rows(inner, order.view(beam_width, sources).flatten() * beam_width, batch_dim)
        return step(word, inner)

    return search(other, state, bos, eos, beam_width, max_words, gamma, batch_dim)


@mistake(batch, "all sources share the k places of one beam, expected k places for each source")
def one_beam_for_all(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    found = search(step, state, bos, eos, beam_width, max_words, gamma, batch_dim)
    if len(found) == 1:
        return found
    return [of_one[: max(1, beam_width // len(found))] for of_one in found]


wrong("equals_in_any_order", ties, "of equal sums the last one comes first", best=topk_of)


def by_word_then_parent(scores, k):
    """If sums are equal, the lower word comes first, then the earlier parent."""
    size = scores.shape[1] // k
    turned = scores.view(len(scores), k, size).transpose(1, 2).flatten(1)
    values, places = largest(turned, k)
    return values, places % k * size + places // k


wrong(
    "lower_word_first", ties, "of equal sums the lower word comes first, whatever its parent", best=by_word_then_parent
)


def product(total, chances):
    """What has no probability left, or never had any, is gone."""
    products = total.clamp(min=0.0) * chances
    return products.masked_fill(products == 0, -INF)


wrong(
    "products",
    long,
    "probabilities are multiplied, which underflows",
    value=lambda logits: logits.softmax(dim=-1),
    start=1.0,
    join=product,
    score=lambda total, length, gamma: math.log(total) / length**gamma,
)


@mistake(states, "the state is treated as one tensor, but it may be a tuple of tensors")
def tensors_alone(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    if not isinstance(state, Tensor):
        raise TypeError("index_select(): argument 'input' must be Tensor, not tuple")
    return search(step, state, bos, eos, beam_width, max_words, gamma, 1)


@mistake(states, "batch_dim is not used: the rows of the state are taken along a fixed dimension")
def dimension_one(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    return search(step, state, bos, eos, beam_width, max_words, gamma, 1)


mistake(full_width, "extensions with probability zero are kept where places are left, expected never").made_in(
    state_not_carried,
    impossible_ones={"rows_of_parents=None, reorder=False": "value=lambda l: l.log_softmax(-1).clamp(min=-1e4)"},
)


@mistake(full_width, "the first step takes the k best of V words, but k may be larger than V")
def k_words_at_first(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    logits, _ = step(torch.full((first_tensor(state).shape[batch_dim], 1), bos), state)
    logits[:, 0].topk(beam_width)
    return search(step, state, bos, eos, beam_width, max_words, gamma, batch_dim)


wrong(
    "never_stops_early",
    effort,
    "all max_words steps are taken, even if every hypothesis has ended",
    stop=lambda live, ended, width: False,
)


@mistake(one_place, "the scores are tensors, expected numbers")
def scores_as_tensors(*args, **kwargs):
    return [[(words, torch.tensor(score)) for words, score in found] for found in search(*args, **kwargs)]


def taken(state, rows, dim):
    """Rows of a state."""
    if isinstance(state, tuple):
        return tuple(taken(part, rows, dim) for part in state)
    return state.index_select(dim, torch.tensor(rows, device=state.device))


def of_one_source(step, state, bos, eos, beam_width, max_words, gamma, batch_dim):
    """One source, in plain lists."""
    device = first_tensor(state).device
    beam, ended = [(0.0, [], state)], []
    for _ in range(max_words):
        tried = []
        for total, words, own in beam:
            logits, own = step(torch.tensor([[words[-1] if words else bos]], device=device), own)
            for word, value in enumerate(logits[0, 0].log_softmax(dim=-1).tolist()):
                if value > -INF:
                    tried.append((total + value, [*words, word], own))
        tried.sort(key=lambda item: -item[0])
        beam = []
        for total, words, own in tried[: beam_width - len(ended)]:
            if words[-1] == eos:
                continue
            beam.append((total, words, own))
        ended += [
            (words[:-1], total / len(words) ** gamma)
            for total, words, _ in tried[: beam_width - len(ended)]
            if words[-1] == eos
        ]
        if not beam:
            break
    ended.sort(key=lambda item: item[1], reverse=True)
    return ended + [(words, total / len(words) ** gamma) for total, words, _ in beam]


@right
def each_alone(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    sources = first_tensor(state).shape[batch_dim]
    return [
        of_one_source(step, taken(state, [b], batch_dim), bos, eos, beam_width, max_words, gamma, batch_dim)
        for b in range(sources)
    ]


@right
def back_pointers(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    first = first_tensor(state)
    k, sources, device = beam_width, first.shape[batch_dim], first.device
    state = take_rows(state, torch.arange(sources, device=device).repeat_interleave(k), batch_dim)
    word, total = torch.full((sources * k, 1), bos, device=device), torch.full((sources, k), -INF, device=device)
    total[:, 0] = 0
    history, done, free = [], [[] for _ in range(sources)], torch.full((sources, 1), k, device=device)
    while len(history) < max_words and bool((total > -INF).any()):
        logits, state = step(word, state)
        size = logits.shape[-1]
        scores = (total.unsqueeze(2) + torch.log_softmax(logits, 2).view(sources, k, size)).reshape(sources, k * size)
        order = torch.argsort(scores, dim=1, descending=True, stable=True)[:, :k]
        total = torch.gather(scores, 1, order)
        total[torch.arange(k, device=device).expand(sources, k) >= free] = -INF
        parent, chosen = torch.div(order, size, rounding_mode="floor"), torch.remainder(order, size)
        history.append((parent, chosen))
        is_end = chosen.eq(eos) & total.gt(-INF)
        for b in range(sources):
            for j in range(k):
                if is_end[b, j]:
                    done[b].append((len(history) - 1, j, float(total[b, j])))
        free = free - is_end.sum(1, keepdim=True)
        total = torch.where(is_end, -INF, total)
        state = take_rows(state, (parent + k * torch.arange(sources, device=device)[:, None]).reshape(-1), batch_dim)
        word = chosen.reshape(-1, 1)

    def read(b, t, j):
        words = []
        while t >= 0:
            parent, chosen = history[t]
            words.append(int(chosen[b, j]))
            j, t = int(parent[b, j]), t - 1
        return words[::-1]

    results = []
    for b in range(sources):
        ended = [(read(b, t, j)[:-1], value / (t + 1) ** gamma) for t, j, value in done[b]]
        ended.sort(key=lambda item: -item[1])
        t = len(history)
        live = [j for j in range(k) if total[b, j] > -INF]
        results.append(ended + [(read(b, t - 1, j), float(total[b, j]) / t**gamma) for j in live])
    return results


@right
@torch.no_grad()
def with_a_heap(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    sources = first_tensor(state).shape[batch_dim]
    beams = [[((), 0.0, b)] for b in range(sources)]
    done = [[] for _ in range(sources)]
    current, device = state, first_tensor(state).device
    for t in range(1, max_words + 1):
        alive = [(b, item) for b in range(sources) for item in beams[b]]
        if not alive:
            break
        current = take_rows(current, torch.tensor([item[2] for _, item in alive], device=device), batch_dim)
        read = torch.tensor([[item[0][-1] if item[0] else bos] for _, item in alive], device=device)
        logits, current = step(read, current)
        values = nn.functional.log_softmax(logits.squeeze(1), dim=-1).tolist()
        tried = [[] for _ in range(sources)]
        for row, (b, (words, total, _)) in enumerate(alive):
            for word, value in enumerate(values[row]):
                if value != -INF:
                    tried[b].append((-(total + value), len(tried[b]), (*words, word), row))
        for b in range(sources):
            beams[b], new = [], []
            for negative, _, words, row in heapq.nsmallest(beam_width - len(done[b]), tried[b]):
                if words[-1] == eos:
                    new.append((list(words[:-1]), -negative / t**gamma))
                else:
                    beams[b].append((words, -negative, row))
            done[b] += new
    return [
        sorted(done[b], key=lambda item: -item[1])
        + [(list(words), total / len(words) ** gamma) for words, total, _ in beams[b]]
        for b in range(sources)
    ]


@right
def one_row_at_first(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    first = first_tensor(state)
    sources, device, wide = first.shape[batch_dim], first.device, 1
    word, sums = torch.full((sources, 1), bos, device=device), torch.zeros(sources, 1, device=device)
    written, ended = [[[]] for _ in range(sources)], [[] for _ in range(sources)]
    for length in range(1, max_words + 1):
        logits, state = step(word, state)
        totals = (sums.reshape(-1, 1) + torch.log_softmax(logits.squeeze(1), 1)).reshape(sources, -1)
        order = totals.argsort(dim=1, descending=True, stable=True)[:, :beam_width]
        sums, rows, next_words, grown = totals.gather(1, order), [], [], []
        for b in range(sources):
            free, grown_here = beam_width - len(ended[b]), []
            for place, candidate in enumerate(order[b].tolist()):
                parent, chosen = divmod(candidate, logits.shape[-1])
                words = [*written[b][parent], chosen]
                if place < free and chosen == eos and sums[b, place] > -INF:
                    ended[b].append((words[:-1], sums[b, place].item() / length**gamma))
                if place >= free or chosen == eos:
                    sums[b, place] = -INF
                grown_here.append(words)
                rows.append(b * wide + parent)
                next_words.append(chosen)
            grown.append(grown_here)
        written, wide = grown, order.shape[1]
        state, word = (
            take_rows(state, torch.tensor(rows, device=device), batch_dim),
            torch.tensor(next_words, device=device).unsqueeze(1),
        )
        if (sums == -INF).all():
            break
    found = [sorted(of_one, key=lambda item: item[1], reverse=True) for of_one in ended]
    for b, place in (sums > -INF).nonzero().tolist():
        found[b].append((written[b][place], sums[b, place].item() / length**gamma))
    return found


class Beam(nn.Module):
    """A module in the place of a function."""

    def forward(self, step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
        return search(step, state, bos, eos, beam_width, max_words, gamma, batch_dim)


@forbidden
def seqlabs_own(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    from seqlab.beam import beam_translate

    return beam_translate(step, state, None, beam_width, max_words, batch_dim)


right(Beam())


right(functools.partial(search))


right(lambda *args: search(*args))
