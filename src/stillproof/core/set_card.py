"""The card of a distilled set, and what its tensors say where a card could say something else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from stillproof.core.card_values import CardPart, ComponentPart, Count, Id, SpacePart, Text, Whole, checked
from stillproof.core.errors import BadInput
from stillproof.core.labels import Hard, Labels, PerEpoch, Stored, Taught, labels_from
from stillproof.core.spec import Json

WHAT = "a distilled set"
REFUSED = f"this artifact is not {WHAT} that this version can read:"
FLOATS = ("float32", "float16", "float64")
WHOLE = ("int64", "int32", "int16", "int8", "uint8")


class RecipePart(ComponentPart):
    """How the author of a set trains on it."""

    kind: Text
    version: Whole


class SetCard(CardPart):
    """What every card of a distilled set says; ``ipc`` and ``bytes`` are taken from its tensors."""

    method: Text
    version: Whole
    params: dict[Text, Any]
    dataset: Text
    data_id: Text
    ipc: Count
    seed: Whole
    network: Text
    licence: Text
    bytes: Annotated[Whole, Field(ge=0)]
    cost: dict[str, Any]
    provenance: dict[str, Any]
    num_classes: Count
    space: SpacePart
    labels: Literal[Hard.words + Stored.words + PerEpoch.words + Taught.words]  # type: ignore[valid-type]
    decode: Literal["none", "grid2x2"]
    recipe: RecipePart | None
    labels_batch: Whole = 1
    teachers: Annotated[list[Id], Field(default_factory=list)]
    teacher_bytes: Annotated[Whole, Field(ge=0)] = 0
    teachers_made_by: Text = ""


def true_card(tensors: Mapping[str, Any], card: Json) -> Json:
    """Return the card of a distilled set with images per class and bytes as its tensors have them.

    Anybody can seal anything: a card is believed only where nothing else could tell. An honest card is returned as it
    is.

    Args:
        tensors: Its tensors, of torch or as arrays of numpy.
        card: What its card says.

    Raises:
        BadInput: The card is none of a set, or of one with other classes or another kind of labels.
    """
    said = checked(SetCard, card, WHAT)
    missing = [key for key in Taught.card_keys.values() if said.labels in Taught.words and key not in card]
    missing += [key for key in PerEpoch.card_keys.values() if said.labels in PerEpoch.words and key not in card]
    if missing or "images" not in tensors:
        raise BadInput(f"{REFUSED} it lacks {(*missing, 'images')[0]}.")
    try:
        labels = labels_from(tensors, card)
    except KeyError as error:
        raise BadInput(f"{REFUSED} {said.labels} labels have a tensor {error.args[0]!r}, and there is none.") from None
    _check_form(tensors, labels, said)
    size = tensors["images"].nbytes + sum(one.nbytes for one in labels.tensors().values())
    size += labels.teacher_bytes if isinstance(labels, Taught) else 0
    return {**card, "ipc": _ipc(labels, said.num_classes, said.ipc), "bytes": int(size)}


def _check_form(tensors: Mapping[str, Any], labels: Labels, said: SetCard) -> None:
    """Refuse tensors that are not images with labels of the kind that the card names."""
    images, values = tensors["images"], labels.values
    shape = tuple(images.shape)
    more = sorted(tensors.keys() - {"images", *labels.tensors()})
    if more:
        raise BadInput(f"{REFUSED} there is a tensor {more[0][:40]!r}, which {said.labels} labels do not have.")
    if _kind(images) not in FLOATS:
        raise BadInput(f"images are {_kind(images)}, not floats of 16, 32 or 64 bits.")
    if len(shape) != 4 or 0 in shape[1:] or shape[2] != shape[3]:
        raise BadInput(f"images {shape} and labels {tuple(values.shape)} do not fit a set of square images.")
    if said.decode == "grid2x2" and shape[2] < 2:
        raise BadInput(f"images of {shape[2]} pixels cannot hold a 2 x 2 grid, as the card says.")
    if values.ndim and len(values) != shape[0]:
        raise BadInput(f"there are {shape[0]} images and {len(values)} labels: one label per image is needed.")
    if shape[0] == 0:
        raise BadInput("there are no images to train on.")
    _check_labels(labels, said)
    space = said.space
    if space.kind == "normalised" and {len(space.mean), len(space.std)} != {shape[1]}:
        raise BadInput(f"the card's space has no mean and std for each of the {shape[1]} channels.")
    if space.kind == "zca" and not space.ref:
        raise BadInput("the card says that the set is whitened, and names no whitening.")


def _check_labels(labels: Labels, said: SetCard) -> None:
    """Refuse labels of another form than the card says, or of other classes."""
    values, soft, classes = labels.values, labels.soft, said.num_classes
    form = f"labels {tuple(values.shape)} are {_kind(values)}"
    if labels.values_are_classes:
        if values.ndim != 1 or _kind(values) not in WHOLE:
            raise BadInput(f"{form}, not one class per image.")
        low, high = int(values.min()), int(values.max())
        if low < 0 or high >= classes:
            raise BadInput(
                f"labels reach from {low} to {high}, and its card has {classes} classes: 0 to {classes - 1}."
            )
    if soft is None:
        return
    if soft.ndim != (3 if isinstance(labels, PerEpoch) else 2) or _kind(soft) not in FLOATS:
        raise BadInput(f"{form}, not {said.labels} labels, as the card says.")
    if soft.shape[-1] != classes:
        raise BadInput(f"soft labels speak of {soft.shape[-1]} classes, and its card has {classes} classes.")


def _ipc(labels: Labels, classes: int, said: int) -> int:
    """Return images per class: the mean, rounded up, or what the card says if classes are uneven and it lies between.

    Where most classes have no image, only those that have one count: a card cannot thin a set out by naming more.
    """
    count = len(labels.values)
    if not labels.values_are_classes:
        return -(-count // classes)
    per_class = np.unique(np.asarray(labels.values), return_counts=True)[1]
    spread = classes if 2 * len(per_class) >= classes else len(per_class)
    mean = -(-count // spread)
    return said if mean <= said <= int(per_class.max()) else mean


def _kind(tensor: Any) -> str:
    return str(tensor.dtype).removeprefix("torch.")
