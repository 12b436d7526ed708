"""Do attacks converge? Accuracy over the steps of PGD."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from stillproof.core.reference import changed_reference
from stillproof.suites.beard.victims import MODES, Victims
from stillproof.suites.requests import Row


def step_rows(victims: Victims) -> Iterator[Row]:
    """Yield, for the models of the largest sets, one row per mode and number of steps."""
    for victim in victims.largest():
        for mode in MODES:
            for steps in victims.suite.steps:
                attack = changed_reference("pgd", steps=steps)
                ask = partial(victims.attack, victim, attack, mode)
                yield victims.row("convergence", victim, ask, mode=mode, steps=steps)
