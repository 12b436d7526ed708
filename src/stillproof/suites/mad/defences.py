"""Which defence withstands attacks, and which adapts to unknown ones? Before their shots, and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from stillproof.report.answers import Answered
from stillproof.report.figures.values import Curves
from stillproof.report.published import Published
from stillproof.report.rows import Rows
from stillproof.report.section import Section
from stillproof.report.tables.beside_published import published_notes
from stillproof.report.tables.columns import DATASET, NETWORK
from stillproof.report.tables.table import Column, OutOf, Table, Value
from stillproof.score.stats import Summary
from stillproof.suites.mad.arena import NONE, Arena, Defender
from stillproof.suites.mad.defence_scores import GROUPS, OF_DEFENDER, Scored, common_attacks, scored, single
from stillproof.suites.mad.known_attacks import KnownAttack
from stillproof.suites.mad.published import PUBLISHED, published_of
from stillproof.suites.mad.report_parts import AFTER, RULES, about, defined_notes, notes_of, over_itself
from stillproof.suites.mad.steps import steps_figures
from stillproof.suites.requests import Request, Row

STRONG = "aa"  # what rows of networks before AutoAttack measure
TITLE = "Before and after a few examples of an attack"
BEFORE_TITLE = "Networks as they are"
DEFENCE = Column("defence", "defence")
START = Column("start", "Meta-AT starts from", fold="same", absent="")
SCORES = (
    *(DATASET, NETWORK, DEFENCE, START),
    *(Column(f"edsr_{name}", name, Summary) for name in GROUPS),
    Column("published_edsr", "published", Published, "empty"),
    Column("dsr_unknown", "unknown, DSR", Summary),
    Column("over_itself", "unknown, over itself", Summary, "empty"),
    Column("of_itself", "over attacks", OutOf, "same"),
    *AFTER,
    *RULES,
)
EDSR_NOTE = (
    "EDSR = (RA* - RA) / (SA - RA + SA - SA*), from -100 up: the mean over attacks, with SA and RA of the undefended "
    "network; 'over itself' with those of the defence before its shots. It is above 100 where more comes back than was "
    "lost. Where an attack takes no more away than clean images gain there is none: means are over those attacks of "
    "which all lines have one, those over itself over those of its own. DSR leaves out what was lost on clean images, "
    "SA - SA*, as the paper does for R-YOPO and R-ATTA, which get no shots."
)
NOTES = (
    "SA: accuracy on clean images, RA: on attacked ones, AA: under AutoAttack in 8/255; with a star after the shots, "
    "on average over all attacks, each of which gives shots of its own; AA* after those of one attack.",
    "Intervals: of several seeds over these, of a single seed over its episodes (what depends on the shots), or over "
    "the test images where that is wider and the score is defined throughout. All are on the same images. The network "
    "without a defence is one for all seeds.",
)


def defenders(arena: Arena) -> list[Defender]:
    """Return the networks that are compared: the victim first."""
    return [Defender(NONE), *(Defender(name) for name in arena.suite.defences if name != NONE)]


def defence_rows(arena: Arena) -> Iterator[Row]:
    """Yield each network before each attack, and before AutoAttack with and without shots."""
    yield from arena.adapting("defences", defenders(arena), arena.there())
    yield from strong_rows(arena, "defences", defenders(arena))


def strong_rows(arena: Arena, section: str, which: Sequence[Defender]) -> Iterator[Row]:
    """Yield each network before AutoAttack, and after the shots of one attack."""
    unknown = arena.of_role("test")
    if not arena.suite.strong or not unknown:
        return
    for one in which:
        ask = partial(_strong, arena, one, unknown[0])
        yield arena.row(section, one, partial(ask, adapted=False), measure=STRONG)
        if arena.adapts(one):
            yield arena.row(section, one, partial(ask, adapted=True), measure="aa-after", attack=unknown[0].called)


def _strong(arena: Arena, one: Defender, unknown: KnownAttack, seed: int, *, adapted: bool) -> Request:
    """Ask for AutoAttack on a network, or on what has adapted to an unknown attack, on images nobody learned from."""
    model = arena.adapt(one, unknown, seed) if adapted else arena.model(one, seed)
    suite = arena.suite
    of = Request(
        "attack",
        model=model,
        dataset=arena.dataset,
        attack=suite.strong,
        limit=suite.strong_limit or None,
        seed=seed,
    )
    return of if suite.asks.is_oracle else Request("attack-others", of=of, attacked=arena.attacked(unknown))


def defence_tables(rows: Rows) -> list[Table]:
    """Return what networks are as they are, and what they are after their shots."""
    found = rows["defences"]
    every = scored(found)
    notes = notes_of(found)
    before, after = ([_line(each, found, after=after) for each in every] for after in (False, True))
    shots = dict.fromkeys(row["attack"] for row in found if row["measure"] == "aa-after")
    strong = [f"AA* is after the shots of {name}." for name in shots]
    shared = common_attacks(every)
    scores = [_scores(each, shared) for each in every]
    return [
        Table("defences", BEFORE_TITLE, _columns(after=False), before, [*NOTES, *published_notes(before), *notes]),
        Table("adapted", TITLE, _columns(after=True), after, [*NOTES, *strong, *published_notes(after), *notes]),
        Table(
            "edsr", "EDSR", SCORES, scores, [EDSR_NOTE, *defined_notes(every, shared), *published_notes(scores), *notes]
        ),
    ]


def _columns(*, after: bool) -> tuple[Column, ...]:
    star = "*" if after else ""
    return (
        *(DATASET, NETWORK, DEFENCE, START),
        Column("sa", f"SA{star} %", Summary),
        *(Column(f"ra_{name}", f"RA{star} {name} %", Summary) for name in GROUPS),
        Column("aa", f"AA{star} %", Summary, "empty"),
        *(Column(f"published_{key}", f"published {name}{star}", Published, "empty") for key, name in PUBLISHED.items()),
        *AFTER,
        *RULES,
    )


def _line(one: Scored, rows: Sequence[Answered], *, after: bool) -> dict[str, Value]:
    line: dict[str, Value] = about(one) | {"sa": one.clean(after=after)}
    line |= {f"ra_{name}": one.attacked(one.attacks(name), after=after) for name in GROUPS}
    line["aa"] = under_strong(one, rows, "aa-after" if after else STRONG)
    published = published_of(one, after=after)
    return line | {f"published_{key}": published[key] for key in PUBLISHED}


def _scores(one: Scored, shared: Mapping[str, Sequence[str]]) -> dict[str, Value]:
    line = about(one) | {f"edsr_{name}": one.edsr(shared[name]) for name in GROUPS}
    line["dsr_unknown"] = one.edsr(shared["unknown"], alpha=0.0)
    line["published_edsr"] = published_of(one, after=True)["edsr"]
    return line | over_itself(one)


def under_strong(one: Scored, rows: Sequence[Answered], measure: str) -> Summary | None:
    """Return the accuracy under AutoAttack, of rows with that measure."""
    same = [r for r in rows if r["measure"] == measure and all(r[key] == one.row[key] for key in OF_DEFENDER)]
    found = same[0].summary("robust-accuracy") if same else None
    if found is None or not one.is_victim or measure == "aa-after":
        return found
    return single(found.mean)  # all seeds have one


def defence_figures(rows: Rows) -> dict[str, Curves]:
    """Return one figure per data set: accuracy under unknown attacks over the steps of adaptation."""
    title = "Accuracy under unknown attacks over adaptation"
    return steps_figures("steps", title, rows["defences"], lambda one: True, lambda one: str(one.row["defence"]))


SECTION = Section(
    "defences",
    defence_rows,
    defence_tables,
    defence_figures,
    title=TITLE,
    question="Which defence withstands attacks, which adapts to unknown ones, and at what cost on clean images?",
    reading="Read EDSR beside SA* and RA*: a defence that adapts gains from RA to RA* on unknown attacks, and keeps "
    "SA*.",
)
