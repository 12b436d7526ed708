"""Teachers: asked about each batch as it was augmented, through their own fronts, and left as they are."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from train_setups import make_model, train

from stillproof.core.context import Context
from stillproof.core.labels import Labels
from stillproof.core.seeds import Seeds
from stillproof.core.types import Card, Distilled, Space, Stored, Taught
from stillproof.testing.toy import TOY, toy_images
from stillproof.train.batch import Augmented
from stillproof.train.curve import Curve
from stillproof.train.data import from_distilled
from stillproof.train.labels import Form
from stillproof.train.loop import fit
from stillproof.train.model import TrainedModel
from stillproof.train.objective import objective_of
from stillproof.train.objectives.mse_gt import SquaredErrorWithTruth
from stillproof.train.passes import Passes
from stillproof.train.recipe import Recipe
from stillproof.train.teachers import Teacher, TeacherTargets
from stillproof.train.training import Training
from stillproof.transforms.front import Front, Normalise
from stillproof.transforms.space import make_front
from stillproof.transforms.zca import ZCA

PIXELS = toy_images().read(slice(None))
OTHER = Normalise((0.3,), (0.7,))  # constants of its own, unlike those of the toy images


def teacher(seed: int = 0, front: Front | None = None) -> Teacher:
    model = make_model("convnet-2-bn:width=4", seed)
    model.body.train()
    with torch.no_grad():
        model.body(torch.randn(32, 1, TOY.size, TOY.size, generator=Seeds(seed).torch()))  # statistics worth keeping
    return Teacher(TrainedModel(front or model.front, model.body))


def a_set(front: Front, labels: Labels | None = None) -> Distilled:
    card = Card("own", 1, {}, "toy", "toy", 4, 0, "none", TOY.licence, 0)
    nonsense = Taught((toy_images().labels + 1) % TOY.num_classes, ["a teacher"], 0, "nobody")
    # The kind of space does not matter here: the front is handed over.
    return Distilled(front(PIXELS), labels or nonsense, TOY.num_classes, Space.normalised(TOY), card)


def training(front: Front, teachers: list[Teacher], **recipe: Any) -> tuple[Training, TeacherTargets]:
    student = make_model(seed=7)
    student.front = front
    data = from_distilled(a_set(front), front, "cpu", teachers)
    assert isinstance(data.source, TeacherTargets)
    made = Training(student, data, Recipe(batch=10, **recipe), Context(Seeds(0)))
    data.source.begin(made)
    return made, data.source


FRONTS = {"normalised": make_front(Space.normalised(TOY)), "other constants": OTHER, "whitened": ZCA.fit(toy_images())}


@pytest.mark.parametrize("name", FRONTS)
@pytest.mark.parametrize("augment", ["none", "dsa", "mixup", "cutmix", "crop-flip"])
def test_teachers_see_the_pixels_of_the_batch_as_it_was_augmented(name: str, augment: str) -> None:
    front, teachers = FRONTS[name], [teacher(0), teacher(1, OTHER)]
    made, _ = training(front, teachers, augment=augment)
    for batch in Passes(made, "logits").batches(0, Seeds(3)):
        with torch.no_grad():
            answers = [one.model.eval()(front.inverse(batch.images)) for one in teachers]
        # Mixed images have the answers to the mixtures, which are not mixed once more.
        torch.testing.assert_close(batch.targets, torch.stack(answers).mean(0), rtol=1e-4, atol=1e-4)
        assert not batch.targets.requires_grad


@given(count=st.integers(1, 40), seed=st.integers(0, 9))
@settings(max_examples=15)
def test_an_answer_does_not_depend_on_the_rest_of_the_batch(count: int, seed: int) -> None:
    _, source = training(OTHER, [teacher(2)])
    images = torch.randn(count, 1, TOY.size, TOY.size, generator=Seeds(seed).torch())

    def ask(part: Tensor) -> Tensor:
        return source.targets(Augmented(part, torch.arange(len(part)), 0, 0), "logits")

    torch.testing.assert_close(
        ask(images), torch.cat([ask(one) for one in torch.split(images, 1)]), rtol=1e-4, atol=1e-5
    )


def test_a_teacher_stays_as_it_was_trained() -> None:
    one = teacher()
    before = {name: value.clone() for name, value in one.model.state_dict().items()}
    front = FRONTS["normalised"]
    student = make_model(seed=7)
    data = from_distilled(a_set(front), front, "cpu", [one])
    fit(student, data, Recipe(epochs=2, batch=10, objective="kl"), Context(Seeds(0)))
    assert all(torch.equal(value, before[name]) for name, value in one.model.state_dict().items())
    assert all(weight.grad is None for weight in one.model.parameters())


@pytest.mark.parametrize("form", ["classes", "shares", "values"])
def test_answers_come_as_shares_where_shares_are_wanted(form: Form) -> None:
    _, source = training(OTHER, [teacher()])
    found = source.targets(Augmented(PIXELS, torch.arange(len(PIXELS)), 0, 0), form)
    torch.testing.assert_close(found.sum(1), torch.ones(len(PIXELS)))


@pytest.mark.parametrize("objective", ["kl(temperature=4,scale=true)", "soft-cross-entropy(temperature=2)"])
@pytest.mark.parametrize("augment", ["none", "mixup"])
def test_a_student_learns_from_its_teacher_what_the_labels_do_not_say(objective: str, augment: str) -> None:
    good = Teacher(train(Recipe(epochs=20, batch=12, lr=0.1), test=toy_images()).model)
    student, front = make_model(seed=7), FRONTS["normalised"]
    curve = Curve(toy_images(), None, "cpu")
    recipe = Recipe(epochs=60, batch=12, lr=0.01, objective=objective, augment=augment)
    fit(student, from_distilled(a_set(front), front, "cpu", [good]), recipe, Context(Seeds(0)), curve=curve)
    assert curve.test_accuracy[-1] > 0.8


LOGITS, ANSWERS, TRUTH = torch.randn(6, 3, generator=Seeds(1).torch()), torch.randn(6, 3), torch.arange(6) % 3


def test_the_scale_of_the_divergence_is_the_squared_temperature() -> None:
    plain, scaled = objective_of("kl(temperature=3)"), objective_of("kl(temperature=3,scale=true)")
    assert torch.allclose(9 * plain.of_logits(LOGITS, ANSWERS), scaled.of_logits(LOGITS, ANSWERS))  # type: ignore[attr-defined]


@given(temperature=st.floats(0.5, 30))
def test_soft_cross_entropy_is_the_divergence_and_the_teachers_doubt(temperature: float) -> None:
    soft, divergence = (objective_of(f"{name}(temperature={temperature})") for name in ("soft-cross-entropy", "kl"))
    shares = (ANSWERS / temperature).softmax(1)
    doubt = -(shares * shares.log()).sum(1).mean()
    found = soft.of_logits(LOGITS, ANSWERS) - divergence.of_logits(LOGITS, ANSWERS)  # type: ignore[attr-defined]
    torch.testing.assert_close(found, doubt, rtol=1e-4, atol=1e-5)


def test_squared_error_with_truth_is_the_sum_of_both_by_their_weights() -> None:
    found = SquaredErrorWithTruth(2.0, 0.5).of_logits(LOGITS, ANSWERS, TRUTH)
    truth = torch.nn.functional.cross_entropy(LOGITS, TRUTH)
    torch.testing.assert_close(found, 2 * (LOGITS - ANSWERS).square().mean() + 0.5 * truth)
    with pytest.raises(ValueError, match="must not be negative, nor both be 0"):
        SquaredErrorWithTruth(0.0, 0.0)


def test_squared_error_wants_logits_as_they_are_and_takes_hard_labels_too() -> None:
    front = FRONTS["normalised"]
    stored = a_set(front, Stored("logits", torch.randn(len(PIXELS), TOY.num_classes, generator=Seeds(0).torch()) * 9))
    data = from_distilled(stored, front, "cpu")
    found = data.source.targets(Augmented(PIXELS, torch.arange(len(PIXELS)), 0, 0), "answers")
    assert isinstance(stored.labels, Stored) and torch.equal(found, stored.labels.values)
    made = train(Recipe(epochs=30, batch=12, lr=0.1, objective="mse-gt"), test=toy_images())
    assert made.curve.test_accuracy[-1] > 0.8
