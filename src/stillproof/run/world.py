"""What the code that computes a cell may use, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from stillproof.core.context import Context
from stillproof.core.provenance import numerics
from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json
from stillproof.store.store import Store


@dataclass(frozen=True)
class Options:
    """How to compute, as far as it does not decide the answer; travels to worker processes."""

    store_url: str
    data_root: Path
    device: str
    threads: int | None = None
    checkpoint_seconds: float = 20.0
    snapshot_steps: frozenset[int] = frozenset()


@dataclass(frozen=True)
class World:
    """One process's way to the store and to the progress display."""

    store: Store
    options: Options
    report: Callable[[float], None]


@dataclass(frozen=True)
class Answer:
    """What computing a cell gives: its result, and the numerics that decided its last bits."""

    result: Json
    numerics: Json = field(default_factory=dict)


def answer_of(cell: str, store: Store) -> Json:
    """Return the result of a finished cell."""
    record = store.results.get(cell)
    assert record is not None and record.result is not None, "a cell runs only after those that it needs"
    return record.result


def context_of(cell_id: str, seeds: Seeds, world: World) -> Context:
    """Return what every cell that computes in a loop runs in."""
    return Context(
        seeds=seeds,
        device=world.options.device,
        scratch=world.store.scratch(cell_id),
        report=world.report,
        checkpoint_seconds=world.options.checkpoint_seconds,
        numerics=numerics(world.options.device),
    )


def recorded(ctx: Context) -> Json:
    """Return the numerics of a finished cell: this process's, and those of the processes that began it, if others."""
    found = {**ctx.numerics, "compiled": bool(ctx.notes.get("compiled"))}
    return found | ({"segments": ctx.segments} if len(ctx.segments) > 1 else {})


def default_device() -> str:
    """Return the first GPU, or the CPU where there is none."""
    import torch

    return "cuda:0" if torch.cuda.is_available() else "cpu"
