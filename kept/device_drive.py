"""Rows of several sweeps on one machine: `drive.py smoke|full SECONDS`; run with the repository's copy of code in .dev/code."""
import importlib, importlib.util, json, os, subprocess, sys, time, traceback
from pathlib import Path
HERE = Path(__file__).resolve().parent
CODE = HERE / "code"
OUT = Path(os.environ["OUT"])
sys.path[:0] = [str(HERE / "site"), str(CODE / "notebooks")]
CH = {"seq2seq_depth": "ch03_seq2seq", "attention_short": "ch05_attention", "transformer_step_time": "ch09_transformer",
      "transformer_longer": "ch09_transformer", "bert_deeper": "ch10_bert", "post_lora": "ch12_post_training"}

def module(table):
    ch = CH[table]
    name = f"_reference_{ch}"
    if name not in sys.modules:
        path = CODE / "solutions" / ch / "__init__.py"
        spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=[str(path.parent)])
        m = importlib.util.module_from_spec(spec); sys.modules[name] = m; spec.loader.exec_module(m)
    return importlib.import_module(f"{name}.sweeps.{table}")

def log(*a):
    print(f"{time.strftime('%H:%M:%S')}", *a, flush=True)

def work(table, variant, seeds, *options):
    """One worker: rows of one variant; each is written when it is done."""
    import torch
    torch.set_num_threads(1)
    if "cpu" in options:
        torch.cuda.is_available = lambda: False
    sweep = module(table)
    for option in options:
        if option.startswith("rate="):
            sweep.SETTINGS["rates"] = {**sweep.SETTINGS["rates"], variant: float(option[5:])}
        if option.startswith("steps="):
            sweep.SETTINGS["steps"] = int(option[6:])
    if "curves" in options:   # tell the curve as it grows
        from seqlab import convergence
        was = convergence._measured
        def told(training):
            found = was(training); log(table, variant, *options, round(found, 4)); return found
        convergence._measured = told
    for seed in map(int, seeds.split(",")):
        start, wall = time.process_time(), time.time()
        row, _ = sweep.run(variant, seed)
        row = {"variant": variant, "seed": seed, **row, "took": round(time.process_time() - start, 1), "wall": round(time.time() - wall, 1),
               "on": torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu", "options": options}
        with (OUT / "rows.jsonl").open("a") as f:
            f.write(json.dumps({"table": table, "row": row}) + "\n")
        log("done", table, variant, seed, row["took"], row["wall"])

def step_time(device):
    """The step times on one device alone; they are put together afterwards."""
    import torch
    torch.set_num_threads(1)
    sweep = module("transformer_step_time")
    clock = time.process_time if device == "cpu" else sweep._after_the_gpu
    for seed in sweep.SEEDS:
        for variant in sweep.VARIANTS:
            size, sentences, length = map(int, variant.split())
            words, shape = 2 * (sweep.SETTINGS["words"],), (sweep.SETTINGS["num_heads"], 2 * size, sweep.SETTINGS["num_layers"])
            torch.manual_seed(seed)
            models = {"GRU": sweep.RecurrentTranslator(*words, size), "Transformer": sweep.Translator(*words, size, *shape)}
            rounds = max(3, min(sweep.SETTINGS["most_rounds"], 1_024 // length))
            ms = sweep.timed(models, sentences, length, rounds, device, clock)
            row = {"variant": variant, "seed": seed, "rounds": rounds, "ms": {device: ms}, "torch": torch.__version__,
                   "machine": torch.cuda.get_device_name() if device == "cuda" else sweep.processor()}
            with (OUT / "rows.jsonl").open("a") as f:
                f.write(json.dumps({"table": "transformer_step_time", "row": row}) + "\n")
    log("step times done", device)

def bench():
    """Milliseconds of a step of each kind, each alone; then four at once."""
    import torch
    torch.set_num_threads(1)
    what = sys.argv[2:]
    def one(table, variant, n, cpu=False):
        sweep = module(table)
        try:
            t = sweep.begin(variant, 3)
            opt = torch.optim.Adam(t.model.parameters(), lr=1e-4)
            start = None
            for i, batch in enumerate(t.batches):
                loss = t.loss_of(t.model, batch); opt.zero_grad(); loss.backward()
                torch.nn.utils.clip_grad_norm_(t.model.parameters(), 1.0); opt.step()
                if i == 4:
                    loss.item(); start = time.time()
                if i == n + 4:
                    loss.item(); log(table, variant, "ms a step", round(1e3 * (time.time() - start) / n, 2)); break
            torch.cuda.is_available() and torch.cuda.synchronize()
            t.model.eval()
            with torch.no_grad():
                s = time.time(); t.held_out_loss(t.model); log("  held out", round(time.time() - s, 2))
            return t.model
        except Exception:
            log(table, variant, traceback.format_exc()[-1500:])
    if what[0] == "cpu":
        torch.cuda.is_available = lambda: False
        one("seq2seq_depth", "plain 4", 60); one("attention_short", "both ways", 60)
        return
    if what[0] == "many":
        one(what[1], what[2], 200 if __import__("torch").cuda.is_available() else 3)
        return
    log(torch.__version__, torch.cuda.get_device_name())
    one("bert_deeper", "4 layers", 150)
    one("post_lora", "lora 32, vocabulary", 100)
    model = one("transformer_longer", "pre", 100)
    one("transformer_longer", "recurrent", 10)
    try:
        sweep = module("post_lora"); s = time.time(); found = sweep.post_instruct.measured(sweep.start("stack", 0)); log("measured", time.time() - s, str(found)[:150])
        m = module("transformer_longer"); s = time.time(); log(str(m.measure(model, m.whole_corpus(), torch.device("cuda")))[:150], time.time() - s)
        b = module("bert_deeper"); s = time.time(); log(str(b.measure(b.begin("2 layers", 0).model, 0, 320, torch.device("cuda"))), time.time() - s)
        st = module("transformer_step_time"); models = {"GRU": st.RecurrentTranslator(2000, 2000, 128), "Transformer": st.Translator(2000, 2000, 128, 4, 256, 2)}
        s = time.time(); log(st.timed(models, 32, 64, 5, "cuda", st._after_the_gpu), time.time() - s)
    except Exception:
        log(traceback.format_exc()[-2500:])

def start(args, nice=0):
    env = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen([sys.executable, __file__, *args], env=env, preexec_fn=(lambda: os.nice(nice)) if nice else None)

def smoke():
    print(os.cpu_count(), open("/proc/cpuinfo").read().split("model name")[1].split("\n")[0])
    cpu = [start(["bench", "cpu"])] + [start(["bench", "cpu"]) for _ in range(7)]
    start(["bench", "all"]).wait()
    for p in cpu: p.wait()
    many = [start(["bench", "many", *x]) for x in (("bert_deeper", "4 layers"), ("bert_deeper", "4 layers"), ("post_lora", "lora 32, vocabulary"), ("transformer_longer", "pre"))]
    for p in many: p.wait()

def full(seconds):
    """GPU: the step times alone, then the trainings; processor: a queue."""
    begun = time.time()
    left = lambda: seconds - (time.time() - begun)
    plan = json.loads((HERE / "plan.json").read_text())
    alone = start(["bench","cpu"])
    cpu, gpu = list(plan["cpu"]), list(plan["gpu"])
    running = [start(["step_time", "cpu"])] if plan["step_time_cpu"] else []
    queue = []
    while len(running) < plan["cpu_workers"] and cpu:
        running.append(start(["work", *cpu.pop(0), "cpu"]))
    told = False
    while left() > 0:
        if not told and (True or time.time() - begun > 110):
            told = True
            log("GPU trainings start", round(time.time() - begun)); queue = [start(["work", *each]) for each in gpu[:plan["gpu_workers"]]]; gpu = gpu[plan["gpu_workers"]:]
        running = [p for p in running if p.poll() is None]
        queue = [p for p in queue if p.poll() is None]
        if told and gpu and len(queue) < plan["gpu_workers"]:
            queue.append(start(["work", *gpu.pop(0)]))
        while cpu and len(running) < plan["cpu_workers"] + (plan["gpu_workers"] - len(queue) if told and not gpu else 0):
            running.append(start(["work", *cpu.pop(0), "cpu"]))
        if told and not running and not queue:
            break
        time.sleep(0.5)
    log("end", round(time.time() - begun), "left running", len(running), len(queue), "not begun", cpu, gpu)
    for p in running + queue + [alone]:
        if p.poll() is None: p.kill()

if __name__ == "__main__":
    {"smoke": smoke, "full": lambda: full(float(sys.argv[2])), "work": lambda: work(*sys.argv[2:]), "step_time": lambda: step_time(sys.argv[2]), "bench": bench}[sys.argv[1]]()
