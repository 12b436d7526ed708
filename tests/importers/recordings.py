"""Records labels as SRe2L's relabelling does: torch's own sampler, pictures cut by Pillow, one file per batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from PIL import Image
from torch import Tensor
from torch.utils.data import BatchSampler, RandomSampler

CLASSES, EACH, SIZE = 3, 5, 8
COUNT = CLASSES * EACH
Mix = Literal["none", "mixup", "cutmix"]


@dataclass
class Recording:
    """What was written: for every batch the images that the teacher saw, and its logits."""

    pictures: Path
    labels: Path
    seen: list[list[Tensor]] = field(default_factory=list)
    logits: list[list[Tensor]] = field(default_factory=list)
    order: list[list[list[int]]] = field(default_factory=list)


def write_pictures(root: Path) -> list[Image.Image]:
    rng = np.random.default_rng(3)
    pictures = []
    for c in range(CLASSES):
        (root / f"new{c:03d}").mkdir(parents=True)
        for i in range(EACH):
            pictures.append(Image.fromarray(rng.integers(0, 256, (SIZE, SIZE, 3), dtype=np.uint8)))
            pictures[-1].save(root / f"new{c:03d}" / f"class{c:03d}_id{i:03d}.png")
    return pictures


def record(
    root: Path,
    mix: Mix = "cutmix",
    *,
    epochs: int = 3,
    batch: int = 4,
    seed: int = 42,
    with_index: bool = False,
    change: Callable[[list[Any]], list[Any]] = lambda value: value,
) -> Recording:
    """Write pictures and a recording; ``change`` may spoil what a batch's file holds."""
    made = Recording(root / "pictures", root / "fkd")
    pictures, rng = write_pictures(made.pictures), np.random.default_rng(5)
    everyone = list(range(COUNT))
    sampler = RandomSampler(everyone, generator=torch.Generator().manual_seed(seed))
    for epoch in range(epochs):
        folder = made.labels / f"epoch_{epoch}"
        folder.mkdir(parents=True)
        for part in (made.seen, made.logits, made.order):
            part.append([])
        for number, index in enumerate(BatchSampler(sampler, batch, drop_last=False)):
            value, images = _batch(pictures, index, mix, rng)
            torch.save(change([*value, torch.tensor(index)] if with_index else value), folder / f"batch_{number}.tar")
            made.seen[epoch].append(images)
            made.logits[epoch].append(value[5])
            made.order[epoch].append(index)
    return made


def _batch(
    pictures: list[Image.Image], index: list[int], mix: Mix, rng: np.random.Generator
) -> tuple[list[Any], Tensor]:
    coords, flips, cut = [], [], []
    for i in index:
        height, width = rng.integers(2, SIZE + 1, 2)
        top, left = rng.integers(0, SIZE - height + 1), rng.integers(0, SIZE - width + 1)
        box = (int(left), int(top), int(left + width), int(top + height))
        picture = pictures[i].crop(box).resize((SIZE, SIZE), Image.Resampling.BILINEAR)
        flips.append(bool(rng.random() < 0.5))
        if flips[-1]:
            picture = picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        coords.append((top / SIZE, left / SIZE, height / SIZE, width / SIZE))
        cut.append(torch.from_numpy(np.asarray(picture).copy()).permute(2, 0, 1) / 255)
    images = torch.stack(cut)
    partner, share, edges = None, None, None
    if mix != "none":
        partner, share = torch.from_numpy(rng.permutation(len(index))), float(rng.beta(1, 1))
    if mix == "mixup" and share is not None:
        images = share * images + (1 - share) * images[partner]
    if mix == "cutmix":
        a, b = np.sort(rng.integers(0, SIZE + 1, (2, 2)), axis=0)
        edges = [a[0], a[1], b[0], b[1]]  # numpy's own integers, as they are pickled
        images[:, :, a[0] : b[0], a[1] : b[1]] = images[partner, :, a[0] : b[0], a[1] : b[1]]
    logits = 2 * torch.from_numpy(rng.standard_normal((len(index), CLASSES)))
    logits[range(len(index)), [i // EACH for i in index]] += 4
    return [torch.tensor(coords).float(), torch.tensor(flips), partner, share, edges, logits.half()], images
