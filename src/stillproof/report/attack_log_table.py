"""BEARD's logs as a table: accuracies and times, and the scores that follow from them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from stillproof.core.errors import Unsupported
from stillproof.core.spec import Json
from stillproof.report.tables.table import Column, Seconds, Table, Value
from stillproof.score.robustness import attack_efficiency, crei, robustness_ratio

AIMS = ("targeted", "untargeted")
COLUMNS = (
    Column("method", "method", fold="same"),
    Column("dataset", "data set", fold="same"),
    Column("ipc", "ipc", int),
    Column("attack", "attack"),
    *(
        column
        for aim in AIMS
        for column in (Column(aim, f"{aim} %"), Column(f"{aim}_seconds", f"{aim}, time", Seconds))
    ),
)


def log_scores(logs: Sequence[Mapping[str, Any]], aim: str, left_out: Collection[str]) -> Json:
    """Return RR, AE and CREI of logs of one data set, pooled as BEARD does it; a ratio without meaning is null.

    Args:
        logs: Each has ``attacks``, the clean one first.
        aim: ``targeted`` or ``untargeted``.
        left_out: Attacks that have no such form.
    """
    clean = [log["attacks"][0][aim] for log in logs]
    attacked = [[one[aim] for one in log["attacks"][1:] if one["attack"] not in left_out] for log in logs]
    ratios: list[float | None] = []
    for place, ratio in enumerate((robustness_ratio, attack_efficiency)):
        before, after = [pair[place] for pair in clean], [[pair[place] for pair in pairs] for pairs in attacked]
        try:
            ratios.append(ratio(before, after) if all(after) else None)
        except Unsupported:  # a dash where it is shown
            ratios.append(None)
    rr, ae = ratios
    return {"rr": rr, "ae": ae, "crei": None if rr is None or ae is None else crei(rr, ae)}


def log_table(logs: Sequence[Mapping[str, Any]], scores: Mapping[str, Json]) -> Table:
    """Return one line per log and attack; scores are told below."""
    rows: list[dict[str, Value]] = []
    for log in logs:
        for one in log["attacks"]:
            row: dict[str, Value] = {key: log[key] for key in ("method", "dataset", "ipc")} | {"attack": one["attack"]}
            for aim in AIMS:
                row |= {aim: f"{100 * one[aim][0]:.2f}", f"{aim}_seconds": Seconds(one[aim][1])}
            rows.append(row)
    notes = [f"{name}: {_said(values)}" for name, values in scores.items()]
    return Table("logs", "Accuracies of BEARD's logs", COLUMNS, rows, notes)


def _said(values: Json) -> str:
    names = {"rr": "RR", "ae": "AE", "crei": "CREI"}
    told = [f"{names[key]} {'-' if value is None else f'{100 * value:.2f}'}" for key, value in values.items()]
    return ", ".join(told)
