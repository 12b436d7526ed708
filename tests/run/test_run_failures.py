from __future__ import annotations

from pathlib import Path

from commands import TINY, Commands, query

PLUGIN = '''
import os, signal
from dataclasses import dataclass
from pathlib import Path
from stillproof import distillers
from stillproof.distill.random import RandomImages

def other():
    raise RuntimeError("it went off")

@distillers.register("moody", version=1)
@dataclass(frozen=True)
class Moody(RandomImages):
    """Works once a file called calm is there."""

    def distill(self, data, ipc, ctx):
        if not Path("calm").exists():
            if ctx.card.seed == 1:
                other()
            if ctx.card.seed == 2:
                raise SystemExit("and out")
        return super().distill(data, ipc, ctx)

@distillers.register("deadly", version=1)
@dataclass(frozen=True)
class Deadly(RandomImages):
    """Kills its process unless a file called calm is there."""

    def distill(self, data, ipc, ctx):
        if not Path("calm").exists():
            os.kill(os.getpid(), signal.SIGKILL)
        return super().distill(data, ipc, ctx)
'''

COMMON = ["--dataset", "digits", "--scale", "smoke", "--plugin", "moods.py", "--store", "f.db", *TINY]


def test_a_failing_cell_is_recorded_the_others_go_on_and_the_same_command_tries_again(
    tmp_path: Path, stillproof: Commands
) -> None:
    (tmp_path / "moods.py").write_text(PLUGIN)
    command = ["run", "accuracy", "--methods", "moody,random", "--seeds", "3", *COMMON]
    failed = stillproof(*command, "--json", cwd=tmp_path)
    assert failed.code == 1
    *_, first, where, at, second, place, last = failed.err.splitlines()
    assert first == "3 cells: moody digits ipc 1 seed 1: RuntimeError('it went off') at moods.py, line 9, in other"
    assert where == "    moods.py, line 19, in distill: other()"
    assert at == '    moods.py, line 9, in other: raise RuntimeError("it went off")'
    assert second == "3 cells: moody digits ipc 1 seed 2: SystemExit('and out') at moods.py, line 21, in distill"
    assert place == '    raise SystemExit("and out")'
    assert last == "stillproof: 6 of 24 cells failed; `stillproof status --failed` says why."
    rows = {
        row["method"]: row
        for row in stillproof("table", "accuracy", "--json", "--store", "f.db", cwd=tmp_path).json()["rows"]
    }
    assert rows["random"]["accuracy"]["n"] == rows["full"]["accuracy"]["n"] == 3
    assert (rows["moody"]["missing"], rows["moody"]["accuracy"]["n"]) == (2, 1)
    assert any("it went off" in note for note in rows["moody"]["notes"])
    status = stillproof("status", "--json", "--store", "f.db", cwd=tmp_path).json()
    assert {entry["stage"] for entry in status["failed"]} == {"distill", "train", "select"}
    causes = [entry["error"] for entry in status["failed"] if entry["stage"] == "distill"]
    assert sorted(cause.splitlines()[0] for cause in causes) == ["RuntimeError('it went off')", "SystemExit('and out')"]
    assert "in other" in "".join(causes), "the whole trace is kept"
    assert "it went off" in stillproof("status", "--store", "f.db", cwd=tmp_path).out
    told = stillproof("status", "--failed", "--store", "f.db", cwd=tmp_path).out.splitlines()
    assert sorted(told) == sorted((first, where, at, second, place))
    assert stillproof(*command, cwd=tmp_path).code == 1
    (tmp_path / "calm").touch()
    assert stillproof(*command, cwd=tmp_path).code == 0
    assert query(tmp_path / "f.db", "SELECT DISTINCT status, error FROM cells") == [("done", None)]
    assert "nothing failed" in stillproof("status", "--failed", "--store", "f.db", cwd=tmp_path).err


def test_a_row_without_any_answer_is_a_dash_with_its_reason(tmp_path: Path, stillproof: Commands) -> None:
    (tmp_path / "moods.py").write_text(PLUGIN.replace("seed == 1", "seed >= 0"))
    done = stillproof("run", "accuracy", "--methods", "moody", "--seeds", "2", *COMMON, cwd=tmp_path)
    assert done.code == 1
    header, line = (next(line for line in done.out.splitlines() if word in line) for word in ("accuracy %", "moody"))
    assert header.split()[2:] == ["accuracy", "%", "missing", "n"]
    assert line.split()[2:] == ["-", "2", "0"]
    why = "ended as failed: RuntimeError('it went off')"
    assert f"Missing: not computed: moody digits ipc 1 seed 0 and 1 more {why}" in done.out


def test_a_cell_that_kills_its_workers_is_given_up_and_the_others_finish(tmp_path: Path, stillproof: Commands) -> None:
    (tmp_path / "moods.py").write_text(PLUGIN)
    command = ["run", "accuracy", "--methods", "deadly,random", "--seeds", "1", *COMMON]
    done = stillproof(*command, "--workers", "2", "--json", cwd=tmp_path)
    assert done.code == 1, done.err
    assert done.err.count("a worker died (exit code -9)") == 3
    assert query(tmp_path / "f.db", "SELECT error FROM cells WHERE stage = 'distill' AND status = 'failed'") == [
        ("given up after 3 workers died while computing it",)
    ]
    assert query(tmp_path / "f.db", "SELECT COUNT(*) FROM cells WHERE status = 'done'") == [(5,)]
    (tmp_path / "calm").touch()
    assert stillproof(*command, cwd=tmp_path).code == 0
