"""Controls: what soft labels do for images that say little or nothing."""

from __future__ import annotations

from collections.abc import Iterator

from stillproof.core.reference import changed_reference
from stillproof.suites.dd_ranking.settings import Setting
from stillproof.suites.dd_ranking.trials import RANDOM, LabelChoice, Trial, Trials
from stillproof.suites.requests import Row

NOISE = "noise"


def control_rows(trials: Trials) -> Iterator[Row]:
    """Yield pure noise, and random images under growing noise, each with hard labels and with those of a teacher."""
    suite, network = trials.suite, trials.builder.home
    hard = suite.recipe_on(trials.builder.dataset)
    setting, ipc = Setting(hard, hard, "hard"), max(suite.ipc)
    soft = changed_reference(hard, objective=suite.soft_objective)
    recipes: tuple[tuple[LabelChoice, str], ...] = (("hard", hard), ("soft", soft))
    for method, disturbance in ((NOISE, 0.0), *((RANDOM, std) for std in (0.0, *suite.noise))):
        for labels, recipe in recipes:
            trial = Trial(method, ipc, "set", labels, recipe, network, setting, disturbance, suite.teachers[0])
            yield trials.row("controls", trial, disturbance=disturbance, teacher=suite.teachers[0])
