"""Mistakes in `greedy_decode`, and right answers in other styles."""

import torch
from torch import nn

from autograder.checks.ch03_seq2seq.greedy_decode import (
    batch,
    device,
    effort,
    empty,
    in_chapter,
    its_end,
    limit,
    one_sentence,
    ties,
)
from autograder.judging.catalogue import forbidden, mistake, right


def first_words(state, bos):
    """bos for each sentence, (B, 1)."""
    return torch.full((state.shape[1], 1), bos, device=state.device)


def cut(rows, eos):
    """Each row up to its end mark."""
    return [row[: row.index(eos)] if eos in row else row for row in rows]


def run(step, state, bos, eos, max_words, *, choose=None, read=None, keep=None):
    """The words of all sentences, (B, steps), with a slip in what is chosen, read or kept."""
    word, written = first_words(state, bos), []
    ended = torch.zeros_like(word, dtype=torch.bool)
    for _ in range(max_words):
        logits, after = step(word, state)
        chosen = choose(logits) if choose else logits.argmax(dim=-1)
        written.append(chosen)
        ended |= chosen == eos
        if ended.all():
            break
        word = read(word) if read else chosen
        state = keep(state) if keep else after
    return torch.cat(written, dim=1).tolist()


@mistake(one_sentence, "every step reads bos, but each step has to read the word that was just chosen")
def not_fed_back(step, state, bos, eos, max_words):
    return cut(run(step, state, bos, eos, max_words, read=lambda word: word), eos)


@mistake(one_sentence, "every step is given the first state, expected the state that the previous step returned")
def state_not_carried(step, state, bos, eos, max_words):
    return cut(run(step, state, bos, eos, max_words, keep=lambda state: state), eos)


@mistake(
    one_sentence, "every step reads bos and the first state, but the chosen word and the new state have to be passed on"
)
def nothing_carried(step, state, bos, eos, max_words):
    same = {"read": lambda word: word, "keep": lambda state: state}
    return cut(run(step, state, bos, eos, max_words, **same), eos)


@mistake(one_sentence, "the least likely word is chosen at every step")
def least_likely(step, state, bos, eos, max_words):
    return cut(run(step, state, bos, eos, max_words, choose=lambda logits: logits.argmin(dim=-1)), eos)


@mistake(one_sentence, "the word is sampled, expected the most likely word")
def sampled(step, state, bos, eos, max_words):
    def draw(logits):
        return torch.multinomial(logits[:, 0].softmax(dim=-1), 1)

    return cut(run(step, state, bos, eos, max_words, choose=draw), eos)


@mistake(one_sentence, "the second most likely word is chosen, expected the most likely one")
def second_best(step, state, bos, eos, max_words):
    def choose(logits):
        best = logits.argmax(dim=-1)
        return torch.where(best == eos, best, logits.argsort(dim=-1)[..., -2])

    return cut(run(step, state, bos, eos, max_words, choose=choose), eos)


@mistake(one_sentence, "the sentence begins with bos, which is only read and never written")
def with_bos(step, state, bos, eos, max_words):
    return [[bos, *row] for row in cut(run(step, state, bos, eos, max_words), eos)]


mistake(one_sentence, "the first word is left out").made_in(with_bos, without_the_first_word={"[bos, *row]": "row[1:]"})


@mistake(one_sentence, "the first step reads 0, expected bos")
def starts_with_zero(step, state, bos, eos, max_words):
    return cut(run(step, state, 0, eos, max_words), eos)


@mistake(one_sentence, "the result is a tensor, expected a list with a list of words for each sentence")
def as_a_tensor(step, state, bos, eos, max_words):
    return torch.tensor(run(step, state, bos, eos, max_words))


@mistake(its_end, "the words are tensors, expected plain integers")
def of_tensors(step, state, bos, eos, max_words):
    rows = cut(run(step, state, bos, eos, max_words), eos)
    return [[torch.tensor(word) for word in row] for row in rows]


