from __future__ import annotations

from pathlib import Path

from commands import Commands, query

SCRIPT = """
import json, sys
from stillproof import Session
session = Session(sys.argv[1], checkpoint_seconds=0.0)
made = session.distill("digits", "dm:steps=200:batch_real=16", 1, network="convnet-1:width=4")
print(json.dumps([made.artifact, made.result["notes"].get("resumed_at", 0), len(made.result["history"])]))
"""


def test_a_killed_distillation_goes_on_from_its_checkpoint_to_the_same_bits(
    tmp_path: Path, stillproof: Commands
) -> None:
    scratch = tmp_path / "k-artifacts" / ".scratch"
    stillproof.killed(SCRIPT, "/steps.", "k.db", cwd=tmp_path)
    assert query(tmp_path / "k.db", "SELECT status FROM cells") == [("running",)]
    resumed = stillproof.python(SCRIPT, "k.db", cwd=tmp_path).json()
    whole = stillproof.python(SCRIPT, "w.db", cwd=tmp_path).json()
    assert 0 < resumed[1] < 200 and whole[1] == 0
    assert resumed[0] == whole[0]
    assert resumed[2] == whole[2] == 200
    assert list(scratch.iterdir()) == []
