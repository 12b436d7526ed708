"""The storage that a distilled set takes: everything that is needed to train on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stillproof.core.labels import Labels, Taught
from stillproof.core.spec import Json
from stillproof.core.tensor_size import size_in_bytes

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True)
class Weight:
    """Bytes of a set's images, of its labels, and of the teachers that training on it asks."""

    images: int
    labels: int
    teachers: int = 0

    @property
    def total(self) -> int:
        """Return the bytes of all."""
        return self.images + self.labels + self.teachers

    def as_dict(self) -> Json:
        """Return the parts as JSON values."""
        return {"images": self.images, "labels": self.labels, "teachers": self.teachers}

    def __str__(self) -> str:
        """Return all, and the parts, for people."""
        teachers = f", teachers {self.teachers}" if self.teachers else ""
        return f"{self.total} bytes (images {self.images}, labels {self.labels}{teachers})"


def weight_of(images: Tensor, labels: Labels) -> Weight:
    """Return the storage that a set of these images and labels takes."""
    return Weight(size_in_bytes([images]), labels.bytes, labels.teacher_bytes if isinstance(labels, Taught) else 0)
