"""Columns of metrics that plug-ins bring: a table that has the evidence for one shows it, with no edit there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stillproof.core.components import metrics
from stillproof.core.errors import PluginError
from stillproof.report.tables.table import Column, Value
from stillproof.score.metric import Metric
from stillproof.score.stats import Summary


def added_metrics(takes: type) -> dict[str, Metric[Any]]:
    """Return the metrics of plug-ins that take such evidence, by name."""
    names = [name for name, entry in metrics.entries().items() if entry.origin != "stillproof"]
    return {name: metrics.build(name) for name in names if getattr(metrics.get(name), "takes", None) is takes}


def metric_columns(added: Mapping[str, Metric[Any]]) -> list[Column]:
    """Return one column for each, which is left out where nothing has a value."""
    return [Column(_key(name), metric.title, Summary, fold="empty") for name, metric in added.items()]


def metric_values(added: Mapping[str, Metric[Any]], evidence: Sequence[Any]) -> dict[str, Value]:
    """Return the value of each over seeds.

    Raises:
        PluginError: One of them failed, or gave what is no number.
    """
    return {_key(name): _over_seeds(name, metric, evidence) for name, metric in added.items()}


def metric_titles(takes: type) -> dict[str, str]:
    """Return what the metrics of plug-ins that take such evidence are called, by the keys of their columns."""
    return {_key(name): metric.title for name, metric in added_metrics(takes).items()}


def metric_numbers(takes: type, evidence: Any) -> dict[str, float | None]:
    """Return what each of them gives for one piece of evidence, by the same keys.

    Raises:
        PluginError: One of them failed, or gave what is no number.
    """
    found = {_key(name): _over_seeds(name, metric, [evidence]) for name, metric in added_metrics(takes).items()}
    return {key: None if summary is None else summary.mean for key, summary in found.items()}


def _over_seeds(name: str, metric: Metric[Any], evidence: Sequence[Any]) -> Summary | None:
    try:
        return metric.over_seeds(evidence)
    except Exception as error:  # a stranger's component may raise anything
        raise PluginError(f"metric {name!r} failed: {error!r}; without its plug-in the table can be shown.") from error


def _key(name: str) -> str:
    return f"metric_{name.replace('-', '_')}"  # no column of ours begins like this
