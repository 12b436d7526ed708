"""Attacked sets as a defence learns from them: several attacks on one model and one choice of sources."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import torch
from torch import Tensor, nn

from stillproof.core.attack_warnings import WARNINGS
from stillproof.core.data_title import data_title
from stillproof.core.errors import BadInput
from stillproof.core.mad_sets import ROLES, Role
from stillproof.core.spec import Json
from stillproof.core.types import ImageSet, Split
from stillproof.data.source_split import divided
from stillproof.run.attacked_images import ATTACKED_SET
from stillproof.run.attacked_set_check import LEARNED, check_card, check_values
from stillproof.run.labelled_images import artifact_of
from stillproof.run.stage import Job
from stillproof.store.artifact_files import Artifact
from stillproof.suites.requests import Request
from stillproof.train.meta.attacked_data import AttackedData, UnderAttack

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

Kept = Literal["all", "turned"]
SEEN: tuple[Role, ...] = ("train", "validation")  # what is learned from and chosen by
STAGES = ("attacked-set", "distil-attacked")
_OWN = ("attack", "attacked", "called", "generations", "edited", "own", "version")  # what sets of one build differ in


@dataclass(frozen=True)
class PlannedSets:
    """What a plan knows of some attacked sets.

    Args:
        specs: How specs name them, in the order in which they were asked for.
        labels: What people read.
        needs: The cells that make them.
        least: Images that every class has of each role; None where that is not known before they are read.
    """

    specs: list[Json]
    labels: list[str]
    needs: tuple[str, ...]
    least: dict[Role, int] | None


def plan_sets(planner: Planner, asked: Iterable[Request], dataset: str, part: Split) -> PlannedSets:
    """Plan the sets; those of other data, and of more than one model or choice of sources, are refused."""
    found = [planner.images(one) for one in asked]
    for images in found:
        if images.dataset != dataset:
            raise BadInput(
                f"{images.label} is of {images.dataset}, not of {dataset}: name attacked sets of one data set."
            )
    cells = [planner.cells[images.spec["cell"]] for images in found if images.spec.get("cell") in planner.cells]
    for cell in cells:
        if cell.stage not in STAGES:
            raise BadInput(f"{cell.label} is no attacked set.")
        if cell.where["part"] != part:
            raise BadInput(f"{cell.label} has sources of another split than {part}.")
    shared = [{key: value for key, value in cell.spec.items() if key not in _OWN} for cell in cells]
    if any(one != shared[0] for one in shared[1:]):
        raise BadInput(
            "these attacked sets are of several models, sizes or choices of sources, so that an image could be learned "
            "from under one and tested on under another: name those of one build."
        )
    least = None
    if cells and len(cells) == len(found) and "split" in shared[0]:
        counts = divided(shared[0]["per_class"], shared[0]["split"])
        least = dict(zip(ROLES, counts, strict=True))
    needs = tuple(dict.fromkeys(need for images in found for need in images.needs))
    return PlannedSets([images.spec for images in found], [images.label for images in found], needs, least)


def read_sets(specs: Sequence[Json], job: Job) -> list[Artifact]:
    """Return the artifacts; what is no attacked set of the cell's data is refused."""
    found = [job.store.artifacts.read(artifact_of(spec, job)) for spec in specs]
    for stored in found:
        if stored.kind != ATTACKED_SET:
            raise BadInput(f"artifact {stored.id[:12]} is of kind {stored.kind}, and not an attacked set.")
        check_card(stored.card, stored.id)
        check_values(stored.card, stored.tensors, stored.id)
        its, asked = data_title(stored.card["dataset"]), data_title(job.where["dataset"])
        if (its, stored.card["part"]) != (asked, job.where["part"]):
            has = f"{stored.card['part']} images of {its}"
            raise BadInput(f"artifact {stored.id[:12]} has {has}, not {job.where['part']} images of {asked}.")
        if stored.card.get("test") not in (None, job.spec["test"]):
            raise BadInput(
                f"artifact {stored.id[:12]} was made of other images that are called {asked}: build it anew of these."
            )
    return found


