"""What the rows of a suite have in common: which images, made and trained on by which seeds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from stillproof.core.presets import Scale
from stillproof.core.protocol import Protocol
from stillproof.core.types import Selection
from stillproof.suites.fixed_set import HELDOUT_SEEN, FixedSet, fixed_set
from stillproof.suites.requests import Heldout, Part, Request, Row, distilled, real_images, selected, trained

FULL = "full"


class SuiteProtocol(Protocol):
    """How a suite asks: the correct way, of which an origin's is a subclass."""

    own_sets: ClassVar[bool] = True  # whether each repetition has a distilled set of its own, or all train on one


@dataclass(frozen=True)
class RowBuilder:
    """Asks about one data set.

    Args:
        dataset: The data set.
        home: The network that methods distil with.
        seeds: Repetitions.
        protocol: What rows say of how they ask.
        selection: Which epoch of a training counts: last, heldout or oracle.
        scale: Presets of the distillers: smoke, quick or paper.
        own_sets: Whether each repetition has its own distilled set, or all train on one.
    """

    dataset: str
    home: str
    seeds: int
    protocol: str
    selection: Selection
    scale: Scale
    own_sets: bool = True

    @classmethod
    def under(
        cls, asks: SuiteProtocol, dataset: str, home: str, seeds: int, selection: Selection, scale: Scale
    ) -> RowBuilder:
        """Return what asks as a protocol says."""
        return cls(dataset, home, seeds, asks.written, selection, scale, asks.own_sets)

    @property
    def part(self) -> Part:
        """Return the part that is learned from: not all, if the rest is needed to choose an epoch by."""
        return "fit" if self.selection == "heldout" else "train"

    def asked(self, methods: Iterable[str], sizes: Iterable[int]) -> Iterator[tuple[str, int]]:
        """Yield every method with every number of images per class, size by size.

        An existing set has a number of its own: it comes once, and only if it is of this data set.
        """
        found, sizes = {method: fixed_set(method) for method in methods}, list(sizes)
        own = [there.ipc for there in found.values() if there and there.dataset == self.dataset]
        for ipc in dict.fromkeys((*sizes, *own)):
            for method, there in found.items():
                if ipc in sizes if there is None else (there.dataset, there.ipc) == (self.dataset, ipc):
                    yield method, ipc

    def distilled(self, method: str, ipc: int, seed: int, part: Part | None = None) -> Request:
        """Ask for the set of one repetition."""
        own = seed if self.own_sets else 0
        return distilled(real_images(self.dataset, part or self.part), method, ipc, own, self.home, self.scale)

    def images(self, method: str, ipc: int | None, seed: int, part: Part | None = None) -> Request:
        """Ask for the set of one repetition, or for all real images if there is no number of them."""
        return real_images(self.dataset, part or self.part) if ipc is None else self.distilled(method, ipc, seed, part)

    def trained(
        self,
        on: Request,
        network: str,
        recipe: str,
        seed: int,
        heldout: Heldout | None = None,
        defence: str | None = None,
    ) -> Request:
        """Ask for a trained network, with a defence or without; if a held-out part is given, its last epoch counts."""
        rule: Selection = "last" if heldout else self.selection
        looked_at: Heldout | None = heldout or ("heldout" if self.selection == "heldout" else None)
        return selected(trained(on, network, recipe, seed, looked_at, defence), rule)

    def accuracy(
        self, section: str, method: str, ipc: int | None, recipe: str, *, network: str = "", **more: Any
    ) -> Row:
        """Return a row of networks trained on the sets of a method."""
        chosen = network or self.home
        requests = [self.trained(self.images(method, ipc, seed), chosen, recipe, seed) for seed in range(self.seeds)]
        return self.row(section, method, ipc, requests, network=chosen, recipe=recipe, **more)

    def row(self, section: str, method: str, ipc: int | None, requests: Sequence[Request], **more: Any) -> Row:
        """Return a row with what every row says; without a ``section`` the suite has only one table.

        ``more`` is what else it is about; a ``selection`` in it is the row's own.
        """
        there = fixed_set(method)
        keys = {
            **({"section": section, "scale": self.scale} if section else {}),
            "dataset": self.dataset,
            "method": there.name if there else method,
            "ipc": there.ipc if there else ipc,
            "network": self.home,
            **({"home": self.home} if section else {}),
            **more,
            "protocol": self.protocol,
            "selection": more.get("selection", self.selection),
            **(_about_set(there, requests, more.get("caveat")) if there else {}),
        }
        return Row(keys, tuple(requests))


def _about_set(there: FixedSet, requests: Sequence[Request], said: str | None) -> dict[str, Any]:
    """Return what a row says of a set that was there before: which one, and what to keep in mind, ``said`` included."""
    trainings = [request.train for request in requests if request.stage == "select"]
    seen = not there.unseen and any(train.params.get("heldout") for train in trainings)
    caveats = dict.fromkeys(filter(None, (there.leak, said, HELDOUT_SEEN if seen else "")))
    return {"set": there.artifact, **({"caveat": "; ".join(caveats)} if caveats else {})}