@mistake(its_end, "the sentences are tuples, expected lists")
def tuples(step, state, bos, eos, max_words):
    return [tuple(row) for row in cut(run(step, state, bos, eos, max_words), eos)]


@mistake(its_end, "the sentences are tensors, expected lists of plain integers")
def as_tensors(step, state, bos, eos, max_words):
    return [torch.tensor(row) for row in cut(run(step, state, bos, eos, max_words), eos)]


@mistake(one_sentence, "only the first sentence is returned, expected a list for each sentence")
def one_list(step, state, bos, eos, max_words):
    return cut(run(step, state, bos, eos, max_words), eos)[0]


@mistake(one_sentence, "the chosen words have shape (B,), expected (B, 1) for the next step")
def words_without_dimension(step, state, bos, eos, max_words):
    choose = lambda logits: logits.argmax(dim=-1)[:, 0]
    return cut(run(step, state, bos, eos, max_words, choose=choose), eos)


@mistake(one_sentence, "the first words are floats, expected integers")
def words_as_floats(step, state, bos, eos, max_words):
    word = torch.ones(state.shape[1], 1) * bos
    step(word, state)
    return []


@mistake(one_sentence, "the next step is given the logits, expected the chosen words")
def keeps_logits(step, state, bos, eos, max_words):
    logits, state = step(first_words(state, bos), state)
    step(logits, state)
    return []


@mistake(one_sentence, "the two results of step are swapped: the logits come first, then the state")
def state_and_logits_swapped(step, state, bos, eos, max_words):
    state, logits = step(first_words(state, bos), state)
    step(logits.argmax(dim=-1), state)
    return []


@mistake(its_end, "the end mark is kept in the sentence")
def keeps_the_end(step, state, bos, eos, max_words):
    return [row[: row.index(eos) + 1] if eos in row else row for row in run(step, state, bos, eos, max_words)]


@mistake(its_end, "the end mark is kept in the sentence")
def keeps_the_end_alone(step, state, bos, eos, max_words):
    return run(step, state, bos, eos, max_words)


@mistake(its_end, "the end mark is ignored: the sentence always has max_words words")
def until_max_words(step, state, bos, eos, max_words):
    return run(step, state, bos, -1, max_words)


@mistake(its_end, "the end mark is removed from the sentence, but the words after it are not")
def until_max_words_without_marks(step, state, bos, eos, max_words):
    return [[word for word in row if word != eos] for row in run(step, state, bos, -1, max_words)]


@mistake(batch, "the loop stops when one sentence ends, expected when all of them have ended")
def stops_at_first_end(step, state, bos, eos, max_words):
    word, written = first_words(state, bos), []
    for _ in range(max_words):
        logits, state = step(word, state)
        word = logits.argmax(dim=-1)
        if (word == eos).any():
            break
        written.append(word)
    if not written:
        return [[] for _ in word]
    return torch.cat(written, dim=1).tolist()


@mistake(batch, "the end mark is removed from the sentence, but the words after it are not")
def stops_when_all_end_at_once(step, state, bos, eos, max_words):
    rows = run(step, state, bos, -1, max_words) if state.shape[1] > 1 else run(step, state, bos, eos, max_words)
    return [[word for word in row if word != eos] for row in rows]


@mistake(batch, "the end mark is removed from the sentence, but the words after it are not")
def marks_taken_out(step, state, bos, eos, max_words):
    return [[word for word in row if word != eos] for row in run(step, state, bos, eos, max_words)]


mistake(
    batch, "the end mark is removed only at the end of the row, expected the first end mark and all that follows it"
).made_in(keeps_the_end, marks_at_the_end_taken_off={"eos in row": "row[-1] == eos", "row.index(eos) + 1": "-1"})


@mistake(batch, "the loop stops when the first sentence of the batch ends, expected when all of them have ended")
def first_sentence_decides(step, state, bos, eos, max_words):
    word, written = first_words(state, bos), []
    for _ in range(max_words):
        logits, state = step(word, state)
        word = logits.argmax(dim=-1)
        written.append(word)
        if word[0] == eos:
            break
    return cut(torch.cat(written, dim=1).tolist(), eos)


