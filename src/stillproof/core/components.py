"""The registries, one per kind; third-party packages extend them through the entry-point groups of the same name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stillproof.core.given_params import names_nothing
from stillproof.core.registry import Registry

if TYPE_CHECKING:
    from stillproof.core.types import Augmentation, DataSource, Distiller, Network, Perturber, Suite

datasets: Registry[DataSource] = Registry("data set", "datasets", "stillproof.data")
networks: Registry[Network] = Registry("network", "networks", "stillproof.nets")
augmentations: Registry[Augmentation] = Registry("augmentation", "augmentations", "stillproof.transforms")
recipes: Registry[Any] = Registry("recipe", "recipes", "stillproof.train")
objectives: Registry[Any] = Registry("objective", "objectives", "stillproof.train")
attacks: Registry[Perturber] = Registry("attack", "attacks", "stillproof.attack")
defences: Registry[Any] = Registry("defence", "defences", "stillproof.defend")
distillers: Registry[Distiller] = Registry("distiller", "distillers", "stillproof.distill")
suites: Registry[Suite] = Registry("suite", "suites", "stillproof.suites")
stages: Registry[Any] = Registry("stage", "stages", "stillproof.run.stages")
metrics: Registry[Any] = Registry("metric", "metrics", "stillproof.score.metrics")
executors: Registry[Any] = Registry("executor", "executors", "stillproof.run.executors")

REGISTRIES: dict[str, Registry[Any]] = {
    registry.plural: registry
    for registry in (
        datasets,
        networks,
        augmentations,
        objectives,
        recipes,
        attacks,
        defences,
        distillers,
        suites,
        stages,
        metrics,
        executors,
    )
}


def references_of(component: Any) -> dict[str, tuple[Registry[Any], str]]:
    """Return registry and reference of every component that a parameter refers to."""
    named = {key: (kind, str(getattr(component, key))) for key, kind in getattr(component, "references", {}).items()}
    return {key: (REGISTRIES[kind], text) for key, (kind, text) in named.items() if not names_nothing(text, kind)}
