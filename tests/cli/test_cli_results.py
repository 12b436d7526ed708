"""Results as files: exported, imported elsewhere, and computed again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commands import TINY, Commands, query

RUN = ["run", "accuracy", "--dataset", "digits", "--scale", "smoke", "--methods", "random,dm", *TINY]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, stillproof: Commands) -> Path:
    """A folder with a store, and the bundle of its run."""
    folder = tmp_path_factory.mktemp("made")
    assert stillproof(*RUN, "--name", "talk", "--store", "ours.db", cwd=folder).code == 0
    done = stillproof("db", "export-results", "--run", "talk", "--out", "talk.json", "--store", "ours.db", cwd=folder)
    assert done.code == 0 and "talk: accuracy, 3 rows, 6 of 6 answers" in done.out, done.err
    return folder


def changed(made: Path, folder: Path, **values: Any) -> Path:
    content = json.loads((made / "talk.json").read_text(encoding="utf-8")) | values
    file = folder / "changed.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


def with_lie(made: Path, folder: Path) -> Path:
    """The bundle with accuracies of dm that nobody has measured, and that fit its images."""
    content = json.loads((made / "talk.json").read_text(encoding="utf-8"))
    (row,) = [row for row in content["rows"] if row["keys"]["method"] == "dm"]
    for cell in row["cells"]:
        answer = content["answers"][cell]
        answer["result"]["accuracy"] = 0.99
        answer.pop("right")
    file = folder / "lie.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


def test_a_file_says_what_was_asked_and_what_came_of_it(made: Path) -> None:
    content = json.loads((made / "talk.json").read_text(encoding="utf-8"))
    assert content["command"] == (
        "stillproof run accuracy --dataset digits --methods random,dm --network convnet-1:width=4 --scale smoke"
    )
    assert {row["keys"]["method"]: len(row["cells"]) for row in content["rows"]} == {"full": 2, "random": 2, "dm": 2}
    assert len({answer["asks"] for answer in content["answers"].values()}) == 3, "seeds of a row ask the same"
    assert all("right" in answer and "outcomes" not in answer["result"] for answer in content["answers"].values())
    (machine,) = content["machines"]
    assert machine["threads"] == 1 and content["seconds"] > 0
    assert all(data.startswith("digits/") for data in content["data"])
    assert (made / "talk.json").stat().st_size < 6000


def test_imported_results_are_marked_and_no_run_uses_them(made: Path, tmp_path: Path, stillproof: Commands) -> None:
    store = ("--store", "theirs.db")
    file = str(made / "talk.json")
    assert "imported" in stillproof("db", "import-results", file, *store, cwd=tmp_path).out
    assert "here already" in stillproof("db", "import-results", file, *store, cwd=tmp_path).out
    status = stillproof("status", *store, cwd=tmp_path)
    assert "imported results, which no run uses" in status.out and "talk" in status.out
    (listed,) = stillproof("status", "--json", *store, cwd=tmp_path).json()["imported_results"]
    assert (listed["name"], listed["done"], listed["cells"]) == ("talk", 6, 6)
    assert query(tmp_path / "theirs.db", "SELECT id FROM cells") == []
    forecast = stillproof(*RUN, "--dry-run", "--json", *store, cwd=tmp_path).json()
    assert forecast["cached"] == 0
    other = str(changed(made, tmp_path, seconds=1.0))
    done = stillproof("db", "import-results", other, *store, cwd=tmp_path)
    assert done.code == 2 and "--replace" in done.sentence()
    assert stillproof("db", "import-results", other, "--replace", *store, cwd=tmp_path).code == 0
    assert "'talk' are removed" in stillproof("db", "rm", "talk", *store, cwd=tmp_path).out
    assert stillproof("status", "--json", *store, cwd=tmp_path).json()["imported_results"] == []


def test_true_results_are_borne_out_from_an_empty_store(made: Path, tmp_path: Path, stillproof: Commands) -> None:
    store = ("--store", "empty.db")
    stillproof("db", "import-results", str(made / "talk.json"), *store, cwd=tmp_path)
    cost = stillproof("verify", "talk", "--dry-run", *store, cwd=tmp_path)
    assert cost.code == 0 and cost.out.startswith("16 cells, 0 of them in the store already"), cost
    done = stillproof("verify", "talk", *store, cwd=tmp_path)
    assert done.code == 0, done.err
    assert "3 of 3 numbers of talk lie in their claimed intervals" in done.err
    assert "Seed by seed, 6 of 6 numbers are exactly those that are claimed." in " ".join(done.out.split())
    again = stillproof("verify", "talk/dm/1", "--json", *store, cwd=tmp_path)
    (number,) = again.json()["numbers"]
    assert number["method"] == "dm" and number["inside"] is True and number["claimed"]["n"] == 2
    assert "6 cells, 6 of them in the store already" in again.err
    status = stillproof("status", *store, "--json", cwd=tmp_path).json()
    assert status["runs"] == [], "verifying is a call of its own, and no newest run of the suite"
    assert {(call["verb"], call["method"], call["done"]) for call in status["calls"]} == {
        ("verify", "talk", 6),
        ("verify", "talk/dm/1", 2),
    }


def test_only_the_rows_that_are_named_are_computed(made: Path, tmp_path: Path, stillproof: Commands) -> None:
    found = stillproof("verify", f"{made / 'talk.json'}/random", "--json", cwd=tmp_path).json()
    assert [number["method"] for number in found["numbers"]] == ["random"]
    assert dict(query(tmp_path / "stillproof.db", "SELECT stage, count(*) FROM cells GROUP BY stage")) == {
        "distill": 2,
        "train": 2,
        "select": 2,
    }


def test_a_lie_is_found(made: Path, tmp_path: Path, stillproof: Commands) -> None:
    done = stillproof("verify", str(with_lie(made, tmp_path)), cwd=tmp_path)
    assert done.code == 1 and "NO" in done.out
    assert "2 of 3 numbers of" in done.err.splitlines()[-1]


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("tlak", 2, "unknown results 'tlak'; did you mean 'talk'?"),
        ("talk/dmm", 2, "unknown method 'dmm' of talk; did you mean 'dm'?"),
        ("talk/dm/7", 2, "unknown number of images per class '7' of talk; choose one of 1."),
        ("talk/dm/1/2", 2, "says more than NAME/METHOD/IPC"),
    ],
)
def test_what_is_not_there_is_one_sentence(
    made: Path, tmp_path: Path, stillproof: Commands, name: str, code: int, said: str
) -> None:
    stillproof("db", "import-results", str(made / "talk.json"), cwd=tmp_path)
    done = stillproof("verify", name, cwd=tmp_path)
    assert done.code == code and said in done.sentence()


def test_data_and_components_that_are_not_here_are_named(made: Path, tmp_path: Path, stillproof: Commands) -> None:
    config = json.loads((made / "talk.json").read_text(encoding="utf-8"))["config"]
    file = changed(made, tmp_path, config=config | {"dataset": ["mnist"]})
    done = stillproof("verify", str(file), cwd=tmp_path)
    assert done.code == 3 and "mnist" in done.sentence() and "also takes time: it took" in done.sentence()
    file = changed(made, tmp_path, config=config | {"methods": ["theirs"]})
    done = stillproof("verify", str(file), cwd=tmp_path)
    assert done.code == 2 and "'theirs'" in done.sentence() and "--plugin" in done.sentence()
    file = changed(made, tmp_path, suite="theirs")
    done = stillproof("verify", str(file), cwd=tmp_path)
    assert done.code == 2 and "unknown suite 'theirs'" in done.sentence()


def test_a_run_without_answers_is_not_exported(tmp_path: Path, stillproof: Commands) -> None:
    done = stillproof("db", "export-results", "--run", "1", "--out", "x.json", cwd=tmp_path)
    assert done.code == 4 and "there is no store" in done.sentence()
