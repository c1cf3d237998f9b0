"""The student edition of a chapter: one zip with the notebook, a wheel of what it needs, and a page on how to begin.

The wheel has the modules of `seqlab` and `autograder` that the notebook and its visible checks import, the chapter's visible checks, and the
stored tables and weights that it loads: of other chapters' exercises it knows nothing. They all lie in one package of the chapter's own, so that
the wheels of two chapters, of whichever versions of the course, have no file in common and each can be replaced or removed alone.

No solution, no listed mistake and no hidden check is in it. What comes close to a solution, such as the models that a later chapter starts from,
is sealed: its text cannot be read or searched, and `check` accepts nothing that the course itself brings along.
It is a seal, not a lock: anyone who would rather take a running module apart than write a few lines can do so.
"""

from __future__ import annotations

import ast
import base64
import hashlib
import inspect
import io
import itertools
import json
import re
import tempfile
import tomllib
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import nbformat
from nbformat import NotebookNode

import autograder
import seqlab
from autograder.building import assistants
from autograder.building.notebook_files import promised, read
from autograder.building.release import WHEEL_VERSION, install_line, package_name, release, wheel_name
from autograder.building.sources import imported_names, parsed
from autograder.building.strip_hidden import without_hidden
from autograder.checkout import Checkout, write_whole
from autograder.declare import LEFT_OUT
from autograder.outline import exercise_names
from autograder.questions.why import FILE as WHYS
from autograder.questions.why import without_rubrics
from seqlab.corpus import load_corpus, stored_corpus

_PACKAGES = {found.__name__: Path(found.__path__[0]) for found in (autograder, seqlab)}
_SEALED = frozenset(
    f"seqlab.{name}"
    for name in (
        "attention_decoder",
        "attention_layers",
        "beam",
        "encoder",
        "gpt",
        "instruction_tuning",
        "kneser_ney",
        "language_model",
        "models",
        "patch_encoder",
        "pretraining",
        "transformer",
        "wordpieces",
    )
)
"""The modules of `seqlab` that do for later chapters what an exercise asks for."""
_DISTRIBUTION = {"IPython": "ipython", "PIL": "pillow", "sklearn": "scikit-learn"}
"""The packages that are imported by another name than they are installed by."""
_MOMENT = (2020, 1, 1, 0, 0, 0)
"""The date of every file: the same sources make the same bytes."""
_STUB = '''"""Sealed by `autograder handout`, because it comes close to what an exercise asks for."""

from base64 import b85decode
from zlib import decompress

exec(compile(decompress(b85decode("{}")), "<{}>", "exec"))
'''
_BEGIN = '''"""The student edition of {}. To import it makes its own copies of `autograder` and `seqlab` importable."""

import os
import sys
from pathlib import Path

# torch reads it when it is imported. With more threads, these small models wait for each other's work on a busy machine.
os.environ.setdefault("OMP_NUM_THREADS", "1")
_HERE = Path(__file__).parent
for _name in ("autograder", "seqlab"):
    _file = getattr(sys.modules.get(_name), "__file__", None)
    if _file and not Path(_file).is_relative_to(_HERE):
        raise ImportError(f"another copy of {{_name}} is in use in this kernel: restart the kernel, then run this cell first")
if str(_HERE) not in sys.path:
    sys.path.insert(0, str(_HERE))
'''
_README = """\
# {title}
{due}
1. Unpack this folder, and open `{chapter}.ipynb` in JupyterLab or VS Code. You need Python 3.11 or newer.
2. Run its first code cell, each time the kernel starts. It installs the chapter from the wheel beside the notebook, if that has not been done
   yet, and makes it available to the notebook. If pip says that you may need to restart the kernel, ignore it. To install it by hand, run this in the folder, in the environment that your notebooks run in:

       {line}

   If you have torch 2.9 or newer, pip keeps it. On Linux, the torch package from PyPI downloads several gigabytes for graphics cards. If you have none, install the small build first:

       pip install torch --index-url https://download.pytorch.org/whl/cpu

   In Google Colab: open the notebook with *File → Upload notebook*, then drag the wheel into the *Files* panel on the left, and run the cell.
3. Fill in the exercises. `check(...)` below each says what is right so far, and `hint(...)` helps.
   `from autograder import question` and `question(name_of_your_function)` ask you about your own code.
   `from autograder import progress` and `progress()` show how far you are. Hand in the notebook under the name that it has.

Models train on one thread, which suits their size and keeps a busy machine usable. Set the environment variable `OMP_NUM_THREADS` for more.

`check` writes its latest results to `course-progress.json`, next to this folder, and `progress()` reads them there. The file stays on your machine:
nothing is ever sent anywhere, and grading ignores it.

Is your machine slow? Then put this into a new cell above the first one, and run it before all others:

    %env SEQLAB_BUDGET=smoke

Models then train for only a few steps, so their results mean nothing. Exercises and checks are the same. Remove the cell before you hand in.

Did you get a corrected zip of the same chapter? Then add `--force-reinstall --no-deps` to the line above, and restart the kernel.
"""


_DUE = "\n**Due {}.**\n"


