"""Apply the text on the long trainings to ch08 in ROOT."""
import sys
from pathlib import Path
R = Path(sys.argv[1])
def fix(path, *pairs):
    p = R/path; s = p.read_text()
    for a, b in pairs:
        assert s.count(a) == 1, (path, a[:60], s.count(a)); s = s.replace(a, b)
    p.write_text(s)
B = "book/ch08_self_attention.md"
fix(B,
('''    for row in load_table("language_model")
    if row["variant"] == "lstm"
]

timed =''', '''    for row in load_table("language_model")
    if row["variant"] == "lstm"
]
long_rows = load_table("gpt_long")
long_steps = {row["steps"] for row in long_rows}

timed ='''),
('''record(lstm_parameters=of_variant(gpt_rows, "lstm short", "parameters")[0] / 1e6)
''', '''record(lstm_parameters=of_variant(gpt_rows, "lstm short", "parameters")[0] / 1e6)
record(out_steps_least=min(long_steps), out_steps_most=max(long_steps))
for name in ("gpt", "lstm"):
    record(**{f"out_{name}_parameters": of_variant(long_rows, name, "parameters")[0] / 1e6})
took = {name: of_variant(long_rows, name, "took").min() for name in ("gpt", "lstm")}  # the first seed also tunes the rate
record(out_time_ratio=took["gpt"] / took["lstm"])
'''),
('''      Perplexity on the test speeches, lower is better, with a dot for each seed. After the short training the LSTMs
      are a little below the GPTs, and both are above Kneser–Ney; after the long one, GPT and LSTM are close together,
      below Kneser–Ney.
''', '''      Perplexity on the test speeches, lower is better, with a dot for each seed. After the short training the LSTMs
      are a little below the GPTs, and both are above Kneser–Ney; after the long one, GPT and LSTM are close together,
      below Kneser–Ney. Trained out, the GPTs are lowest of all, and the LSTMs where they were after the long training.
'''),
('''    "LSTM, long": of_variant(gpt_rows, "lstm", "perplexity"),
}
''', '''    "LSTM, long": of_variant(gpt_rows, "lstm", "perplexity"),
    "GPT, trained out": of_variant(long_rows, "gpt", "perplexity"),
    "LSTM, trained out": of_variant(long_rows, "lstm", "perplexity"),
}
'''),
('''axes.set_title("With equal time, the LSTM leads at first, then neither does");
''', '''axes.set_title("At first the LSTM leads; trained out, the GPT does");
'''),
('''So with five minutes of training on one core, self-attention has no advantage over a recurrence here. The GPT gained
more from the longer training than the LSTM did, but two training lengths do not tell us about a third, and neither
network was trained until its loss was flat. The comparison shows how good they are after a given time, not how good
they could become. The LSTM may even be a little better than shown: in the short training its best learning rate,
{glue:text}`edge:.3f`, is the highest one in the grid. (For the long one, {chapter}`gates` tried rates up to 0.03 and
chose {glue:text}`lstm_long_rate:.2f`.) So why has almost everyone switched to Transformers? *What attention costs*
returns to that.
''', '''So with five minutes of training on one core, self-attention has no advantage over a recurrence here. The GPT gained
more from the longer training than the LSTM did. (The LSTM may even be a little better than shown: in the short training
its best learning rate, {glue:text}`edge:.3f`, is the highest one in the grid. For the long one, {chapter}`gates` tried
rates up to 0.03 and chose {glue:text}`lstm_long_rate:.2f`.)

**And if neither is short of time?** A third experiment trains a GPT of four layers, with dropout, and an LSTM with about
as many weights, {glue:text}`out_gpt_parameters:.2f` and {glue:text}`out_lstm_parameters:.2f` million. Each has a
learning rate of its own, with a worse one on either side of it in the grid; the rate rises in a warm-up and then decays
to zero over {glue:text}`out_steps_most:,.0f` steps, and in the last fifth of them no validation loss fell by more than
2 %. Now the ranges are apart: {glue:text}`gpt_trained_out_least:.1f` to {glue:text}`gpt_trained_out_most:.1f` for the
GPT, {glue:text}`lstm_trained_out_least:.1f` to {glue:text}`lstm_trained_out_most:.1f` for the LSTM. Self-attention is
ahead of both its competitors, of the LSTM by {glue:text}`out_lead:.0f` % and of Kneser–Ney by
{glue:text}`out_lead_counting:.0f` %. It had to be given more for that: its training took
{glue:text}`out_time_ratio:.1f` times as long as the LSTM's. What a step costs, and why almost everyone has switched to
Transformers all the same, is told in *What attention costs*.
'''),
)
s = (R/B).read_text()
a = '''axes.plot(my_guess, "your GPT", "*", color=PALETTE["orange"], markersize=15)
label(axes, "your guess", (my_guess, 1)'''
assert a in s
s = s.replace(a, '''out = {name: of_variant(long_rows, name, "perplexity").mean() for name in ("gpt", "lstm")}
record(out_lead=100 * (1 - out["gpt"] / out["lstm"]))
record(out_lead_counting=100 * (1 - out["gpt"] / scores["Kneser–Ney"][0]))
''' + a)
(R/B).write_text(s)
