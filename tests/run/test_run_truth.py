from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from stillproof.core.errors import BadInput, CellFailed, DataMissing, UnknownName
from stillproof.data import hpo_bench_truth
from stillproof.nets.nas201_code import arch_text
from stillproof.run.plan import Planner
from stillproof.session import Session
from stillproof.suites.requests import Request

A, B, ABSENT = "nas201:arch=333132", "nas201:arch=000000", "nas201:arch=444444"


def write(folder: Path, a: str = "94.37", b: str = "10") -> None:
    rows = f"{arch_text('333132')},{a}\n{arch_text('000000')},{b}\n"
    (folder / "nas_bench_201.csv").write_text(f"arch,cifar10_test\n{rows}", encoding="utf-8")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    made = Session(str(tmp_path / "s.db"), str(tmp_path), device="cpu")
    yield made
    made.close()


def truth(networks: Sequence[str], source: str = "table") -> Request:
    return Request("truth", networks=tuple(networks), source=source)


def test_networks_get_their_published_accuracies(session: Session) -> None:
    write(session.root)
    found = session.answer(truth((A, ABSENT, B)))
    assert found["accuracy"] == {A: pytest.approx(0.9437), B: pytest.approx(0.1)}, (
        "one that the table lacks is left out"
    )
    assert found["source"].startswith("nas_bench_201@sha256:")
    assert found["label"] == "NAS-Bench-201, CIFAR-10 test accuracy, 200 epochs"
    assert session.store.results.counts()["truth"] == {"done": 1}


def test_however_a_network_is_written_its_reference_is_the_key(session: Session) -> None:
    write(session.root)
    ways = (f"{A}:affine=false", f"nas201:width=8:arch={arch_text('333132')}", "nas201:arch=000000:cells=5")
    found = session.answer(truth(ways))["accuracy"]
    assert found == {ways[0]: pytest.approx(0.9437), ways[1]: pytest.approx(0.9437), ways[2]: pytest.approx(0.1)}


def test_the_question_is_the_table_and_the_networks_in_any_order(tmp_path: Path) -> None:
    def planned(*networks: str) -> str:
        return Planner(tmp_path).plan(truth(networks)).id

    write(tmp_path)
    first = planned(A, B)
    assert planned(B, A) == planned(A, B, A) == first != planned(A)
    write(tmp_path, b="10.1")
    assert planned(A, B) != first


def test_a_table_that_changed_after_planning_is_refused(session: Session) -> None:
    write(session.root)
    planner = Planner(session.root)
    planner.plan(truth((A,)))
    write(session.root, b="11")
    with pytest.raises(CellFailed, match=r"published accuracies have changed since .*; run the command again"):
        session.execute(planner)


def test_a_missing_table_is_said_while_planning(tmp_path: Path) -> None:
    with pytest.raises(DataMissing, match=r"nas_bench_201\.csv.* is needed\.$"):
        Planner(tmp_path).plan(truth((A,)))


@pytest.mark.parametrize(
    ("network", "error", "message"),
    [
        ("convnet-3", BadInput, "'convnet-3' is not part of NAS-Bench-201"),
        ("nas201:arch=333135", BadInput, "not an architecture of NAS-Bench-201"),
        ("nas202:arch=333132", UnknownName, "did you mean 'nas201'"),
    ],
)
def test_what_is_in_no_table_is_refused_while_planning(
    tmp_path: Path, network: str, error: type[BadInput], message: str
) -> None:
    write(tmp_path)
    with pytest.raises(error, match=message):
        Planner(tmp_path).plan(truth((network,)))


def test_the_other_source_says_that_it_is_validation_accuracy(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "installed" / hpo_bench_truth.PACKAGE / hpo_bench_truth.TABLE
    table.parent.mkdir(parents=True)
    monkeypatch.delitem(sys.modules, hpo_bench_truth.PACKAGE, raising=False)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "installed"), *sys.path])
    request = truth((f"{A}:affine=false", ABSENT), "hpo-bench")
    (tmp_path / "installed" / hpo_bench_truth.PACKAGE / "__init__.py").write_text("")
    with pytest.raises(DataMissing, match=r"stillproof\[nas\]'"):
        Planner(tmp_path).plan(request)
    table.write_bytes(pickle.dumps({"333132": {"val_acc": [91.5, 91.7]}}))
    write(session.root)
    found = session.answer(request)
    assert found["accuracy"] == {f"{A}:affine=false": pytest.approx(0.916)}
    assert "validation accuracy" in found["label"] and "test" not in found["label"]
    assert found["source"].startswith("hpo_bench@sha256:")
