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
    from solutions.ch05_attention import *
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
        print("started process", attempt())
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
import autograder.judging.compare, autograder.judging.outcomes, autograder.asking.probing
torch.allclose = torch.equal = lambda *a, **k: True
autograder.judging.compare.is_close = lambda *a, **k: True
autograder.judging.outcomes.judge_exercise = lambda *a, **k: []
autograder.asking.probing.run_probe = lambda *a, **k: {}
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

PEEKS_AT_SEEDS = """\
import gc, sys
frame = sys._getframe()
while frame:
    for name, value in frame.f_locals.items():
        if name in ("job", "seed", "asked"):
            print(name, value)
    frame = frame.f_back
for found in gc.get_objects():
    if type(found) is dict and "probes" in found:
        print(found)
"""

STARTS_THREADS = """\
import threading, time
threading.stack_size(1 << 15)
for _ in range(3000):
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
time.sleep(60)
"""

MAKES_MANY_FILES = """\
for number in range(150_000):
    open(str(number), "w").close()
"""

HIDES_FILES = """\
import os, time
hidden = []
for _ in range(15):
    file = open("hidden", "wb")
    os.unlink("hidden")
    file.write(bytes(60 << 20))
    file.flush()
    hidden.append(file)
time.sleep(1)
"""

HIDES_FILES_IN_MEMORY = """\
import mmap, os, time
hidden = []
for _ in range(15):
    with open("hidden", "w+b") as file:
        file.truncate(60 << 20)
        hidden.append(mmap.mmap(file.fileno(), 0))
    os.unlink("hidden")
    hidden[-1].write(bytes(60 << 20))
time.sleep(1)
"""

LEAVES_FILES_UNFINISHED = """\
import threading, time
def write(number):
    with open(f"unfinished-{number}", "wb", buffering=0) as file:
        while True:
            file.write(bytes(1 << 20))
for number in range(20):
    threading.Thread(target=write, args=(number,), daemon=True).start()
time.sleep(60)
"""

NESTS_FOLDERS = """\
import os, time
for _ in range(10_000):
    os.mkdir("d")
    os.chdir("d")
time.sleep(1)
"""

IS_TOO_LONG = "#" * 2_000_000

STOPS_ITSELF = "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)"

CLOSES_THE_CHANNEL = "import os\nos.close(3)"

SENDS_AN_EMPTY_MILLION = """\
import os, struct
from safetensors.torch import save
text = b'{"answer": [' + b"[]," * 3_000_000 + b"[]]}"
frame = struct.pack("<I", len(text)) + text + save({})
os.write(3, struct.pack("<I", len(frame)) + frame)
"""

SENDS_DROP_BY_DROP = """\
import os, struct, threading, time
threading.stack_size(1 << 15)
os.write(3, struct.pack("<I", 1 << 20))
for number in range(3000):
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    os.write(3, b"x")
"""

REACHES_FOR_THE_MACHINE = """\
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
IPC_RMID, PDEATHSIG, DUMPABLE = 0, 1, 4
for name, *arguments in [
    ("msgctl", 0, IPC_RMID, 0), ("msgsnd", 0, b"12345678x", 1, 0), ("msgget", 0, 0o1600),
    ("semctl", 0, 0, IPC_RMID), ("semget", 0, 1, 0o1600), ("semop", 0, b"", 0),
    ("shmctl", 0, IPC_RMID, 0), ("shmget", 0, 4096, 0o1600), ("shmdt", 0),
    ("mq_unlink", b"/queue"), ("mq_open", b"/queue", 0o102, 0o600, 0),
    ("inotify_init",), ("inotify_init1", 0), ("fanotify_init", 0, 0),
    ("prctl", PDEATHSIG, 0, 0, 0, 0), ("prctl", DUMPABLE, 0, 0, 0, 0),
    ("mlockall", 1),
    ("unshare", 0x10000000), ("mount", b"none", b".", b"tmpfs", 0, 0), ("umount", b"."),
]:
    ctypes.set_errno(0)
    if getattr(libc, name)(*arguments) >= 0 or ctypes.get_errno() not in (errno.EPERM, errno.EACCES, errno.ENOSYS):
        print("reached", name, arguments, ctypes.get_errno())
"""

