from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stillproof.run.cost_cuts import closure, smaller
from stillproof.run.forecast import Forecast
from stillproof.run.plan import Planner
from stillproof.run.rates import REACHED
from stillproof.session import Session
from stillproof.suites.accuracy import Accuracy
from stillproof.suites.requests import distilled, real_images, trained

NETWORK = "convnet-1:width=4"
ACCURACY = {"dataset": ["digits"], "scale": "smoke", "network": [NETWORK], "methods": ["random", "dm"], "seeds": 3}
DC_BENCH = {"scale": "smoke", "network": [NETWORK, "mlp"], "methods": ["random", "dm", "k-center"], "large_network": ""}


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    opened = Session(str(tmp_path / "s.db"))
    yield opened
    opened.close()


def total(session: Session, suite: str, options: dict[str, Any]) -> float:
    planner, _, _ = session.plan_suite(suite, options)
    return session.estimate(planner).seconds


def test_parts_add_up_to_the_whole(session: Session) -> None:
    found = session.forecast("dc-bench", DC_BENCH, speed=2e13)
    assert found.assumed is not None
    for parts in (found.by_section, found.by_method, found.by_section_and_method):
        assert sum(part.cells for part in parts) == found.estimate.cells
        assert sum(part.seconds for part in parts) == pytest.approx(found.estimate.seconds)
        assert sum(part.flops for part in parts) == pytest.approx(found.estimate.flops)
        assert sum(part.assumed_seconds or 0 for part in parts) == pytest.approx(found.assumed.seconds)
    assert found.assumed.seconds > found.estimate.flops / (REACHED * 2e13)
    assert {part.about["section"] for part in found.by_section} >= {"transfer", "search", "cost", "map"}
    assert [set(part.about) for part in found.by_section_and_method[:1]] == [{"section", "method"}]


def test_a_forecast_says_what_matters_in_a_few_lines(session: Session) -> None:
    found = session.forecast("accuracy", ACCURACY, speed=2e13)
    lines = repr(found).splitlines()
    for measured, words in (
        (0.004, "the speed of a typical machine)"),
        (0.5, "operations; 50 % of it from cells like"),
    ):
        assert words in repr(dataclasses.replace(found, measured=measured))
    assert lines[0].endswith("to compute: 9 train, 9 select, 6 distill") and lines[1].startswith("time here: about ")
    assert lines[2].startswith("time at 20 TFLOPS: about ") and lines[4].startswith("disk: about ")
    assert [line.partition(":")[0] for line in lines[5:]] == ["full", "random", "dm"]


def test_a_suite_without_sections_is_divided_by_method(session: Session) -> None:
    found = session.forecast("accuracy", ACCURACY)
    assert [part.about for part in found.by_method] == [{"method": name} for name in ("full", "random", "dm")]
    assert (found.by_section, found.by_section_and_method, found.assumed) == ([], [], None)


def test_what_a_part_saves_is_what_the_rest_does_without_it(session: Session) -> None:
    found = session.forecast("accuracy", ACCURACY)
    for part in found.by_method[1:]:
        left = [name for name in ("random", "dm") if name != part.about["method"]]
        rest = total(session, "accuracy", ACCURACY | {"methods": left})
        assert part.saves_seconds == pytest.approx(found.estimate.seconds - rest)


@pytest.mark.parametrize(("suite", "options"), [("accuracy", ACCURACY), ("dc-bench", DC_BENCH)])
def test_cuts_are_what_planning_anew_gives(session: Session, suite: str, options: dict[str, Any]) -> None:
    found = session.forecast(suite, options)
    assert [cut.saves for cut in found.cuts] == sorted((cut.saves for cut in found.cuts), reverse=True)
    cuts = {(cut.parameter, str(cut.after)) for cut in found.cuts}
    assert ("seeds", "2" if suite == "accuracy" else "1") in cuts
    for cut in found.cuts[:6]:
        anew = total(session, suite, options | {cut.parameter: cut.after})
        assert 1 - anew / found.estimate.seconds == pytest.approx(cut.saves), cut


def test_a_cut_asks_for_nothing_else(session: Session) -> None:
    found = session.forecast("dc-bench", DC_BENCH)
    gone = [set(map(str, cut.before)) - set(map(str, cut.after)) for cut in found.cuts if cut.parameter == "network"]
    assert gone in ([{"mlp"}], []), "methods distil with the first network: without it all sets are others"
    assert not {cut.parameter for cut in found.cuts} & {"search_ipc", "recipe", "scale", "mapped_class"}


