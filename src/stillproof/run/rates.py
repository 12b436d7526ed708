"""How long a cell takes: on this machine, by what its store has measured, and on another one, by its speed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from stillproof.core.provenance import numerics, provenance
from stillproof.core.spec import Json, canonical_json
from stillproof.run.cell import Cell
from stillproof.store.records import Record

Kind = tuple[str, ...]  # stage, method, network and size of the images: what decides how fast the work is done

FLOPS_PER_SECOND = 4e10  # two AVX2 cores, eager; replaced by this machine's own rate once the store knows it
THREAD_FLOPS = FLOPS_PER_SECOND / 2
# DC-Bench's published seconds per step (Table 8) come to this on an A100, whose data sheet says 19.5e12: a quarter.
GPU_FLOPS = 5e12
REACHED = 0.25
CELL_SECONDS = 0.2  # reading and writing
BOOKING_SECONDS = 0.02  # entering, claiming and finishing; all that a cell without work takes
MEASURABLE_FLOPS = 1e10  # smaller cells tell only of cells about as small
ALIKE = 3.0  # how much more or less work is about the same


@dataclass(frozen=True, slots=True)
class Measured:
    """A finished cell: its work, what it took in seconds of one thread (or of the GPU), and its process's memory."""

    flops: float
    seconds: float
    peak_bytes: int


def measured_here(records: Iterable[Record], device: str) -> dict[Kind, list[Measured]]:
    """Return what the finished cells among ``records`` took; those of other machines do not count."""
    found: dict[Kind, list[Measured]] = {}
    here = provenance()["processor"], numerics(device)["device"]
    for record in records:
        about = record.provenance or {}
        how = about.get("numerics", {})
        whole = "segments" not in how  # one that was stopped on the way has only its last part timed
        if record.status == "done" and whole and (about.get("processor"), how.get("device")) == here:
            found.setdefault(kind_of(record.stage, record.spec), []).append(_measured(record, how))
    return found


def kind_of(stage: str, spec: Json) -> Kind:
    """Return which cells are of one kind; timing the first steps of a distillation tells of the whole."""
    info, network = spec.get("info"), spec.get("network")
    shape = f"{info['channels']} x {info['size']}" if isinstance(info, dict) else ""
    method = spec["method"]["name"] if isinstance(spec.get("method"), dict) else ""
    named = canonical_json([network["name"], network["params"]]) if isinstance(network, dict) else ""
    return "distill" if stage == "cost" else stage, method, named, shape


def _measured(record: Record, how: Json) -> Measured:
    result, threads = record.result or {}, how.get("threads", 1) if how.get("device") == "cpu" else 1
    flops, seconds = float(record.where.get("flops", 0.0)), record.seconds or 0.0
    if record.stage == "cost" and result.get("steps_timed"):
        flops, seconds = flops * result["steps"] / result["steps_timed"], result["total_seconds"]
    return Measured(flops, seconds * threads, result.get("peak_bytes", 0))


@dataclass(frozen=True, slots=True)
class Assumed:
    """A machine of which only the speed on its data sheet is known."""

    flops_per_second: float

    def seconds(self, cell: Cell) -> float:
        """Return the time at the share of that speed that is usually reached."""
        return cell.flops / (REACHED * self.flops_per_second) + _overhead(cell.flops)


@dataclass(frozen=True)
class ThisMachine:
    """This machine, by what was measured here of cells of the same kind; those whose work comes closest count."""

    default: float  # operations per second of a thread, or of the GPU
    measured: Mapping[Kind, Sequence[Measured]] = field(default_factory=dict)
    _near: dict[str, list[Measured]] = field(default_factory=dict)  # by cell: a plan asks often

    def seconds(self, cell: Cell) -> float:
        """Return the seconds of one thread, or of the GPU: those of the cells that come closest, by their work."""
        near = self._nearest(cell)
        if not near:
            return cell.flops / self.default + _overhead(cell.flops)
        took, work = median(found.seconds for found in near), near[0].flops
        return BOOKING_SECONDS + (took * cell.flops / work if work else took)

    def knows(self, cell: Cell) -> bool:
        """Say whether the time of a cell comes from measurements."""
        return bool(self._nearest(cell))

    def peak_bytes(self, cell: Cell) -> int | None:
        """Return the memory that cells of the same kind and the same work took, if one was measured."""
        same = [found.peak_bytes for found in self._nearest(cell) if found.flops == cell.flops]
        return max(filter(None, same), default=None)

    def _nearest(self, cell: Cell) -> list[Measured]:
        if cell.id not in self._near:
            kin = self.measured.get(kind_of(cell.stage, cell.spec), ())
            telling = [found for found in kin if _tells(found.flops, cell.flops)]
            least = min((_gap(found.flops, cell.flops) for found in telling), default=0.0)
            self._near[cell.id] = [found for found in telling if _gap(found.flops, cell.flops) == least]
        return self._near[cell.id]


def this_machine(records: Iterable[Record], device: str) -> ThisMachine:
    """Return this machine as the finished cells among ``records`` show it."""
    return ThisMachine(THREAD_FLOPS if device == "cpu" else GPU_FLOPS, measured_here(records, device))


def _overhead(flops: float) -> float:
    return BOOKING_SECONDS + (CELL_SECONDS if flops else 0.0)


def _tells(measured: float, asked: float) -> bool:
    """Say whether a measured amount of work tells of another one."""
    alike = measured <= ALIKE * asked and asked <= ALIKE * measured
    return alike or (measured > MEASURABLE_FLOPS and asked > 0)


def _gap(measured: float, asked: float) -> float:
    return abs(math.log(asked / measured)) if measured and asked else 0.0
