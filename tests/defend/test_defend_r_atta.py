"""R-ATTA: perturbations follow their pixels through crops and mirror images, from pass to pass."""

from __future__ import annotations

import pytest
import torch
from defence_setups import apart, fitted, make_batch, make_training, taught_model, weights_of
from torch import Tensor
from torch.nn import functional as F

from stillproof.core.errors import BadInput
from stillproof.defend.base.defence import defence_of
from stillproof.defend.r_atta import RobustATTA
from stillproof.train.model import TrainedModel
from stillproof.train.recipe import Recipe

EPS, STEP, STEPS, MARGIN = 0.2, 0.06, 3, 2
DEFENCE = RobustATTA(eps=EPS, step=STEP, steps=STEPS, patience=STEPS, reset=3, padding=MARGIN)


def crop(whole: Tensor, top: int, left: int, mirrored: bool) -> Tensor:
    """Return the part of one image with its border that is seen."""
    seen = whole[:, top : top + 8, left : left + 8]
    return seen.flip(2) if mirrored else seen


def found_crop(whole: Tensor, seen: Tensor) -> tuple[int, int, bool]:
    """Return which part of one image with its border was seen, by trying all."""
    shifts = range(2 * MARGIN + 1)
    all_of_them = [(top, left, mirrored) for top in shifts for left in shifts for mirrored in (False, True)]
    (place,) = [place for place in all_of_them if torch.allclose(crop(whole, *place), seen, atol=1e-6)]
    return place


def attacked(model: TrainedModel, clean: Tensor, start: Tensor, label: Tensor) -> Tensor:
    """Return one image after PGD on the cross-entropy."""
    point = start.clamp(clean - EPS, clean + EPS).clamp(0, 1)
    for _ in range(STEPS):
        here = point.clone().requires_grad_()
        (slope,) = torch.autograd.grad(F.cross_entropy(model(here[None]), label[None]), here)
        point = (point + STEP * slope.sign()).clamp(clean - EPS, clean + EPS).clamp(0, 1)
    return point


def test_each_pass_goes_on_where_the_one_before_has_left_every_pixel() -> None:
    training = make_training(taught_model())
    carried = torch.zeros(36, 1, 8 + 2 * MARGIN, 8 + 2 * MARGIN)
    seen_places = set()
    for epoch in range(3):
        batch = make_batch(training, count=12, epoch=epoch)
        before = carried.clone()
        seen, harder = DEFENCE.carry_on(training, batch, carried, MARGIN)
        pixels = training.to_pixels(batch.images)
        for row in range(12):
            whole = F.pad(pixels[row], [MARGIN] * 4, value=0.5)
            place = found_crop(whole, seen[row])
            seen_places.add(place)
            now = crop(carried[row], *place)
            assert torch.allclose(now, harder[row] - seen[row], atol=1e-6)
            if epoch == 1:  # those before and after are fresh, close to the image
                start = seen[row] + crop(before[row], *place)
                wanted = attacked(training.model.eval(), seen[row], start, batch.classes[row])
                # A slope of nearly zero may have another sign.
                assert ((harder[row] - wanted).abs() > 1e-4).sum() <= 2
                outside = torch.ones(1, 12, 12, dtype=torch.bool)
                outside[:, place[0] : place[0] + 8, place[1] : place[1] + 8] = False
                assert torch.equal(carried[row][outside], before[row][outside])
        assert not carried[12:].any(), "other images are as they were"
        if epoch != 1:
            assert not torch.allclose(carried[:12], before[:12]) and carried.abs().max() <= EPS + 1e-6
    assert len(seen_places) > 10 and {mirrored for *_, mirrored in seen_places} == {True, False}


def test_it_begins_anew_in_every_so_many_th_pass_counted_from_one() -> None:
    training = make_training(taught_model())
    for reset, fresh in ((3, {0, 2, 5}), (0, {0}), (1, {0, 1, 2, 3, 4, 5})):
        defence = RobustATTA(eps=EPS, step=1e-6, steps=1, reset=reset, padding=0, flip=False)
        for epoch in range(6):
            carried = torch.full((36, 1, 8, 8), 0.1)
            defence.carry_on(training, make_batch(training, epoch=epoch), carried, 0)
            inside = carried[:12].abs().median()
            assert (inside < 0.01) == (epoch in fresh), (reset, epoch)


def test_its_loss_is_that_of_trades_on_what_is_seen() -> None:
    training = make_training(taught_model())
    batch = make_batch(training)
    training.model.eval()
    loss = DEFENCE.begin(training)(batch)
    carried = torch.zeros(36, 1, 12, 12)
    seen, harder = DEFENCE.carry_on(training, batch, carried, MARGIN)
    with torch.no_grad():
        clean, moved = training.model(seen), training.model(harder)
    one, other = clean.softmax(1), moved.softmax(1)
    wanted = F.cross_entropy(clean, batch.classes) + 6 * (one * (one / other).log()).sum(1).mean()
    assert isinstance(loss, Tensor) and loss.item() == pytest.approx(wanted.item(), rel=1e-4)
    (kept,) = training.kept.values()
    assert torch.equal(kept, carried)


def test_what_is_carried_on_changes_the_training() -> None:
    recipe = Recipe(epochs=2, batch=12, lr=0.05)
    on, anew = (fitted(RobustATTA(eps=EPS, step=0.02, steps=1, reset=reset), recipe) for reset in (0, 1))
    assert apart(weights_of(on), weights_of(anew)) > 1e-5


def test_it_needs_images_that_nothing_else_moves() -> None:
    with pytest.raises(BadInput, match="it needs a recipe with augment=none, not 'crop-flip'"):
        fitted(defence_of("r-atta"), Recipe(epochs=1, augment="crop-flip"))
