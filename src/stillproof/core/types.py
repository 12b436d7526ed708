"""The values that flow from stage to stage, and the contracts that components keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self

from stillproof.core.labels import Hard as Hard
from stillproof.core.labels import Labels as Labels
from stillproof.core.labels import PerEpoch as PerEpoch
from stillproof.core.labels import Stored as Stored
from stillproof.core.labels import Taught as Taught
from stillproof.core.spec import ComponentSpec, Json

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

    from stillproof.core.context import Context
    from stillproof.core.presets import Preset

Split = Literal["train", "test", "fit", "heldout", "search-fit", "search-heldout"]
Selection = Literal["last", "heldout", "oracle"]


@dataclass(frozen=True, slots=True)
class DataInfo:
    """What is known of a data set before its images are read; ``mean`` and ``std`` are of [0, 1] pixels."""

    name: str
    channels: int
    size: int
    num_classes: int
    mean: tuple[float, ...]  # one per channel
    std: tuple[float, ...]
    licence: str
    class_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImageSet:
    """Labelled images; large sets are memory-mapped uint8 and become float batch by batch."""

    images: Tensor  # (N, C, H, W), uint8 or float32
    labels: Tensor  # (N,), int64
    info: DataInfo
    id: str  # "cifar10/train@sha256:..."

    @property
    def num_classes(self) -> int:
        """Return the number of classes."""
        return self.info.num_classes

    def __len__(self) -> int:
        """Return the number of images."""
        return len(self.labels)

    def read(self, index: Tensor | slice, device: str | None = None) -> Tensor:
        """Return the chosen images as float32 in [0, 1]; they travel to ``device`` as they are stored."""
        chosen = self.images[index].to(device)
        return chosen if chosen.is_floating_point() else chosen.float().div_(255)

    def of_class(self, label: int) -> Tensor:
        """Return the positions of the images of one class."""
        return (self.labels == label).nonzero().squeeze(1)


@dataclass(frozen=True, slots=True)
class Space:
    """The space that images live in; invertible, so that pictures can be shown.

    ``pixels`` is [0, 1]; ``normalised`` is (pixels - mean) / std; ``zca`` is whitened by the shared artifact ``ref``.
    """

    kind: Literal["pixels", "normalised", "zca"]
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()
    ref: str = ""

    @classmethod
    def normalised(cls, info: DataInfo) -> Self:
        """Return the normalised space of a data set."""
        return cls("normalised", info.mean, info.std)


@dataclass(frozen=True, slots=True)
class Card:
    """What is known of a distilled set; ``cost`` and ``provenance`` say what making it took, and do not name it."""

    method: str
    version: int
    params: Mapping[str, Any]
    dataset: str
    data_id: str
    ipc: int
    seed: int
    network: str
    licence: str
    bytes: int  # all that training needs: images, labels and teachers
    cost: Json = field(default_factory=dict)
    provenance: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Distilled:
    """A distilled set: the artifact that people exchange."""

    images: Tensor  # (N, C, H, W), float32 in `space`, unclamped
    labels: Labels
    num_classes: int
    space: Space
    card: Card
    decode: Literal["none", "grid2x2"] = "none"
    recipe: ComponentSpec | None = None


class DataSource(Protocol):
    """A data set that can be read from a folder."""

    @property
    def info(self) -> DataInfo:
        """Return what is known before the images are read."""
        ...

    def load(self, root: Path, split: Literal["train", "test"]) -> ImageSet:
        """Read one split; ``DataMissing`` when its files are not below ``root``, ``BadInput`` when they are broken."""
        ...


class Network(Protocol):
    """A family of networks: hyper-parameters that build a module."""

    def build(self, channels: int, size: int, num_classes: int) -> nn.Module:
        """Return a ``stillproof.nets.body.Body`` in its default initialisation."""
        ...


class Augmentation(Protocol):
    """A random change of a batch, in the space that the network's body sees.

    It may have more: ``pixels`` (true to be given pixels in [0, 1] instead), ``per_batch`` (true to draw once for the
    whole batch) and ``mix(images, targets, generator)`` (to change the targets too).
    """

    def __call__(self, images: Tensor, generator: torch.Generator) -> Tensor:
        """Return the changed batch; every image has its own draws."""
        ...


class Perturber(Protocol):
    """A way to change images so that a model errs.

    All of them are subclasses of ``stillproof.attack.base.attack.Attack``, which owns everything but the change itself.
    """

    def perturb(self, model: Any, x: Tensor, y: Tensor, *, target: Tensor | None = None, ctx: Context) -> Tensor:
        """Return the changed images of a batch, for adversarial training."""
        ...


class Distiller(Protocol):
    """A way to make a small set from a large one.

    It may have more: ``needs`` (a ``stillproof.core.needs.Needs``), ``presets`` (a table of ``Preset``),
    ``image_passes(n_real, num_classes, ipc)`` (its cost in forward passes of one image) and
    ``images_held(num_classes, ipc)`` (the most images that are in the network at once, all its own if it does not say).
    """

    def distill(self, data: ImageSet, ipc: int, ctx: Context) -> Distilled:
        """Return ``ipc`` images per class."""
        ...


class Suite(Protocol):
    """A set of questions: which cells it needs and how their answers become rows."""

    presets: ClassVar[Sequence[Preset]]

    def rows(self) -> Sequence[Any]:
        """Return the rows of the suite's table, each with the requests that answer it."""
        ...
