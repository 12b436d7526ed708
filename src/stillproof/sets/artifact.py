"""A distilled set as an artifact: tensors, a card, a page for people and a preview picture."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from torch import Tensor

from stillproof.core.data_title import data_title
from stillproof.core.labels import Hard, Labels, PerEpoch, Taught, labels_from
from stillproof.core.set_card import true_card
from stillproof.core.spec import Json
from stillproof.core.types import Card, Distilled, Space
from stillproof.core.weight import weight_of
from stillproof.sets.own_recipe import own_recipe
from stillproof.sets.preview import previews
from stillproof.train.model import space_of
from stillproof.transforms.front import Front

ORIGIN = "imported"  # in the provenance of a set that was taken over: the file, its hash and its format
# What does not name such a set, so that the same tensors are one set however they came.
IMPORTED_VOLATILE = ("cost", "method", "provenance")


def tensors_of(distilled: Distilled) -> dict[str, Tensor]:
    """Return the tensors that are stored."""
    return {"images": distilled.images, **distilled.labels.tensors()}


def card_of(distilled: Distilled) -> Json:
    """Return everything else, as JSON values."""
    return {
        **dataclasses.asdict(distilled.card),
        "num_classes": distilled.num_classes,
        "space": dataclasses.asdict(distilled.space),
        **distilled.labels.card(),
        "decode": distilled.decode,
        "recipe": distilled.recipe.as_dict() if distilled.recipe else None,
    }


def extra_files(distilled: Distilled, front: Front) -> dict[str, bytes]:
    """Return the files that are only for people to look at."""
    card = distilled.card
    imported = card.provenance.get(ORIGIN, {})
    file = f" from `{imported['file']}`" if "file" in imported else ""
    origin = f"imported{file} with" if imported else "made by"
    weight, teachers = weight_of(distilled.images, distilled.labels), _about_teachers(distilled.labels)
    pictures = previews(distilled, front)
    decoded = "\n- `preview_decoded.png`: the images to train on, four out of each" if len(pictures) > 1 else ""
    readme = f"""# {card.method}, {card.ipc} images per class of {data_title(card.dataset)}

A distilled data set {origin} Stillproof: {len(distilled.images)} images, {weight}.{teachers}

- `tensors.safetensors`: `images` {list(distilled.images.shape)} in {distilled.space.kind} space, `labels`
- `card.json`: method, parameters, data id, seed, cost and provenance
- `preview.png`: the images as pixels, one class per row{decoded}

Train on it: `stillproof train THIS_FOLDER`. In a script of your own:

```python
import stillproof

distilled = stillproof.load("THIS_FOLDER")
images, labels = {_tensors_with(distilled.labels)}
for batch, targets in distilled.loader():  # one pass, as its own recipe feeds it to a network
    print(batch.shape, targets.shape)
```

Licence of the source data: {card.licence}.
"""
    return {"README.md": readme.encode(), **pictures}


def _about_teachers(labels: Labels) -> str:
    if not isinstance(labels, Taught):
        return ""
    names = ", ".join(f"`{teacher[:12]}`" for teacher in labels.teachers)
    return f"\nIts labels are what teachers say of each batch, anew in every epoch: {names}, made by {labels.made_by}."


def _tensors_with(labels: Labels) -> str:
    """Return the line of Python that gives a set's tensors."""
    if isinstance(labels, PerEpoch):
        return 'distilled.tensors(labels="classes")  # as pixels; its soft labels belong to augmented images'
    return f"distilled.tensors()  # as pixels, with {'classes' if isinstance(labels, Hard) else 'soft labels'}"


def from_artifact(tensors: Mapping[str, Tensor], card: Json) -> Distilled:
    """Read a distilled set back; what its tensors tell is not taken from its card.

    Raises:
        BadInput: It is none, or its card is one of other tensors.
    """
    card = true_card(tensors, card)
    own = Card(**{f.name: card[f.name] for f in dataclasses.fields(Card)})
    space: Space = space_of(card["space"])
    labels, recipe = labels_from(tensors, card), own_recipe(card["recipe"])
    return Distilled(tensors["images"], labels, card["num_classes"], space, own, card["decode"], recipe)
