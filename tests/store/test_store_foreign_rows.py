"""Rows of another store that cannot be right: each is refused with a reason, and all other work comes."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from work_done import answer, asked, copied, enter, merge

from stillproof.core.spec import canonical_json, digest
from stillproof.report.run_report import report_of
from stillproof.report.runs import chosen_run
from stillproof.report.store_status import status_of
from stillproof.store.other_store import open_other
from stillproof.store.store import Store, open_store
from stillproof.store.strict_json import DEEPEST, NotStrict, from_stranger

SPEC = {"stage": "coverage", "asks": "sound", "needs": []}
Row = dict[str, Any]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with two answers of a run of which one is to be damaged."""
    file = tmp_path_factory.mktemp("template") / "theirs.db"
    with open_store(str(file)) as store:
        cells = [enter(store, name, stage="coverage") for name in ("damaged", "sound")]
        for cell in cells:
            answer(store, cell, accuracy=0.5, n_test=10)
        asked(store, *cells)
    return file


def json_with(column: str, **changes: Any) -> Callable[[Row], Row]:
    """Return a change of some keys of the JSON in a column."""
    return lambda row: {column: json.dumps(json.loads(row[column]) | changes)}


def put(**values: Any) -> Callable[[Row], Row]:
    return lambda row: values


def lies_about_asks(row: Row) -> Row:
    """Ask something else under the old id."""
    return {"spec": canonical_json(json.loads(row["spec"]) | {"asks": "something else"})}


MALFORMED: dict[str, tuple[Callable[[Row], Row], str]] = {
    "an id that is not the hash of the spec": (lies_about_asks, "its id is not the hash of what it asks"),
    "an id that is a path": (put(id="../../etc"), "id = '../../etc' is not allowed"),
    "an id with a line break": (lambda row: {"id": row["id"][:-1] + "\n"}, "id = "),
    "another stage": (put(stage="train"), "it stands under stage"),
    "a spec that is a list": (put(spec="[1]"), "spec = [1] is not allowed"),
    "a spec that is not JSON": (put(spec="{"), "its spec cannot be read: it is not JSON"),
    "a spec without an end": (put(spec="[" * 100_000 + "]" * 100_000), "its spec cannot be read"),
    "no spec at all": (put(spec=b"\xff\x00"), "its spec cannot be read: it is not JSON"),
    "a result that is a list": (put(result="[0.5]"), "result = [0.5] is not allowed"),
    "a result that is a number": (put(result="0.5"), "result = 0.5 is not allowed"),
    "a result that is missing": (put(result=None), "it is done without an answer"),
    "a result with NaN": (put(result='{"accuracy":NaN}'), "NaN, which is no number"),
    "a result with an infinite number": (put(result='{"accuracy":1e999}'), "1e999, which is no number"),
    "a result with a number of 5,000 digits": (put(result=f'{{"n":{"9" * 5000}}}'), "larger than any number here"),
    "a result that is too deep": (put(result='{"a":' * 60 + "1" + "}" * 60), f"more than {DEEPEST} lists and objects"),
    "a result with commands for the terminal": (json_with("result", says="\x1b[2J"), "letters that cannot be printed"),
    "a result with half a letter": (put(result='{"says":"\\ud800"}'), "halves of letters"),
    "a result of bytes": (put(result=b"{}"), "its result cannot be read"),
    "hints that are a list": (put(where="[]"), "where = [] is not allowed"),
    "hints that are no text": (json_with("where", dataset=["digits"]), "dataset = ['digits'] is not allowed"),
    "operations below zero": (json_with("where", flops=-1.0), "flops = -1.0 is not allowed"),
    "operations in words": (json_with("where", flops="many"), "flops = 'many' is not allowed"),
    "an unknown status": (put(status="excellent"), "status = 'excellent' is not allowed"),
    "a failure with an answer": (put(status="failed"), "it is failed with an answer"),
    "seconds below zero": (put(seconds=-1.0), "seconds = -1.0 is not allowed"),
    "seconds in words": (put(seconds="long"), "seconds = 'long' is not allowed"),
    "a time that never comes": (put(finished=1e300), "finished = 1e+300 is not allowed"),
    "progress beyond the end": (put(progress=7.0), "progress = 7.0 is not allowed"),
    "needs that are an object": (put(needs='{"a":1}'), "needs = {'a': 1} is not allowed"),
    "artifacts that are paths": (put(artifacts='["../../x"]'), "artifacts.0 = '../../x' is not allowed"),
    "origins that are numbers": (put(derived_from="[1]"), "derived_from.0 = 1 is not allowed"),
    "provenance that is a text": (put(provenance='"here"'), "provenance = 'here' is not allowed"),
}


def damaged(template: Path, to: Path, change: Callable[[Row], Row]) -> str:
    """Copy the store to ``to``, change the row of its first cell, and return the id of that."""
    shutil.copy(template, to)
    with closing(sqlite3.connect(to)) as connection, connection:
        connection.row_factory = sqlite3.Row
        row = dict(connection.execute("SELECT * FROM cells WHERE spec LIKE '%damaged%'").fetchone())
        for column, value in change(row).items():
            connection.execute(f'UPDATE cells SET "{column}" = ? WHERE id = ?', (value, row["id"]))
    return str(row["id"])


def all_tables(store: Store) -> str:
    """Return the tables of the newest run as text."""
    return "\n".join(map(repr, report_of(store, chosen_run(store, "accuracy", None)).tables()))


