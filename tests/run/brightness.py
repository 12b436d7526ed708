"""A stage and a suite of one's own: how bright are distilled images, and how far apart are their classes?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from stillproof.plugin import (
    Answer,
    BadInput,
    Column,
    Job,
    Planned,
    Planner,
    Preset,
    Request,
    Row,
    RowBuilder,
    Rows,
    Section,
    Stage,
    Summary,
    Table,
    missing_notes,
    read_set,
    stages,
    suites,
)


@stages.register("brightness", version=1)
@dataclass(frozen=True)
class Brightness(Stage):
    """The mean of a distilled set's images, in the space that they live in.

    Args:
        of: The distilled set.
        power: The power that values are raised to first.
    """

    of: Request
    power: int = 1

    def plan(self, planner: Planner) -> Planned:
        """Ask for the set, and say what decides the answer."""
        if self.power < 1:
            raise BadInput(f"power = {self.power} is not allowed: it must be at least 1.")
        made = planner.plan(self.of)
        spec = {"set": made.id, "power": self.power}
        return Planned(spec, f"brightness of {made.label}", needs=(made.id,), flops=1e6)

    @staticmethod
    def compute(job: Job) -> Answer:
        """Read the set and look at it."""
        images = read_set(job.store, job.answer_of(job.spec["set"])["artifact"]).images
        return Answer({"brightness": images.pow(job.spec["power"]).mean().item()})


def brightness_rows(suite: BrightnessSuite) -> Iterator[Row]:
    """Yield one row per method."""
    builder = RowBuilder("digits", "convnet-1:width=4", suite.seeds, "fair", "last", "smoke")
    for method in suite.methods:
        made = [builder.distilled(method, 1, seed) for seed in range(suite.seeds)]
        requests = [Request("brightness", of=of, power=suite.power) for of in made]
        yield builder.row("brightness", method, 1, requests)


def brightness_tables(rows: Rows) -> list[Table]:
    """Return one table with one line per method."""
    columns = (Column("method", "method"), Column("brightness", "brightness %", Summary))
    lines = [{"method": row["method"], "brightness": row.summary("brightness")} for row in rows["brightness"]]
    return [Table("brightness", "How bright the sets are", columns, lines, missing_notes(rows["brightness"]))]


@suites.register("brightness", version=1)
@dataclass(frozen=True)
class BrightnessSuite:
    """How bright the sets of some methods are.

    Args:
        methods: Distillers.
        seeds: Sets of each.
        power: The power that values are raised to first.
    """

    methods: tuple[str, ...] = ("random", "dm")
    seeds: int = 2
    power: int = 1

    presets: ClassVar[Sequence[Preset]] = ()
    reports: ClassVar[Sequence[Section[Any]]] = (Section("brightness", brightness_rows, brightness_tables),)

    def rows(self) -> list[Row]:
        """Return the rows of the only section."""
        return list(brightness_rows(self))
