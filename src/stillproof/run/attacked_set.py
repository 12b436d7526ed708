"""Attacked data sets: images as an attack left them, as bytes, each with where it came from; an artifact per attack."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from stillproof.attack.base.outcome import Outcome
from stillproof.attack.base.random_models import FreshDraws, majority
from stillproof.attack.base.victim import Victim
from stillproof.attack.protocols.fair import AttackProtocol
from stillproof.core.data_title import data_title
from stillproof.core.mad_sets import ROLES
from stillproof.core.safe_name import safe_name
from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json
from stillproof.core.types import ImageSet
from stillproof.run.attack_outcomes import CLASS, COUNT
from stillproof.run.attacked_images import ATTACKED_SET as KIND
from stillproof.run.attacked_picture import AttackedImage, attacked_picture, class_named
from stillproof.score.attacked_set import attacked_set_summary
from stillproof.store.store import Store

SHOWN = 10  # images of a preview
LEVELS = 255
NUMBERS, PASSES = ("linf", "l2", "l1"), ("forwards", "backwards")
# What the answers of an artifact are called among the values that a summary is made of.
CALLED = {
    "clean_predictions": "clean",
    "predictions": "said",
    "rounded_predictions": "rounded",
    "truncated_predictions": "truncated",
}
BYTES = {True: "as bytes that are cut off", False: "as bytes that are rounded", None: "as bytes"}


@dataclasses.dataclass(frozen=True)
class AttackedPart:
    """Some images under attack, one row each, all on the CPU.

    Args:
        images: As bytes, (N, C, H, W): rounded or cut off, as the protocol has it.
        labels: True classes.
        clean: What the model says of the clean images.
        said: What it says of the attack's own images, as floats.
        rounded: What it says once these are rounded to bytes.
        truncated: What it says where bytes are cut off instead.
        linf: Size of the attack's change, before it is rounded.
        l2: The same in L2.
        l1: The same in L1.
        forwards: Forward passes.
        backwards: Backward passes.
        no_gradient: Whether a gradient was zero everywhere, or no number.
    """

    images: Tensor
    labels: Tensor
    clean: Tensor
    said: Tensor
    rounded: Tensor
    truncated: Tensor
    linf: Tensor
    l2: Tensor
    l1: Tensor
    forwards: Tensor
    backwards: Tensor
    no_gradient: Tensor


class AttackedParts:
    """The images so far and what they took, as a part of a loop that can be stopped and goes on."""

    def __init__(self, notes: Json, kept: tuple[str, ...]) -> None:
        """Begin with none; of the ``notes`` of the running cell, those ``kept`` go on with them."""
        self.parts: list[AttackedPart] = []
        self.seconds = 0.0
        self._notes, self._kept = notes, kept

    def state_dict(self) -> dict[str, Any]:
        """Return them as tensors and plain values."""
        noted = {key: self._notes[key] for key in self._kept if key in self._notes}
        return {"part": self.whole() if self.parts else {}, "seconds": self.seconds, "notes": noted}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take them over."""
        self.parts = [AttackedPart(**state["part"])] if state["part"] else []
        self.seconds = state["seconds"]
        self._notes |= state["notes"]

    def whole(self) -> dict[str, Tensor]:
        """Return the values of all images by name."""
        names = [field.name for field in dataclasses.fields(AttackedPart)]
        return {name: torch.cat([getattr(part, name) for part in self.parts]) for name in names}

    def turned_so_far(self) -> str:
        """Say how many images of those that were right are turned by now."""
        right = sum(int((part.clean == part.labels).sum()) for part in self.parts)
        turned = sum(int(((part.clean == part.labels) & (part.said != part.labels)).sum()) for part in self.parts)
        return f"{100 * turned / right:.0f} % turned so far" if right else "no image right so far"


def as_bytes(images: Tensor, *, truncates: bool) -> Tensor:
    """Return pixels in [0, 1] as uint8, to the nearest level or to that below."""
    scaled = images.clamp(0, 1) * LEVELS
    return (scaled if truncates else scaled.round()).to(torch.uint8)


