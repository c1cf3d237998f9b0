import re, sys
from pathlib import Path
root = Path(sys.argv[1])
def sub(name, *pairs):
    p = root / name; t = p.read_text()
    for a, b in pairs:
        assert a in t, (name, a)
        t = t.replace(a, b)
    p.write_text(t)
sub("autograder/checkout.py", ('''        """The modules of the chapter's long experiments, `sweep.py` and `sweep_*.py`; without a chapter, of all chapters'."""
        folders = self.solutions.glob(chapter)
        return sorted(path for folder in folders for path in (*folder.glob("sweep.py"), *folder.glob("sweep_*.py")))
''', '''        """The modules of the chapter's long experiments, each named after its table; without a chapter, of all chapters'."""
        return sorted(self.solutions.glob(f"{chapter}/sweeps/[!_]*.py"))
'''))
sub("autograder/building/sources.py",
 ('''    modules = set((checkout.solutions / chapter).glob("*.py")) - set(checkout.sweeps(chapter))
    imported = _imports(checkout, cells, "")
    hashes = _hashes(checkout, [*modules, *''', '''    imported = _imports(checkout, cells, "")
    hashes = _hashes(checkout, [*(checkout.solutions / chapter).glob("*.py"), *'''),
 ('''    hashes = _hashes(checkout, _imports(checkout, [source], f"{checkout.solutions.name}.{path.parent.name}"))
''', '''    package = ".".join(path.parent.relative_to(checkout.root).parts)
    hashes = _hashes(checkout, _imports(checkout, [source], package))
'''),
 ('''            module = ".".join(filter(None, [package if node.level else "", node.module]))
''', '''            above = package.split(".")[: 1 - node.level or None] if node.level else []
            module = ".".join(filter(None, [*above, node.module]))
'''))
p = root / "autograder/building/sweeps.py"; t = p.read_text()
t = t.replace('''A sweep is a module `sweep.py` or `sweep_*.py` beside a chapter's solutions: `NAME`, the stored table's; `SETTINGS`, what all runs share;
`VARIANTS` and `SEEDS`; and''', '''A sweep is a module in the folder `sweeps` of a chapter's solutions, named after its table; a module there whose name begins with an underscore is what
several sweeps share. It has `SETTINGS`, what all runs share; `VARIANTS` and `SEEDS`; and''')
t = t.replace("sweep.NAME", "path.stem")
t = t.replace("_fresh_rows(checkout, sweep, sources)", "_fresh_rows(checkout, path, sources)")
t = t.replace("_has_weights(checkout, sweep, row)", "_has_weights(checkout, path, row)")
t = t.replace("def _fresh_rows(checkout: Checkout, sweep: ModuleType, sources: dict[str, str]) -> list[Row]:\n    table = checkout.table(path.stem)", "def _fresh_rows(checkout: Checkout, path: Path, sources: dict[str, str]) -> list[Row]:\n    sweep, table = _load(path), checkout.table(path.stem)")
t = t.replace("def _has_weights(checkout: Checkout, sweep: ModuleType, row: Row) -> bool:", "def _has_weights(checkout: Checkout, path: Path, row: Row) -> bool:")
t = t.replace('''    path = checkout.weights(path.stem, *_run_of(row))
    return "weights" not in row or (path.is_file() and _digest(path.read_bytes()) == row["weights"])''', '''    weights = checkout.weights(path.stem, *_run_of(row))
    return "weights" not in row or (weights.is_file() and _digest(weights.read_bytes()) == row["weights"])''')
t = t.replace('''    package = load_reference(path.parent.parent, path.parent.name)
    return importlib.import_module(f"{package.__name__}.{path.stem}")''', '''    chapter = path.parent.parent
    package = load_reference(chapter.parent, chapter.name)
    return importlib.import_module(f"{package.__name__}.{path.parent.name}.{path.stem}")''')
p.write_text(t)
