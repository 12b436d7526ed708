"""Ours beside independent implementations at the same budget: the same, or stronger."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import torch
from attack_setups import HALF, attacked, images, trained
from oracles import BOUNDED, NEAREST, SPARSE, Case, Task, pyautoattack
from torch import Tensor

from stillproof.attack.base.attack import attack_of
from stillproof.attack.base.norms import Norm, sizes
from stillproof.attack.base.outcome import Outcome

COUNT = 200
TOLERANCE = 3.5 / COUNT  # three images: starts and copies are drawn by other generators, which alone moves PGD so far
RADII: dict[Norm, float] = {"Linf": HALF, "L2": 0.9, "L1": 8.0}
MARGIN = 1e-5  # of logits, within which an image may be judged either way
LONGER = 0.01  # by which a distance may be larger, as a share

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


def theirs(case: Case, eps: float = 0.0) -> Tensor:
    pixels, labels = images(COUNT)
    torch.manual_seed(0)  # which their draws come from
    np.random.seed(0)  # noqa: NPY002
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return case.theirs(Task(trained().eval(), pixels, labels, eps))


def predictions(pixels: Tensor) -> Tensor:
    with torch.no_grad():
        said: Tensor = trained()(pixels).argmax(1)
    return said


@pytest.mark.parametrize("case", BOUNDED, ids=lambda case: case.name)
def test_as_many_images_are_fooled_at_the_same_budget(case: Case) -> None:
    eps = RADII[case.norm]
    made = theirs(case, eps)
    pixels, labels = images(COUNT)
    assert (sizes(made - pixels, case.norm) <= eps * 1.001).all(), "theirs cheats"
    ours = attacked(attack_of(case.ours, {"eps": eps}), COUNT, target="next" if case.targeted else None)
    said = predictions(made)
    if case.targeted:
        assert ours.targets is not None
        assert ours.fooled.float().mean() >= (said == ours.targets).float().mean() - TOLERANCE
        assert ours.fooled.any()
    else:
        robust = ((said == labels) & (predictions(pixels) == labels)).float().mean().item()
        assert ours.robust_accuracy <= robust + TOLERANCE
        assert 0.1 < ours.robust_accuracy < 0.9, "an eps at which attacks differ"


def distances(made: Tensor, norm: Norm) -> Tensor:
    """Return how far each image had to be changed; infinitely far if it is not fooled."""
    pixels, labels = images(COUNT)
    far = sizes(made - pixels, norm)
    far[predictions(made) == labels] = float("inf")
    far[predictions(pixels) != labels] = 0.0
    return far


def distances_of(outcome: Outcome, norm: Norm) -> Tensor:
    assert outcome.images is not None
    return distances(outcome.images, norm)


@pytest.mark.parametrize("case", NEAREST, ids=lambda case: case.name)
def test_changes_are_no_larger(case: Case) -> None:
    their, ours = distances(theirs(case), case.norm), distances_of(attacked(case.ours, COUNT), case.norm)
    assert ours.isinf().float().mean() <= their.isinf().float().mean() + TOLERANCE
    for share in (0.25, 0.5, 0.75, 0.9):  # where that much of robust accuracy is lost
        assert ours.quantile(share, interpolation="lower") <= (1 + LONGER) * their.quantile(
            share, interpolation="lower"
        )
    both = ours.isfinite() & their.isfinite()
    assert ours[both].mean() <= (1 + LONGER) * their[both].mean()


@pytest.mark.parametrize("norm", ["Linf", "L2"])
def test_the_same_images_withstand_autoattack(norm: Norm) -> None:
    """Image by image, but for those that are on a border to the last digits."""
    pixels, labels = (some[:60] for some in images(COUNT))
    eps = RADII[norm]
    torch.manual_seed(0)
    made = pyautoattack("standard", norm)(Task(trained().eval(), pixels, labels, eps))
    ours = attacked(attack_of("autoattack", {"eps": eps, "norm": norm}), 60)
    assert ours.images is not None
    differ = ours.robust != (predictions(made) == labels)
    with torch.no_grad():
        best = trained()(torch.where(ours.robust.view(-1, 1, 1, 1), made, ours.images)).topk(2, dim=1).values
    assert ((best[:, 0] - best[:, 1])[differ] < MARGIN).all()
    assert 0.1 < ours.robust_accuracy < 0.9, "an eps at which attacks differ"


def test_a_few_pixels_fool_as_many_images() -> None:
    made, ours = theirs(SPARSE), attacked(SPARSE.ours, COUNT)
    labels = images(COUNT)[1]
    robust = ((predictions(made) == labels) & ours.clean_right).float().mean().item()
    assert ours.images is not None
    assert ours.robust_accuracy <= robust + TOLERANCE
    assert ours.robust_accuracy < ours.clean_accuracy - 0.05, "pixels that matter"
