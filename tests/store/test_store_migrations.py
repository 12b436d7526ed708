from __future__ import annotations

import json
import logging
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine
from work_done import downgrade

import stillproof.store.migrations as migrations
from stillproof.core.errors import StoreError
from stillproof.store import migrate
from stillproof.store.database import Database
from stillproof.store.location import locate
from stillproof.store.schema import metadata
from stillproof.store.store import open_store
from stillproof.testing.store_contract import fill

NEXT = f"""
import sqlalchemy as sa
from alembic import op

revision = "9000"
down_revision = "{migrate.HEAD}"


def upgrade():
    op.add_column("cells", sa.Column("note", sa.Text(), server_default="old"))
"""


def _execute(file: Path, statement: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(file)) as connection, connection:
        return connection.execute(statement).fetchall()


def test_a_migrated_store_has_the_schema_of_the_code(tmp_path: Path) -> None:
    open_store(str(tmp_path / "x.db")).close()
    database = Database(locate(str(tmp_path / "x.db")), create=False)
    with database.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, metadata) == []
        assert context.get_current_revision() == migrate.HEAD
    database.close()


def test_the_comparison_sees_a_difference(tmp_path: Path) -> None:
    open_store(str(tmp_path / "x.db")).close()
    _execute(tmp_path / "x.db", "ALTER TABLE cells DROP COLUMN error")
    database = Database(locate(str(tmp_path / "x.db")), create=False)
    with database.read() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) != []
    database.close()


def test_head_is_the_newest_migration() -> None:
    scripts = ScriptDirectory.from_config(migrate._config())
    assert scripts.get_heads() == [migrate.HEAD]


def test_a_newer_store_is_refused_and_not_touched(tmp_path: Path) -> None:
    file = tmp_path / "x.db"
    open_store(str(file)).close()
    _execute(file, "UPDATE alembic_version SET version_num = '9999'")
    before = file.read_bytes()
    with pytest.raises(StoreError, match=r"newer version of Stillproof \(schema 9999") as caught:
        open_store(str(file))
    assert caught.value.exit_code == 4
    assert file.read_bytes() == before


def test_the_database_of_another_program_is_refused_and_not_touched(tmp_path: Path) -> None:
    file = tmp_path / "x.db"
    _execute(file, "PRAGMA journal_mode = WAL")
    _execute(file, "CREATE TABLE recipes (soup TEXT)")
    before = file.read_bytes()
    with pytest.raises(StoreError, match="a database of something else"):
        open_store(str(file))
    assert file.read_bytes() == before


def test_an_older_store_is_upgraded_with_its_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="stillproof")
    file = tmp_path / "x.db"
    with open_store(str(file)) as store:
        fill(store, 3)
    assert caplog.records == [], "a new store is not an upgraded one"

    head, scripts = migrate.HEAD, tmp_path / "scripts"
    shutil.copytree(Path(next(iter(migrations.__path__))), scripts)
    (scripts / "versions" / "9000_next.py").write_text(NEXT)
    monkeypatch.setattr(migrate, "SCRIPTS", str(scripts))
    monkeypatch.setattr(migrate, "HEAD", "9000")
    open_store(str(file)).close()

    assert f"upgraded from schema {head} to 9000" in caplog.text
    assert _execute(file, "SELECT note FROM cells") == [("old",)] * 3
    assert _execute(file, "SELECT version_num FROM alembic_version") == [("9000",)]


def test_an_upgrade_that_fails_leaves_the_store_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "x.db"
    open_store(str(file)).close()
    scripts = tmp_path / "scripts"
    shutil.copytree(Path(next(iter(migrations.__path__))), scripts)
    (scripts / "versions" / "9000_next.py").write_text(NEXT + "    op.execute('no such statement')\n")
    with monkeypatch.context() as newer, pytest.raises(StoreError, match="cannot be used"):
        newer.setattr(migrate, "SCRIPTS", str(scripts))
        newer.setattr(migrate, "HEAD", "9000")
        open_store(str(file))
    columns = [row[1] for row in _execute(file, "PRAGMA table_info(cells)")]
    assert "note" not in columns
    open_store(str(file)).close()


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    (tmp_path / "x.db").touch()
    with open_store(str(tmp_path / "x.db"), create=False) as store:
        fill(store, 1)


def test_a_store_from_before_names_that_last_keeps_its_answers_and_says_what_is_new(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "x.db"
    config = migrate._config()
    engine = create_engine(f"sqlite:///{file}")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0002")
    engine.dispose()
    old = {
        "distill": ({"zca": "w", "experts": ["e1", "e2"]}, {"artifact": "set", "snapshots": {"1": "on the way"}}),
        "train": ({"upstream": {"cell": "distill"}}, {"models": {"1": "m1", "2": "m2"}, "outcomes": "o"}),
        "select": ({"train": "train", "rule": "last"}, {"accuracy": 0.5, "model": "m2", "outcomes": "o"}),
        "real": ({"upstream": {"data": "digits/train@sha256:0"}}, None),
    }
    for name, (spec, result) in old.items():
        written = "NULL" if result is None else f"'{json.dumps(result)}'"
        values = f"'{name}', 'a stage', '{json.dumps(spec)}', '{{}}', 'done', 0, 1.0, 0.0, {written}"
        columns = 'id, stage, spec, "where", status, attempts, progress, created, result'
        _execute(file, f"INSERT INTO cells ({columns}) VALUES ({values})")
    caplog.set_level(logging.INFO, logger="stillproof")
    with open_store(str(file)) as store:
        found = store.results.get_many(list(old))
    assert (
        f"upgraded from schema 0002 to {migrate.HEAD}; its tables and artifacts are as they were, but questions have "
        "new names"
    ) in caplog.text
    assert {name: found[name].result for name in old} == {name: result for name, (_, result) in old.items()}
    assert {name: (record.needs, record.artifacts, record.derived_from) for name, record in found.items()} == {
        "distill": (("w", "e1", "e2"), ("set",), ()),
        "train": (("distill",), ("m1", "m2", "o"), ()),
        "select": (("train",), (), ("train",)),
        "real": ((), (), ()),
    }


def test_a_command_that_was_given_again_is_one_run_after_the_upgrade(tmp_path: Path) -> None:
    file = tmp_path / "x.db"
    rows = [{"method": "dm", "ipc": 1, "cells": ["ä"]}]
    with open_store(str(file)) as store:
        other = store.results.save_run("accuracy", {"lr": 0.1}, [])
        again = store.results.save_run("accuracy", {"lr": 0.1, "ipc": [1]}, rows)
        asked = {run.id: run.hash for run in store.results.runs()}
    downgrade(file, "0003")
    copy = f"SELECT suite, created + 5, config, rows FROM runs WHERE id = {again}"
    _execute(file, f"INSERT INTO runs (suite, created, config, rows) {copy}")
    with open_store(str(file)) as store:
        found = store.results.runs()
        assert {run.id: run.hash for run in found} == asked, "what asks the same has the same hash"
        assert [run.id for run in found] == [again, other] and found[0].asked == found[0].created + 5
        assert store.results.save_run("accuracy", {"lr": 0.1, "ipc": [1]}, rows) == again
