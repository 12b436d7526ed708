from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent / "examples"
STILLPROOF = [str(Path(sys.executable).with_name("stillproof"))]


def output(command: list[str], folder: Path) -> str:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "STILLPROOF_STORE": f"sqlite:///{folder}/store.db"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_own_tensors_are_scored(tmp_path: Path) -> None:
    printed = output([sys.executable, str(EXAMPLES / "own_tensors.py")], tmp_path)
    accuracy = float(printed.split(",")[0].removeprefix("accuracy "))
    assert accuracy > 0.5  # chance is 0.1
    assert "n = 3" in printed


def test_a_method_of_ones_own_is_one_file(tmp_path: Path) -> None:
    plugin = str(EXAMPLES / "median_method.py")
    checks = json.loads(output([*STILLPROOF, "check", plugin, "--json"], tmp_path))["checks"]
    assert len(checks) >= 5
    assert all(check["ok"] for check in checks)
    scope = ["--methods", "random,median", "--seeds", "1", "--scale", "smoke", "--set", "full_recipe="]
    rows = json.loads(output([*STILLPROOF, "run", "accuracy", "--plugin", plugin, *scope, "--json"], tmp_path))["rows"]
    assert {row["method"] for row in rows} == {"random", "median"}
    assert all(row["accuracy"]["n"] == 1 for row in rows)
