"""A distilled set as an artifact: tensors, a card, a page for people and a preview picture."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.spec import Json
from stillproof.core.types import Card, Distilled, Hard, Labels, Space, Stored
from stillproof.distill.preview import preview_png
from stillproof.train.model import component_spec, space_of
from stillproof.transforms.front import Front


def tensors_of(distilled: Distilled) -> dict[str, Tensor]:
    """Return the tensors that are stored."""
    return {"images": distilled.images, "labels": distilled.labels.values}


def card_of(distilled: Distilled) -> Json:
    """Return everything else, as JSON values."""
    return {
        **dataclasses.asdict(distilled.card),
        "num_classes": distilled.num_classes,
        "space": dataclasses.asdict(distilled.space),
        "labels": "hard" if isinstance(distilled.labels, Hard) else distilled.labels.kind,
        "decode": distilled.decode,
        "recipe": distilled.recipe.as_dict() if distilled.recipe else None,
    }


def extra_files(distilled: Distilled, front: Front) -> dict[str, bytes]:
    """Return the files that are only for people to look at."""
    card = distilled.card
    readme = f"""# {card.method}, {card.ipc} images per class of {card.dataset}

A distilled data set made by Stillproof: {len(distilled.images)} images, {card.bytes} bytes with labels.

- `tensors.safetensors`: `images` {list(distilled.images.shape)} in {distilled.space.kind} space, `labels`
- `card.json`: method, parameters, data id, seed, cost and provenance
- `preview.png`: the images as pixels, one class a row

Train on it: `stillproof train THIS_FOLDER`. Licence of the source data: {card.licence}.
"""
    return {"README.md": readme.encode(), "preview.png": preview_png(distilled, front)}


def from_artifact(tensors: Mapping[str, Tensor], card: Json) -> Distilled:
    """Read a distilled set back."""
    try:
        values = tensors["labels"]
        labels: Labels = Hard(values) if card["labels"] == "hard" else Stored(card["labels"], values)
        own = Card(**{f.name: card[f.name] for f in dataclasses.fields(Card)})
        space: Space = space_of(card["space"])
        recipe = component_spec(card["recipe"])
        return Distilled(tensors["images"], labels, card["num_classes"], space, own, card["decode"], recipe)
    except (KeyError, TypeError) as error:
        raise BadInput(f"this artifact is not a distilled set that this version can read: {error!r}.") from error