def test_a_cut_that_asks_for_other_things_instead_is_none(session: Session) -> None:
    options: dict[str, Any] = {"dataset": ["digits"], "methods": ["random"], "ipc": [1, 50], "scale": "paper"}
    options |= {"sections": ["augmentation"], "choice_seeds": 0, "network": ["resnet-18", NETWORK]}
    found = session.forecast("dc-bench", options)
    assert found.cuts and "network" not in {cut.parameter for cut in found.cuts}, "a tiny network is another question"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (5, [3]),
        (2, [1]),
        (1, []),
        (0, []),
        (True, []),
        (["a", "b"], [["b"], ["a"]]),
        ([10, 50, 1], [[10, 1]]),
        (["a"], []),
        ("resnet-152", ["none"]),
        (None, ["none"]),
        ("", []),
        (0.5, []),
    ],
)
def test_what_a_parameter_could_be_instead(value: Any, expected: list[Any]) -> None:
    assert list(smaller(value)) == expected


def test_what_is_answered_costs_nothing(session: Session) -> None:
    session.run_suite("accuracy", ACCURACY)
    done = session.forecast("accuracy", ACCURACY)
    assert (done.estimate.by_stage, done.estimate.seconds, done.memory, done.disk_bytes) == ({}, 0.0, None, 0.0)
    assert done.cuts == [] and all(part.cells == 0 for part in done.by_method)
    more = session.forecast("accuracy", ACCURACY | {"seeds": 4})
    assert more.measured > 0.95 and more.estimate.calibrated, "cells like these were timed"
    timed = [record.seconds or 0.0 for record in session.store.results.newest_done(100)]
    assert more.estimate.cells == more.estimate.cached + 8 and 0 < more.estimate.seconds < 2 * sum(timed)
    assert more.memory is not None and more.memory.measured


def test_the_disk_holds_what_was_foreseen(session: Session) -> None:
    network = "convnet-3:width=64"
    options = ACCURACY | {"network": [network], "methods": ["dm:init=k-center"], "seeds": 1}
    foreseen = session.forecast("accuracy", options).disk_bytes
    session.run_suite("accuracy", options)
    root = session.store.artifacts.root
    written = sum(path.stat().st_size for path in root.parent.rglob("*") if path.is_file())
    assert written > 1e6 and foreseen == pytest.approx(written, rel=0.3)


def memory_of(method: str, ipc: int, network: str = "convnet-3") -> float:
    planner = Planner(Path())
    return planner.plan(distilled(real_images("digits"), method, ipc, 0, network)).memory


def test_memory_follows_images_networks_and_methods() -> None:
    assert memory_of("dm:batch_real=8", 40) == pytest.approx(4 * memory_of("dm:batch_real=8", 10), rel=0.2)
    assert memory_of("dm:batch_real=64", 1) == pytest.approx(memory_of("dc:batch_real=64", 1))
    assert memory_of("mtt:experts=1", 10) > 2 * memory_of("dm:batch_real=8", 10), "slopes are held too"
    assert memory_of("mtt:experts=9", 1) > memory_of("mtt:experts=1", 1), "experts are read into memory"
    assert memory_of("mtt:batch_syn=10", 50) < memory_of("mtt", 50)
    assert memory_of("random", 50) == 0 < memory_of("kip:target_batch=10", 1) < memory_of("kip", 1)
    planner = Planner(Path())
    wide, narrow = (
        planner.plan(trained(distilled(real_images("digits"), "random", 1, 0), network, "smoke", 0))
        for network in ("convnet-3:width=256", "convnet-3:width=64")
    )
    assert wide.memory > 3 * narrow.memory and wide.disk > 3 * narrow.disk


def test_the_largest_cell_is_named(session: Session) -> None:
    found: Forecast = session.forecast("accuracy", ACCURACY | {"methods": ["random", "dm:batch_real=150"]})
    assert found.memory is not None and not found.memory.measured
    assert found.memory.bytes > 1e8, "a process alone takes that"
    small = session.forecast("accuracy", ACCURACY | {"network": ["convnet-3:width=128"]})
    assert small.memory is not None and small.memory.label.startswith("train convnet-3:width=128 on full digits")


def test_the_closure_holds_what_is_needed_on_the_way(tmp_path: Path) -> None:
    planner = Planner(tmp_path)
    rows = planner.rows(Accuracy(network=(NETWORK,), methods=("k-center",), ipc=(1,), seeds=1, full_recipe="").rows())
    needed = closure(planner.cells, rows[0]["cells"])
    assert [planner.cells[name].stage for name in needed] == ["select", "train", "distill", "expert"]
    assert set(needed) == set(planner.cells)
