"""Runs in shards: each on a store of its own, and their stores are merged."""

from __future__ import annotations

import json
import math
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import Commands, finished, query
from stillproof.core.errors import BadInput
from stillproof.run.cell import Cell
from stillproof.run.shards import Shard, deal, dealt_to, shard_of

RUN = ["run", "dd-ranking", "--dataset", "digits", "--scale", "smoke", "--methods", "random,mtt", "--ipc", "1"]
RUN += ["--seeds", "2"]
SHARDS = 3


def set_of(cells: dict[str, Cell], name: str) -> set[str]:
    """The sets that a cell rests on, as they were first made."""
    below = set[str]().union(*(set_of(cells, need) for need in cells[name].needs))
    return below or ({name} if cells[name].images is not None else set())


def behind(cells: dict[str, Cell], name: str) -> set[str]:
    return {name}.union(*(behind(cells, need) for need in cells[name].needs))


@st.composite
def plans(draw: st.DrawFn) -> tuple[dict[str, Cell], list[dict[str, Any]]]:
    """Draw cells in order of need, and rows that ask for some of them."""
    cells: dict[str, Cell] = {}
    for number in range(draw(st.integers(1, 25))):
        needs = draw(st.lists(st.sampled_from(sorted(cells)), max_size=3, unique=True)) if cells else []
        kind = draw(st.sampled_from(["plain", "plain", "plain", "set", "open", "alone"]))
        name, images = f"c{number:02}", 10 if kind == "set" else None
        flops = draw(st.sampled_from([0.0, 1.0, 3e9, 0.1]))
        cells[name] = Cell(
            name, "any", {}, {}, tuple(needs), flops, name, images, alone=kind == "alone", open=kind == "open"
        )
    asked = st.lists(st.sampled_from(sorted(cells)), max_size=3)
    keys = st.fixed_dictionaries({"method": st.sampled_from(["full", "dm"]), "ipc": st.sampled_from([1, 10])})
    rows = draw(st.lists(st.tuples(keys, asked), max_size=6))
    return cells, [{**key, "cells": found} for key, found in rows]


@given(plans(), st.integers(1, 6))
def test_each_cell_is_in_one_shard_or_shared_or_left_to_the_last_run(
    plan: tuple[dict[str, Cell], list[dict[str, Any]]], of: int
) -> None:
    cells, rows = plan
    where = deal(cells, rows, of)
    for name in cells:
        waits = any(cells[one].open or cells[one].alone for one in behind(cells, name))
        assert (name in where) == (not waits and len(set_of(cells, name)) < 2)
    assert all(number is None or 1 <= number <= of for number in where.values())
    for name, number in where.items():  # a shard needs nothing but its own, and what is shared
        assert {where[need] for need in cells[name].needs} <= {number, None}
        for other in where:
            if set_of(cells, name) & set_of(cells, other):
                assert number is not None and where[other] == number
    shards = [dealt_to(cells, rows, Shard(number, of)) for number in (None, *range(1, of + 1))]
    assert sorted(name for dealt in shards for name in dealt.own) == sorted(where)
    for dealt in shards:
        assert set(dealt.needed) == {one for name in dealt.own for one in behind(cells, name)} - set(dealt.own)
        assert len(where) + dealt.left == len(cells)


@given(plans(), st.integers(1, 6), st.randoms(use_true_random=False))
def test_dealing_does_not_depend_on_the_machine(
    plan: tuple[dict[str, Cell], list[dict[str, Any]]], of: int, random: Any
) -> None:
    cells, rows = plan
    moved = {name: f"{name}-elsewhere" if cell.alone else name for name, cell in cells.items()}  # named by its machine
    there: dict[str, Cell] = {}
    for name, cell in cells.items():
        needs = tuple(moved[need] for need in cell.needs)
        more = {"alone": cell.alone, "open": cell.open}
        there[moved[name]] = Cell(moved[name], "any", {}, {}, needs, cell.flops, name, cell.images, **more)
    rows_there = [row | {"cells": [moved[cell] for cell in row["cells"]]} for row in rows]
    random.shuffle(rows_there)
    assert deal(there, rows_there, of) == deal(cells, rows, of)


