from __future__ import annotations

import dataclasses

import pytest
import torch
from torch import Tensor
from train_setups import equal_weights, make_model

from stillproof.core.context import Context
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.core.types import Hard, PerEpoch
from stillproof.testing.checks import global_generators_untouched
from stillproof.testing.toy import toy_images
from stillproof.train.curve import Curve
from stillproof.train.loop import fit
from stillproof.train.objectives.kl import Divergence
from stillproof.train.passes import Passes
from stillproof.train.recipe import Recipe
from stillproof.train.replay import Replay, check_replay, mix, pixel_boxes
from stillproof.train.train_data import TrainData
from stillproof.train.training import Training

KL = Recipe(epochs=3, batch=7, lr=0.1, objective="kl(temperature=2)", momentum=0.0, weight_decay=0.0)
COUNT, BATCH = 36, 10


def recording(epochs: int = 3) -> PerEpoch:
    """Labels that say the toy images' classes, under whole images that are neither flipped nor mixed."""
    generator = torch.Generator().manual_seed(0)
    classes = toy_images().labels
    order = torch.stack([torch.randperm(COUNT, generator=generator) for _ in range(epochs)])
    whole = torch.tensor([0.0, 0.0, 1.0, 1.0]).repeat(epochs, COUNT, 1)
    return PerEpoch(
        values=classes,
        order=order.int(),
        coords=whole,
        flip=torch.zeros(epochs, COUNT, dtype=torch.bool),
        mix_index=torch.zeros(epochs, COUNT, dtype=torch.int32),
        mix_lambda=torch.ones(epochs, 4),
        mix_box=torch.zeros(epochs, 4, 4, dtype=torch.int32),
        logits=(6 * torch.nn.functional.one_hot(classes[order], 3)).half(),
        batch=BATCH,
    )


def replayed(recipe: Recipe, labels: PerEpoch, seed: int = 0) -> tuple[dict[str, Tensor], Curve]:
    model, toy = make_model(), toy_images()

    def read(index: Tensor) -> Tensor:
        images: Tensor = model.front(toy.read(index))
        return images

    curve = Curve(toy_images(), None, "cpu")
    fit(model, TrainData(read, labels.values, 3, Replay(labels)), recipe, Context(Seeds(seed)), curve=curve)
    return {name: value.clone() for name, value in model.body.state_dict().items()}, curve


def test_training_follows_the_recording_step_by_step() -> None:
    labels, model, toy = recording(), make_model().train(), toy_images()
    optimiser = torch.optim.SGD(model.body.parameters(), lr=0.1)
    for epoch in range(3):
        for start in range(0, COUNT, BATCH):
            index = labels.order[epoch, start : start + BATCH].long()
            said = (labels.logits[epoch, start : start + BATCH].float() / 2).softmax(1)
            answer = (model.body(model.front(toy.read(index))) / 2).log_softmax(1)
            loss = (said * (said.log() - answer)).sum(1).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    weights, _ = replayed(KL, labels)
    for name, value in model.body.state_dict().items():
        torch.testing.assert_close(weights[name], value)


def test_it_learns_what_the_teacher_said() -> None:
    recipe = dataclasses.replace(KL, epochs=40, optimiser="adamw", lr=0.02, schedule="cosine")
    _, curve = replayed(recipe, recording(40))
    assert curve.test_accuracy[-1] > 0.9
    assert curve.losses[-1] < curve.losses[0] / 4


def test_neither_the_seed_nor_the_recipes_batch_changes_a_recording() -> None:
    with global_generators_untouched():
        first, _ = replayed(KL, recording())
    assert equal_weights(first, replayed(dataclasses.replace(KL, batch=36), recording(), seed=5)[0])


