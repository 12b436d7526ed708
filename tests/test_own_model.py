"""stillproof.attack: one line for your own model."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import stillproof
from stillproof import AttackScore, BadInput, StillproofError
from stillproof.core.components import networks
from stillproof.core.errors import Unsupported
from stillproof.core.seeds import Seeds
from stillproof.data.load import data_root, load
from stillproof.nets.build import build_network
from stillproof.session import Session
from stillproof.train.model import load_model

DATA = load("digits", "test", data_root())
IMAGES, LABELS = DATA.read(slice(0, 60)), DATA.labels[:60]


class Nearest(nn.Module):
    """Compares images with the mean of each class: linear in pixels, and right four times out of five."""

    def __init__(self) -> None:
        super().__init__()
        train = load("digits", "train", data_root())
        means = torch.stack([train.read(train.of_class(label)).mean(0) for label in range(10)]).flatten(1)
        self.weight = nn.Parameter(2 * means)
        self.bias = nn.Parameter(-means.square().sum(1))

    def forward(self, pixels: Tensor) -> Tensor:
        return pixels.flatten(1) @ self.weight.T + self.bias


MODEL = Nearest()


def test_the_package_of_attacks_is_the_function_too() -> None:
    first = stillproof.attack(MODEL, IMAGES, LABELS, attack="fgsm", eps=0.1)
    assert isinstance(first, AttackScore)
    package: object = stillproof.attack
    assert importlib.import_module("stillproof.attack") is package
    again = stillproof.attack(MODEL, IMAGES, LABELS, attack="fgsm", eps=0.1)
    assert again.robust_accuracy == first.robust_accuracy and torch.equal(again.images, first.images)


def test_the_answer_agrees_with_the_model() -> None:
    modes = MODEL.training, MODEL.weight.requires_grad
    score = stillproof.attack(MODEL, IMAGES, LABELS, attack="pgd", eps=0.1)
    assert (MODEL.training, MODEL.weight.requires_grad) == modes
    with torch.no_grad():
        before, after = MODEL(IMAGES).argmax(1), MODEL(score.images).argmax(1)
    assert score.clean_accuracy == int((before == LABELS).sum()) / 60 > 0.7
    assert score.robust_accuracy == int(((before == LABELS) & (after == LABELS)).sum()) / 60 < score.clean_accuracy
    assert (score.images - IMAGES).abs().max() <= 0.1 + 1e-6 and score.n == 60
    assert score.outcomes is not None and len(score.outcomes) == 60
    assert score.outcomes["success"].sum() == round(60 * (score.clean_accuracy - score.robust_accuracy))
    assert (score.attack, score.eps, score.norm, score.targets) == ("pgd", 0.1, "Linf", None)
    assert "robust %" in repr(score) and "<table" in score._repr_html_()
    eight_bit = stillproof.attack(MODEL, (255 * IMAGES).round().to(torch.uint8), LABELS, attack="pgd", eps=0.1)
    assert eight_bit.robust_accuracy == pytest.approx(score.robust_accuracy, abs=0.05)


@pytest.mark.parametrize("attack", ["pgd", "cw:steps=5", "square:queries=5"])
def test_probabilities_are_not_taken_for_logits_without_a_word(attack: str) -> None:
    assert stillproof.attack(MODEL, IMAGES, LABELS, attack=attack).warnings == []
    (said,) = stillproof.attack(nn.Sequential(MODEL, nn.Softmax(1)), IMAGES, LABELS, attack=attack).warnings
    assert said.startswith("attacks are weaker than they should be: the model seems to return probabilities")
    logarithms = stillproof.attack(nn.Sequential(MODEL, nn.LogSoftmax(1)), IMAGES, LABELS, attack=attack)
    assert logarithms.warnings == [], "these do as well as logits"


def test_gradients_of_zero_are_told_without_a_check() -> None:
    rounded = stillproof.attack(lambda pixels: MODEL((9 * pixels).round() / 9), IMAGES, LABELS)
    (said,) = rounded.warnings
    assert rounded.clean_accuracy is not None and not rounded.checked
    right = round(60 * rounded.clean_accuracy)
    assert said.startswith("this is not robustness") and f"({right} of {right} that are right before)" in said
    assert f"Warning about pgd: {said}" in repr(rounded)


def test_functions_norms_targets_and_checks() -> None:
    plain = stillproof.attack(lambda pixels: MODEL(pixels), IMAGES, LABELS, norm="L2")
    assert (plain.attack, plain.norm, plain.eps) == ("pgd-l2", "L2", 128 / 255)
    aimed = stillproof.attack(MODEL, IMAGES, LABELS, targets=(LABELS + 3) % 10, eps=0.3)
    assert aimed.targets == "given" and aimed.outcomes is not None
    assert (aimed.outcomes["targets"] == ((LABELS + 3) % 10).numpy()).all()
    sums = stillproof.attack(MODEL, IMAGES, LABELS, attack="pgd-l1", eps=3)
    assert sums.outcomes is not None and sums.median_size("L1") == np.median(
        sums.outcomes["l1"][sums.outcomes["success"]]
    )
    assert f"{sums.median_size('L1'):.3g}" in repr(sums), "measured in its own norm"
    nearest = stillproof.attack(MODEL, IMAGES, LABELS, attack="deepfool", check=True)
    assert nearest.eps is None and nearest.robust_accuracy == 0 and nearest.median_size("L2") is not None
    assert nearest.checked and nearest.alarms == [] and "No alarm" in repr(nearest)
    ringing = stillproof.attack(lambda pixels: MODEL((9 * pixels).round() / 9), IMAGES, LABELS, check=True)
    assert ringing.alarms and "Alarm: do not trust this number: the gradient is zero" in repr(ringing)


def test_several_attacks_have_a_worst_case() -> None:
    asked = ["fgsm", "pgd:steps=5", "deepfool", "fgsm"]
    score = stillproof.attack(MODEL, IMAGES, LABELS, attack=asked, eps=0.05)
    alone = [stillproof.attack(MODEL, IMAGES, LABELS, attack=one, eps=0.05) for one in asked[:2]]
    alone.append(stillproof.attack(MODEL, IMAGES, LABELS, attack="deepfool"))  # no ball limits it
    assert [one.attack for one in score.attacks] == ["fgsm", "pgd", "deepfool"]
    for one, other in zip(score.attacks, alone, strict=True):
        assert torch.equal(one.images, other.images) and one.robust_accuracy == other.robust_accuracy
    robust = np.logical_and.reduce([one.outcomes["robust"] for one in alone if one.outcomes is not None])
    assert score.attack == "worst case" and score.robust_accuracy == robust.mean()
    assert score.clean_accuracy == alone[0].clean_accuracy and score.n == 60 and score.eps is None
    assert score.passes_per_image == sum(one.passes_per_image or 0 for one in alone)
    assert "worst case" in repr(score) and len(score.as_dict()["attacks"]) == 3
    one_of_one = stillproof.attack(MODEL, IMAGES, LABELS, attack=["fgsm"], eps=0.05)
    assert one_of_one.attack == "fgsm" and torch.equal(one_of_one.images, alone[0].images)


def test_several_attacks_agree_with_those_of_a_session(tmp_path: Path) -> None:
    torch.save(
        build_network(networks.build("mlp:width=16"), DATA.info, Seeds(0), "cpu").state_dict(), tmp_path / "n.pt"
    )
    with Session(str(tmp_path / "s.db")) as session:
        model = session.import_model(tmp_path / "n.pt", "digits", "mlp:width=16")
        asked: dict[str, Any] = {"attack": ["fgsm", "pgd:steps=3"], "eps": 0.1}
        stored = session.attack(model, "digits", limit=60, **asked)
        found = session.store.artifacts.read(model.artifact)
    own = stillproof.attack(load_model(found.tensors, found.card, "cpu"), IMAGES, LABELS, **asked)
    for name in ("attack", "eps", "norm", "clean_accuracy", "robust_accuracy", "passes_per_image", "draws"):
        assert getattr(own, name) == getattr(stored, name), name
    assert [one.robust_accuracy for one in own.attacks] == [one.robust_accuracy for one in stored.attacks]


def test_one_of_several_without_a_targeted_form_says_so() -> None:
    score = stillproof.attack(MODEL, IMAGES, LABELS, attack=["pgd", "deepfool"], targets="next", check=True)
    pgd, deepfool = score.attacks
    assert (deepfool.reason or "").startswith("DeepFool has no targeted form") and deepfool.robust_accuracy is None
    assert score.robust_accuracy == pgd.robust_accuracy and score.targets == "next"
    assert score.checked and "deepfool: DeepFool has no targeted form" in repr(score)
    none = stillproof.attack(MODEL, IMAGES, LABELS, attack=["deepfool", "deepfool:steps=3"], targets="next")
    assert (none.reason or "").startswith("DeepFool has no targeted form") and none.robust_accuracy is None


@pytest.mark.skipif(importlib.util.find_spec("pandas") is None, reason="pandas is not installed")
def test_data_frames() -> None:
    score = stillproof.attack(MODEL, IMAGES, LABELS, attack="fgsm")
    assert score.outcomes is not None
    assert len(score.to_dataframe()) == 1 and len(score.outcomes.to_dataframe()) == 60


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"images": 2 * IMAGES}, r"image 0 has a pixel of .*: attacks take pixels in \[0, 1\]"),
        ({"images": IMAGES - 0.5}, "attacks take pixels in"),
        ({"images": IMAGES * float("nan")}, "has a pixel of nan"),
        ({"labels": LABELS + 1}, "has label 10, which is not a class of a model with 10"),
        ({"labels": LABELS[:5]}, r"labels of shape \(5,\)"),
        ({"attack": "fgms"}, "unknown attack 'fgms'; did you mean 'fgsm'"),
        ({"attack": "pgd:step_size=1"}, "did you mean 'step"),
        ({"eps": 0}, "eps must be above 0, not 0"),
        ({"eps": -8 / 255}, "eps must be above 0, not -0.0313725"),
        ({"eps": 1.01}, "eps = 1.01 is not allowed: .* at most 1 in Linf"),
        ({"eps": 9, "norm": "L2"}, "at most 8 in L2"),
        ({"attack": "fgsm", "norm": "L2"}, "attack 'fgsm' is measured in Linf, and not in L2"),
        ({"attack": "deepfool", "norm": "L1"}, "norm = 'L1' is not allowed: choose 'L2' or 'Linf'"),
        ({"attack": "cw", "eps": 0.1}, "attack 'cw' has no eps"),
        ({"attack": "pgd:eps=0.1", "eps": 0.1}, "gives eps already"),
        ({"attack": []}, "no attack is named: give at least one"),
        ({"attack": ["pgd", "fgms"]}, "unknown attack 'fgms'; did you mean 'fgsm'"),
        ({"attack": ["cw", "deepfool"], "eps": 0.1}, "none of cw, deepfool has an eps"),
        ({"targets": "nearest"}, "unknown target 'nearest'"),
        ({"model": lambda pixels: MODEL(pixels) * float("nan")}, "the model's answer to image 0 is not finite"),
        ({"model": lambda pixels: MODEL(pixels)[:, :1]}, r"has shape \(\d+, 1\)"),
    ],
)
def test_what_cannot_be_attacked_is_refused_with_one_sentence(change: dict[str, Any], words: str) -> None:
    given: dict[str, Any] = {"model": MODEL, "images": IMAGES, "labels": LABELS, **change}
    with pytest.raises(BadInput, match=words) as refused:
        stillproof.attack(given.pop("model"), given.pop("images"), given.pop("labels"), **given)
    assert "\n" not in str(refused.value)


def test_a_form_that_is_not_there_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Unsupported, match="DeepFool has no targeted form"):
        stillproof.attack(MODEL, IMAGES, LABELS, attack="deepfool", targets="next")
    assert issubclass(Unsupported, StillproofError) and capsys.readouterr().out == ""


class InNoGrad(Nearest):
    def forward(self, pixels: Tensor) -> Tensor:
        with torch.no_grad():
            return super().forward(pixels)


class InInference(Nearest):
    def forward(self, pixels: Tensor) -> Tensor:
        with torch.inference_mode():
            return super().forward(pixels)


class Detached(Nearest):
    def forward(self, pixels: Tensor) -> Tensor:
        return super().forward(pixels.detach())


class InPlace(Nearest):
    def forward(self, pixels: Tensor) -> Tensor:
        pixels -= 0.5
        return super().forward(pixels + 0.5)


class InPlaceByView(Nearest):
    def forward(self, pixels: Tensor) -> Tensor:
        pixels.view(len(pixels), -1).mul_(0.9)
        return super().forward(pixels)


class InPlaceByData(Nearest):
    def forward(self, pixels: Tensor) -> Tensor:
        pixels.data.sub_(0.2)
        return super().forward(pixels)


class InPlaceInNoGrad(Nearest):
    def forward(self, pixels: Tensor) -> Tensor:
        with torch.no_grad():
            pixels.clamp_(0.2, 0.8)
        return super().forward(pixels)


@pytest.mark.parametrize("as_module", [True, False])
@pytest.mark.parametrize("attack", ["pgd:steps=3", "cw:steps=3", "deepfool", "apgd-ce:steps=5", "tpgd", "autoattack"])
@pytest.mark.parametrize("kind", [InNoGrad, InInference, Detached])
def test_a_model_without_gradients_is_told_so(kind: type[Nearest], attack: str, as_module: bool) -> None:
    module = kind()
    model = module if as_module else lambda pixels: module(pixels)
    with pytest.raises(BadInput, match=r"gives no gradient at its images.*torch\.no_grad\(\).*square, spsa\)\.$"):
        stillproof.attack(model, IMAGES[:8], LABELS[:8], attack=attack)


@pytest.mark.parametrize("kind", [InNoGrad, InInference, Detached])
def test_without_gradients_it_can_be_attacked_by_what_needs_none(kind: type[Nearest]) -> None:
    expected = stillproof.attack(MODEL, IMAGES, LABELS, attack="square:queries=20", eps=0.3)
    score = stillproof.attack(kind(), IMAGES, LABELS, attack="square:queries=20", eps=0.3)
    assert score.robust_accuracy == expected.robust_accuracy != score.clean_accuracy


@pytest.mark.parametrize("as_module", [True, False])
@pytest.mark.parametrize("attack", ["none", "pgd:steps=3", "cw:steps=3", "deepfool", "square:queries=5"])
@pytest.mark.parametrize("kind", [InPlace, InPlaceByView, InPlaceByData, InPlaceInNoGrad])
def test_a_model_that_changes_its_images_is_told_so_and_they_stay(
    kind: type[Nearest], attack: str, as_module: bool
) -> None:
    module, before = kind(), IMAGES.clone()
    model = module if as_module else lambda pixels: module(pixels)
    with pytest.raises(BadInput, match=r"changes the images that it is given in place.*x = x - mean"):
        stillproof.attack(model, IMAGES[:8], LABELS[:8], attack=attack)
    assert torch.equal(IMAGES, before)


def test_a_model_that_begins_to_change_its_images_later_is_told_so() -> None:
    class Later(Nearest):
        asked = 0

        def forward(self, pixels: Tensor) -> Tensor:
            Later.asked += 1
            with torch.no_grad():
                if Later.asked == 4:
                    pixels.mul_(0.5)
            return super().forward(pixels)

    with pytest.raises(BadInput, match="changes the images"):
        stillproof.attack(Later(), IMAGES, LABELS, attack="pgd", eps=0.1)
