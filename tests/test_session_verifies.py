"""What a session says of results that it computes again, and of those that code has outgrown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from risen import risen_since
from stillproof.core.errors import BadInput, DataMissing
from stillproof.core.spec import Json
from stillproof.report.bundle_rows import bundle_rows
from stillproof.run.plan import Planner
from stillproof.session import Session
from stillproof.store.bundle import Bundle
from stillproof.store.read_bundle import bundle_text, parse_bundle
from stillproof.suites.requests import Request, distilled, real_images, selected, trained
from stillproof.verbs.right_images import right_images

TINY = {"dataset": ("digits",), "scale": "smoke", "network": "convnet-1:width=4", "full_recipe": ""}
ASKED = TINY | {"methods": ("random", "dm"), "ipc": (1,)}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    with Session(str(tmp_path_factory.mktemp("made") / "x.db")) as session:
        run = session.run_suite("accuracy", ASKED).run
        return session.export_results(run, name="talk")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session(str(tmp_path / "x.db")) as found:
        yield found


@pytest.fixture
def risen(tmp_path: Path) -> Iterator[None]:
    with risen_since(tmp_path, distillers_dm="distill/dm.py"):
        yield


def kept(made: Bundle, session: Session, folder: Path) -> Session:
    (folder / "talk.json").write_text(bundle_text(made), encoding="utf-8")
    session.import_results([folder / "talk.json"])
    return session


def test_rows_of_a_bundle_are_rows_like_any_other(made: Bundle) -> None:
    rows = {row["method"]: row for row in bundle_rows(made)}
    assert rows.keys() == {"random", "dm"} and not any(row.missing or row.stale for row in rows.values())
    assert rows["random"].summary() is not None and rows["random"].efforts[0] is not None
    right = [answer.right for answer in made.answers_of(made.rows[0])]
    assert [one.images().mean() for one in right if one] == pytest.approx(rows["random"].values())


@pytest.mark.usefixtures("risen")
def test_answers_that_code_has_outgrown_are_left_out(made: Bundle) -> None:
    rows = {row["method"]: row for row in bundle_rows(made)}
    assert rows["dm"].stale == ["distiller dm"] * 2 and rows["dm"].summary() is None
    assert rows["random"].summary() is not None


@pytest.mark.usefixtures("risen")
def test_verifying_says_that_a_component_has_risen(made: Bundle, session: Session, tmp_path: Path) -> None:
    found = kept(made, session, tmp_path).verify("talk")
    assert any("earlier version of distiller dm" in note for note in found.notes)
    assert all(check.claim.summary for check in found.checks) and len(found.checks) == 2


def test_a_single_seed_is_judged_by_its_test_images(session: Session, tmp_path: Path) -> None:
    run = session.run_suite("accuracy", TINY | {"methods": ("random",), "ipc": (1,), "seeds": 1}).run
    (tmp_path / "one.json").write_text(bundle_text(session.export_results(run, name="one")), encoding="utf-8")
    found = session.verify(str(tmp_path / "one.json"))
    (check,) = found.checks
    low, high = check.claim.interval or (0, 0)
    assert check.claim.over == "test images" and low < check.claim.summary.mean < high < low + 0.12
    assert found and "Wilson" in repr(found)


def test_a_method_is_verified_without_the_sets_of_others(made: Bundle, session: Session, tmp_path: Path) -> None:
    content = json.loads(bundle_text(made))
    content["config"]["methods"] = ["random", "dm", "theirs:artifact=0123456789ab"]
    bundle = parse_bundle(json.dumps(content), "it")
    assert kept(bundle, session, tmp_path).verify("talk/random")
    with pytest.raises(BadInput, match=r"cannot be computed again here.*stillproof import"):
        session.verify("talk")


def with_row(content: Json, keys: Json, cells: list[str]) -> None:
    row = next(row for row in content["rows"] if row["keys"]["method"] == "dm")
    content["rows"].append({"keys": row["keys"] | keys, "cells": cells})


def of_others(content: Json, method: str) -> list[str]:
    found: list[str] = next(row["cells"] for row in content["rows"] if row["keys"]["method"] == method)
    return found


def a_row_that_nobody_asks(content: Json) -> None:
    with_row(content, {"method": "mine"}, of_others(content, "dm"))


def the_cells_of_another(content: Json) -> None:
    row = next(row for row in content["rows"] if row["keys"]["method"] == "dm")
    row["cells"] = of_others(content, "random")
    for cell, share in zip(row["cells"], (0.9, 0.92), strict=True):
        content["answers"][cell]["result"]["accuracy"] = share
        del content["answers"][cell]["right"]
    content["rows"].reverse()


def few_images(content: Json) -> None:
    for cell in of_others(content, "dm"):
        content["answers"][cell]["result"] |= {"accuracy": 0.4, "n_test": 4}
        del content["answers"][cell]["right"]


@pytest.mark.parametrize(
    ("lie", "said"),
    [
        (a_row_that_nobody_asks, "1 could not be measured"),
        (the_cells_of_another, "0 of 2 numbers"),
        (few_images, "1 of 2 numbers"),
    ],
)
def test_lies_are_not_borne_out(
    made: Bundle, session: Session, tmp_path: Path, lie: Callable[[Json], None], said: str
) -> None:
    content = json.loads(bundle_text(made))
    lie(content)
    found = kept(parse_bundle(json.dumps(content), "it"), session, tmp_path).verify("talk")
    assert not found and said in found.verdict()


def test_results_without_answers_and_two_of_one_name_are_refused(
    made: Bundle, session: Session, tmp_path: Path
) -> None:
    run = session.store.results.save_run("accuracy", {}, [{"method": "dm", "cells": ["a" * 64]}])
    with pytest.raises(BadInput, match="has no answer yet"):
        session.export_results(run)
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(bundle_text(made), encoding="utf-8")
    with pytest.raises(BadInput, match="two of the files have results called 'talk'"):
        session.import_results([tmp_path / "a.json", tmp_path / "b.json"])
    with pytest.raises(BadInput, match="results 'talk'"):
        session.verify("talk")


def test_a_run_is_exported_under_a_name_that_is_one(session: Session) -> None:
    run = session.run_suite("accuracy", TINY | {"methods": ("random",), "ipc": (1,), "seeds": 1}, name="my talk").run
    with pytest.raises(BadInput, match=r"cannot be exported as 'my talk': .*not a name"):
        session.export_results(run)
    assert session.export_results(run, name="my-talk").name == "my-talk"


def test_what_single_images_withstand_is_known_of_attacks_and_of_their_worst_case(
    session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    made = distilled(real_images("digits"), "random", 1, 0, "convnet-1:width=4", "smoke")
    model = selected(trained(made, "convnet-1:width=4", "smoke", 0), "last")
    attacks = [
        Request("attack", model=model, dataset="digits", attack=one, limit=20) for one in ("fgsm", "pgd:steps=2")
    ]
    asked = [model, *attacks, Request("worst-case", of=attacks)]
    answers = session.answers(asked)
    planner = Planner(session.root)
    cells = [planner.plan(request).id for request in asked]
    right = right_images(session.store, session.options, cells)
    clean, *robust = (right[cell].mean() for cell in cells)
    assert clean == pytest.approx(answers[0]["accuracy"])
    assert robust == pytest.approx([answer["robust_accuracy"] for answer in answers[1:]])

    def gone(name: str, split: str, root: Path) -> None:
        raise DataMissing("data set digits is not there.")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("stillproof.run.stage.load", gone)
        assert right_images(session.store, session.options, cells).keys() == set(cells[1:])
    assert "which images are right is left out" in caplog.text
