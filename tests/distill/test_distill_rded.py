from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from taught_setups import with_teacher
from torch.nn import functional as F

from stillproof.core.components import distillers, recipes
from stillproof.core.errors import BadInput
from stillproof.core.presets import preset_params
from stillproof.core.taught_settings import taught_setting
from stillproof.core.types import Taught
from stillproof.distill.rded import RealisticDiverse, lowest, padded, tiled
from stillproof.testing.toy import toy_images
from stillproof.transforms.space import make_front


@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 100))
def test_crops_are_chosen_as_rded_chooses(crops: int, keep: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    made, losses = torch.rand(5, crops, 1, 2, 2, generator=generator), torch.rand(5, crops, generator=generator)
    best = {image: int(losses[image].argmin()) for image in range(5)}
    order = sorted(best, key=lambda image: float(losses[image, best[image]]))
    assert torch.equal(lowest(made, losses, keep), torch.stack([made[i, best[i]] for i in order[:keep]]))


def test_patches_fill_an_image_row_by_row_and_the_first_ones_take_what_is_left_over() -> None:
    patches = torch.arange(8.0).reshape(8, 1, 1, 1).expand(8, 1, 2, 2)  # two images of 2 x 2 patches
    made = tiled(patches, 5, 2)
    assert made.shape == (2, 1, 5, 5)
    assert made[0, 0].tolist() == [[0, 0, 0, 2, 2]] * 3 + [[4, 4, 4, 6, 6]] * 2
    assert torch.equal(made[1], made[0] + 1)


def test_one_patch_is_the_image_and_a_small_one_stands_in_the_middle() -> None:
    patches = torch.rand(3, 1, 4, 4)
    assert torch.equal(tiled(patches, 4, 1), patches) and torch.equal(padded(patches, 4), patches)
    alone = padded(patches, 9)
    assert torch.equal(alone[:, :, 2:6, 2:6], patches) and float(alone.sum()) == pytest.approx(float(patches.sum()))


@pytest.mark.parametrize("factor", [1, 2])
def test_the_teacher_is_surer_of_the_chosen_than_of_random_images(factor: int) -> None:
    ctx = with_teacher()
    made = RealisticDiverse(pool=12, crops=4, factor=factor).distill(toy_images(), 2, ctx)
    assert isinstance(made.labels, Taught) and made.labels.classes.tolist() == [0, 0, 1, 1, 2, 2]
    pixels = make_front(made.space).inverse(made.images)
    assert float(pixels.min()) >= -1e-6 and float(pixels.max()) <= 1 + 1e-6, "pixels of real images"
    if factor == 1:
        data = toy_images()
        random = F.cross_entropy(ctx.teachers[0](data.read(slice(None))), data.labels)
        assert float(F.cross_entropy(ctx.teachers[0](pixels), made.labels.classes)) < float(random)


def test_more_images_than_the_pool_are_taken_if_they_are_needed() -> None:
    made = RealisticDiverse(pool=1, crops=1, factor=2).distill(toy_images(), 3, with_teacher(epochs=1))
    assert made.images.shape == (9, 1, 8, 8)
    method = RealisticDiverse(pool=1, crops=2, factor=2)
    assert method.needs.real_per_image == 4 and method.image_passes(36, 3, 3) == 36 * 2


@pytest.mark.parametrize(
    ("name", "classes", "ipc", "factor", "expected"),
    [
        ("cifar10", 10, 1, 1, "rded:batch=10"),
        ("cifar10", 10, 10, 1, "rded:batch=50"),
        ("cifar10", 10, 50, 1, "rded:batch=100"),
        ("cifar100", 100, 10, 1, "rded:batch=25:lr=0.002"),
        ("tiny_imagenet", 200, 50, 1, "rded:batch=100"),
        ("imagenet", 1000, 10, 2, "rded:batch=100:augment=rded-aug(factor=2)"),
        ("mnist", 10, 10, 1, "rded:batch=50:augment=rded-aug(flip=False)"),
    ],
)
def test_a_set_is_trained_on_as_the_authors_do(name: str, classes: int, ipc: int, factor: int, expected: str) -> None:
    assert taught_setting("authors", "rded", name, ipc, classes, factor)[0] == expected
    assert recipes.build(expected).objective == "kl(temperature=20)"


def test_published_settings() -> None:
    assert RealisticDiverse() == RealisticDiverse(pool=300, crops=5, factor=1, teacher_recipe="teacher")
    assert preset_params(distillers.get("rded"), "paper", "imagenette", 10) == {"factor": 2}
    assert preset_params(distillers.get("rded"), "paper", "cifar10", 10) == {}
    for wrong in ("pool=0", "crops=0", "factor=0"):
        with pytest.raises(BadInput, match="distiller 'rded'"):
            distillers.build(f"rded:{wrong}")
