"""Sets that stages make of other sets: found, changed and kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from stillproof.core.errors import BadInput
from stillproof.core.spec import Json
from stillproof.core.types import Distilled
from stillproof.run.cell import Images
from stillproof.run.distilled_sets import keep_set
from stillproof.run.labelled_images import artifact_of, made_from
from stillproof.run.stage import Answer, Job
from stillproof.sets.read import read_set
from stillproof.suites.requests import Request

if TYPE_CHECKING:
    from stillproof.run.plan import Planner


def source_of(request: Request, planner: Planner) -> Images:
    """Return the distilled set that a request gives; real images, and what an attack made of them, are none."""
    images = planner.images(request)
    if made_from(images, planner):
        raise BadInput(
            f"{images.label} are real images, as they are or attacked, not a distilled set that could be changed."
        )
    return images


def keep_changed(job: Job, of: Json, change: str, changed_by: Callable[[Distilled, Job], Distilled]) -> Answer:
    """Change a set and keep it under a name that says so; one that stays as it is, is not kept again."""
    artifact = artifact_of(of, job)
    before = read_set(job.store, artifact)
    after = changed_by(before, job)
    name = job.store.names_of([artifact], "distilled").get(artifact) or artifact[:12]
    if after is not before:
        name = f"{name}-{change}"
        artifact = keep_set(job.store, after, name, job.cell, dict(before.card.cost))
    result = {"artifact": artifact, "name": name, "bytes": after.card.bytes, "images": len(after.images)}
    return Answer(result, artifacts=(artifact,))
