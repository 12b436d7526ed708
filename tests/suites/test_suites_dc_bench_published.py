from __future__ import annotations

from typing import Any

import pytest
from answered import row

from stillproof.suites.dc_bench.published import published, published_average, published_beside, published_search
from stillproof.suites.dc_bench.published_accuracies import averages
from stillproof.suites.dc_bench.published_values import AUGMENTATIONS, LEADERBOARD, NETWORKS


def mean_of(method: str, ipc: int | None, dataset: str = "cifar10", **setting: str) -> float:
    found = published(dataset, method, ipc, **setting)
    assert found is not None
    return found.mean


@pytest.mark.parametrize(
    ("dataset", "method", "ipc", "augmentation", "expected"),
    [
        ("cifar10", "random", 1, "none", 0.1506),
        ("cifar10", "k-center", 1, "imagenet-aug", 0.2592),
        ("cifar10", "dc", 10, "rand-augment", 0.4765),
        ("cifar10", "dm", 50, "auto-augment", 0.5756),
        ("cifar10", "mtt", 50, "dsa", 0.7028),
        ("cifar100", "random", 1, "none", 0.0428),
        ("cifar100", "mtt", 50, "rand-augment", 0.4473),
        ("cifar100", "dsa", 10, "dsa", 0.3223),
    ],
)
def test_augmentations_are_as_in_table_4(
    dataset: str, method: str, ipc: int, augmentation: str, expected: float
) -> None:
    found = published(dataset, method, ipc, augmentation=augmentation)
    assert found is not None
    assert found.mean == pytest.approx(expected) and found.place == "Table 4"
    assert ("best on the test images" in found.note) == (method == "mtt")


def test_mtt_was_without_whitening() -> None:
    assert mean_of("mtt:zca=false", 50) == mean_of("mtt", 50) == pytest.approx(0.7028)
    assert published_search("cifar10", "mtt:zca=false", 50) == published_search("cifar10", "mtt", 50) is not None
    assert published("cifar10", "mtt:zca=true", 50) is None


def test_the_paper_s_own_average_is_that_of_the_four_augmentations() -> None:
    means = [mean_of("random", 1, augmentation=name) for name in AUGMENTATIONS[1:]]
    assert sum(means) / 4 == pytest.approx(0.1471, abs=5e-5)


def on_leaderboard(dataset: str) -> list[tuple[str, int, float, float]]:
    """Method, images per class, best and average as fractions."""
    lines = [line.partition(" ") for line in LEADERBOARD[dataset].strip().splitlines()]
    found = [(method, [part.split() for part in numbers.split("/")]) for method, _, numbers in lines]
    return [
        (method, ipc, float(best) / 100, float(average) / 100)
        for method, parts in found
        for ipc, (best, average) in zip((1, 10, 50), parts, strict=True)
    ]


@pytest.mark.parametrize("dataset", ["cifar10", "cifar100"])
def test_the_leaderboard_has_dsa_as_best_and_the_mean_of_four_augmentations(dataset: str) -> None:
    for method, ipc, best, average in on_leaderboard(dataset):
        means = [mean_of(method, ipc, dataset, augmentation=name) for name in AUGMENTATIONS[1:]]
        assert best == pytest.approx(means[-1]) and average == pytest.approx(sum(means) / 4, abs=1.01e-4)
        found = published(dataset, method, ipc)
        assert found is not None and found.place.startswith("Table"), "the paper comes before its leaderboard"
        assert averages()[dataset, method, ipc].mean == pytest.approx(average)


@pytest.mark.parametrize(
    ("method", "best", "average"),
    [
        ("random", [0.0165, 0.0688, 0.1862], [0.0149, 0.0600, 0.1686]),
        ("dc", [0.0527, 0.1283, 0.1266], [0.0457, 0.1120, 0.1089]),
        ("mtt:zca=false", [0.0827, 0.2011, 0.2816], [0.0619, 0.1732, 0.2582]),
    ],
)
def test_tiny_imagenet_is_as_on_the_leaderboard(method: str, best: list[float], average: list[float]) -> None:
    assert len(on_leaderboard("tiny_imagenet")) == 18
    found = [published("tiny_imagenet", method, ipc) for ipc in (1, 10, 50)]
    assert [value and value.mean for value in found] == pytest.approx(best)
    assert all(value and "leaderboard" in value.place and "taken to be" in value.note for value in found)
    assert published("tiny_imagenet", method, 10, augmentation="none") is None
    assert published("tiny_imagenet", method, 10, network="convnet-3") is None
    means = [averages()["tiny_imagenet", method.partition(":")[0], ipc].mean for ipc in (1, 10, 50)]
    assert means == pytest.approx(average)


@pytest.mark.parametrize(
    ("changed", "names", "beside"),
    [
        ({}, AUGMENTATIONS[1:], True),
        ({}, [f"{name}-per-batch" for name in AUGMENTATIONS[1:4]] + ["dsa"], True),
        ({}, AUGMENTATIONS, False),
        ({}, [*AUGMENTATIONS[1:], "mixup"], False),
        ({"scale": "quick"}, AUGMENTATIONS[1:], False),
        ({"home": "convnet-3"}, AUGMENTATIONS[1:], False),
        ({"network": "mlp"}, AUGMENTATIONS[1:], False),
    ],
)
def test_a_published_average_stands_only_beside_that_of_the_same_augmentations(
    changed: dict[str, Any], names: list[str], beside: bool
) -> None:
    about: dict[str, Any] = {"home": "convnet-4", "dataset": "tiny_imagenet", "network": "convnet-4"} | changed
    rows = [row("augmentation", "dm", 10, [0.1], augmentation=name, **about) for name in names]
    assert (published_average(rows) is not None) == beside


