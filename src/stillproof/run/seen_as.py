"""What becomes of a real image in a distilled set, so that images of both are compared alike."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional as F

from stillproof.core.types import Distilled
from stillproof.run.nearest import Seen, as_they_are
from stillproof.transforms.front import Front


def seen_as(distilled: Distilled, front: Front) -> Seen:
    """Return it: where a set holds four images in one, a real one is halved and enlarged."""
    if distilled.decode == "none":
        return as_they_are

    def seen(pixels: Tensor) -> Tensor:
        height, width = pixels.shape[2:]
        halved = F.adaptive_avg_pool2d(front(pixels), (height // 2, width // 2))
        return front.inverse(F.interpolate(halved, (height, width), mode="bilinear"))

    return seen
