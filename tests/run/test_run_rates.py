from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillproof.core.components import distillers, networks
from stillproof.core.presets import preset_params
from stillproof.core.provenance import numerics, provenance
from stillproof.core.spec import Json
from stillproof.nets.network_size import network_size
from stillproof.run.cell import Cell
from stillproof.run.rates import BOOKING_SECONDS, GPU_FLOPS, REACHED, THREAD_FLOPS, Assumed, this_machine
from stillproof.store.records import Record
from stillproof.suites.dc_bench.published_values import TABLE_8

SPEC = {"network": {"name": "convnet", "params": {"depth": 1}}, "info": {"channels": 1, "size": 8}}
HERE = {"processor": provenance()["processor"], "numerics": numerics("cpu") | {"threads": 1}}
FIELDS = [field.name for field in dataclasses.fields(Record)]


def cell(flops: float, stage: str = "train", spec: Json = SPEC) -> Cell:
    return Cell(f"{stage} {flops} {spec}", stage, spec, {}, (), flops, "")


def record(flops: float, seconds: float, stage: str = "train", about: Json = HERE, **more: Any) -> Record:
    values = dict.fromkeys(FIELDS) | {"stage": stage, "spec": SPEC, "where": {"flops": flops}, "seconds": seconds}
    return Record(**{**values, "status": "done", "result": {"peak_bytes": 7}, "provenance": about, **more})


def test_a_cell_takes_what_cells_like_it_took() -> None:
    machine = this_machine([record(1e9, 4.0), record(1e9, 6.0), record(1e9, 5.0)], "cpu")
    assert machine.seconds(cell(1e9)) == pytest.approx(5.0 + BOOKING_SECONDS)
    assert machine.seconds(cell(2e9)) == pytest.approx(10.0 + BOOKING_SECONDS)
    assert (machine.peak_bytes(cell(1e9)), machine.peak_bytes(cell(2e9))) == (7, None)


def test_the_nearest_work_counts_and_small_cells_tell_nothing_of_large_ones() -> None:
    machine = this_machine([record(1e8, 1.0), record(1e11, 10.0), record(1e13, 500.0)], "cpu")
    assert machine.seconds(cell(1e12 * 1.1)) == pytest.approx(55.0 + BOOKING_SECONDS)
    assert machine.seconds(cell(2e8)) == pytest.approx(2.0 + BOOKING_SECONDS)
    alone = this_machine([record(1e8, 1.0)], "cpu")
    assert not alone.knows(cell(1e12)) and alone.seconds(cell(1e12)) == pytest.approx(1e12 / THREAD_FLOPS, rel=0.01)


@pytest.mark.parametrize(
    "other",
    [
        cell(1e12, stage="expert"),
        cell(1e12, spec=SPEC | {"info": {"channels": 3, "size": 32}}),
        cell(1e12, spec=SPEC | {"network": {"name": "convnet", "params": {"depth": 3}}}),
        cell(1e12, spec=SPEC | {"method": {"name": "dm"}}),
    ],
)
def test_other_kinds_of_work_tell_nothing(other: Cell) -> None:
    machine = this_machine([record(1e12, 1e4)], "cpu")
    assert machine.knows(cell(1e12)) and not machine.knows(other)


@pytest.mark.parametrize(
    "about",
    [
        HERE | {"processor": "another"},
        HERE | {"numerics": HERE["numerics"] | {"device": "NVIDIA A100"}},
        HERE | {"numerics": HERE["numerics"] | {"segments": [{}, {}]}},
        {},
    ],
    ids=["another processor", "a GPU", "stopped on the way", "unknown"],
)
def test_what_was_not_timed_here_does_not_count(about: Json) -> None:
    assert not this_machine([record(1e12, 1e4, about=about)], "cpu").knows(cell(1e12))
    assert not this_machine([record(1e12, 1e4, status="failed")], "cpu").knows(cell(1e12))


def test_threads_share_the_work() -> None:
    two = HERE | {"numerics": HERE["numerics"] | {"threads": 2}}
    assert this_machine([record(1e12, 10.0, about=two)], "cpu").seconds(cell(1e12)) == pytest.approx(20.02)


def test_a_few_timed_steps_tell_of_the_whole_distillation() -> None:
    result = {"steps": 100, "steps_timed": 5, "total_seconds": 50.0}
    machine = this_machine([record(1e10, 9.0, stage="cost", result=result)], "cpu")
    assert machine.seconds(cell(2e11, stage="distill")) == pytest.approx(50.0 + BOOKING_SECONDS)


def test_cells_without_work_take_what_they_took() -> None:
    machine = this_machine([record(0.0, 0.5, stage="select")], "cpu")
    assert machine.seconds(cell(0.0, stage="select")) == pytest.approx(0.5 + BOOKING_SECONDS)
    assert this_machine([], "cpu").seconds(cell(0.0)) == BOOKING_SECONDS


@given(st.floats(1e11, 1e18), st.floats(1e11, 1e18), st.floats(1e-3, 1e6))
def test_more_work_takes_longer(one: float, other: float, seconds: float) -> None:
    for machine in (this_machine([record(1e12, seconds)], "cpu"), this_machine([], "cpu"), Assumed(2e13)):
        assert (machine.seconds(cell(one)) <= machine.seconds(cell(other))) or one > other


def test_published_times_on_an_a100_are_a_quarter_of_its_speed() -> None:
    flops = network_size(networks.build("convnet-3"), 3, 32, 10).flops
    rates = []
    for name, published in TABLE_8.items():
        for ipc, seconds in zip((1, 10, 50), published, strict=False):
            method: Any = distillers.build(name, preset_params(distillers.get(name), "paper", "cifar10", ipc))
            rates.append(flops * method.image_passes(50_000, 10, ipc) / method.steps / seconds)
    mean = math.exp(sum(map(math.log, rates)) / len(rates))
    assert pytest.approx(mean, rel=0.1) == GPU_FLOPS and pytest.approx(mean / 19.5e12, rel=0.1) == REACHED
    assert max(rates) / min(rates) < 6
