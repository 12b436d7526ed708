"""Do networks that were trained on distilled sets adapt as well as one of all real images?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stillproof.report.rows import Rows
from stillproof.report.section import Section
from stillproof.report.tables.columns import DATASET, IPC, METHOD, NETWORK
from stillproof.report.tables.table import Column, Difference, OutOf, Table, Value
from stillproof.score.stats import Summary
from stillproof.suites.mad.arena import META, NONE, Arena, Defender
from stillproof.suites.mad.defence_scores import OWN, Scored, common_attacks, scored
from stillproof.suites.mad.report_parts import AFTER, RULES, about, defined_notes, notes_of, over_itself
from stillproof.suites.requests import Row

TITLE = "Networks of distilled sets before attacks"
COLUMNS = (
    *(DATASET, NETWORK, METHOD, IPC),
    Column("defence", "defence", absent="none"),
    Column("supports", "support sets", absent=""),
    Column("sa", "SA %", Summary),
    Column("sa_after", "SA* %", Summary),
    Column("ra", "RA unknown %", Summary),
    Column("ra_after", "RA* unknown %", Summary),
    Column("gain", "by shots, points", Difference),
    Column("beyond", "beyond all images", Difference),
    Column("edsr_unknown", "EDSR unknown", Summary),
    Column("over_itself", "over itself", Summary, "empty"),
    Column("of_itself", "over attacks", OutOf, fold="same"),
    *AFTER,
    *RULES,
)
SHARED_NOTE = (
    "All networks stand before the images that were made on the undefended network of all real images: EDSR is against "
    "that one, and over itself against the network before its shots."
)
OWN_NOTE = (
    "Networks of distilled sets stand before images that were made on them, undefended, and EDSR is against these: "
    "each has an opponent of its own."
)
NOTE = (
    "By shots: RA* less RA; beyond all images: how much more that is than with the network of all real images and the "
    "same defence, from attacked images, shot by shot the same ones; above or below 0 where a network adapts better or "
    "worse than that one. Meta-AT goes on from the network of its own line "
    "without a defence. Where its support sets are distilled, as many images stand for all attacked ones of a class; "
    "they have no clean source, so that the term which compares answers is left out for them; queries are as ever."
)


def distilled_rows(arena: Arena) -> Iterator[Row]:
    """Yield networks of all real images and of each distilled set, as they are and after Meta-AT."""
    victims = [Defender(NONE)]
    victims += [
        Defender(NONE, method=method, ipc=ipc)
        for method, ipc in arena.builder.asked(arena.suite.methods, arena.suite.ipc)
    ]
    taught = [Defender(META, method=one.method, ipc=one.ipc, start=NONE) for one in victims]
    if not arena.suite.attacked_sets:
        taught += [Defender(META, start=NONE, supports=method) for method in arena.suite.support_methods]
    yield from arena.adapting("distilled", [*victims, *taught], arena.there())


def distilled_tables(rows: Rows) -> list[Table]:
    """Return one line per set and defence."""
    found = rows["distilled"]
    own = any(row["made_on"] == OWN for row in found)
    every = scored(found)
    shared = common_attacks(every)
    real = {_told(one): one for one in every if one.row["ipc"] is None and not one.row["supports"]}
    lines = [_line(one, real[_told(one)], shared["unknown"]) for one in every]
    notes = [OWN_NOTE if own else SHARED_NOTE, NOTE, *defined_notes(every, shared), *notes_of(found)]
    return [Table("distilled", TITLE, COLUMNS, lines, notes)]


def _told(one: Scored) -> tuple[str, str]:
    """Return what tells the network of all real images that another one is compared with."""
    return str(one.row["dataset"]), str(one.row["defence"])


def _line(one: Scored, real: Scored, shared: Sequence[str]) -> dict[str, Value]:
    """Return what came of one network, beside that of all real images with the same defence."""
    unknown = one.attacks("unknown")
    gain, beyond = one.gain(unknown), None if one is real else one.gain_beyond(real, unknown)
    return about(one) | {
        "supports": one.row["supports"] or ("attacked images" if one.row["defence"] == META else None),
        "sa": one.clean(after=False),
        "sa_after": one.clean(after=True),
        "ra": one.attacked(unknown, after=False),
        "ra_after": one.attacked(unknown, after=True),
        "gain": None if gain is None else Difference(gain),
        "beyond": None if beyond is None else Difference(beyond),
        "edsr_unknown": one.edsr(shared),
        **over_itself(one),
    }


SECTION = Section(
    "distilled",
    distilled_rows,
    distilled_tables,
    title=TITLE,
    question="Does a network that was trained on a distilled set adapt as well as one of all real images?",
    reading="A network of a distilled set adapts as well as one of all images where the interval of `beyond all "
    "images` has 0 in it or lies above: look at RA* too, since from a higher start there is less to gain.",
)