def test_kip_s_shifted_columns_are_put_right_and_say_so() -> None:
    row = [mean_of("kip", 1, augmentation=name) for name in AUGMENTATIONS]
    assert row == pytest.approx([0.3578, 0.2430, 0.2834, 0.2579, 0.4055])
    for name in AUGMENTATIONS[:-1]:
        found = published("cifar10", "kip", 1, augmentation=name)
        assert found is not None and "shifted" in found.note
    unshifted = published("cifar10", "kip", 1, augmentation="dsa")
    assert unshifted is not None and unshifted.place == "Table 5" and "shifted" not in unshifted.note


@pytest.mark.parametrize(
    ("method", "ipc", "row"),
    [
        ("k-center", 1, [0.2516, 0.2401, 0.2599, 0.1464, 0.2154]),
        ("mtt", 10, [0.6366, 0.3077, 0.4522, 0.1661, 0.3358]),
        ("kip", 50, [0.5694, 0.2525, 0.4756, 0.1844, 0.1828]),
    ],
)
def test_networks_are_as_in_table_5(method: str, ipc: int, row: list[float]) -> None:
    assert [mean_of(method, ipc, network=name) for name in NETWORKS] == pytest.approx(row)


def test_tables_4_and_5_agree_where_they_meet() -> None:
    for method in ("k-center", "dc", "dsa", "dm", "mtt"):
        for ipc in (1, 10, 50):
            found = published("cifar10", method, ipc)
            assert found is not None and found.place == "Table 4"
    transfer = {"k-center": 0.4149, "dc": 0.5099, "dsa": 0.5296, "dm": 0.4764, "mtt": 0.6366}
    assert {method: mean_of(method, 10) for method in transfer} == pytest.approx(transfer)


def test_many_images_per_class_and_the_ceiling() -> None:
    assert [mean_of("random", ipc) for ipc in (100, 200, 500, 1000)] == pytest.approx([0.5789, 0.6470, 0.7319, 0.7838])
    assert mean_of("dm", 500) == pytest.approx(0.7509) and mean_of("k-center", 1000) == pytest.approx(0.7947)
    assert mean_of("full", None) == pytest.approx(0.8595)
    assert mean_of("full", None, "cifar100") == pytest.approx(0.5669)
    assert mean_of("full", None, "tiny_imagenet", network="convnet-4") == pytest.approx(0.3983)
    assert mean_of("random", 1000, network="resnet-152") == pytest.approx(0.7029)
    assert mean_of("k-center:embedding=pixels", 10) == pytest.approx(0.3221)


def test_drawing_once_per_batch_is_the_same_question() -> None:
    assert published("cifar10", "dm", 10, augmentation="rand-augment-per-batch") == published(
        "cifar10", "dm", 10, augmentation="rand-augment"
    )


@pytest.mark.parametrize(
    ("dataset", "method", "ipc", "setting"),
    [
        ("digits", "random", 1, {}),
        ("cifar100", "kip", 1, {}),
        ("cifar10", "dm:steps=10", 10, {}),
        ("cifar10", "dm", 20, {}),
        ("cifar10", "dm", 10, {"augmentation": "mixup"}),
        ("cifar10", "dm", 10, {"network": "mlp", "augmentation": "none"}),
        ("cifar10", "dm", 10, {"network": "lenet"}),
        ("cifar10", "random", 10, {"network": "mlp"}),
        ("cifar10", "full", None, {"augmentation": "none"}),
    ],
)
def test_what_was_not_published_is_not_made_up(
    dataset: str, method: str, ipc: int | None, setting: dict[str, str]
) -> None:
    assert published(dataset, method, ipc, **setting) is None


def test_searches_have_a_correlation_and_a_choice() -> None:
    full, dsa = published_search("cifar10", "full", None), published_search("cifar10", "dsa", 50)
    assert full is not None and (full.spearman, full.top1) == pytest.approx((0.7487, 0.935))
    assert dsa is not None and (dsa.spearman, dsa.top1) == pytest.approx((-0.37, 0.7354))
    assert published_search("cifar10", "dsa", 500) is None
    assert published_search("cifar10", "herding", 50) is None and published_search("digits", "full", None) is None


@pytest.mark.parametrize(
    ("changed", "beside"),
    [
        ({}, True),
        ({"recipe": "dc-bench-dsa:augment=dsa"}, True),
        ({"scale": "smoke"}, False),
        ({"scale": "quick"}, False),
        ({"recipe": "quick"}, False),
        ({"recipe": "dc-bench-dsa:epochs=10"}, False),
        ({"selection": "oracle"}, False),
        ({"home": "convnet-2"}, False),
        ({"dataset": "tiny_imagenet"}, False),
        ({"dataset": "tiny_imagenet", "home": "convnet-4", "network": "convnet-4"}, True),
    ],
)
def test_a_published_value_stands_only_beside_a_row_of_the_published_protocol(
    changed: dict[str, Any], beside: bool
) -> None:
    about: dict[str, Any] = {"home": "convnet-3", "dataset": "cifar10", "network": "convnet-3"} | changed
    assert (published_beside(row("transfer", "dm", 10, [0.4], **about)) is not None) == beside
