"""The only way in which a component touches the world: device, seeds, progress, log, checkpoints, networks."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stillproof.core.checkpoint import unclaimed
from stillproof.core.errors import BadInput
from stillproof.core.labels import Hard, LabelKind, Labels, Taught
from stillproof.core.scratch import Scratch
from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json
from stillproof.core.types import Card, Distilled, ImageSet, Space
from stillproof.core.weight import weight_of

if TYPE_CHECKING:
    from torch import Tensor, nn

Report = Callable[[float], None]  # takes the share of the cell that is done, 0 to 1


def _silent(_: float) -> None:
    """Report to nobody."""


def goes_on() -> bool:
    """Never ask to stop."""
    return False


def _untaught(_: Tensor) -> Taught:
    """Name no teachers."""
    raise BadInput("this method has no teachers to give labels: declare teachers=TrainedBefore(...) in its needs.")


@dataclass
class Context:
    """What a running cell has at hand.

    Args:
        seeds: The cell's random streams.
        device: Where tensors go, such as ``cpu`` or ``cuda:0``.
        card: The cell's card, as far as it is known before it runs.
        networks: Builds the cell's network: (seeds) -> module, freshly initialised, on the device.
        space: The space that synthetic images live in.
        front: Takes pixels into that space, on the device.
        experts: Weights of networks along their training on real images, (epochs + 1, P) each, for methods that ask.
        embedding: The same of the network whose features images are compared by, alone in a list.
        teachers: Models trained on real images, from pixels to logits, on the device, for methods that ask.
        taught: Takes the classes of a set's images to labels that those teachers give anew in every epoch.
        forward_flops: Work of one image's forward pass through that network.
        scratch: Folder for checkpoints; without one nothing is kept.
        report: Takes the share of the cell that is done.
        checkpoint_seconds: How often a loop saves itself.
        check: Called before a checkpoint takes the place of the one before; raises where another has the cell by now.
        must_stop: Says whether the computation is to end soon: a loop then saves itself, and ends with its next report.
        timed: Whether laps are exact on a GPU too; every step then waits for it.
        loop_shares: Share of a loop, by its name, after which it ends early, to measure what steps cost.
        snapshot_steps: Steps at which the images are kept besides the result.
        numerics: Threads, device and versions of this process. If a loop was resumed under other ones,
            ``segments`` has all of them.
        laps: Seconds of every step that this process made, by the name of the loop; saving is left out.
    """

    seeds: Seeds
    device: str = "cpu"
    card: Card | None = None
    networks: Callable[[Seeds], nn.Module] | None = None
    space: Space | None = None
    front: nn.Module | None = None
    experts: Sequence[Tensor] = ()
    embedding: Sequence[Tensor] = ()
    teachers: Sequence[nn.Module] = ()
    taught: Callable[[Tensor], Taught] = _untaught
    forward_flops: float = 0.0
    scratch: Path | None = None
    report: Report = _silent
    checkpoint_seconds: float = 20.0
    check: Callable[[], None] = unclaimed
    must_stop: Callable[[], bool] = goes_on
    timed: bool = False
    loop_shares: Mapping[str, float] = field(default_factory=dict)
    snapshot_steps: frozenset[int] = frozenset()
    numerics: Json = field(default_factory=dict)
    segments: list[Json] = field(default_factory=list)
    history: list[dict[str, float]] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)
    laps: dict[str, list[float]] = field(default_factory=dict)
    _opened: Scratch | None = field(default=None, init=False, repr=False, compare=False)

    def make_network(self, *names: str | int) -> nn.Module:
        """Return a freshly initialised network whose weights come from the seed called ``names``."""
        assert self.networks is not None, "this cell has no network"
        return self.networks(self.seeds.child("network", *names))

    def into_space(self, pixels: Tensor) -> Tensor:
        """Return pixels in [0, 1] as images of the cell's space, on the device."""
        assert self.front is not None, "this cell has no front"
        images: Tensor = self.front(pixels.to(self.device))
        return images

    def loop(self, total: int, *, name: str = "steps", **parts: Any) -> Iterator[int]:
        """Yield steps 0 to total - 1, or those that a killed process left undone.

        Args:
            total: Number of steps.
            name: Name of the loop, where a cell has several.
            parts: Everything that the next step depends on: tensors, or objects with ``state_dict`` and
                ``load_state_dict``. They are restored in place before the first step and saved from time to time.
        """
        files = self._files()
        kept = {"history": self.history, "segments": self.segments}
        start = files.restore_loop(name, parts, kept) if files else 0
        if start:
            self.notes["resumed_at"] = start
        if self.numerics and self.numerics not in self.segments:
            self.segments.append(self.numerics)
        saved = time.monotonic()
        laps = self.laps.setdefault(name, [])
        end = min(total, max(1, round(total * self.loop_shares.get(name, 1.0))))
        for step in range(start, end):
            self.report(step / end)
            began = self._now()
            yield step
            laps.append(self._now() - began)
            due = self.must_stop() or time.monotonic() - saved >= self.checkpoint_seconds
            if files and (due or step + 1 == end):
                files.save_loop(name, step + 1, parts, kept)
                saved = time.monotonic()
        self.report(1.0)

    def _files(self) -> Scratch | None:
        """Return the checkpoints of this cell, of which this context writes its own; none where nothing is kept."""
        if self.scratch is None:
            return None
        if self._opened is None or self._opened.folder != self.scratch:
            self._opened = Scratch(self.scratch, lambda: self.check())
        return self._opened

    def _now(self) -> float:
        """Return the time in seconds; where steps are timed, wait first until the device has done its work."""
        if self.timed and self.device.startswith("cuda"):
            import torch

            torch.cuda.synchronize(self.device)
        return time.perf_counter()

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """Keep numbers of one step in the cell's record."""
        self.history.append({"step": step, **{key: float(value) for key, value in values.items()}})

    def snapshot(self, step: int, images: Tensor, **learned: Tensor) -> None:
        """Keep the images after ``step`` steps, and what else was learned, if the user asked for that step."""
        files = self._files()
        if step in self.snapshot_steps and files is not None:
            kept = {name: value.detach().cpu() for name, value in {"images": images, **learned}.items()}
            files.save(f"snapshot-{step}", kept)

    def snapshots(self) -> dict[int, dict[str, Tensor]]:
        """Return the kept images, under ``images``, and what else was learned, by step."""
        files = self._files()
        found = {step: files.load(f"snapshot-{step}") for step in sorted(self.snapshot_steps)} if files else {}
        return {step: kept for step, kept in found.items() if kept is not None}

    def distilled(
        self, images: Tensor, labels: Labels | Tensor, data: ImageSet, *, recipe: str = "", **extra: Any
    ) -> Distilled:
        """Return the result of a distiller, in the cell's space unless ``extra`` says otherwise.

        Args:
            images: The images.
            labels: Their labels; plain ones are classes.
            data: The real images.
            recipe: How the method's authors train on its sets, as in ``dc-bench-dsa:lr=0.02``. It is only noted down,
                so that it is no part of the method.
            extra: Further fields of ``Distilled``.
        """
        from stillproof.core.components import recipes

        assert self.card is not None, "this cell makes no distilled set"
        labels = (labels if isinstance(labels, LabelKind) else Hard(labels)).to("cpu")
        images = images.detach().cpu().float()
        card = dataclasses.replace(self.card, bytes=weight_of(images, labels).total)
        space = extra.pop("space", self.space or Space.normalised(data.info))
        own = recipes.spec(recipes.build(recipe)) if recipe else None
        return Distilled(images, labels, data.num_classes, space, card, recipe=own, **extra)
