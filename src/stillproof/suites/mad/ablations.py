"""What Meta-AT owes to its parts: ways, step sizes, tricks, orders of the gradient, patience, backbones."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from stillproof.report.answers import Answered
from stillproof.report.figures.values import Curves
from stillproof.report.published import Published
from stillproof.report.rows import Rows
from stillproof.report.section import Section
from stillproof.report.tables.beside_published import published_notes
from stillproof.report.tables.columns import DATASET, NETWORK
from stillproof.report.tables.table import Column, Seconds, Table, Value
from stillproof.score.stats import Summary
from stillproof.suites.mad.arena import META, NONE, Arena, Defender
from stillproof.suites.mad.defence_scores import OF_DEFENDER, Scored, common_attacks, scored
from stillproof.suites.mad.defences import STRONG, strong_rows, under_strong
from stillproof.suites.mad.published import published_ablation
from stillproof.suites.mad.report_parts import AFTER, RULES, about, defined_notes, notes_of
from stillproof.suites.mad.steps import steps_figures
from stillproof.suites.mad.variants import named
from stillproof.suites.requests import Row

TITLE = "Meta-AT with other parts"
USUAL, WAYS, BACKBONE = "as it is", "ways", "backbone"
UNDER_STRONG = (USUAL, "tricks")  # what the paper's Table 5 has AA of
COLUMNS = (
    *(DATASET, NETWORK),
    Column("part", "part"),
    Column("variant", "changed", absent=USUAL),
    Column("sa_after", "SA* %", Summary),
    Column("ra", "RA unknown %", Summary),
    Column("ra_after", "RA* unknown %", Summary),
    Column("edsr_unknown", "EDSR unknown", Summary),
    Column("edsr_all", "EDSR all", Summary),
    Column("aa", "AA %", Summary, fold="empty"),
    Column("published_sa", "published SA*", Published, fold="empty"),
    Column("published_edsr", "published EDSR", Published, fold="empty"),
    Column("published_aa", "published AA", Published, fold="empty"),
    Column("seconds", "training", Seconds),
    *AFTER,
    *RULES,
)
NOTE = (
    "Each line changes what it says of the suite's Meta-AT, in training and in the steps on the shots, and nothing "
    "else; EDSR is against the undefended network, whose images other backbones meet too (in the paper AlexNet has "
    "images of its own). AA: under AutoAttack, before any shots. "
    "training: seconds of the episodes alone, without the network that they start from, measured beside other cells."
)


def ablation_rows(arena: Arena) -> Iterator[Row]:
    """Yield each variant before each attack, with the victim, which scores are measured against."""
    yield from arena.adapting("ablations", [Defender(NONE)], arena.there())
    usual = Defender(META)
    for part, one in [(USUAL, usual), *_variants(arena)]:
        for row in arena.adapting("ablations", [one], arena.there()):
            yield Row({**row.keys, "part": part}, row.requests)
        yield arena.row("ablations", one, partial(arena.model, one), measure="train", part=part)
        if part in UNDER_STRONG:
            yield from (row for row in strong_rows(arena, "ablations", [one]) if row.keys["measure"] == STRONG)
    yield from _left_out(arena)


def _variants(arena: Arena) -> Iterator[tuple[str, Defender]]:
    suite, known = arena.suite, len(arena.of_role("train"))
    for part, changes in suite.changes.values():
        yield part, Defender(META, changes)
    for ways in suite.ways:
        if ways <= known:
            yield WAYS, Defender(META, f"ways={ways}")
    for network in suite.backbones:
        yield BACKBONE, Defender(META, network=network)


def _left_out(arena: Arena) -> Iterator[Row]:
    """Yield a row for each number of ways that there are too few attacks for."""
    known = len(arena.of_role("train"))
    for ways in arena.suite.ways:
        if ways > known:
            one = Defender(META, f"ways={ways}")
            row = arena.row("ablations", one, partial(arena.model, one), measure="train", part=WAYS)
            reason = f"ways = {ways} is left out: there are {known} attacks to learn from."
            yield Row(row.keys, (), reason=reason)


def ablation_tables(rows: Rows) -> list[Table]:
    """Return one line per variant."""
    found = rows["ablations"]
    lines: list[dict[str, Value]] = []
    every = [one for one in scored(found) if one.row["defence"] == META]
    shared = common_attacks(every)
    for one in every:
        unknown = one.attacks("unknown")
        lines.append(
            about(one)
            | {
                "part": one.row["part"],
                "variant": named(str(one.row["variant"])) or None,
                "sa_after": one.clean(after=True),
                "ra": one.attacked(unknown, after=False),
                "ra_after": one.attacked(unknown, after=True),
                "edsr_unknown": one.edsr(shared["unknown"]),
                "edsr_all": one.edsr(shared["all"]),
                "aa": under_strong(one, found, STRONG),
                **{f"published_{key}": value for key, value in published_ablation(one).items()},
                "seconds": _seconds(rows, one.row),
            }
        )
    notes = [NOTE, *defined_notes(every, shared), *published_notes(lines), *notes_of(found)]
    return [Table("ablations", TITLE, COLUMNS, lines, notes)]


def _seconds(rows: Rows, of: Answered) -> Seconds | None:
    training = [row for row in rows["ablations"] if row["measure"] == "train"]
    trained = [row for row in training if all(row[key] == of[key] for key in OF_DEFENDER)]
    mean = trained[0].mean_of_all("seconds") if trained else None
    return None if mean is None else Seconds(mean)


def ablation_figures(rows: Rows) -> dict[str, Curves]:
    """Return one figure per data set: accuracy under unknown attacks over the steps, with other parts."""
    title = f"{TITLE}: accuracy under unknown attacks over adaptation"
    return steps_figures("ablation-steps", title, rows["ablations"], lambda one: one.row["defence"] == META, _changed)


def _changed(one: Scored) -> str:
    """Return what a line of a figure is called."""
    return str(one.row["network"]) if one.row["part"] == BACKBONE else named(str(one.row["variant"])) or USUAL


SECTION = Section(
    "ablations",
    ablation_rows,
    ablation_tables,
    ablation_figures,
    title=TITLE,
    question="Which parts of Meta-AT make it adapt?",
    reading="Lines whose intervals overlap with the first cannot be told apart from it.",
)
