"""A storm over one store: runs on it are killed, stopped beyond their lease, given wrong clocks and no space.

``python storm.py FOLDER EVENTS SEEDS`` prints what happened as JSON. FOLDER is a small file system of its own if the
script may mount one; otherwise the disk is never full.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from commands import TINY, Commands, Started, descendants, is_alive
from stillproof.store.owner import life_of
from stillproof.store.store import open_store

FAKETIME = next(iter(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1")), None)
SUITE = ["run", "accuracy", "--dataset", "digits", "--scale", "smoke", "--methods", "random,patient", *TINY]
PER_SEED = 8  # cells
PATIENT = """
import time
from dataclasses import dataclass
from stillproof import distillers
from stillproof.distill.random import RandomImages

@distillers.register("patient", version=1)
@dataclass(frozen=True)
class Patient(RandomImages):
    \"\"\"Takes seconds, and little of the processor.\"\"\"

    def distill(self, data, ipc, ctx):
        found = super().distill(data, ipc, ctx)
        for step in ctx.loop(30, images=found.images):
            found.images.add_(0.001)
            time.sleep(0.1)
        return found
"""
LEASE = 1.0  # seconds
JUMPS = (3600, 30 * 86400, -60)  # seconds
WORKERS = (2, 1, 1)  # of each run
KINDS = {"kill a worker": 5, "kill a run": 2, "stop": 5, "clock": 4, "full disk": 2}
WATCH = """
CREATE TABLE storm (kind TEXT, cell TEXT, before TEXT, after TEXT);
CREATE TRIGGER taken AFTER UPDATE OF owner ON cells
  WHEN OLD.status = 'running' AND NEW.status = 'running' AND OLD.owner <> NEW.owner
  BEGIN INSERT INTO storm VALUES ('taken', NEW.id, OLD.owner, NEW.owner); END;
CREATE TRIGGER answered AFTER UPDATE OF status ON cells WHEN NEW.status = 'done'
  BEGIN INSERT INTO storm VALUES ('answered', NEW.id, OLD.status, NEW.owner); END;
CREATE TRIGGER overwritten AFTER UPDATE OF result ON cells WHEN OLD.status = 'done'
  BEGIN INSERT INTO storm VALUES ('overwritten', NEW.id, OLD.owner, NEW.owner); END;
