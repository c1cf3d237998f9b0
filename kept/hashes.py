"""After the rename: rewrite the hashes that tables and notebooks store, and the order of imports in chapters' cells."""
import json, re, sys
from pathlib import Path
from autograder.checkout import Checkout
from autograder.building.sources import sweep_hashes, source_hashes
c = Checkout(Path(sys.argv[1]))
for path in c.sweeps():
    table = c.table(path.stem); text = table.read_text()
    sources = sweep_hashes(c, path)
    stored = json.loads(text)
    new = re.sub(r'"sources": \{.*?\},\n', lambda m: f'"sources": {json.dumps(sources, indent=1)},\n', text, count=1, flags=re.S)
    assert json.loads(new)["rows"] == stored["rows"] and len(sources) >= 1
    if len(sources) != len(stored["sources"]): print("count", path.stem, set(sources) ^ set(stored["sources"]))
    table.write_text(new)
