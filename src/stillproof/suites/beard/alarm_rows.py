"""Are the gradients of each model to be trusted?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from stillproof.suites.beard.victims import Victim, Victims
from stillproof.suites.requests import Request, Row


def alarm_rows(victims: Victims) -> Iterator[Row]:
    """Yield one row per model, with and without a defence."""
    for victim in victims.all():
        yield victims.row("alarms", victim, partial(_checked, victims, victim))


def _checked(victims: Victims, victim: Victim, seed: int) -> Request:
    suite = victims.suite
    return Request(
        "attack-check",
        model=victims.model(victim, seed),
        dataset=victims.builder.dataset,
        eps=victims.reaches["Linf"],
        limit=suite.limit or None,
        seed=seed,
    )
