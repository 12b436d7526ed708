"""Suite mad on digits, from the first training to the last table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from fits import assert_fit
from fresh_python import run_python
from stillproof.attack_set_question import asked_by_mad
from stillproof.core.errors import BadInput
from stillproof.report.answers import Answered, answered_rows
from stillproof.report.drawing.draw import draw
from stillproof.report.figures.captions import caption
from stillproof.report.figures.values import Bars, Curves
from stillproof.report.run_report import report_of
from stillproof.report.runs import newest_run
from stillproof.report.tables.table import Difference, Mean, Table
from stillproof.score.stats import Summary
from stillproof.session import Session
from stillproof.suites.mad.defence_scores import scored
from stillproof.suites.mad.suite import Mad
from svg_parts import assert_fit_inline

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


def test_tables_fit_every_terminal(session: Session) -> None:
    assert_fit(session.tables("mad"))


def test_figures_can_be_drawn(session: Session) -> None:
    figures = report_of(session.store, newest_run(session.store, "mad")).figures()
    assert set(figures) == {"mad-steps", "mad-ablation-steps", "mad-each-attack", "mad-offline"}
    parts = figures["mad-ablation-steps"]
    assert isinstance(parts, Curves) and [*parts.methods()] == ["as it is", "order=first", "ways=1"]
    for figure in figures.values():
        assert isinstance(figure, Bars | Curves)
        assert draw(figure).axes
        assert ("episodes of one seed" if figure.title == "EDSR by attack" else "One ") in caption(figure)
    assert_fit_inline(figures)


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


def test_dsr_leaves_out_what_was_lost_on_clean_images(session: Session, rows: list[Answered]) -> None:
    asked = [row for row in rows if row["section"] == "defences" and row["measure"] == "adapt"]
    under = {row["defence"]: row.results[0] for row in asked if row["attack"] == "mad/27"}
    one, victim = under["r-fast"], under["none"]
    assert one is not None and victim is not None
    before, after = np.mean(victim["ra"]), np.mean(one["ra_after"])
    told = line(session, "edsr", defence="r-fast")["dsr_unknown"]
    assert isinstance(told, Summary) and told.mean == pytest.approx((after - before) / (victim["sa"] - before))


def test_a_network_of_a_distilled_set_is_compared_with_that_of_all_images(session: Session) -> None:
    distilled = table(session, "distilled").rows
    real = next(row for row in distilled if row["ipc"] is None and row["defence"] == "none")
    other = next(row for row in distilled if row["ipc"] == 1 and row["defence"] == "none")
    assert real["beyond"] is None
    gains = [row["gain"].summary.mean for row in (other, real)]  # type: ignore[union-attr]
    beyond = other["beyond"]
    assert isinstance(beyond, Difference) and beyond.summary.mean == pytest.approx(gains[0] - gains[1])


def test_parts_are_attacked_as_those_of_table_5(rows: list[Answered]) -> None:
    strong = [row for row in rows if row["section"] == "ablations" and row["measure"] in ("aa", "aa-after")]
    assert [(row["part"] or row["variant"], row["measure"]) for row in strong] == [("", "aa")]


def test_the_network_before_its_shots_is_that_of_the_offline_table(session: Session) -> None:
    told = line(session, "offline", attack="mad/13")["ra_r-fast"]
    each = line(session, "each-attack", attack="mad/13", defence="r-fast")
    assert isinstance(told, Mean) and told == each["ra"]


def test_all_defences_are_measured_on_the_same_images(rows: list[Answered]) -> None:
    for one in scored([row for row in rows if row["section"] == "defences"]):
        counts = {(answer["n"], answer["n_clean"]) for row in one.rows() for answer in row.results if answer}
        assert len(counts) == 1
        assert one.edsr(one.attacks("all"), alpha=0.0) is not None


@pytest.mark.parametrize(
    ("meta", "message"),
    [
        ("meta-at:ways=3", "ways = 3 is not allowed: there are 2 attacks to learn from"),
        ("meta-at:ways=2:shots=9:queries=1", "asks for 9 . 1 images of every class, and the sets have 3 to learn from"),
        (
            "meta-at:ways=2:shots=2:queries=1:batch_norm=adapted",
            "batch_norm = adapted is not .*: the network has no",
        ),
    ],
)
def test_what_cannot_be_drawn_or_adapted_is_refused_before_anything_runs(
    session: Session, meta: str, message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        session.plan_suite("mad", {**OPTIONS, "meta": meta})


@pytest.mark.parametrize("section", ["attacks", "defences"])
@pytest.mark.parametrize("attacks", [("fgsm", "fgsm:eps=8/255"), ("mad/13", "fgsm:eps=60/255")])
def test_one_attack_in_two_wordings_is_refused(session: Session, attacks: tuple[str, str], section: str) -> None:
    """It would count twice in means, and as known and unknown at once."""
    options = {**OPTIONS, "sections": [section], "attacks": [*dict.fromkeys((*attacks, "mad/13", "mad/18", "mad/16"))]}
    with pytest.raises(BadInput, match=f"{attacks[0]} and {attacks[1]} are the same attack in two wordings: name it"):
        session.plan_suite("mad", options)
    with pytest.raises(BadInput, match="are the same attack in two wordings"):
        session.build_attack_set(asked_by_mad("mad-smoke").but(attacks=attacks))


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
