"""Third-party attacked images as an attacked set of the store: with their sources and a model's answers, if at hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from stillproof.core.mad_sets import ROLES
from stillproof.core.spec import Json
from stillproof.core.types import DataInfo, ImageSet, Split
from stillproof.importers.mad_folder import AttackPictures, first_of
from stillproof.importers.nearest_clean import Nearest, nearest_clean
from stillproof.run.attacked_model import AttackedModel
from stillproof.run.attacked_set import LEVELS, keep_attacked_set
from stillproof.store.store import Store
from stillproof.train.model import predict

IMPORTED = "imported"  # in place of a protocol
AT_ONCE = 256  # images


@dataclass(frozen=True)
class ImportedAttacks:
    """What all attacks of one folder have in common.

    Args:
        store: Where they are kept.
        dataset: The data set that they were made from.
        part: Which split of it.
        info: What is known of it.
        data: Its clean images, if they are at hand.
        judge: A model that is asked of clean and attacked ones, if one is named.
        device: Where it is asked.
    """

    store: Store
    dataset: str
    part: Split
    info: DataInfo
    data: ImageSet | None
    judge: AttackedModel | None
    device: str

    @property
    def shared(self) -> Json:
        """Return what the cards of all attacks have alike."""
        judge = None if self.judge is None else self.judge.artifact
        return {"dataset": self.dataset, "part": self.part, "protocol": IMPORTED, "model": judge}

    def keep(self, called: str, read: AttackPictures) -> str:
        """Store the images of one attack; return the artifact."""
        images, labels = torch.from_numpy(read.images), torch.from_numpy(read.labels)
        found = {"images": images, "labels": labels}
        nearest = None
        if self.data is not None:
            nearest = nearest_clean(read.images, read.labels, self.data)
            found |= _changes(images, nearest.sources, self.data)
            if self.judge is not None:
                clean, said = (self._said(kept, labels) for kept in (self.data.images[nearest.sources], images))
                found |= {"clean": clean, "said": said, "rounded": said, "truncated": said}
        card = self.shared | {
            "called": called,
            "reference": called,
            "test": None if self.data is None else self.data.id,
            "attack": None,
            "seed": None,
            "truncated": None,
            "cell": None,
            "notes": self._notes(read, nearest),
            **self._counts(read),
        }
        sources = torch.full_like(labels, -1) if nearest is None else nearest.sources
        return keep_attacked_set(self.store, found, sources, torch.from_numpy(read.roles), card, self.data, None)

    def _said(self, images: Tensor, labels: Tensor) -> Tensor:
        assert self.judge is not None
        return predict(self.judge.model, ImageSet(images, labels, self.info, IMPORTED), self.device)

    def _counts(self, read: AttackPictures) -> Json:
        """Return how many images the smallest class has, and how they are split, if in all classes alike."""
        counts = np.zeros((self.info.num_classes, len(ROLES)), int)
        np.add.at(counts, (read.labels, read.roles), 1)
        alike = (counts == counts[0]).all()
        return {"per_class": int(counts.sum(1).min()), "split": counts[0].tolist() if alike else [0] * len(ROLES)}

    def _notes(self, read: AttackPictures, nearest: Nearest | None) -> list[str]:
        """Return what must be known of these images, one sentence each."""
        notes = []
        if read.refused:
            total = len(read.refused) + len(read.labels)
            notes.append(f"{len(read.refused)} of {total} pictures are left out: {first_of(read.refused)}.")
        if nearest is None:
            return [*notes, f"which image each was made of is not known: {self.dataset} was not at hand."]
        if nearest.shared:
            notes.append(
                f"{nearest.shared} of {len(read.labels)} images share their nearest clean image with another one, so "
                "that the source of some is not known for certain."
            )
        if nearest.guessed > len(read.labels) / 2:
            notes.append(
                f"{nearest.guessed} of {len(read.labels)} images are nearly as near to a second clean {self.part} "
                f"image of {self.dataset}: their sources are guesses, and they may be of another data set or part."
            )
        return notes


def _changes(images: Tensor, sources: Tensor, data: ImageSet) -> dict[str, Tensor]:
    """Return how large the change of each image is in each norm."""

    def sizes() -> Iterator[Tensor]:
        for part in torch.split(torch.arange(len(images)), AT_ONCE):
            change = images[part].float().div(LEVELS) - data.read(sources[part]).cpu()
            flat = change.flatten(1)
            yield torch.stack([flat.abs().amax(1), flat.norm(dim=1), flat.abs().sum(1)])

    return dict(zip(("linf", "l2", "l1"), torch.cat(list(sizes()), 1), strict=True))
