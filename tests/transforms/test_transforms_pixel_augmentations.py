"""Augmentations of pixels: what is drawn, how often, and for whom."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from stillproof.core.components import augmentations
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.transforms.auto_augment import AutoAugment
from stillproof.transforms.auto_augment_policies import POLICIES
from stillproof.transforms.draws import Draws
from stillproof.transforms.imagenet_aug import ImageNetAug
from stillproof.transforms.pixel_augmentation import PixelAugmentation, to_eight_bits
from stillproof.transforms.pixel_table import OPERATIONS, apply_each, strength
from stillproof.transforms.rand_augment import CHOICES, RandAugment

ALL = [ImageNetAug(), RandAugment(), AutoAugment(), AutoAugment(policy="imagenet")]
PER_BATCH = [
    ImageNetAug(per_batch=True),
    RandAugment(per_batch=True),
    AutoAugment(per_batch=True),
    AutoAugment(per_batch=True, policy="imagenet"),
]
seeds = st.integers(0, 2**31)


def generator(seed: int) -> torch.Generator:
    return Seeds(seed).torch()


def one_picture() -> Tensor:
    """Return a picture (1, 3, 32, 32) that every operation leaves another trace on."""
    return torch.randint(30, 200, (1, 3, 32, 32), generator=generator(0)) / 255


def copies(count: int) -> Tensor:
    return one_picture().repeat(count, 1, 1, 1)


def key(image: Tensor) -> tuple[int, ...]:
    return tuple((image.flatten() * 1000).round().int().tolist())


def done(operation: str, value: float, image: Tensor) -> Tensor:
    return apply_each(image, [operation], [value])


@pytest.mark.parametrize(
    ("operation", "share", "expected"),
    [
        ("shear-x", 0.3, -0.09),
        ("shear-y", 1.0, -0.3),
        ("translate-x", 0.3, -4.350453),
        ("translate-y", 1.0, -7.250755),
        ("rotate", 0.3, -9.0),
        ("brightness", 1 / 9, -0.1),
        ("colour", 0.3, -0.27),
        ("contrast", 1.0, -0.9),
        ("sharpness", 0.0, 0.0),
        ("solarize", 0.3, 178.5),
        ("solarize", 1.0, 0.0),
        ("autocontrast", 0.5, 0.0),
    ],
)
def test_strengths_of_the_levels(operation: str, share: float, expected: float) -> None:
    assert strength(operation, share, -1, torch.empty(1, 3, 16, 32)) == pytest.approx(expected)


def test_bits_that_the_ten_levels_leave() -> None:
    bits = [strength("posterize", level / 9, 1, one_picture()) for level in range(10)]
    assert bits == [8, 8, 7, 7, 6, 6, 5, 5, 4, 4]


def test_rand_augment_does_one_of_fourteen_things_equally_often() -> None:
    image, share = one_picture(), 9 / 30
    known = {
        key(done(name, strength(name, share, sign, image), image)): (name, sign)
        for name, sign in product(CHOICES, (-1, 1))
    }
    found = Counter(known[key(result)] for result in RandAugment()(copies(1400), generator(1)))
    by_name = Counter[str]()
    for (name, _), count in found.items():
        by_name[name] += count
    assert len(by_name) == 14 and all(60 <= count <= 140 for count in by_name.values())
    for name in ("shear-x", "translate-y", "rotate", "colour"):
        assert found[name, 1] > 20 and found[name, -1] > 20


def test_several_operations_come_one_after_the_other() -> None:
    twice = RandAugment(num_ops=2, magnitude=0)(copies(400), generator(2))
    changed = (twice != copies(400)).flatten(1).any(1).float().mean().item()
    once = (RandAugment(magnitude=0)(copies(400), generator(2)) != copies(400)).flatten(1).any(1).float().mean().item()
    # At level 0 only autocontrast and equalize do something: 2 of 14.
    assert once == pytest.approx(2 / 14, abs=0.06) and changed == pytest.approx(1 - (12 / 14) ** 2, abs=0.07)


@pytest.mark.parametrize("policy", ["cifar10", "imagenet"])
def test_policies_are_25_pairs_of_known_operations(policy: str) -> None:
    assert len(POLICIES[policy]) == 25
    for name, probability, level in (step for pair in POLICIES[policy] for step in pair):
        assert name in OPERATIONS and 0 <= probability <= 1 and 0 <= level <= 9


# Of each operation: how often it is listed, and the sums of its probabilities and levels, in the published tables.
TOTALS = {
    "cifar10": "autocontrast 7 5.0 0, brightness 4 2.3 25, colour 5 2.9 27, contrast 2 0.8 13, equalize 9 4.7 0, "
    "invert 3 0.2 0, posterize 1 0.3 7, rotate 1 0.7 2, sharpness 5 2.8 24, shear-y 2 0.7 15, solarize 4 1.9 18, "
    "translate-x 2 0.8 17, translate-y 5 3.4 39",
    "imagenet": "autocontrast 2 1.2 0, colour 6 3.8 18, contrast 2 2.0 16, equalize 17 11.2 0, invert 3 1.8 0, "
    "posterize 5 2.8 32, rotate 6 3.6 45, sharpness 1 0.4 7, shear-x 1 0.6 5, solarize 7 3.6 36",
}


@pytest.mark.parametrize("policy", ["cifar10", "imagenet"])
def test_policies_are_the_published_ones(policy: str) -> None:
    steps = sorted(step for pair in POLICIES[policy] for step in pair)
    totals = []
    for name in sorted({step[0] for step in steps}):
        own = [step for step in steps if step[0] == name]
        totals.append(f"{name} {len(own)} {sum(step[1] for step in own):.1f} {sum(step[2] for step in own)}")
    assert ", ".join(totals) == TOTALS[policy]


def outcomes(auto: AutoAugment) -> dict[tuple[int, ...], float]:
    """Return every image that a policy can make of the picture, with its probability."""
    image = one_picture()
    found: defaultdict[tuple[int, ...], float] = defaultdict(float)
    for pair in POLICIES[auto.policy]:
        made = {key(image): (image, 1 / 25)}
        for name, probability, level in pair:
            after: dict[tuple[int, ...], tuple[Tensor, float]] = {}
            for before, chance in made.values():
                results = [(before, 1 - probability)]
                for sign in (-1, 1):
                    results.append((done(name, strength(name, level / 9, sign, image), before), probability / 2))
                for result, share in results:
                    known = after.get(key(result), (result, 0.0))[1]
                    after[key(result)] = result, known + chance * share
            made = after
        for name_of, (_, chance) in made.items():
            found[name_of] += chance
    return dict(found)


@pytest.mark.parametrize("auto", [AutoAugment(), AutoAugment(policy="imagenet")], ids=["cifar10", "imagenet"])
def test_auto_augment_does_what_its_policy_says_as_often_as_it_says(auto: AutoAugment) -> None:
    expected, count = outcomes(auto), 1500
    assert sum(expected.values()) == pytest.approx(1)
    found = Counter(key(result) for result in auto(copies(count), generator(3)))
    assert set(found) <= {name for name, chance in expected.items() if chance > 0}
    for name, chance in expected.items():
        spread = 4.5 * (chance * (1 - chance) / count) ** 0.5 + 1 / count
        assert found[name] / count == pytest.approx(chance, abs=spread)


def test_imagenet_aug_without_jitter_shifts_onto_black_and_flips() -> None:
    still = ImageNetAug(brightness=0, contrast=0, saturation=0, hue=0)
    padded = torch.nn.functional.pad(one_picture(), (4, 4, 4, 4))
    known = {}
    for flipped, down, right in product((False, True), range(9), range(9)):
        crop = padded[..., down : down + 32, right : right + 32]
        known[key(crop.flip(3) if flipped else crop)] = flipped, down, right
    found = Counter(known[key(result)] for result in still(copies(1500), generator(4)))
    assert len(found) > 150  # of 162
    assert sum(count for (flipped, _, _), count in found.items() if flipped) / 1500 == pytest.approx(0.5, abs=0.06)


@pytest.mark.parametrize(
    ("size", "padding", "most"), [(64, None, 4), (32, None, 4), (8, None, 1), (8, 3, 3), (32, 6, 6)]
)
def test_small_images_are_shifted_by_an_eighth_unless_told_otherwise(size: int, padding: int | None, most: int) -> None:
    aug = ImageNetAug(padding=padding, brightness=0, contrast=0, saturation=0, hue=0)
    bright = torch.ones(300, 1, size, size)
    rows = aug(bright, generator(10))[:, 0, :, size // 2].sum(1)  # what is left of a column
    assert size - rows.min() == most and rows.max() == size


def test_jitter_of_brightness_alone_is_uniform_up_to_its_width() -> None:
    bright = ImageNetAug(padding=0, contrast=0, saturation=0, hue=0)
    means = bright(copies(600), generator(5)).mean((1, 2, 3)) / one_picture().mean()
    assert 0.6 - 1e-4 <= means.min() < 0.62 and 1.38 < means.max() <= 1.4 + 1e-4
    assert means.mean().item() == pytest.approx(1, abs=0.04)


def test_every_image_is_jittered_in_its_own_order() -> None:
    count, names, widths = 48, ("brightness", "contrast", "colour", "hue"), (0.4, 0.4, 0.4, 0.2)
    found = ImageNetAug(padding=0)(copies(count), generator(6))
    draws = Draws(count, generator(6))
    draws.integers(0, 1, 2)
    flipped, orders, signed = draws.uniform() < 0.5, draws.orders(4), 2 * draws.uniform(4) - 1
    for result, mirrored, order, values in zip(found, flipped, orders.tolist(), signed.tolist(), strict=True):
        image = one_picture().flip(3) if mirrored else one_picture()
        for place in order:
            image = done(names[place], values[place] * widths[place], image)
        torch.testing.assert_close(result[None], image, rtol=0, atol=1e-5)
    assert len({tuple(order) for order in orders.tolist()}) > 12


@pytest.mark.parametrize("augment", ALL)
@settings(max_examples=10, deadline=None)
@given(seed=seeds)
def test_equal_seeds_give_equal_batches(augment: PixelAugmentation, seed: int) -> None:
    images = torch.rand(5, 3, 16, 16, generator=generator(8))
    assert torch.equal(augment(images, generator(seed)), augment(images, generator(seed)))


@pytest.mark.parametrize("augment", ALL)
def test_images_have_their_own_draws_and_values_beyond_pixels_survive(augment: PixelAugmentation) -> None:
    images = 3 * copies(64) - 1  # from about -0.6 to 1.4
    changed = augment(images, generator(9))
    assert len({key(result) for result in changed}) > 8
    beyond = ((changed < -0.2) | (changed > 1.2)).flatten(1).any(1).float().mean().item()
    assert beyond > 0.3  # operations on 8 bits cut the others


@pytest.mark.parametrize("augment", PER_BATCH)
def test_per_batch_is_one_change_for_all_in_8_bits(augment: PixelAugmentation) -> None:
    results = []
    for seed in range(12):
        changed = augment(3 * copies(6) - 1, generator(seed))
        assert (changed == changed[:1]).all()
        assert changed.min() >= 0 and changed.max() <= 1
        torch.testing.assert_close(changed * 255, (changed * 255).round(), rtol=0, atol=1e-3)
        results.append(key(changed[0]))
    assert len(set(results)) > 4


def test_per_batch_draws_do_not_depend_on_the_size_of_the_batch() -> None:
    for augment, seed in product(PER_BATCH, range(6)):
        assert torch.equal(augment(copies(1), generator(seed)), augment(copies(3), generator(seed))[:1])


def test_eight_bits_cut_down_but_keep_whole_levels_that_were_normalised_and_back() -> None:
    levels = torch.arange(256.0) / 255
    noisy = (levels - 0.4914) / 0.2023 * 0.2023 + 0.4914
    assert torch.equal((to_eight_bits(noisy) * 255).round(), torch.arange(256.0))
    between = torch.tensor([-0.5, 99.9 / 255, 100.5 / 255, 7.0])
    assert (to_eight_bits(between) * 255).round().tolist() == [0, 99, 100, 255]


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("rand-augment:magnitude=31", "magnitude must be at least 0 and below bins 31, not 31"),
        ("rand-augment:num_ops=0", "num_ops 0 must be at least 1"),
        ("auto-augment:policy=svhm", "policy = 'svhm' is not allowed"),
        ("imagenet-aug:padding=-1", "padding must not be negative, not -1"),
        ("imagenet-aug:hue=0.6", "hue in"),
        ("imagenet-aug:contrast=1.5", "must lie in"),
    ],
)
def test_what_has_no_meaning_is_refused(reference: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        augmentations.build(reference)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("auto-augment", AutoAugment()),
        ("auto-augment-imagenet", AutoAugment(policy="imagenet")),
        ("auto-augment-per-batch", AutoAugment(per_batch=True)),
        ("auto-augment-imagenet-per-batch", AutoAugment(per_batch=True, policy="imagenet")),
        ("rand-augment-per-batch", RandAugment(per_batch=True)),
        ("imagenet-aug-per-batch", ImageNetAug(per_batch=True)),
    ],
)
def test_short_names(name: str, expected: PixelAugmentation) -> None:
    assert augmentations.build(name) == expected


@pytest.mark.parametrize("name", ["auto_augment", "rand_augment", "imagenet_aug"])
def test_every_operation_of_the_8_bit_form_gets_and_gives_whole_levels(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Tensor] = []

    def spy(images: Tensor, operations: Sequence[str], strengths: Sequence[float], *, eight_bit: bool) -> Tensor:
        assert eight_bit
        seen.append(images)
        return apply_each(images, operations, strengths, eight_bit=eight_bit)

    monkeypatch.setattr(f"stillproof.transforms.{name}.apply_each", spy)
    reference = {"rand_augment": "rand-augment-per-batch:num_ops=3"}.get(name, f"{name.replace('_', '-')}-per-batch")
    augment = augmentations.build(reference)
    for seed in range(30):
        seen.append(augment(torch.rand(2, 3, 16, 16, generator=Seeds(seed).torch()), Seeds(seed).torch()))
    levels = 255 * torch.stack(seen)
    assert float((levels - levels.round()).abs().max()) < 1e-3