@given(st.lists(st.floats(0, 1e15), min_size=1, max_size=40), st.integers(1, 8))
def test_no_shard_has_more_than_its_part_and_one_set(work: list[float], of: int) -> None:
    cells = {f"s{n}": Cell(f"s{n}", "distill", {}, {}, (), flops, "", 10) for n, flops in enumerate(work)}
    where = deal(cells, [], of)
    loads = [math.fsum(cells[name].flops for name in where if where[name] == shard) for shard in range(1, of + 1)]
    assert max(loads) <= sum(work) / of + max(work) * (1 + 1e-9)
    assert len(set(where.values())) == min(of, len(work)) or min(work) == 0


def test_what_one_shard_needs_alone_stands_in_it_and_what_several_need_is_shared() -> None:
    def made(name: str, *needs: str, images: int | None = None) -> Cell:
        return Cell(name, "any", {}, {}, needs, 1.0, name, images)

    plan = [made("data"), made("expert", "data"), made("one", "expert", images=10), made("two", "data", images=10)]
    plan += [made("train one", "one"), made("train two", "two"), made("both", "one", "two"), made("of both", "both")]
    plan += [made("full", "data"), made("attack 1", "full"), made("attack 2", "full"), made("other full", "data")]
    rows = [{"method": "dm", "cells": ["train one", "train two"]}]
    rows += [{"method": "full", "cells": [name, "other full"]} for name in ("attack 1", "attack 2")]
    where = deal({cell.id: cell for cell in plan}, rows, 4)
    assert where["data"] is None and not {"both", "of both"} & where.keys()
    together = [{"expert", "one", "train one"}, {"two", "train two"}, {"full", "attack 1", "attack 2"}, {"other full"}]
    by_shard = [{name for name in where if where[name] == number} for number in (1, 2, 3, 4)]
    assert sorted(by_shard, key=sorted) == sorted(together, key=sorted)


@pytest.mark.parametrize("text", ["0/40", "41/40", "x/40", "3", "3/0", "-1/4", "3/40/2", "1/10001", "Shared/4", "٣/٤"])
def test_a_shard_that_is_none_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(BadInput, match=re.escape(text)) as error:
        shard_of(text)
    assert "\n" not in str(error.value)


def test_shards_are_written_as_they_are_read() -> None:
    assert [str(shard_of(text)) for text in ("1/1", "40/40", "shared/3")] == ["1/1", "40/40", "shared/3"]


@pytest.mark.parametrize(
    "more",
    [["--shard", "0/3"], ["--shard", "4/3"], ["--shard", "x/3"]]
    + [["--shard", "1/3", *more] for more in (["--plan-only"], ["--dry-run"], ["--name", "whole"])]
    + [["--shard", "1/3", "--executor", "slurm:jobs=2"]],
)
def test_what_is_not_for_a_shard_is_refused_before_anything_is_computed(
    tmp_path: Path, stillproof: Commands, more: list[str]
) -> None:
    done = stillproof(*RUN, *more, "--store", "one.db", cwd=tmp_path)
    assert done.code == 2 and "--shard" in done.sentence()
    assert not (tmp_path / "one.db").exists()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, stillproof: Commands) -> Path:
    """Return a folder with the stores of three shards, of what they share, and of one plain run.

    The third shard computes again what is shared; the other two have it from the store of that.
    """
    made = tmp_path_factory.mktemp("shards")
    assert stillproof(*RUN, "--store", "plain.db", cwd=made).code == 0
    for number in ("shared", "1", "2", "3"):
        if number in ("1", "2"):
            assert stillproof("db", "merge", "shared.db", "--store", f"{number}.db", cwd=made).code == 0
        done = stillproof(*RUN, "--shard", f"{number}/{SHARDS}", "--store", f"{number}.db", cwd=made)
        assert done.code == 0, done.err
        (made / f"{number}.err").write_text(done.err, encoding="utf-8")
    return made


