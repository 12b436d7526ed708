"""Suite mad on digits, from the first training to the last table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from fresh_python import run_python
from stillproof.core.errors import BadInput
from stillproof.report.answers import Answered, answered_rows
from stillproof.report.drawing.draw import draw
from stillproof.report.figures.captions import caption
from stillproof.report.figures.values import Bars, Curves
from stillproof.report.run_report import report_of
from stillproof.report.runs import newest_run
from stillproof.report.tables.table import Mean, Table
from stillproof.score.stats import Summary
from stillproof.session import Session
from stillproof.suites.mad.scored import scored
from stillproof.suites.mad.suite import Mad

OPTIONS = {
    "scale": "smoke",
    "network": "convnet-1:width=4",
    "recipe": "quick-real:epochs=5",
    "variants": ["order=first"],
}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with Session(str(tmp_path_factory.mktemp("mad") / "results.db")) as opened:
        status = opened.run_suite("mad", OPTIONS)
        assert set(status.values()) == {"done"}
        yield opened


@pytest.fixture(scope="module")
def rows(session: Session) -> list[Answered]:
    return answered_rows(session.store, newest_run(session.store, "mad"))


def table(session: Session, name: str) -> Table:
    return next(one for one in session.tables("mad") if one.name == name)


def line(session: Session, name: str, **about: str) -> dict[str, object]:
    return next(dict(row) for row in table(session, name).rows if about.items() <= row.items())


def test_every_section_has_its_tables(session: Session) -> None:
    tables = {one.name for one in session.tables("mad")}
    assert {section.name for section in Mad.reports} <= tables | {"each-attack"}
    assert {"adapted", "edsr", "offline"} <= tables
    assert all(row["missing"] == 0 for one in session.tables("mad") for row in one.rows if "missing" in row)


def test_figures_can_be_drawn(session: Session) -> None:
    figures = report_of(session.store, newest_run(session.store, "mad")).figures()
    assert set(figures) == {"mad-steps", "mad-each-attack", "mad-offline"}
    for figure in figures.values():
        assert isinstance(figure, Bars | Curves)
        assert draw(figure).axes
        assert ("episodes of one seed" if figure.title == "EDSR by attack" else "One ") in caption(figure)


def test_tables_are_made_without_torch_and_without_a_drawing_library(session: Session) -> None:
    run_python(
        "import sys\n"
        "from stillproof.report.run_report import report_of\n"
        "from stillproof.report.runs import newest_run\n"
        "from stillproof.store.store import open_store\n"
        f"with open_store({session.store.url!r}) as store:\n"
        "    report = report_of(store, newest_run(store, 'mad'))\n"
        "    assert report.tables() and report.figures()\n"
        "assert not {'torch', 'matplotlib'} & sys.modules.keys()"
    )


def test_the_same_run_again_computes_nothing(session: Session) -> None:
    planner, _, _ = session.plan_suite("mad", OPTIONS)
    assert session.estimate(planner).cached == len(planner.cells)


def test_scores_are_those_of_the_answers(session: Session, rows: list[Answered]) -> None:
    """EDSR by hand: of the means over episodes, for each attack, and then the mean over attacks."""
    asked = [row for row in rows if row["section"] == "defences" and row["measure"] == "adapt"]
    under = {(row["defence"], row["attack"]): row.results[0] for row in asked}
    found = []
    for attack in ("mad/13", "mad/18"):
        one, victim = under["r-fast", attack], under["none", attack]
        assert one is not None and victim is not None
        after, clean_after, before = np.mean(one["ra_after"]), np.mean(one["sa_after"]), np.mean(victim["ra"])
        found.append((after - before) / (victim["sa"] - before + victim["sa"] - clean_after))
    told = line(session, "edsr", defence="r-fast")["edsr_known"]
    assert isinstance(told, Summary) and told.over == "episodes"
    assert told.mean == pytest.approx(float(np.mean(found)), abs=0.02), "but for the jackknife's own bias"


def test_the_network_before_its_shots_is_that_of_the_offline_table(session: Session) -> None:
    told = line(session, "offline", attack="mad/13")["ra_r-fast"]
    each = line(session, "each-attack", attack="mad/13", defence="r-fast")
    assert isinstance(told, Mean) and told == each["ra"]


def test_all_defences_are_measured_on_the_same_images(rows: list[Answered]) -> None:
    for one in scored([row for row in rows if row["section"] == "defences"]):
        counts = {(answer["n"], answer["n_clean"]) for row in one.rows() for answer in row.results if answer}
        assert len(counts) == 1
        assert one.edsr(one.attacks("all"), alpha=0.0) is not None


def test_attacked_sets_that_were_built_before_are_named(tmp_path: Path) -> None:
    with Session(str(tmp_path / "s.db")) as session:
        built = session.attack_set_of("mad-smoke", name="mine")
        options = {**OPTIONS, "sections": ["each-attack"], "attacked_sets": ["mine"]}
        assert set(session.run_suite("mad", options).values()) == {"done"}
        found = answered_rows(session.store, newest_run(session.store, "mad"))
        used = {session.store.results.get(row.cells[0]).spec["attacked"]["artifact"] for row in found}  # type: ignore[union-attr]
        assert used == set(built.artifacts)
        with pytest.raises(BadInput, match="theirs"):
            session.plan_suite("mad", {**options, "attacked_sets": ["theirs"]})
