"""BEARD's behaviour: its own library's numbers come out, with the same faults."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
import torch
from attack_setups import coloured
from attack_setups import trained as trained_network
from torch import Tensor, nn
from torch.nn import functional as F

from stillproof.attack.autoattack import AutoAttack
from stillproof.attack.base.outcome import Outcome
from stillproof.attack.base.targets import Policy
from stillproof.attack.protocols.beard import BEARD
from stillproof.attack.protocols.fair import FAIR
from stillproof.attack.square import Square
from stillproof.core.context import Context
from stillproof.core.errors import BadInput, DataMissing, Unsupported
from stillproof.core.seeds import Seeds
from stillproof.core.types import ImageSet
from stillproof.data.load import data_root, load
from stillproof.importers.checkpoints import read_model
from stillproof.run.attack_names import attack_called
from stillproof.run.attacker import Attacker
from stillproof.train.model import TrainedModel, load_model

BACON = "BACON_ConvNet_CIFAR10_50_None_0.6995.pth"
INSTALLED = importlib.util.find_spec("torchattacks") is not None
OTHERS: dict[str, tuple[str, dict[str, Any]]] = {
    "fgsm": ("FGSM", {"eps": 8 / 255}),
    "pgd": ("PGD", {"eps": 8 / 255, "alpha": 2 / 225, "steps": 10, "random_start": False}),
    "pgd-l2": ("PGDL2", {"eps": 128 / 255, "alpha": 15 / 255, "steps": 10, "random_start": False}),
    "mifgsm": ("MIFGSM", {"eps": 8 / 255, "alpha": 2 / 255, "steps": 10, "decay": 1.0}),
    "cw": ("CW", {"c": 1, "kappa": 0, "steps": 100, "lr": 0.01}),
    "deepfool": ("DeepFool", {"steps": 50, "overshoot": 0.02}),
}


def ours(model: TrainedModel, test: ImageSet, name: str, count: int, policy: Policy | None) -> Outcome:
    attacker = Attacker(attack_called(name, BEARD), model, test, BEARD, policy, keep_images=True)
    ctx = Context(Seeds(0))
    with attacker.victim(0, ctx) as victim:
        return attacker.run(victim, slice(0, count), ctx)


def theirs(body: nn.Module, images: Tensor, labels: Tensor, name: str, policy: Policy | None) -> Tensor:
    import torchattacks

    kind, params = OTHERS[name]
    attack = getattr(torchattacks, kind)(body, **params)
    if policy is not None:
        attack.set_mode_targeted_by_label(quiet=True)
    changed: Tensor = attack(images, labels if policy is None else (labels + 1) % 10)
    return changed.detach()


def by_hand(body: nn.Module, images: Tensor, labels: Tensor, policy: Policy | None) -> Tensor:
    """FGSM in the wrong space, in a few plain lines."""
    points = images.clone().requires_grad_()
    loss = F.cross_entropy(body(points), labels if policy is None else (labels + 1) % 10)
    (gradient,) = torch.autograd.grad(loss if policy is None else -loss, points)
    return (images + 8 / 255 * gradient.sign()).clamp(0, 1)


@pytest.mark.skipif(not INSTALLED, reason="torchattacks is not installed")
@pytest.mark.parametrize(
    ("name", "policy"),
    [(name, policy) for name in OTHERS for policy in (None, "next") if (name, policy) != ("deepfool", "next")],
)
def test_the_library_that_beard_used_gives_the_same_images(name: str, policy: Policy | None) -> None:
    model, test, count = trained_network(), coloured("test"), 8 if name == "deepfool" else 24
    found = ours(model, test, name, count, policy)
    seen = model.front(test.read(slice(0, count))).detach()
    expected = theirs(model.body, seen, test.labels[:count], name, policy)
    assert found.images is not None
    near = 1e-5 if name != "cw" else 0.05  # Adam magnifies rounding where gradients are small
    assert (found.images - expected).abs().max() < near
    with torch.no_grad():
        logits = model.body(expected)
    best = logits.topk(2, dim=1).values
    clear = best[:, 0] - best[:, 1] > 1e-4  # DeepFool ends on borders, where rounding decides
    assert torch.equal(logits.argmax(1)[clear], found.predictions[clear])
    assert clear.float().mean() > (0.0 if name == "deepfool" else 0.9)
    steps = {"fgsm": 1, "cw": 100}.get(name, 10)
    if name != "deepfool":
        assert (found.forwards <= steps + 2).all() and found.forwards.min() == found.forwards.max(), "none leaves"


def test_nothing_but_the_clamp_is_left_of_no_attack() -> None:
    model, test = trained_network(), coloured("test")
    found = ours(model, test, "none", 100, None)
    seen = model.front(test.read(slice(0, 100))).detach()
    assert found.images is not None and torch.equal(found.images, seen.clamp(0, 1))
    with torch.no_grad():
        assert torch.equal(found.predictions, model.body(seen.clamp(0, 1)).argmax(1))
    assert (seen.amin(), seen.amax()) < (0, 1), "pixels that are normalised leave the range"
    assert (seen.clamp(0, 1) != seen).float().mean() > 0.2


def test_parameters_are_those_of_the_original_unless_they_are_given() -> None:
    assert attack_called("pgd", BEARD) == attack_called(f"pgd:step={2 / 225}:random_start=false")
    assert attack_called("pgd:step=2/255:eps=4/255", BEARD) == attack_called(
        "pgd:step=2/255:eps=4/255:random_start=false"
    )
    assert attack_called("pgd") == attack_called("pgd", FAIR) != attack_called("pgd", BEARD)


def test_images_are_attacked_together_where_they_end_together() -> None:
    assert BEARD.batch(attack_called("cw:steps=10000", BEARD)) == 256, "as many as in the original"
    assert BEARD.batch(attack_called("autoattack", BEARD)) == 54, "so that progress shows"


def test_autoattack_has_the_steps_and_passes_of_the_library() -> None:
    made = attack_called("autoattack", BEARD)
    assert isinstance(made, AutoAttack) and made.passes == pytest.approx(5500, rel=0.01)
    apgd, apgd_t, fab_t, square = made.parts().values()
    assert [getattr(part, "steps", None) for part in (apgd, apgd_t, fab_t, square)] == [10, 10, 10, None]
    assert isinstance(square, Square) and square.rescaled
    assert attack_called("autoattack", FAIR).passes > 9000


def test_what_autoattack_does_not_fool_comes_back_as_it_was() -> None:
    model, test, count = trained_network(), coloured("test"), 60
    found = ours(model, test, "autoattack:eps=0.1:queries=60", count, None)
    seen = model.front(test.read(slice(0, count))).detach()
    turned, right = found.success, found.clean_right
    assert found.images is not None and 0 < int(turned.sum()) < int(right.sum())
    assert torch.equal(found.images[~turned], seen[~turned]), "normalised, and not clamped"
    assert torch.equal(found.predictions[~turned], found.clean_predictions[~turned])
    assert found.images[turned].amin() >= 0 and found.images[turned].amax() <= 1, "what is changed is clamped"
    with torch.no_grad():
        assert torch.equal(model.body(found.images).argmax(1), found.predictions)
    assert (found.forwards[~right] == 1).all(), "what is wrong before is left alone"
    for part in ("apgd", "apgd-t"):
        alone = ours(model, test, f"{part}:eps=0.1:steps=10", count, None)
        assert int((alone.success & ~turned).sum()) <= 2, "the first success counts, if starts are not the same"


def test_what_an_aimed_square_does_not_fool_comes_back_as_it_was() -> None:
    model, test, count = trained_network(), coloured("test"), 60
    found = ours(model, test, "square:queries=200:eps=1", count, "next")
    seen = model.front(test.read(slice(0, count))).detach()
    missed = ~found.fooled
    assert found.images is not None and missed.any() and not missed.all()
    assert torch.equal(found.images[missed], seen[missed])
    assert torch.equal(found.predictions[missed], found.clean_predictions[missed])


def test_targets_are_the_next_of_ten_classes_whatever_there_are() -> None:
    labels = torch.tensor([0, 8, 9, 57, 99])
    assert BEARD.targets(labels, 100, "next").tolist() == [1, 9, 0, 8, 0]
    with pytest.raises(Unsupported, match="next class, and not random"):
        BEARD.targets(labels, 100, "random")
    with pytest.raises(Unsupported, match="next of 10 classes, and the model has 3"):
        BEARD.targets(labels, 3, "next")


def test_forms_that_the_original_does_not_have_are_refused() -> None:
    for name, words in (("cw:searches=3", "searches once"), ("deepfool:norm=Linf", "measured in L2")):
        with pytest.raises(BadInput, match=words):
            ours(trained_network(), coloured("test"), name, 4, None)


def checkpoint() -> tuple[TrainedModel, ImageSet]:
    try:
        test = load("cifar10", "test", data_root())
    except DataMissing as error:
        pytest.skip(str(error))
    path = Path(data_root(), "models", BACON)
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    foreign = read_model(path, test.info)
    return load_model(foreign.tensors, foreign.card.as_dict(), "cpu"), test


@pytest.mark.slow
@pytest.mark.parametrize(("policy", "published"), [(None, 0.3816), ("next", 0.4468)])
def test_a_checkpoint_of_beard_under_fgsm(policy: Policy | None, published: float) -> None:
    (model, test), count = checkpoint(), 300
    seen, labels = model.front(test.read(slice(0, count))).detach(), test.labels[:count]
    found = ours(model, test, "fgsm", count, policy)
    if INSTALLED:
        changed = theirs(model.body, seen, labels, "fgsm", policy)
    else:
        changed = by_hand(model.body, seen, labels, policy)
    with torch.no_grad():
        said, clamped = model.body(changed).argmax(1), model.body(seen.clamp(0, 1)).argmax(1)
    assert int((said != found.predictions).sum()) <= 1
    # What was published is of all 10,000 images: two standard deviations.
    assert (found.predictions == labels).float().mean().item() == pytest.approx(published, abs=0.06)
    assert (clamped == labels).float().mean().item() == pytest.approx(0.5081, abs=0.06)
    assert found.clean_accuracy == pytest.approx(0.6995, abs=0.06)


@pytest.mark.slow
def test_pixels_of_the_same_checkpoint_do_not_withstand_an_attack() -> None:
    (model, test), count = checkpoint(), 200
    attacker, ctx = Attacker(attack_called("fgsm"), model, test, FAIR), Context(Seeds(0))
    with attacker.victim(0, ctx) as victim:
        found = attacker.run(victim, slice(0, count), ctx)
    assert found.clean_accuracy > 0.6 and found.robust_accuracy < 0.05