def test_crops_flips_and_mixes_are_made_in_this_order() -> None:
    base = recording(1)
    image = torch.arange(64.0).view(1, 8, 8)
    images = torch.stack([image, image + 100])
    coords = torch.tensor([[0.0, 0.0, 1.0, 1.0], [0.25, 0.5, 0.125, 0.125]]).unsqueeze(0)  # all, and one pixel
    labels = dataclasses.replace(
        base,
        values=torch.tensor([0, 1]),
        order=torch.tensor([[1, 0]], dtype=torch.int32),
        coords=coords,
        flip=torch.tensor([[True, False]]),
        mix_index=torch.tensor([[1, 0]], dtype=torch.int32),
        mix_lambda=torch.tensor([[0.75]]),
        mix_box=torch.tensor([[[0, 6, 2, 8]]], dtype=torch.int32),
        logits=torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]).half(),
    )
    data = TrainData(lambda index: images[index], labels.values, 2, Replay(labels))
    training = Training(make_model(), data, KL, Context(Seeds(0)))
    (batch,) = Passes(training, "logits").batches(0, Seeds(0))
    first, second = (image + 100).flip(2), torch.full((1, 8, 8), 2 * 8 + 4.0)
    expected = torch.stack([0.75 * first + 0.25 * second, 0.75 * second + 0.25 * first])
    expected[0, :, :2, 6:], expected[1, :, :2, 6:] = second[:, :2, 6:], first[:, :2, 6:]
    torch.testing.assert_close(batch.images, expected)
    assert batch.targets.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert batch.positions.tolist() == batch.classes.tolist() == [1, 0]


def test_mixing_leaves_the_images_that_came_in_alone() -> None:
    images = torch.rand(3, 1, 4, 4)
    before = images.clone()
    mix(images, torch.tensor([1, 2, 0]), 1.0, torch.tensor([0, 0, 2, 2]))
    assert torch.equal(images, before)
    assert torch.equal(mix(images, torch.tensor([1, 2, 0]), 1.0, torch.zeros(4)), before)


@pytest.mark.parametrize("size", [8, 28, 32, 64, 224])
def test_whole_pixels_survive_their_division_by_the_size(size: int) -> None:
    pixels = torch.arange(size + 1)
    coords = (pixels / size).float().unsqueeze(1).expand(-1, 4)
    assert torch.equal(pixel_boxes(coords, size, size), pixels.unsqueeze(1).expand(-1, 4))


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        (Recipe(epochs=3), "objective 'cross-entropy' cannot train on: use recipe 'fkd:epochs=3'"),
        (dataclasses.replace(KL, epochs=4), "asks for 4 epochs, but labels are recorded for 3: use at most epochs=3"),
        (dataclasses.replace(KL, augment="dsa"), "augmentation 'dsa' cannot be added"),
        (dataclasses.replace(KL, shuffle=False), "recorded order of its images, which shuffle=false cannot keep"),
    ],
)
def test_a_recipe_that_a_recording_does_not_fit_is_refused(recipe: Recipe, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        replayed(recipe, recording())
    check_replay(Hard(torch.zeros(3)), recipe)


def test_fewer_epochs_than_were_recorded_are_the_first_ones() -> None:
    short, _ = replayed(dataclasses.replace(KL, epochs=2), recording())
    labels = recording()
    cut = {f.name: getattr(labels, f.name)[:2] for f in dataclasses.fields(labels) if f.name not in ("values", "batch")}
    assert equal_weights(short, replayed(dataclasses.replace(KL, epochs=2), dataclasses.replace(labels, **cut))[0])


def test_a_temperature_softens_both_sides() -> None:
    logits, goal = torch.randn(5, 3), torch.randn(5, 3)
    p, q = (goal / 4).softmax(1), (logits / 4).softmax(1)
    torch.testing.assert_close(Divergence(4.0).of_logits(logits, goal), (p * (p / q).log()).sum() / 5)
    torch.testing.assert_close(Divergence(4.0).of_logits(logits, logits), torch.tensor(0.0), rtol=0, atol=1e-6)
