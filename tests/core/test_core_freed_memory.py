"""Memory that is freed: kept for the next tensor, given back before a measurement."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

# Page faults of ten large arrays, one after the other; then how much a measurement counts of what was freed.
SCRIPT = """
import resource, sys
import numpy as np
from stillproof.core.freed_memory import keep_freed_memory
from stillproof.core.provenance import Meter

if sys.argv[1] == "kept":
    keep_freed_memory()
np.ones(2**22)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    np.ones(2**22)  # 32 MiB
faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
with Meter() as meter:
    pass
print(faults, meter.peak_bytes)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library manages memory in its own way")
def test_freed_memory_is_kept_and_not_counted_by_the_next_measurement() -> None:
    faults, peaks = {}, {}
    for how in ("kept", "not"):
        done = subprocess.run([sys.executable, "-c", SCRIPT, how], capture_output=True, text=True, check=True)
        faults[how], peaks[how] = map(int, done.stdout.split())
    assert faults["kept"] < faults["not"] / 10
    assert peaks["kept"] < peaks["not"] + 2**24, "less than an array more"
