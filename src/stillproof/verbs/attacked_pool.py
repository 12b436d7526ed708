"""The attacked sets of a pool as one, whether they were built here or imported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from stillproof.attacked_sets import NO_MODEL, AttackedSets, UnderOneAttack
from stillproof.core.attack_warnings import warnings_in
from stillproof.core.errors import BadInput
from stillproof.core.mad_sets import ROLES, set_like
from stillproof.core.spec import Json
from stillproof.data.load import source
from stillproof.run.attacked_set import summary_of
from stillproof.run.attacked_set_check import check_card, check_values
from stillproof.run.imported_attack import IMPORTED
from stillproof.store.artifact_files import read_card
from stillproof.store.pools import ATTACKED
from stillproof.store.store import Store

SHARED = ("dataset", "part", "protocol", "model")  # what all sets of one pool must have alike
BUILT = (*SHARED, "test", "per_class", "split", "seed")  # what decides which source is in which role


def attacked_cards(store: Store, pool: str) -> dict[str, Json]:
    """Return the cards of the attacked sets of a pool, by artifact; none if there is no such pool."""
    if pool not in store.pools.names():
        return {}
    members = [one.artifact for one in store.pools.members(pool) if one.kind == ATTACKED]
    cards = {artifact: read_card(store.artifacts.folder(artifact)) for artifact in members}
    for artifact, card in cards.items():
        check_card(card, artifact)
    return cards


def are_alike(cards: Sequence[Mapping[str, Any]]) -> bool:
    """Say whether attacked sets belong together."""
    keys = SHARED if all(card["protocol"] == IMPORTED for card in cards) else BUILT
    return all(card.get(key) == cards[0].get(key) for card in cards for key in keys)


def attacked_pool(store: Store, pool: str) -> AttackedSets:
    """Return the attacked sets of a pool as one.

    Raises:
        BadInput: It has none, or they do not belong together.
    """
    found = attacked_cards(store, pool)
    if not found:
        raise BadInput(f"pool {pool!r} holds no attacked set: add some, or name another.")
    cards = list(found.values())
    if not are_alike(cards):
        raise BadInput(
            f"pool {pool!r} mixes attacked sets of several data sets, models, sizes, seeds or protocols: "
            "pool them apart."
        )
    twice = [called for called, times in Counter(card["called"] for card in cards).items() if times > 1]
    if twice:
        raise BadInput(f"pool {pool!r} holds several attacked sets that are called {twice[0]}: pool them apart.")
    records = store.results.get_many([card["cell"] for card in cards if card["cell"] is not None])
    shown, used = [], Used()
    for artifact, card in found.items():
        arrays = store.artifacts.arrays(artifact)
        check_values(card, arrays, artifact)
        used.add(arrays)
        record = records.get(card["cell"])  # of those that were built here, if it was on this store
        result = {} if record is None or record.result is None else record.result
        numbers = summary_of(arrays) | {key: result[key] for key in ("seconds",) if key in result}
        warnings = card.get("notes") or tuple(warnings_in(result.get("notes", {})).values())
        shown.append(UnderOneAttack(card["called"], card["reference"], artifact, None, numbers, warnings))
    imported = cards[0]["protocol"] == IMPORTED
    splits = [card["split"] for card in cards]
    return AttackedSets(
        name=pool,
        run=None,
        dataset=cards[0]["dataset"],
        part=cards[0]["part"],
        model=_model(store, cards[0]["model"]),
        per_class=min(card["per_class"] for card in cards),
        split=splits[0] if all(split == splits[0] for split in splits) else [0] * len(ROLES),
        protocol=cards[0]["protocol"],
        like=set_like(source(cards[0]["dataset"]).info),
        attacks=shown,
        notes=used.notes() if imported else (),
    )


class Used:
    """What source images are used for under several attacks."""

    def __init__(self) -> None:
        """Begin with none."""
        self._by_role: list[set[int]] = [set() for _ in ROLES]

    def add(self, arrays: Mapping[str, Any]) -> None:
        """Add those of one attack."""
        for role, sources in enumerate(self._by_role):
            sources |= set(arrays["sources"][arrays["roles"] == role].tolist()) - {-1}

    def notes(self) -> list[str]:
        """Say how many are learned from and tested on."""
        learned, _, tested = self._by_role
        if not learned & tested:
            return []
        return [
            f"{len(learned & tested)} of {len(learned | tested)} sources are learned from under one attack and tested "
            "on under another, as in MAD's own sets."
        ]


def _model(store: Store, artifact: str | None) -> str:
    return NO_MODEL if artifact is None else store.names_of([artifact], "model").get(artifact) or artifact[:12]
