"""Cards from real runs: merged whichever run asked, and never over answers of different code."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from stillproof.core.errors import BadInput, UnknownName
from stillproof.report.runs import run_meant
from stillproof.score.stats import Summary
from stillproof.session import Session
from stillproof.suites.report_card.merging import ways_of

TINY = {
    "scale": "smoke",
    "network": ["convnet:depth=1:width=4"],
    "full_recipe": "none",
    "ipc": [1],
    "seeds": 2,
    "methods": ["random", "dm:steps=2"],
}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with Session(str(tmp_path_factory.mktemp("cards") / "results.db")) as opened:
        opened.run_suite("accuracy", TINY)
        opened.run_suite("accuracy", TINY | {"methods": ["herding", "random"], "seeds": 3})
        yield opened


def test_rows_of_all_runs_stand_together_with_all_of_their_seeds(session: Session) -> None:
    (way,) = ways_of(session.store)
    seeds = {str(row["method"]): len(row.results) for row in way.rows["accuracy"]}
    assert seeds == {"herding": 3, "random": 3, "dm:steps=2": 2} and way.others == 0 and len(way.runs) == 2
    ((card,),) = (session.card("dm:steps=2"),)
    (side,) = card.sides
    assert side.of == 3 and side.place is not None and side.over == "seeds and images"
    assert isinstance(side.measured.value, Summary) and side.measured.value.n == 2


def test_a_run_alone(session: Session) -> None:
    (card,) = session.card("random", run=1)
    assert card.sides[0].of == 2 and card.runs == {"accuracy": ["run 1"]}


def test_another_way_of_asking_is_another_table(session: Session) -> None:
    session.run_suite("accuracy", TINY | {"recipe": "quick:epochs=2", "methods": ["random"]})
    assert len(ways_of(session.store)) == 2
    (card,) = session.card("dm:steps=2")
    assert card.sides[0].of == 3  # the newer way has no such method


def test_equal_words_with_other_code_are_never_in_one_mean(session: Session) -> None:
    first, second = (run_meant(session.store, number) for number in (2, 1))
    rows = [dict(row, cells=first.rows[0]["cells"][::-1]) for row in second.rows]
    (way,) = ways_of(session.store, [first, dataclasses.replace(second, rows=rows)])
    assert way.others == 1 and [len(row.results) for row in way.rows["accuracy"]] == [3, 3, 3]


def test_a_set_has_the_card_of_what_made_it(session: Session) -> None:
    made = session.distill("digits", "dm:steps=2", 1, scale="smoke", network="convnet:depth=1:width=4", seed=0)
    assert made.cached
    (card,) = session.card(made)
    assert card.method == "dm:steps=2" and card.facts is not None and card.facts.artifact == made.artifact
    assert card.audit is None
    audit = session.audit(made)
    (card,) = session.card(made)
    assert card.audit is not None and card.audit.lines == audit.lines and card.facts is not None
    assert card.facts.bytes == 10 * 8 * 8 * 4 + 10 * 8 and card.facts.image_bytes == 10 * 8 * 8 * 4


def test_results_from_elsewhere_stand_beside_our_own(session: Session, tmp_path: Path) -> None:
    session.export_results(2, tmp_path / "seeds.json", name="three-seeds")
    with Session(str(tmp_path / "other.db")) as other:
        other.run_suite("accuracy", TINY)
        other.import_results([tmp_path / "seeds.json"])
        (way,) = ways_of(other.store)
        assert way.runs == ["run 1", "results three-seeds"]
        assert {str(row["method"]): len(row.results) for row in way.rows["accuracy"]}["random"] == 3
        (card,) = other.card("herding")
        assert card.sides[0].of == 3 and card.sides[0].over == "seeds and images" and card.facts is None


def test_what_is_not_known_is_refused_in_one_sentence(session: Session, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="unknown method or set 'herdin'"):
        session.card("herdin")
    with pytest.raises(BadInput, match="no result of herding with 7 images per class"):
        session.card("herding", ipc=7)
    lone = session.distill("digits", "noise", 1, scale="smoke")
    with pytest.raises(BadInput, match="no run has looked at"):
        session.card(lone)
    with Session(str(tmp_path / "empty.db")) as empty, pytest.raises(BadInput, match="has no results for a card"):
        empty.card("dm")
