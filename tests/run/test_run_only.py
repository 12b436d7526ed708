from __future__ import annotations

from pathlib import Path

import pytest

from commands import TINY, Commands, query
from stillproof.core.errors import BadInput
from stillproof.run.cell import Cell
from stillproof.verbs.running import cells_matching

FAILING = '''
from dataclasses import dataclass
from stillproof import distillers
from stillproof.distill.random import RandomImages

@distillers.register("broken", version=1)
@dataclass(frozen=True)
class Broken(RandomImages):
    """Never works."""

    def distill(self, data, ipc, ctx):
        raise RuntimeError("it went off")
'''


def cell(name: str, label: str, *needs: str) -> Cell:
    return Cell(name, "train", {}, {}, needs, 0.0, label)


PLAN = {
    made.id: made
    for made in (
        cell("set", "dm:lr=3 digits ipc 1 seed 0"),
        cell("train", "train convnet-1 on dm:lr=3 digits ipc 1 seed 0", "set"),
        cell("select", "last epoch of train convnet-1 on dm:lr=3 digits ipc 1 seed 0", "train"),
        cell("expert", "expert convnet-3"),
        cell("other", "idm digits ipc 1 seed 1", "expert"),
    )
}
ROWS = [{"method": "dm:lr=3", "cells": ["select"]}, {"method": "idm", "cells": ["other"]}]


@pytest.mark.parametrize(
    ("pattern", "cells"),
    [
        ("dm", ["set", "train", "select"]),
        ("dm:lr=3", ["set", "train", "select"]),
        ("dm:lr=*", ["set", "train", "select"]),
        ("idm", ["expert", "other"]),
        ("*dm", ["set", "train", "select", "expert", "other"]),
        ("seed 1", ["expert", "other"]),
        ("train convnet-* seed 0", ["set", "train", "select"]),
        ("expert", ["expert"]),
    ],
)
def test_whole_words_of_methods_and_labels_match_and_needs_come_along(pattern: str, cells: list[str]) -> None:
    assert list(cells_matching(PLAN, ROWS, pattern)) == cells


@pytest.mark.parametrize("pattern", ["mtt", "d", "", "dm:lr", "seed 2"])
def test_a_pattern_that_matches_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(BadInput, match="matches no cell of this plan, whose methods are: dm:lr=3, idm"):
        cells_matching(PLAN, ROWS, pattern)


def test_a_part_of_a_run_is_shown_and_the_rest_is_the_same_run(tmp_path: Path, stillproof: Commands) -> None:
    suite = [
        "run",
        "accuracy",
        "--dataset",
        "digits",
        "--scale",
        "smoke",
        "--methods",
        "random,dm",
        "--seeds",
        "1",
        *TINY,
    ]
    planned = stillproof(*suite, "--only", "random", "--dry-run", "--json", cwd=tmp_path).json()
    assert planned["by_stage"] == {"distill": 1, "train": 1, "select": 1}
    part = stillproof(*suite, "--only", "random", "--json", cwd=tmp_path).json()
    assert [row["method"] for row in part["rows"]] == ["random"] and part["rows"][0]["missing"] == 0
    whole = stillproof("table", "accuracy", "--json", cwd=tmp_path).json()
    assert [(row["method"], row["missing"]) for row in whole["rows"]] == [("full", 1), ("random", 0), ("dm", 1)]
    assert whole["run"] == part["run"]
    (status,) = stillproof("status", "--json", cwd=tmp_path).json()["runs"]
    assert (status["cells"], status["done"], status["methods"]) == (3, 1, ["full", "random", "dm"])


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_first_failure_stops_a_run(tmp_path: Path, stillproof: Commands, workers: str) -> None:
    (tmp_path / "broken.py").write_text(FAILING)
    suite = ["run", "accuracy", "--dataset", "digits", "--scale", "smoke", "--plugin", "broken.py", *TINY]
    few = ["--methods", "broken,random", "--seeds", "1", "--set", "full_recipe=", "--workers", workers]
    done = stillproof(*suite, *few, "-x", cwd=tmp_path)
    assert done.code == 1 and "died" not in done.err
    assert done.err.splitlines()[-1].startswith("stillproof: 1 of 6 cells failed, which stopped the run (-x)")
    states = dict(query(tmp_path / "stillproof.db", "SELECT status, COUNT(*) FROM cells GROUP BY status"))
    assert states["failed"] == 1 and states["pending"] >= 2 and "running" not in states
    if workers == "2":
        return
    assert stillproof(*suite, *few, cwd=tmp_path).code == 1
    states = dict(query(tmp_path / "stillproof.db", "SELECT status, COUNT(*) FROM cells GROUP BY status"))
    assert states == {"done": 3, "failed": 3}, "without -x the others go on"
