"""hostile2.py KIND RATE SEED: one full-length run at a rate."""
import sys, json, time, torch
torch.set_num_threads(1)
from pathlib import Path
from autograder.building import sweeps as S
from seqlab import convergence
sweep=S._load(Path('/work/main/solutions/ch09_transformer/sweeps/transformer_longer.py'))
kind, rate, seed = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
convergence._tuning=lambda *a: {rate/2:9.0, rate:1.0, rate*2:9.0}
start=time.process_time(); row,_=sweep.run(kind,seed)
row={"variant":kind,"seed":seed,**row,"device":"cpu","took":round(time.process_time()-start,1)}
row.pop("tuning")
open('/tmp/h2rows.jsonl','a').write(json.dumps(row)+"\n")
print(time.strftime("%H:%M:%S"),kind,rate,seed,row["bleu"],min(row["curve"]),row["took"],flush=True)
