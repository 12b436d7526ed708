"""Augmentations in training: in the space that they are defined in, and with the labels that they mix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest
import torch
from torch import Tensor
from train_setups import equal_weights, make_model, train

from stillproof.core.components import augmentations, objectives, recipes
from stillproof.core.context import Context
from stillproof.core.seeds import Seeds
from stillproof.core.types import Card, Distilled, Hard, Space, Stored
from stillproof.testing.checks import global_generators_untouched
from stillproof.testing.toy import TOY, toy_images
from stillproof.train.batch import Augmented
from stillproof.train.data import from_distilled
from stillproof.train.loop import fit
from stillproof.train.objective import LogitObjective
from stillproof.train.passes import Augmenter, make_augment
from stillproof.train.recipe import Recipe
from stillproof.train.target_source import LabelTargets
from stillproof.transforms.front import Front
from stillproof.transforms.space import make_front
from stillproof.transforms.zca import ZCA

NAMES = sorted(augmentations.entries())
CLASSES = torch.tensor([2, 0, 1, 1, 2])


def fronts() -> list[Front]:
    return [
        make_front(Space("pixels")),
        make_front(Space.normalised(TOY)),
        ZCA.fit(torch.rand(1, 400, 1, 8, 8, generator=Seeds(0).torch())),
    ]


@dataclass(frozen=True)
class Doubled:
    """Doubles pixels; keeps what it was shown."""

    seen: list[Tensor]
    pixels: ClassVar[bool] = True

    def __call__(self, images: Tensor, generator: torch.Generator) -> Tensor:
        self.seen.append(images)
        return 2 * images


def images_beyond_pixels() -> Tensor:
    return 4 * torch.rand(5, 1, 8, 8, generator=Seeds(1).torch()) - 2


@pytest.mark.parametrize("front", fronts(), ids=["pixels", "normalised", "zca"])
def test_augmentations_of_pixels_see_pixels_and_nothing_is_clamped(front: Front) -> None:
    doubled, pixels = Doubled([]), images_beyond_pixels()
    changed, mix = Augmenter(doubled, front)(front(pixels), Seeds(0))
    torch.testing.assert_close(doubled.seen[0], pixels, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(changed, front(2 * pixels), rtol=1e-4, atol=1e-3)
    assert mix is None


def test_other_augmentations_see_the_space_of_the_body() -> None:
    images, front = images_beyond_pixels(), fronts()[1]
    dsa = augmentations.build("dsa")
    changed, _ = make_augment("dsa", front)(images, Seeds(3))
    assert torch.equal(changed, dsa(images, Seeds(3).torch()))


def test_no_augmentation_changes_nothing() -> None:
    images = images_beyond_pixels()
    changed, mix = make_augment("none", fronts()[1])(images, Seeds(0))
    assert changed is images and mix is None


@pytest.mark.parametrize("name", ["mixup", "cutmix"])
@pytest.mark.parametrize("objective", ["cross-entropy", "mse", "kl"])
@pytest.mark.parametrize("soft", [False, True])
def test_mixed_labels_mean_the_same_to_every_objective(name: str, objective: str, soft: bool) -> None:
    probabilities = torch.rand(5, 3, generator=Seeds(2).torch()).softmax(1)
    labels: Hard | Stored = Stored("probs", probabilities) if soft else Hard(CLASSES)
    plain = probabilities if soft else torch.nn.functional.one_hot(CLASSES, 3).float()
    images = images_beyond_pixels()
    wanted: LogitObjective = objectives.build(objective)
    mixed, mix = make_augment(name, fronts()[1])(images, Seeds(4))
    batch = Augmented(mixed, torch.arange(5), epoch=0, number=0, mix=mix)
    goal = LabelTargets(labels, 3, "cpu").targets(batch, wanted.form)
    expected_images, expected = augmentations.build(name).mix(images, plain, Seeds(4).torch())  # type: ignore[attr-defined]
    assert torch.equal(mixed, expected_images)
    torch.testing.assert_close(goal.softmax(1) if objective == "kl" else goal, expected)
    assert wanted.of_logits(torch.zeros(5, 3), goal).isfinite()


@pytest.mark.parametrize("name", NAMES)
def test_every_augmentation_trains_and_changes_what_is_learnt(name: str) -> None:
    recipe = Recipe(epochs=2, batch=12, augment=name)
    with global_generators_untouched():
        first = train(recipe)
    assert equal_weights(first.weights, train(recipe).weights)
    assert not equal_weights(first.weights, train(Recipe(epochs=2, batch=12)).weights)


@pytest.mark.parametrize("name", ["mixup", "cutmix"])
@pytest.mark.parametrize("objective", ["cross-entropy", "mse", "kl"])
def test_mixtures_teach_the_classes(name: str, objective: str) -> None:
    recipe = Recipe(epochs=60, batch=12, lr=0.1, augment=name, objective=objective)
    fitted = train(recipe, test=toy_images())
    assert fitted.curve.test_accuracy[-1] > 0.8


def test_a_whitened_set_is_not_wrecked_by_an_augmentation_of_pixels() -> None:
    zca = fronts()[2]
    images = zca(images_beyond_pixels())
    still = make_augment("imagenet-aug:padding=0:brightness=0:contrast=0:saturation=0:hue=0", zca)
    changed, _ = still(images, Seeds(5))
    mirrored = zca(zca.inverse(images).flip(3))
    for before, flipped, after in zip(images, mirrored, changed, strict=True):
        assert min((after - before).abs().max(), (after - flipped).abs().max()) < 1e-3


def test_a_distilled_set_trains_with_an_augmentation_of_pixels() -> None:
    model, toy = make_model(), toy_images()
    card = Card("own", 1, {}, "toy", "toy/train", 1, 0, "none", "none", 0)
    front = model.front
    distilled = Distilled(front(toy.read(slice(None))), Hard(toy.labels), 3, Space.normalised(TOY), card)
    data = from_distilled(distilled, front, "cpu")
    fit(model, data, Recipe(epochs=20, batch=12, lr=0.1, augment="rand-augment"), Context(Seeds(0)))
    predicted = model(toy.read(slice(None))).argmax(1)
    assert (predicted == toy.labels).float().mean() > 0.8


@pytest.mark.parametrize("name", NAMES)
def test_recipes_of_dc_bench_take_every_augmentation_by_name(name: str) -> None:
    recipe = recipes.build(f"dc-bench-dsa:augment={name}")
    assert recipe.augment == name and recipe.epochs == 1001
