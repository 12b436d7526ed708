"""What finished cells took on this machine, by the kind of their work."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from stillproof.core.provenance import numerics, provenance
from stillproof.core.spec import Json, canonical_json
from stillproof.store.records import Record

Kind = tuple[str, ...]  # stage, method, network and size of the images: what decides how fast the work is done


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
