"""What our pages for people have in common: one file that loads nothing, its policy, its colours in light and dark, its fonts."""

from __future__ import annotations

from html import escape

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""Nothing is loaded and nothing is run; a page that has pictures or a form says so in a policy of its own."""
_STYLE = """
:root { color-scheme: light dark; --line: #c9d1d9; --soft: #f5f7f9; --word: #0b5cad; --text: #9a3412; --aside: #57606a; --name: #6f42c1; --good: #00704A; --bad: #B34700; --bar: #0072B2; --page: #fff; --ink: #1f2328 }
@media screen and (prefers-color-scheme: dark) {
  :root { --line: #444c56; --soft: #22272e; --word: #7cc4ff; --text: #ffb38a; --aside: #a9b4c0; --name: #d2a8ff; --good: #5fd3a6; --bad: #ffa470; --bar: #56B4E9; --page: #16191d; --ink: #e6edf3 }
}
body { margin: 0 auto; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; background: var(--page); color: var(--ink); overflow-wrap: anywhere }
p, ul { max-width: 48rem; margin: .4rem 0 } .aside { color: var(--aside) }
"""


def page(title: str, body: str, style: str, policy: str = POLICY) -> str:
    """A whole page.

    Args:
        title: Its title, as text.
        body: Its HTML.
        style: Its own rules, besides those of every page.
        policy: What it may load and run.
    """
    return (
        "<!DOCTYPE html>\n"
        f'<html lang="en">\n<head>\n<meta http-equiv="Content-Security-Policy" content="{policy}">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="referrer" content="same-origin">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}{style}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
