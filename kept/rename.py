"""rename.py CLONE: seqlab's names, and sweeps in a folder of their own. Run in a clean clone whose made files are fresh."""
import json, re, subprocess, sys
from pathlib import Path

root = Path(sys.argv[1])
NAMES = {"vectors": "svg", "tuning": "instruction_tuning", "speeches": "presidents", "pieces": "wordpieces",
         "rounding": "quantization", "neighbours": "cooccurrence", "play": "widgets"}
git = lambda *a: subprocess.run(["git", "-C", str(root), *a], check=True, capture_output=True, text=True).stdout
lib = root / "notebooks/seqlab"
for old, new in NAMES.items():
    git("mv", f"notebooks/seqlab/{old}.py", f"notebooks/seqlab/{new}.py")
git("mv", "notebooks/seqlab/play.js", "notebooks/seqlab/widgets.js")

# sweeps
moved = {}  # chapter -> {old stem: new stem}
for path in sorted(root.glob("solutions/ch*/sweep*.py")):
    text = path.read_text()
    m = re.search(r'^NAME = "(.*)"\n', text, re.M)
    stem = m.group(1) if m else "_shared"
    if m:
        text = re.sub(r'^NAME = "(.*)"\n', "", text, flags=re.M)
        path.write_text(text)
    chapter = path.parent.name
    moved.setdefault(chapter, {})[path.stem] = stem
    (path.parent / "sweeps").mkdir(exist_ok=True)
    git("mv", "-f", str(path.relative_to(root)), f"solutions/{chapter}/sweeps/{stem}.py")

olds = "|".join(NAMES)
def sub_imports(text):
    text = re.sub(rf"\bseqlab\.({olds})\b(?= import|\.| as|`|,)", lambda m: f"seqlab.{NAMES[m[1]]}", text)
    text = re.sub(rf"\bimport seqlab\.({olds})\b", lambda m: f"import seqlab.{NAMES[m[1]]}", text)
    text = re.sub(rf"seqlab/({olds})\.(py|js)", lambda m: f"seqlab/{NAMES[m[1]]}.{m[2]}", text)
    text = re.sub(rf"`seqlab\.({olds})(?=[`.])", lambda m: f"`seqlab.{NAMES[m[1]]}", text)
    # from seqlab import a, play, b
    def many(m):
        names = [n.strip() for n in m[2].split(",")]
        return m[1] + ", ".join(sorted(NAMES.get(n, n) for n in names))
    text = re.sub(r"(from seqlab import )([a-z_]+(?:, [a-z_]+)*)", many, text)
    return text

tracked = git("ls-files").split("\n")
for name in tracked:
    path = root / name
    if not name or not path.is_file() or path.suffix not in (".py", ".md", ".ipynb", ".js", ".toml", ".json", "") or path.name == "Makefile":
        continue
    try:
        text = path.read_text()
    except UnicodeDecodeError:
        continue
    new = sub_imports(text)
    if name.startswith("notebooks/seqlab/") and path.suffix == ".py":
        new = re.sub(rf"from \.({olds}) import", lambda m: f"from .{NAMES[m[1]]} import", new)
    if path.suffix in (".md", ".ipynb") or name == "tests/test_play.py":
        new = re.sub(r"\bplay\.(?=(backward|mask|attention|sampling|bleu)\b)", "widgets.", new)
    if name == "tests/shared_corpora.py":
        new = re.sub(r"\b(pieces|speeches)\.(?=[a-zA-Z_])", lambda m: NAMES[m[1]] + ".", new)
    # sweeps
    m = re.match(r"solutions/(ch\d\d_\w+)/sweeps/", name)
    if m:
        mine = moved[m[1]]
        def fix(mm):
            indent, module, rest = mm[1], mm[2], mm[3]
            if module in mine:
                return f"{indent}from .{mine[module]} import{rest}"
            return f"{indent}from ..{module} import{rest}"
        new = re.sub(r"^(\s*)from \.([a-z_]+) import(.*)$", fix, new, flags=re.M)
        def fix2(mm):
            names = []
            for n in mm[2].split(","):
                parts = n.split()
                names.append(" ".join([mine[parts[0]], *parts[1:]]))
                if len(parts) == 1:
                    renames.append((parts[0], mine[parts[0]]))
            return f"{mm[1]}from . import {', '.join(names)}"
        renames = []
        new = re.sub(r"^(\s*)from \. import ([\w ,]+)$", fix2, new, flags=re.M)
        for a, b in renames:
            new = re.sub(rf"(?<![\w.`\"]){a}\.(?=[A-Za-z_])", f"{b}.", new)
            new = re.sub(rf"`{a}\.(?=[A-Za-z_])", f"`{b}.", new)
    elif re.match(r"(tests|solutions)/", name) and path.suffix == ".py":
        for chapter, mine in moved.items():
            for a, b in sorted(mine.items(), key=lambda e: -len(e[0])):
                new = re.sub(rf"from solutions\.{chapter}\.{a} import", f"from solutions.{chapter}.sweeps.{b} import", new)
    if new != text:
        path.write_text(new)
print(json.dumps(moved, indent=1))
