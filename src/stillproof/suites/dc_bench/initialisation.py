"""Where synthesis starts, and how fast it progresses: sets on the way from noise, random and K-Center images."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from stillproof.core.errors import BadInput
from stillproof.core.reference import parse_reference
from stillproof.report.answers import Answered
from stillproof.report.figures.by_group import basis_of, figures_by
from stillproof.report.figures.values import Curve, CurvePanel, Curves, Level, Point
from stillproof.report.rows import Rows, above, grouped, images, missing_notes
from stillproof.report.section import Section
from stillproof.report.tables.columns import BEFORE, RULES, about
from stillproof.report.tables.table import Column, Difference, Percent, Table, Value
from stillproof.score.stats import Summary
from stillproof.suites.fixed_set import fixed_set
from stillproof.suites.requests import Request, Row, snapshot
from stillproof.suites.row_builder import RowBuilder

if TYPE_CHECKING:
    from stillproof.suites.dc_bench.suite import DCBench

INITS = ("noise", "real", "k-center")
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0)  # of all steps, at which sets are looked at
REAL = "real"
TITLE = "Initialisation of the synthesis"
COLUMNS = (
    *BEFORE,
    Column("init", "start"),
    Column("accuracy", "final %", Summary),
    Column("gain", "over real, points", Difference),
    Column("steps", "steps", int),
    Column("level", "level %", Percent),
    Column("steps_to_level", "steps to level", int),
    Column("share", "share of real's steps %", Percent),
    *RULES,
)
NOTES = (
    "level: the final mean accuracy that starting from random real images reaches; steps to level: the first measured "
    "step whose mean reaches it.",
)


def initialisation_rows(suite: DCBench, builder: RowBuilder) -> Iterator[Row]:
    """Yield one row per method, start and step."""
    for method in suite.init_methods:
        steps = _steps(method)
        looks = sorted({max(1, round(share * steps)) for share in SHARES})
        for init in INITS:
            started = f"{method}:init={init}"
            for step in looks:
                requests = [
                    builder.trained(
                        _at(builder.distilled(started, suite.init_ipc, seed), step, looks[-1]),
                        builder.home,
                        suite.recipe_with("dsa", builder.dataset),
                        seed,
                    )
                    for seed in range(builder.seeds)
                ]
                keys = {"recipe": suite.recipe_with("dsa", builder.dataset), "init": init, "step": step}
                yield builder.row("initialisation", method, suite.init_ipc, requests, **keys)


def _at(made: Request, step: int, last: int) -> Request:
    return made if step == last else snapshot(made, step)


def _steps(method: str) -> int:
    """Return how many steps the reference of a method asks for: they must be known before it is built."""
    there = fixed_set(method)
    if there:
        raise BadInput(
            f"init_methods: {there.name} is an existing set, so its start cannot be varied: name a distiller."
        )
    _, params = parse_reference(method)
    if "init" in params:
        raise BadInput(f"init_methods: {method!r} must not say where it starts: the study tries all starts.")
    steps = params.get("steps", "")
    if not steps.isdigit() or int(steps) < 1:
        raise BadInput(f"init_methods: {method!r} must say how many steps it takes, as in 'dm:steps=1000'.")
    return int(steps)


def initialisation_tables(rows: Rows) -> list[Table]:
    """Return one line per method and start."""
    found = rows["initialisation"]
    lines = []
    for group in grouped(found, "dataset", "network", "method", "ipc").values():
        starts = _by_start(group)
        lines += [_line(block, starts) for block in starts.values()]
    return [Table("initialisation", TITLE, COLUMNS, lines, [*NOTES, *missing_notes(found)])]


def _by_start(rows: Sequence[Answered]) -> dict[str, list[Answered]]:
    """Return the rows of each start by their steps."""
    groups = grouped(rows, "init").items()
    return {str(init): sorted(group, key=lambda row: int(row["step"])) for (init,), group in groups}


def _line(block: Sequence[Answered], starts: Mapping[str, Sequence[Answered]]) -> dict[str, Value]:
    last = block[-1]
    line = about(last) | {"init": last["init"], "accuracy": last.summary(), "steps": last["step"]}
    real = starts.get(REAL)
    final = real[-1].summary() if real else None
    if real is None or final is None:
        return line
    own, others = _first_step(block, final.mean), _first_step(real, final.mean)
    gain = None if block is real else above(last, real[-1])
    share = Percent(own / others) if own is not None and others else None
    return line | {"level": Percent(final.mean), "steps_to_level": own, "share": share, "gain": gain}


def _first_step(block: Sequence[Answered], level: float) -> int | None:
    means = ((int(row["step"]), row.summary()) for row in block)
    return next((step for step, summary in means if summary is not None and summary.mean >= level), None)


def initialisation_figures(rows: Rows) -> dict[str, Curves]:
    """Return one figure per data set and network, with one panel per method."""
    return figures_by("initialisation", grouped(rows.get("initialisation", []), "dataset", "network"), _figure)


def _figure(rows: list[Answered]) -> Curves:
    panels = [
        _panel(group, f"{method}, {images(ipc)}") for (method, ipc), group in grouped(rows, "method", "ipc").items()
    ]
    return Curves(TITLE, "step of the distillation", panels, basis_of(rows, "dataset", "network"))


def _panel(rows: list[Answered], title: str) -> CurvePanel:
    starts = _by_start(rows)
    curves = [Curve(init, [Point(row["step"], row.summary()) for row in group]) for init, group in starts.items()]
    final = starts[REAL][-1].summary() if REAL in starts else None
    levels = [Level(REAL, "real in the end", final)] if final is not None else []
    return CurvePanel(curves, levels, title)


SECTION = Section(
    "initialisation",
    initialisation_rows,
    initialisation_tables,
    initialisation_figures,
    title=TITLE,
    question="Which initialisation is best?",
    reading="A better start ends above random real images, or reaches their final accuracy in fewer steps.",
)
