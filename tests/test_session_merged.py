"""What was merged from another store says so wherever it is shown, and bears no claim out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stillproof.report.bundle_facts import bundle_facts, bundle_line
from stillproof.session import Session
from stillproof.store.read_bundle import bundle_json, bundle_text, parse_bundle

SMALL = "convnet-1:width=4"
TINY = {"dataset": ("digits",), "scale": "smoke", "network": SMALL, "full_recipe": "", "seeds": 2}
ASKED = TINY | {"methods": ("random", "herding"), "ipc": (1,)}
ELSEWHERE = "4 answers rest on what another store says ({}), and was not computed here"
OF_ONE = ELSEWHERE.replace("4", "2")


@pytest.fixture(scope="module")
def their_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of somebody else, with a run and a single call."""
    file = tmp_path_factory.mktemp("theirs") / "theirs.db"
    with Session(str(file)) as session:
        session.run_suite("accuracy", ASKED, name="talk")
        session.export_results("talk", file.with_name("talk.json"), name="talk")
    return file


@pytest.fixture(scope="module")
def merged(their_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A store in which nothing was computed, with all that theirs has."""
    with Session(str(tmp_path_factory.mktemp("ours") / "ours.db")) as session:
        found = session.merge(their_file).found
        assert (found.refused, len(found.answers) > 4) == ({}, True)
        yield session


def test_cards_comparisons_and_classes_say_what_was_merged(merged: Session, their_file: Path) -> None:
    (card,) = merged.card("random")
    assert f"Merged: {OF_ONE.format(their_file)}." in card.notes
    assert f"Merged, with what it is ranked and scored beside: {ELSEWHERE.format(their_file)}." in card.notes
    assert list(card.notes) == card.as_dict()["notes"]
    compared = merged.compare(["random", "herding"])
    assert f"Merged: {ELSEWHERE.format(their_file)}." in compared.table().notes
    assert f"Merged: {ELSEWHERE.format(their_file)}." in merged.by_class("accuracy").notes


def test_a_single_call_that_finds_a_merged_answer_says_so(
    merged: Session, their_file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    made = merged.distill("digits", "random", 1, network=SMALL, scale="smoke")
    assert made.cached and f"({their_file}), and was not computed here" in caplog.text
    score = merged.train(made, network=SMALL, recipe="smoke", seeds=1)
    assert f"1 answer rests on what another store says ({their_file}), and was not computed here" in score.caveats


def test_a_site_does_not_say_that_merged_numbers_were_computed_here(
    merged: Session, their_file: Path, tmp_path: Path
) -> None:
    with Session(str(tmp_path / "x.db")) as session:
        session.merge(their_file)
        session.import_results(their_file.with_name("talk.json"))
        site = session.site(tmp_path / "site").parent
    (board,) = site.glob("board-*.html")
    assert "All of these numbers were computed elsewhere" in board.read_text(encoding="utf-8")
    claims = (site / "claims.html").read_text(encoding="utf-8")
    assert "lie in their claimed intervals" not in claims and "stillproof verify talk" in claims


def test_merged_answers_bear_no_claim_out(their_file: Path, tmp_path: Path) -> None:
    with Session(str(tmp_path / "x.db")) as session:
        session.merge(their_file)
        claim = str(their_file.with_name("talk.json"))
        before = session.verify_cost(claim).estimate
        assert before.cached == 0 < before.cells, "what others say is to be computed"
        assert session.verify(claim)
        cells = [cell for run in session.store.results.runs() for cell in run.cells]
        assert session.store.results.origins(cells) == {}, "all of it was computed here"
        assert session.verify_cost(claim).estimate.cached == before.cells


def test_a_bundle_says_which_of_its_answers_were_not_computed_where_it_was_made(
    merged: Session, their_file: Path, tmp_path: Path
) -> None:
    bundle = merged.export_results("talk", tmp_path / "again.json", name="again")
    assert {answer.origin for answer in bundle.answers.values()} == {"theirs.db"}, "no folder of somebody's machine"
    assert "(4 of them merged from other stores)" in bundle_line(bundle) and bundle_facts(bundle)["merged"] == 4
    honest = parse_bundle(their_file.with_name("talk.json").read_text(), "theirs")
    assert "origin" not in bundle_text(honest) and honest.merged == 0
    assert bundle_json(parse_bundle(bundle_text(bundle), "ours")) == bundle_json(bundle)
    with Session(str(tmp_path / "x.db")) as session:
        session.import_results(tmp_path / "again.json")
        (card,) = session.card("random")
        assert f"Merged: {OF_ONE.format('theirs.db')}." in card.notes


def test_what_was_computed_here_is_not_marked(their_file: Path) -> None:
    with Session(str(their_file)) as session:
        told = [*session.card("random")[0].notes, *session.compare(["random", "herding"]).as_dict()["notes"]]
        assert not any("Merged" in note for note in told)


def test_a_site_draws_its_pictures(their_file: Path, tmp_path: Path) -> None:
    """A picture beside the tensors of a merged set could be of anything."""
    planted = b"\x89PNG of something else"
    with Session(str(tmp_path / "x.db")) as session:
        session.merge(their_file)
        pictures = list(session.store.artifacts.root.glob("*/*/preview.png"))
        for picture in pictures:
            picture.write_bytes(planted)
        site = session.site(tmp_path / "site").parent
    drawn = [file.read_bytes() for file in site.rglob("*.png")]
    assert pictures and drawn and planted not in drawn