@pytest.mark.parametrize("what", MALFORMED)
def test_a_malformed_row_is_refused_and_the_rest_comes(template: Path, tmp_path: Path, what: str) -> None:
    change, said = MALFORMED[what]
    damaged(template, tmp_path / "theirs.db", change)
    with open_other(str(tmp_path / "theirs.db")) as theirs, open_store(str(tmp_path / "ours.db")) as ours:
        found = merge(ours, theirs)
        (reason,) = found.refused.values()
        assert said in reason and "\x1b" not in reason and len(reason) < 300
        sound = digest(SPEC)
        assert found.answers == [sound] and found.runs == 1
        assert ours.results.statuses([sound]) == {sound: "done"}
        assert "1 not computed yet" in all_tables(ours) and status_of(ours)
        assert merge(ours, theirs).answers == []


RUNS: dict[str, tuple[str, Any, str]] = {
    "another hash": ("hash", "0" * 64, "its hash is not that of what it asks"),
    "rows that are an object": ("rows", "{}", "rows = {} is not allowed"),
    "rows without cells": ("rows", '[{"method":"dm"}]', "hash"),
    "a configuration that is a list": ("config", "[]", "config = [] is not allowed"),
    "an unknown verb": ("verb", "destroy", "verb = 'destroy' is not allowed"),
    "a name that commands the terminal": ("name", "a\x1b[2J", "name has letters that cannot be printed"),
    "a name of bytes": ("name", b"\xff", "name = "),
    "a time in words": ("asked", "soon", "asked = 'soon' is not allowed"),
}


@pytest.mark.parametrize("what", RUNS)
def test_a_malformed_run_is_refused(template: Path, tmp_path: Path, what: str) -> None:
    column, value, said = RUNS[what]
    shutil.copy(template, tmp_path / "theirs.db")
    with closing(sqlite3.connect(tmp_path / "theirs.db")) as connection, connection:
        connection.execute(f'UPDATE runs SET "{column}" = ?', (value,))
    with open_other(str(tmp_path / "theirs.db")) as theirs, open_store(str(tmp_path / "ours.db")) as ours:
        found = merge(ours, theirs)
        (reason,) = found.refused_runs
        assert said in reason and "\x1b" not in reason
        assert len(found.answers) == 2 and found.runs == 0 and ours.results.runs() == []


@pytest.mark.parametrize(
    "rows",
    [
        '[{"cells":"all"}]',
        '[{"cells":["../x"]}]',
        '[{"cells":[],"method":{"a":{"b":1}}}]',
        '[{"cells":[],"dataset":["x"]}]',
        '[{"cells":[],"method":1e300}]',
        '[{"cells":[],"ipc":-1}]',
        '["row"]',
        '[{"cells":null}]',
    ],
)
def test_rows_of_a_run_have_cells_and_plain_values(template: Path, tmp_path: Path, rows: str) -> None:
    shutil.copy(template, tmp_path / "theirs.db")
    with closing(sqlite3.connect(tmp_path / "theirs.db")) as connection, connection:
        asks = {"verb": "run", "suite": "accuracy", "config": {}, "rows": json.loads(rows)}
        connection.execute("UPDATE runs SET rows = ?, hash = ?", (rows, digest(asks)))
    with open_other(str(tmp_path / "theirs.db")) as theirs, open_store(str(tmp_path / "ours.db")) as ours:
        assert len(merge(ours, theirs).refused_runs) == 1


def test_pools_and_entries_that_cannot_be_right_are_left_out(template: Path, tmp_path: Path) -> None:
    with copied(template, tmp_path / "theirs.db") as made:
        import torch

        artifact = made.keep("distilled", {"images": torch.zeros(3)}, {}, name="mine")
        made.pools.add("fine", [artifact])
    with closing(sqlite3.connect(tmp_path / "theirs.db")) as connection, connection:
        connection.execute("INSERT INTO pool_members VALUES ('../x', ?, 1.0)", (artifact,))
        connection.execute("INSERT INTO pool_members VALUES ('late', ?, 'soon')", (artifact,))
        connection.execute("INSERT INTO artifacts (id, kind, bytes, created) VALUES ('../../x', 'model', 1, 1.0)")
    with open_other(str(tmp_path / "theirs.db")) as theirs, open_store(str(tmp_path / "ours.db")) as ours:
        assert merge(ours, theirs).artifacts == [artifact]
        assert ours.pools.names() == ["fine"]


def test_ids_that_are_written_in_another_way_are_still_links(template: Path, tmp_path: Path) -> None:
    """An id with escapes is the same id: what an answer reads cannot be hidden from those who look for it."""
    with copied(template, tmp_path / "theirs.db") as made:
        reader = enter(made, "reads", [digest(SPEC)], stage="coverage")
        answer(made, reader, accuracy=0.5)
    hidden = "".join(f"\\u{ord(letter):04x}" for letter in digest(SPEC))
    with closing(sqlite3.connect(tmp_path / "theirs.db")) as connection, connection:
        for column in ("spec", "needs"):
            statement = f"UPDATE cells SET {column} = replace({column}, ?, ?) WHERE id = ?"
            connection.execute(statement, (digest(SPEC), hidden, reader))
    with open_other(str(tmp_path / "theirs.db")) as theirs, open_store(str(tmp_path / "ours.db")) as ours:
        merge(ours, theirs)
        assert digest(SPEC) in ours.results.behind([reader])


@pytest.mark.parametrize(
    "text", ['{"a":"\\\\u001b is written out"}', '{"a":"\\ud83d\\ude00"}', '{"a":"\\n\\t"}', "[1e3]"]
)
def test_what_honest_stores_hold_is_read(text: str) -> None:
    assert from_stranger(text) == json.loads(text)


@pytest.mark.parametrize("text", ['"\\u001b"', '"\\\\\\u001b"', '"\\u009b"', '"\x7f"', '"\\ud83d"', None, 1, b"{}"])
def test_what_no_terminal_should_be_shown_is_not(text: object) -> None:
    with pytest.raises(NotStrict):
        from_stranger(text)
