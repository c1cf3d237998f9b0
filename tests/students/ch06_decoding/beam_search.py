"""Wrong and right answers to `beam_search`."""

import functools
import heapq
import math

import torch
from torch import Tensor, nn

from seqlab.search import first_tensor, largest, take_rows

EXERCISE = "beam_search"

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


def wrong(name, doc, **changes):
    """The search with something changed."""

    def searched(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
        return search(step, state, bos, eos, beam_width, max_words, gamma, batch_dim, **changes)

    searched.__name__, searched.__doc__ = name, doc
    return searched


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


reads_eos_first = wrong("reads_eos_first", "The first word that is read is eos, expected bos.", first_word=3)
least_likely = wrong("least_likely", "The lowest sums.", best=lowest)
no_words_left = wrong("no_words_left", "What has not ended is dropped.", rest=False)
always_reads_bos = wrong(
    "always_reads_bos", "Every step reads bos instead of the word that was just chosen.", read_new=False
)
one_step_too_few = wrong("one_step_too_few", "The search takes one step too few.", limit=-1)
one_step_too_many = wrong("one_step_too_many", "The search takes one step too many.", limit=1)


def state_not_carried(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    """The state that `step` returned is not used."""
    return search(step, state, bos, eos, beam_width, max_words, gamma, batch_dim, rows_of_parents=None, reorder=False)


def with_bos(*args, **kwargs):
    """bos stands in front of all words."""
    return [[([args[2], *words], score) for words, score in found] for found in search(*args, **kwargs)]


def words_alone(*args, **kwargs):
    """The scores are left out."""
    return [[words for words, _ in found] for found in search(*args, **kwargs)]


def best_alone(*args, **kwargs):
    """One hypothesis for each source, and no list of them."""
    return [found[0] for found in search(*args, **kwargs)]


def first_source_alone(*args, **kwargs):
    """The hypotheses of the first source."""
    return search(*args, **kwargs)[0]


def as_tensors(*args, **kwargs):
    """The words are tensors."""
    return [[(torch.tensor(words), score) for words, score in found] for found in search(*args, **kwargs)]


def flat_words(step, *args, **kwargs):
    """The words have one dimension."""
    return search(lambda word, state: step(word[:, 0], state), *args, **kwargs)


k_copies = wrong("k_copies", "At first there are k equal hypotheses.", copies=True)
probabilities = wrong("probabilities", "Probabilities are added.", value=lambda logits: logits.softmax(dim=-1))
raw_logits = wrong("raw_logits", "Logits are added.", value=lambda logits: logits)
k_per_hypothesis = wrong("k_per_hypothesis", "Each hypothesis keeps its best word.", per_parent=True)
state_of_another = wrong("state_of_another", "The state is not put in the order of the parents.", reorder=False)
words_of_another = wrong("words_of_another", "What was written stays in its place.", words_of_parents=False)
not_in_order = wrong("not_in_order", "The places are in the order of the candidates.", best=in_order_of_rows)


def only_the_last_word(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    """The sums are forgotten: the last word decides."""
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


def one_less(*args, **kwargs):
    """A place too few from the first."""
    args = list(args)
    args[4] = max(args[4] - 1, 1)
    return search(*args, **kwargs)


def ended_held_against_others(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    """What has ended goes on with eos for nothing, and may be pushed off the beam."""

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


forgets_the_ended = wrong("forgets_the_ended", "What has ended is not put aside.", aside=False)
goes_on_behind_the_end = wrong("goes_on_behind_the_end", "eos is a word like others.", ends=False)
expands_and_keeps = wrong(
    "expands_and_keeps", "What has ended is put aside and gone on with.", off_beam=False, shrink=False
)
keeps_the_end = wrong("keeps_the_end", "eos stays behind the words.", strip=False)
gives_places_back = wrong("gives_places_back", "The beam does not shrink.", shrink=False)
stops_at_the_first_end = wrong(
    "stops_at_the_first_end",
    "The search is over when one hypothesis has ended.",
    stop=lambda live, ended, width: not live.any() or any(ended),
    rest=True,
)


def unfinished_only_in_need(*args, **kwargs):
    """What has not ended comes back only where nothing has."""
    most = args[5]
    found = search(*args, **kwargs)
    whole = [[item for item in of_one if len(item[0]) < most] for of_one in found]
    return [ended or of_one for ended, of_one in zip(whole, found, strict=True)]


no_normalisation = wrong("no_normalisation", "The score is the sum.", score=lambda total, length, gamma: total)
always_by_length = wrong("always_by_length", "gamma is not used.", score=lambda total, length, gamma: total / length)
end_not_counted = wrong("end_not_counted", "T' leaves eos out.", counted=lambda length, done: max(length - done, 1))
end_not_scored = wrong("end_not_scored", "The log-probability of eos is missing from the sum.", add_end=False)
worst_first = wrong(
    "worst_first", "The lowest score comes first.", ranked=lambda found: sorted(found, key=lambda i: i[1])
)
not_ranked = wrong("not_ranked", "In the order in which they ended.", ranked=list)
all_in_one_order = wrong("all_in_one_order", "What has not ended is ranked with the others.", rest_mixed=True)


def by_length_at_each_step(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    """What has been divided by the length is divided again at the next step."""
    steps = []

    def divided(sums, values):
        steps.append(1)
        return (sums + values) / len(steps) ** gamma

    as_it_is = {"join": divided, "score": lambda total, length, gamma: total}
    return search(step, state, bos, eos, beam_width, max_words, gamma, batch_dim, **as_it_is)


times_gamma = wrong("times_gamma", "No power.", score=lambda total, length, gamma: total / length * gamma)
sum_is_gone = wrong("sum_is_gone", "Read when it is minus infinity already.", score=lambda total, length, gamma: -INF)
multiplied = wrong("multiplied", "Multiplied by the length.", score=lambda total, length, gamma: total * length**gamma)
as_probability = wrong("as_probability", "The score is P.", score=lambda total, length, gamma: math.exp(total))


def from_one_row(scores, k):
    """The best of all sources together."""
    values, places = largest(scores.reshape(1, -1), k * len(scores))
    return values.view(-1, k), places.view(-1, k)


sources_in_one_row = wrong("sources_in_one_row", "The best of all sources.", best=from_one_row, offset=False)
rows_without_offset = wrong("rows_without_offset", "Parents' rows are those of the first source.", offset=False)
stops_with_the_first_source = wrong(
    "stops_with_the_first_source",
    "When one source is done, all are.",
    stop=lambda live, ended, width: not live.any(dim=1).all(),
)


def state_in_blocks(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    """The state is repeated as a whole, so that a source's rows do not lie side by side."""
    sources = first_tensor(state).shape[batch_dim]
    order = torch.arange(sources * beam_width) % sources
    mixed = []

    def other(word, inner):
        if not mixed:
            mixed.append(1)
            inner = take_rows(inner, order.view(beam_width, sources).flatten() * beam_width, batch_dim)
        return step(word, inner)

    return search(other, state, bos, eos, beam_width, max_words, gamma, batch_dim)


def one_beam_for_all(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    """The ended of all sources are counted together."""
    found = search(step, state, bos, eos, beam_width, max_words, gamma, batch_dim)
    if len(found) == 1:
        return found
    return [of_one[: max(1, beam_width // len(found))] for of_one in found]


equals_in_any_order = wrong("equals_in_any_order", "If sums are equal, the last one comes first.", best=topk_of)


def by_word_then_parent(scores, k):
    """If sums are equal, the lower word comes first, then the earlier parent."""
    size = scores.shape[1] // k
    turned = scores.view(len(scores), k, size).transpose(1, 2).flatten(1)
    values, places = largest(turned, k)
    return values, places % k * size + places // k


lower_word_first = wrong(
    "lower_word_first", "If sums are equal, the lower word comes first, whatever its parent.", best=by_word_then_parent
)


def product(total, chances):
    """What has no probability left, or never had any, is gone."""
    products = total.clamp(min=0.0) * chances
    return products.masked_fill(products == 0, -INF)


products = wrong(
    "products",
    "Probabilities are multiplied.",
    value=lambda logits: logits.softmax(dim=-1),
    start=1.0,
    join=product,
    score=lambda total, length, gamma: math.log(total) / length**gamma,
)


def tensors_alone(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    """The state is taken for one tensor with its rows in dimension 1."""
    if not isinstance(state, Tensor):
        raise TypeError("index_select(): argument 'input' must be Tensor, not tuple")
    return search(step, state, bos, eos, beam_width, max_words, gamma, 1)


def dimension_one(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    """batch_dim is not used."""
    return search(step, state, bos, eos, beam_width, max_words, gamma, 1)


def impossible_ones(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    """What has no probability gets a place where one is free."""
    return search(
        step,
        state,
        bos,
        eos,
        beam_width,
        max_words,
        gamma,
        batch_dim,
        value=lambda l: l.log_softmax(-1).clamp(min=-1e4),
    )


def k_words_at_first(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    """topk over the V words of the first step."""
    logits, _ = step(torch.full((first_tensor(state).shape[batch_dim], 1), bos), state)
    logits[:, 0].topk(beam_width)
    return search(step, state, bos, eos, beam_width, max_words, gamma, batch_dim)


never_stops_early = wrong("never_stops_early", "All steps are taken.", stop=lambda live, ended, width: False)


def scores_as_tensors(*args, **kwargs):
    """Each score is a tensor of one number."""
    return [[(words, torch.tensor(score)) for words, score in found] for found in search(*args, **kwargs)]


_ONE = "with a beam of width one, each step takes the most likely word"
_PLACES = "the extensions with the largest sums stay on the beam, whichever hypotheses they extend"
_ENDS = "a hypothesis that has ended keeps its place and is not extended"
_SCORES = "a score is the sum divided by T'^gamma, and the best comes first"
_BATCH = "the sources of a batch do not mix"
_TIES = "if sums are equal, the earlier parent comes first, then the word with the lower id"
_STATE = "the state may be a nested tuple, with its rows along any dimension"
_LONG = "a sentence is found even if its probability underflows in float32"
_FULL = "with more places than hypotheses, none appears twice and no impossible one appears"
_EFFORT = "the search stops once hypotheses that have ended take all places"

WRONG = {
    reads_eos_first: _ONE,
    least_likely: _ONE,
    no_words_left: _ONE,
    always_reads_bos: _ONE,
    state_not_carried: _ONE,
    one_step_too_few: _ONE,
    one_step_too_many: _ONE,
    with_bos: _ONE,
    words_alone: _ONE,
    scores_as_tensors: _ONE,
    best_alone: _ONE,
    first_source_alone: _ONE,
    as_tensors: _ONE,
    flat_words: _ONE,
    k_copies: _PLACES,
    probabilities: _PLACES,
    raw_logits: _PLACES,
    k_per_hypothesis: _PLACES,
    state_of_another: _PLACES,
    words_of_another: _PLACES,
    not_in_order: _PLACES,
    only_the_last_word: _PLACES,
    one_less: _PLACES,
    ended_held_against_others: _ENDS,
    forgets_the_ended: _ENDS,
    goes_on_behind_the_end: _ENDS,
    expands_and_keeps: _ENDS,
    keeps_the_end: _ENDS,
    gives_places_back: _ENDS,
    stops_at_the_first_end: _ENDS,
    unfinished_only_in_need: _ENDS,
    no_normalisation: _SCORES,
    always_by_length: _SCORES,
    end_not_counted: _SCORES,
    end_not_scored: _SCORES,
    worst_first: _SCORES,
    not_ranked: _SCORES,
    all_in_one_order: _SCORES,
    by_length_at_each_step: _SCORES,
    times_gamma: _SCORES,
    sum_is_gone: _SCORES,
    multiplied: _SCORES,
    as_probability: _SCORES,
    sources_in_one_row: _BATCH,
    rows_without_offset: _BATCH,
    stops_with_the_first_source: _BATCH,
    state_in_blocks: _BATCH,
    one_beam_for_all: _BATCH,
    equals_in_any_order: _TIES,
    lower_word_first: _TIES,
    tensors_alone: _STATE,
    dimension_one: _STATE,
    products: _LONG,
    impossible_ones: _FULL,
    k_words_at_first: _FULL,
    never_stops_early: _EFFORT,
}


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


def each_alone(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    """Source after source, hypothesis after hypothesis."""
    sources = first_tensor(state).shape[batch_dim]
    return [
        of_one_source(step, taken(state, [b], batch_dim), bos, eos, beam_width, max_words, gamma, batch_dim)
        for b in range(sources)
    ]


def back_pointers(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    """Parents and words are noted, and the sentences are read off backwards in the end."""
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


@torch.no_grad()
def with_a_heap(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    """Only rows that are alive are given to step; a heap finds the best."""
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


def one_row_at_first(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    """The first step has one row for each source; the beam is as wide as there are beginnings."""
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
    """A module in the place of a function; tuples for lists."""

    def forward(self, step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
        found = search(step, state, bos, eos, beam_width, max_words, gamma, batch_dim)
        return tuple(tuple((tuple(words), score) for words, score in of_one) for of_one in found)


RIGHT = {
    "each alone": each_alone,
    "back pointers": back_pointers,
    "with a heap": with_a_heap,
    "one row at first": one_row_at_first,
    "a module": Beam(),
    "a partial": functools.partial(search),
    "a lambda": lambda *args: search(*args),
}


def seqlabs_own(step, state, bos, eos, beam_width, max_words, gamma=1.0, batch_dim=1):
    """The rule is that this is not used."""
    from seqlab.beam import beam_translate

    return beam_translate(step, state, None, beam_width, max_words, batch_dim)


FORBIDDEN = (seqlabs_own,)
