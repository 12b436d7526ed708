"""BEARD's logs as a table: accuracies and times, and the scores that follow from them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from stillproof.core.components import metrics
from stillproof.core.spec import Json
from stillproof.report.attack_table import percent
from stillproof.report.tables.metric_columns import metric_numbers, metric_titles
from stillproof.report.tables.table import Column, Percent, Seconds, Table, Value
from stillproof.report.tables.text import text_of
from stillproof.score.metric import AttackedModel, AttackOutcome, Metric, UnderAttack

AIMS = ("targeted", "untargeted")
COLUMNS = (
    Column("method", "method", fold="same"),
    Column("dataset", "data set", fold="same"),
    Column("ipc", "ipc", int),
    Column("attack", "attack"),
    *(
        column
        for aim in AIMS
        for column in (Column(aim, f"{aim} %", Percent), Column(f"{aim}_seconds", f"{aim}, time", Seconds))
    ),
)


def log_scores(logs: Sequence[Mapping[str, Any]], aim: str, left_out: Collection[str]) -> Json:
    """Return RR, AE and CREI of logs of one data set, pooled as BEARD does it, and what metrics of plug-ins give.

    A ratio without meaning is null.

    Args:
        logs: Each has ``attacks``, the clean one first.
        aim: ``targeted`` or ``untargeted``.
        left_out: Attacks that have no such form.
    """
    evidence = UnderAttack([_attacked(log["attacks"], aim, left_out) for log in logs])
    scores: dict[str, Metric[UnderAttack]] = {name: metrics.build(name) for name in ("rr", "ae", "crei")}
    found = {name: metric.value_or_none(evidence) for name, metric in scores.items()}
    return found | metric_numbers(UnderAttack, evidence)


def _attacked(told: Sequence[Mapping[str, Any]], aim: str, left_out: Collection[str]) -> AttackedModel:
    """Return the model of a log, whose pairs are accuracy and seconds; the first is that without an attack."""
    clean, *others = told
    made = [one[aim] for one in others if one["attack"] not in left_out]  # two may have the same name
    attacks = {str(place): AttackOutcome(accuracy, seconds=seconds) for place, (accuracy, seconds) in enumerate(made)}
    return AttackedModel(clean[aim][0], attacks, clean_seconds=clean[aim][1])


def log_table(logs: Sequence[Mapping[str, Any]], scores: Mapping[str, Json]) -> Table:
    """Return one line per log and attack; scores are told below."""
    rows: list[dict[str, Value]] = []
    for log in logs:
        for one in log["attacks"]:
            row: dict[str, Value] = {key: log[key] for key in ("method", "dataset", "ipc")} | {"attack": one["attack"]}
            for aim in AIMS:
                row |= {aim: percent(one[aim][0]), f"{aim}_seconds": Seconds(one[aim][1])}
            rows.append(row)
    notes = [f"{name}: {_said(values)}" for name, values in scores.items()]
    return Table("logs", "Accuracies of BEARD's logs", COLUMNS, rows, notes)


def _said(values: Json) -> str:
    names = {"rr": "RR", "ae": "AE", "crei": "CREI"}
    names |= {key: title for key, title in metric_titles(UnderAttack).items() if values.get(key) is not None}
    return ", ".join(f"{name} {text_of(percent(values[key]))}" for key, name in names.items())
