from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fits import assert_fit
from stillproof.report.drawing.save import save_figure
from stillproof.report.run_report import report_of
from stillproof.report.runs import newest_run
from stillproof.report.tables.text import shown
from stillproof.session import Session
from stillproof.suites.dc_bench.suite import DCBench
from svg_parts import assert_fit_inline

OPTIONS = {
    "scale": "smoke",
    "network": ["convnet:depth=1:width=4", "mlp"],
    "large_network": "lenet",
    "seeds": 2,
    "architectures": 2,
    "truth_ipc": 2,
    "init_methods": ["dm:steps=2"],
    "augmentations": ["none", "dsa", "rand-augment"],
}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    opened = Session(str(tmp_path_factory.mktemp("dc-bench") / "results.db"))
    status = opened.run_suite("dc-bench", OPTIONS)
    assert set(status.values()) == {"done"}
    yield opened
    opened.close()


def test_every_section_has_its_table_without_a_gap(session: Session) -> None:
    tables = {table.name: table for table in session.tables("dc-bench")}
    assert {section.name for section in DCBench.reports} <= set(tables)
    for table in tables.values():
        assert table.rows and "missing" not in shown(table).header, table.name


def test_tables_fit_every_terminal(session: Session) -> None:
    assert_fit(session.tables("dc-bench"))


def test_figures_are_drawn(session: Session, tmp_path: Path) -> None:
    figures = report_of(session.store, newest_run(session.store, "dc-bench")).figures()
    drawn = {name.removeprefix("dc-bench-") for name in figures}
    assert drawn == {"augmentation", "compression", "transfer", "search", "initialisation", "distribution"}
    for name, figure in figures.items():
        save_figure(figure, tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").is_file()
    assert_fit_inline(figures)


def test_asking_again_computes_nothing(session: Session) -> None:
    planner, _, _ = session.plan_suite("dc-bench", OPTIONS)
    assert session.estimate(planner).by_stage == {}


def test_a_suite_that_asks_the_same_finds_it_answered(session: Session) -> None:
    planner, _, _ = session.plan_suite(
        "accuracy", {"scale": "smoke", "network": ["convnet:depth=1:width=4"], "methods": ["random", "dm"]}
    )
    assert session.estimate(planner).by_stage == {}


def test_sets_on_the_way_are_other_sets(session: Session) -> None:
    run = newest_run(session.store, "dc-bench")
    rows = [row for row in run.rows if row["section"] == "initialisation" and row["init"] == "noise"]
    trained = [session.store.results.get_many(row["cells"][:1]) for row in rows]
    upstream = []
    for found in trained:
        (record,) = found.values()
        made = session.store.results.get(record.spec["train"])
        assert made is not None
        upstream.append(made.spec["upstream"]["cell"])
    on_the_way = session.store.results.get(upstream[0])
    assert on_the_way is not None and (on_the_way.stage, on_the_way.spec["step"]) == ("snapshot", 1)
    assert on_the_way.spec["of"] == upstream[1]