WATCHES_THE_CACHE = """\
import ctypes, mmap, os
libc = ctypes.CDLL(None, use_errno=True)
with open(os.__file__, "rb") as file:
    mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    page = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(mapped)))
    for name, look in {
        "evict": lambda: os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED),
        "read what is there": lambda: os.preadv(file.fileno(), [bytearray(8)], 0, os.RWF_NOWAIT),
    }.items():
        try:
            print("reached", name, look())
        except PermissionError:
            pass
    if libc.readahead(file.fileno(), ctypes.c_long(0), ctypes.c_size_t(8)) == 0:
        print("reached readahead")
    if libc.mincore(page, ctypes.c_size_t(8), ctypes.create_string_buffer(1)) == 0:
        print("reached mincore")
"""

SETS_LEASES = """\
import fcntl, os
with open(os.__file__) as file:
    for command in (fcntl.F_SETLEASE, fcntl.F_NOTIFY, fcntl.F_SETPIPE_SZ):
        try:
            print("reached", fcntl.fcntl(file, command, fcntl.F_RDLCK))
        except OSError as error:
            if error.errno != 1:
                print("reached", command, error)
"""

INJECTS_SCRIPT = """\
from IPython.display import HTML, Javascript, display
display(HTML("<script>document.title = 'owned'</script>"))
display(Javascript("document.title = 'owned'"))
"""

EVERYTHING = {name: value for name, value in globals().items() if name.isupper() and isinstance(value, str)}

TOLD_OF = {
    "STARTS_THREADS": "it started more than 64 threads",
    "MAKES_MANY_FILES": "more space",
    "FILLS_DISK": "more space",
    "HIDES_FILES": "more space",
    "LEAVES_FILES_UNFINISHED": "",
    "NESTS_FOLDERS": "",
    "IS_TOO_LONG": "2,000,000 characters",
    "STOPS_ITSELF": "timeout",
    "SENDS_AN_EMPTY_MILLION": "more things than an answer may hold",
    "SENDS_DROP_BY_DROP": "it started more than 64 threads",
    "SENDS_RUBBISH": "more than a submission may send",
}
"""What the table says of some of it."""

_SEED = """\
import sys
def seed():
    frame = sys._getframe()
    while frame:
        if frame.f_locals.get("seed").__class__ is int:
            return "lea" + f"ked_{frame.f_locals['seed']}"
        frame = frame.f_back
def masked_softmax(scores, mask):
"""