def computed(store: Path) -> set[str]:
    return {name for (name,) in query(store, "SELECT id FROM cells WHERE status = 'done' AND origin IS NULL")}


def table(stillproof: Commands, folder: Path, store: str) -> Any:
    found = stillproof("table", "--run", "dd-ranking", "--store", store, "--json", cwd=folder).json()
    rows = [{key: value for key, value in row.items() if key != "merged"} for row in found["rows"]]
    return rows, [one["rows"] for one in found["tables"]]


def test_a_shard_says_what_it_computes_and_what_it_computes_again(folder: Path) -> None:
    shared, first, third = ((folder / f"{name}.err").read_text(encoding="utf-8") for name in ("shared", "1", "3"))
    assert "shard shared/3: 3 cells, 3 to compute, about" in shared
    assert "that other shards need" not in shared + first
    assert "and 3 cells that other shards need, too, 3 to compute, about" in third
    assert "--shard shared/3 first" in third
    assert "left to the last run, which has all shards: 22 cells" in third
    for_all = computed(folder / "shared.db")
    assert [len(for_all & computed(folder / f"{number}.db")) for number in (1, 2, 3)] == [0, 0, 3]
    assert all(computed(folder / f"{one}.db").isdisjoint(computed(folder / "1.db")) for one in (2, 3))


def test_merged_shards_and_a_last_run_give_the_table_of_one_plain_run(folder: Path, stillproof: Commands) -> None:
    in_shards = set[str]()
    for name in ("shared", "1", "2", "3"):
        merged = stillproof("db", "merge", f"{name}.db", "--store", "all.db", "--json", cwd=folder).json()
        assert [merged[key] for key in ("conflicts", "refused", "refused_runs", "lost", "without")] == [
            {},
            {},
            [],
            {},
            {},
        ]
        assert merged["runs"] == (name == "shared")  # all of them are of one run
        in_shards |= computed(folder / f"{name}.db")
    last = stillproof(*RUN, "--store", "all.db", cwd=folder)
    assert last.code == 0, last.err
    plain = set(finished(folder / "plain.db"))
    assert set(finished(folder / "all.db")) == plain
    assert in_shards and computed(folder / "all.db") == plain - in_shards != set()
    assert table(stillproof, folder, "all.db") == table(stillproof, folder, "plain.db")
    assert "rest on what another store says" in last.out  # whose they are is told


def test_a_shard_again_computes_nothing(folder: Path, stillproof: Commands) -> None:
    before = finished(folder / "2.db")
    done = stillproof(*RUN, "--shard", "2/3", "--store", "2.db", "--json", cwd=folder)
    found, own = done.json(), len(computed(folder / "2.db"))
    assert found == {"run": 1, "cells": found["cells"], "states": {"done": found["cells"]}, "shard": "2/3"}
    assert own < found["cells"] < own + 3, "it needs some of what is shared, which was merged"
    assert "all in the store already" in done.err
    assert finished(folder / "2.db") == before


def test_workers_go_on_with_a_shard_and_with_nothing_else(folder: Path, tmp_path: Path, stillproof: Commands) -> None:
    shutil.copy(folder / "3.db", tmp_path)  # without its artifacts and answers: as one that was killed early
    change = "UPDATE cells SET status = 'pending', result = NULL, artifacts = '[]', derived_from = '[]'"
    with closing(sqlite3.connect(tmp_path / "3.db")) as connection:
        connection.execute(change)
        connection.commit()
    cells = query(tmp_path / "3.db", "SELECT id FROM cells")
    done = stillproof("work", "--store", "3.db", "--json", cwd=tmp_path)
    assert json.loads(done.out)["computed"] == len(cells) == len(finished(tmp_path / "3.db"))
