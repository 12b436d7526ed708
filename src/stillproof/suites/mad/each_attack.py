"""Attack by attack: what robust networks say of examples that were made on another one, and what shots change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from stillproof.report.answers import Answered
from stillproof.report.figures.by_group import figures_of
from stillproof.report.figures.values import Bar, Bars
from stillproof.report.measure import Measure
from stillproof.report.rows import Rows, grouped
from stillproof.report.section import Section
from stillproof.report.tables.columns import DATASET, MISSING, NETWORK, PROTOCOL, SCALE
from stillproof.report.tables.table import Column, Difference, Mean, Table, Value
from stillproof.score.stats import Summary, summarise
from stillproof.suites.mad.arena import NONE, Arena
from stillproof.suites.mad.attacks import ATTACK, ROLE, ROLES, in_order, title_of
from stillproof.suites.mad.defence_scores import Scored, scored
from stillproof.suites.mad.defences import defenders
from stillproof.suites.mad.report_parts import ROBUST, about, mad_basis, notes_of
from stillproof.suites.requests import Row

TITLE = "Attack by attack"
OFFLINE = "Examples made on the undefended network, shown to robust ones"
EDSR = Measure("EDSR", "%", -1.0, 2.0)  # it has no bounds
COLUMNS = (
    *(DATASET, NETWORK, ATTACK),
    Column("title", "what it is", fold="empty", absent=""),
    ROLE,
    Column("defence", "defence"),
    Column("ra", "RA %", Mean),
    Column("ra_after", "RA* %", Summary),
    Column("gain", "by shots, points", Difference),
    Column("sa_after", "SA* %", Mean),
    Column("edsr", "EDSR", Summary),
    *(MISSING, PROTOCOL, SCALE),
)
NOTE = (
    "RA and RA*: accuracy on attacked images before and after the shots of that very attack; the attack was made on "
    "the undefended network. SA*: on clean images, after the shots."
)


def each_rows(arena: Arena) -> Iterator[Row]:
    """Yield each network before each attack."""
    yield from arena.adapting("each-attack", defenders(arena), arena.there())


def each_tables(rows: Rows) -> list[Table]:
    """Return one line per attack and network, and one per attack with what robust networks say without shots."""
    found = rows["each-attack"]
    every = scored(found)
    lines = [_line(one, name) for name in in_order(found) for one in every if name in one.under]
    notes = [NOTE, *notes_of(found)]
    return [Table("each-attack", TITLE, COLUMNS, lines, notes), _offline_table(found, every, notes)]


def _line(one: Scored, name: str) -> dict[str, Value]:
    row = one.under[name]
    before, after = (one.attacked([name], after=after) for after in (False, True))
    return about(one) | {
        "attack": name,
        "title": title_of(name),
        "role": ROLES[row["role"]],
        "ra": None if before is None else Mean(before),
        "ra_after": after,
        "gain": None if (gain := one.gain([name])) is None else Difference(gain),
        "sa_after": None if (clean := _clean(row)) is None else Mean(clean),
        "edsr": one.edsr([name]),
        "missing": row.missing,
    }


def _clean(row: Answered) -> Summary | None:
    known = [sum(answer["sa_after"]) / len(answer["sa_after"]) for answer in row.results if answer is not None]
    return summarise(known) if known else None


def _offline_table(rows: Sequence[Answered], every: Sequence[Scored], notes: Sequence[str]) -> Table:
    names = list(dict.fromkeys(str(one.row["defence"]) for one in every))
    lines: list[dict[str, Value]] = []
    for (dataset,), _ in grouped(rows, "dataset").items():
        here = [one for one in every if one.row["dataset"] == dataset]
        for name in in_order(rows):
            known = [one for one in here if name in one.under]
            if not known:
                continue
            first: dict[str, Value] = about(known[0]) | {"attack": name, "title": title_of(name)}
            first["role"] = ROLES[known[0].under[name]["role"]]
            values = {f"ra_{one.row['defence']}": one.attacked([name], after=False) for one in known}
            lines.append(first | {key: None if value is None else Mean(value) for key, value in values.items()})
    columns = (
        *(DATASET, NETWORK, ATTACK, Column("title", "what it is", fold="empty", absent=""), ROLE),
        *(Column(f"ra_{name}", f"{name} %", Mean) for name in names),
        *(PROTOCOL, SCALE),
    )
    return Table("offline", OFFLINE, columns, lines, notes)


def each_figures(rows: Rows) -> dict[str, Bars]:
    """Return EDSR attack by attack, and accuracy on examples that were made on another network."""
    groups = grouped(rows["each-attack"], "dataset")

    def known(found: Sequence[Answered]) -> bool:
        return any(answer is not None for row in found for answer in row.results)

    return {
        **figures_of("each-attack", groups, known, _edsr_figure),
        **figures_of("offline", groups, known, _offline_figure),
    }


def _edsr_figure(rows: list[Answered]) -> Bars:
    robust = [one for one in scored(rows) if one.row["defence"] != NONE]
    return _bars("EDSR by attack", rows, robust, EDSR, lambda one, name: one.edsr([name]))


def _offline_figure(rows: list[Answered]) -> Bars:
    return _bars(OFFLINE, rows, scored(rows), ROBUST, lambda one, name: one.attacked([name], after=False))


def _bars(
    title: str,
    rows: list[Answered],
    shown: Sequence[Scored],
    measure: Measure,
    value: Callable[[Scored, str], Summary | None],
) -> Bars:
    """Return bars by attack, told by its number and what it is for, and defence."""
    bars = [
        Bar(f"{name.removeprefix('mad/')}\n{ROLES[one.under[name]['role']]}", str(one.row["defence"]), value(one, name))
        for name in in_order(rows)
        for one in shown
        if name in one.under
    ]
    return Bars(title, bars, mad_basis(rows), "attack", measure=measure)


SECTION = Section(
    "each-attack",
    each_rows,
    each_tables,
    each_figures,
    title=TITLE,
    question="Which attacks does a network withstand, and which does it adapt to?",
    reading="A gain by shots whose interval lies above 0 is adaptation; EDSR of 100 means that all is there again.",
)
