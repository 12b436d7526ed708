"""How much accuracy do attacks leave, and at what cost? Robustness ratio, attack efficiency and CREI, and their rows.

Single attacks and leaderboards have files of their own, and so have the figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from stillproof.report.rows import Rows, missing_notes
from stillproof.report.section import Section
from stillproof.report.tables.beside_published import published_notes
from stillproof.report.tables.columns import DATASET, METHOD, MISSING, NETWORK, RULES_OF_OWN_RECIPES
from stillproof.report.tables.metric_columns import added_metrics, metric_columns, metric_values
from stillproof.report.tables.table import Column, Mean, Number, Table, Value
from stillproof.score.metric import UnderAttack
from stillproof.score.stats import Summary
from stillproof.suites.beard.balls import ball_for
from stillproof.suites.beard.leaderboards import leaderboard_tables
from stillproof.suites.beard.method_scores import ALPHAS, Assessed, assessed
from stillproof.suites.beard.published import PUBLISHED_CREI, published_crei
from stillproof.suites.beard.robust_numbers import (
    ALARM_NOTE,
    ALARMS,
    CLEAN,
    DEFENCE,
    IMAGES,
    MODE,
    SIZES,
    about,
    alarms_on,
    time_notes,
    warned_notes,
    without_interval,
)
from stillproof.suites.beard.score_figures import OVER_WEIGHT, score_figures
from stillproof.suites.beard.single_attacks import single_attack_table
from stillproof.suites.beard.victims import MODES, Mode, Victim, Victims
from stillproof.suites.requests import Request, Row

QUESTION = "How much accuracy do attacks leave, and what do they cost?"
SCORES = (
    CLEAN,
    Column("under_attack", "mean under attack %", Mean),
    Column("worst", "worst case %", Summary),
    Column("milliseconds", "mean ms per image", Number),
    Column("rr", "RR", Summary),
    Column("ae", "AE", Mean),
    Column("ae_passes", "AE, passes", Mean),
    Column("crei", "CREI", Summary),
)
BEFORE = (DATASET, NETWORK, METHOD, SIZES, DEFENCE, MODE)
AFTER = (PUBLISHED_CREI, ALARMS, IMAGES, MISSING, *RULES_OF_OWN_RECIPES)
NOTES = (
    "RR = 1 - (clean - mean under attack) / (clean - lowest under attack): 0 if every attack does what the worst does. "
    "AE = (mean time of attacks - clean time) / (longest - clean time); in passes: to the first success, with 1 for a "
    "clean prediction, which is the same on every machine. CREI: half of each. All from 0 to 100, seed by seed, by the "
    "published formulas on accuracies; pooled: the mean of clean accuracies, and all attacks of all sizes together. A "
    "seed whose attacks take nothing away has no RR, and an attack that turns no image has no passes to a success: the "
    "means are over the others. Their intervals know nothing of 0 and 100, and AE, made of times, has Student's over "
    "seeds alone.",
    "RR compares a method with its own worst attack: a model of which every attack leaves nothing has RR 0, and so has "
    "one of which every attack leaves half. Read it beside the worst case, and the curves.",
)
ALPHA_COLUMNS = (
    *(DATASET, NETWORK, METHOD, SIZES, MODE),
    *(Column(f"crei_{alpha}", f"{alpha:g}", Mean) for alpha in ALPHAS),
    *(ALARMS, IMAGES),
    *RULES_OF_OWN_RECIPES,
)
ALPHA_NOTE = "One column per weight of RR: at weight 1 CREI is RR, at weight 0 it is AE. Intervals are in the figure."


def score_rows(victims: Victims) -> Iterator[Row]:
    """Yield the rows of all models without a defence."""
    return attacked_rows("scores", victims, victims.undefended())


def attacked_rows(section: str, victims: Victims, asked: Iterable[Victim]) -> Iterator[Row]:
    """Yield, for each model and mode, accuracies and times of every attack, and the worst case over all of them."""
    suite = victims.suite
    for victim in asked:
        for mode in MODES:
            attacks = suite.attacks if mode == "untargeted" else suite.targeted_attacks
            under = _Under(victims, victim, mode, attacks)
            for attack in attacks:
                keys = {"attack": attack, "mode": mode}
                yield victims.row(section, victim, partial(under.judged, attack), measure="accuracy", **keys)
                if suite.timed:
                    yield victims.row(section, victim, partial(under.timed, attack), measure="time", **keys)
            if attacks:
                yield victims.row(section, victim, under.worst, measure="worst", mode=mode)


@dataclass(frozen=True)
class _Under:
    """What is asked of one model under the attacks of one mode; the last argument of each question is the seed."""

    victims: Victims
    victim: Victim
    mode: Mode
    attacks: Sequence[str]

    def judged(self, attack: str, seed: int) -> Request:
        """Ask for an attack; changes of one without a ball may count only within that of its norm."""
        made = self.victims.attack(self.victim, attack, self.mode, seed)
        suite = self.victims.suite
        ball = ball_for(attack, suite.radii) if suite.asks.judged_within else None
        return made if ball is None else Request("within", of=made, norm=ball[0], eps=ball[1])

    def timed(self, attack: str, seed: int) -> Request:
        """Ask for the time of an attack."""
        made = self.victims.attack(self.victim, attack, self.mode, seed)
        return Request("attack-time", of=made, first=self.victims.suite.timed)

    def worst(self, seed: int) -> Request:
        """Ask for the images that withstand all attacks."""
        return Request("worst-case", of=[self.judged(attack, seed) for attack in self.attacks])


def score_tables(rows: Rows) -> list[Table]:
    """Return the scores, single attacks, CREI over its weight, and the leaderboards."""
    found = assessed(rows["scores"])
    return [
        scores_table("scores", QUESTION, found, rows),
        single_attack_table(found, rows),
        _alpha_table(found, rows),
        *leaderboard_tables(found, rows),
    ]


def scores_table(name: str, title: str, found: Sequence[Assessed], rows: Rows) -> Table:
    """Return one line per method, size, defence and mode."""
    added = added_metrics(UnderAttack)
    lines = [_line(one, rows) | metric_values(added, one.evidence()) for one in found]
    behind = list({id(row): row for one in found for row in one.rows()}.values())
    notes = [*NOTES, ALARM_NOTE, *time_notes(found), *published_notes(lines), *warned_notes(behind)]
    notes += missing_notes(behind)
    return Table(name, title, (*BEFORE, *SCORES, *metric_columns(added), *AFTER), lines, notes)


def _line(one: Assessed, rows: Rows) -> dict[str, Value]:
    return about(one.row) | {
        "sizes": one.sizes,
        "clean": one.score("clean-accuracy"),
        "under_attack": without_interval(one.score("mean-robust-accuracy")),
        "worst": one.score("worst-case-accuracy"),
        "milliseconds": None if (time := one.milliseconds()) is None else Number(time.mean),
        "rr": one.score("rr"),
        "ae": without_interval(one.score("ae")),
        "ae_passes": without_interval(one.score("ae-passes")),
        "crei": one.crei(),
        "published_crei": published_crei(one),
        "alarms": alarms_on(rows, one.rows()),
        "missing": sum(row.missing for row in one.rows()),
    }


def _alpha_table(found: Sequence[Assessed], rows: Rows) -> Table:
    """Return CREI over its weight, with one line per method, size and mode."""
    lines: list[dict[str, Value]] = []
    for one in found:
        means: dict[str, Value] = {f"crei_{alpha}": without_interval(one.crei(alpha)) for alpha in ALPHAS}
        lines.append(about(one.row) | means | {"sizes": one.sizes, "alarms": alarms_on(rows, one.rows())})
    return Table("alpha", OVER_WEIGHT, ALPHA_COLUMNS, lines, [ALPHA_NOTE, *time_notes(found)])


SECTION = Section(
    "scores",
    score_rows,
    score_tables,
    score_figures,
    title="Robustness ratio, attack efficiency and CREI",
    question=QUESTION,
    reading="RR is how much better attacks go on average than the worst of them, AE how much of the longest attack's "
    "time the average one takes, and CREI half of each: read them beside the worst case.",
)