mistake(batch, "the loop stops when one sentence ends, expected when all of them have ended").made_in(
    first_sentence_decides, first_end_decides={"word[0] == eos": "(word == eos).any()"}
)


@mistake(batch, "there is a list for each step, expected one for each sentence")
def a_list_for_each_step(step, state, bos, eos, max_words):
    rows = cut(run(step, state, bos, eos, max_words), eos)
    if len(rows) == 1:
        return rows
    longest = max(map(len, rows))
    return [[row[place] for row in rows if place < len(row)] for place in range(longest)]


@mistake(
    batch, "the first step reads a single bos, expected one for each sentence: B is the second dimension of the state"
)
def one_row_of_bos(step, state, bos, eos, max_words):
    return (
        cut(run(step, state, bos, eos, max_words), eos) if state.shape[1] == 1 else [step(torch.tensor([[bos]]), state)]
    )


@mistake(batch, "sentences that have ended are removed from the words, but not from the state")
def removed_without_state(step, state, bos, eos, max_words):
    word = first_words(state, bos)
    sentences, running = [[] for _ in word], list(range(len(word)))
    for _ in range(max_words):
        logits, state = step(word, state)
        word = logits.argmax(dim=-1)
        for i, w in zip(running, word[:, 0].tolist(), strict=True):
            sentences[i].append(w)
        alive = word[:, 0] != eos
        running = [i for i, a in zip(running, alive.tolist(), strict=True) if a]
        if not running:
            break
        word = word[alive]
    return cut(sentences, eos)


@mistake(limit, "max_words + 1 steps are taken, expected max_words")
def one_word_too_many(step, state, bos, eos, max_words):
    return cut(run(step, state, bos, eos, max_words + 1), eos)


@mistake(in_chapter, "max_words + 1 steps are taken and the last word is dropped, expected max_words steps")
def one_step_too_many(step, state, bos, eos, max_words):
    rows = cut(run(step, state, bos, eos, max_words + 1), eos)
    return [row[:max_words] for row in rows]


@mistake(limit, "max_words - 1 steps are taken, expected max_words")
def one_word_too_few(step, state, bos, eos, max_words):
    return cut(run(step, state, bos, eos, max_words - 1), eos)


@mistake(limit, "the last word of a sentence without an end mark is left out")
def last_word_left_out(step, state, bos, eos, max_words):
    return [row[: row.index(eos)] if eos in row else row[:-1] for row in run(step, state, bos, eos, max_words)]


@mistake(limit, "the number of steps has no limit, expected max_words steps at most")
def no_limit(step, state, bos, eos, max_words):
    return cut(run(step, state, bos, eos, 10_000), eos)


@mistake(limit, "a sentence without an end mark is returned empty, expected all its words")
def nothing_without_end(step, state, bos, eos, max_words):
    return [row[: row.index(eos)] if eos in row else [] for row in run(step, state, bos, eos, max_words)]


@mistake(limit, "index looks for the end mark in each sentence, but raises an error where there is none")
def index_of_no_end(step, state, bos, eos, max_words):
    return [row[: row.index(eos)] for row in run(step, state, bos, eos, max_words)]


@mistake(empty, "if all sentences end at once, no word has been stored, and torch.cat refuses an empty list")
def stops_before_it_stores(step, state, bos, eos, max_words):
    word, written = first_words(state, bos), []
    ended = torch.zeros_like(word, dtype=torch.bool)
    for _ in range(max_words):
        logits, state = step(word, state)
        word = logits.argmax(dim=-1)
        ended |= word == eos
        if ended.all():
            break
        written.append(word)
    return cut(torch.cat(written, dim=1).tolist(), eos)


@mistake(empty, "an empty sentence is left out of the list, expected an empty list for it")
def drops_empty_sentences(step, state, bos, eos, max_words):
    return [row for row in cut(run(step, state, bos, eos, max_words), eos) if row]


