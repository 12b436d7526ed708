"""What takes part in a comparison of attacks, and how an attack within a ball comes to look for the nearest change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from stillproof.attack.base.norms import Norm, largest
from stillproof.attack.bench.metered import Metered

FIRST: dict[Norm, float] = {"Linf": 1 / 255, "L2": 0.25, "L1": 4.0}  # the radius that a search begins with
SEARCHES = 10  # radii that are tried for each image, among which its passes are divided
ROUNDING = 1e-4  # by which a change may be larger than the radius
STEP = 1 / 4  # of PGD, as a share of eps: the same for all, ours among them
CLOSE = 0.01  # between what failed and what fooled the model, as a share: nearer is not looked for

Free = Callable[[Metered, Tensor, Tensor, int], None]  # model, images, labels, passes of one image
Within = Callable[[Metered, Tensor, Tensor, int, float], None]  # the same, and the radius


@dataclass(frozen=True)
class Contestant:
    """An attack in one norm.

    Args:
        name: Its name.
        source: Whose it is: ``stillproof``, or a library.
        free: Looks for the nearest change by itself.
        within: Looks for any change within a ball; its radius is searched for.
        version: What else decides its numbers.
    """

    name: str
    source: str
    free: Free | None = None
    within: Within | None = None
    version: str = ""

    @property
    def reference(self) -> str:
        """Return what it is called: ``fmn``, or ``adv-lib/fmn``."""
        return self.name if self.source == "stillproof" else f"{self.source}/{self.name}"

    def run(self, model: Metered) -> None:
        """Attack the images of a model that counts; what came of it is what that remembers."""
        right = model.clean_right
        if not right.any():
            return
        if self.free is not None:
            self.free(model, model.images[right], model.labels[right], model.budget)
        else:
            assert self.within is not None
            _search(self.within, model)


def _search(within: Within, model: Metered) -> None:
    """Double the radius of each image until it is fooled, then halve the interval in which the border lies."""
    most = largest(model.norm, model.images[0].numel())
    low, high = torch.zeros_like(model.nearest), torch.full_like(model.nearest, float("inf"))  # failed, and fooled
    radii = torch.full_like(low, FIRST[model.norm])
    open_ = model.clean_right.clone()
    for _ in range(2 * SEARCHES):  # attacks that end early have passes left for more than SEARCHES radii
        if not open_.any():
            return
        for radius in sorted(set(radii[open_].tolist())):
            rows = (open_ & (radii == radius)).nonzero().squeeze(1)
            within(model, model.images[rows], model.labels[rows], max(1, model.budget // SEARCHES), radius)
        # What fooled the model may be nearer than the radius, but halves stay on a grid, so that images share them.
        failed = model.nearest > radii * (1 + ROUNDING)
        low, high = torch.where(failed, radii, low), torch.where(failed, high, radii)
        radii = torch.where(high.isinf(), (2 * radii).clamp(max=most), (low + high) / 2)
        spent = model.forwards + model.backwards
        settled = torch.where(high.isinf(), low >= most, high - low <= CLOSE * high)
        open_ &= (spent < model.budget) & ~settled
