"""Test images among those of a set that was not made here: exact copies of them, and near ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from stillproof.core.data_title import data_title
from stillproof.core.errors import BadInput
from stillproof.core.types import Distilled, ImageSet
from stillproof.data.load import load
from stillproof.run.copies import NONE, exact_copies, sample_of
from stillproof.run.labelled_images import pixels_of
from stillproof.run.nearest import RealImages, Seen, as_they_are
from stillproof.run.seen_as import seen_as
from stillproof.score.nearness import copies_by_distance, nearness_limit
from stillproof.sets.fronts import front_of
from stillproof.sets.read import check_fits, read_set
from stillproof.store.store import Store
from stillproof.suites.fixed_set import EXACT, NEAR, leak_caveat
from stillproof.suites.requests import Request
from stillproof.transforms.kip_zca import KipZCA

REFERENCE = 200  # real training images that say what is near
ROUNDING = 0.5 / 255  # half a level: as far as images that were rounded to bytes are from what they were
DISTILLERS = ("distill", "snapshot")  # stages that make sets of training images alone
NAMED = 5  # images that a sentence names
Pairs = Sequence[tuple[int, int]]  # places in the set, as it is trained on, and among the test images


@dataclass(frozen=True)
class Leak:
    """What was found.

    Args:
        exact: Copies of test images that are no training images, too.
        near: Images that are moved, mirrored or slightly changed test images, and clearly less like any training image;
            they are not looked for among sets that have exact copies.
        total: Images of the set.
        dataset: Whose test images they are.
    """

    exact: Pairs = ()
    near: Pairs = ()
    total: int = 0
    dataset: str = ""

    @property
    def mark(self) -> str:
        """Return what is added to the set's name."""
        return EXACT if self.exact else NEAR if self.near else ""

    def marked(self, name: str) -> str:
        """Return a set's name with its mark, once."""
        return name if name.endswith(self.mark) else f"{name}{self.mark}"

    @property
    def caveat(self) -> str:
        """Return what to keep in mind of its accuracy, if there is something."""
        return leak_caveat(len(self.exact), len(self.near), self.total)

    def which(self) -> str:
        """Return the first of the images, and what they are copies of."""
        found = self.exact or self.near
        named = ", ".join(f"{place} is test image {test}" for place, test in found[:NAMED])
        return f"{named}{f' and {len(found) - NAMED} more' if len(found) > NAMED else ''}"


def refuse_leak(found: Leak, name: str) -> None:
    """Refuse a set that has test images, byte by byte.

    Raises:
        BadInput: It has.
    """
    if found.exact:
        raise BadInput(
            f"{name}: {len(found.exact)} of its {found.total} images are test images of {data_title(found.dataset)}, "
            f"byte by byte, and no training images (number {found.which()}): leave them out, or let the set through "
            "with --allow-test-images (allow_test_images=True in Python), which marks every row of it."
        )


_FOUND: dict[tuple[str, str, str], Leak] = {}  # by contents: a plan is made several times


def leak_of(store: Store, request: Request, root: Path) -> Leak:
    """Return which test images are in the set that is asked for, or that what is asked for is made of.

    Args:
        store: Has the set.
        request: What is trained on. In sets that a distiller made in this store, none is looked for.
        root: Folder of the data sets.
    """
    if request.stage == "artifact":
        own = is_made_here(store, request)
        return Leak() if own else _leak_of(store, request.params["artifact"], request.params["dataset"], root)
    held = [one for value in request.params.values() for one in (value if isinstance(value, tuple) else (value,))]
    found = (leak_of(store, one, root) for one in held if isinstance(one, Request))
    return next((leak for leak in found if leak.mark), Leak())


def is_made_here(store: Store, request: Request) -> bool:
    """Say whether an existing set was made by a distiller in this store, so that it is what its card says."""
    maker = store.results.get(request.params.get("cell") or "")
    return maker is not None and maker.stage in DISTILLERS and maker.origin is None


def is_unseen(store: Store, request: Request, data_id: str) -> bool:
    """Say whether an existing set was surely made without the held-out images; the card of another's may say so."""
    return "/fit@" in data_id and is_made_here(store, request)


def _leak_of(store: Store, artifact: str, dataset: str, root: Path) -> Leak:
    test, train = load(dataset, "test", root), load(dataset, "train", root)
    key = artifact, test.id, train.id
    if key not in _FOUND:
        distilled = read_set(store, artifact)
        check_fits(distilled, test.info)
        with torch.no_grad():
            pixels = pixels_of(distilled, store)
            exact, near = find_leaked(pixels, train, test, _seen(distilled, store))
        _FOUND[key] = Leak(exact, near, len(pixels), dataset)
    return _FOUND[key]


def _seen(distilled: Distilled, store: Store) -> Seen:
    """Return what becomes of real images: a whitening of KIP's authors forgets their brightness, too."""
    front = front_of(distilled.space, store)
    if distilled.decode == "none" and isinstance(front, KipZCA):
        return lambda pixels: front.inverse(front(pixels)).clamp(0, 1)
    return seen_as(distilled, front)


def find_leaked(pixels: Tensor, train: ImageSet, test: ImageSet, seen: Seen = as_they_are) -> tuple[Pairs, Pairs]:
    """Return exact and near copies of test images among images; the audit's rules say what is a copy.

    Args:
        pixels: (N, C, H, W); what lies outside [0, 1] is cut off.
        train: Real training images: what is one of them is no copy of a test image.
        test: Real test images.
        seen: What becomes of real images in such a set, if that is another image.
    """
    if seen is as_they_are:
        of_test, of_train = exact_copies(pixels, test), exact_copies(pixels, train)
        exact = _pairs((of_test != NONE) & (of_train == NONE), of_test)
        left = (of_train == NONE).nonzero().squeeze(1)
    else:
        exact, left = (), torch.arange(len(pixels))
    if exact or not len(left):
        return exact, ()
    index, near, distance = _near(pixels[left], train, test, seen)
    same = near & (distance < ROUNDING) if seen is not as_they_are else torch.zeros_like(near)
    chosen = same if bool(same.any()) else near
    found = tuple(zip(left[chosen].tolist(), index[chosen].tolist(), strict=True))
    return (found, ()) if chosen is same else ((), found)


def _near(images: Tensor, train: ImageSet, test: ImageSet, seen: Seen) -> tuple[Tensor, Tensor, Tensor]:
    """Return the nearest test image of each image, whether it is a copy by distance, and that distance."""
    real = RealImages(test, "cpu", seen)
    found = real.nearest(images, thorough=False)
    sample = seen(train.read(sample_of(train, REFERENCE)))
    reference = real.nearest(sample, thorough=False).distance
    near = found.distance < nearness_limit(reference)
    if bool(near.any()):  # few are: training images, which are many, need not be searched for the others
        beside = RealImages(train, "cpu", seen).nearest(images[near], thorough=False).distance
        near[near.clone()] = torch.from_numpy(copies_by_distance(found.distance[near], beside, reference))
    return found.index, near, found.distance


def _pairs(chosen: Tensor, places: Tensor) -> Pairs:
    return tuple((int(place), int(places[place])) for place in chosen.nonzero().squeeze(1))
