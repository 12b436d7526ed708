"""Pools: what goes in, what stays, and what comes along when stores are merged."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from work_done import done, downgrade, merge

from stillproof.core.errors import BadInput, UnknownName
from stillproof.store.prune import prune
from stillproof.store.store import Store, open_store


def keep(store: Store, kind: str, number: int, cell: str | None = None, name: str | None = None) -> str:
    return store.keep(kind, {"x": torch.full((3,), float(number))}, {"number": number}, name=name, cell=cell)


@pytest.fixture
def store(database: str) -> Store:
    return open_store(database)


def test_a_pool_holds_sets_and_models_each_once_in_their_order(store: Store) -> None:
    one, two = keep(store, "distilled", 1, name="a-set"), keep(store, "model", 2)
    assert store.pools.add("mine", [two, one, two]) == [two, one]
    assert store.pools.add("mine", [one]) == []
    assert [(m.artifact, m.kind, m.name) for m in sorted(store.pools.members("mine"), key=lambda m: m.kind)] == [
        (one, "distilled", "a-set"),
        (two, "model", ""),
    ]
    store.pools.add("another", [one])
    assert store.pools.names() == ["another", "mine"]


def test_what_came_at_once_stays_in_its_order(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stillproof.store.pools.time.time", lambda: 1.8e9)  # a clock that is coarser than the work
    many = [keep(store, "model", number) for number in range(12)]
    assert many != sorted(many)
    store.pools.add("many", many)
    assert [member.artifact for member in store.pools.members("many")] == many


def test_what_does_not_belong_in_a_pool_is_refused(store: Store) -> None:
    with pytest.raises(BadInput, match="is of kind zca: a pool holds sets, attacked sets and models"):
        store.pools.add("mine", [keep(store, "zca", 1)])
    with pytest.raises(BadInput, match="is not in this store"):
        store.pools.add("mine", ["0" * 64])
    with pytest.raises(BadInput, match="is not a name for a pool"):
        store.pools.add("a b", [])
    assert store.pools.names() == []
    with pytest.raises(UnknownName, match="unknown pool 'mine'"):
        store.pools.members("mine")


def test_what_is_in_a_pool_is_not_pruned(store: Store) -> None:
    cell = done(store, "a question")
    lost, kept = (keep(store, "model", number, cell) for number in (1, 2))  # superseded: nameless, and no answer's
    store.pools.add("mine", [kept])
    pruned = prune(store)
    assert lost in pruned.artifacts and kept not in pruned.artifacts
    assert [member.artifact for member in store.pools.members("mine")] == [kept]


def test_pools_are_merged_by_name(store: Store, tmp_path: Path) -> None:
    with open_store(str(tmp_path / "other.db")) as other:
        ours, theirs = keep(store, "model", 1), keep(other, "model", 2)
        store.pools.add("mine", [ours])
        other.pools.add("mine", [theirs])
        for _ in range(2):
            merge(store, other)
        assert {member.artifact for member in store.pools.members("mine")} == {ours, theirs}
        assert [member.artifact for member in other.pools.members("mine")] == [theirs]


def test_an_older_store_gets_pools(tmp_path: Path) -> None:
    file = tmp_path / "old.db"
    with open_store(str(file)) as made:
        kept = keep(made, "model", 1)
    downgrade(file, "0004")
    with open_store(str(file)) as again:
        assert again.pools.names() == []
        assert again.pools.add("mine", [kept]) == [kept]
