"""The labels of a distilled set: every kind knows its tensors, its bytes, its device and its form on a card."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from stillproof.core.errors import BadInput
from stillproof.core.spec import Json
from stillproof.core.tensor_size import size_in_bytes

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True)
class LabelKind:
    """What all kinds of labels can do; each has a tensor ``values``, one row per image.

    A kind says which words a card uses for it, and under which keys the card keeps those of its fields that are not
    tensors.
    """

    words: ClassVar[tuple[str, ...]]
    card_keys: ClassVar[Mapping[str, str]] = {}
    values_are_classes: ClassVar[bool] = True

    def tensors(self) -> dict[str, Tensor]:
        """Return all tensors by the names that they are stored under: ``labels`` is ``values``."""
        return {stored: getattr(self, name) for stored, name in self._stored_names().items()}

    @property
    def bytes(self) -> int:
        """Return the bytes that all tensors take as they are stored."""
        return size_in_bytes(self.tensors().values())

    def to(self, device: str) -> Self:
        """Return the same labels with all tensors on ``device``."""
        moved = {name: getattr(self, name).to(device) for name in self._stored_names().values()}
        return dataclasses.replace(self, **moved)

    @property
    def classes(self) -> Tensor:
        """Return the class of each image, (N,); for a soft label, that of its largest entry."""
        values = self.tensors()["labels"]
        return values if self.values_are_classes else values.argmax(1)

    @property
    def soft(self) -> Tensor | None:
        """Return the labels that have one number per class, (..., classes); None if there are none."""
        return None

    def card(self) -> Json:
        """Return what a card says of the labels, besides their tensors."""
        return {"labels": self.words[0], **{key: getattr(self, name) for name, key in self.card_keys.items()}}

    @classmethod
    def from_stored(cls, tensors: Mapping[str, Tensor], card: Json) -> Self:
        """Read labels of this kind back."""
        found = {name: tensors[stored] for stored, name in cls._stored_names().items()}
        return cls(**found, **{name: card[key] for name, key in cls.card_keys.items()})

    @classmethod
    def _stored_names(cls) -> dict[str, str]:
        """Return the fields that are tensors, by the names that they are stored under."""
        # Annotations are texts in this file.
        names = [field.name for field in dataclasses.fields(cls) if field.type == "Tensor"]
        return {"labels" if name == "values" else f"labels.{name}": name for name in names}


@dataclass(frozen=True, slots=True)
class Hard(LabelKind):
    """One class per image."""

    words: ClassVar[tuple[str, ...]] = ("hard",)

    values: Tensor  # (N,), int64


@dataclass(frozen=True, slots=True)
class Stored(LabelKind):
    """One soft label per image, stored beside it.

    ``logits`` become probabilities by softmax; ``probs`` are probabilities; ``centred`` are one-hot minus 1/classes.
    """

    words: ClassVar[tuple[str, ...]] = ("logits", "probs", "centred")
    card_keys: ClassVar[Mapping[str, str]] = {"kind": "labels"}
    values_are_classes: ClassVar[bool] = False

    kind: Literal["logits", "probs", "centred"]
    values: Tensor  # (N, classes), float32

    @property
    def soft(self) -> Tensor:
        """Return the labels themselves."""
        return self.values


@dataclass(frozen=True, slots=True)
class PerEpoch(LabelKind):
    """A teacher's logits for every image of every recorded pass, with the augmentation that it saw them under.

    In pass e, the image at place p is number ``order[e, p]``. It is cut to ``coords`` (top, left, height and width, as
    shares of the image) and resized to full size, flipped if ``flip``, then mixed within its batch of ``batch``
    places with the image at place ``mix_index``: added to it by ``mix_lambda`` (its own share; 1 adds nothing) and
    covered by it inside ``mix_box`` (first row, first column, row and column after the last; all 0 covers nothing).
    """

    words: ClassVar[tuple[str, ...]] = ("per-epoch",)
    card_keys: ClassVar[Mapping[str, str]] = {"batch": "labels_batch"}

    values: Tensor  # (N,), int64: the class of each image
    order: Tensor  # (E, N), int32
    coords: Tensor  # (E, N, 4), float32
    flip: Tensor  # (E, N), bool
    mix_index: Tensor  # (E, N), int32
    mix_lambda: Tensor  # (E, batches), float32
    mix_box: Tensor  # (E, batches, 4), int32
    logits: Tensor  # (E, N, classes), float16 or float32, as recorded
    batch: int

    @property
    def epochs(self) -> int:
        """Return the number of recorded passes."""
        return len(self.order)

    @property
    def soft(self) -> Tensor:
        """Return the teacher's logits."""
        return self.logits


@dataclass(frozen=True, slots=True)
class Taught(LabelKind):
    """What teachers say of each batch as it was augmented, anew in every epoch: nothing is stored but the classes.

    Whoever trains on the set needs the teachers, which are models of the store, so that they are part of its weight.
    """

    words: ClassVar[tuple[str, ...]] = ("taught",)
    card_keys: ClassVar[Mapping[str, str]] = {
        "teachers": "teachers",
        "teacher_bytes": "teacher_bytes",
        "made_by": "teachers_made_by",
    }

    values: Tensor  # (N,), int64: the class of each image
    teachers: Sequence[str]  # ids of their model artifacts; the mean of their logits counts
    teacher_bytes: int  # of all of them together
    made_by: str  # the command that makes them


Labels = Hard | Stored | PerEpoch | Taught
KINDS: tuple[type[Hard] | type[Stored] | type[PerEpoch] | type[Taught], ...] = (Hard, Stored, PerEpoch, Taught)


def labels_from(tensors: Mapping[str, Tensor], card: Json) -> Labels:
    """Read labels of any kind back, from the tensors and the card of an artifact."""
    for kind in KINDS:
        if card["labels"] in kind.words:
            return kind.from_stored(tensors, card)
    raise BadInput(f"this artifact has labels of the kind {card['labels']!r}, which this version cannot read.")
