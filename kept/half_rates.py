import sys, time, json
from pathlib import Path
import torch
torch.set_num_threads(1)
from autograder.checkout import Checkout
from autograder.building import sweeps as S
from seqlab import convergence
from seqlab.stored import load_table
place = Checkout(Path("/tmp/oldmain"))
for table in sys.argv[1:]:
    path = next(place.solutions.glob(f"*/sweeps/{table}.py")); sweep = S._load(path)
    for row in load_table(table):
        if row["seed"]!=0 or "held_out" not in row or len(row.get("curve",[]))!=20: continue
        s=time.process_time()
        curve=convergence.train_for(sweep.begin(row["variant"],0),peak=row["rate"]/2,steps=row["steps"],warm_up=sweep.SETTINGS["warm_up"])
        print(time.strftime("%H:%M:%S"),table,row["variant"],"rate",row["rate"],"stored",row["held_out"],"half rate",min(curve),round(time.process_time()-s),flush=True)
