"""A distilled set in one's own hands: as tensors, as a data set of torch, or in the batches that training feeds."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

import torch
from torch import Tensor
from torch.utils.data import TensorDataset

from stillproof.core.components import networks
from stillproof.core.errors import BadInput, UnknownName
from stillproof.core.seeds import Seeds
from stillproof.core.types import DataInfo, Distilled, Hard, Space
from stillproof.nets.home_network import HOME, network_called
from stillproof.sets.own_recipe import recipe_on
from stillproof.train.batch import Augmented
from stillproof.train.data import from_distilled
from stillproof.train.labels import Form
from stillproof.train.recipe import Recipe
from stillproof.train.recipe_for import recipe_for
from stillproof.train.replay import Replay
from stillproof.train.teachers import Teacher
from stillproof.train.train_data import TrainData
from stillproof.training_batches import TrainingBatches, begun
from stillproof.transforms.decode import decode_images
from stillproof.transforms.front import Front
from stillproof.transforms.space import make_front

ImageForm = Literal["pixels", "normalised", "own"]
LabelForm = Literal["auto", "classes", "soft"]


@dataclass(frozen=True, eq=False)  # tensors have no one answer to ==
class LoadedSet:
    """A distilled set with all that training on it needs; nothing of it is read from the store again.

    Args:
        artifact: Its id.
        name: What people call it.
        path: Its folder.
        stands_for: The data set that it stands for.
        info: What is known of that data set.
        distilled: The set as it is stored: images in its own space and not decoded, labels, card.
        front: Takes pixels into the space that networks see which are trained on it.
        teachers: Who gives its labels, if teachers do.
    """

    artifact: str
    name: str
    path: Path
    stands_for: str
    info: DataInfo
    distilled: Distilled = field(repr=False)
    front: Front = field(repr=False)
    teachers: Sequence[Teacher] = field(default=(), repr=False)

    def tensors(self, space: ImageForm = "pixels", labels: LabelForm = "auto") -> tuple[Tensor, Tensor]:
        """Return the images to train on, (N, C, H, W), and their labels; where four are stored in one, all four.

        Args:
            space: ``pixels``, which are not clamped and may lie outside [0, 1]; ``normalised`` with the data set's mean
                and std; or the set's ``own``.
            labels: ``classes``, (N,); ``soft``, shares of the classes, (N, classes), which a teacher is asked for if
                one gives the labels; ``auto`` is soft where the set's labels are.
        """
        for what, said, known in (("space", space, ImageForm), ("labels", labels, LabelForm)):
            if said not in get_args(known):
                raise UnknownName(what, said, get_args(known))
        hard = isinstance(self.distilled.labels, Hard) if labels == "auto" else labels == "classes"
        return self._images(space), self._labels("classes" if hard else "shares")

    def dataset(self, space: ImageForm = "pixels", labels: LabelForm = "auto") -> TensorDataset:
        """Return these tensors as a data set of torch, whose items are pairs of an image and its label."""
        return TensorDataset(*self.tensors(space, labels))

    def loader(
        self, recipe: str | None = None, *, network: str = HOME, seed: int = 0, device: str = "cpu"
    ) -> TrainingBatches:
        """Return what training feeds to a network, pass after pass: augmented, with stored labels or a teacher's.

        Args:
            recipe: How to train, as in ``dc-bench:batch=64``; without one, the set's own.
            network: The network that is trained, where authors train different ones differently.
            seed: The seed of the training.
            device: Where the batches are to be.
        """
        if recipe is None:
            recipe = recipe_on(self.distilled, networks.build(network_called(network, self.info.size)))
        front, data = self._to_train_on(device)
        return TrainingBatches(data, front, recipe_for(recipe, self.info.name), seed, device)

    def _images(self, space: ImageForm) -> Tensor:
        own = decode_images(self.distilled.images, self.distilled.decode)
        wanted = {"pixels": Space("pixels"), "normalised": Space.normalised(self.info)}.get(space, self.distilled.space)
        if wanted == self.distilled.space:
            return own.clone()  # the set's own stay as they are, whatever a caller does
        with torch.no_grad():
            pixels = own if self.distilled.space.kind == "pixels" else self.front.inverse(own)
            changed: Tensor = make_front(wanted)(pixels)
        return changed

    def _labels(self, form: Form) -> Tensor:
        front, data = self._to_train_on("cpu")
        if form == "classes":
            return data.classes.clone()
        if isinstance(data.source, Replay):
            raise BadInput(
                "this set has a soft label for every epoch of a recorded training, and not one for each image: ask for "
                "labels='classes', or for its loader, which repeats that training."
            )
        begun(data, front, Recipe(epochs=1), Seeds(0), "cpu")
        positions = torch.arange(len(data))
        return data.source.targets(Augmented(data.read(positions), positions, 0, 0), form).clone()

    def _to_train_on(self, device: str) -> tuple[Front, TrainData]:
        """Return copies on a device, which may move while another loader is in use."""
        front = copy.deepcopy(self.front).to(device)
        teachers = [Teacher(copy.deepcopy(one.model).to(device), one.flops) for one in self.teachers]
        return front, from_distilled(self.distilled, front, device, teachers)
