"""A whole figure in HTML: its title, its panels side by side or below each other, legend and caption."""

from __future__ import annotations

import re

from stillproof.report.svg.element import Element, element
from stillproof.report.svg.legend import write_legend
from stillproof.report.svg.panel import Drawn, Panel, write_panel
from stillproof.report.svg.text import shortened

TITLE = 420.0  # room for the title of a panel, in one or two lines
PREFIX = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
FIGURE_CSS = """\
.sp-figure { margin: 0; }
.sp-figure p { margin: 0 0 .4rem; overflow-wrap: anywhere; }
.sp-figure .sp-title { font-weight: 600; }
.sp-panels { display: grid; gap: 1rem 1.5rem; align-items: end; }
.sp-panels { grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 28rem)); }
.sp-panel { min-width: 0; }
.sp-panel > svg { display: block; width: 100%; height: auto; }
.sp-panel text { font-variant-numeric: tabular-nums; }
.sp-figure .sp-panel-title { font-size: .9rem; font-weight: 600; margin-bottom: .2rem; }
.sp-figure .sp-panel-note { font-size: .8rem; margin-bottom: .2rem; color: var(--faint, #6b6b6b); }
.sp-mark:hover { filter: brightness(1.15); }
.sp-legend { display: flex; flex-wrap: wrap; gap: .15rem 1.1rem; margin: .6rem 0 0; padding: 0; list-style: none; }
.sp-legend { font-size: .85rem; }
.sp-legend li { display: flex; align-items: center; gap: .4em; min-width: 0; }
.sp-legend svg { flex: none; }
.sp-figure figcaption { font-size: .8rem; color: var(--faint, #6b6b6b); margin-top: .6rem; overflow-wrap: anywhere; }
"""


def write_figure(title: str, caption: str, drawn: Drawn, prefix: str) -> str:
    """Return a figure with its title above and its caption below; ids in it start with ``prefix``."""
    if not PREFIX.fullmatch(prefix):
        raise ValueError(f"ids cannot start with {prefix!r}")
    panels = [
        element("div", *_heading(panel), write_panel(panel, f"{prefix}-{place}", title, caption), class_="sp-panel")
        for place, panel in enumerate(drawn.panels, 1)
    ]
    return str(
        element(
            "figure",
            element("p", title, class_="sp-title"),
            element("div", *panels, class_="sp-panels"),
            *write_legend(drawn.legend),
            element("figcaption", caption),
            class_="sp-figure",
        )
    )


def write_nothing(title: str) -> str:
    """Return what stands in the place of a figure of which nothing is known."""
    told = element("p", "Nothing is known of this yet: no results.", class_="sp-nothing")
    return str(element("figure", element("p", title, class_="sp-title"), told, class_="sp-figure"))


def _heading(panel: Panel) -> list[Element]:
    short = shortened(panel.title, TITLE)
    tip = {"title": panel.title} if short != panel.title else {}
    title = [element("p", element("bdi", short, **tip), class_="sp-panel-title")] if panel.title else []
    return [*title, *(element("p", note, class_="sp-panel-note") for note in panel.notes)]
