"""Sources of targets: asked after augmentation, one of them defined here."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from train_setups import equal_weights, make_model, train

from stillproof.core.context import Context
from stillproof.core.seeds import Seeds
from stillproof.core.types import Hard, Stored
from stillproof.testing.toy import toy_images
from stillproof.train.batch import Augmented
from stillproof.train.curve import Curve
from stillproof.train.data import from_images
from stillproof.train.labels import Form, from_logits
from stillproof.train.loop import fit
from stillproof.train.model import TrainedModel
from stillproof.train.recipe import Recipe
from stillproof.train.target_source import LabelTargets, TargetSource
from stillproof.train.train_data import TrainData


class FreshAnswers(TargetSource):
    """What a trained network says of every batch as it was augmented."""

    def __init__(self, teacher: TrainedModel) -> None:
        self.teacher = teacher
        self.asked: list[Augmented] = []

    def targets(self, batch: Augmented, form: Form) -> Tensor:
        self.asked.append(batch)
        with torch.no_grad():
            return from_logits(self.teacher.body(batch.images), form)


def taught(recipe: Recipe, seed: int = 0) -> tuple[TrainedModel, FreshAnswers, Curve]:
    teacher = train(Recipe(epochs=20, batch=12, lr=0.1), test=toy_images()).model
    source = FreshAnswers(teacher)
    student = make_model(seed=7)
    real = from_images(toy_images(), student.front, "cpu")
    nonsense = (real.classes + 1) % 3  # the labels of the set teach nothing here
    curve = Curve(toy_images(), None, "cpu")
    data = TrainData(real.read, nonsense, 3, source)
    fit(student, data, recipe, Context(Seeds(seed)), curve=curve)
    return student, source, curve


@pytest.mark.parametrize("objective", ["kl(temperature=2)", "cross-entropy", "mse"])
@pytest.mark.parametrize("augment", ["none", "dsa", "mixup"])
def test_a_student_learns_from_fresh_answers(objective: str, augment: str) -> None:
    recipe = Recipe(epochs=60, batch=12, lr=0.1, objective=objective, augment=augment)
    student, _, curve = taught(recipe)
    assert curve.test_accuracy[-1] > 0.8
    assert equal_weights(student.body.state_dict(), taught(recipe)[0].body.state_dict())


def test_a_source_is_asked_after_augmentation_with_all_that_is_known() -> None:
    recipe = Recipe(epochs=2, batch=10, augment="mixup", objective="kl")
    _, source, _ = taught(recipe)
    assert [(batch.epoch, batch.number) for batch in source.asked] == [(e, n) for e in range(2) for n in range(4)]
    student = make_model()
    real = from_images(toy_images(), student.front, "cpu")
    for batch in source.asked:
        before = real.read(batch.positions)
        assert not torch.equal(batch.images, before), "the images are those that the network sees"
        assert batch.mix is not None
        shares = batch.mix(torch.eye(len(batch.positions)))
        torch.testing.assert_close(shares.sum(1), torch.ones(len(shares)))
        torch.testing.assert_close((shares @ before.flatten(1)).view(before.shape), batch.images, rtol=1e-4, atol=1e-5)


def test_nothing_is_said_to_be_mixed_that_is_not() -> None:
    for augment in ("none", "dsa"):
        _, source, _ = taught(Recipe(epochs=1, augment=augment, objective="kl"))
        assert all(batch.mix is None for batch in source.asked)


def test_labels_are_given_by_position_and_mixed_as_the_images_were() -> None:
    positions = torch.tensor([2, 0])
    plain = Augmented(torch.zeros(2, 1, 8, 8), positions, 0, 0)
    mixed = Augmented(torch.zeros(2, 1, 8, 8), positions, 0, 0, mix=lambda shares: shares.flip(0))
    hard = LabelTargets(Hard(torch.tensor([0, 1, 2])), 3, "cpu")
    assert hard.targets(plain, "classes").tolist() == [2, 0]
    assert torch.equal(hard.targets(mixed, "classes"), torch.eye(3)[[0, 2]])
    values = torch.tensor([[0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [0.1, 0.2, 0.7]])
    soft = LabelTargets(Stored("probs", values), 3, "cpu")
    assert torch.equal(soft.targets(plain, "shares"), values[[2, 0]])
    torch.testing.assert_close(soft.targets(mixed, "logits").softmax(1), values[[0, 2]])
