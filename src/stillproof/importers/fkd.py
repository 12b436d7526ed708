"""Labels that a teacher gave anew in every epoch (FKD): epoch_E/batch_B.tar beside a folder of pictures.

Each file is what torch.save wrote of [coords, flip, mix_index, mix_lam, mix_bbox, logits], and, from G-VBSM, the
numbers of the images.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo, PerEpoch
from stillproof.importers.foreign_set import ForeignSet
from stillproof.importers.torch_file import load_torch
from stillproof.train.replay import pixel_boxes

ORDER_SEED = 42  # of SRe2L and of all that build on it
NO_BOX = (0, 0, 0, 0)
# torch's random sampler draws two permutations per pass, the second for a remainder that is never there; old versions
# of torch draw one.
DRAWS = (2, 1)
SURE = 4.0  # standard deviations that the agreement must be above chance


@dataclass(frozen=True)
class Batch:
    """A batch of B images; what is not mixed has share 1, itself as partner, and an empty box."""

    file: Path
    coords: Tensor  # (B, 4), float32: top, left, height and width as shares of the image
    flip: Tensor  # (B,), bool
    mix_index: Tensor  # (B,), int32
    mix_lambda: float
    mix_box: tuple[int, ...]  # first row, first column, row and column after the last
    logits: Tensor  # (B, classes)
    index: Tensor | None  # (B,): numbers of the images


def with_recorded_labels(
    pictures: ForeignSet, folder: Path, info: DataInfo, *, order_seed: int = ORDER_SEED
) -> ForeignSet:
    """Return a folder of pictures with the labels that were recorded for it, epoch by epoch.

    Args:
        pictures: The pictures, in the order of their sorted files.
        folder: Holds epoch_0/batch_0.tar and so on.
        info: The data set.
        order_seed: Seed of the sampler that shuffled the images, where their order is not recorded.

    Raises:
        BadInput: The recording is incomplete, damaged, or belongs to other pictures.
    """
    hard = pictures.labels.classes
    recorded = [_read_epoch(folder / f"epoch_{epoch}", info) for epoch in range(_epochs(folder))]
    for epoch, batches in enumerate(recorded):
        _check_count(folder / f"epoch_{epoch}", batches, recorded[0], len(hard))
    logits = _stack([[batch.logits for batch in batches] for batches in recorded])
    order, how = _order(recorded, logits, hard, order_seed, folder)
    labels = PerEpoch(
        values=hard,
        order=order.int(),
        coords=_stack([[batch.coords for batch in batches] for batches in recorded]),
        flip=_stack([[batch.flip for batch in batches] for batches in recorded]),
        mix_index=_stack([[batch.mix_index for batch in batches] for batches in recorded]),
        mix_lambda=torch.tensor([[batch.mix_lambda for batch in batches] for batches in recorded]),
        mix_box=torch.tensor([[batch.mix_box for batch in batches] for batches in recorded], dtype=torch.int32),
        logits=logits,
        batch=len(recorded[0][0].logits),
    )
    kept = f"labels of {labels.epochs} epochs were recorded, in batches of {labels.batch}"
    params = {"epochs": labels.epochs, "batch": labels.batch}
    files = (*pictures.files, *(batch.file for batches in recorded for batch in batches))
    return dataclasses.replace(
        pictures, labels=labels, recipe="fkd", recipe_params=params, found=(*pictures.found, kept, how), files=files
    )


def _epochs(folder: Path) -> int:
    if not (folder / "epoch_0").is_dir():
        raise BadInput(f"{folder} holds no folder epoch_0: recorded labels are epoch_0/batch_0.tar and so on.")
    count = len([item for item in folder.iterdir() if item.is_dir() and item.name.startswith("epoch_")])
    for epoch in range(count):
        if not (folder / f"epoch_{epoch}").is_dir():
            raise BadInput(f"{folder} holds {count} epochs, but no folder epoch_{epoch}: get it again.")
    return count


def _read_epoch(folder: Path, info: DataInfo) -> list[Batch]:
    count = len(list(folder.glob("batch_*.tar")))
    files = [folder / f"batch_{number}.tar" for number in range(max(count, 1))]
    for file in files:
        if not file.is_file():
            raise BadInput(f"{file} is missing: get the recorded labels again.")
    return [_read_batch(file, info) for file in files]


def _check_count(folder: Path, batches: list[Batch], first: list[Batch], images: int) -> None:
    sizes, expected = [len(batch.logits) for batch in batches], [len(batch.logits) for batch in first]
    if sum(sizes) != images:
        raise BadInput(f"{folder} holds labels of {sum(sizes)} images, but there are {images} pictures.")
    if sizes != expected or any(size != sizes[0] for size in sizes[:-1]) or sizes[-1] > sizes[0]:
        raise BadInput(f"the batches of {folder} are not of one size: get the recorded labels again.")


def _order(recorded: list[list[Batch]], logits: Tensor, hard: Tensor, seed: int, folder: Path) -> tuple[Tensor, str]:
    kept = [[batch.index for batch in batches if batch.index is not None] for batches in recorded]
    if not all(len(indices) == len(batches) for indices, batches in zip(kept, recorded, strict=True)):
        return _find_order(logits, hard, seed, folder)
    order = _stack(kept).long()
    everyone = torch.arange(len(hard))
    for epoch, images in enumerate(order):
        if not torch.equal(images.sort().values, everyone):
            raise BadInput(f"{folder / f'epoch_{epoch}'} does not label every picture once: get it again.")
    return order, "the order of the images is recorded"


def _stack(parts: list[list[Tensor]]) -> Tensor:
    return torch.stack([torch.cat(batches) for batches in parts])


def _read_batch(file: Path, info: DataInfo) -> Batch:
    """Read one file; what is not a batch of this data set is refused."""
    value = load_torch(file)
    if not (isinstance(value, list) and len(value) in (6, 7)):
        raise BadInput(f"{file} is not a recorded batch: a list of coords, flip, mix_index, mix_lam, mix_bbox, logits.")
    try:
        batch = _batch(file, value)
    except (TypeError, ValueError, RuntimeError) as error:
        raise BadInput(f"{file} is not a recorded batch: {error}.") from error
    wrong = _wrong(batch, info)
    if wrong:
        raise BadInput(f"{file} is not a recorded batch of {info.name}: {wrong}.")
    return batch


def _batch(file: Path, value: list[Any]) -> Batch:
    coords, flip, partner, share, box, logits, *index = value
    logits = torch.as_tensor(logits)
    added = partner is not None and box is None  # mixup; with a box, cutmix, whose share is the box's area
    return Batch(
        file=file,
        coords=torch.as_tensor(coords, dtype=torch.float32),
        flip=torch.as_tensor(flip, dtype=torch.bool),
        mix_index=torch.as_tensor(torch.arange(len(logits)) if partner is None else partner, dtype=torch.int32),
        mix_lambda=float(share) if added else 1.0,
        mix_box=NO_BOX if box is None else tuple(int(edge) for edge in box),
        logits=logits,
        index=torch.as_tensor(index[0]) if index else None,
    )


def _wrong(batch: Batch, info: DataInfo) -> str:
    """Return what does not fit; nothing, if all does."""
    count = len(batch.logits)
    shapes = {
        "coords": (batch.coords, (count, 4)),
        "flip": (batch.flip, (count,)),
        "mix_index": (batch.mix_index, (count,)),
        "logits": (batch.logits, (count, info.num_classes)),
    }
    for name, (tensor, shape) in shapes.items():
        if tuple(tensor.shape) != shape:
            return f"{name} has shape {tuple(tensor.shape)} instead of {shape}"
    if not (batch.logits.is_floating_point() and bool(batch.logits.isfinite().all())):
        return "its logits are not finite numbers"
    if count == 0 or int(batch.mix_index.min()) < 0 or int(batch.mix_index.max()) >= count:
        return "mix_index leads out of the batch"
    boxes = pixel_boxes(batch.coords, info.size, info.size)
    inside = (boxes[:, :2] >= 0).all() & (boxes[:, 2:] >= 1).all() & (boxes[:, :2] + boxes[:, 2:] <= info.size).all()
    if not bool(inside):
        return "its crops leave the image"
    if not 0 <= batch.mix_lambda <= 1:
        return f"mix_lam is {batch.mix_lambda}"
    if len(batch.mix_box) != 4 or not all(0 <= edge <= info.size for edge in batch.mix_box):
        return f"mix_bbox {batch.mix_box} leaves the {info.size} pixels of an image"
    if batch.index is not None and (tuple(batch.index.shape) != (count,) or batch.index.is_floating_point()):
        return "its seventh part does not number the images"
    return ""


def _find_order(logits: Tensor, classes: Tensor, seed: int, folder: Path) -> tuple[Tensor, str]:
    """Return the order (E, N) of the images in every pass, and one sentence that says how far it can be trusted.

    A wrong order pairs images with other images' labels, so that the teacher's first choice is the image's class only
    by chance: that decides between the two ways in which torch has drawn, and whether the seed is the right one.

    Args:
        logits: (E, N, classes), in the order of the recording.
        classes: (N,), in the order of the sorted picture files.
        seed: The seed of the recording's sampler.
        folder: Where the recording is, for messages.

    Raises:
        BadInput: No order agrees with the classes better than chance.
    """
    chosen = logits.argmax(2)
    orders = [draw_order(len(classes), len(logits), seed, draws) for draws in DRAWS]
    agreed = [float((classes[order] == chosen).float().mean()) for order in orders]
    best = agreed.index(max(agreed))
    by_chance = _by_chance(chosen, classes, logits.shape[2])
    spread = (by_chance * (1 - by_chance) / chosen.numel()) ** 0.5
    if agreed[best] - by_chance <= SURE * spread:
        raise BadInput(
            f"the labels of {folder} do not fit the pictures in the order of seed {seed} ({agreed[best]:.0%} "
            f"agree, {by_chance:.0%} by chance): give the seed that they were recorded with, or the pictures that they "
            "belong to."
        )
    return orders[best], (
        f"the order of the images is not recorded; drawn from seed {seed}, the teacher's first choice is the image's "
        f"class for {agreed[best]:.0%} of the labels ({by_chance:.0%} by chance)"
    )


def draw_order(images: int, epochs: int, seed: int, draws: int) -> Tensor:
    """Return (epochs, images): the first of every ``draws`` permutations from one generator."""
    generator = torch.Generator().manual_seed(seed)
    order = torch.empty(epochs, images, dtype=torch.int64)
    for epoch in range(epochs):
        order[epoch] = torch.randperm(images, generator=generator)
        for _ in range(draws - 1):
            torch.randperm(images, generator=generator)
    return order


def _by_chance(chosen: Tensor, classes: Tensor, num_classes: int) -> float:
    share = [values.flatten().bincount(minlength=num_classes) / values.numel() for values in (chosen, classes)]
    return float(share[0] @ share[1])
