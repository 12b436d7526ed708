from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fits import assert_fit
from stillproof.report.answers import answered_rows
from stillproof.report.drawing.save import save_figure
from stillproof.report.run_report import report_of
from stillproof.report.runs import newest_run
from stillproof.session import Session
from stillproof.suites.dd_ranking.suite import DDRanking
from svg_parts import assert_fit_inline

TINY = "convnet:depth=1:width=4"
TEACHER = "convnet-1-bn:width=4"
OPTIONS = {
    "scale": "smoke",
    "methods": ["random", f"rded:teacher=({TEACHER})"],
    "network": [TINY, "mlp"],
    "teachers": [TEACHER, f"{TEACHER}:activation=sigmoid"],
}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with Session(str(tmp_path_factory.mktemp("dd-ranking") / "results.db")) as opened:
        status = opened.run_suite("dd-ranking", OPTIONS)
        assert set(status.values()) == {"done"}
        yield opened


def test_every_section_has_its_table(session: Session) -> None:
    tables = {table.name for table in session.tables("dd-ranking")}
    assert {section.name for section in DDRanking.reports} <= tables


def test_tables_fit_every_terminal(session: Session) -> None:
    assert_fit(session.tables("dd-ranking"))


def test_figures_are_drawn(session: Session, tmp_path: Path) -> None:
    figures = report_of(session.store, newest_run(session.store, "dd-ranking")).figures()
    names = {"labels", "labels-weights", "augmentation", "shares", "controls", "networks", "teachers"}
    assert {f"dd-ranking-{name}" for name in names} <= set(figures)
    for name, figure in figures.items():
        save_figure(figure, tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").is_file()
    assert_fit_inline(figures)


def test_the_same_run_again_computes_nothing(session: Session) -> None:
    planner, _, _ = session.plan_suite("dd-ranking", OPTIONS)
    assert not any(cell.open for cell in planner.cells.values())
    assert session.estimate(planner).cached == len(planner.cells)


def test_random_images_are_no_better_than_themselves(session: Session) -> None:
    rows = newest_run(session.store, "dd-ranking").rows
    alike = [row for row in rows if (row["section"], row["method"], row.get("labels")) == ("labels", "random", "own")]
    assert len(alike) == 2 and alike[0]["cells"] == alike[1]["cells"]


def test_random_images_in_the_usual_space_are_searched_once_for_all_methods(session: Session) -> None:
    some = OPTIONS | {"methods": ["random", "k-center"], "sections": ["labels", "rates"]}
    _, rows, _ = session.plan_suite("dd-ranking", some)
    searches = [tuple(row["cells"]) for row in rows if row["section"] == "rates"]
    assert len(set(searches)) < len(searches), "in other words, but the same cells"
    run = newest_run(session.store, "dd-ranking")
    answered = answered_rows(session.store, run)
    assert [row.cells for row in answered] == [tuple(row["cells"]) for row in run.rows], "by which its table knows them"


@pytest.mark.slow
def test_faithful_runs_too(tmp_path: Path) -> None:
    with Session(str(tmp_path / "s.db")) as opened:
        status = opened.run_suite("dd-ranking", OPTIONS | {"protocol": "faithful", "network": [TINY]})
        assert set(status.values()) == {"done"}
        assert opened.tables("dd-ranking")
