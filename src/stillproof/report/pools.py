"""Pools for people: what is in each, and of which data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stillproof.core.errors import BadInput
from stillproof.core.model_card import check_model_card
from stillproof.core.reference import write_reference
from stillproof.core.set_card import true_card
from stillproof.core.spec import Json
from stillproof.report.tables.table import Column, Table, Value
from stillproof.store.artifact_files import read_card, read_sealed
from stillproof.store.pools import ATTACKED, KINDS, MODELS, SETS, Member
from stillproof.store.store import Store

TITLES = {SETS: "sets", MODELS: "models", ATTACKED: "attacked sets"}
POOL_COLUMNS = (
    Column("pool", "pool"),
    Column("sets", "sets", int),
    Column("models", "models", int),
    Column("attacked sets", "attacked sets", int),
    Column("datasets", "data sets"),
)
COLUMNS = (
    Column("kind", "kind"),
    Column("name", "name"),
    Column("dataset", "data set"),
    Column("ipc", "ipc", absent=""),
    Column("network", "network", absent=""),
    Column("defence", "defence", fold="empty", absent=""),
    Column("artifact", "artifact"),
)


@dataclass(frozen=True)
class Pooled:
    """A set, a model or an attacked set of a pool, with what its card says."""

    member: Member
    card: Mapping[str, Any]

    @property
    def dataset(self) -> str:
        """Return the data set that it stands for, or was trained for."""
        return str(self.card["info"]["name"] if self.member.kind == MODELS else self.card["dataset"])

    def as_dict(self) -> Json:
        """Return it as JSON values."""
        is_set, defence = self.member.kind == SETS, self.card.get("defence")
        network = self.card["network"] if self.member.kind == MODELS else None
        return {
            "artifact": self.member.artifact,
            "kind": self.member.kind,
            "name": self.member.name or self.member.artifact[:12],
            "dataset": self.dataset,
            "ipc": self.card["ipc"] if is_set else None,
            "network": network and network["name"],
            "defence": defence and write_reference(defence["name"], defence["params"]),
        }


@dataclass(frozen=True)
class Pool:
    """A named group of sets, models and attacked sets."""

    name: str
    members: Sequence[Pooled]

    def of_kind(self, kind: str) -> list[Pooled]:
        """Return its sets or its models."""
        return [one for one in self.members if one.member.kind == kind]

    @property
    def datasets(self) -> list[str]:
        """Return the data sets that it is about."""
        return sorted({one.dataset for one in self.members})

    def only_dataset(self) -> str:
        """Return its one data set.

        Raises:
            BadInput: It mixes several.
        """
        if len(self.datasets) > 1:
            raise BadInput(
                f"pool {self.name!r} mixes {' and '.join(self.datasets)}, and a score needs one data set: one pool for "
                "each would do."
            )
        return self.datasets[0]

    def as_dict(self) -> Json:
        """Return it as JSON values."""
        return {"pool": self.name, "datasets": self.datasets, "members": [one.as_dict() for one in self.members]}

    def table(self) -> Table:
        """Return one line per set or model."""
        rows: list[dict[str, Value]] = []
        for one in self.members:
            said = one.as_dict()
            shown = {"kind": TITLES[said["kind"]].removesuffix("s"), "artifact": said["artifact"][:12]}
            rows.append({column.key: said[column.key] for column in COLUMNS} | shown)
        return Table("pool", f"Pool {self.name}", COLUMNS, rows, ())


def read_pool(store: Store, name: str) -> Pool:
    """Return a pool, with the cards of what is in it."""
    return Pool(name, [Pooled(one, _card(store, one)) for one in store.pools.members(name)])


def _card(store: Store, member: Member) -> Json:
    """Return what is known of a member: of a set, what its tensors say of it."""
    folder = store.artifacts.folder(member.artifact)
    if member.kind == SETS:
        content, arrays = read_sealed(folder)
        return true_card(arrays, content["card"])
    card = read_card(folder)
    if member.kind == MODELS:
        check_model_card(card)
    return card


def pools_table(pools: Sequence[Pool]) -> Table:
    """Return one line per pool."""
    rows: list[dict[str, Value]] = [
        {"pool": pool.name, "datasets": ", ".join(pool.datasets)}
        | {TITLES[kind]: len(pool.of_kind(kind)) for kind in KINDS}
        for pool in pools
    ]
    return Table("pools", "Pools", POOL_COLUMNS, rows, ())
