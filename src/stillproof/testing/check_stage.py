"""The contract of a stage."""

from __future__ import annotations

import dataclasses
from typing import Any

from stillproof.core.components import stages
from stillproof.core.spec import canonical_json
from stillproof.data.load import data_root
from stillproof.run.cell import Planned
from stillproof.run.plan import Planner
from stillproof.run.stage import Stage
from stillproof.testing.checks import CannotBeChecked, Result, need, run_checks


def check_stage(name: str) -> list[Result]:
    """Run the contract; a stage that cannot be asked without parameters is planned by whoever gives them."""
    return run_checks(
        "stage",
        name,
        {
            "is a frozen dataclass below Stage": lambda: _is_stage(name),
            "plans or gives images, and computes what it plans": lambda: _has_methods(name),
            "asked with its defaults, it plans the same cell twice": lambda: _plans(name),
        },
    )


def _is_stage(name: str) -> None:
    cls: Any = stages.get(name)
    need(issubclass(cls, Stage), f"{cls.__name__} is not a subclass of stillproof.plugin.Stage")
    frozen = dataclasses.is_dataclass(cls) and vars(cls)["__dataclass_params__"].frozen
    need(frozen, f"{cls.__name__} is not a frozen dataclass")


def _has_methods(name: str) -> None:
    cls: Any = stages.get(name)
    plans, computes, images = (
        getattr(cls, method) is not getattr(Stage, method) for method in ("plan", "compute", "images")
    )
    need(plans or images, "it has neither plan nor images")
    need(isinstance(vars(cls).get("compute", staticmethod(print)), staticmethod), "compute is not a staticmethod")
    need(plans == computes, "it plans what it does not compute" if plans else "it computes what it does not plan")


def _plans(name: str) -> None:
    cls: Any = stages.get(name)
    fields = dataclasses.fields(cls)
    needed = [f for f in fields if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING]
    if needed or cls.plan is Stage.plan:
        raise CannotBeChecked
    planner = Planner(data_root(None))
    planned = cls().plan(planner)
    need(isinstance(planned, Planned), f"plan gives {type(planned).__name__}, not Planned")
    canonical_json({"spec": planned.spec, "where": planned.where})
    need(planner.ask(name).id == Planner(data_root(None)).ask(name).id, "asking twice gives two cells")
