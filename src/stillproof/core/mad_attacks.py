"""MAD's thirty attacks: what each is called here, with its parameters for MNIST, CIFAR-10 and Tiny-ImageNet.

``mad/13`` means another attack for each kind of images, so that it is settled where the data set is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from stillproof.core.errors import BadInput, UnknownName
from stillproof.core.reference import parse_reference, write_reference
from stillproof.core.types import DataInfo

Images = Literal["mnist", "cifar10", "tiny_imagenet"]  # whose parameters are meant
IMAGES: tuple[Images, ...] = ("mnist", "cifar10", "tiny_imagenet")
PREFIX = "mad/"
ALL = "mad"  # all thirty of them


@dataclass(frozen=True, slots=True)
class MadAttack:
    """One of the thirty.

    Args:
        number: What MAD calls it by.
        title: What it is.
        usual: Its reference, with the parameters for CIFAR-10.
        params: What differs for other images.
        note: What is particular about it.
    """

    number: int
    title: str
    usual: str
    params: Mapping[Images, Mapping[str, str]] = field(default_factory=dict)
    note: str = ""

    @property
    def name(self) -> str:
        """Return what people call it."""
        return f"{PREFIX}{self.number}"

    @property
    def library(self) -> str:
        """Return the library that makes it, or ``native``."""
        return self.usual.partition("/")[0] if "/" in self.usual.partition(":")[0] else "native"

    def reference(self, images: Images) -> str:
        """Return the attack for some images."""
        name, given = parse_reference(self.usual)
        return write_reference(name, {**given, **self.params.get(images, {})})


def _mnist(**params: str) -> Mapping[Images, Mapping[str, str]]:
    return {"mnist": params}


_ALONE = "on one image alone it is DeepFool: a change for all images would need all of them at once."
# The library's resize of .9 and diversity of .5 are its defaults, so that the two TI-FGSM differ in decay alone.
_STEPS = "step=2/255:steps=50"

ATTACKS: tuple[MadAttack, ...] = (
    MadAttack(0, "JSMA", "art/SaliencyMapMethod:theta=0.1:gamma=1"),
    MadAttack(1, "DeepFool", "deepfool:steps=100:overshoot=1e-6"),
    MadAttack(2, "Universal perturbation", "art/UniversalPerturbation", note=_ALONE),
    MadAttack(3, "NewtonFool", "art/NewtonFool"),
    MadAttack(4, "Boundary attack", "art/BoundaryAttack:max_iter=100"),
    MadAttack(5, "EAD", "art/ElasticNet"),
    MadAttack(
        6,
        "ZOO",
        "art/ZooAttack:max_iter=30",
        _mnist(learning_rate="0.1", abort_early="false", variable_h="0.1"),
    ),
    MadAttack(
        7,
        "Spatial transformation",
        "art/SpatialTransformation:max_rotation=60",
        {
            "mnist": {"max_translation": "20", "max_rotation": "20"},
            "tiny_imagenet": {"max_translation": "20"},
        },
        note="one fixed rotation and translation.",
    ),
    MadAttack(8, "HopSkipJump", "art/HopSkipJump"),
    MadAttack(9, "SimBA", "art/SimBA"),
    MadAttack(10, "Shadow attack", "art/ShadowAttack:lambda_tv=0.006"),
    MadAttack(11, "GeoDA", "art/GeoDA"),
    MadAttack(
        12,
        "Wasserstein",
        "art/Wasserstein:regularization=20:max_iter=100",
        _mnist(
            eps="0.5",
            eps_step="0.01",
            max_iter="40",
            conjugate_sinkhorn_max_iter="10",
            projected_sinkhorn_max_iter="10",
        ),
    ),
    MadAttack(13, "FGSM", "fgsm:eps=8/255", _mnist(eps="60/255")),
    MadAttack(14, "BIM", f"bim:eps=8/255:{_STEPS}", _mnist(eps="35/255")),
    MadAttack(15, "C&W", "cw:c=1:lr=0.01:steps=50", _mnist(c="2", lr="0.1")),
    MadAttack(16, "MI-FGSM", f"mifgsm:eps=8/255:{_STEPS}:decay=0.1", _mnist(eps="35/255")),
    MadAttack(17, "TI-FGSM with momentum", f"tifgsm:eps=8/255:{_STEPS}:decay=0.1", _mnist(eps="40/255")),
    MadAttack(18, "PGD", "pgd:eps=8/255:step=2/225:steps=50", _mnist(eps="35/255", step="2/255")),
    MadAttack(19, "PGD in L2", "pgd-l2:eps=1:step=0.2:steps=50", _mnist(eps="3")),
    MadAttack(
        20,
        "TPGD",
        f"tpgd:eps=8/255:{_STEPS}",
        {"mnist": {"eps": "35/255"}, "tiny_imagenet": {"eps": "16/255"}},
    ),
    MadAttack(21, "R+FGSM", f"rfgsm:eps=8/255:{_STEPS}", _mnist(eps="35/255")),
    MadAttack(22, "APGD", "apgd-ce:eps=8/255:steps=50", _mnist(eps="35/255")),
    MadAttack(23, "APGD, DLR loss", "apgd-dlr:eps=8/255:steps=50", _mnist(eps="35/255")),
    MadAttack(24, "FFGSM", "ffgsm:eps=8/255:step=10/255", _mnist(eps="200/255")),
    MadAttack(
        25,
        "Square, cross-entropy",
        "square:eps=8/255:queries=2500:loss=ce",
        {"mnist": {"eps": "40/255"}, "tiny_imagenet": {"queries": "5000"}},
    ),
    MadAttack(26, "TI-FGSM", f"tifgsm:eps=8/255:{_STEPS}", _mnist(eps="40/255")),
    MadAttack(27, "EOT-PGD", f"eotpgd:eps=8/255:{_STEPS}:samples=2", _mnist(eps="35/255")),
    MadAttack(28, "OnePixel", "onepixel"),
    MadAttack(
        29,
        "FAB",
        "fab:farthest=8/255:steps=100",
        _mnist(farthest="35/255"),
        note="MAD begins anew five times on Tiny-ImageNet, and leaves it out there; here it is made once.",
    ),
)


def is_mad(reference: str) -> bool:
    """Say whether a reference means one of MAD's attacks, as ``mad/6:max_iter=10`` does."""
    return reference.startswith(PREFIX)