def of_role(stored: Artifact, role: Role, kept: Kept = "all") -> UnderAttack:
    """Return the images of one role; those alone, if so wanted, that turned the model they were made on."""
    tensors = stored.tensors
    which = tensors["roles"] == ROLES.index(role)
    if kept == "turned":
        which &= _turned(stored)
    labels, sources = (tensors[name].long() for name in ("labels", "sources"))
    found = UnderAttack(stored.card["called"], tensors["images"], labels, sources, "distilled" in stored.card)
    return found.chosen(which)


def _turned(stored: Artifact) -> Tensor:
    """Return whether each image, as the bytes that it is, turned the model from right to wrong."""
    tensors, name = stored.tensors, "truncated_predictions" if stored.card["truncated"] else "rounded_predictions"
    if name not in tensors or "clean_predictions" not in tensors:
        raise BadInput(f"{stored.card['called']}: what a model said of the images is not known: take images=all.")
    labels = tensors["labels"]
    return (tensors["clean_predictions"] == labels) & (tensors[name] != labels)


def attacked_data(
    found: Iterable[Artifact], role: Role, clean: ImageSet, front: nn.Module, device: str, kept: Kept = "all"
) -> AttackedData:
    """Return the images of one role under each attack, those of a set that contradicts the split refused."""
    chosen = [of_role(stored, role, kept) for stored in found]
    for one in chosen:
        if not len(one):
            raise BadInput(f"{one.called} has no images for {role}: build it with another split, or leave it out.")
        _check_against(one, clean)
    return AttackedData(chosen, clean, front, device)


def _check_against(one: UnderAttack, clean: ImageSet) -> None:
    known = one.sources >= 0
    sources = one.sources[known]
    shapes = tuple(one.images.shape[1:]), tuple(clean.images.shape[1:])
    if shapes[0] != shapes[1]:
        raise BadInput(f"images under {one.called} are {shapes[0]}, and those that they shall be of {shapes[1]}.")
    if len(sources) and int(sources.max()) >= len(clean):
        raise BadInput(f"{one.called} has sources beyond the {len(clean)} images of the split.")
    if not torch.equal(clean.labels[sources], one.labels[known]):
        raise BadInput(f"{one.called} has images of another class than their sources: the set is of other images.")


def sources_of(found: Iterable[Artifact], *roles: Role) -> set[int]:
    """Return the places in the split of the sources with some roles; a set of distilled images says what it is of."""
    places: set[int] = set()
    for stored in found:
        numbers = [ROLES.index(role) for role in roles]
        which = torch.isin(stored.tensors["roles"].long(), torch.tensor(numbers))
        places |= {*stored.tensors["sources"][which].tolist(), *stored.card.get(LEARNED, {}).get("places", ())}
    return places - {-1}


def learned_by(card: Json, data_id: str) -> set[int]:
    """Return the places in a split of the images that a network has learned from in attacked sets."""
    learned = card.get(LEARNED, {})
    return set(learned["places"]) if learned.get("of") == data_id else set()


def as_learned(places: set[int], data_id: str) -> Json:
    """Return what a card says of the images that were learned from."""
    return {LEARNED: {"of": data_id, "places": sorted(places)}}


def refuse_learned(learned: set[int], judged: set[int], called: str) -> None:
    """Refuse to judge by images that were learned from."""
    if learned & judged:
        raise BadInput(
            f"{len(learned & judged)} of the {len(judged)} sources that {called} is judged by were learned from, under "
            "other attacks or in a set with another choice of sources: name sets of one build, made under fair, or ask "
            "under faithful:mad."
        )


def note_learned(notes: Json, card: Json, data_id: str, judged: Collection[int]) -> None:
    """Note that a network has learned from some of the images of a split that it is judged by, if it has."""
    learned = learned_by(card, data_id) & set(judged)
    if learned:
        notes.setdefault(WARNINGS, {})[LEARNED] = (
            f"these are no test images to this model: it has learned from {len(learned)} of the {len(set(judged))} "
            "images that it is judged by, in attacked sets."
        )


def others_than(learned: set[int], total: int) -> Tensor:
    """Return the places in a split of ``total`` images that were not learned from."""
    return torch.tensor([place for place in range(total) if place not in learned], dtype=torch.long)
