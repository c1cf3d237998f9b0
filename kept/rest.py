import re, subprocess, sys
from pathlib import Path
root = Path(sys.argv[1])
def sub(name, *pairs):
    p = root / name; t = p.read_text()
    for a, b in pairs:
        if a not in t: print("!! missing", name, a[:60])
        t = t.replace(a, b)
    p.write_text(t)
git = lambda *a: subprocess.run(["git", "-C", str(root), *a], check=True, capture_output=True, text=True).stdout
for a, b in {"neighbours": "cooccurrence", "pieces": "wordpieces", "play": "widgets", "speeches": "presidents"}.items():
    git("mv", f"tests/test_{a}.py", f"tests/test_{b}.py")
sub("tests/test_widgets.py", ("play.SCRIPT", "widgets.SCRIPT"))
sub("CONTRIBUTING.md", ("tests/test_play.py", "tests/test_widgets.py"),
 ("called a *sweep*: a module `sweep.py` or `sweep_*.py` in `solutions/chNN_name/` with a `NAME`, its `SETTINGS`, `VARIANTS`, `SEEDS` and `run(variant, seed)`, which returns one row and the weights to keep, or `{}`.",
  "called a *sweep*: a module in `solutions/chNN_name/sweeps/`, named after its table, with `SETTINGS`, `VARIANTS`, `SEEDS` and `run(variant, seed)`, which returns one row and the weights to keep, or `{}`; what several sweeps share is in modules whose names begin with an underscore."),
 ("returns and continue with the weights from `load_weights(NAME, variant, seed)`", "returns and continue with the weights from `load_weights(NAME, variant, seed)`"))
sub("autograder/building/site.py", ('SCRIPT = "play.js"', 'SCRIPT = "widgets.js"'))
sub("notebooks/seqlab/widgets.py", ('with_name("play.js")', 'with_name("widgets.js")'))
sub("autograder/building/new_exercise.py", ('''or keyword.iskeyword(name) or name.startswith("sweep"):
        raise ValueError(
            f"{name!r} cannot be an exercise's name: use a Python name in lower case, such as cosine_scores, that does not begin with sweep"
        )
''', '''or keyword.iskeyword(name):
        raise ValueError(
            f"{name!r} cannot be an exercise's name: use a Python name in lower case, such as cosine_scores"
        )
'''), ('''    for path in new:
        if path.exists():
''', '''    for path in (*new, solutions / name):
        if path.exists():
'''))
sub("tests/test_new_exercise.py", ('("ch05", "sweep_rates", "begin with sweep"),', '("ch05", "sweeps", "solutions/ch05_attention/sweeps already exists"),'))
sub("autograder/building/sweeps.py", ('''_fresh_rows(checkout, path, sources)
    have''', '''[row for row in _fresh_rows(checkout, path, sources) if _run_of(row) in _runs(sweep)]
    have'''), ("    sweep, table = _load(path), checkout.table(path.stem)", "    table = checkout.table(path.stem)"),
 ('''[row for row in stored["rows"] if _run_of(row) in _runs(sweep) and _has_weights(checkout, path, row)]''', '''[row for row in stored["rows"] if _has_weights(checkout, path, row)]'''))
# chapter 10's comparison of ways is no solution: it is what sweeps share
git("mv", "solutions/ch10_bert/few_labels.py", "solutions/ch10_bert/sweeps/_few_labels.py")
sub("solutions/ch10_bert/sweeps/_few_labels.py", ("from .sweeping import", "from ._shared import"))
for n in ("bert", "bert_masking"):
    p = root / f"solutions/ch10_bert/sweeps/{n}.py"; p.write_text(p.read_text().replace("from ..few_labels import", "from ._few_labels import"))
