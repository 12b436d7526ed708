"""The only way in which a component touches the world: device, seeds, progress, log, checkpoints, networks."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stillproof.core.seeds import Seeds
from stillproof.core.types import Card, Distilled, Hard, ImageSet, Labels, Space

if TYPE_CHECKING:
    from torch import Tensor, nn

Report = Callable[[float], None]  # takes the share of the cell that is done, 0 to 1


def _silent(_: float) -> None:
    """Report to nobody."""


@dataclass
class Context:
    """What a running cell has at hand.

    Args:
        seeds: The cell's random streams.
        device: Where tensors go, such as ``cpu`` or ``cuda:0``.
        card: The cell's card, as far as it is known before it runs.
        networks: Builds the cell's network: (seeds) -> module, freshly initialised, on the device.
        forward_flops: Work of one image's forward pass through that network.
        scratch: Folder for checkpoints; without one nothing is kept.
        report: Takes the share of the cell that is done.
        checkpoint_seconds: How often a loop saves itself.
        snapshot_steps: Steps at which the images are kept besides the result.
    """

    seeds: Seeds
    device: str = "cpu"
    card: Card | None = None
    networks: Callable[[Seeds], nn.Module] | None = None
    forward_flops: float = 0.0
    scratch: Path | None = None
    report: Report = _silent
    checkpoint_seconds: float = 20.0
    snapshot_steps: frozenset[int] = frozenset()
    history: list[dict[str, float]] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)

    def make_network(self, *names: str | int) -> nn.Module:
        """Return a freshly initialised network whose weights come from the seed called ``names``."""
        assert self.networks is not None, "this cell has no network"
        return self.networks(self.seeds.child("network", *names))

    def loop(self, total: int, *, name: str = "steps", **parts: Any) -> Iterator[int]:
        """Yield steps 0 to total - 1, or those that a killed process left.

        Args:
            total: Number of steps.
            name: Name of the loop, where a cell has several.
            parts: Everything that the next step depends on: tensors, or objects with ``state_dict`` and
                ``load_state_dict``. They are restored in place before the first step and saved from time to time.
        """
        start = self._restore(name, parts)
        saved = time.monotonic()
        for step in range(start, total):
            self.report(step / total)
            yield step
            if time.monotonic() - saved >= self.checkpoint_seconds and step + 1 < total:
                self._save(name, step + 1, parts)
                saved = time.monotonic()
        self._save(name, total, parts)
        self.report(1.0)

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """Keep numbers of one step in the cell's record."""
        self.history.append({"step": step, **values})

    def snapshot(self, step: int, images: Tensor) -> None:
        """Keep the images after ``step`` steps, if the user asked for that step."""
        if step in self.snapshot_steps and self.scratch is not None:
            import torch

            self.scratch.mkdir(parents=True, exist_ok=True)
            torch.save(images.detach().cpu(), self.scratch / f"snapshot-{step}.pt")

    def snapshots(self) -> dict[int, Tensor]:
        """Return the kept images, by step."""
        import torch

        paths = {s: self.scratch / f"snapshot-{s}.pt" for s in sorted(self.snapshot_steps) if self.scratch}
        return {step: torch.load(path, weights_only=True) for step, path in paths.items() if path.exists()}

    def distilled(self, images: Tensor, labels: Labels | Tensor, data: ImageSet, **extra: Any) -> Distilled:
        """Return the result of a distiller, in the normalised space of ``data`` unless ``extra`` says otherwise."""
        assert self.card is not None, "this cell makes no distilled set"
        if not isinstance(labels, Labels):
            labels = Hard(labels.cpu())
        images = images.detach().cpu().float()
        size = images.numel() * images.element_size() + labels.values.numel() * labels.values.element_size()
        card = Card(
            **{name: getattr(self.card, name) for name in Card.__dataclass_fields__ if name != "bytes"}, bytes=size
        )
        space = extra.pop("space", Space.normalised(data.info))
        return Distilled(images, labels, data.num_classes, space, card, **extra)

    def _save(self, name: str, step: int, parts: Mapping[str, Any]) -> None:
        if self.scratch is None:
            return
        import torch

        state = {
            key: part.state_dict() if hasattr(part, "state_dict") else part.detach() for key, part in parts.items()
        }
        self.scratch.mkdir(parents=True, exist_ok=True)
        partial = self.scratch / f"{name}.{os.getpid()}.partial"
        torch.save({"step": step, "parts": state, "history": self.history}, partial)
        partial.replace(self.scratch / f"{name}.pt")

    def _restore(self, name: str, parts: Mapping[str, Any]) -> int:
        if self.scratch is None or not (self.scratch / f"{name}.pt").exists():
            return 0
        import torch

        saved = torch.load(self.scratch / f"{name}.pt", map_location=self.device, weights_only=True)
        for key, part in parts.items():
            if hasattr(part, "load_state_dict"):
                part.load_state_dict(saved["parts"][key])
            else:
                part.detach().copy_(saved["parts"][key])
        self.history[:] = saved["history"]
        self.notes["resumed_at"] = saved["step"]
        return int(saved["step"])
