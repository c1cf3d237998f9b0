"""What Sphinx does for a reader of the site: equations numbered by chapter, glossary terms linked and found by a search.

No line begins with the % of a number. A link to the glossary, or to the bibliography, shows on hover what it leads to
(`book/_static/book.js`). None of it is in the chapters' texts.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any

from autograder.building.numbers import NAME, number_of

GLOSSARY = "glossary"
NOTEBOOKS = "notebooks"
"""The folder of the site that holds the student notebooks."""
EVERYDAY = {
    *("advantage", "candidate", "cell", "encoding", "forgetting", "head", "kernel", "key", "mask"),
    *("memory", "reference", "score", "smoothing", "state", "surprise", "value"),
}
"""Terms whose word often means something else, as in "arrow key": only where the book introduces it, a link is sure to be right."""
_ICON = re.compile(
    r'(?:(?<=[{,])|,)(?P<name>"[a-z0-9-]+"|[a-z0-9]+):\[\d+,\d+,\[[^\]]*\],"[0-9a-f]+",(?:"[^"]*"|\[[^\]]*\])\]'
)
_OF_MATHJAX = ("tex-chtml.js", "input/tex/extensions/", "output/chtml/fonts/woff-v2/")
"""What a page loads of MathJax: its script, the macros that the script asks for when a formula uses them, and the letters."""
_USED = re.compile(r"\bfa-([a-z0-9-]+)")
_IN_WORD = r"[\w–’-]"


def names_of(term: str) -> list[str]:
    """What a term of the glossary is called in the text: "alignment error rate (AER)" has two names, "clipping (in BLEU)" none.

    A term that a word in brackets tells apart from another cannot be linked wherever it appears.
    """
    name, _, more = term.partition(" (")
    more = more.rstrip(")")
    if more.startswith(("in ", "of ")):
        return []
    return [each for part in (name, more) for each in part.split(", ") if each]


def equation_number(chapter: str, number: int) -> str:
    """The number of a chapter's equation, such as 5.3; other pages count alone."""
    return f"{number_of(chapter)}.{number}" if NAME.fullmatch(chapter) else str(number)


def only_icons(script: str, wanted: set[str]) -> str:
    """The theme's script of all icons there are, with those that the pages show."""
    kept = _ICON.sub(lambda icon: icon[0] if icon["name"].strip('"') in wanted else "", script)
    return kept.replace("={,", "={")


def course_and_branch(public_address: str) -> tuple[str, str] | None:
    """The course, as NAME/COURSE, and the branch that a public address names; None where it names none."""
    match = re.fullmatch(r"https://github\.com/([^/\s]+/[^/\s]+)/tree/([^/\s]+)/?", public_address)
    return (match[1], match[2]) if match else None


def notebook_links(chapter: str, public_address: str) -> str:
    """The buttons below a chapter's title: its notebook and, where the course has a public address, services that run it."""
    links = [(f"{NOTEBOOKS}/{chapter}.ipynb", "Download this notebook", " download")]
    public = course_and_branch(public_address)
    if public_address and not public:
        raise ValueError(f"public_address is {public_address!r}: expected https://github.com/NAME/COURSE/tree/BRANCH")
    if public:
        (course, branch), path = public, f"notebooks/{chapter}/{chapter}.ipynb"
        links += [
            (f"https://colab.research.google.com/github/{course}/blob/{branch}/{path}", "Open in Colab", ""),
            (f"https://mybinder.org/v2/gh/{course}/{branch}?labpath={path}", "Open in Binder", ""),
        ]
    buttons = "\n".join(f'<a href="{escape(address)}"{more}>{text}</a>' for address, text, more in links)
    return f'<p class="notebook-links d-print-none">{buttons}</p>'


def setup(app: Any) -> dict[str, bool]:
    """Give all of it to Sphinx."""
    app.add_config_value("public_address", "", "html")
    app.connect("doctree-read", _number_equations)
    app.connect("doctree-read", _read_glossary)
    app.connect("doctree-resolved", _keep_signs_with_numbers)
    app.connect("doctree-resolved", _link_terms)
    app.connect("doctree-resolved", _index_terms)
    app.connect("html-page-context", _add_notebook, priority=900)
    app.connect("html-page-context", _leave_mathjax, priority=900)
    app.connect("build-finished", _lighten)
    return {"parallel_read_safe": False, "parallel_write_safe": True}


def _number_equations(app: Any, doctree: Any) -> None:
    from docutils import nodes

    chapter, equations = app.env.docname, app.env.get_domain("math").equations
    for block in doctree.findall(nodes.math_block):
        if block.get("number"):
            block["number"] = equation_number(chapter, block["number"])
            equations[block["label"]] = (chapter, block["number"])


def _read_glossary(app: Any, doctree: Any) -> None:
    """Give each term an anchor, and keep what it says and where it is introduced."""
    from docutils import nodes

    if app.env.docname != GLOSSARY:
        return
    app.env.book_terms = {}
    for item in doctree.findall(nodes.definition_list_item):
        term, definition = item[0].astext(), item[-1].astext()
        anchor = f"term-{nodes.make_id(term)}"
        item[0]["ids"].append(anchor)
        sections = [link["refuri"] for link in item.findall(nodes.reference) if "#" in link.get("refuri", "")]
        said = re.sub(r"\s*\([Cc]hapter \d+\)\s*$", "", " ".join(definition.split()))
        app.env.book_terms[term] = (anchor, said, sections)


