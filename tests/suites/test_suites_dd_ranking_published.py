from __future__ import annotations

from typing import Any

import pytest
from ranked import ranked, sides

from stillproof.score.dd_ranking import label_robust_score
from stillproof.suites.dd_ranking.augmentation import augmented_of
from stillproof.suites.dd_ranking.published import (
    MISPRINTED_LRS,
    SIZES,
    TABLE_3,
    published_augmentation,
    published_labels,
)
from stillproof.suites.dd_ranking.sides import sides_of

REAL = "real:augment=dsa:batch=256:curve_points=20"
PAPER = {"scale": "paper", "protocol": "faithful", "dataset": "cifar10", "real_recipe": REAL}
HARD = {**PAPER, "network": "convnet-3", "recipe": "dc-bench-dsa:epochs=1000"}
SRE2L = {**PAPER, "network": "resnet-18-bn", "recipe": "sre2l:batch=256", "label_kind": "taught"}
RDED = {**PAPER, "network": "convnet-3-bn", "recipe": "rded:batch=50", "label_kind": "taught"}
ON_IMAGENET = "real:augment=dsa:batch=256:curve_points=9:decay_epochs=30,60:epochs=90:lr=0.1:weight_decay=0.0001"
IMAGENET = {**RDED, "dataset": "imagenet", "network": "resnet-18-bn-imagenet", "real_recipe": ON_IMAGENET}


def beside(method: str, **keys: Any) -> dict[str, float]:
    ipc = keys.pop("ipc", 10)
    (found,) = sides_of({"labels": sides("labels", method, ipc, [0.5], [0.5], [0.5], **keys)}, "labels")
    return {name: value.mean for name, value in published_labels(found.row, found.random).items()}


@pytest.mark.parametrize(
    ("method", "keys", "expected"),
    [
        ("dc", HARD, (0.367, 0.185, 0.232)),
        ("mtt", HARD, (0.237, 0.309, 0.284)),
        ("sre2l", SRE2L, (0.678, -0.057, 0.138)),
        ("rded", RDED, (0.507, 0.011, 0.176)),
    ],
)
def test_table_3_stands_beside_the_published_protocol(
    method: str, keys: dict[str, Any], expected: tuple[float, ...]
) -> None:
    assert tuple(beside(method, **keys).values()) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("method", "changed"),
    [
        ("dm", {"scale": "quick"}),
        ("dm", {"protocol": "fair"}),
        ("dm", {"dataset": "cifar100"}),
        ("dm", {"network": "convnet-3-bn"}),
        ("dm", {"recipe": "dc-bench-dsa"}),
        ("dm", {"recipe": "quick"}),
        ("dm", {"rate": "own"}),
        ("dm", {"real_recipe": "real"}),
        ("dm", {"real_recipe": f"{REAL}:epochs=3"}),
        ("dm", {"real_recipe": REAL.replace("256", "512")}),
        ("dm", {"real_recipe": "quick-real:augment=dsa"}),
        ("dm", {"ipc": 5}),
        ("dm:steps=10", {}),
        ("k-center", {}),
        ("sre2l", {}),
        ("sre2l", {**SRE2L, "recipe": "sre2l:epochs=10"}),
    ],
)
def test_other_questions_have_nothing_published_beside_them(method: str, changed: dict[str, Any]) -> None:
    assert beside("dm", **HARD), "else the rest shows nothing"
    assert beside(method, **{**HARD, **changed}) == {}


def test_printed_scores_are_those_of_the_formula_but_for_the_misprints() -> None:
    for method, sizes in TABLE_3.items():
        for ipc, (hlr, ior, printed) in zip(SIZES, sizes, strict=True):
            score = 100 * float(label_robust_score(hlr / 100, ior / 100))
            assert score == pytest.approx(MISPRINTED_LRS.get((method, ipc), printed), abs=0.15), (method, ipc)


def augmented(method: str, ipc: int, **keys: Any) -> dict[str, float]:
    rows = [ranked("augmentation", method, ipc, [0.5], images=name, **keys) for name in ("set", "random")]
    (found,) = augmented_of(rows)
    return {name: value.mean for name, value in published_augmentation(found.row, found.random_with).items()}


def test_table_7_stands_beside_imagenet_alone() -> None:
    assert augmented("rded", 10, **IMAGENET) == pytest.approx({"ars": 0.280, "without": 0.056, "with": -0.006})
    assert augmented("rded", 1, **IMAGENET) == pytest.approx({"ars": 0.274}), "there is no IOR of that size"
    sre2l = {**IMAGENET, "recipe": "rded:batch=1024"}
    assert augmented("sre2l", 50, **sre2l) == pytest.approx({"ars": 0.202})
    others = {"dataset": "cifar10"}, {"scale": "quick"}, {"protocol": "fair"}, {"network": "resnet-18-bn"}
    recipes = {"real_recipe": REAL}, {"real_recipe": ON_IMAGENET.replace("lr=0.1", "lr=0.2")}
    for changed in (*others, *recipes):
        assert augmented("rded", 10, **{**IMAGENET, **changed}) == {}
