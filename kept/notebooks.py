import sys, tempfile, shutil
from pathlib import Path
from autograder.checkout import Checkout
from autograder.building import make
from autograder.building.weave import weave
from autograder.building.release import release
c = Checkout(Path(sys.argv[1]))
for chapter in make.chapter_names():
    stored = make._read(c.solved(chapter)); new = weave(c, chapter)
    assert [x.cell_type for x in stored.cells] == [y.cell_type for y in new.cells], chapter
    changed = [x.id for x, y in zip(stored.cells, new.cells) if x.source != y.source]
    for x, y in zip(stored.cells, new.cells): x.source, x.id = y.source, y.id
    stored.metadata["course"]["sources"] = make._sources(new)
    make._write(stored, c.solved(chapter))
    with tempfile.TemporaryDirectory() as folder:
        shutil.copyfile(release(c.solved(chapter), Path(folder), self_study=True), c.released(chapter))
    print(chapter, changed, make.stale(c, chapter))
