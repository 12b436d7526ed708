"""Labels that a teacher gave anew in every epoch (FKD): epoch_E/batch_B.tar beside a folder of pictures.

Each file is what torch.save wrote of [coords, flip, mix_index, mix_lam, mix_bbox, logits], and, from G-VBSM, the
numbers of the images.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo, PerEpoch
from stillproof.importers.fkd_batch import Batch, read_batch
from stillproof.importers.fkd_order import find_order
from stillproof.importers.foreign_set import ForeignSet

ORDER_SEED = 42  # of SRe2L and of all that build on it


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
    return [read_batch(file, info) for file in files]


def _check_count(folder: Path, batches: list[Batch], first: list[Batch], images: int) -> None:
    sizes, expected = [len(batch.logits) for batch in batches], [len(batch.logits) for batch in first]
    if sum(sizes) != images:
        raise BadInput(f"{folder} holds labels of {sum(sizes)} images, but there are {images} pictures.")
    if sizes != expected or any(size != sizes[0] for size in sizes[:-1]) or sizes[-1] > sizes[0]:
        raise BadInput(f"the batches of {folder} are not of one size: get the recorded labels again.")


def _order(recorded: list[list[Batch]], logits: Tensor, hard: Tensor, seed: int, folder: Path) -> tuple[Tensor, str]:
    kept = [[batch.index for batch in batches if batch.index is not None] for batches in recorded]
    if not all(len(indices) == len(batches) for indices, batches in zip(kept, recorded, strict=True)):
        return find_order(logits, hard, seed, folder)
    order = _stack(kept).long()
    everyone = torch.arange(len(hard))
    for epoch, images in enumerate(order):
        if not torch.equal(images.sort().values, everyone):
            raise BadInput(f"{folder / f'epoch_{epoch}'} does not label every picture once: get it again.")
    return order, "the order of the images is recorded"


def _stack(parts: list[list[Tensor]]) -> Tensor:
    return torch.stack([torch.cat(batches) for batches in parts])
