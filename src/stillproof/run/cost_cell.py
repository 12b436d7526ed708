"""Computes a cost cell: what a distillation takes, from its first steps, with nothing else running."""

from __future__ import annotations

from statistics import median

import torch

from stillproof.core.components import distillers
from stillproof.core.other_processes import OtherProcesses
from stillproof.core.provenance import Meter
from stillproof.core.spec import Json
from stillproof.run.distill_context import make_context
from stillproof.run.source_data import load_exactly
from stillproof.run.world import Answer, World, answer_of, recorded

LOOP = "steps"  # the name, unless it says another, of the loop that makes a method's steps


def compute_cost(cell_id: str, spec: Json, where: Json, world: World) -> Answer:
    """Distil for a few steps and throw the images away.

    The method has all its parameters, so that it prepares for its whole work (and compiles if that is worth it); its
    loop ends early. The steps that were left out are taken to be like the median of those that were timed.
    """
    data = load_exactly(spec["data"], where["dataset"], where["part"], world)
    method = distillers.build(spec["method"]["name"], spec["method"]["params"])
    steps: int | None = getattr(method, "steps", None)
    ctx = make_context(cell_id, spec, where, world, data)
    ctx.scratch, ctx.snapshot_steps, ctx.timed = None, frozenset(), True
    if steps:
        ctx.loop_shares = {LOOP: spec["timed"] / steps}
    with OtherProcesses() as others, Meter() as meter:
        method.distill(data, spec["ipc"], ctx)
    seconds = step_laps(ctx.laps.get(LOOP, []), spec["timed"]) if steps else []
    typical = typical_step(seconds)
    left = steps - len(seconds) if steps and seconds else 0
    result = {
        "step_seconds": typical,
        "steps_timed": len(seconds),
        "steps": steps,
        "total_seconds": meter.seconds + left * (typical or 0.0),
        "extrapolated": left > 0,
        "peak_bytes": meter.peak_bytes,
        "others_cpu": others.share,
        "threads": torch.get_num_threads(),
        "machine": " on ".join((ctx.numerics["device"], spec["machine"]["processor"] or "an unknown processor")),
        "shared_seconds": _shared_seconds(spec, world),
        "notes": ctx.notes,
    }
    return Answer(result, recorded(ctx))


def step_laps(laps: list[float], steps: int) -> list[float]:
    """Return the seconds of each of ``steps`` steps; some methods go around their loop several times a step."""
    turns = max(1, len(laps) // steps)
    return [sum(laps[begin : begin + turns]) for begin in range(0, len(laps), turns)]


def typical_step(seconds: list[float]) -> float | None:
    """Return the median without the first step, which also compiles and warms up; with one alone, that one."""
    return median(seconds[1:] or seconds) if seconds else None


def _shared_seconds(spec: Json, world: World) -> float:
    """Return what whitening and experts took, which other sets share; they were perhaps made beside other cells."""
    cells = [*spec.get("experts", ()), *([spec["zca"]] if "zca" in spec else ())]
    return float(sum(answer_of(cell, world.store)["seconds"] for cell in cells))
