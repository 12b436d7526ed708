"""PGD that leaves fooled images alone, beside the same written out image by image."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from stillproof.attack.pgd import PGD
from stillproof.attack.stepping.stopped_pgd import StoppedPGD
from stillproof.core.context import Context
from stillproof.core.seeds import Seeds

EPS, STEP, STEPS = 0.2, 0.04, 8


def setting() -> tuple[nn.Module, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(5)
    model = nn.Sequential(nn.Flatten(), nn.Linear(16, 8), nn.Tanh(), nn.Linear(8, 3))
    with torch.no_grad():
        for weight in model.parameters():
            weight.copy_(torch.randn(weight.shape, generator=generator))
    images = torch.rand(24, 1, 4, 4, generator=generator)
    labels = model(images).argmax(1)
    labels[:4] = (labels[:4] + 1) % 3  # wrong from the start
    return model, images, labels


def by_hand(model: nn.Module, image: Tensor, label: Tensor, patience: int) -> tuple[Tensor, int]:
    """Return one image after the attack, and the steps that it made."""
    point, fooled = image.clone(), 0
    for made in range(STEPS):
        here = point.clone().requires_grad_()
        logits = model(here[None])
        fooled += int(logits.argmax()) != int(label)
        if fooled > patience:
            return point, made
        (slope,) = torch.autograd.grad(F.cross_entropy(logits, label[None]), here)
        point = (point + STEP * slope.sign()).clamp(image - EPS, image + EPS).clamp(0, 1)
    return point, STEPS


@pytest.mark.parametrize("patience", [0, 1, 3])
def test_an_image_rests_some_steps_after_it_is_fooled(patience: int) -> None:
    model, images, labels = setting()
    attack = StoppedPGD(eps=EPS, step=STEP, steps=STEPS, random_start=False, patience=patience)
    changed = attack.perturb(model, images, labels, ctx=Context(Seeds(0)))
    wanted = [by_hand(model, image, label, patience) for image, label in zip(images, labels, strict=True)]
    assert torch.allclose(changed, torch.stack([point for point, _ in wanted]), atol=1e-6)
    steps = {made for _, made in wanted}
    assert patience in steps and len(steps) > 2, "some are fooled at once, some later"


def test_with_patience_for_all_steps_it_is_pgd() -> None:
    model, images, labels = setting()
    plain = PGD(eps=EPS, step=STEP, steps=STEPS).perturb(model, images, labels, ctx=Context(Seeds(1)))
    patient = StoppedPGD(eps=EPS, step=STEP, steps=STEPS, patience=STEPS)
    assert torch.equal(plain, patient.perturb(model, images, labels, ctx=Context(Seeds(1))))


def test_no_patience_is_below_none() -> None:
    with pytest.raises(ValueError, match="patience must not be negative, as -1 is"):
        StoppedPGD(patience=-1)
