from __future__ import annotations

import pytest

from stillproof.run import process_count
from stillproof.run.cell import Cell
from stillproof.run.process_count import workers_for
from stillproof.run.rates import FLOPS_PER_SECOND


def cells(seconds: float) -> list[Cell]:
    return [Cell(str(n), "train", {}, {}, (), seconds * FLOPS_PER_SECOND / 2, "") for n in range(2)]


@pytest.mark.parametrize(
    ("seconds", "device", "cores", "expected"),
    [
        (60, "cpu", 2, 2),
        (60, "cpu", 64, process_count.MOST),
        (10, "cpu", 2, 1),
        (60, "cuda:0", 2, 1),
        (60, "cpu", 1, 1),
    ],
)
def test_processes_where_they_repay(
    monkeypatch: pytest.MonkeyPatch, seconds: float, device: str, cores: int, expected: int
) -> None:
    monkeypatch.setattr(process_count, "cores", lambda: cores)
    assert workers_for(cells(seconds), device) == expected


def test_the_cores_of_this_machine_are_known() -> None:
    assert process_count.cores() >= 1
