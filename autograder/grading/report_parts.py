"""What the pages of reports have in common: their look, and the ways to write numbers, names and tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

STYLE = """
:root { --part: #56B4E9; --none: #E69F00 }
@media screen and (prefers-color-scheme: dark) { :root { --bar: #2f8fd0; --part: #8fd0f5 } }
body { max-width: 64rem }
h1 { font-size: 1.6rem; margin: .5rem 0 } h2 { font-size: 1.25rem; margin: 2.2rem 0 .4rem } h3 { font-size: 1rem; margin: 1rem 0 .2rem }
.note { border-left: .25rem solid var(--none); padding: .1rem .9rem } .first { max-width: 48rem; padding-left: 1.4rem } .first li { margin: .5rem 0 }
.tiles { max-width: none; display: flex; flex-wrap: wrap; gap: .6rem; margin: 1rem 0; padding: 0; list-style: none }
.tiles li { border: 1px solid var(--line); border-radius: .4rem; padding: .4rem .9rem }
.tiles strong { display: block; font-size: 1.4rem; line-height: 1.2 }
.wide { overflow-x: auto } table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem; border-bottom: 1px solid var(--line); overflow-wrap: break-word; white-space: nowrap }
th:first-child, td:first-child { white-space: normal; min-width: 9rem }
th { font-weight: 600 } td.number, th.number { text-align: right; font-variant-numeric: tabular-nums }
tr.exercise td { font-weight: 600; background: var(--soft) }
.bar { display: inline-block; width: 7rem; height: .7rem; background: var(--soft); border: 1px solid var(--line); vertical-align: middle }
.bar i { display: block; height: 100%; background: var(--bar) }
.parts { display: flex; height: 1rem } .parts i { display: block; height: 100% } .parts i + i { border-left: 1px solid var(--page) }
.full { background: var(--bar) } .part { background: var(--part) } .none { background: var(--none) } .blank { background: var(--line) }
.key { max-width: none; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; margin: .4rem 0; padding: 0; list-style: none }
.key i { display: inline-block; width: .8rem; height: .8rem; margin-right: .4rem }
.exercises { max-width: none; padding: 0; list-style: none } .exercises li { display: grid; grid-template-columns: 12rem 10rem 1fr; gap: 0 1rem; padding: .4rem 0; border-bottom: 1px solid var(--line) }
.low { color: var(--bad); font-weight: 600 }
details { margin: .3rem 0 } summary { cursor: pointer }
pre { background: var(--soft); padding: .6rem .8rem; border-radius: .3rem; margin: .4rem 0; font: .85rem/1.45 ui-monospace, monospace; white-space: pre-wrap }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: .8rem }
svg { max-width: 100%; height: auto } svg text { fill: var(--ink); font: 14px system-ui, sans-serif } svg rect { fill: var(--bar) } svg line { stroke: var(--aside) } svg .grid { stroke: var(--line) } svg .middle { stroke: var(--bad); stroke-dasharray: 5 4; stroke-width: 2 } svg text.middle-label { fill: var(--bad) }
@media (max-width: 40rem) { .bar { width: 3rem } th, td { padding: .25rem .4rem } .exercises li { grid-template-columns: 1fr auto } .exercises div { grid-column: 1 / -1 } }
@media print {
  body { max-width: none; font-size: 10pt } ::details-content { content-visibility: visible; block-size: auto } .wide { overflow: visible }
  tr, .pair, svg { break-inside: avoid } h2, summary { break-after: avoid } i { print-color-adjust: exact }
}
"""
Name = Callable[[str], str]
"""What a student is called in a report, by id."""


def told_number(points: float) -> str:
    """Points to a tenth."""
    return f"{round(points, 1):g}"


def told_students(number: int) -> str:
    """So many students, in words."""
    return "1 student" if number == 1 else f"{number} students"


def wide_table(label: str, head: str, rows: Iterable[str]) -> str:
    """A table that scrolls by itself where the page is narrower, also by keys."""
    return (
        f"<div class='wide' role='region' aria-label='{label}' tabindex='0'><table><thead>{head}</thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def share_bar(share: float) -> str:
    """A bar that is filled to a share."""
    return f"<span class='bar' aria-hidden='true'><i style='width:{100 * min(1.0, share):.0f}%'></i></span>"


def natural_key(text: str) -> list[tuple[int, str]]:
    """A key that sorts numbers in names by their value."""
    return [(int(part) if part.isdecimal() else 0, part) for part in re.split(r"(\d+)", text)]
