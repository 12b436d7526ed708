"""What is said of a run before it starts: its time, here and on another machine, its memory and disk, and savings."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stillproof.core.amounts import duration, size
from stillproof.core.spec import Json
from stillproof.run.cost_cuts import Cut
from stillproof.run.cost_parts import CostPart
from stillproof.run.estimate import Estimate
from stillproof.run.sharing import Sharing

DIVISIONS = ("by_section", "by_method", "by_section_and_method")


@dataclass(frozen=True, slots=True)
class Memory:
    """The cell that needs most.

    Args:
        label: Which it is.
        bytes: What one process takes with it, or the GPU's part of that.
        measured: Whether this store has measured a cell like it.
    """

    label: str
    bytes: float
    measured: bool


@dataclass(frozen=True, slots=True)
class AssumedTime:
    """Another machine, of which only its speed is known, and the time there."""

    flops_per_second: float
    reached: float  # the share of that speed that is counted with
    seconds: float

    @property
    def name(self) -> str:
        """Return its speed in words."""
        return f"{self.flops_per_second / 1e12:.4g} TFLOPS"


@dataclass(frozen=True, slots=True, repr=False)
class Forecast:
    """All that can be said of a run before it starts.

    Args:
        estimate: The whole.
        workers: Processes.
        measured: The share of the time that rests on what this store has measured.
        assumed: Another machine, if one is assumed.
        by_section: The cost of each section, if there are any.
        by_method: The cost of each method.
        by_section_and_method: The cost of each method in each section.
        memory: What a process needs at its peak, if there is anything to compute.
        disk_bytes: What the answers take in the store.
        cuts: The settings that would save most.
        left_out: What is left out, and why.
        sharing: What several suites share, where several are asked.
    """

    estimate: Estimate
    workers: int
    measured: float
    assumed: AssumedTime | None
    by_section: Sequence[CostPart]
    by_method: Sequence[CostPart]
    by_section_and_method: Sequence[CostPart]
    memory: Memory | None
    disk_bytes: float
    cuts: Sequence[Cut]
    left_out: Sequence[str]
    sharing: Sharing | None = None

    def __repr__(self) -> str:
        """Return what matters most, and the time of every method."""
        methods = [f"{part.about['method']}: about {duration(part.seconds)}" for part in self.by_method if part.cells]
        return "\n".join((*self.left_out, *self.sentences(), *methods))

    def sentences(self) -> Iterator[str]:
        """Yield what the whole takes: cells, time, memory and disk."""
        whole = self.estimate
        left = ", ".join(f"{count} {stage}" for stage, count in whole.by_stage.items()) or "nothing"
        yield f"{whole.cells} cells, {whole.cached} in the store already; to compute: {left}"
        if not whole.by_stage:
            return
        if self.sharing:
            yield self.sharing.sentence()
        processes = "1 process" if self.workers == 1 else f"{self.workers} processes"
        source = "the speed of a typical machine"
        share = f"{100 * self.measured:.0f} %"
        if share != "0 %":
            source = f"{share} of it from cells like these that this store has timed on this machine"
        yield f"time here: about {duration(whole.seconds)} in {processes} ({whole.flops:.2g} operations; {source})"
        if self.assumed:
            best = whole.flops / self.assumed.flops_per_second
            reached = f"{100 * self.assumed.reached:.0f} % of its speed, as published times of methods on an A100 show"
            there = f"about {duration(self.assumed.seconds)}, at {reached}; at best {duration(best)}"
            yield f"time at {self.assumed.name}: {there}"
        if self.memory:
            source = "measured" if self.memory.measured else "estimated"
            yield f"memory: about {size(self.memory.bytes)} in a process, {source} for {self.memory.label}"
        yield f"disk: about {size(self.disk_bytes)}"

    def as_dict(self) -> Json:
        """Return the forecast as JSON values."""
        divided = {key: [part.as_dict() for part in getattr(self, key)] for key in DIVISIONS}
        about = {
            "workers": self.workers,
            "measured": self.measured,
            "assumed": self.assumed and dataclasses.asdict(self.assumed),
            "memory": self.memory and dataclasses.asdict(self.memory),
            "disk_bytes": self.disk_bytes,
            "cuts": [dataclasses.asdict(cut) for cut in self.cuts],
            "left_out": list(self.left_out),
            "sharing": self.sharing and self.sharing.as_dict(),
        }
        return self.estimate.as_dict() | about | divided
