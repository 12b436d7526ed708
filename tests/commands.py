"""Runs the ``stillproof`` command for tests, and looks into its store from outside."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SCRIPT = Path(sys.executable).with_name("stillproof")
# One thread everywhere, so that a run in one process and one in a pool give the same bits.
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "COLUMNS": "200", "TERM": "dumb"}
TINY = ["--network", "convnet-1:width=4"]
# Put before a script, which then kills itself as soon as a checkpoint of that name is in its place.
KILLED_AT = """
import os, signal, sys
saved = []
def kill_once_it_is_saved(event, arguments):
    if saved and event != "os.kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if event == "os.rename" and {name!r} in str(arguments[1]):
        saved.append(arguments[1])
sys.addaudithook(kill_once_it_is_saved)
"""


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)

    def sentence(self) -> str:
        """The last line of standard error, which must be the only one that complains."""
        assert "Traceback" not in self.err, self.err
        assert self.out == ""
        return self.err.splitlines()[-1]


@dataclass(frozen=True)
class Started:
    """A command that runs, as the leader of its own process group."""

    pid: int
    out: Path
    err: Path


class Commands:
    """Runs commands, each in a process of its own that has torch loaded already."""

    def __init__(self, folder: Path, env: Mapping[str, str] | None = None) -> None:
        self._folder, self._count = folder, 0
        self._server = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("fork_server.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **ENVIRONMENT, **(env or {})},
        )

    def __call__(self, *argv: str, cwd: Path) -> Done:
        return self.finish(self.start(*argv, cwd=cwd))

    def python(self, script: str, *argv: str, cwd: Path) -> Done:
        return self.finish(self.start("script", *argv, cwd=cwd, script=script))

    def killed(self, script: str, checkpoint: str, *argv: str, cwd: Path) -> None:
        """Run a script until SIGKILL ends it, just after it has saved the checkpoint of this name."""
        done = self.python(KILLED_AT.format(name=checkpoint) + script, *argv, cwd=cwd)
        assert done.code == -signal.SIGKILL, done

    def start(
        self,
        *argv: str,
        cwd: Path,
        script: str | None = None,
        background: bool = False,
        env: Mapping[str, str] | None = None,
    ) -> Started:
        """Start a command: as a terminal does, or as a shell's ``&`` does, which has Ctrl-C ignored."""
        self._count += 1
        out, err = self._folder / f"out-{self._count}", self._folder / f"err-{self._count}"
        request: dict[str, Any] = {"argv": argv, "cwd": str(cwd), "out": str(out), "err": str(err), "script": script}
        request |= {"background": background}
        return Started(self._ask(request | {"env": {"STILLPROOF_DATA": str(cwd), **(env or {})}}), out, err)

    def finish(self, started: Started) -> Done:
        code = self._ask({"wait": started.pid})
        return Done(code, started.out.read_text(encoding="utf-8"), started.err.read_text(encoding="utf-8"))

    def _ask(self, request: dict[str, Any]) -> int:
        assert self._server.stdin is not None and self._server.stdout is not None
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        return int(self._server.stdout.readline())

    def close(self) -> None:
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait(timeout=60)


def run(*argv: str, cwd: Path, env: Mapping[str, str] | None = None) -> Done:
    """Run the installed command in a fresh process."""
    environment = {**os.environ, **ENVIRONMENT, "STILLPROOF_DATA": str(cwd), **(env or {})}
    done = subprocess.run([str(SCRIPT), *argv], cwd=cwd, env=environment, capture_output=True, text=True, timeout=120)
    return Done(done.returncode, done.stdout, done.stderr)


def query(store: Path, sql: str) -> list[tuple[Any, ...]]:
    """Ask the database of a store, which need not be there yet."""
    if not store.exists():
        return []
    with closing(sqlite3.connect(store, timeout=30)) as connection:
        try:
            return connection.execute(sql).fetchall()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return []
            raise


def finished(store: Path) -> dict[str, float]:
    """When each cell that has an answer got it."""
    return dict(query(store, "SELECT id, finished FROM cells WHERE status = 'done'"))


def wait_until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


def descendants(pid: int) -> set[int]:
    """The living processes below ``pid``, from /proc."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            except OSError:
                continue
            if state not in "ZX":
                parents[int(folder.name)] = int(parent)
    found: set[int] = set()
    fresh = {pid}
    while fresh:
        fresh = {child for child, parent in parents.items() if parent in fresh} - found
        found |= fresh
    return found


def is_alive(pid: int) -> bool:
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
