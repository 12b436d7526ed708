from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

EVENTS, SEEDS = 110, 100

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_storm_costs_nothing(tmp_path: Path) -> None:
    report = storm(tmp_path, EVENTS, SEEDS)
    sys.stderr.write(json.dumps(report, indent=2) + "\n")
    assert report["same_table"] and report["cells"] == {"done": SEEDS * 8}
    assert report["robbed"] == report["answered_twice"] == [] and report["overwritten"] == 0
    assert sum(report["events"].values()) == EVENTS
    assert sum(report["victims_computing"].values()) > EVENTS / 2


def storm(folder: Path, events: int, seeds: int) -> dict[str, Any]:
    private = ["unshare", "--mount"]
    may_mount = shutil.which("unshare") and subprocess.run([*private, "true"], capture_output=True).returncode == 0
    script = [sys.executable, str(Path(__file__).with_name("storm.py"))]
    command = [*(private if may_mount else []), *script, str(folder / "disk"), str(events), str(seeds)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