"""


@dataclass
class Machine:
    """A place that runs are started from, with a clock of its own."""

    commands: Commands
    clock: Path
    workers: int
    ahead: int = 0  # seconds
    started: Started | None = None


@dataclass
class Storm:
    """What is done to the runs, and what came of it."""

    folder: Path
    seeds: int
    small: bool  # whether the folder is a file system of its own
    draw: random.Random = field(default_factory=lambda: random.Random(0))
    happened: Counter[str] = field(default_factory=Counter)
    computing: Counter[str] = field(default_factory=Counter)
    codes: Counter[int] = field(default_factory=Counter)
    robbed: list[str] = field(default_factory=list)
    seen: int = 0

    def __post_init__(self) -> None:
        """Make the store, with what notes down who takes a cell and who answers it."""
        self.store = self.folder / "s.db"
        open_store(str(self.store)).close()
        with closing(sqlite3.connect(self.store)) as connection:
            connection.executescript(WATCH)
        (self.folder.parent / "patient.py").write_text(PATIENT)
        self.suite = [*SUITE, "--seeds", str(self.seeds), "--plugin", str(self.folder.parent / "patient.py")]
        self.machines = [self._machine(number, workers) for number, workers in enumerate(WORKERS)]

    def _machine(self, number: int, workers: int) -> Machine:
        place = self.folder.parent / f"machine-{number}"
        place.mkdir()
        clock = place / "clock"
        clock.write_text("+0")
        environment = {"STILLPROOF_LEASE": f"{LEASE:.0f}s"}
        if FAKETIME and number:
            # The monotonic clock jumps too, which is harsher than life: where it is spared, no sleep works.
            environment |= {"LD_PRELOAD": str(FAKETIME), "FAKETIME_TIMESTAMP_FILE": str(clock)}
            environment |= {"FAKETIME_NO_CACHE": "1"}
        commands = Commands(place, environment)
        assert commands.python("pass", cwd=place).code == 0  # it is up; else the others would do all the work meanwhile
        return Machine(commands, clock, workers)

    def keep_running(self) -> None:
        """Start again what has ended."""
        for machine in self.machines:
            if machine.started is not None and not is_alive(machine.started.pid):
                self._end(machine)
            if machine.started is None:
                argv = [*self.suite, "--workers", str(machine.workers), "--store", str(self.store)]
                machine.started = machine.commands.start(*argv, cwd=machine.clock.parent)

    def _end(self, machine: Machine) -> None:
        assert machine.started is not None
        done = machine.commands.finish(machine.started)
        self.codes[done.code] += 1
        assert done.code == -signal.SIGKILL or "Traceback" not in done.err, done.err
        machine.started = None

    def holders(self) -> dict[int, str]:
        """Return the cells that living processes compute, by pid."""
        rows = self.ask("SELECT owner, id FROM cells WHERE status = 'running'")
        return {int(owner.split("/")[-2]): cell for owner, cell in rows if life_of(owner) == "alive"}

    def ask(self, sql: str) -> list[tuple[Any, ...]]:
        """Ask the database."""
        with closing(sqlite3.connect(self.store, timeout=60)) as connection:
            return connection.execute(sql).fetchall()

    def event(self) -> None:
        """Do one thing to one run, and note whether it was computing."""
        kinds = {kind: weight for kind, weight in KINDS.items() if self._may(kind)}
        (kind,) = self.draw.choices(list(kinds), list(kinds.values()))
        right = self.machines[1:] if kind == "clock" else self.machines  # the first machine's clock is always right
        machine = self.draw.choice([one for one in right if one.started is not None])
        assert machine.started is not None
        leader, busy = machine.started.pid, self.holders()
        processes = descendants(leader) | {leader}
        computing = bool(processes & busy.keys())
        if kind == "kill a worker":
            os.kill(self.draw.choice(sorted(processes & busy.keys()) or [leader]), signal.SIGKILL)
        elif kind == "kill a run":
            os.killpg(leader, signal.SIGKILL)
        elif kind == "stop":
            os.killpg(leader, signal.SIGSTOP)
            self.wait(self.draw.uniform(1.5, 2.5) * LEASE)
            os.killpg(leader, signal.SIGCONT)
        elif kind == "clock":
            machine.ahead += self.draw.choice(JUMPS)
            written = machine.clock.with_name("written")
            written.write_text(f"{machine.ahead:+d}")
            written.replace(machine.clock)
        else:
            self._fill_the_disk()
        self.happened[kind] += 1
        self.computing[kind] += computing

    def _may(self, kind: str) -> bool:
        return (kind != "full disk" or self.small) and (kind != "clock" or FAKETIME is not None)

    def _fill_the_disk(self) -> None:
        filler = self.folder / "filler"
        try:
            with filler.open("wb", buffering=0) as file:
                while True:
                    file.write(bytes(100_000))
        except OSError:
            self.wait(1.0)
        finally:
            filler.unlink()

    def wait(self, seconds: float) -> None:
        """Let time pass, and look at who takes cells from whom."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.look()
            time.sleep(0.02)

    def look(self) -> None:
        """Note who was robbed: whoever lives after another took its cell."""
        for row, cell, before in self.ask(
            f"SELECT rowid, cell, before FROM storm WHERE kind = 'taken' AND rowid > {self.seen}"
        ):
            self.seen = row
            if life_of(before) == "alive":
                self.robbed.append(cell)

    def left(self) -> int:
        """Return how many cells have no answer yet; before any is entered, all."""
        ((entered, done),) = self.ask("SELECT count(*), coalesce(sum(status = 'done'), 0) FROM cells")
        return max(int(entered), self.seeds * PER_SEED) - int(done)

    def rage(self, events: int) -> None:
        """Have so many things happen, then let the runs end."""
        while events:
            self.keep_running()
            self.wait(self.draw.uniform(0.05, 0.3))
            if self.left() and any(machine.started for machine in self.machines) and self.holders():
                try:
                    self.event()
                except ProcessLookupError:  # it ended by itself just then
                    continue
                events -= 1
                sys.stderr.write(f"{events} events to come, {self.left()} cells left\n")
            assert self.left(), f"the work was over with {events} events to come: give it more seeds"
        while self.left():
            self.keep_running()
            self.wait(0.2)
        for machine in self.machines:
            if machine.started is not None:
                self._end(machine)
        self.look()

    def report(self) -> dict[str, object]:
        """Return what happened."""
        answered = Counter(cell for (cell,) in self.ask("SELECT cell FROM storm WHERE kind = 'answered'"))
        states = dict(self.ask("SELECT status, count(*) FROM cells GROUP BY status"))
        return {
            "events": dict(self.happened),
            "victims_computing": dict(self.computing),
            "runs_ended_with": {str(code): count for code, count in sorted(self.codes.items())},
            "cells": states,
            "taken_from_the_dead": len(self.ask("SELECT * FROM storm WHERE kind = 'taken'")) - len(self.robbed),
            "robbed": self.robbed,
            "answered_twice": [cell for cell, times in answered.items() if times > 1],
            "overwritten": len(self.ask("SELECT * FROM storm WHERE kind = 'overwritten'")),
        }


def main() -> None:
    """Make the storm."""
    folder, events, seeds = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    folder.mkdir(exist_ok=True)
    mounted = ["mount", "-t", "tmpfs", "-o", "size=400m", "tmpfs", str(folder)]
    storm = Storm(folder, seeds, subprocess.run(mounted, capture_output=True).returncode == 0)
    began = time.monotonic()
    storm.rage(events)
    tables = {}
    for name, store in (("storm", storm.store), ("calm", folder / "calm.db")):
        machine = storm.machines[0]
        place = {"cwd": machine.clock.parent}
        run = machine.commands(*storm.suite, "--workers", "4", "--store", str(store), **place)
        assert run.code == 0, run.err
        done = machine.commands("table", "accuracy", "--format", "csv", "--store", str(store), **place)
        assert done.code == 0, done.err
        tables[name] = done.out
    for machine in storm.machines:
        machine.commands.close()
    same = {"same_table": tables["storm"] == tables["calm"] and bool(tables["calm"])}
    sys.stdout.write(json.dumps(storm.report() | same | {"seconds": round(time.monotonic() - began)}) + "\n")


if __name__ == "__main__":
    main()
