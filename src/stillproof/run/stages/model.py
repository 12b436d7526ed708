"""A model that is in the store already: imported, or trained before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stillproof.core.components import stages
from stillproof.core.errors import BadInput
from stillproof.run.cell import Planned
from stillproof.run.stage import Answer, Job, Stage

if TYPE_CHECKING:
    from stillproof.run.plan import Planner


@stages.register("model", version=1)
@dataclass(frozen=True)
class StoredModel(Stage):
    """A model of the store; all there is to compute is that it is there and sound.

    Args:
        artifact: Its content id.
        network: Its network, for those who need to know it before.
        cell: The training, or the choice of its epoch, that it came from, if that is known: it then names the model,
            as in a suite that trains it.
        name: What people call it.
    """

    artifact: str
    network: str = ""
    cell: str | None = None
    name: str = ""

    def plan(self, planner: Planner) -> Planned:
        """Plan to look at it."""
        return Planned({"artifact": self.artifact}, f"look at {self.name or f'model {self.artifact[:12]}'}")

    @staticmethod
    def compute(job: Job) -> Answer:
        """Read it."""
        artifact: str = job.spec["artifact"]
        found = job.store.artifacts.read(artifact)
        if found.kind != "model":
            raise BadInput(f"artifact {artifact[:12]} is of kind {found.kind}, and not a model.")
        return Answer({"model": artifact}, artifacts=(artifact,))