def make_handout(checkout: Checkout, chapter: str, folder: Path, due: str = "", stance: str = "") -> Path:
    """Write a chapter's zip for students.

    Args:
        checkout: The clone or the course with the solved notebook.
        chapter: The chapter's name.
        folder: Where the zip is written; it is made if it is not there.
        due: When the chapter is due, in words; empty where it is never due.
        stance: What students are told about chatbots, one of `assistants.STANCES`; empty for nothing.

    Returns:
        The zip, which unpacks into a folder of the chapter's name.

    Raises:
        ValueError: There is no solved notebook, or a stored table that it loads is missing.
    """
    if not checkout.solved(chapter).is_file():
        raise ValueError(f"there is no solved notebook {checkout.solved(chapter)}: run `autograder make {chapter}`")
    with tempfile.TemporaryDirectory() as build:
        released = release(checkout.solved(chapter), Path(build), self_study=False)
        notebook = read(released)
    told = _DUE.format(due) if due else ""
    notebook.cells[0].source = notebook.cells[0].source.replace("\n", f"\n{told}", 1)
    title, line = _title(notebook), install_line(chapter).lstrip("%")
    readme = _README.format(chapter=chapter, title=title, line=line, due=told)
    if stance:
        readme += f"\n## Assistants in this course\n\n{assistants.policy(stance)}\n"
        assistants.add_policy(notebook, stance)
    files = {
        f"{chapter}.ipynb": f"{nbformat.writes(notebook)}\n".encode(),
        "README.md": readme.encode(),
        **{name: text.encode() for name, text in (assistants.files(stance) if stance else {}).items()},
        wheel_name(chapter): _wheel_of(notebook, chapter),
    }
    folder.mkdir(parents=True, exist_ok=True)
    zipped = folder / f"{chapter}.zip"
    write_whole(zipped, _zip({f"{chapter}/{name}": data for name, data in files.items()}), mode=0o644)
    return zipped


def write_wheel(released: Path, folder: Path) -> None:
    """Write the wheel of what a chapter's student notebook needs.

    Args:
        released: The notebook, which has the chapter's name.
        folder: Where the wheel is written.
    """
    chapter = released.stem
    (folder / wheel_name(chapter)).write_bytes(_wheel_of(read(released), chapter))


def _wheel_of(notebook: NotebookNode, chapter: str) -> bytes:
    return wheel(
        chapter,
        [cell.source for cell in notebook.cells if cell.cell_type == "code"],
        [name for name in exercise_names(chapter) if name not in promised(notebook)],
    )


def wheel(chapter: str, cells: list[str], left_out: Sequence[str] = ()) -> bytes:
    """The wheel of what a student of one chapter needs.

    Args:
        chapter: The chapter's name.
        cells: The sources of the student notebook's code cells.
        left_out: The exercises that the class does not write.
    """
    modules = _closure(chapter, cells)
    files = {_place(file): _shipped(module, text).encode() for module, (file, text) in modules.items()}
    data = [*_data(_PACKAGES["autograder"] / "checks" / chapter), *_stored(cells), *_corpora(cells)]
    data += [beside for file, text in modules.values() for beside in _read_beside(file, text)]
    files |= {_place(file): _without_answers(file) for file in data}
    if left_out:
        files[f"autograder/checks/{chapter}/{LEFT_OUT}"] = json.dumps(left_out).encode()
    package = package_name(chapter)
    files = {f"{package}/{path}": content for path, content in sorted(files.items())}
    files[f"{package}/__init__.py"] = _BEGIN.format(chapter).encode()
    info = f"{package}-{WHEEL_VERSION}.dist-info"
    sources = [*cells, *(text for _, text in modules.values())]
    files |= {f"{info}/METADATA": _metadata(package.replace("_", "-"), chapter, sources).encode()}
    files |= {f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: autograder\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    files |= {f"{info}/licenses/LICENSE": (_PACKAGES["autograder"].parent / "LICENSE").read_bytes()}
    record = "".join(f"{path},sha256={_digest(data)},{len(data)}\n" for path, data in files.items())
    return _zip({**files, f"{info}/RECORD": f"{record}{info}/RECORD,,\n".encode()})


def _closure(chapter: str, cells: Iterable[str]) -> dict[str, tuple[Path, str]]:
    """The files and texts of the modules of the two packages that the notebook, its checks and these modules import."""
    folder = _PACKAGES["autograder"] / "checks" / chapter
    files = [path for path in sorted(folder.rglob("*.py")) if path.parent.name != "mistakes"]
    checks = [path.relative_to(folder.parent.parent.parent).with_suffix("") for path in files]
    waiting = [
        *(name for cell in cells for name in imported_names(cell, "")),
        *(".".join(path.parts) for path in checks),
    ]
    found: dict[str, tuple[Path, str]] = {}
    while waiting:
        parts = waiting.pop().removesuffix(".__init__").split(".")
        for module in (".".join(parts[:end]) for end in range(1, len(parts) + 1)):
            file = _file(module)
            if file is None or module in found:
                continue
            found[module] = file, without_hidden(module, file.read_text(encoding="utf-8"))
            package = module if file.name == "__init__.py" else module.rpartition(".")[0]
            waiting += imported_names(found[module][1], package)
    return dict(sorted(found.items()))


def _file(module: str) -> Path | None:
    """The module's file; None where it is no module of the two packages."""
    root, *parts = module.split(".")
    if root not in _PACKAGES:
        return None
    path = _PACKAGES[root].joinpath(*parts)
    return next((file for file in (path / "__init__.py", path.with_suffix(".py")) if file.is_file()), None)


def _place(file: Path) -> str:
    """Where a file of the two packages lies in the chapter's package."""
    package = next(folder for folder in _PACKAGES.values() if file.is_relative_to(folder))
    return file.relative_to(package.parent).as_posix()


def _shipped(module: str, text: str) -> str:
    """The module's text as students get it."""
    if module not in _SEALED:
        return text
    bare = ast.unparse(_without_docstrings(ast.parse(text)))
    return _STUB.format(base64.b85encode(zlib.compress(bare.encode(), 9)).decode(), module)


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
            node.body[0] = ast.Pass()
    return tree


def _data(folder: Path) -> list[Path]:
    """What lies in a folder and is neither code nor made by running it."""
    return sorted(path for path in folder.iterdir() if path.is_file() and path.suffix not in (".py", ".pyc"))


def _without_answers(file: Path) -> bytes:
    """What students get of a file."""
    data = file.read_bytes()
    return without_rubrics(data.decode()).encode() if file.name == WHYS else data


def _read_beside(file: Path, text: str) -> list[Path]:
    """The files beside a module that it names, such as a script that it shows."""
    named = {node.value for node in parsed(text) if isinstance(node, ast.Constant)}
    return [beside for beside in _data(file.parent) if beside.name in named]


def _stored(cells: Iterable[str]) -> list[Path]:
    """The stored tables and weights that the cells load.

    An argument that is computed may be any text that stands in the notebook, and a seed any seed: a file too many does no harm.
    """
    nodes = [node for cell in cells for node in parsed(cell)]
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    loaders = ("load_table", "load_weights")
    loaded = [node.args for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func) in loaders]
    return [path for path in _data(_PACKAGES["seqlab"] / "stored") if any(_is_loaded(path, a, texts) for a in loaded)]


