from __future__ import annotations

from typing import Any

import pytest

from stillproof.core.components import recipes
from stillproof.core.imagenet_sets import IMAGENET
from stillproof.core.taught_settings import METHODS, TABLE, Source, taught_setting


def made(source: Source, method: str, dataset: str, ipc: int = 10, **more: Any) -> Any:
    return recipes.build(taught_setting(source, method, dataset, ipc, **more)[0])


@pytest.mark.parametrize(
    ("source", "dataset", "batches", "lr", "augment"),
    [
        ("authors", "cifar10", (10, 50, 100), 0.001, "rded-aug"),
        ("authors", "cifar100", (25, 25, 25), 0.002, "rded-aug"),
        ("authors", "tiny_imagenet", (100, 100, 100), 0.001, "rded-aug"),
        ("authors", "imagenette", (10, 50, 100), 0.001, "rded-aug(factor=2)"),
        ("authors", "imagenet", (20, 100, 200), 0.001, "rded-aug(factor=2)"),
        ("dd-ranking", "cifar10", (10, 50, 100), 0.001, "rded-aug"),
        ("dd-ranking", "cifar100", (20, 50, 200), 0.001, "rded-aug"),
        ("dd-ranking", "tiny_imagenet", (100, 100, 200), 0.001, "rded-aug"),
        ("dd-ranking", "imagenet", (20, 100, 200), 0.001, "rded-aug"),
        ("dd-ranking", "imagenette", (100, 100, 100), 0.001, "rded-aug(factor=2)"),
    ],
)
def test_rded_by_data_set_and_size(
    source: Source, dataset: str, batches: tuple[int, ...], lr: float, augment: str
) -> None:
    found = [made(source, "rded", dataset, ipc) for ipc in (1, 10, 50)]
    assert tuple(one.batch for one in found) == batches
    assert {(one.lr, one.augment, one.epochs) for one in found} == {(lr, augment, 300)}
    assert {one.decay_vectors for one in found} == {source == "dd-ranking"}


def test_sre2l_by_data_set() -> None:
    tiny = made("authors", "sre2l", "tiny_imagenet")
    assert (tiny.optimiser, tiny.lr, tiny.weight_decay, tiny.batch, tiny.epochs) == ("sgd", 0.2, 1e-4, 256, 100)
    assert (tiny.warmup, tiny.objective) == (5, "kl(temperature=20,scale=true)") and "mixed=false" in tiny.augment
    imagenet = made("authors", "sre2l", "imagenet")
    assert (imagenet.batch, imagenet.epochs, imagenet.augment) == (1024, 300, "rded-aug(min_scale=0.08)")
    there = made("dd-ranking", "sre2l", "tiny_imagenet")
    assert (there.batch, there.epochs, there.objective) == (1024, 400, "kl(temperature=20)")
    assert (there.optimiser, there.schedule, there.augment) == ("adamw", "cosine-to-half", "rded-aug(min_scale=0.08)")


@pytest.mark.parametrize("dataset", IMAGENET)
def test_imagenet_and_its_subsets_have_the_settings_of_the_papers_table(dataset: str) -> None:
    found = made("dd-ranking", "sre2l", dataset)
    assert (found.batch, found.epochs, found.objective) == (1024, 300, "kl(temperature=20)")
    assert (found.schedule, found.augment) == ("cosine-to-half", "rded-aug(min_scale=0.08)") and found.decay_vectors
    for method in METHODS:
        assert taught_setting("dd-ranking", method, dataset, 10)[1] == "resnet-18-bn-imagenet"


@pytest.mark.parametrize("method", METHODS)
def test_digits_are_not_mirrored(method: str) -> None:
    for source in ("authors", "dd-ranking"):
        assert "flip=False" in made(source, method, "digits").augment


def test_networks_are_those_of_the_configurations() -> None:
    for size, network in ((1, "home-bn"), (10, "home-bn"), (50, "convnet-4-bn")):
        assert taught_setting("dd-ranking", "rded", "cifar100", size)[1] == network
    assert taught_setting("authors", "rded", "cifar100", 50)[1] == ""


def test_a_set_that_was_made_with_other_patches_is_shuffled_by_those() -> None:
    assert made("authors", "rded", "imagenet", factor=1).augment == "rded-aug"
    assert made("authors", "rded", "cifar10", factor=3).augment == "rded-aug(factor=3)"


def test_a_batch_is_no_larger_than_the_set_and_twice_as_large_for_many_classes() -> None:
    assert made("authors", "rded", "cifar10", 10, classes=3).batch == 30
    assert made("authors", "rded", "leaves", 10, classes=100).batch == 100


def test_every_row_of_the_table_can_be_trained_by() -> None:
    for (source, method), rows in TABLE.items():
        for dataset in rows:
            assert made(source, method, dataset or "cifar10").epochs >= 100
