import re, sys
from pathlib import Path
for p in sorted((Path(sys.argv[1]) / "book").glob("ch*.md")):
    t = p.read_text()
    def fix(m):
        parts = re.findall(r"from seqlab[^\n]*?(?:\([^)]*\)|[^\n(]*)\n", m[0])
        assert "".join(parts) == m[0], p
        return "".join(sorted(parts, key=lambda s: re.match(r"from (\S+)", s)[1]))
    n = re.sub(r"(?:^from seqlab[^\n]*?(?:\([^)]*\)|[^\n(]*)\n)+", fix, t, flags=re.M)
    if n != t: p.write_text(n)