def number_of(called: str) -> int | None:
    """Return the number of one of MAD's attacks; none for any other."""
    return mad_attack(called).number if is_mad(called) else None


def mad_attack(reference: str) -> MadAttack:
    """Return the attack that ``mad/13`` means.

    Raises:
        UnknownName: There is none of that number.
    """
    name, _ = parse_reference(reference)
    found = {one.name: one for one in ATTACKS}
    if name not in found:
        raise UnknownName("attack", name, found)
    return found[name]


def resolve_mad(reference: str, info: DataInfo) -> str:
    """Return the attack that a reference means on a data set; what is no number of MAD's stays as it is."""
    if not is_mad(reference):
        return reference
    name, usual = parse_reference(mad_attack(reference).reference(images_like(info)))
    return write_reference(name, {**usual, **parse_reference(reference)[1]})


def images_like(info: DataInfo) -> Images:
    """Return the images whose parameters MAD would use: MNIST's for digits and grey ones, and else by size."""
    if info.channels == 1 or "mnist" in info.name:
        return "mnist"
    return "cifar10" if info.size < 64 else "tiny_imagenet"


def refuse_without_data(reference: str) -> None:
    """Refuse a number of MAD's where no data set says which parameters are meant."""
    if is_mad(reference):
        one = mad_attack(reference)
        said = ", ".join(f"{one.reference(images)} ({images})" for images in IMAGES)
        raise BadInput(f"{one.name} is another attack for each data set: name one of {said}.")
