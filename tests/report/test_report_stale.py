"""Answers of an older generation show themselves: they are left out of means, and the table says so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from risen import risen_since
from stillproof.core.errors import BadInput
from stillproof.report.run_report import RunReport, report_of
from stillproof.report.runs import newest_run
from stillproof.report.stale import _older, stale_cells
from stillproof.session import Session


@pytest.fixture
def risen(tmp_path: Path) -> Iterator[None]:
    """A release in which the numbers of dm and of stage relabel may have changed."""
    with risen_since(tmp_path, distillers_dm="distill/dm.py", stages_relabel="run/stages/relabel.py"):
        yield


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with Session(str(tmp_path_factory.mktemp("store") / "stillproof.db")) as found:
        asked = {"dataset": ("digits",), "scale": "smoke", "methods": ("random", "dm"), "ipc": (1,), "full_recipe": ""}
        found.run_suite("accuracy", asked)
        yield found


def report(session: Session) -> RunReport:
    return report_of(session.store, newest_run(session.store, "accuracy"))


def test_nothing_is_stale_while_no_generation_rises(session: Session) -> None:
    (table,) = report(session).tables()
    assert all(row["accuracy"] is not None for row in table.rows) and "Left out" not in "".join(table.notes)
    assert all("stale" not in row for row in report(session).as_dict()["rows"])


@pytest.mark.usefixtures("risen")
def test_answers_that_stand_on_older_numbers_are_left_out_and_told(session: Session) -> None:
    found = report(session)
    (table,) = found.tables()
    accuracies = {row["method"]: row["accuracy"] for row in table.rows}
    assert accuracies["random"] is not None and accuracies["dm"] is None
    (note,) = (note for note in table.notes if note.startswith("Left out"))
    assert note.startswith("Left out: 2 answers are of an earlier version") and "(distiller dm)" in note
    assert not any("not computed yet" in note for note in table.notes)
    stale = {row["method"]: row.get("stale") for row in found.as_dict()["rows"]}
    assert stale == {"random": None, "dm": 2}
    assert found.figures(), "what is left is drawn"


@pytest.mark.usefixtures("risen")
def test_what_merely_shares_a_store_with_older_answers_is_not_stale(session: Session) -> None:
    cells = report(session).run.cells
    older = stale_cells(session.store, cells)
    assert 0 < len(older) < len(cells) and set(older.values()) == {"distiller dm"}
    assert stale_cells(session.store, ["0" * 64]) == {}


@pytest.mark.usefixtures("risen")
def test_comparisons_and_classes_leave_older_answers_out_too(session: Session) -> None:
    by_class = session.by_class("accuracy")
    assert {row.keys["method"] for row in by_class.rows} == {"random"}
    assert any(note.startswith("Left out: 2 answers") for note in by_class.tables()[0].notes)
    with pytest.raises(BadInput, match=r"no finished trainings of random and dm to compare \(2 are of an earlier"):
        session.compare(["random", "dm"], run="accuracy")


def identity(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "version": 1, "params": {}, **more}


@pytest.mark.parametrize(
    ("spec", "older"),
    [
        ({"stage": "distill", "version": 1, "method": identity("dm")}, ["distiller dm"]),
        ({"stage": "distill", "version": 1, "method": identity("dm", generations={"distill/dm.py": 2})}, []),
        ({"stage": "distill", "version": 0, "method": identity("random")}, ["stage distill"]),
        ({"stage": "train", "version": 1, "recipe": {"augment": identity("dm")}}, []),  # there is no such augmentation
        ({"stage": "distill", "version": 1, "method": identity("dm", own="abc")}, []),  # a plug-in of that name
        ({"stage": "relabel", "version": 1}, ["stage relabel"]),
        ({"stage": "unheard-of"}, []),
    ],
)
@pytest.mark.usefixtures("risen")
def test_what_makes_a_question_older(spec: dict[str, Any], older: list[str]) -> None:
    assert list(_older(spec)) == older