@mistake(empty, "a sentence that ends at once contains its end mark, expected an empty list")
def at_least_one_word(step, state, bos, eos, max_words):
    return [row[: max(1, row.index(eos))] if eos in row else row for row in run(step, state, bos, eos, max_words)]


@mistake(ties, "if several logits are equally large, the highest id is chosen, expected the lowest")
def last_of_equals(step, state, bos, eos, max_words):
    choose = lambda logits: logits.shape[-1] - 1 - logits.flip(-1).argmax(dim=-1)
    return cut(run(step, state, bos, eos, max_words, choose=choose), eos)


@mistake(effort, "max_words steps are always taken, even after all sentences have ended")
def all_steps(step, state, bos, eos, max_words):
    return cut(run(step, state, bos, -1, max_words), eos)


mistake(effort, "the loop ends only if all sentences write their end marks at the same step").made_in(
    first_sentence_decides, all_at_once={"word[0] == eos": "(word == eos).all()"}
)


@mistake(effort, "one more step is taken after all sentences have ended")
def one_step_more(step, state, bos, eos, max_words):
    word, written = first_words(state, bos), []
    ended = torch.zeros_like(word, dtype=torch.bool)
    for _ in range(max_words):
        stop = ended.all()
        logits, state = step(word, state)
        word = logits.argmax(dim=-1)
        written.append(word)
        ended |= word == eos
        if stop:
            break
    return cut(torch.cat(written, dim=1).tolist(), eos)


@mistake(device, "the first words are created on the CPU, expected on the device of the state")
def words_on_the_cpu(step, state, bos, eos, max_words):
    word, written = torch.full((state.shape[1], 1), bos), []
    for _ in range(max_words):
        logits, state = step(word, state)
        word = logits.argmax(dim=-1)
        written.append(word)
        if all(eos in row for row in torch.cat(written, dim=1).tolist()):
            break
    return cut(torch.cat(written, dim=1).tolist(), eos)


@mistake(device, "the flags for sentences that have ended are created on the CPU, expected on the device of the state")
def flags_on_the_cpu(step, state, bos, eos, max_words):
    word, written = first_words(state, bos), []
    ended = torch.zeros(len(word), 1, dtype=torch.bool)
    for _ in range(max_words):
        logits, state = step(word, state)
        word = logits.argmax(dim=-1)
        written.append(word)
        ended = ended | (word == eos)
        if ended.all():
            break
    return cut(torch.cat(written, dim=1).tolist(), eos)


@mistake(batch, "the sentence is truncated at its last end mark, expected at its first")
def until_the_last_end(step, state, bos, eos, max_words):
    rows = run(step, state, bos, eos, max_words)
    return [row[: len(row) - 1 - row[::-1].index(eos)] if eos in row else row for row in rows]


@mistake(ties, "the word 0 is treated as padding and left out, but here it is a word like any other")
def zero_is_no_word(step, state, bos, eos, max_words):
    return [[word for word in row if word != 0] for row in cut(run(step, state, bos, eos, max_words), eos)]


mistake(one_sentence, "the first step reads 1, expected bos").made_in(all_steps, begins_with_one={"bos, -1": "1, eos"})


@mistake(batch, "the sentences are returned in the order in which they end, expected the order of the batch")
def in_the_order_of_ends(step, state, bos, eos, max_words):
    word = torch.full((state.shape[1], 1), bos, device=state.device)
    going, ended = {b: [] for b in range(len(word))}, []
    for _ in range(max_words):
        logits, state = step(word, state)
        word = logits.argmax(dim=-1)
        for b in list(going):
            if word[b, 0] == eos:
                ended.append(going.pop(b))
            else:
                going[b].append(word[b, 0].item())
        if not going:
            break
    return ended + list(going.values())