def _corpora(cells: Iterable[str]) -> list[Path]:
    """The stored corpora that the cells may load: the sizes are numbers in the arguments of `load_corpus`, or its defaults."""
    wanted = set()
    for call in (node for cell in cells for node in parsed(cell) if isinstance(node, ast.Call)):
        if ast.unparse(call.func) == "load_corpus":
            given = {
                name: _numbers(call, name) or [parameter.default]
                for name, parameter in inspect.signature(load_corpus).parameters.items()
            }
            sizes = itertools.product(*given.values())
            wanted |= {stored_corpus(**dict(zip(given, each, strict=True))) for each in sizes}
    return sorted(path for path in wanted if path.is_file())


def _numbers(call: ast.Call, name: str) -> list[int]:
    """The whole numbers in an argument of a call."""
    parts = [part for keyword in call.keywords if keyword.arg == name for part in ast.walk(keyword.value)]
    return [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, int)]


def _is_loaded(path: Path, arguments: list[ast.expr], texts: set[str]) -> bool:
    """Whether a stored file, `table.json` or `table-variant-seed.safetensors`, may be what is loaded with these arguments."""
    table, _, rest = path.stem.partition("-")
    parts = [table, rest.rpartition("-")[0], rest.rpartition("-")[2]] if rest else [table]
    return len(parts) == len(arguments) and all(
        part == str(argument.value) if isinstance(argument, ast.Constant) else part in texts or part.isdecimal()
        for part, argument in zip(parts, arguments, strict=True)
    )


def _metadata(name: str, chapter: str, sources: Iterable[str]) -> str:
    """The wheel's metadata: of the project's requirements those that the sources import."""
    used = {part for source in sources for node in parsed(source) for part in _named(node)}
    project = tomllib.loads((_PACKAGES["autograder"].parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = [need for need in project["dependencies"] if re.split(r"[^\w-]", need)[0] in used]
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {name}",
        f"Version: {WHEEL_VERSION}",
        f"Summary: The student edition of {chapter}. {project['description']}",
        f"License: {project['license']}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {need}" for need in needed),
    ]
    return "\n".join(lines) + "\n"


def _named(node: ast.AST) -> list[str]:
    """The packages that a place in the code imports, or looks for, as they are installed."""
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        names = [node.module or ""]
    elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("find_spec"):
        names = [str(given.value) for given in node.args if isinstance(given, ast.Constant)]
    roots = [name.partition(".")[0] for name in names]
    return [_DISTRIBUTION.get(root, root) for root in roots]


def _title(notebook: NotebookNode) -> str:
    """The chapter's title: its notebook begins with it."""
    first: str = notebook.cells[0].source
    return first.splitlines()[0].lstrip("# ")


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")


def _zip(files: dict[str, bytes]) -> bytes:
    """A zip of the files: the same files make the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, _MOMENT)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED, compresslevel=9)
    return buffer.getvalue()
