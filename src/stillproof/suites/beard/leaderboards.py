"""The leaderboards: for each data set, one of all sizes pooled and one per size, by CREI."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from stillproof.report.figures.by_group import figure_name
from stillproof.report.rows import Rows, images
from stillproof.report.tables.columns import DATASET, METHOD, NETWORK, RULES_OF_OWN_RECIPES
from stillproof.report.tables.table import Column, Table, Value
from stillproof.score.stats import Summary
from stillproof.suites.beard.method_scores import Assessed
from stillproof.suites.beard.robust_numbers import ALARM_NOTE, ALARMS, IMAGES, SIZES, about, alarms_on, time_notes

MODES = ("targeted", "untargeted")
COLUMNS = (
    Column("rank", "rank", int),
    *(DATASET, NETWORK, METHOD, SIZES),
    *(
        Column(f"{key}_{mode}", f"{title}, {mode}", Summary)
        for key, title in (("crei", "CREI"), ("rr", "RR"), ("worst", "worst case %"))
        for mode in MODES
    ),
    *(ALARMS, IMAGES),
    *RULES_OF_OWN_RECIPES,
)
NOTE = (
    "By CREI, the mean of targeted and untargeted where there are both, which rewards slow attacks as much as "
    "robustness: a model that is worse in the worst case may stand above a better one."
)


def leaderboard_tables(found: Sequence[Assessed], rows: Rows) -> list[Table]:
    """Return one table per data set, network and board, the pooled one first; all real images are on every board."""
    tables = []
    places = dict.fromkeys((one.row["dataset"], one.row["network"]) for one in found)
    for place in places:
        of = place if len({network for _, network in places}) > 1 else place[:1]
        here = [one for one in found if (one.row["dataset"], one.row["network"]) == place]
        several = any(len(one.parts) > 1 for one in here)
        sizes = [size for size in dict.fromkeys(one.row["ipc"] for one in here if len(one.parts) == 1) if size]
        full = [one for one in here if one.row["ipc"] is None]
        if several:
            pooled = [one for one in here if len(one.parts) > 1]
            tables.append(_board(of, "unified", "all sizes pooled", [*full, *pooled], rows))
        for size in sizes:
            of_size = [one for one in here if len(one.parts) == 1 and one.row["ipc"] == size]
            tables.append(_board(of, str(size), images(size), [*full, *of_size], rows))
    return tables


def _board(of: Sequence[str], name: str, title: str, found: Sequence[Assessed], rows: Rows) -> Table:
    """Return one leaderboard; ``of`` is its data set, and its network where there are several."""
    methods: dict[str, dict[str, Assessed]] = {}
    for one in found:
        methods.setdefault(str(one.row["method"]), {})[str(one.row["mode"])] = one
    lines = [_line(modes, rows) for modes in methods.values()]
    known = [mode for mode in MODES if any(line.get(f"crei_{mode}") for line in lines)]
    points = [_points(line, known) for line in lines]
    ranks = [None if own < 0 else 1 + sum(other > own for other in points) for own in points]
    by_points = sorted(range(len(lines)), key=lambda place: points[place], reverse=True)
    ranked = [{**lines[place], "rank": ranks[place]} for place in by_points]
    called = figure_name("leaderboard", [*of, name])
    notes = [NOTE, ALARM_NOTE, *time_notes(found)]
    return Table(called, f"Leaderboard of {', '.join(of)}, {title}", COLUMNS, ranked, notes)


def _line(modes: dict[str, Assessed], rows: Rows) -> dict[str, Value]:
    behind = [row for one in modes.values() for row in one.rows()]
    first = next(iter(modes.values()))
    line = about(first.row) | {"alarms": alarms_on(rows, behind), "sizes": first.sizes}
    for mode, one in modes.items():
        line |= {
            f"crei_{mode}": one.crei(),
            f"rr_{mode}": one.score("rr"),
            f"worst_{mode}": one.score("worst-case-accuracy"),
        }
    return line


def _points(line: Mapping[str, Value], known: Collection[str]) -> float:
    """Return what a line is ranked by; one that lacks a score in a mode in which others have one comes last."""
    values = [value.mean for mode in known if isinstance(value := line.get(f"crei_{mode}"), Summary)]
    return sum(values) / len(values) if values and len(values) == len(known) else -1.0
