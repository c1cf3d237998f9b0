"""What a submission might try, each as the source of a cell: none may gain a point, read a secret or stop the class.

What might be tried in a written answer comes last, and may do nothing in the browser of the person who reads it.
"""

ENDLESS = "while True:\n    pass"

DEAF_ENDLESS = """\
while True:
    try:
        sum(range(10**9))
    except BaseException:
        pass
"""

EATS_MEMORY = "hoard = [bytes(1 << 28) for _ in range(1 << 12)]"

CRASHES = "import ctypes\nctypes.string_at(0)"

LEAVES = "import os\nos._exit(0)"

CLAIMS_FULL_MARKS = 'print("10/10")\nprint("All tests passed!")'

READS_SOLUTIONS = """\
import os, sys, glob, seqlab
try:
    from solutions.ch04_attention import *
except ImportError as error:
    print(error)
course = os.path.join(os.path.dirname(seqlab.__file__), "..", "..")
for root in [course, "/", "/*", "/*/*", os.path.expanduser("~/**"), os.getcwd() + "/**", *sys.path]:
    for path in glob.glob(os.path.join(root, "solutions", "**", "*.py"), recursive=True)[:50]:
        print(open(path).read())
"""

READS_SECRETS = """\
import gc, os, sys
from pathlib import Path
for place in ["/proc/self/environ", "/proc/self/maps", "/etc/passwd", "/proc/1/cmdline"]:
    try:
        print(Path(place).read_text())
    except OSError as error:
        print(type(error).__name__)
for found in gc.get_objects():
    if type(found).__name__ in ("Check", "Judge"):
        print("a judge!", found)
"""

STARTS_PROCESSES = """\
import os, subprocess
for attempt in (os.fork, lambda: subprocess.run(["ls", "/"]), lambda: os.execv("/bin/ls", ["ls"])):
    try:
        print("started", attempt())
    except OSError as error:
        print(type(error).__name__)
"""

USES_NETWORK = """\
import socket
for family in (socket.AF_INET, socket.AF_UNIX, socket.AF_INET6):
    try:
        print("open", socket.socket(family))
    except OSError as error:
        print(type(error).__name__)
"""

KILLS = """\
import os, signal
for victim in (os.getppid(), 1, -1, 0):
    try:
        os.kill(victim, signal.SIGKILL)
        print("killed", victim)
    except OSError as error:
        print(type(error).__name__)
"""

WRITES_OUTSIDE = """\
from pathlib import Path
import os, tempfile
for place in (Path.home().parent, Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), Path(os.__file__).parent):
    try:
        (place / "left-behind").write_text("x")
        print("wrote", place)
    except OSError as error:
        print(type(error).__name__)
"""

FILLS_DISK = """\
for number in range(10**6):
    with open(f"big-{number}", "wb") as file:
        file.write(b"x" * (60 << 20))
"""

RAISES_LIMITS = """\
import resource
for kind in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE):
    try:
        resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        print("raised", kind)
    except (OSError, ValueError) as error:
        print(type(error).__name__)
"""

FORGES_ANSWERS = """\
import os, json, struct
from safetensors.torch import save
text = json.dumps({"status": "passed", "message": "", "answer": 1}).encode()
frame = struct.pack("<I", len(text)) + text + save({})
for _ in range(100):
    os.write(3, struct.pack("<I", len(frame)) + frame)
"""

SENDS_RUBBISH = """\
import os, struct
os.write(3, struct.pack("<I", 1 << 31) + b"x" * 1000)
"""

PATCHES_COMPARISON = """\
import torch
import autograder.compare, autograder.judging, autograder.probing
torch.allclose = torch.equal = lambda *a, **k: True
autograder.compare.is_close = lambda *a, **k: True
autograder.judging.judge_exercise = lambda *a, **k: []
autograder.probing.run_probe = lambda *a, **k: {}
"""

ALWAYS_EQUAL = """\
import torch
class Equal(torch.Tensor):
    def __eq__(self, other):
        return True
    def __torch_function__(self, *a, **k):
        return True
def masked_softmax(scores, mask):
    return Equal()
def attend(*a):
    return Equal(), Equal()
"""

INJECTS_SCRIPT = """\
from IPython.display import HTML, Javascript, display
display(HTML("<script>document.title = 'owned'</script>"))
display(Javascript("document.title = 'owned'"))
"""

EVERYTHING = {name: value for name, value in globals().items() if name.isupper() and isinstance(value, str)}

MARKUP = """\
The word **the** has <b>no counterpart</b>; there $\\alpha_{ti} < 0.5$. <script>document.title = 'owned'</script>
<img src=x onerror="document.title = 'owned'">
"""

WRITINGS = {
    "markup": MARKUP,
    "a link that runs": "[my map](javascript:document.title='owned')",
    "the same, disguised": "[my map](&#106;ava&#x73;cript:document.title='owned')",
    "the same, broken": "[my map](<java&#9;script:document.title='owned'>)",
    "the same, from below": "[my map][1]\n\n[1]: JavaScript:document.title='owned'",
    "a link to a page of its own": "[my map](data:text/html;base64,PHNjcmlwdD4=)",
    "a link in angle brackets": "<javascript:document.title='owned'>",
    "a link by entities": "&lt;a href=javascript:document.title='owned'&gt;x&lt;/a&gt;",
    "a script in a fence": "```mermaid\n</pre><script>document.title = 'owned'</script>\n```",
    "a fence that ends": "[x](javascript:a)\n```\n````\n~~~\n<script>document.title = 'owned'</script>\n",
    "a script in a formula": "$$\n<script>document.title = 'owned'</script>\n$$ and $<img src=x onerror=document.title='owned'>$",
    "a title that is a tag": "<a href='x' title='<img src=x onerror=document.title=1>'>x</a>",
    "a tag in pieces": "<*img src=x onerror=document.title=1*> <\\img src=x onerror=a> <&#105;mg src=x onerror=a> <\0img src=x>",
    "the same, in a tag": "<blockquote>\n<*img src=x onerror=a*> <\\img src=x onerror=a> <&#105;mg src=x onerror=a>\n</blockquote>",
    "a picture that is not there": "![my map](attachment:map.png)",
    "a very long page": "<b>" * 300_000,
    "a page made to be slow": "[" * 900_000,
    "nothing that can be read": "\0\x1b\ufeff" * 100,
}
