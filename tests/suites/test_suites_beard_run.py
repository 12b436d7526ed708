from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fits import assert_fit
from fresh_python import run_python
from stillproof.report.answers import Answered, answered_rows
from stillproof.report.drawing.draw import draw
from stillproof.report.figures.captions import caption
from stillproof.report.figures.values import Bars, Curves, Plane
from stillproof.report.run_report import report_of
from stillproof.report.runs import newest_run
from stillproof.session import Session
from stillproof.suites.beard.suite import Beard
from svg_parts import assert_fit_inline

OPTIONS = {
    "scale": "smoke",
    "methods": ["random", "k-center", "dm:steps=2"],
    "network": ["convnet:depth=1:width=4"],
    "full_recipe": "",
    "attacks": ["fgsm", "deepfool:steps=2"],
    "targeted_attacks": ["fgsm"],
    "limit": 20,
    "timed": 5,
}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with Session(str(tmp_path_factory.mktemp("beard") / "results.db")) as opened:
        status = opened.run_suite("beard", OPTIONS)
        assert set(status.values()) == {"done"}
        yield opened


@pytest.fixture(scope="module")
def rows(session: Session) -> list[Answered]:
    return answered_rows(session.store, newest_run(session.store, "beard"))


def test_every_section_has_its_table(session: Session) -> None:
    tables = {table.name for table in session.tables("beard")}
    assert {section.name for section in Beard.reports} <= tables
    assert {"attacks", "alpha", "leaderboard-digits-1", "threat-models-order"} <= tables


def test_tables_fit_every_terminal(session: Session) -> None:
    assert_fit(session.tables("beard"))


def test_every_section_but_alarms_has_figures_that_can_be_drawn(session: Session) -> None:
    figures = report_of(session.store, newest_run(session.store, "beard")).figures()
    assert {name.split("-")[1] for name in figures} >= {"curves", "trade", "convergence", "threat", "defences"}
    kinds = {}
    for name, figure in figures.items():
        assert isinstance(figure, Bars | Curves | Plane), name
        assert "20 test images; alarms on" in caption(figure), name
        kinds[type(figure)] = figure
    for kind, figure in kinds.items():
        assert draw(figure).axes, kind
    assert_fit_inline(figures)


def test_tables_and_figures_are_made_without_torch_and_without_a_drawing_library(session: Session) -> None:
    run_python(
        "import sys\n"
        "from stillproof.report.run_report import report_of\n"
        "from stillproof.report.runs import newest_run\n"
        "from stillproof.store.store import open_store\n"
        f"with open_store({session.store.url!r}) as store:\n"
        "    report = report_of(store, newest_run(store, 'beard'))\n"
        "    assert report.tables() and report.figures()\n"
        "assert not {'torch', 'matplotlib'} & sys.modules.keys()"
    )


def test_the_same_run_again_computes_nothing(session: Session) -> None:
    planner, _, _ = session.plan_suite("beard", OPTIONS)
    assert session.estimate(planner).cached == len(planner.cells)


def test_curves_fall_and_hold_what_single_attacks_found(rows: list[Answered]) -> None:
    for answer in (answer for row in rows if row["section"] == "curves" for answer in row.results):
        assert answer is not None
        falling = answer["accuracies"]
        assert falling[0] == answer["clean_accuracy"] and falling == sorted(falling, reverse=True)
        assert falling[-1] <= answer["area"] <= falling[0]
        for check in answer["checks"]:
            assert check["robust_accuracy"] <= check["curve"]
        assert answer["gap"] >= 0 and answer["checks"][-1]["robust_accuracy"] == falling[-1]


def test_the_worst_case_is_below_every_attack(rows: list[Answered]) -> None:
    scores = [row for row in rows if row["section"] == "scores" and row["measure"] != "time"]
    for worst in (row for row in scores if row["measure"] == "worst"):
        same = ("method", "ipc", "mode")
        beside = [row for row in scores if row["attack"] and all(row[key] == worst[key] for key in same)]
        assert beside
        for row in beside:
            for one, all_of_them in zip(row.values("robust_accuracy"), worst.values("robust_accuracy"), strict=True):
                assert one is not None and all_of_them is not None and all_of_them <= one


@pytest.mark.slow
def test_faithful_runs_too(tmp_path: Path) -> None:
    with Session(str(tmp_path / "s.db")) as opened:
        status = opened.run_suite("beard", OPTIONS | {"protocol": "faithful", "defences": ["trades", "mart"]})
        assert set(status.values()) == {"done"}
        assert {table.name for table in opened.tables("beard")} >= {"scores", "defences"}
