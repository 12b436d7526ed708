"""Cards from real runs: merged whichever run asked, and never over answers of different code."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import numpy as np
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
    assert seeds == {"herding": 3, "random": 3, "dm:steps=2": 2} and not way.left_out and len(way.runs) == 2
    ((card,),) = (session.card("dm:steps=2"),)
    (side,) = card.sides
    assert side.of == 3 and side.place is not None and side.over == "seeds and images"
    assert isinstance(side.measured.value, Summary) and side.measured.value.n == 2
    assert "Ranked with means over different numbers of seeds: accuracy." in card.notes


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
    assert len(way.left_out) == 1 and [len(row.results) for row in way.rows["accuracy"]] == [3, 3, 3]


def test_other_data_of_one_name_are_neither_merged_nor_ranked_together(tmp_path: Path) -> None:
    asked = TINY | {"dataset": ["mnist"]}
    images, labels = np.random.default_rng(0).integers(0, 255, (60, 28, 28), np.uint8), np.arange(60) % 10
    for name, methods, count in (("a", ["herding", "random"], 60), ("b", ["random", "noise"], 40)):
        (tmp_path / name).mkdir()
        x_test, y_test = images[:count], labels[:count]
        np.savez(tmp_path / name / "mnist.npz", x_train=images, y_train=labels, x_test=x_test, y_test=y_test)
        with Session(str(tmp_path / "x.db"), data=str(tmp_path / name)) as session:
            session.run_suite("accuracy", asked | {"methods": methods})
            older = ways_of(session.store)[1:]
            cards = [session.card(method)[0] for method in methods]
        assert all(card.sides[0].of == 2 for card in cards)
    assert [sorted(str(row["method"]) for row in way.rows["accuracy"]) for way in older] == [["herding", "random"]]
    with Session(str(tmp_path / "x.db"), data=str(tmp_path / "b")) as session:
        (card,) = session.card("herding")  # of which images are right, nothing is known by now
    assert card.sides[0].of == 2 and card.sides[0].over == "seeds" and card.runs == {"accuracy": ["run 1"]}
    assert any("Left out: 2 rows" in note for note in card.notes)


def test_a_method_in_other_words_is_ranked_once(tmp_path: Path) -> None:
    with Session(str(tmp_path / "x.db")) as session:
        session.run_suite("accuracy", TINY | {"methods": ["random", "noise", "random:zca=false"]})
        sides = [session.card(method)[0].sides[0] for method in ("random", "random:zca=false")]
    assert [side.of for side in sides] == [2, 2] and sides[0].place == sides[1].place


def test_a_set_has_the_card_of_what_made_it(session: Session) -> None:
    made = session.distill("digits", "dm:steps=2", 1, scale="smoke", network="convnet:depth=1:width=4", seed=0)
    assert made.cached
    (card,) = session.card(made)
    assert card.method == "dm:steps=2" and card.facts is not None and card.facts.artifact == made.artifact
    assert card.audit is None
    audit = session.audit(made)
    (card,) = session.card(made)
    assert card.audit is not None and card.audit.lines == audit.lines and card.facts is not None
    doubtful = [line.found for line in audit.lines if line.verdict != "ok"]
    told = [note for note in card.table().notes if note.startswith("Audit: ")]
    assert doubtful and [what in note for what, note in zip(doubtful, told, strict=True)] == [True] * len(doubtful)
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
    with pytest.raises(BadInput, match=r"no run has looked at .*run report-card --dataset digits --methods "):
        session.card(lone)
    with Session(str(tmp_path / "empty.db")) as empty, pytest.raises(BadInput, match="has no results for a card"):
        empty.card("dm")
