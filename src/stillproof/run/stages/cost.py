"""What a distillation takes, from its first steps, with nothing else running."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import torch

from stillproof.core.components import stages
from stillproof.core.errors import BadInput
from stillproof.core.other_processes import OtherProcesses
from stillproof.core.provenance import Meter, provenance
from stillproof.run.cell import Planned
from stillproof.run.distill_context import make_context, method_of
from stillproof.run.stage import Answer, Job, Stage, recorded
from stillproof.run.stages.distill import Distill
from stillproof.run.stages.snapshot import LOOP
from stillproof.suites.requests import Request

if TYPE_CHECKING:
    from stillproof.run.plan import Planner


@stages.register("cost", version=1)
@dataclass(frozen=True)
class Cost(Stage):
    """Time and memory of a distillation, timed alone.

    Args:
        of: The distilled set.
        steps: How many of its steps are timed; a method without steps is timed whole.
    """

    of: Request
    steps: int

    def plan(self, planner: Planner) -> Planned:
        """Plan the timing; the set itself is not needed, only what it needs."""
        if self.steps < 1:
            raise BadInput(f"cost over {self.steps} steps is not possible: at least 1 must be timed.")
        asked = planner.stage(self.of)
        if not isinstance(asked, Distill):
            raise BadInput(f"{self.of} is no distillation that could be timed.")
        made = asked.plan(planner)
        steps = getattr(asked.built(planner), "steps", None)
        timed = steps and min(self.steps, steps)
        # Another machine takes another time, so it is another question.
        machine = {key: provenance()[key] for key in ("processor", "cores")} | {"device": planner.device}
        return Planned(
            spec={**made.spec, "timed": timed, "machine": machine},
            label=f"cost of {made.label}",
            needs=made.needs,
            flops=made.flops * timed / steps if timed else made.flops,
            where=made.where,
            alone=True,
            memory=made.memory,
        )

    @staticmethod
    def compute(job: Job) -> Answer:
        """Distil for a few steps and throw the images away.

        The method has all its parameters, so that it prepares for its whole work (and compiles if that is worth it);
        its loop ends early. Steps that were left out are taken to be like the median of those that were timed.
        """
        spec = job.spec
        data = job.data(spec["data"], job.where["part"])
        method = method_of(spec)
        steps: int | None = getattr(method, "steps", None)
        ctx = make_context(job, spec, data)
        ctx.scratch, ctx.timed = None, True
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
            "shared_seconds": _shared_seconds(job),
            "notes": ctx.notes,
        }
        return Answer(result, recorded(ctx))


def step_laps(laps: list[float], steps: int) -> list[float]:
    """Return the seconds of each of ``steps`` steps; some methods go around their loop several times per step."""
    turns = max(1, len(laps) // steps)
    return [sum(laps[begin : begin + turns]) for begin in range(0, len(laps), turns)]


def typical_step(seconds: list[float]) -> float | None:
    """Return the median without the first step, which also compiles and warms up; if there is only one, that one."""
    return median(seconds[1:] or seconds) if seconds else None


def _shared_seconds(job: Job) -> float:
    """Return what whitening and networks took, which sets share; they perhaps ran beside other cells."""
    spec = job.spec
    cells = [cell for key in ("experts", "embedding", "teachers") for cell in spec.get(key, ())]
    cells += [spec["zca"]] if "zca" in spec else []
    return float(sum(job.answer_of(cell)["seconds"] for cell in cells))
