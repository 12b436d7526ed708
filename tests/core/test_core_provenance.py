from __future__ import annotations

import sys
import time

import pytest
import torch

import stillproof
from stillproof.core.provenance import Meter, numerics, provenance
from stillproof.core.spec import canonical_json

MEGABYTE = 2**20


def test_provenance_says_which_code_on_which_machine() -> None:
    found = provenance()
    assert found.keys() == {"packages", "code", "python", "system", "processor", "cores"}
    assert found["packages"]["stillproof"] == stillproof.__version__
    assert found["packages"]["torch"] == str(torch.__version__)
    canonical_json(found)


def test_numerics_say_what_decides_the_last_bits() -> None:
    found = numerics("cpu")
    assert found.keys() == {"device", "threads", "torch", "capability"}
    assert (found["device"], found["threads"]) == ("cpu", torch.get_num_threads())
    canonical_json(found)


def test_a_meter_measures_seconds() -> None:
    with Meter() as meter:
        time.sleep(0.05)
    assert 0.05 <= meter.seconds < 5
    assert meter.as_dict() == {"seconds": meter.seconds, "peak_bytes": meter.peak_bytes}


def test_a_meter_measures_what_an_error_took_too() -> None:
    meter = Meter()
    with pytest.raises(ZeroDivisionError), meter:
        _ = 1 / 0
    assert meter.seconds > 0


@pytest.mark.skipif(sys.platform != "linux" or torch.cuda.is_available(), reason="reads the peak that Linux keeps")
def test_a_meter_sees_memory_that_was_given_back() -> None:
    with Meter() as small:
        pass
    with Meter() as large:
        block = bytearray(200 * MEGABYTE)
        block[::4096] = b"x" * len(block[::4096])
        del block
    assert large.peak_bytes - small.peak_bytes > 100 * MEGABYTE


def test_a_meter_waits_for_the_gpu_and_forgets_its_earlier_peak(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: calls.append("wait"))
    monkeypatch.setattr(torch.cuda, "reset_peak_memory_stats", lambda: calls.append("forget"))
    monkeypatch.setattr(torch.cuda, "max_memory_allocated", lambda: 77)
    with Meter() as meter:
        calls.append("work")
    assert calls == ["wait", "forget", "work", "wait"]
    assert meter.peak_bytes == 77