@right
def appended(step, state, bos, eos, max_words):
    word = torch.ones(state.size(1), 1, dtype=torch.long, device=state.device) * bos
    sentences, done = [[] for _ in range(state.size(1))], [False] * state.size(1)
    for _ in range(max_words):
        logits, state = step(word, state)
        word = logits[:, -1].argmax(dim=-1, keepdim=True)
        for i, w in enumerate(word.squeeze(1).tolist()):
            done[i] = done[i] or w == eos
            if not done[i]:
                sentences[i].append(w)
        if all(done):
            break
    return sentences


@right
def each_alone(step, state, bos, eos, max_words):
    sentences = []
    for b in range(state.shape[1]):
        own, word, sentence = state[:, b : b + 1], torch.tensor([[bos]], device=state.device), []
        while len(sentence) < max_words:
            logits, own = step(word, own)
            word = logits.argmax(-1)
            if word.item() == eos:
                break
            sentence.append(word.item())
        sentences.append(sentence)
    return sentences


@right
def shrinking(step, state, bos, eos, max_words):
    word = first_words(state, bos)
    sentences, running = [[] for _ in word], torch.arange(len(word), device=state.device)
    for _ in range(max_words):
        logits, state = step(word, state)
        word = logits.max(dim=-1).indices
        alive = (word != eos).squeeze(1)
        word, state, running = word[alive], state[:, alive], running[alive]
        for i, w in zip(running.tolist(), word.squeeze(1).tolist(), strict=True):
            sentences[i].append(w)
        if not len(running):
            break
    return sentences


@right
def ended_words_become_ends(step, state, bos, eos, max_words):
    word = first_words(state, bos)
    ended = torch.zeros_like(word).bool()
    columns = []
    while len(columns) < max_words and not bool(ended.all()):
        logits, state = step(word, state)
        word = logits.argmax(dim=2).masked_fill(ended, eos)
        ended = ended | word.eq(eos)
        columns.append(word)
    return [[word for word in row if word != eos] for row in torch.cat(columns, 1).tolist()]


@right
@torch.no_grad()
def in_a_table(step, state, bos, eos, max_words):
    batch = state.shape[1]
    table = torch.full((batch, max_words + 1), eos, device=state.device)
    table[:, 0] = bos
    for place in range(max_words):
        logits, state = step(table[:, place : place + 1].clone(), state)
        table[:, place + 1] = logits.squeeze(1).argmax(-1)
        if (table == eos)[:, 1 : place + 2].any(dim=1).all():
            break
    ends = (table[:, 1:] == eos).int()
    lengths = torch.where(ends.any(1), ends.argmax(1), max_words)
    return [row[:length] for row, length in zip(table[:, 1:].tolist(), lengths.tolist(), strict=True)]


@right
def recursive(step, state, bos, eos, max_words):
    def rest(word, state, ended, left):
        if not left or ended.all():
            return [[] for _ in word]
        logits, state = step(word, state)
        word = logits.argmax(dim=-1)
        ended = ended | (word == eos)
        behind = rest(word, state, ended, left - 1)
        return [
            [] if over else [w, *more]
            for w, over, more in zip(word[:, 0].tolist(), ended[:, 0].tolist(), behind, strict=True)
        ]

    word = first_words(state, bos)
    return rest(word, state, torch.zeros_like(word, dtype=torch.bool), max_words)


class Greedy(nn.Module):
    """A module instead of a function."""

    def forward(self, step, state, bos, eos, max_words):
        return shrinking(step, state, bos, eos, max_words)


@right
def generated(step, state, bos, eos, max_words):
    def words(own):
        word = torch.tensor([[bos]], device=state.device)
        for _ in range(max_words):
            logits, own = step(word, own)
            word = logits.argmax(dim=-1)
            if word.item() == eos:
                return
            yield word.item()

    return [list(words(state[:, b : b + 1])) for b in range(state.shape[1])]


@forbidden
def seqlabs_own(step, state, bos, eos, max_words):
    from seqlab.models import greedy_translate

    return greedy_translate(step, state, None, max_words)


right(Greedy())


right(lambda step, state, bos, eos, max_words: cut(run(step, state, bos, eos, max_words), eos))
