"""The contract of a stage: how a question becomes a cell, and how that is computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from stillproof.core.checkpoint import unclaimed
from stillproof.core.context import Context, goes_on
from stillproof.core.errors import BadInput
from stillproof.core.provenance import numerics
from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json
from stillproof.core.types import ImageSet, Split
from stillproof.data.load import load
from stillproof.run.cell import Images, Planned
from stillproof.store.records import Record
from stillproof.store.store import Store

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

LEASE_SECONDS = 60.0


@dataclass(frozen=True)
class Options:
    """How to compute, as far as it does not decide the answer; travels to worker processes."""

    store_url: str = field(repr=False)  # it may hold a password
    data_root: Path
    device: str
    threads: int | None = None
    checkpoint_seconds: float = 20.0
    processes: int = 1  # that work on the same plan
    lease_seconds: float = LEASE_SECONDS  # without a sign of life before a worker of another machine takes a cell over
    cell_limit: float | None = None  # seconds that one cell may take


@dataclass(frozen=True)
class Answer:
    """What computing a cell gives.

    Args:
        result: The answer, as JSON values.
        numerics: What decided its last bits.
        artifacts: What the answer stands on: if one of them is lost, the cell is computed again.
        derived_from: Cells whose answers it repeats in part: if one of them is computed again, this one is too.
    """

    result: Json
    numerics: Json = field(default_factory=dict)
    artifacts: tuple[str, ...] = ()
    derived_from: tuple[str, ...] = ()


def _unheard(_: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Job:
    """A cell that is being computed, and the world around it."""

    cell: str
    spec: Json
    where: Json
    store: Store
    options: Options
    report: Callable[[float], None]  # takes the share that is done, 0 to 1
    say: Callable[[str], None] = _unheard  # takes a few words on how it stands, for those who watch
    check: Callable[[], None] = unclaimed  # raises, where the cell is no longer this worker's
    must_stop: Callable[[], bool] = goes_on  # says whether to end soon, at a checkpoint

    @property
    def device(self) -> str:
        """Return where to compute."""
        return self.options.device

    def record_of(self, cell: str) -> Record:
        """Return the record of a cell that this one needs."""
        return finished(cell, self.store)

    def answer_of(self, cell: str) -> Json:
        """Return the result of a cell that this one needs."""
        return answer_of(cell, self.store)

    def data(self, data_id: str, split: Split) -> ImageSet:
        """Read a split of the cell's data set, and make sure that it is the one that was planned."""
        dataset = self.where["dataset"]
        data = load(dataset, split, self.options.data_root)
        if data.id != data_id:
            raise BadInput(
                f"{dataset} has changed since it was planned: {data.id} is not {data_id}; run the command again."
            )
        return data

    def context(self, seeds: Seeds) -> Context:
        """Return what a component that computes in a loop runs in."""
        return Context(
            seeds=seeds,
            device=self.device,
            scratch=self.store.scratch(self.cell),
            report=self.report,
            checkpoint_seconds=self.options.checkpoint_seconds,
            check=self.check,
            must_stop=self.must_stop,
            numerics=numerics(self.device),
        )


class Stage:
    """Base of all stages: a subclass is a frozen dataclass whose fields are what is asked, registered under its name.

    ``plan`` turns what is asked into a cell and asks the planner for the cells that this needs; ``compute`` answers
    it, in any process, from the cell's spec alone. A stage whose answer is a set of images has an ``artifact`` in its
    result and says in ``Planned.images`` how many there are, so that networks can be trained on it.
    """

    __pydantic_config__: ClassVar[Any] = {"arbitrary_types_allowed": True}  # fields may be requests
    # Whether it has an answer even if a cell that it needs is unsupported; otherwise it then is so itself.
    bears_unsupported: ClassVar[bool] = False
    # Whether its answer only counts in others what is stored: where a store is only read, it is given and not kept.
    only_counts: ClassVar[bool] = False

    def plan(self, planner: Planner) -> Planned:
        """Return the question as a cell has it."""
        raise BadInput(f"{self} is nothing that could be computed.")

    def images(self, planner: Planner) -> Images | None:
        """Return images that are there without being computed; nothing if there are none, or a cell computes them."""
        return None

    @staticmethod
    def compute(job: Job) -> Answer:
        """Return the answer."""
        raise NotImplementedError


def recorded(ctx: Context) -> Json:
    """Return the numerics of a finished cell: this process's, and those of other processes that began it, if any."""
    found = {**ctx.numerics, "compiled": bool(ctx.notes.get("compiled"))}
    found |= {"images_at_once": ctx.notes["images_at_once"]} if "images_at_once" in ctx.notes else {}
    found |= {"teachers": ctx.notes["teachers"]} if "teachers" in ctx.notes else {}
    return found | ({"segments": ctx.segments} if len(ctx.segments) > 1 else {})


def finished(cell: str, store: Store) -> Record:
    """Return the record of a finished cell."""
    record = store.results.get(cell)
    assert record is not None and record.result is not None, "a cell runs only after those that it needs"
    return record


def answer_of(cell: str, store: Store) -> Json:
    """Return the result of a finished cell."""
    result = finished(cell, store).result
    assert result is not None
    return result


def default_device() -> str:
    """Return the first GPU, or the CPU where there is none."""
    import torch

    return "cuda:0" if torch.cuda.is_available() else "cpu"