def attacked_part(
    outcome: Outcome, victim: Victim, protocol: AttackProtocol, seeds: Seeds, device: str
) -> AttackedPart:
    """Turn what an attack left into bytes, and ask the model again what it says of these."""
    assert outcome.images is not None
    rounded, truncated = (as_bytes(outcome.images, truncates=cut) for cut in (False, True))

    def said(kept: Tensor, name: str) -> Tensor:
        pixels = kept.to(device).float().div_(LEVELS)
        if not victim.at_random:
            return victim.logits(pixels).argmax(1).cpu()
        votes = FreshDraws(victim, seeds.child(name), protocol.rules(all_steps=True, keep_images=True).draws)
        return majority(votes.votes(pixels).cpu(), outcome.labels)

    return AttackedPart(
        images=truncated if protocol.truncates else rounded,
        labels=outcome.labels,
        clean=outcome.clean_predictions,
        said=outcome.predictions,
        rounded=said(rounded, "rounded"),
        truncated=said(truncated, "truncated"),
        linf=outcome.linf,
        l2=outcome.l2,
        l1=outcome.l1,
        forwards=outcome.forwards,
        backwards=outcome.backwards,
        no_gradient=outcome.no_gradient,
    )


def keep_attacked_set(
    store: Store,
    found: Mapping[str, Tensor],
    sources: Tensor,
    roles: Tensor,
    card: Json,
    data: ImageSet | None,
    cell: str | None,
) -> str:
    """Store attacked images, with a picture of some where clean ones are at hand; return the artifact.

    Args:
        store: Where to.
        found: Values by name, as ``AttackedParts.whole`` gives them; only images and labels must be there.
        sources: Where in the split each image came from; -1 where that is not known.
        roles: What each image is for, as a place in ``ROLES``.
        card: What is known of the attack.
        data: The clean images, if they are at hand.
        cell: The cell that made them, if one did.
    """
    tensors = {
        "images": found["images"],
        "labels": found["labels"].to(CLASS),
        "sources": sources.to(torch.int32),
        "roles": roles.to(torch.int8),
        **{name: found[value].to(CLASS) for name, value in CALLED.items() if value in found},
        **{name: found[name].float() for name in NUMBERS if name in found},
        **{name: found[name].to(COUNT) for name in PASSES if name in found},
    }
    readme = f"""# {card["called"]} on {card["dataset"]}

{len(roles)} {card["part"]} images of {card["dataset"]}, as `{card["reference"]}` left them (protocol
{card["protocol"]}), {BYTES[card["truncated"]]}.

- `tensors.safetensors`: `images` {list(found["images"].shape)} uint8, and one value per image of `labels`, `sources`
  (its place among the {card["part"]} images, -1 if unknown), `roles` ({", ".join(ROLES)}) and, as far as they are
  known, `clean_predictions`, `predictions` (of the attack's own floats), `rounded_predictions`,
  `truncated_predictions`, the size of the change in `linf`, `l2` and `l1` before rounding, `forwards` and `backwards`
- `card.json`: the attack and its parameters, the model, the split of sources
- `preview.png`, where clean images were at hand: the first images, those that were right before if that is known, as
  they were, their change enlarged, and what they became
"""
    extra = {"README.md": readme.encode()}
    if data is not None:
        buffer = io.BytesIO()
        picture = attacked_picture(shown_images(tensors, data), f"{card['called']}: {card['reference']}")
        picture.save(buffer, format="PNG")
        extra["preview.png"] = buffer.getvalue()
    card = card | {"space": {"kind": "pixels", "mean": (), "std": (), "ref": ""}}
    tag = (cell or store.artifacts.id_of(KIND, tensors, card))[:6]
    name = safe_name(f"attacked-{data_title(card['dataset'])}-{card['called']}")
    return store.keep(KIND, tensors, card, name=f"{name}-{tag}", cell=cell, extra=extra)


def summary_of(arrays: Mapping[str, Any]) -> Json:
    """Return what the values of an artifact come to."""
    values = {CALLED.get(name, name): values for name, values in arrays.items()}
    return attacked_set_summary(values) | {"bytes": int(arrays["images"].size)}


def shown_images(tensors: dict[str, Tensor], data: ImageSet, most: int = SHOWN) -> list[AttackedImage]:
    """Return the first images whose sources are known, and that were right before if there are such."""
    known = tensors["sources"] >= 0
    right = known & (tensors.get("clean_predictions", tensors["labels"]) == tensors["labels"])
    index = (right if right.any() else known).nonzero().squeeze(1)[:most]
    names = data.info.class_names or [str(label) for label in range(data.num_classes)]
    before = data.read(tensors["sources"][index].long()).cpu().numpy()
    after = tensors["images"][index].float().div(LEVELS).numpy()
    labels = [names[label] for label in tensors["labels"][index].tolist()]
    answers = tensors.get("rounded_predictions")
    said = [""] * len(index) if answers is None else [class_named(answer, names) for answer in answers[index].tolist()]
    return [AttackedImage(*row) for row in zip(before, after, labels, said, strict=True)]
