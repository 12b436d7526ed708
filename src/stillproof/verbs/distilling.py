"""Distilled sets that a session makes."""

from __future__ import annotations

from collections.abc import Sequence

from stillproof.answers import DistilledSet
from stillproof.core.presets import Scale
from stillproof.core.weight import weight_of
from stillproof.nets.home_network import HOME
from stillproof.run.stage import answer_of
from stillproof.sets.read import read_set
from stillproof.suites.requests import Part, distilled, real_images, snapshot
from stillproof.verbs.engine import Engine


class Distilling(Engine):
    """Makes distilled sets."""

    def distill(
        self,
        dataset: str,
        method: str,
        ipc: int,
        *,
        seed: int = 0,
        network: str = HOME,
        scale: Scale = "paper",
        part: Part = "train",
        snapshots: Sequence[int] = (),
    ) -> DistilledSet:
        """Make a distilled set; ``method`` may carry parameters, as in ``dm:steps=100``."""
        planner = self._planner()
        request = distilled(real_images(dataset, part), method, ipc, seed, network, scale)
        cell = planner.plan(request)
        kept = {step: planner.plan(snapshot(request, step)).id for step in snapshots}
        about = {"dataset": dataset, "method": method, "ipc": ipc, "seed": seed}
        self.store.results.save_run("", {}, [about | {"cells": [cell.id, *kept.values()]}], verb="distill")
        before = self.execute(planner)
        result = answer_of(cell.id, self.store)
        made = read_set(self.store, result["artifact"])
        return DistilledSet(
            artifact=result["artifact"],
            name=result["name"],
            path=self.store.artifacts.folder(result["artifact"]),
            cell=cell.id,
            cached=before.get(cell.id) == "done",
            result=result,
            weight=weight_of(made.images, made.labels),
            snapshots={step: answer_of(name, self.store)["artifact"] for step, name in kept.items()},
        )
