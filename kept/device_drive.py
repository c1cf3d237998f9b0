"""Tune whole trainings of several sweeps and make their rows, in parallel: `drive.py WORKERS [steps=N]`; runs on; rows to /tmp/dev/rows.jsonl."""
import importlib, importlib.util, json, multiprocessing, os, sys, time, traceback
from concurrent.futures import ProcessPoolExecutor, wait, FIRST_COMPLETED
from pathlib import Path
HERE = Path(__file__).resolve().parent
CODE = HERE.parent
OUT = Path("/tmp/dev"); OUT.mkdir(exist_ok=True)
sys.path[:0] = [str(HERE / "site"), str(CODE / "notebooks")]
CH = {"seq2seq_depth": "ch03_seq2seq", "bottleneck_sentences": "ch04_bottleneck", "post_lora": "ch12_post_training"}
# table -> variant -> rates to begin with; the known losses of tunings made before
FIRST = {
    "bottleneck_sentences": {"128": [1e-3, 2e-3, 4e-3], "16": [2e-3, 4e-3, 8e-3], "4": [4e-3, 8e-3, 2e-3]},
    "post_lora": {"lora 32": [4e-3, 8e-3, 2e-3], "lora 32, vocabulary": [2e-3, 4e-3, 1e-3], "answer": [2e-3, 1e-3, 4e-3], "stack": []},
    "seq2seq_depth": {"plain 1": [2e-3, 4e-3, 8e-3], "plain 4": [1e-3, 2e-3, 4e-3], "residual 4": [2e-3, 4e-3, 8e-3], "dense 4": [2e-3, 4e-3, 8e-3]},
}
KNOWN = {("post_lora", "stack"): {2e-3: 0.8731, 4e-3: 0.7607, 8e-3: 0.8057}}
HAVE = {("post_lora", "stack", 0), ("bottleneck_sentences", "128", 0, 2e-3), ("bottleneck_sentences", "128", 1, 2e-3)}
WEIGHT = {"bottleneck_sentences": 0, "post_lora": 1, "seq2seq_depth": 2}

def log(*a):
    with (OUT / "log").open("a") as f: print(time.strftime("%H:%M:%S"), *a, file=f, flush=True)
    print(time.strftime("%H:%M:%S"), *a, flush=True)

def module(table):
    ch = CH[table]; name = f"_reference_{ch}"
    if name not in sys.modules:
        path = CODE / "solutions" / ch / "__init__.py"
        spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=[str(path.parent)])
        m = importlib.util.module_from_spec(spec); sys.modules[name] = m; spec.loader.exec_module(m)
    return importlib.import_module(f"{name}.sweeps.{table}")

def job(table, variant, rate, seed, tuning, steps):
    import torch
    torch.set_num_threads(1)
    from seqlab import convergence
    try:
        sweep = module(table)
        if steps:
            for key in ("steps", "most_steps", "tuning_steps"): sweep.SETTINGS[key] = steps
        if os.environ.get("PLAIN_CPU"): torch.cuda.is_available = lambda: False
        was = getattr(convergence, "_was", convergence._measured); convergence._was = was
        begun, looks = time.time(), []
        def told(training):
            found = was(training); looks.append(found)
            if len(looks) in (1, 5, 10, 15): log("   ", table, variant, rate, seed, len(looks), round(found, 4), round(time.time() - begun))
            return found
        convergence._measured = told
        start = time.process_time()
        if tuning:
            settings = sweep.SETTINGS
            curve = convergence.train_for(sweep.begin(variant, seed), peak=rate, steps=settings["tuning_steps"], warm_up=settings["warm_up"])
            row = {"rate": rate, "curve": curve, "held_out": min(curve)}
        else:
            convergence._tuning = lambda *a: {rate: 0.0}
            row, _ = sweep.run(variant, seed)
        row = {"table": table, "variant": variant, "seed": seed, "tuned": tuning, **row, "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu",
               "took": round(time.process_time() - start, 1), "wall": round(time.time() - begun, 1)}
        with (OUT / "rows.jsonl").open("a") as f: f.write(json.dumps(row) + "\n")
        log("done", table, variant, rate, seed, "tuning" if tuning else "RUN", row["held_out"], row.get("bleu"), row.get("exact"), str(row.get("test", ""))[:160], row["took"], row["wall"])
        return table, variant, rate, seed, tuning, row["held_out"]
    except Exception:
        log("FAILED", table, variant, rate, seed, traceback.format_exc()[-1500:])
        return table, variant, rate, seed, tuning, None

def main():
    workers, steps = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    losses = {(t, v): dict(KNOWN.get((t, v), {})) for t in FIRST for v in FIRST[t]}
    asked = {key: set(found) for key, found in losses.items()}
    waiting, running = [], {}
    for t in FIRST:
        for v, rates in FIRST[t].items():
            for i, r in enumerate(rates): waiting.append(((WEIGHT[t], i), (t, v, r, 3, True)))
            asked[t, v] |= set(rates)
    def settle(t, v):
        found = losses[t, v]
        if set(found) != asked[t, v]: return
        best = min(found, key=found.get)
        more = [best / 2] * (best == min(found)) + [best * 2] * (best == max(found))
        if more:
            asked[t, v] |= set(more)
            waiting.extend(((WEIGHT[t] - 0.5, 0), (t, v, r, 3, True)) for r in more); return
        log("SETTLED", t, v, best, {f"{r:.4g}": l for r, l in sorted(found.items())})
        for seed in (0, 1, 2):
            if (t, v, seed) in HAVE or (t, v, seed, best) in HAVE: continue
            waiting.append(((WEIGHT[t] - 0.4, seed), (t, v, best, seed, False)))
    for t, v in KNOWN: settle(t, v)
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        while waiting or running:
            while waiting and len(running) < workers:
                waiting.sort(key=lambda x: x[0]); _, args = waiting.pop(0)
                running[pool.submit(job, *args, steps)] = args
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for d in done:
                t, v, r, seed, tuning, loss = d.result(); del running[d]
                if tuning and loss is not None:
                    losses[t, v][r] = loss; settle(t, v)
    log("ALL DONE")

if __name__ == "__main__": main()