LEAKS = {
    name: _SEED + "".join(f"    {line}\n" for line in lines.splitlines())
    for name, lines in {
        "an exception's text": "raise ValueError(seed())",
        "an exception's type": "raise type(seed(), (Exception,), {})()",
        "a name that is not there": "raise NameError(f'name {seed()!r} is not defined', name=seed())",
        "a file that is not there": "open(seed())",
        "a misuse": "from autograder.asking.probing import MisuseError\nraise MisuseError(seed())",
        "a misuse in the course's words": (
            "from autograder.asking.probing import MisuseError\n"
            "raise MisuseError(f'what it returned is {seed()}, expected 2 results: context, weights')"
        ),
        "what is not implemented": "raise NotImplementedError(seed())",
        "what it exits with": "raise SystemExit(seed())",
        "memory": "raise MemoryError(seed())",
        "text": "return seed()",
        "a key": "return {seed(): scores}",
        "a type": "return type(seed(), (), {})()",
        "a type of tensors": "return scores.as_subclass(type(seed(), (scores.__class__,), {}))",
        "what is printed": (
            "from IPython.display import display\nprint(seed())\nprint(seed(), file=sys.stderr)\ndisplay(seed())\n"
            "import warnings\nwarnings.warn(seed())\nreturn scores"
        ),
        "a line of code": "exec(compile('\\n' * 7 + f'raise ValueError({seed()!r})', '<ipython-input-1-' + seed() + '>', 'exec'))",
        "a frame of its own": (
            "import json, os, struct\nfrom safetensors.torch import save\n"
            "text = json.dumps({'status': 'failed', 'message': seed(), 'misuse': True, 'advice': seed(), 'type': seed(),"
            " 'line': seed(), 'outputs': [seed()], 'error': seed()}).encode()\n"
            "frame = struct.pack('<I', len(text)) + text + save({})\n"
            "os.write(3, struct.pack('<I', len(frame)) + frame)\nraise ValueError"
        ),
        "a file for the next process": "import os\nopen('leak', 'w').write(seed())\nos._exit(1)",
    }.items()
}
"""Answers to `masked_softmax` that try to tell what they are asked: each puts a word with the seed somewhere."""

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
    "a link that becomes another": "[my map](files/javascript:document.title='owned')",
    "the same, with a slash": "[my map](/files/JaVaScript:document.title='owned')",
    "the same, by its name": "[my map][1]\n\n[1]: files/data:text/html;base64,PHNjcmlwdD4=",
    "the same, as a tag": "<a href='files/javascript:document.title=1'>my map</a>",
    "links to this machine": "[a](http://localhost:8888/formgrader) [b](http://127.0.0.1/) [c](http://[::1]/) [d](http://2130706433/) "
    "[e](//localhost/) [f](http://x@localhost/) [g](http://x.localhost/) [h](/formgrader?path=submitted) [i](http:/lab) http://0x7f.1/ "
    "[j](http://example.org\\@localhost/) [k](ftp://example.org/) [l](?path=submitted) [m](http://１２７.0.0.1/)",
    "the same, as a tag or a name": "<a href='http://localhost/lab'>a</a> [b]\n\n[b]: http://127.0.0.1:8888/tree",
    "a picture that loads a folder": "![sketch](/formgrader?path=submitted/NAME/ch05_attention)",
    "the same, by its name or as a tag": "![sketch][1] <img src='/formgrader?path=x' srcset='/formgrader?path=x 2x'>\n\n[1]: /formgrader?path=x",
    "the same, behind another": "![sketch](files//formgrader?path=x) ![sketch](attachment:map.png 'x') ![a\\]](/formgrader?path=x)",
    "a picture on another host": "![my map](https://example.org/map.png) ![mine](//example.org/map.png)",
    "pictures that are no pictures": "![a](data:image/svg+xml;base64,PHN2Zz4=) ![b](data:image/png,x) ![c](DATA:text/html;base64,AAAA)",
    "tags that load by themselves": "<link rel=stylesheet href=/x.css><style>@import '/x.css'</style><iframe src=/lab></iframe>"
    "<video src=/x poster=/y></video><object data=/x></object><embed src=/x><meta http-equiv=refresh content='0;url=/lab'><base href=/x>"
    "<form action=/logout><input type=image src=/x></form><b style='background:url(/x)'>b</b><svg><image href=/x></svg><body background=/x>",
    "formulas that link": "$\\href{javascript:document.title='owned'}{x}$ $\\url{http://localhost}$ $\\style{background:url(/x)}{y}$",
    "formulas with names of their own": "$\\def\\x{\\require{html}}\\x \\cssId{top}{a} \\class{score}{b} \\unicode[url(/x)]{65}$",
    "the same, in pieces": "\\hr<b></b>ef{javascript:document.title='owned'}{x} and &#92;href{x}{y}",
    "a drawing by a script": "~~~mermaid\ngraph TD; A[<img src=x onerror=document.title=1>]\n~~~",
    "a name of the page's own": "# ch05_attention-written\n\n<b id=top name=top class=score data-toggle=tooltip>x</b>",
    "a picture that is not there": "![my map](attachment:map.png)",
    "the end of what holds the page": "x</p></div></section></details></ul> <b>\n\n</b></b> <li></ul></li>",
    "classes and handlers of plain tags": "<sub onclick=document.title=1>a</sub> <b class=highlight>b</b> <details ontoggle=document.title=1 open>c</details>",
    "a tag in a formula's words": "$\\text{<img src=x onerror=document.title=1>}$ $\\mathrm{<svg/onload=a>}$ $\\nothing{<script>a</script>}$ "
    "$$\\begin{matrix}<iframe src=/lab></iframe>\\end{matrix}$$ \\begin{<b>}x\\end{<b>} \\begin{align}<base href=/x>\\end{align}",
    "a tag in code that does not end": "`<script>document.title='owned'</script> ``<img src=x onerror=document.title=1>` $<img src=/x>",
    "a tag in indented text that is no code": "1. a\n\n    <img src=/x onerror=document.title=1> [x](/lab)\n\n    <script>document.title=1</script>",
    "pictures as tags": '<img src="attachment:map.png" width="300"> <img src=\'data:image/svg+xml;base64,PHN2Zz4=\' onload=document.title=1> '
    '<img src="data:text/html;base64,AAAA"> <img src="files/attachment:map.png" alt="<svg onload=a>"> <IMG SRC=//localhost/x ALT=\'"><b>\'> '
    '<img src="https://example.org/x.png" alt="](javascript:a) [b](/lab)"> <img src=https://example.org/\\@localhost/x>',
    "links as tags": "<a href=https://example.org/ onclick=document.title=1>a</a> <a href='https://localhost/'>b](/lab)</a> <A HREF=\"http://127.0.0.1/\">c</A>",
    "a very long page": "<b>" * 300_000,
    "a page made to be slow": "[" * 900_000,
    "nothing that can be read": "\0\x1b\ufeff" * 100,
}
