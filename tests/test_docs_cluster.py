from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from commands import ENVIRONMENT, SCRIPT, Commands, finished

PAGE = (Path(__file__).parents[1] / "docs" / "cluster.md").read_text(encoding="utf-8")
SHARDS = PAGE.partition("## Without a database: shards")[2].partition("\n## ")[0]


def block(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", SHARDS, re.DOTALL)
    return str(found)


def test_the_commands_on_shards_work_and_the_last_one_prints_the_table(tmp_path: Path, stillproof: Commands) -> None:
    lines = [shlex.split(line) for line in block("sh").splitlines() if line]
    for _, *words in lines:
        done = stillproof(*words, cwd=tmp_path)
        assert done.code == 0, (words, done.err)
    parts = [set(finished(tmp_path / f"{name}.db")) for name in ("shared", "shard-1", "shard-2")]
    assert parts[0] and parts[1] & parts[2] == parts[0]
    assert set.union(*parts) == set(finished(tmp_path / "all.db"))
    plain = stillproof(*lines[-1][1:-1], "plain.db", cwd=tmp_path)
    assert plain.code == 0
    assert [line for line in done.out.splitlines() if "Merged" not in line] == plain.out.splitlines()


@pytest.mark.slow
def test_the_script_of_a_job_goes_on_from_what_was_kept(tmp_path: Path, stillproof: Commands) -> None:
    first = shlex.split(block("sh").splitlines()[0])[1:]
    assert stillproof(*first, cwd=tmp_path).code == 0
    known: list[dict[str, float]] = []
    for job in ("one", "two"):
        disk = tmp_path / job
        disk.mkdir()
        about = {"SLURM_SUBMIT_DIR": str(tmp_path), "SLURM_ARRAY_TASK_ID": "1", "TMPDIR": str(disk)}
        path = {"PATH": f"{SCRIPT.parent}:{os.environ['PATH']}", "STILLPROOF_DATA": str(tmp_path)}
        environment = {**os.environ, **ENVIRONMENT, **about, **path}
        done = subprocess.run(
            ["bash", "-e", "-c", block("bash")], env=environment, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        known.append(finished(tmp_path / "shards" / "1" / "shard.db"))
        assert "that other shards need" not in done.stderr
    assert known[0] and known[0] == known[1]
