from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import Mock

import pytest

from stillproof.core.components import stages
from stillproof.core.plugins import Plugin
from stillproof.core.spec import digest
from stillproof.run.cell import Cell
from stillproof.run.enter import enter
from stillproof.run.executor import Work
from stillproof.run.executors.here import ThisProcess
from stillproof.run.executors.pool import ProcessPool
from stillproof.run.plan import Planner
from stillproof.run.stage import Answer, Job, Options, Stage
from stillproof.session import Session
from stillproof.store.store import Store, open_store
from stillproof.suites.requests import Request, distilled, real_images

PLUGIN = '''
import time
from dataclasses import dataclass
from pathlib import Path
from stillproof import distillers
from stillproof.distill.random import RandomImages

@distillers.register("diary", version=1)
@dataclass(frozen=True)
class Diary(RandomImages):
    """Writes down when it ran."""

    who: str = ""

    def distill(self, data, ipc, ctx):
        began = time.monotonic()
        time.sleep(0.15)
        Path(FOLDER, self.who).write_text(f"{began} {time.monotonic()}")
        if self.who == "fails":
            raise RuntimeError("it went off")
        return super().distill(data, ipc, ctx)
'''


def test_no_cell_runs_beside_one_that_is_alone_and_a_failed_neighbour_does_not_stop_it(tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    diary.mkdir()
    plugin = Plugin("diary.py", PLUGIN.replace("FOLDER", repr(str(diary))))
    session = Session(f"sqlite:///{tmp_path / 's.db'}", workers=2, plugins=[plugin])
    planner = Planner(session.root)

    def wanted(who: str) -> Request:
        return distilled(real_images("digits"), f"diary:who={who}", 1, 0)

    for who in ("timed-1", "timed-2"):
        planner.ask("cost", of=wanted(who), steps=1)
    for who in ("fails", "made-1", "made-2", "made-3", "made-4"):
        planner.plan(wanted(who))
    with session.store as store:
        session.execute(planner, must_succeed=False)
        assert store.results.counts() == {"cost": {"done": 2}, "distill": {"done": 4, "failed": 1}}
    times = {file.name: tuple(map(float, file.read_text().split())) for file in diary.iterdir()}
    assert len(times) == 7
    last = max(end for who, (_, end) in times.items() if not who.startswith("timed"))
    first, second = sorted(times[who] for who in times if who.startswith("timed"))
    assert last < first[0] and first[1] < second[0]


ORDER: list[str] = []


@dataclass(frozen=True)
class Noted(Stage):
    @staticmethod
    def compute(job: Job) -> Answer:
        ORDER.append(job.spec["name"])
        if job.spec["name"] == "stops":
            signal.raise_signal(signal.SIGTERM)
        if job.spec["name"] == "fails":
            raise ValueError("no")
        return Answer({"fine": True})


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    ORDER.clear()
    stages.register("test", version=1)(Noted)
    with open_store(str(tmp_path / "s.db")) as opened:
        yield opened
    stages.remove(__name__)


def a_cell(name: str, *needs: Cell, alone: bool = False) -> Cell:
    spec = {"name": name}
    return Cell(digest(spec), "test", spec, {"flops": 0.0}, tuple(n.id for n in needs), 0.0, name, alone=alone)


def work(store: Store, *cells: Cell, workers: int = 1) -> list[dict[str, str]]:
    names = {cell.id: cell.label for cell in cells}
    seen: list[dict[str, str]] = []
    plan = enter(store, cells)
    options = Options(store.url, Path(), "cpu")

    def on_change(status: dict[str, str], *_: object) -> None:
        seen.append({names[cell]: state for cell, state in status.items()})

    executor = ProcessPool(workers) if workers > 1 else ThisProcess()
    executor.execute(Work(store, plan, cells, options, [], on_change))
    return seen


def test_cells_that_are_alone_come_last_in_one_process_too_with_those_that_need_them(store: Store) -> None:
    base = a_cell("base")
    timed = a_cell("timed", base, alone=True)
    derived = a_cell("derived", timed)
    seen = work(store, timed, derived, base, a_cell("other", base))
    assert ORDER == ["base", "other", "timed", "derived"]
    assert seen[-1] == dict.fromkeys(("timed", "derived", "base", "other"), "done"), "what is shown at the end is all"


def test_a_cell_alone_whose_need_failed_ends_as_it_did_and_the_next_one_runs(store: Store) -> None:
    bad = a_cell("fails")
    doomed, fine = a_cell("doomed", bad, alone=True), a_cell("fine", alone=True)
    assert work(store, bad, doomed, fine)[-1] == {"fails": "failed", "doomed": "failed", "fine": "done"}
    assert ORDER == ["fails", "fine"]
    record = store.results.get(doomed.id)
    assert record is not None and record.error == "not computed: fails ended as failed: ValueError('no')"


def test_stopped_while_alone_gives_the_claim_back(store: Store) -> None:
    cells = [a_cell("before"), a_cell("stops", alone=True), a_cell("after", alone=True)]
    with pytest.raises(KeyboardInterrupt):
        work(store, *cells)
    records = store.results.get_many([cell.id for cell in cells])
    assert [(records[c.id].status, records[c.id].owner) for c in cells[1:]] == [("pending", None)] * 2
    assert records[cells[0].id].status == "done"


def test_processes_are_started_only_for_what_can_share_them(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    started = Mock()
    monkeypatch.setattr(ProcessPool, "_share", started)
    base = a_cell("base")
    plan = enter(store, [base])
    ThisProcess().execute(Work(store, plan, [base], Options(store.url, Path(), "cpu"), [], lambda *_: None))
    work(store, base, a_cell("timed", base, alone=True), workers=2)
    assert ORDER == ["base", "timed"] and not started.called
