"""Searches for garbage: rare while a command loads, as usual in its jobs, and untouched in a process of somebody's."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import gc, sys
usual = gc.get_threshold()
if sys.argv[1] == "command":
    import stillproof.cli
    assert gc.get_threshold() > usual
from stillproof.run.this_process import prepare
prepare("cpu", None)
assert gc.get_threshold() == usual
print(gc.get_freeze_count())
"""


@pytest.mark.parametrize("who", ["command", "library"])
def test_only_a_command_loads_without_looking_for_garbage(who: str) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT, who], capture_output=True, text=True, check=True)
    assert (int(done.stdout) > 0) == (who == "command")
