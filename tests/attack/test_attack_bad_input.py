"""What cannot be attacked is refused with one sentence."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from attack_setups import attacked, images, trained
from torch import Tensor, nn

from stillproof.attack.base.attack import attack_of
from stillproof.attack.base.run import run_attack
from stillproof.core.context import Context
from stillproof.core.errors import BadInput, Unsupported
from stillproof.core.seeds import Seeds

PIXELS, LABELS = torch.full((3, 1, 4, 4), 0.5), torch.tensor([0, 1, 2])


def answer(logits: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    return lambda pixels: logits(pixels) + 0 * pixels.flatten(1).sum(1, keepdim=True)


THREE = answer(lambda pixels: torch.eye(3)[: len(pixels)])


def attack_with(
    pixels: Tensor = PIXELS,
    labels: Tensor = LABELS,
    model: Callable[[Tensor], Tensor] = THREE,
    name: str = "pgd",
    target: Tensor | None = None,
) -> None:
    built = attack_of(name)
    run_attack(built, model, pixels, labels, ctx=Context(Seeds(0)), target=target, batch=2)


def changed(index: int, value: float) -> Tensor:
    pixels = PIXELS.clone()
    pixels[index, 0, 1, 1] = value
    return pixels


@pytest.mark.parametrize(
    ("pixels", "said"),
    [
        (changed(2, 1.5), "image 2 has a pixel of 1.5: attacks take pixels in [0, 1], and normalising"),
        (changed(1, -1e-3), "image 1 has a pixel of -0.00100000005"),
        (changed(0, float("nan")), "image 0 has a pixel of nan"),
        (PIXELS[0], "images of shape (1, 4, 4) cannot be attacked"),
        (PIXELS[:, :, :0], "images of shape (2, 1, 0, 4) cannot be attacked"),
    ],
)
def test_what_is_no_picture_is_refused(pixels: Tensor, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        attack_with(pixels, LABELS[: len(pixels)])
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (torch.tensor([0, 1, 3]), "image 2 has label 3, which is not a class of a model with 3"),
        (torch.tensor([-1, 1, 2]), "image 0 has label -1"),
        (torch.tensor([0.0, 1.0, 2.0]), "labels of shape (2,) and type torch.float32 do not fit 2 images"),
        (LABELS.view(3, 1), "labels of shape (2, 1)"),
    ],
)
def test_what_is_no_label_is_refused(labels: Tensor, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        attack_with(labels=labels)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (lambda pixels: THREE(pixels) * float("nan"), "the model's answer to image 0 is not finite"),
        (lambda pixels: THREE(pixels)[:, 0], "the model's answer to 2 images has shape (2,)"),
        (lambda pixels: THREE(pixels)[:, :1], "the model's answer to 2 images has shape (2, 1)"),
    ],
)
def test_a_model_that_gives_no_logits_is_refused(model: Callable[[Tensor], Tensor], said: str) -> None:
    with pytest.raises(BadInput) as caught:
        attack_with(model=model)
    assert said in str(caught.value)


def test_a_model_that_breaks_down_on_the_way_is_refused() -> None:
    def model(pixels: Tensor) -> Tensor:
        moved = pixels.flatten(1).sum(1, keepdim=True) != 8
        return THREE(pixels) + torch.where(moved, float("nan"), 0.0)

    with pytest.raises(BadInput, match="the model's answer to image 0 is not finite"):
        attack_with(model=model)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("pgd:eps=0", "eps must be above 0, not 0"),
        ("fgsm:eps=-0.1", "eps must be above 0, not -0.1"),
        (
            "pgd:eps=1.1",
            "eps = 1.1 is not allowed: for images of 16 values in [0, 1] it must be above 0 and at most 1 in",
        ),
        ("pgd-l2:eps=4.1", "at most 4 in L2"),
        ("pgd-l1:eps=17", "at most 16 in L1"),
        ("pgd:step=0", "step must be above 0, not 0"),
        ("ffgsm:step=-1", "step must be above 0, not -1"),
        ("bim:steps=0", "steps must be at least 1, not 0"),
        ("pgd:restarts=0", "restarts = 0 needs random_start, and must be at least 1"),
        ("pgd:restarts=2:random_start=false", "restarts = 2 needs random_start"),
        ("eotpgd:samples=0", "samples must be at least 1, not 0"),
        ("difgsm:diversity=1.5", "diversity must lie in [0, 1], not 1.5"),
        ("tifgsm:kernel=4", "kernel must be odd and at least 1, not 4"),
        ("upgd:loss=nonsense", "loss = 'nonsense' is not allowed"),
        ("pgd:norm=L3", "norm = 'L3' is not allowed"),
        ("cw:c=0", "c must be above 0, not 0"),
        ("cw:kappa=-1", "kappa must be at least 0, not -1"),
        ("deepfool:classes=1", "classes = 1 at least 2"),
        ("deepfool:overshoot=-1", "overshoot must be at least 0, not -1"),
        ("deepfool:norm=L1", "norm = 'L1' is not allowed"),
        ("pdg", "unknown attack 'pdg'; did you mean"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(name: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        attack_with(name=name)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (torch.tensor([1, 1, 1]), "image 1 has target 1, which is its own class: give another one."),
        (torch.tensor([1, 3, 1]), "image 1 has target 3, which is not a class of a model with 3"),
        (torch.tensor([1]), "targets of shape (1,) do not fit 2 images"),
    ],
)
def test_targets_that_cannot_be_reached_are_refused(target: Tensor, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        attack_with(target=target)
    assert said in str(caught.value)


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(BadInput, match="unknown target 'nearest': give one of next, random, least-likely"):
        attacked("fgsm", 5, target="nearest")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["DeepFool", "TPGD"])
def test_no_targeted_form_is_unsupported(name: str) -> None:
    with pytest.raises(Unsupported, match=f"{name} has no targeted form"):
        attacked(name.lower(), 5, target="next")


def test_no_images_are_refused() -> None:
    with pytest.raises(BadInput, match="there are no images to attack"):
        attack_with(PIXELS[:0], LABELS[:0])


def test_what_is_refused_leaves_the_model_as_it_was() -> None:
    model = nn.Sequential(nn.Flatten(), nn.Dropout(), nn.Linear(768, 3)).train()
    with pytest.raises(BadInput, match="which is not a class"):
        attack_with(images(5)[0], torch.full((5,), 9), model)
    assert model.training and model[1].training and all(weight.requires_grad for weight in model.parameters())
    assert trained().body.classifier.weight.requires_grad