def _code_nodes() -> tuple[type, ...]:
    """What has a text that is no prose: code, formulas, and HTML such as a figure's."""
    from docutils import nodes

    return nodes.literal, nodes.literal_block, nodes.raw, nodes.math, nodes.math_block


def _keep_signs_with_numbers(app: Any, doctree: Any, docname: str) -> None:
    """Let no line of prose begin with the % of a number."""
    from docutils import nodes

    for text in list(doctree.findall(nodes.Text)):
        kept = re.sub(r"\s%", "\N{NO-BREAK SPACE}%", text.astext())
        if kept != text.astext() and not isinstance(text.parent, _code_nodes()):
            text.parent.replace(text, nodes.Text(kept))


def _index_terms(app: Any, doctree: Any, docname: str) -> None:
    """Have a search for a term find the section of this page that introduces it."""
    from sphinx import addnodes

    found = [
        (name, where)
        for term, (_, _, sections) in app.env.book_terms.items()
        for name in names_of(term)
        for where in sections[:1]
    ]
    here = [(name, where.partition("#")[2]) for name, where in found if where.partition(".html#")[0] == docname]
    doctree.append(addnodes.index(entries=[("single", name, section, "main", None) for name, section in here]))


def _link_terms(app: Any, doctree: Any, docname: str) -> None:
    """Link the first use of each of the glossary's terms in a chapter's prose, and of everyday words after their introduction."""
    from docutils import nodes

    if not NAME.fullmatch(docname):
        return
    terms = {name: found for term, found in app.env.book_terms.items() for name in names_of(term)}
    by_lower = {name.lower(): name for name in terms}
    longest_first = sorted(terms, key=len, reverse=True)
    any_of = "|".join(r"\s+".join(map(re.escape, name.split())) for name in longest_first)
    any_term = re.compile(rf"(?<!{_IN_WORD})(?P<name>{any_of})s?(?!{_IN_WORD})", re.IGNORECASE)
    linked: set[str] = set()
    begun: set[str] = set()
    not_prose = (*_code_nodes(), nodes.reference, nodes.title, nodes.term, nodes.strong, nodes.caption, nodes.citation)
    for text in list(doctree.findall(nodes.Text)):
        parents, at = [], text.parent
        while at is not None:
            parents.append(at)
            at = at.parent
        begun |= {
            f"{docname}.html#{name}" for each in parents if isinstance(each, nodes.section) for name in each["ids"]
        }
        if any(isinstance(each, not_prose) for each in parents):
            continue
        if not any(isinstance(each, nodes.paragraph) for each in parents) or any(
            "cell" in each.get("classes", []) or each.get("nodetype") for each in parents
        ):
            continue
        pieces, end = [], 0
        for match in any_term.finditer(text.astext()):
            name = by_lower[" ".join(match["name"].lower().split())]
            anchor, said, sections = terms[name]
            # BERT is a term, and "Bert" is none; id is none where a sentence begins with Id.
            if anchor in linked or (name.isupper() and not match["name"].isupper()):
                continue
            if name in EVERYDAY and begun.isdisjoint(sections):
                continue
            linked.add(anchor)
            address = f"{app.builder.get_relative_uri(docname, GLOSSARY)}#{anchor}"
            link = nodes.reference("", match[0], refuri=address, reftitle=said, internal=True, classes=["term"])
            pieces += [nodes.Text(text.astext()[end : match.start()]), link]
            end = match.end()
        if pieces:
            text.parent.replace(text, [*pieces, nodes.Text(text.astext()[end:])])


def _add_notebook(app: Any, pagename: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    if (Path(app.srcdir, "extra", NOTEBOOKS) / f"{pagename}.ipynb").is_file():
        links = notebook_links(pagename, app.config.public_address)
        context["body"] = context["body"].replace("</h1>", f"</h1>\n{links}", 1)


def _leave_mathjax(app: Any, _pagename: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """MathJax is a third of a page's weight, and Jupyter Book loads it everywhere."""
    if 'class="math' not in context.get("body", ""):
        # Sphinx has added it by now. In place: what is added after this would not be in another list.
        scripts = context["script_files"]
        scripts[:] = [file for file in scripts if "mathjax" not in str(file).lower()]


def _lighten(app: Any, problem: Exception | None) -> None:
    """The theme's script has two thousand icons, and the pages show ten; of MathJax's bundles they load one."""
    if problem or app.builder.format != "html":
        return
    out = Path(app.outdir)
    wanted = {icon for page in out.glob("*.html") for icon in _USED.findall(page.read_text(encoding="utf-8"))}
    for script in ("scripts/sphinx-book-theme.js", "scripts/pydata-sphinx-theme.js"):
        wanted |= set(_USED.findall((out / "_static" / script).read_text(encoding="utf-8")))
    icons = out / "_static" / "scripts" / "fontawesome.js"
    icons.write_text(only_icons(icons.read_text(encoding="utf-8"), wanted), encoding="utf-8")
    mathjax = out / "_static" / "mathjax"
    for file in [*mathjax.rglob("*.*"), *(out / "_static").rglob("*.map")]:
        if not file.as_posix().startswith(tuple(f"{mathjax.as_posix()}/{part}" for part in _OF_MATHJAX)):
            file.unlink()
