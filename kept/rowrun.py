"""rowrun.py ROOT TABLE VARIANT:SEED ... — makes rows in a clone, with the tuning that stored rows of the variant (or the like) have."""
import sys, time, json
from pathlib import Path
import torch
torch.set_num_threads(1)
from autograder.checkout import Checkout
from autograder.building import sweeps as S
from seqlab import convergence
root, table = Path(sys.argv[1]), sys.argv[2]
place = Checkout(root); path = next(place.solutions.glob(f"*/sweeps/{table}.py"))
sweep = S._load(path); real = convergence._tuning
def stored_rows(): 
    p = place.table(table); return json.loads(p.read_text())["rows"] if p.is_file() else []
def tuning(begin, variant, *a):
    for row in stored_rows():
        if row["variant"].split(",")[0] == variant.split(",")[0] and "tuning" in row and (row["variant"]==variant or "twice" in row["variant"] or "twice" in variant):
            print("tuning of", row["variant"], row["seed"], flush=True); return {float(k): v for k, v in row["tuning"].items()}
    return real(begin, variant, *a)
convergence._tuning = tuning
for each in sys.argv[3:]:
    variant, seed = each.rsplit(":", 1)
    rows = stored_rows()
    if any((r["variant"], r["seed"]) == (variant, int(seed)) for r in rows): continue
    start = time.process_time(); row, _ = sweep.run(variant, int(seed))
    row = {"variant": variant, "seed": int(seed), **row, "device": "cpu", "took": round(time.process_time() - start, 1)}
    rows = stored_rows() + [row]
    S._write(place.table(table), S._table(sweep, S.sweep_hashes(place, path), rows))
    print(time.strftime("%H:%M:%S"), table, variant, seed, row.get("bleu"), row.get("held_out"), row["took"], flush=True)
