"""Resume a sweep in this process, with the tunings that its stored rows already hold."""
import json, sys, importlib
from pathlib import Path
from autograder.checkout import Checkout
import autograder.building.sweeps as S
import seqlab.convergence as C
class Inline:
    def __init__(self,*a,**k): pass
    def __enter__(self): return self
    def __exit__(self,*a): return False
    def submit(self,f,*a):
        from concurrent.futures import Future
        fu=Future(); fu.args=(f,a); return fu
    def shutdown(self,**k): pass
def completed(runs):
    for fu in runs:
        f,a=fu.args; fu.set_result(f(*a)); yield fu
S.ProcessPoolExecutor=Inline; S.as_completed=completed
c=Checkout(Path("/tmp/sw2"))
real=C._tuning
for p in sys.argv[1:]:
    path=c.solutions/p
    name=S._load(path).NAME
    table=c.table(name); known={}
    if table.is_file():
        for r in json.loads(table.read_text())["rows"]:
            if "tuning" in r: known[r["variant"]]={float(k):v for k,v in r["tuning"].items()}
    def tuning(begin,variant,rates,seed,steps,warm_up):
        if variant in known and set(map(lambda x: float(f"{x:.4g}"),rates))<=set(known[variant]): return known[variant]
        known[variant]=real(begin,variant,rates,seed,steps,warm_up); return known[variant]
    C._tuning=tuning
    S.make_sweep(c,path,print,workers=1)
