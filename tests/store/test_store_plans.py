"""Rows of plans, plug-ins and workers that were changed by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import insert, update

from stillproof.core.errors import Corrupt, StoreError
from stillproof.core.plugins import Plugin
from stillproof.store.clock import Now
from stillproof.store.schema import plans, plugins, workers
from stillproof.store.store import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(str(tmp_path / "s.db")) as opened:
        yield opened


@pytest.mark.parametrize("text", ["[{}]", "[[1]]", "{}", "no list", "[1]"])
def test_plug_ins_of_a_plan_that_are_no_hashes_are_damage(store: Store, text: str) -> None:
    plan = store.plans.begin()
    with store.database.write() as connection:
        connection.execute(update(plans).values(plugins=text))
    with pytest.raises(Corrupt, match="is damaged"):
        store.plans.get(plan)


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"name":"a.py","source":"","path":"","helpers":3}',
        '{"name":"a.py","source":"","path":"","helpers":[[1]]}',
        '{"name":"a.py","source":"","path":"","helpers":[[1,2,3,4]]}',
    ],
)
def test_a_plug_in_of_another_form_is_not_what_its_hash_says(store: Store, text: str) -> None:
    (name,) = store.plugins.put([Plugin("a.py", "X = 1")])
    with store.database.write() as connection:
        connection.execute(update(plugins).values(content=text))
    with pytest.raises(StoreError, match=r"a\.py .* is not what its hash says"):
        store.plugins.get(name)


@pytest.mark.parametrize("name", ["", "x", "a/b", "a+b", "\x1b[31m"])
def test_a_worker_of_any_name_is_shown(store: Store, name: str) -> None:
    with store.database.write() as connection:
        connection.execute(insert(workers).values(name=name, node="\x1b[2J", started=Now(), seen=Now()))
    (one,) = store.workers.at_work()
    assert "/" not in one.process and one.node == "\x1b[2J"
