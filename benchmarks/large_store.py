"""A store of more than 10,000 records, as a year of runs leaves it: made-up answers to questions that were planned.

Questions are those of suites on digits; other data sets ask the same under names of their own.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import torch
from sqlalchemy import create_engine, update

from stillproof.core.components import suites
from stillproof.core.spec import Json, canonical_json, digest, plain
from stillproof.data.load import load
from stillproof.report.sets import PREVIEW
from stillproof.run.cell import Cell
from stillproof.run.plan import Planner
from stillproof.session import Session
from stillproof.store.records import NewCell
from stillproof.store.schema import cells as cells_table

METHODS = (
    "random",
    "k-center",
    "k-center-greedy",
    "herding",
    "noise",
    "dm",
    "dc",
    "dsa",
    "idm",
    "mtt",
    "datadam",
    "kip",
)
SIZES = (1, 10, 50)
ASKED = {"dataset": ["digits"], "methods": METHODS, "ipc": SIZES, "seeds": 5, "scale": "smoke"}
ATTACKS = {"attacks": ["fgsm", "pgd", "pgd-l2"], "targeted_attacks": ["fgsm"], "timed": 0, "limit": 200}
SUITES: Mapping[str, Mapping[str, Any]] = {
    "accuracy": {},
    "beard": {"sections": ["curves", "scores"], "full_recipe": "none", **ATTACKS},
}
DATASETS = ("digits", "digits-b", "digits-c")  # the questions of each are 3,800 cells
MACHINE = {"packages": {"stillproof": "0.1.0"}, "processor": "any", "cores": 2, "numerics": {"device": "cpu"}}
EPOCHS = 100
ATTACKED = 200
EPS = [step / 160 for step in range(33)]
POOL = 40  # outcomes that answers share, so that filling a store takes seconds
ID = re.compile(r"[0-9a-f]{64}")


def fill(folder: Path) -> str:
    """Write the store into a folder and return its address."""
    address = f"sqlite:///{folder / 'large.db'}"
    with Session(address) as session:
        planner = Planner(folder)
        asked = {name: _rows(planner, name, config) for name, config in SUITES.items()}
        made = {ipc: session.distill(DATASETS[0], "random", ipc).artifact for ipc in SIZES}
        for dataset in DATASETS:
            named = _renamed(planner.cells.values(), dataset)
            session.store.results.put(list(named.values()))
            _enter(address, list(_Answers(session, dataset, named, made)))
            for suite, (config, rows) in asked.items():
                own = [row | {"dataset": dataset, "cells": [named[cell].id for cell in row["cells"]]} for row in rows]
                session.store.results.save_run(suite, config | {"dataset": [dataset]}, own)
    return address


def _rows(planner: Planner, suite: str, config: Mapping[str, Any]) -> tuple[Json, list[Json]]:
    built = suites.build(suite, {**ASKED, **config})
    return suites.spec(built).as_dict()["params"], planner.rows(built.rows())


def _renamed(cells: Iterable[Cell], dataset: str) -> dict[str, NewCell]:
    """Return cells as they are of another data set, by the ids that they were planned with; what they read is first."""
    found: dict[str, NewCell] = {}
    for cell in cells:
        text = canonical_json(plain(cell.spec)).replace("digits/", f"{dataset}/")
        spec = json.loads(ID.sub(lambda one: found[one[0]].id if one[0] in found else one[0], text))
        where = plain(cell.where) | ({"dataset": dataset} if "dataset" in cell.where else {})
        found[cell.id] = NewCell(digest(spec), cell.stage, spec, where, [found[need].id for need in cell.needs])
    return found


def _enter(address: str, answers: Iterable[Json]) -> None:
    """Finish cells all at once; workers do it one by one."""
    engine = create_engine(address)
    with engine.begin() as connection:
        for answer in answers:
            connection.execute(update(cells_table).where(cells_table.c.id == answer["id"]).values(answer))
    engine.dispose()


@dataclass(frozen=True, slots=True)
class _Pools:
    """Artifacts that answers name: what single images became under attack, and what networks predicted."""

    attacked: list[str]
    predicted: list[str]

    @classmethod
    def of(cls, session: Session, dataset: str, train: str) -> _Pools:
        draw = torch.Generator().manual_seed(0)
        robust = [torch.rand(ATTACKED, generator=draw) < 0.2 + place / 100 for place in range(POOL)]
        keep = session.store.keep
        attacked = [keep("attack-outcomes", {"robust": one}, {"of": place}) for place, one in enumerate(robust)]
        if dataset != DATASETS[0]:  # labels of the others are not there
            return cls(attacked, [])
        test = load(dataset, "test", Path())
        epochs, predicted = torch.tensor([EPOCHS]), []
        for place in range(POOL):
            wrong = torch.rand(len(test), generator=draw) > 0.5 + place / 100
            classes = torch.where(wrong, (test.labels + 1) % 10, test.labels).to(torch.int16)[None]
            card = {"train": train, "test": test.id, "of": place}
            predicted.append(keep("outcomes", {"epochs": epochs, "predictions": classes}, card))
        return cls(attacked, predicted)


class _Answers(Iterable[Json]):
    """Made-up answers to all cells of a data set."""

    def __init__(self, session: Session, dataset: str, named: Mapping[str, NewCell], made: Mapping[int, str]) -> None:
        self.session, self.cells, self.made = session, list(named.values()), made
        self.draw = random.Random(dataset)
        self.results: dict[str, Json] = {}
        train = next(cell.id for cell in self.cells if cell.stage == "train")
        self.pools = _Pools.of(session, dataset, train)
        self.n_test = len(load(DATASETS[0], "test", Path()))

    def __iter__(self) -> Iterator[Json]:
        for cell in self.cells:
            result = getattr(self, f"_{cell.stage.replace('-', '_')}")(cell)
            self.results[cell.id] = result
            yield {
                "id": cell.id,
                "status": "done",
                "progress": 1.0,
                "finished": 1.0,
                "seconds": round(self.draw.expovariate(0.1), 6),
                "result": json.dumps(result),
                "provenance": json.dumps(MACHINE),
                "artifacts": json.dumps(self._stands_on(cell, result)),
                "derived_from": json.dumps(list(cell.needs) if cell.stage in ("select", "worst-case") else []),
            }

    def _stands_on(self, cell: NewCell, result: Json) -> list[str]:
        if cell.stage == "worst-case":
            return [self.results[one]["outcomes"] for one in cell.spec["of"]]
        return [result[key] for key in ("artifact", "outcomes") if key in result]

    def _expert(self, cell: NewCell) -> Json:
        return {"bytes": 176208, "losses": [2.0], "seconds": 0.6}

    def _distill(self, cell: NewCell) -> Json:
        kept = {"artifact": self._set(cell)} if cell.spec["seed"] == 0 else {}  # no page shows another
        return {**kept, "images": 10 * cell.spec["ipc"], "history": [], "seconds": 1.0}

    def _set(self, cell: NewCell) -> str:
        """Keep a set of this cell: that of random images, changed a little."""
        ipc, method = cell.spec["ipc"], cell.spec["method"]["name"]
        artifacts = self.session.store.artifacts
        folder, found = artifacts.folder(self.made[ipc]), artifacts.read(self.made[ipc])
        tensors = {**found.tensors, "images": found.tensors["images"] + self.draw.random() / 100}
        card = {**found.card, "method": method, "seed": cell.spec["seed"]}
        name = f"{method}-{cell.where['dataset']}-{ipc}ipc-s{cell.spec['seed']}"
        picture = {PREVIEW: (folder / PREVIEW).read_bytes()}
        return self.session.store.keep("distilled", tensors, card, name=name, cell=cell.id, extra=picture)

    def _train(self, cell: NewCell) -> Json:
        losses = [2.3 * 0.97**epoch + self.draw.random() / 10 for epoch in range(EPOCHS)]
        accuracy = round(min(0.98, max(0.1, self.draw.gauss(0.7, 0.08))) * self.n_test) / self.n_test
        outcomes = {"outcomes": self.draw.choice(self.pools.predicted)} if self.pools.predicted else {}
        return {"epochs": [EPOCHS], "losses": losses, "accuracies": [accuracy], "n_test": self.n_test, **outcomes}

    def _select(self, cell: NewCell) -> Json:
        train = self.results[cell.spec["train"]]
        same: Json = {key: train[key] for key in ("outcomes", "n_test") if key in train}
        return {"accuracy": train["accuracies"][-1], "heldout_accuracy": None, "epoch": EPOCHS, "points": 1, **same}

    def _attack(self, cell: NewCell) -> Json:
        clean, robust = self.draw.uniform(0.6, 0.9), self.draw.uniform(0.0, 0.5)
        return {
            "n": ATTACKED,
            "clean_accuracy": round(clean, 3),
            "robust_accuracy": round(robust, 3),
            "success_rate": round((clean - robust) / clean, 3),
            "passes_to_success": self.draw.uniform(2, 20),
            "passes_per_image": self.draw.uniform(2, 20),
            **{f"median_{norm}": self.draw.random() for norm in ("linf", "l2", "l1")},
            "no_gradient": 0.0,
            "seconds": self.draw.random(),
            "clean_seconds": 0.3,
            "outcomes": self.draw.choice(self.pools.attacked),
            "notes": {},
        }

    def _worst_case(self, cell: NewCell) -> Json:
        of = [self.results[one] for one in cell.spec["of"]]
        worst = min(one["robust_accuracy"] for one in of)
        return {"n": ATTACKED, "clean_accuracy": of[0]["clean_accuracy"], "robust_accuracy": worst, "attacks": len(of)}

    def _robust_curve(self, cell: NewCell) -> Json:
        clean, fall = self.draw.uniform(0.6, 0.9), self.draw.uniform(0.8, 0.95)
        curve = [round(clean * fall**step, 3) for step in range(len(EPS))]
        norm = cell.spec["norm"]
        common = {"n": ATTACKED, "clean_accuracy": curve[0], "norm": norm, "eps": EPS, "accuracies": curve}
        return {**common, "area": fmean(curve), "checks": [], "gap": 0.0, "notes": {"warnings": {}}}
