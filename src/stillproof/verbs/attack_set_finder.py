"""Finds attacked data sets by what people call them, for those who look at one and for suites that take one over."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from stillproof.attacked_sets import AttackedSets, UnderOneAttack
from stillproof.core.attack_warnings import warnings_in
from stillproof.core.components import attacks, networks
from stillproof.core.errors import BadInput
from stillproof.core.mad_sets import mad_set
from stillproof.core.protocol import FAIR
from stillproof.core.reference import write_reference
from stillproof.core.spec import canonical_json
from stillproof.report.runs import find_run_or_call
from stillproof.run.attack_names import shown
from stillproof.run.imported_attack import IMPORTED
from stillproof.store.artifact_files import read_card
from stillproof.store.records import Record, Run
from stillproof.store.store import Store
from stillproof.suites.fixed_attack import NAME, FixedAttack, fixed_attack
from stillproof.verbs.attacked_pool import Used, attacked_pool

VERB = "attack-set"
NOT_BUILT = "it is not built yet: the command that built the others goes on with it."
PARAMETER = "attacked_sets"  # what a suite that takes such sets calls them


def attack_set_of(store: Store, text: str | None = None) -> AttackedSets:
    """Return an existing attacked set: by its number or name, by a pool's name, or the newest that was built.

    Raises:
        BadInput: There is none.
    """
    if text is not None and text in store.pools.names():
        return attacked_pool(store, text)
    run = _newest(store) if text is None else find_run_or_call(store, text)
    if run.verb != VERB:
        raise BadInput(f"{run.verb} {run.id} built no attacked set: `stillproof status` lists those that did.")
    config, row = run.config, run.rows[0]
    records = store.results.get_many(row["cells"])
    return AttackedSets(
        name=run.name or f"attack-set {run.id}",
        run=run.id,
        dataset=row["dataset"],
        like=mad_set(config["like"]),
        attacks=[
            *(_came_of(called, records.get(cell)) for called, cell in config["attacks"].items()),
            *(UnderOneAttack(called, called, reason=reason) for called, reason in config.get("absent", {}).items()),
        ],
        **{key: config[key] for key in ("model", "part", "per_class", "split", "protocol")},
    )


def with_attacks(store: Store, suite: Any) -> Any:
    """Return a suite that knows every attacked set which it is given by number, name or pool.

    Raises:
        BadInput: There is no such set, it has no images yet, or under ``fair`` some sources would be learned from and
            tested on.
    """
    texts: Sequence[str] = getattr(suite, PARAMETER, ())
    if not texts:
        return suite
    found = [one for text in texts for one in _of(store, text)]
    _refuse_twice(store, found)
    used = Used()
    for one in found:
        used.add(store.artifacts.arrays(one.artifact))
    if suite.protocol == FAIR and (leaks := used.notes()):
        raise BadInput(f"{leaks[0]} Under fair that is not allowed: name sets of one fair build.")
    return dataclasses.replace(suite, **{PARAMETER: tuple(one.reference() for one in found)})


def _refuse_twice(store: Store, found: Sequence[FixedAttack]) -> None:
    """Refuse images of one attack under two names; what attack imported ones are of, their names alone say."""
    known: dict[str, str] = {}
    for one in found:
        attack = read_card(store.artifacts.folder(one.artifact))["attack"]
        first = known.setdefault(canonical_json(attack), one.called) if attack else one.called
        if first != one.called:
            raise BadInput(f"{PARAMETER} has one attack in two wordings, {first} and {one.called}: leave one out.")


def _of(store: Store, text: str) -> list[FixedAttack]:
    if text.startswith(f"{NAME}:"):
        return [fixed_attack(text)]
    found = attack_set_of(store, text)
    return [
        FixedAttack(called, artifact, found.dataset, found.part, *_made_on(store, artifact))
        for called, artifact in found.images().items()
    ]


def _made_on(store: Store, artifact: str) -> tuple[str, str]:
    """Return the model that an attacked set was made on, and its network; nothing of imported ones."""
    card = read_card(store.artifacts.folder(artifact))
    if card["protocol"] == IMPORTED or not card["model"]:
        return "", ""
    network = read_card(store.artifacts.folder(card["model"]))["network"]
    built = networks.build(write_reference(network["name"], network["params"]))
    return card["model"], networks.reference(built)


def _newest(store: Store) -> Run:
    found = [run for run in store.results.runs_and_calls() if run.verb == VERB]
    if not found:
        raise BadInput("no attacked set was built on this store: `stillproof attack-set build` does.")
    return found[0]


def _came_of(called: str, record: Record | None) -> UnderOneAttack:
    """Return what came of one attack, or why there is nothing."""
    if record is None:
        return UnderOneAttack(called, called, reason=NOT_BUILT)
    reference = shown(attacks.reference(attacks.rebuild(record.spec["attack"])))
    result: Mapping[str, Any] | None = record.result
    if result is None:
        return UnderOneAttack(called, reference, reason=(record.error or NOT_BUILT).partition("\n")[0])
    warnings = tuple(warnings_in(result["notes"]).values())
    return UnderOneAttack(called, reference, result["artifact"], numbers=dict(result), warnings=warnings)
