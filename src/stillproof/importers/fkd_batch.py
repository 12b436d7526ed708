"""One file of recorded labels: a batch's crops, flips, mixes and logits, checked before anybody trains on them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo
from stillproof.importers.torch_file import load_torch
from stillproof.train.replay import pixel_boxes

NO_BOX = (0, 0, 0, 0)


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


def read_batch(file: Path, info: DataInfo) -> Batch:
    """Read one file; ``BadInput`` with one sentence if it is not a batch of this data set."""
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
