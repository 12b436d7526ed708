"""Where synthesis starts, and how fast it gets anywhere: sets on the way from noise, random and K-Center images."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stillproof.core.errors import BadInput
from stillproof.core.reference import parse_reference
from stillproof.suites.fixed_set import fixed_set
from stillproof.suites.requests import Request, Row, snapshot
from stillproof.suites.row_builder import RowBuilder

if TYPE_CHECKING:
    from stillproof.suites.dc_bench.suite import DCBench

INITS = ("noise", "real", "k-center")
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0)  # of all steps, at which sets are looked at


def initialisation_rows(suite: DCBench, builder: RowBuilder) -> Iterator[Row]:
    """Yield one row per method, start and step."""
    for method in suite.init_methods:
        steps = _steps(method)
        looks = sorted({max(1, round(share * steps)) for share in SHARES})
        for init in INITS:
            started = f"{method}:init={init}"
            for step in looks:
                requests = [
                    builder.trained(
                        _at(builder.distilled(started, suite.init_ipc, seed), step, looks[-1]),
                        builder.home,
                        suite.recipe_with("dsa", builder.dataset),
                        seed,
                    )
                    for seed in range(builder.seeds)
                ]
                about = {"recipe": suite.recipe_with("dsa", builder.dataset), "init": init, "step": step}
                yield builder.row("initialisation", method, suite.init_ipc, requests, **about)


def _at(made: Request, step: int, last: int) -> Request:
    return made if step == last else snapshot(made, step)


def _steps(method: str) -> int:
    """Return how many steps the reference of a method asks for: they must be known before it is built."""
    there = fixed_set(method)
    if there:
        raise BadInput(
            f"init_methods: {there.name} is a set that is there already, and has no start: name a distiller."
        )
    _, params = parse_reference(method)
    if "init" in params:
        raise BadInput(f"init_methods: {method!r} must not say where it starts: the study tries all starts.")
    steps = params.get("steps", "")
    if not steps.isdigit() or int(steps) < 1:
        raise BadInput(f"init_methods: {method!r} must say how many steps it takes, as in 'dm:steps=1000'.")
    return int(steps)
