from __future__ import annotations

import pytest

from stillproof.core.components import attacks, networks
from stillproof.core.errors import BadInput, UnknownName
from stillproof.core.mad_attacks import ATTACKS, IMAGES, images_like, mad_attack, refuse_without_data, resolve_mad
from stillproof.core.mad_sets import ROLES, SETS, attacks_named, mad_set, set_like
from stillproof.core.types import DataInfo
from stillproof.data.load import source
from stillproof.run.attack_names import attack_called

MADS = SETS[:3]
DIGITS, CIFAR, TINY = (source(name).info for name in ("digits", "cifar10", "tiny_imagenet"))


def sized(channels: int, size: int, name: str = "toy") -> DataInfo:
    return DataInfo(name, channels, size, 10, (0.5,) * channels, (0.25,) * channels, "none")


def test_there_are_thirty_each_in_every_set_or_left_out_of_it() -> None:
    numbers = [one.number for one in ATTACKS]
    assert numbers == list(range(30)) and len({one.title for one in ATTACKS}) == 30
    for one in MADS:
        assert sorted([*one.numbers, *one.left_out]) == numbers, one.name
        assert len(set(one.numbers)) == sum(len(one.roles[role]) for role in ROLES), one.name


def test_sets_are_as_large_as_the_paper_and_the_code_have_them() -> None:
    sizes = {one.name: (len(one.roles["train"]), len(one.roles["validation"]), len(one.roles["test"])) for one in MADS}
    assert sizes == {"mad-m": (14, 3, 5), "mad-c": (18, 4, 7), "mad-t": (18, 4, 4)}
    assert sorted(mad_set("mad-m").left_out) == [0, 1, 2, 9, 10, 12, 24, 28]


def test_the_small_sets_have_native_attacks_but_for_one() -> None:
    small = [mad_attack(f"mad/{n}").library for name in ("mad-quick", "mad-smoke") for n in mad_set(name).numbers]
    assert small.count("native") == len(small) - 1 == 15


@pytest.mark.parametrize("one", [one for one in ATTACKS if one.library == "native"], ids=lambda one: one.name)
def test_native_ones_can_be_built_for_all_images(one: object) -> None:
    for images in IMAGES:
        reference = one.reference(images)  # type: ignore[attr-defined]
        assert attack_called(reference) is not None


def test_parameters_follow_the_images() -> None:
    assert resolve_mad("mad/13", DIGITS) == "fgsm:eps=60/255" and resolve_mad("mad/13", CIFAR) == "fgsm:eps=8/255"
    assert resolve_mad("mad/18", CIFAR) == "pgd:eps=8/255:step=2/225:steps=50", "the original's 2/225"
    assert resolve_mad("mad/18", DIGITS) == "pgd:eps=35/255:step=2/255:steps=50"
    assert resolve_mad("mad/20", TINY) == "tpgd:eps=16/255:step=2/255:steps=50"
    assert resolve_mad("mad/29", DIGITS) == "fab:farthest=35/255:steps=100"
    assert resolve_mad("pgd:steps=3", CIFAR) == "pgd:steps=3"
    assert resolve_mad("mad/19:steps=7", CIFAR) == "pgd-l2:eps=1:step=0.2:steps=7", "a person's own parameters win"


def test_images_are_told_by_channels_name_and_size() -> None:
    assert images_like(sized(1, 28)) == "mnist" and images_like(sized(3, 32, "mnist 3x32")) == "mnist"
    assert images_like(sized(3, 32)) == "cifar10" and images_like(sized(3, 64)) == "tiny_imagenet"
    assert set_like(DIGITS).name == "mad-m" and set_like(TINY).name == "mad-t"


def test_the_radius_is_that_of_the_images() -> None:
    assert attack_called(resolve_mad("mad/13", DIGITS)).radius == pytest.approx(60 / 255)
    assert attack_called(resolve_mad("mad/29", CIFAR)).radius == pytest.approx(8 / 255)
    assert attacks.reference(attack_called(resolve_mad("mad/25", CIFAR))).startswith("square:queries=2500:loss=ce")


def test_lists_stand_for_sets_and_later_ones_replace_earlier_ones() -> None:
    assert attacks_named(["mad"], CIFAR) == [f"mad/{n}" for n in range(30)]
    assert attacks_named(["mad-smoke"], DIGITS) == ["mad/13", "mad/16", "mad/18", "mad/27"]
    assert attacks_named(["mad-smoke", "mad/18:steps=3", "pgd", "pgd"], DIGITS) == [
        *("mad/13", "mad/16", "mad/18:steps=3", "mad/27", "pgd")
    ]


def test_what_is_none_of_them_is_refused() -> None:
    with pytest.raises(UnknownName, match="unknown attack 'mad/30'"):
        attacks_named(["mad/30"], CIFAR)
    with pytest.raises(UnknownName, match="unknown set of attacks 'mad-x'"):
        mad_set("mad-x")
    with pytest.raises(BadInput, match=r"another attack for each data set: name one of fgsm:eps=60/255 \(mnist\), "):
        refuse_without_data("mad/13")
    with pytest.raises(BadInput, match="another attack for each data set"):
        attack_called("mad/13")


def test_victims_and_data_are_there() -> None:
    for one in SETS:
        assert one.network == "home" or networks.build(one.network) is not None
        assert source(one.dataset).info.num_classes == source(one.faithful_dataset).info.num_classes
    assert source(mad_set("mad-m").faithful_dataset).info.channels == 3
    assert source(mad_set("mad-t").faithful_dataset).info.size == 224
