"""FAB: along the border of the class, ever nearer to the image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from stillproof.attack.base.attack import Attack
from stillproof.attack.base.crafting import Crafting
from stillproof.attack.base.norms import ORDERS, Norm, by_image, sizes
from stillproof.core.components import attacks
from stillproof.core.presets import Preset

SHORT = 1e-8  # a way that counts as none
VALUES = 2**26  # of gradients that are held at once: of hundreds of classes they would take gigabytes
DUAL: dict[Norm, float] = {"Linf": ORDERS["L1"], "L2": ORDERS["L2"], "L1": ORDERS["Linf"]}
ROUNDS = 64  # of the search for a way, which ends after a few, as soon as no other value meets the end of its range


@attacks.register("fab", version=1, paper="arXiv:1907.02044")
@dataclass(frozen=True)
class FAB(Attack):
    """Go to where the border would be if the network were linear, drawn to the image, and back a little once across.

    Within another attack's ball only what lies in it counts.

    Args:
        steps: Number of steps.
        norm: The norm that changes are measured in.
        alpha_max: The most weight of the way from the image itself, against that from the last point.
        eta: How far to go, as a share of the way to the border.
        beta: Share of the change that is left once the border is crossed.
        farthest: Size of a change beyond which an image stays as it was; without a number, the nearest one counts
            wherever it is.
    """

    steps: int = 100
    norm: Norm = "Linf"
    alpha_max: float = 0.1
    eta: float = 1.05
    beta: float = 0.9
    farthest: float | None = None

    has_target = False
    leaves = False
    nearest = True
    presets: ClassVar[Sequence[Preset]] = (Preset("smoke", {"steps": 5}),)

    def __post_init__(self) -> None:
        """Refuse steps that lead nowhere."""
        if self.steps < 1:
            raise ValueError(f"steps must be at least 1, not {self.steps}")
        for name in ("alpha_max", "beta"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must lie in [0, 1], not at {getattr(self, name):g}")
        if self.eta < 1:
            raise ValueError(f"eta must be at least 1, not {self.eta:g}")
        if self.farthest is not None and not self.farthest > 0:
            raise ValueError(f"farthest must be above 0, not {self.farthest:g}")

    @property
    def measured_in(self) -> Norm:
        """Return the norm of the changes."""
        return self.norm

    @property
    def radius(self) -> float | None:
        """Return how far images may be changed; None if there is no bound."""
        return self.farthest

    @property
    def passes(self) -> float:
        """Return the most passes of one image for ten classes: the clean one, and for each step twelve."""
        return 1 + self.steps * 12

    def craft(self, crafting: Crafting) -> None:
        """Search with the images that are not wrong already."""
        self.search(crafting.looked().only(crafting.unfooled()))

    def search(self, crafting: Crafting) -> None:
        """Make the steps; images leave once a point in the ball is found, where they may."""
        points = crafting.images
        for _ in range(self.steps):
            if not len(crafting):
                return
            slopes, heights = nearest_border(crafting, points, self.norm)
            points = self._nearer(crafting, points, slopes, heights)
            logits = crafting.peek(points)
            crossed = crafting.fools(logits)
            crafting.judge(points, logits, where=crossed & inside_ball(crafting, points, self.norm))
            back = crafting.images + self.beta * (points - crafting.images)
            points = torch.where(by_image(crossed, points), back, points)
            kept = crafting.staying()
            if not bool(kept.all()):
                crafting, points = crafting.only(kept), points[kept]
        if not crafting.judged:
            crafting.finish(points)

    def _nearer(self, crafting: Crafting, points: Tensor, slopes: Tensor, heights: Tensor) -> Tensor:
        """Return the points after a step: where the ways from the last point and from the image lead, weighed."""
        images, limits = crafting.images, crafting.limits
        low, high = limits.low(images), limits.high(images)
        at_image = heights + (slopes * (images - points).flatten(1)).sum(1)

        def way(start: Tensor, height: Tensor) -> tuple[Tensor, Tensor]:
            down, up = (start - low).flatten(1), (high - start).flatten(1)
            found = way_to_hyperplane(slopes, height, down, up, self.norm).view_as(start)
            return found, sizes(found, self.norm).clamp(min=SHORT)

        on, length = way(points, heights)
        anew, length_anew = way(images, at_image)
        alpha = by_image((length / (length + length_anew)).clamp(max=self.alpha_max), points)
        mixed = (1 - alpha) * (points + self.eta * on) + alpha * (images + self.eta * anew)
        return torch.minimum(torch.maximum(mixed, low), high)


def inside_ball(crafting: Crafting, points: Tensor, norm: Norm) -> Tensor:
    """Say which points lie in the ball, if there is one."""
    far = sizes(points - crafting.images, norm)
    return far <= (float("inf") if crafting.limits.eps is None else crafting.limits.eps)


def nearest_border(crafting: Crafting, points: Tensor, norm: Norm) -> tuple[Tensor, Tensor]:
    """Return the slopes, (N, D), and heights, (N,), of the difference of logits that is zero at the nearest border.

    That is the border to the class that images are aimed at, if they are, else that to any other class: whichever is
    nearest if the network were linear at the points.
    """
    if crafting.targets is not None:
        gradient, logits = crafting.ask(points, _lead)
        return gradient.flatten(1), _lead(logits, crafting.labels, crafting.targets)
    assert crafting.clean_logits is not None
    count = crafting.clean_logits.shape[1]
    at_once = max(1, VALUES // (count * points[0].numel()))
    parts = torch.split(torch.arange(len(points), device=points.device), at_once)
    if len(parts) == 1:
        return _of_all(crafting, points, norm, count)
    found = []
    for part in parts:
        kept = torch.zeros(len(points), dtype=torch.bool, device=points.device)
        kept[part] = True
        found.append(_of_all(crafting.only(kept), points[part], norm, count))
    slopes, heights = zip(*found, strict=True)
    return torch.cat(slopes), torch.cat(heights)


def _of_all(crafting: Crafting, points: Tensor, norm: Norm, count: int) -> tuple[Tensor, Tensor]:
    """Return slopes and heights of the nearest of all borders, from the gradients of all logits."""
    classes = torch.arange(count, device=points.device).expand(len(points), -1)
    counts = None if crafting.limits.eps is None else inside_ball(crafting, points, norm)
    gradients, logits = crafting.jacobian(points, classes, where=counts)
    rows, own = torch.arange(len(points), device=points.device), crafting.labels
    slopes = gradients.flatten(2) - gradients[rows, own].flatten(1).unsqueeze(1)
    heights = logits - logits.gather(1, own.unsqueeze(1))
    steepness = torch.linalg.vector_norm(slopes, DUAL[norm], dim=2)
    ways = (heights.abs() / steepness.clamp(min=1e-12)).scatter(1, own.unsqueeze(1), float("inf"))
    nearest = ways.argmin(1)
    return slopes[rows, nearest], heights[rows, nearest]


def _lead(logits: Tensor, labels: Tensor, targets: Tensor | None) -> Tensor:
    """Return by how much the target is above the true class."""
    assert targets is not None
    return (logits.gather(1, targets.unsqueeze(1)) - logits.gather(1, labels.unsqueeze(1))).squeeze(1)


def way_to_hyperplane(slopes: Tensor, height: Tensor, down: Tensor, up: Tensor, norm: Norm) -> Tensor:
    """Return the shortest way from a point to a hyperplane within the range of pixels (section 2.2 of the paper).

    That is how far to move each value, (N, D); as far as the range allows, where the hyperplane lies outside it.

    Args:
        slopes: Gradient of a linear function, (N, D).
        height: Its value at the point, (N,), which shall become zero.
        down: How far each value may fall, (N, D), not negative.
        up: How far it may rise, (N, D), not negative.
        norm: What the way is short in.
    """
    against = -(slopes * height.sign().unsqueeze(1)).sign()  # the direction in which each value helps
    scale = slopes.abs().amax(1).clamp(min=1e-30)  # the same hyperplane, without numbers too large to square
    steep, need = slopes.abs() / scale.unsqueeze(1), height.abs() / scale
    room = torch.where(against > 0, up, down).masked_fill(steep == 0, 0.0)
    if norm == "L1":
        return against * _one_after_the_other(steep, need, room)
    speed = torch.ones_like(steep) if norm == "Linf" else steep
    return against * _all_at_once(steep, need, room, speed)


def _all_at_once(steep: Tensor, need: Tensor, room: Tensor, speed: Tensor) -> Tensor:
    """Move all values for the same time, each at its speed, until the sum of their shares is enough.

    Newton's method: the sum is a concave function of time, in pieces of straight lines. From the left it comes no
    later than is right, and gets there as soon as it is on the right piece.
    """
    ends = (room / speed).nan_to_num(nan=0.0, posinf=0.0)  # what has no speed helps nothing
    rates, whole = steep * speed, steep * room
    time = torch.zeros_like(need)
    for _ in range(ROUNDS):
        moving = ends > time.unsqueeze(1)
        rate = (rates * moving).sum(1)
        left = need - torch.where(moving, 0.0, whole).sum(1)
        later = torch.where(rate > 0, left / rate, time)
        if not bool((later > time).any()):
            break
        time = torch.maximum(time, later)
    return torch.minimum(time.unsqueeze(1) * speed, room)


def _one_after_the_other(steep: Tensor, need: Tensor, room: Tensor) -> Tensor:
    """Move the steepest value as far as it goes, then the next, until the sum of their shares is enough."""
    steepest, order = steep.sort(dim=1, descending=True)
    free = room.gather(1, order)
    whole = steepest * free
    before = whole.cumsum(1) - whole
    ways = ((need.unsqueeze(1) - before) / steepest).nan_to_num(nan=0.0, posinf=0.0, neginf=0.0)
    return torch.zeros_like(steep).scatter(1, order, torch.minimum(ways.clamp(min=0), free))
