"""What adversarial-robustness-toolbox gets wrong by itself, and how it is called as MAD calls it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from attack_setups import images, trained
from torch import Tensor

from stillproof.attack.art import ART
from stillproof.attack.base.attack import attack_of
from stillproof.attack.base.outcome import Outcome
from stillproof.attack.base.rules import Rules
from stillproof.attack.base.run import run_attack
from stillproof.attack.base.targets import Policy
from stillproof.attack.foreign.art_repairs import _dct_basis
from stillproof.core.components import attacks
from stillproof.core.context import Context
from stillproof.core.errors import BadInput, Unsupported
from stillproof.core.seeds import Seeds

pytest.importorskip("art", reason="adversarial-robustness-toolbox is not installed: pip install 'stillproof[art]'")
pytest.importorskip("six", reason="six is not installed: pip install 'stillproof[art]'")

COUNT = 4
QUICK = {
    "BoundaryAttack": "max_iter=10",
    "CarliniL2Method": "max_iter=20:learning_rate=0.1:binary_search_steps=2:initial_const=10",
    "DeepFool": "",
    "ElasticNet": "max_iter=20:learning_rate=0.1:binary_search_steps=2:initial_const=10",
    "GeoDA": "max_iter=1000",
    "HopSkipJump": "max_iter=2:max_eval=100",
    "NewtonFool": "",
    "SaliencyMapMethod": "",
    "SimBA": "max_iter=300",
    "UniversalPerturbation": "",
}


def run(name: str, *, target: Policy | None = None, count: int = COUNT, batch: int | None = None) -> Outcome:
    (pixels, labels), model = images(40), trained()
    with torch.no_grad():
        right = model(pixels).argmax(1) == labels
    pixels, labels = pixels[right][:count], labels[right][:count]
    ctx, rules = Context(Seeds(0)), Rules(keep_images=True)
    return run_attack(attack_of(name), model, pixels, labels, ctx=ctx, target=target, rules=rules, batch=batch)


def changed(found: Outcome) -> Tensor:
    assert found.images is not None
    return found.images


@pytest.mark.parametrize("name", sorted(QUICK))
def test_untargeted_it_leads_away_from_the_true_class(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = run(f"art/{name}:{QUICK[name]}".rstrip(":"))
    assert found.success.float().mean() >= 0.75, found.success
    assert found.first_success[found.success].tolist() == (found.forwards + found.backwards)[found.success].tolist()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["BoundaryAttack", "CarliniL2Method", "ElasticNet", "HopSkipJump", "SaliencyMapMethod"]
)
def test_targeted_it_leads_to_the_target(name: str) -> None:
    found = run(f"art/{name}:{QUICK[name]}".rstrip(":"), target="next")
    assert found.targets is not None and torch.equal(found.fooled, found.predictions == found.targets)
    assert found.fooled.any()


@pytest.mark.parametrize(
    "name", ["BoundaryAttack", "GeoDA", "HopSkipJump", "SaliencyMapMethod", "UniversalPerturbation"]
)
def test_the_same_seed_gives_the_same_image_in_any_batch(name: str) -> None:
    reference = f"art/{name}:{QUICK[name]}".rstrip(":")
    whole = changed(run(reference, batch=4))
    assert torch.equal(whole, changed(run(reference, batch=3)))
    assert torch.equal(whole[:2], changed(run(reference, count=2)))


def test_a_planted_table_of_geoda_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.save(tmp_path / "2d_dct_basis_10_16.npy", np.zeros((256, 100)))
    assert run("art/GeoDA:max_iter=1000").success.float().mean() >= 0.75


def test_geoda_and_zoo_search_no_more_than_an_image_has() -> None:
    pixels = torch.rand(2, 1, 8, 8, generator=torch.Generator().manual_seed(0))
    weights = torch.randn(64, 3, generator=torch.Generator().manual_seed(1))

    def model(points: Tensor) -> Tensor:
        return (points - 0.5).flatten(1) @ weights

    labels = model(pixels).argmax(1)
    ctx, rules = Context(Seeds(0)), Rules(keep_images=True)
    geoda = run_attack(attack_of("art/GeoDA:max_iter=1000"), model, pixels, labels, ctx=ctx, rules=rules)
    assert geoda.linf.min() > 0 and _dct_basis(8, 8).shape == (64, 64)
    assert np.allclose(_dct_basis(8, 8).T @ _dct_basis(8, 8), np.eye(64)), "of 8 pixels there are 8 frequencies"
    zoo = run_attack(attack_of("art/ZooAttack:max_iter=2"), model, pixels, labels, ctx=ctx, rules=rules)
    assert zoo.forwards.tolist() == [2 + 2 * (2 * 64 + 1) + 2] * 2
    assert zoo.linf[~zoo.fooled].tolist() == [0.0] * int((~zoo.fooled).sum()), "it is not made larger and small again"


def test_geoda_gives_up_on_a_model_that_says_one_thing() -> None:
    def model(points: Tensor) -> Tensor:
        return torch.tensor([[0.0, 1.0]]).repeat(len(points), 1) + 0 * points.sum()

    pixels, labels = torch.rand(1, 1, 8, 8), torch.ones(1, dtype=torch.long)
    with pytest.raises(Unsupported, match="asked the model more than 3000 times"):
        run_attack(attack_of("art/GeoDA:max_iter=1000"), model, pixels, labels, ctx=Context(Seeds(0)))


def test_a_shadow_takes_the_passes_that_it_takes() -> None:
    away = run("art/ShadowAttack:nb_steps=20", count=2)
    assert away.forwards.tolist() == [23, 23] and away.backwards.tolist() == [20, 20]
    own = run("art/ShadowAttack:nb_steps=3:batch_size=5", count=1)
    assert own.forwards.item() == 3 + 15 and own.backwards.item() == 15


def test_as_mad_it_is_told_the_true_class_and_some_go_there() -> None:
    for name, does_nothing in (("SaliencyMapMethod", True), ("BoundaryAttack:max_iter=10", True), ("DeepFool", False)):
        found = run(f"art/{name}:as_mad=true")
        assert (found.linf.max().item() == 0) == does_nothing, name
    pulled = run("art/ShadowAttack:nb_steps=30:batch_size=1:as_mad=true")
    pushed = run("art/ShadowAttack:nb_steps=30")
    assert pulled.fooled.sum() <= pushed.fooled.sum() and not torch.equal(changed(pulled), changed(pushed))
    with pytest.raises(Unsupported, match="no targeted form"):
        run("art/BoundaryAttack:as_mad=true", target="next")


def test_as_mad_one_transformation_serves_all_images_attacked_together() -> None:
    fair, together = (
        run("art/SpatialTransformation:max_rotation=60"),
        run("art/SpatialTransformation:max_rotation=60:as_mad=true"),
    )
    assert fair.forwards.tolist() == [4] * COUNT
    assert together.forwards.tolist() == [4, 2, 2, 2], "what the first came to is done to the others unseen"


def test_as_mad_is_part_of_the_name() -> None:
    built = attack_of("art/BoundaryAttack:as_mad=true:max_iter=100")
    assert isinstance(built, ART) and built.as_mad and built.options == "max_iter=100"
    assert attacks.reference(built) == "art/BoundaryAttack:max_iter=100:as_mad=true"
    assert attacks.rebuild(attacks.identity(built)) == built == attack_of(attacks.reference(built))
    assert attack_of("art/BoundaryAttack:max_iter=100") != built


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("art/Hopskipjump", "did you mean 'HopSkipJump'?"),
        ("art/DecisionTreeAttack", "attack 'art/DecisionTreeAttack' is not made for classifiers of torch."),
        ("art/ZooAttack:max_iter=-1", "ValueError: The number of iterations must be a non-negative integer."),
        ("art/ProjectedGradientDescent:summary_writer=true", "it would write files into the working folder"),
        ("art/HopSkipJump:targeted=true", "leave targeted out, targets say that"),
    ],
)
def test_what_cannot_be_made_is_refused_at_once(name: str, said: str) -> None:
    with pytest.raises(BadInput) as told:
        attack_of(name)
    assert said in str(told.value)


def test_an_attack_that_must_have_a_target_says_so() -> None:
    with pytest.raises(Unsupported, match="art/TargetedUniversalPerturbation aims at a class: give it a target"):
        run("art/TargetedUniversalPerturbation")


def test_a_class_in_l2_stays_in_its_ball() -> None:
    attack = attack_of("art/ProjectedGradientDescent:norm=2:eps=0.5:eps_step=0.2:max_iter=5")
    assert attack.measured_in == "L2" and attack.radius == 0.5
    found = run("art/ProjectedGradientDescent:norm=2:eps=0.5:eps_step=0.2:max_iter=5")
    assert found.l2.max() <= 0.5 + 1e-5
