"""The contract of an objective."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stillproof.core.components import REGISTRIES, objectives, references_of
from stillproof.core.reference import write_nested
from stillproof.core.spec import canonical_json
from stillproof.testing.check_training import TrainingChecks
from stillproof.testing.checks import Result, need, run_checks
from stillproof.testing.choices import TITLE, try_every_choice
from stillproof.train.objective import objective_of
from stillproof.train.objectives.meta_at import MetaAT

SMALL_EPISODES = {"ways": 2, "shots": 2, "queries": 2, "episodes": 2, "val_queries": 2}


def check_objective(name: str) -> list[Result]:
    """Run the contract on toy images, with the objective's default parameters; episodes are small ones."""
    small = SMALL_EPISODES if isinstance(objectives.build(name), MetaAT) else {}

    def checks(choice: Mapping[str, Any]) -> TrainingChecks:
        return TrainingChecks(write_nested(name, {**small, **choice}))

    own = {
        "its parameters are plain JSON, and its references lead somewhere": lambda: _builds(name),
        TITLE: lambda: try_every_choice(objectives, name, lambda choice: checks(choice).brief()),
    }
    return run_checks("objective", name, own | checks({}).checks())


def _builds(name: str) -> None:
    objective = objective_of(name)
    strange = set(objective.references.values()) - REGISTRIES.keys()
    need(not strange, f"its references name {sorted(strange)}, which are not kinds of component")
    canonical_json(objectives.spec(objective).as_dict())
    for registry, reference in references_of(objective).values():
        registry.build(reference)
