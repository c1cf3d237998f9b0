import pathlib
p=pathlib.Path('/work/main/book/ch04_bottleneck.md'); s=p.read_text()
def sub(a,b):
    global s
    assert s.count(a)==1,(s.count(a),a[:80]); s=s.replace(a,b)
sub('''(All of this is about digits. Nobody knows how much of a *sentence* has to pass through the encoding,
and we did not squeeze the encoding of a sentence translator.)

''','''### And a sentence?

All of this is about digits. Nobody knows how much of a *sentence* has to pass through the encoding: each of its
words carries more than a digit does, but some can be guessed from the others. So squeeze the encoding of a
translator, too. A second stored experiment trains the same layers on forty thousand pairs with at most seven English
words, again with $k$ equal to 4, 16 and 128 and with three seeds. Each $k$ has its own learning rate, which has a worse
one on either side of it in the grid and falls to zero over {glue:text}`sentence_steps:,.0f` steps, or over twice as many with
128 components, which take longer to learn. **Predict, then run:** with 4 components the mean BLEU is
{glue:text}`sentence_bleu_4:.0f`. What is it with 16, and with 128?

```{code-cell} ipython3
:measured: '{sentence_bleu_16:.0f} with 16 components, {sentence_bleu_128:.0f} with 128'

my_guess = (40, 90)  # BLEU with 16 and with 128 components
```

```{code-cell} ipython3
---
mystnb:
  image:
    alt: >-
      ALT
---
squeezed = load_table("bottleneck_sentences")
figure, axes = plt.subplots(figsize=(5.6, 3.6))
for size in sizes:
    rows = [row for row in squeezed if row["variant"] == str(size)]
    score = torch.tensor([row["bleu"] for row in rows])
    exact = torch.tensor([list(row["exact"].values()) for row in rows])  # (seeds, lengths)
    words = [int(length) for length in rows[0]["exact"]]
    color, marker = looks[size]
    axes.fill_between(words, exact.amin(dim=0), exact.amax(dim=0), color=PALETTE[color], alpha=0.25)
    axes.plot(words, exact.mean(dim=0), marker + "-", color=PALETTE[color], label=f"k = {size}")
    print(f"k = {size:3d}   BLEU", *[f"{value:5.1f}" for value in score])
    record(**{f"sentence_bleu_{size}": score.mean(), f"sentence_{size}_least": score.min()})
    record(**{f"sentence_{size}_most": score.max(), f"sentence_short_{size}": exact[:, 0].mean()})
    record(**{f"sentence_long_{size}": exact[:, -1].mean()})
axes.legend(reverse=True, frameon=False)
axes.set(xlabel="words in the source", ylabel="translations without an error, in %", ylim=(-2, 105), xticks=words)
axes.set_title("TITLE")
record(sentence_steps=squeezed[0]["steps"], sentence_pairs=sum(squeezed[0]["pairs"].values()))
print("of sentences with 3 to 7 words:", *squeezed[0]["pairs"].values(), "  your guess:", *my_guess)
```

CONCLUSION

''')
p.write_text(s)
