"""Folders of trajectory matching (MTT, TESLA, FTD, DATM, EDF) and of DD-Ranking: images, labels and a learned rate."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo, Stored
from stillproof.importers.foreign_set import ForeignSet
from stillproof.importers.known_methods import MATCHING, method_in
from stillproof.importers.read_images import guess_space, says_zca
from stillproof.importers.read_labels import read_labels
from stillproof.importers.torch_file import load_tensor

FILE = re.compile(r"(?:images|labels|lr)(?P<tag>_best|_\d+|)(?P<shard>_\d+|)\.pt")
# These programs normalise CIFAR-100 with the constants of CIFAR-10.
CIFAR10_MEAN, CIFAR10_STD = (0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)


@dataclass(frozen=True)
class Parts:
    """The files of one set; ``images`` and ``labels`` are several where the set was saved in shards."""

    images: list[Path]
    labels: list[Path]
    lr: Path


class TrajectoryFolder:
    """A folder, or one of its files, with the others beside it."""

    name = "trajectory"

    def recognises(self, path: Path) -> str:
        """Look at names."""
        parts = _parts(path)
        return f"{parts.images[0].name} with {parts.labels[0].name}" if parts else ""

    def read(self, path: Path, info: DataInfo) -> list[ForeignSet]:
        """Read the set; rows of labels are logits, and a learned rate goes into the recipe."""
        parts = _parts(path)
        if parts is None:
            raise BadInput(f"{path} holds no images_best.pt or images_best_0.pt, nor images.pt with lr.pt beside it.")
        images = _joined(parts.images)
        labels, about_labels = read_labels(_joined(parts.labels), parts.labels[0].name)
        if isinstance(labels, Stored) and labels.kind != "probs":
            labels, about_labels = Stored("logits", labels.values), "labels are logits, which DATM and EDF learn"
        space, about = _space(images, parts.images[0], info)
        method = method_in(path.absolute(), "DATM" if isinstance(labels, Stored) else "MTT")
        rate = _rate(parts.lr)
        about += [f"method {method}", about_labels]
        about.append(f"learning rate {rate:g}, which the method learned" if rate else "no learned rate beside it")
        read = [*parts.images, *parts.labels, *([parts.lr] if rate else [])]
        return [
            ForeignSet(
                images,
                labels,
                method=method,
                recipe="dc-bench-dsa",
                recipe_params={"lr": rate} if rate else {},
                found=tuple(about),
                files=tuple(read),
                **space,
            )
        ]


def _parts(path: Path) -> Parts | None:
    """Return the files of the set at ``path``; the best images come before the last ones."""
    if path.is_dir():
        names = ("images_best.pt", "images_best_0.pt", "images.pt")
        first = next((path / name for name in names if (path / name).is_file()), None)
        return _parts(first) if first else None
    named = FILE.fullmatch(path.name)
    if named is None or not path.is_file():
        return None
    tag, folder = named["tag"], path.parent
    if not _is_matching(path, tag):
        return None
    if named["shard"]:
        numbers = sorted(int(found.stem.rpartition("_")[2]) for found in folder.glob(f"images{tag}_*.pt"))
        if numbers != list(range(len(numbers))):
            raise BadInput(f"{folder}: the shards images{tag}_*.pt are {numbers}, so at least one is missing.")
        shards = [f"{tag}_{number}" for number in numbers]
    else:
        shards = [tag]
    parts = Parts(
        [folder / f"images{shard}.pt" for shard in shards],
        [folder / f"labels{shard}.pt" for shard in shards],
        folder / f"lr{tag}.pt",
    )
    for part in (*parts.images, *parts.labels):
        if not part.is_file():
            raise BadInput(f"{part} is missing: it belongs to {path.name}.")
    return parts


def _is_matching(path: Path, tag: str) -> bool:
    """Say whether files are of these programs: anybody calls a pair images.pt and labels.pt, with a number or without.

    What others do not have are the best images, a learned rate, whitened copies to look at, or the method's name.
    """
    beside = (f"lr{tag}.pt", "images_best*.pt", "images_zca_*.pt")
    particular = tag == "_best" or any(next(path.parent.glob(one), None) for one in beside)
    return particular or method_in(path.absolute()) in MATCHING


def _space(images: Tensor, file: Path, info: DataInfo) -> tuple[dict[str, Any], list[str]]:
    """Return the space, with its constants, and why."""
    if list(file.parent.glob("images_zca_*.pt")) or says_zca(file.absolute()):
        return {"space": "zca"}, ["taken for ZCA space, since the names beside it or above it say zca"]
    space, why = guess_space(images, file.name)
    if space != "normalised" or info.name != "cifar100":
        return {"space": space}, [why]
    constants = "normalised with the constants of CIFAR-10, as these programs do for CIFAR-100"
    return {"space": space, "mean": CIFAR10_MEAN, "std": CIFAR10_STD}, [why, constants]


def _joined(files: list[Path]) -> Tensor:
    tensors = [load_tensor(file) for file in files]
    shapes = {(tuple(tensor.shape[1:]), tensor.dtype) for tensor in tensors}
    if len(shapes) > 1:
        raise BadInput(f"{files[0].name} and the other shards hold images or labels of different shapes.")
    if not tensors[0].ndim:
        raise BadInput(f"{files[0]} holds a single number, where one image or label after the other is needed.")
    return torch.cat(tensors)


def _rate(path: Path) -> float:
    if not path.is_file():
        return 0.0
    found = load_tensor(path)
    if found.numel() != 1 or not 0 < float(found) < float("inf"):
        raise BadInput(f"{path} does not hold one learning rate above 0.")
    return float(found)
