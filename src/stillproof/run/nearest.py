"""Finds the real image that each of some images is nearest to, wherever it was moved by a few pixels or mirrored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from stillproof.core.types import ImageSet

COARSE = 6  # sides of the small pictures by which candidates are found
LIKELY = 6  # pairs of a candidate and a shift that are looked at closely, where a search is to be fast
CANDIDATES = 8  # real images that are looked at closely, for each image
ASKED = 250  # images whose candidates are found at once
READ = 2**22  # floats of real images that are read at once, 16 MB
VALUES = 2**24  # floats that are compared at once, 64 MB
BLOCK, ROWS = (
    2**19,
    1000,
)  # floats of a block that stays in a processor's cache, 2 MB, and its lines: a fourth of the time

# What becomes of real images before they are compared: where a set holds four in one, they are halved and enlarged too.
Seen = Callable[[Tensor], Tensor]


def as_they_are(pixels: Tensor) -> Tensor:
    """Return the images unchanged."""
    return pixels


def reach(size: int) -> int:
    """Return by how many pixels images of a size may be moved: 1 of digits, 2 of CIFAR-10, 3 at most."""
    return max(1, min(3, size // 14))


def in_parts(data: ImageSet) -> Iterator[slice]:
    """Yield all images of a data set in parts that are not too large to be held as floats."""
    step = max(1, READ // data.images[0].numel())
    return (slice(start, start + step) for start in range(0, len(data), step))


def stride(channels: int) -> int:
    """Return from which shift to the next candidates are looked for.

    Of copies that were moved by one pixel, every second shift finds all among images of CIFAR-10, and half of those
    among drawings as sharp as MNIST's, whose small pictures are cheap.
    """
    return 1 if channels == 1 else 2


@dataclass(frozen=True)
class Nearest:
    """The nearest real image of each of N images.

    Args:
        index: Its place among the real ones, (N,) int64.
        distance: Root mean square of the difference of pixels in [0, 1], in the middle of both, (N,) float32.
        shift: Rows and columns by which the image lies lower and further right than the real one, (N, 2) int64.
        mirrored: Whether it is its mirror image, (N,) bool.
    """

    index: Tensor
    distance: Tensor
    shift: Tensor
    mirrored: Tensor


class RealImages:
    """Real images that others are compared with.

    Candidates are found by small pictures of all of them, and then compared pixel by pixel at every shift, as they are
    and mirrored.
    """

    def __init__(self, data: ImageSet, device: str, seen: Seen = as_they_are) -> None:
        """Read all images once.

        Args:
            data: The real images.
            device: Where to compute.
            seen: What becomes of them first.
        """
        self.data, self.device, self._seen = data, device, seen
        self._reach = reach(data.info.size)
        first = _small(self._middles(slice(0, 1)))
        # Filled part by part: small results between large freed ones would leave memory that nobody can use.
        self._small = first.new_empty(len(data), first.shape[1])
        for part in in_parts(data):
            self._small[part] = _small(self._middles(part))
        self._squares = self._small.square().sum(1)

    @torch.no_grad()
    def nearest(self, images: Tensor, leave_out: Tensor | None = None, *, thorough: bool = True) -> Nearest:
        """Return the nearest real image of each image.

        Args:
            images: Pixels (N, C, H, W); what lies outside [0, 1] is cut off, which brings them no further from any
                real image.
            leave_out: For each image the place of a real one that does not count, such as itself; below 0 for none.
            thorough: Whether all candidates are compared at all shifts, and found at several even where images have
                colours. Without, it takes a tenth of the time, and one in twenty copies that were moved by two
                pixels is missed.
        """
        parts = []
        for start in range(0, len(images), ASKED):
            asked = images[start : start + ASKED].to(self.device).clamp(0, 1)
            left = None if leave_out is None else leave_out[start : start + ASKED].to(self.device)
            places = self._candidates(asked, left, thorough)
            parts.append(self._closest(asked, places, thorough))
        return _joined(parts)

    def _middles(self, index: Tensor | slice) -> Tensor:
        """Return real images without their edges, so that all shifts are compared by as many pixels."""
        edge = self._reach
        return self._seen(self.data.read(index, self.device))[:, :, edge:-edge, edge:-edge]

    def _candidates(self, images: Tensor, leave_out: Tensor | None, thorough: bool) -> Tensor:
        """Return the places (N, K) of those real images whose small pictures are most like that of an image."""
        edge, grey = self._reach, images.shape[1] == 1
        at = range(0, 2 * edge + 1, stride(images.shape[1])) if thorough or grey else (edge,)
        ways = _moved(images, edge, at)
        asked = torch.stack([_small(moved) for moved in ways], 1)
        step = max(1, VALUES // len(images))
        found: list[tuple[Tensor, Tensor]] = []
        for start in range(0, len(self._small), step):
            apart = self._apart(asked, slice(start, start + step))
            if leave_out is not None:
                mine = (leave_out >= start) & (leave_out < start + apart.shape[1])
                apart[mine, leave_out[mine] - start] = torch.inf
            best = apart.topk(min(CANDIDATES, apart.shape[1]), largest=False)
            found.append((best.values, best.indices + start))
        values, places = (torch.cat(kept, 1) for kept in zip(*found, strict=True))
        order = values.topk(min(CANDIDATES, values.shape[1]), largest=False)
        places = places.gather(1, order.indices)
        # Where all but a few are left out, the first stands for what is missing.
        return torch.where(order.values.isfinite(), places, places[:, :1])

    def _apart(self, asked: Tensor, part: slice) -> Tensor:
        """Return how far small pictures (n, ways, D) are from those of real images, (n, M), at the best of all ways."""
        count, each = asked.shape[:2]
        real, squares = self._small[part], self._squares[part, None]
        # |a - b|^2 as one product, of (-2a, 1, a^2) and (b, b^2, 1)
        real = torch.cat([real, squares, torch.ones_like(squares)], 1)
        mine = asked.square().sum(2, keepdim=True)
        asked = torch.cat([-2 * asked, torch.ones_like(mine), mine], 2)
        found = asked.new_empty(count, len(real))
        values = BLOCK if asked.device.type == "cpu" else VALUES
        rows = max(1, ROWS // each)
        columns = max(1, values // (rows * each))
        for left in range(0, len(real), columns):
            across = real[left : left + columns].T.contiguous()
            for top in range(0, count, rows):
                here = asked[top : top + rows]
                apart = (here.flatten(0, 1) @ across).view(*here.shape[:2], -1)
                found[top : top + rows, left : left + columns] = apart.amin(1)
        return found

    def _closest(self, images: Tensor, candidates: Tensor, thorough: bool) -> Nearest:
        """Return the candidate that is nearest pixel by pixel."""
        compare, ways = (self._compare, 2 * (2 * self._reach + 1) ** 2) if thorough else (self._likely, LIKELY)
        step = max(1, VALUES // (images[0].numel() * ways))
        parts = zip(torch.split(images, step), torch.split(candidates, step), strict=True)
        return _joined([compare(part, places) for part, places in parts])

    def _likely(self, images: Tensor, candidates: Tensor) -> Nearest:
        """Return the nearest of those candidates and shifts that small pictures say are likely."""
        across = 2 * self._reach + 1
        small = _small_moved(images, self._reach)
        there = self._small[candidates]  # (n, K, D)
        apart = there.square().sum(2)[:, None] - 2 * small @ there.transpose(1, 2) + small.square().sum(2)[:, :, None]
        pairs = apart.flatten(1).topk(LIKELY, largest=False).indices  # (n, L)
        way, which = pairs // candidates.shape[1], pairs % candidates.shape[1]
        mirrored, at = way >= across**2, way % across**2
        top, left = at // across, at % across
        row = torch.arange(len(images), device=images.device)
        moved = _cut(images, row, top, left, mirrored, images.shape[2] - 2 * self._reach)
        places = candidates.gather(1, which)
        real = self._middles(places.flatten().cpu()).view(moved.shape)
        distance = (moved - real).square().flatten(2).mean(2).sqrt()
        best = distance.argmin(1)
        shift = torch.stack([top[row, best], left[row, best]], 1) - self._reach
        found = (places[row, best], distance[row, best], shift, mirrored[row, best])
        return Nearest(*(part.cpu() for part in found))

    def _compare(self, images: Tensor, places: Tensor) -> Nearest:
        moved = torch.stack(
            [one.flatten(1) for one in _moved(images, self._reach, range(2 * self._reach + 1))], 1
        )  # (n, ways, D)
        real = self._middles(places.flatten().cpu()).flatten(1).view(*places.shape, -1)  # (n, K, D)
        apart = moved.square().sum(2)[:, :, None] - 2 * moved @ real.transpose(1, 2) + real.square().sum(2)[:, None]
        best = apart.flatten(1).argmin(1)
        way, which = best // places.shape[1], best % places.shape[1]
        row = torch.arange(len(images), device=best.device)
        # Once more without the rounding that large squares bring, so that a copy is at distance 0.
        distance = (moved[row, way] - real[row, which]).square().mean(1).sqrt()
        across = 2 * self._reach + 1
        at = way % across**2
        shift = torch.stack([at // across, at % across], 1) - self._reach
        found = (places[row, which], distance, shift, way >= across**2)
        return Nearest(*(part.cpu() for part in found))


def _joined(parts: list[Nearest]) -> Nearest:
    return Nearest(*(torch.cat([getattr(one, name) for one in parts]) for name in Nearest.__dataclass_fields__))


def _moved(images: Tensor, edge: int, places: Sequence[int]) -> Iterator[Tensor]:
    """Yield the middle of all images (N, C, h, w) at each pair of places, first as they are and then mirrored.

    Places reach from 0, ``edge`` pixels to one side, to twice as many, as far to the other.
    """
    height, width = (length - 2 * edge for length in images.shape[2:])
    for version in (images, images.flip(3)):
        for top in places:
            for left in places:
                yield version[:, :, top : top + height, left : left + width]


def _cut(images: Tensor, row: Tensor, top: Tensor, left: Tensor, mirrored: Tensor, size: int) -> Tensor:
    """Return squares (n, L, C, size, size) of images (n, C, H, W), each from its own place (n, L), mirrored or not."""
    versions = torch.stack([images, images.flip(3)], 1)
    along = torch.arange(size, device=images.device)
    rows, columns = (top[..., None] + along)[..., :, None], (left[..., None] + along)[..., None, :]
    cut = versions[row[:, None, None, None], mirrored.long()[..., None, None], :, rows, columns]
    return cut.movedim(-1, 2)


def _small(images: Tensor) -> Tensor:
    """Return small pictures as rows (N, D)."""
    pool = _pool(images.shape[-1], images.device)
    return (pool @ images @ pool.T).flatten(1)


def _small_moved(images: Tensor, edge: int) -> Tensor:
    """Return small pictures (n, ways, D) of all that ``_moved`` yields at every shift."""
    inner, across, size = images.shape[2] - 2 * edge, 2 * edge + 1, images.shape[2]
    pool = _pool(inner, images.device)
    side = len(pool)
    shifted = torch.stack([F.pad(pool, (at, size - inner - at)) for at in range(across)]).flatten(0, 1)
    found = []
    for version in (images, images.flip(3)):
        sums = (shifted @ version @ shifted.T).view(*images.shape[:2], across, side, across, side)
        found.append(sums.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2))  # (n, across * across, C * side * side)
    return torch.cat(found, 1)


def _pool(size: int, device: torch.device) -> Tensor:
    """Return what makes small pictures of images as a product, which is much faster than pooling, (side, size)."""
    return F.adaptive_avg_pool1d(torch.eye(size, device=device)[None], min(COARSE, size))[0].T
