"""One call that scores somebody's own tensors."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from stillproof.answers import Score
from stillproof.core.errors import BadInput, UnknownName
from stillproof.core.tensor_size import size_in_bytes
from stillproof.core.types import Card, DataInfo, Distilled, Hard, Space
from stillproof.data.load import data_root, load
from stillproof.importers.eight_bit import eight_bit_pixels, is_eight_bit
from stillproof.nets.home import HOME
from stillproof.session import Session
from stillproof.sets.artifact import card_of, extra_files, tensors_of
from stillproof.sets.checks import check_images, check_labels, check_pixels
from stillproof.suites.requests import stored_set
from stillproof.transforms.space import make_front

SPACES = ("pixels", "normalised")


def evaluate(
    images: Tensor,
    labels: Tensor,
    *,
    dataset: str,
    space: Literal["pixels", "normalised"] = "pixels",
    network: str = HOME,
    recipe: str = "dc-bench",
    seeds: int = 5,
    store: str | None = None,
    data: str | None = None,
) -> Score:
    """Score somebody's own tensors: train networks on them and test on the real test set.

    Args:
        images: (N, C, H, W) floats, in [0, 1] or normalised with the data set's mean and std; or 8-bit pixels from 0
            to 255, whose channels may come last.
        labels: (N,) classes.
        dataset: The data set that they stand for.
        space: Which of the two the images are.
        network: The network to train.
        recipe: How to train it.
        seeds: Number of trainings.
        store: Where results are kept; scoring the same tensors again is then free.
        data: Where data sets are.
    """
    info = load(dataset, "test", data_root(data)).info
    distilled = own_set(images, labels, dataset=dataset, space=space, info=info)
    files = extra_files(distilled, make_front(distilled.space))
    session = Session(store, data)
    with session.store as opened:
        artifact = opened.keep("distilled", tensors_of(distilled), card_of(distilled), extra=files)
        request = stored_set(artifact, dataset, None, len(images))
        return session.train(request, network=network, recipe=recipe, seeds=seeds)


def own_set(images: Tensor, labels: Tensor, *, dataset: str, space: str, info: DataInfo) -> Distilled:
    """Turn plain tensors into a distilled set, refusing what cannot be one."""
    if space not in SPACES:
        raise UnknownName("space", space, SPACES)
    images, labels = torch.as_tensor(images).cpu(), torch.as_tensor(labels).cpu()
    if labels.is_floating_point():
        raise BadInput(f"labels are {labels.dtype}, not whole numbers: one class per image is needed.")
    if labels.ndim != 1:
        raise BadInput(f"labels {tuple(labels.shape)} do not fit {dataset}: one class per image is needed.")
    hard = Hard(labels.long())
    if space == "pixels" and is_eight_bit(images):
        images, _ = eight_bit_pixels(images, info)
    check_images(images, hard, info, dataset)
    check_labels(hard, info, dataset)
    images = images.float()
    if space == "pixels":
        check_pixels(images)
    own_space = Space("pixels") if space == "pixels" else Space.normalised(info)
    ipc = int(hard.values.bincount(minlength=info.num_classes).max())
    card = Card("own", 1, {}, dataset, "unknown", ipc, 0, "none", info.licence, size_in_bytes([images]) + hard.bytes)
    return Distilled(images, hard, info.num_classes, own_space, card)
