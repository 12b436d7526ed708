"""MAD's three sets of attacked images, and two small ones: data, victims, and which attacks a defence knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from stillproof.core.errors import UnknownName
from stillproof.core.mad_attacks import ALL, ATTACKS, PREFIX, images_like, is_mad, resolve_mad
from stillproof.core.reference import parse_reference
from stillproof.core.types import DataInfo

Role = Literal["train", "validation", "test"]
ROLES: tuple[Role, ...] = ("train", "validation", "test")  # of attacks, and of the images under each
TOO_FEW = "too few examples of some classes"  # the reason that the paper gives
UNUSED = "in no split of the original's code"


@dataclass(frozen=True, slots=True)
class MadSet:
    """One of them.

    Args:
        name: What it is called.
        dataset: The real images.
        faithful_dataset: The same images as the original shows them to its victim.
        network: The victim.
        recipe: How the victim is trained on all real images; the original's is not published.
        roles: Numbers of the attacks that a defence learns, is chosen by, and is tested on.
        left_out: Why attacks are not in it, by number.
        per_class: Images of every class; as many as there are without a number.
    """

    name: str
    dataset: str
    faithful_dataset: str
    network: str
    recipe: str
    roles: Mapping[Role, tuple[int, ...]]
    left_out: Mapping[int, str] = field(default_factory=dict)
    per_class: int | None = None

    @property
    def numbers(self) -> tuple[int, ...]:
        """Return the numbers of its attacks."""
        return tuple(sorted(number for role in ROLES for number in self.roles[role]))

    def role_of(self, number: int) -> Role | None:
        """Return what an attack is for; nothing if it was left out."""
        return next((role for role in ROLES if number in self.roles[role]), None)


def _left_out(*numbers: int, **others: str) -> dict[int, str]:
    return {**dict.fromkeys(numbers, TOO_FEW), **{int(key[1:]): reason for key, reason in others.items()}}


SETS: tuple[MadSet, ...] = (
    MadSet(
        "mad-m",
        "mnist",
        "resized:of=mnist:size=32:channels=3",
        "resnet-18-bn",
        "real",
        {
            "train": (3, 4, 5, *range(13, 24)),
            "validation": (6, 8, 25),
            "test": (7, 11, 26, 27, 29),
        },
        _left_out(0, 1, 2, 9, 10, 12, 24, 28),
    ),
    # The original's code has its 8 commented out; the paper leaves out 0 alone.
    MadSet(
        "mad-c",
        "cifar10",
        "cifar10",
        "resnet-18-bn",
        "real",
        {
            "train": (1, *range(3, 8), *range(13, 25)),
            "validation": (8, 9, 25, 26),
            "test": (2, 10, 11, 12, 27, 28, 29),
        },
        _left_out(0),
    ),
    MadSet(
        "mad-t",
        "resized:of=tiny_imagenet:size=224",
        "resized:of=tiny_imagenet:size=224",
        "efficientnet-b0",
        "real",
        {
            "train": (*range(1, 8), *range(13, 24)),
            "validation": (8, 9, 25, 26),
            "test": (10, 11, 24, 27),
        },
        _left_out(12, 29, n0=UNUSED, n28=UNUSED),
    ),
    # Not MAD's: to try things in minutes, and in a test.
    MadSet(
        "mad-quick",
        "digits",
        "digits",
        "home",
        "quick-real",
        {"train": (13, 14, 15, 16, 18, 19, 20, 22), "validation": (25,), "test": (7, 27, 29)},
        per_class=30,
    ),
    MadSet(
        "mad-smoke",
        "digits",
        "digits",
        "home",
        "smoke",
        {"train": (13, 18), "validation": (16,), "test": (27,)},
        per_class=6,
    ),
)


def mad_set(name: str) -> MadSet:
    """Return the set of a name.

    Raises:
        UnknownName: There is none.
    """
    found = {one.name: one for one in SETS}
    if name not in found:
        raise UnknownName("set of attacks", name, found)
    return found[name]


def set_like(info: DataInfo) -> MadSet:
    """Return the one of MAD's three that is of such images."""
    return mad_set({"mnist": "mad-m", "cifar10": "mad-c", "tiny_imagenet": "mad-t"}[images_like(info)])


def attacks_named(texts: Sequence[str], info: DataInfo) -> list[str]:
    """Return the attacks that a list means: ``mad`` are all thirty, ``mad-m`` those of that set.

    One that comes again with other parameters takes the place of the one before.
    """
    found: dict[str, str] = {}
    for text in texts:
        for reference in _meant(text):
            called = parse_reference(reference)[0] if is_mad(reference) else reference
            found[called] = reference
    for reference in found.values():
        resolve_mad(reference, info)  # refuses what is none
    return list(found.values())


def _meant(text: str) -> list[str]:
    if text == ALL:
        return [one.name for one in ATTACKS]
    if text in [one.name for one in SETS]:
        return [f"{PREFIX}{number}" for number in mad_set(text).numbers]
    return [text]
