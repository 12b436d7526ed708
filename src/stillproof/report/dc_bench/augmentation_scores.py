"""One line per method: without augmentation, the average over augmentations, and the one that was chosen as best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stillproof.report.answers import Answered
from stillproof.report.captions import CHOSEN_ON
from stillproof.report.dc_bench.published import published_average, published_beside
from stillproof.report.dc_bench.published_values import AUGMENTATIONS, PER_BATCH
from stillproof.report.published import Published
from stillproof.report.rows import complete, grouped, images, missing_notes
from stillproof.report.tables.beside_published import published_notes
from stillproof.report.tables.columns import BEFORE, RULES, about
from stillproof.report.tables.table import Column, Table, Value
from stillproof.score.stats import Summary, summarise_accuracies

NONE = "none"
OWN_RECIPE = "own recipe"  # in place of an augmentation: how a set's author trains on it
COLUMNS = (
    *BEFORE,
    Column("none", "none %", Summary),
    Column("average", "average %", Summary),
    Column("published_average", "published average %", Published, fold="empty"),
    Column("best", "best %", Summary),
    Column("published_best", "published best %", Published, fold="empty"),
    Column("best_augmentation", "best augmentation"),
    Column("chosen_on", "best chosen on", fold="same"),
    *RULES[1:],
)
DEFINITION = (
    "average and best are over all augmentations except none; the average is taken seed by seed, over seeds that have "
    "an answer under every augmentation."
)
FAITHFUL = "Under faithful, the average is over only the four augmentations of the original, if they were asked for."


@dataclass(frozen=True, slots=True)
class Best:
    """The augmentation that was chosen, or why none was; ``tied`` are others that did as well."""

    name: str | None
    reason: str = ""
    tied: Sequence[str] = ()


def scores_table(rows: Sequence[Answered], choices: Sequence[Answered]) -> Table:
    """Return the scores; ``choices`` are the trainings that the best augmentation is chosen by."""
    lines: list[dict[str, Value]] = []
    notes = [DEFINITION]
    chosen_by = grouped(choices, "dataset", "network", "method", "ipc")
    for key, group in grouped(rows, "dataset", "network", "method", "ipc").items():
        oracle = group[0]["protocol"] == "faithful"
        named = {row["augmentation"]: row for row in group}
        others = {name: row for name, row in named.items() if name not in (NONE, OWN_RECIPE)}
        judged = others if oracle else {row["augmentation"]: row for row in chosen_by.get(key, [])}
        best = _best(list(others), judged, "accuracy" if oracle else "heldout_accuracy")
        averaged = [row for name, row in others.items() if not oracle or _is_published(name)]
        scores = {
            "none": named[NONE].summary() if NONE in named else None,
            "average": _average(averaged),
            "published_average": published_average(averaged),
            "best": others[best.name].summary() if best.name else None,
            "published_best": published_beside(group[0]),
            "best_augmentation": best.name,
            "chosen_on": CHOSEN_ON["oracle" if oracle else "heldout"],
        }
        lines.append(about(group[0]) | scores)
        notes += _remarks(best, f"{group[0]['method']}, {images(group[0]['ipc'])}")
    if any(row["protocol"] == "faithful" for row in rows):
        notes.insert(1, FAITHFUL)
    notes += [*published_notes(lines), *missing_notes([*rows, *choices])]
    return Table("augmentation-scores", "Scores over augmentations", COLUMNS, lines, notes)


def _is_published(augmentation: str) -> bool:
    return augmentation.removesuffix(PER_BATCH) in AUGMENTATIONS


def _average(rows: Sequence[Answered]) -> Summary | None:
    if not rows:
        return None
    means = [math.fsum(seed) / len(seed) for seed in complete(*(row.values() for row in rows))]
    return summarise_accuracies(means, rows[0].counted()) if means else None


def _best(names: Sequence[str], judged: Mapping[str, Answered], score: str) -> Best:
    """Choose by the mean over those seeds that have a score for every augmentation."""
    if not names:
        return Best(None, "no augmentation was asked for")
    absent = [name for name in names if name not in judged or judged[name].summary(score) is None]
    if absent:
        return Best(None, f"no answer to choose by for {', '.join(absent)}")
    seeds = complete(*(judged[name].values(score) for name in names))
    if not seeds:
        return Best(None, "no seed has an answer to choose by for every augmentation")
    means = [round(math.fsum(column) / len(seeds), 12) for column in zip(*seeds, strict=True)]
    winners = [name for name, mean in zip(names, means, strict=True) if mean == max(means)]
    return Best(winners[0], tied=winners[1:])


def _remarks(best: Best, whose: str) -> list[str]:
    if best.name is None:
        return [f"No best augmentation of {whose}: {best.reason}."]
    return [f"Best of {whose}: {', '.join(best.tied)} as good as {best.name}, which comes first."] if best.tied else []
