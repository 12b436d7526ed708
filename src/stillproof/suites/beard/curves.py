"""How much accuracy is left as changes grow? A curve from one attack per norm, checked by another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from stillproof.core.number_text import size_text
from stillproof.core.spec import Json
from stillproof.report.answers import Answered
from stillproof.report.figures.by_group import figures_of
from stillproof.report.figures.values import ROBUST, Curve, CurvePanel, Curves, Point
from stillproof.report.rows import Rows, grouped, images, missing_notes
from stillproof.report.section import Section
from stillproof.report.tables.columns import BEFORE, MISSING, RULES_OF_OWN_RECIPES
from stillproof.report.tables.table import Column, Percent, Table, Value
from stillproof.score.stats import Summary, summarise_accuracies
from stillproof.suites.beard.robust_numbers import (
    ALARM_NOTE,
    ALARMS,
    CLEAN,
    DEFENCE,
    IMAGES,
    about,
    alarms_on,
    attacked_basis,
    warned_notes,
)
from stillproof.suites.beard.victims import Victim, Victims
from stillproof.suites.requests import Request, Row

CHECKED = (0.25, 0.5, 1.0)  # where curves are checked by attacks with a fixed radius, as shares of the largest
# Looks for the smallest change that fools, so that one run gives the whole curve.
MINIMAL = "fmn:norm={norm}:steps={steps}"
FIXED = "apgd:norm={norm}:steps={steps}:eps={eps!r}"
TITLE = "Robust accuracy over the size of the change"
NORM = Column("norm", "norm", fold="same")
NOTES = (
    "Mean over eps: the area below the curve of robust accuracy from 0 to the largest eps, divided by that eps; it is "
    "what is left on average over all sizes of changes. The curve is that of FMN, which looks for the smallest change "
    "of each image that fools the model, in pixels of [0, 1]. At three eps it is checked by APGD: what that fools "
    "besides is taken off the curve, too, and the largest gap is the most that came of it, in points. Pixels are "
    "attacked under either protocol: under faithful, sets and trainings alone are the original's.",
)


def curve_rows(victims: Victims) -> Iterator[Row]:
    """Yield one row per model and norm, with and without a defence."""
    for victim in victims.all():
        for norm, reach in victims.reaches.items():
            yield victims.row("curves", victim, partial(_asked, victims, victim, norm, reach), norm=norm)


def _asked(victims: Victims, victim: Victim, norm: str, reach: float, seed: int) -> Request:
    """Ask for the curve of one seed, always in pixels: elsewhere a radius means nothing."""
    steps = victims.suite.curve_steps

    def attack(reference: str) -> Request:
        return victims.attack(victim, reference, "untargeted", seed, protocol="fair")

    checks = [attack(FIXED.format(norm=norm, steps=steps, eps=share * reach)) for share in CHECKED]
    minimal = attack(MINIMAL.format(norm=norm, steps=steps))
    return Request("robust-curve", of=minimal, checks=checks, largest=reach)


def curve_tables(rows: Rows) -> list[Table]:
    """Return one table per norm, with one line per model."""
    return [_table(str(norm), found, rows) for (norm,), found in grouped(rows["curves"], "norm").items()]


def _table(norm: str, found: Sequence[Answered], rows: Rows) -> Table:
    lines = [_line(row) | {"alarms": alarms_on(rows, [row])} for row in found]
    places = dict.fromkeys(key for line in lines for key in line if key.startswith("at_"))
    columns = (
        *(*BEFORE, DEFENCE, NORM, CLEAN, Column("area", "mean over eps %", Summary)),
        *(Column(key, f"at {key.removeprefix('at_')} %", Summary) for key in places),
        *(Column("gap", "largest gap", Percent), ALARMS, IMAGES, MISSING),
        *RULES_OF_OWN_RECIPES,
    )
    name = "curves" if norm == "Linf" else f"curves-{norm.lower()}"
    notes = [*NOTES, ALARM_NOTE, *warned_notes(found), *missing_notes(found)]
    return Table(name, f"{TITLE} in {norm}", columns, lines, notes)


def _line(row: Answered) -> dict[str, Value]:
    known = [answer for answer in row.results if answer is not None]
    line = about(row) | {"norm": row["norm"], "clean": _share(known, "clean_accuracy"), "area": _share(known, "area")}
    if not known:
        return line
    for number, check in enumerate(known[0]["checks"]):
        values = [answer["checks"][number]["robust_accuracy"] for answer in known]
        line[f"at_{size_text(check['eps'])}"] = summarise_accuracies(values, known[0]["n"])
    return line | {"gap": Percent(max(answer["gap"] for answer in known))}


def _share(known: Sequence[Json], name: str) -> Summary | None:
    return summarise_accuracies([answer[name] for answer in known], known[0]["n"]) if known else None


def curve_figures(rows: Rows) -> dict[str, Curves]:
    """Return one figure per data set, network and norm, with one panel per size of sets."""
    plain = [row for row in rows["curves"] if not row["defence"]]
    groups = grouped(plain, "dataset", "network", "norm")
    return figures_of("curves", groups, has_curve, partial(_figure, rows))


def _figure(every: Rows, rows: Sequence[Answered]) -> Curves:
    sizes = [ipc for ipc in dict.fromkeys(row["ipc"] for row in rows) if ipc is not None]
    panels = [
        CurvePanel([curve_of(row, str(row["method"])) for row in rows if row["ipc"] in (None, ipc)], title=images(ipc))
        for ipc in sizes
    ]
    return Curves(TITLE, eps_name(rows), panels, attacked_basis(rows, every), measure=ROBUST, linear=True)


def has_curve(rows: Sequence[Answered]) -> bool:
    """Say whether one of the rows has an answer."""
    return any(row.summary("robust-area") for row in rows)


def eps_name(rows: Sequence[Answered]) -> str:
    """Return the name of the axis along which curves of one norm are drawn."""
    return f"eps in {rows[0]['norm']}, pixels of [0, 1]"


def curve_of(row: Answered, name: str) -> Curve:
    """Return the curve of a row, over those seeds that have one."""
    known = [answer for answer in row.results if answer is not None]
    if not known:
        return Curve(name, [])
    n = known[0]["n"]
    return Curve(
        name,
        [
            Point(eps, summarise_accuracies([answer["accuracies"][place] for answer in known], n))
            for place, eps in enumerate(known[0]["eps"])
        ],
    )


SECTION = Section(
    "curves",
    curve_rows,
    curve_tables,
    curve_figures,
    title=TITLE,
    question="How much accuracy is left as changes grow?",
    reading="The higher a curve, and so its mean over eps, the more is left; where the largest gap is more than a "
    "point or two, the curve is too good.",
)
