"""The contract of a metric."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from stillproof.core.components import metrics
from stillproof.core.errors import Unsupported
from stillproof.score.metric import (
    AttackedModel,
    AttackOutcome,
    AugmentationSides,
    LabelSides,
    Metric,
    StoredAnswer,
    UnderAttack,
)
from stillproof.score.stats import Summary
from stillproof.testing.checks import Result, need, run_checks
from stillproof.testing.choices import TITLE, try_every_choice

RESULT = {"accuracy": 0.5, "n_test": 100, "robust_accuracy": 0.25, "n": 100, "area": 0.4, "coverage": 0.3, "real": 50}
ATTACKS = {"fgsm": AttackOutcome(0.25, 2.0, 3.0), "pgd": AttackOutcome(0.125, 12.0, 20.0)}
MODEL = AttackedModel(0.5, ATTACKS, clean_seconds=1.0, worst_case=0.125, images=100)
EVIDENCE: dict[type, Any] = {
    StoredAnswer: StoredAnswer(RESULT),
    UnderAttack: UnderAttack([MODEL, MODEL]),
    LabelSides: LabelSides(0.9, 0.5, 0.6, 0.4, images=100),
    AugmentationSides: AugmentationSides(0.6, 0.5, 0.5, 0.45, images=100),
}
EMPTY: dict[type, Any] = {
    StoredAnswer: StoredAnswer({}),
    UnderAttack: UnderAttack([AttackedModel(None, {})]),
    LabelSides: LabelSides(),
    AugmentationSides: AugmentationSides(),
}


def check_metric(name: str) -> list[Result]:
    """Run the contract on made-up evidence."""
    return run_checks(
        "metric",
        name,
        {
            "is a frozen dataclass below Metric, with a title and what it takes": lambda: _is_metric(name),
            "gives a number, or says why there is none": lambda: _gives_a_number(name),
            "says that it is not defined where everything is missing": lambda: _knows_nothing(name),
            "summarises seeds around their mean": lambda: _summarises(name),
            "its interval over test images, if it has one, holds its number": lambda: _holds_its_number(name),
            TITLE: lambda: try_every_choice(metrics, name, lambda choice: _value_with(name, choice)),
        },
    )


def _is_metric(name: str) -> None:
    cls: Any = metrics.get(name)
    need(issubclass(cls, Metric), f"{cls.__name__} is not a subclass of stillproof.plugin.Metric")
    frozen = dataclasses.is_dataclass(cls) and vars(cls)["__dataclass_params__"].frozen
    need(frozen, f"{cls.__name__} is not a frozen dataclass")
    need(bool(getattr(cls, "title", "")), "it has no title")
    known = ", ".join(kind.__name__ for kind in EVIDENCE)
    need(getattr(cls, "takes", None) in EVIDENCE, f"takes must be one of {known}")


def _gives_a_number(name: str) -> None:
    metric = metrics.build(name)
    try:
        found = metric.value(EVIDENCE[metric.takes])
    except Unsupported as reason:
        need(bool(str(reason)), "it does not say why there is no number")
        return
    need(isinstance(found, int | float) and math.isfinite(found), f"{found!r} is not a finite number")
    need(metric.value(EVIDENCE[metric.takes]) == found, "the same evidence gives another number the second time")


def _value_with(name: str, choice: Mapping[str, Any]) -> None:
    metric = metrics.build(name, choice)
    metric.value(EVIDENCE[metric.takes])


def _knows_nothing(name: str) -> None:
    metric = metrics.build(name)
    try:
        found = metric.value(EMPTY[metric.takes])
    except Unsupported:
        return
    need(False, f"it makes {found!r} of nothing: raise Unsupported")


def _summarises(name: str) -> None:
    summary = metrics.build(name).summary([0.25, 0.5, 0.75], 100)
    need(isinstance(summary, Summary), f"summary gives {type(summary).__name__}, not Summary")
    need(summary.n == 3 and math.isclose(summary.mean, 0.5), "the summary of 0.25, 0.5 and 0.75 is not around 0.5")


def _holds_its_number(name: str) -> None:
    metric = metrics.build(name)
    evidence = EVIDENCE[metric.takes]
    number = metric.value_or_none(evidence)
    ends = None if number is None else metric.over_images(evidence)
    if ends is not None and number is not None:
        need(ends[0] <= number <= ends[1], f"over_images gives {ends[0]:g} to {ends[1]:g}, and value gives {number:g}")
