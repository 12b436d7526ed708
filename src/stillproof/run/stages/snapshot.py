"""A distilled set as it was on the way: kept by the distillation, or made again up to its step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stillproof.core.components import stages
from stillproof.core.errors import BadInput, StillproofError
from stillproof.core.provenance import Meter
from stillproof.core.spec import Json
from stillproof.run.cell import Planned
from stillproof.run.distill_context import make_context, method_of
from stillproof.run.distilled_sets import at_step, check_distilled, keep_set
from stillproof.run.stage import Answer, Job, Stage, recorded
from stillproof.run.stages.distill import Distill, ask_to_keep
from stillproof.suites.requests import Request

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

LOOP = "steps"  # the usual name of the loop that makes a method's steps


@stages.register("snapshot", version=1)
@dataclass(frozen=True)
class Snapshot(Stage):
    """A distilled set after some of its steps, with what was learned besides the images.

    Args:
        of: The distilled set.
        step: How many steps it had made.
    """

    of: Request
    step: int

    def plan(self, planner: Planner) -> Planned:
        """Plan the set, with a hint to keep this step."""
        asked = planner.stage(self.of)
        if not isinstance(asked, Distill):
            raise BadInput(f"{self.of} is not distilled in steps, so that none of them can be looked at.")
        steps = getattr(asked.built(planner), "steps", None)
        if not isinstance(steps, int):
            raise BadInput(f"{asked.method!r} does not go in steps, so that it has no step {self.step}.")
        if not 0 <= self.step <= steps:
            raise BadInput(f"{asked.method!r} has no step {self.step}: it makes {steps} steps.")
        made = planner.plan(self.of)
        ask_to_keep(made, self.step)
        return Planned(
            spec={"of": made.id, "step": self.step},
            label=f"step {self.step} of {made.label}",
            needs=(made.id,),
            where={key: made.where[key] for key in ("dataset", "part")},
            images=made.images,
            disk=made.disk,
        )

    @staticmethod
    def compute(job: Job) -> Answer:
        """Take the step that was kept on the way or, if none was, make it."""
        record, step = job.record_of(job.spec["of"]), job.spec["step"]
        made = record.result or {}
        name, kept = f"{made['name']}@{step}", made["snapshots"].get(str(step))
        numerics = (record.provenance or {}).get("numerics", {})
        if step == getattr(method_of(record.spec), "steps", None):
            kept = made["artifact"]  # the result itself, which keeps its name
        elif kept is None or not job.store.artifacts.is_sound(kept):
            kept, numerics = _again(job, record.spec, name)
        else:
            job.store.register_artifact(kept, "distilled", name, job.cell, made["bytes"])
        result = {"artifact": kept, "name": name, "bytes": made["bytes"], "images": made["images"]}
        return Answer(result, numerics, (kept,))


def _again(job: Job, spec: Json, name: str) -> tuple[str, Json]:
    """Distil up to the step alone, with all parameters of the whole; return the set and its numerics."""
    step, method = job.spec["step"], method_of(spec)
    steps: int = getattr(method, "steps", 1)
    data = job.data(spec["data"], job.where["part"])
    ctx = make_context(job, spec, data)
    ctx.snapshot_steps, ctx.loop_shares = frozenset({step}), {LOOP: step / max(steps, 1)}
    with Meter() as meter:
        distilled = method.distill(data, spec["ipc"], ctx)
    learned = ctx.snapshots().get(step)
    if learned is None and "resumed_at" in ctx.notes:  # kept before the loop was stopped, and damaged since
        job.store.drop_scratch(job.cell)
        return _again(job, spec, name)
    if learned is None:
        raise StillproofError(f"{spec['method']['name']} keeps no images of step {step}: it takes no snapshots.")
    check_distilled(distilled, data, spec["method"]["name"])
    return keep_set(job.store, at_step(distilled, learned, step), name, job.cell, meter.as_dict()), recorded(ctx)
