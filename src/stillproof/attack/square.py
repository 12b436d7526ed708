"""Square: random search with squares, which asks the model for logits and never for gradients."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from torch import Tensor

from stillproof.attack.base.attack import BoundedAttack
from stillproof.attack.base.crafting import Crafting
from stillproof.attack.base.losses import LOSSES
from stillproof.attack.base.norms import Norm, by_image
from stillproof.core.components import attacks
from stillproof.core.presets import Preset

DRAWN = 250  # queries whose draws are made at once: a generator for each of them would take as long as the model
LEAST = 3  # pixels, of a side in L2
ALL = 10_000  # queries that the schedule of the squares' size was made for
HALVED_AFTER = (10, 50, 200, 500, 1000, 2000, 4000, 6000, 8000)  # of those
TILES = 5  # along each side, at the start in L2
SMALL = 1e-12  # what keeps a division finite


@attacks.register("square", version=1, paper="arXiv:1912.00049")
@dataclass(frozen=True)
class Square(BoundedAttack):
    """Change a square at random, and keep what brings the best wrong class nearer.

    Args:
        eps: Radius of the ball, in pixels of [0, 1].
        queries: The most changed images that the model is asked about, for each image.
        norm: Norm of the ball.
        p_init: Share of an image that the first squares change.
        rescaled: Whether the schedule of the squares' size, made for 10,000 queries, is stretched over those there are.
        restarts: Number of runs, each on the images that are not fooled yet.
        gives_back: Whether images that are not fooled come back as they were, and not as near to it as they came; those
            that need no change are then left alone.
        loss: What a square must make larger to be kept: the margin of the best wrong class, or the cross-entropy.
    """

    queries: int = 5000
    norm: Literal["Linf", "L2"] = "Linf"
    p_init: float = 0.8
    rescaled: bool = True
    restarts: int = 1
    gives_back: bool = False
    loss: Literal["margin", "ce"] = "margin"

    presets: ClassVar[Sequence[Preset]] = (Preset("smoke", {"queries": 20}),)

    def __post_init__(self) -> None:
        """Refuse a search without questions."""
        super().__post_init__()
        for name in ("queries", "restarts"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        if not 0 < self.p_init <= 1:
            raise ValueError(f"p_init must be above 0 and at most 1, not {self.p_init:g}")

    @property
    def measured_in(self) -> Norm:
        """Return the norm of the ball."""
        return self.norm

    @property
    def tries(self) -> int:
        """Return the number of restarts."""
        return self.restarts

    @property
    def passes(self) -> float:
        """Return the most passes of one image: the clean one, the queries, and the best of them once more."""
        return 1 + self.tries * (self.queries + 1)

    def craft(self, crafting: Crafting) -> None:
        """Propose and keep; images that are fooled leave, where they may."""
        if self.gives_back:
            crafting = crafting.only(crafting.unfooled())
        best, rated = self._start(crafting), LOSSES[self.loss]
        lead = rated(crafting.logits(best), crafting.labels, crafting.targets)
        drawn = torch.empty(len(crafting), 0, device=best.device)
        crafting, best, lead, drawn = _left(crafting, best, lead, drawn)
        for number in range(self.queries - 1):
            if not len(crafting):
                return
            if number % DRAWN == 0:
                drawn = crafting.streams.uniform((DRAWN, 5 + best.shape[1]), "squares", number)
            points = self._proposal(crafting, best, drawn[:, number % DRAWN], number)
            found = rated(crafting.logits(points), crafting.labels, crafting.targets)
            better = found > lead
            best = torch.where(by_image(better, best), points, best)
            lead = torch.where(better, found, lead)
            crafting, best, lead, drawn = _left(crafting, best, lead, drawn)
        if len(crafting):
            crafting.finish(best)
        if self.gives_back:
            crafting.only(crafting.unfooled()).give_back()

    def _start(self, crafting: Crafting) -> Tensor:
        """Return vertical stripes at the border of the cube, or pyramids all over the image at that of the L2 ball."""
        images = crafting.images
        channels, height, width = images.shape[1:]
        if self.norm == "Linf":
            change = signs(crafting.streams.uniform((channels, 1, width), "stripes")).to(images)
        else:
            change = tiled(images, crafting.streams.uniform((channels + 1, height, width), "tiles"))
        return crafting.limits.project(images, images + self.eps * change)

    def _proposal(self, crafting: Crafting, best: Tensor, draws: Tensor, number: int) -> Tensor:
        """Return the best points so far with one square changed."""
        images, (height, width) = crafting.images, best.shape[2:]
        share = share_changed(number, self.queries if self.rescaled else None, self.p_init)
        if self.norm == "L2":
            side = side_of(share, height, width, LEAST)
            odd = min(side + 1 - side % 2, height, width)
            change = moved_mass(best - images, draws, odd, self.eps)
            return crafting.limits.project(images, images + change)
        square = windows(draws[:, :2], side_of(share, height, width), height, width).inside
        colour = self.eps * signs(draws[:, 5:, None, None]).to(images)
        return torch.where(square, crafting.limits.project(images, images + colour), best)


def _left(crafting: Crafting, best: Tensor, lead: Tensor, drawn: Tensor) -> tuple[Crafting, Tensor, Tensor, Tensor]:
    """Return the images that go on, and what belongs to them."""
    kept = crafting.staying()
    if bool(kept.all()):
        return crafting, best, lead, drawn
    return crafting.only(kept), best[kept], lead[kept], drawn[kept]


def share_changed(query: int, queries: int | None, first: float) -> float:
    """Return the share of an image that a proposal changes (section 3.2 of the paper).

    Args:
        query: Number of the query, from 0.
        queries: All of them, if the schedule is stretched over these; None if it is left as it is.
        first: The share at the beginning.
    """
    at = query if queries is None else int(query / queries * ALL)
    return float(first / 2 ** sum(at > after for after in HALVED_AFTER))


def side_of(share: float, height: int, width: int, least: int = 1) -> int:
    """Return the side, in pixels, of a square that covers a share of an image and fits into it."""
    return min(max(round(math.sqrt(share * height * width)), least), height, width)


@dataclass(frozen=True)
class Windows:
    """One window per image.

    Args:
        inside: Which pixels lie in it, (N, 1, H, W).
        rows: How far below its upper side each line of pixels lies, (N, H).
        columns: How far right of its left side each column lies, (N, W).
    """

    inside: Tensor
    rows: Tensor
    columns: Tensor


def windows(draws: Tensor, side: int, height: int, width: int) -> Windows:
    """Place windows by draws from [0, 1), (N, 2); any place is as likely as any other."""
    spaces = torch.tensor([height - side + 1, width - side + 1], device=draws.device)
    top, left = (draws * spaces).floor().long().unsqueeze(2).unbind(1)
    rows = torch.arange(height, device=draws.device) - top
    columns = torch.arange(width, device=draws.device) - left
    inside = ((rows >= 0) & (rows < side)).unsqueeze(2) & ((columns >= 0) & (columns < side)).unsqueeze(1)
    return Windows(inside.unsqueeze(1), rows, columns)


def signs(draws: Tensor) -> Tensor:
    """Return -1 or 1 for each draw from [0, 1)."""
    return 1 - 2 * (draws < 0.5).float()


def pyramids(side: int) -> Tensor:
    """Return two pyramids side by side, (side, side), of size 1 in L2: the upper half up, the lower half down."""
    found = torch.cat([_pyramid(side // 2, side), -_pyramid(side - side // 2, side)])
    return found / found.square().sum().sqrt()


def _pyramid(height: int, width: int) -> Tensor:
    """Return rectangles of size 1, 1/4, 1/9 ... on each other, each wider than the one on it, of size 1 together."""
    steps = max(height, width) // 2 + 1
    heights = (1 / torch.arange(1, steps + 1) ** 2).flip(0).cumsum(0).flip(0)
    ring = torch.maximum(
        (torch.arange(height) - height // 2).abs().unsqueeze(1), (torch.arange(width) - width // 2).abs()
    )
    found = heights[ring]
    return found / found.square().sum().sqrt().clamp(min=SMALL)


def tiled(like: Tensor, draws: Tensor) -> Tensor:
    """Return changes of size 1 that fill images with pyramids, of random sign and lying either way.

    Args:
        like: Images, (N, C, H, W).
        draws: From [0, 1), (N, C + 1, H, W); one for each tile is used.
    """
    height, width = like.shape[2:]
    side = max(1, min(height, width) // TILES)
    rows, columns = (_tile_of(length, side) for length in (height, width))
    pattern = pyramids(side).to(like)
    up, across = (one[rows[1]][:, columns[1]] for one in (pattern, pattern.T))
    chosen = draws[:, :, rows[0]][:, :, :, columns[0]].to(like)
    change = torch.where(chosen[:, :1] < 0.5, up, across) * signs(chosen[:, 1:]).to(like)
    return change / _size(change, (1, 2, 3))


def _tile_of(length: int, side: int) -> tuple[Tensor, Tensor]:
    """Return for each of so many pixels the number of its tile, and its place there; at the end tiles are cut off."""
    at = torch.arange(length)
    return at // side, at % side


def moved_mass(change: Tensor, draws: Tensor, side: int, eps: float) -> Tensor:
    """Return other changes of size eps, whose mass in one window goes, in the form of pyramids, to another.

    Args:
        change: Changes so far, (N, C, H, W).
        draws: From [0, 1), (N, 5 + C): places of both windows, how the pyramids lie, and their sign in each channel.
        side: Side of the windows.
        eps: Radius of the ball.
    """
    channels, height, width = change.shape[1:]
    to, away = (windows(draws[:, place : place + 2], side, height, width) for place in (0, 2))
    new = _placed(pyramids(side).to(change), to, draws[:, 4]) * signs(draws[:, 5:, None, None]).to(change)
    old = change * to.inside
    new = new + old / (_size(old) + SMALL)
    mass = _size(change * (to.inside | away.inside)).square()
    unused = (eps**2 - _size(change, (1, 2, 3)).square()).clamp(min=0)
    new = new / (_size(new) + SMALL) * (unused / channels + mass).sqrt()
    moved = torch.where(to.inside, new, change.masked_fill(away.inside, 0.0))
    size = _size(moved, (1, 2, 3))  # none is left where all that there was is taken away, in very small images
    return torch.where(size > 0, moved * (eps / (size + SMALL)), change)


def _placed(pattern: Tensor, to: Windows, lies: Tensor) -> Tensor:
    """Return a pattern in each image's window, upright or lying, (N, 1, H, W)."""
    last = len(pattern) - 1
    rows, columns = to.rows.clamp(0, last).unsqueeze(2), to.columns.clamp(0, last).unsqueeze(1)
    upright = (lies < 0.5).view(-1, 1, 1)
    return torch.where(upright, pattern[rows, columns], pattern[columns, rows]).unsqueeze(1) * to.inside


def _size(change: Tensor, axes: tuple[int, ...] = (2, 3)) -> Tensor:
    return change.square().sum(axes, keepdim=True).sqrt()