t = (root / "solutions/ch10_bert/sweeps/_few_labels.py").read_text()
print([l for l in t.splitlines() if l.startswith("from .")])
# tests
sub("tests/claims/test_ch03_seq2seq.py", ("from solutions.ch03_seq2seq import sweep_depth", "from solutions.ch03_seq2seq.sweeps import seq2seq_depth"), ("sweep_depth.SETTINGS", "seq2seq_depth.SETTINGS"))
sub("tests/claims/test_ch04_bottleneck.py", ("from solutions.ch04_bottleneck import sweep", "from solutions.ch04_bottleneck.sweeps import bottleneck"), ("[sweep.SETTINGS", "[bottleneck.SETTINGS"))
p = root / "tests/claims/test_ch05_attention.py"; t = p.read_text()
t = re.sub(r"from solutions\.ch05_attention import sweep_past, sweep_rates, sweep_short", "from solutions.ch05_attention.sweeps import attention_past, attention_rates, attention_short", t)
t = re.sub(r"\bsweep_(past|rates|short)\.SETTINGS", r"attention_\1.SETTINGS", t); p.write_text(t)
p = root / "tests/claims/test_ch08_self_attention.py"; t = p.read_text()
t = re.sub(r"from solutions\.ch08_self_attention import sweep_without", "from solutions.ch08_self_attention.sweeps import without", t)
t = t.replace("sweep_without.", "without."); p.write_text(t)
p = root / "tests/claims/test_ch10_bert.py"; t = p.read_text()
t = t.replace("from solutions.ch10_bert import few_labels, sweep, sweep_masking, sweep_plateau\n", "from solutions.ch10_bert.sweeps import _few_labels as few_labels\nfrom solutions.ch10_bert.sweeps import bert, bert_masking, bert_plateau\n")
t = t.replace("sweep_masking.", "bert_masking.").replace("sweep_plateau.", "bert_plateau.").replace("sweep.SETTINGS", "bert.SETTINGS"); p.write_text(t)
sub("tests/test_number_rows.py", ('f"{package.__name__}.sweep_numbers"', 'f"{package.__name__}.sweeps.pictures_numbers"'))
p = root / "tests/test_wording.py"; t = p.read_text()
t = t.replace('sorted(set((CHECKOUT.solutions / chapter).glob("*.py")) - set(CHECKOUT.sweeps(chapter)))', 'sorted((CHECKOUT.solutions / chapter).glob("*.py"))'); p.write_text(t)
p = root / "tests/test_sweeps.py"; t = p.read_text()
t = t.replace('from .model import score\n\nNAME = "toy"\n', 'from ..model import score\n\n')
t = t.replace('(Path(__file__).parent / ', '(Path(__file__).parent.parent / ')
t = t.replace('''    folder.mkdir(parents=True)
''', '''    (folder / "sweeps").mkdir(parents=True)
''')
t = t.replace('"ch98_toy" / "sweep.py"', '"ch98_toy" / "sweeps" / "toy.py"').replace("solutions/ch98_toy/sweep.py", "solutions/ch98_toy/sweeps/toy.py").replace('with_name("sweep_other.py")', 'with_name("other.py")')
t = t.replace('f"{path.parent.name}-{path.stem}"', 'path.stem').replace("CHECKOUT.sweeps()[0].parent.name", "CHECKOUT.sweeps()[0].parent.parent.name")
p.write_text(t)
for n, a, b in [("ch09_transformer/sweeps/transformer_rates.py", "`sweep.py`", "`transformer.py`")]:
    p = root / "solutions" / n; t = p.read_text(); p.write_text(t.replace(a, b))
p = root / "solutions/ch10_bert/sweeps/_few_labels.py"; p.write_text(p.read_text().replace("from .model import", "from ..model import"))
p = root / "tests/test_sweeps.py"; p.write_text(p.read_text().replace('''other.write_text(SWEEP.replace('"toy"', '"other"'))''', "other.write_text(SWEEP)").replace("[toy(checkout), other]", "[other, toy(checkout)]"))
p = root / "solutions/ch05_attention/sweeps/attention_worth_longer.py"; p.write_text(p.read_text().replace("`sweep_worth`", "`attention_worth`"))
sub("tests/shared_corpora.py", ("per_character, periods, pieces)", "per_character, periods, wordpieces)"))
p = root / "tests/test_widgets.py"; p.write_text(p.read_text().replace("play.script()", "widgets.script()"))
p = root / "solutions/ch05_attention/sweeps/attention_worth_longer.py"; p.write_text(p.read_text().replace("load_table(attention_worth.NAME)", 'load_table("attention_worth")'))

sub("autograder/building/handout.py", ('        "pieces",\n', ""), ('        "tuning",\n', '        "wordpieces",\n'), ('        "gpt",\n', '        "gpt",\n        "instruction_tuning",\n'))
sub("pyproject.toml", ('"play.js"', '"widgets.js"'))
