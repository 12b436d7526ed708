"""Attacks that a session makes on models."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stillproof.attack.base.norms import Norm
from stillproof.attack.base.targets import Policy
from stillproof.attack.protocols.named import attack_protocol
from stillproof.attack_answers import NUMBERS, AttackScore, ImageOutcomes, worst_of
from stillproof.core.attack_warnings import warnings_in
from stillproof.core.components import attacks
from stillproof.core.mad_attacks import resolve_mad
from stillproof.core.mad_sets import attacks_named
from stillproof.core.reference import parse_reference
from stillproof.data.load import source
from stillproof.importers.reported_accuracies import reported_in_name
from stillproof.model_finder import GivenModel, find_model
from stillproof.run.attack_alarms import alarms_in, checks_of
from stillproof.run.attack_names import attack_called, each_with_limits
from stillproof.run.attack_outcomes import read_outcomes
from stillproof.run.plan import Planner
from stillproof.run.stage import answer_of
from stillproof.sets.reported import Reported
from stillproof.store.artifact_files import read_card
from stillproof.suites.requests import Request
from stillproof.verbs.importing import Importing


class Attacking(Importing):
    """Measures how much of a model's accuracy attacks leave."""

    def attack(
        self,
        model: GivenModel,
        dataset: str,
        attack: str | Sequence[str] = "pgd",
        *,
        eps: float | None = None,
        norm: Norm | None = None,
        targets: Policy | None = None,
        limit: int | None = None,
        protocol: str = "fair",
        seed: int = 0,
        check: bool = False,
        keep: Path | str | None = None,
        network: str = "",
    ) -> AttackScore:
        """Attack a model on the test images of its data set; several attacks are also summed up in their worst case.

        Args:
            model: The name, id or folder of a model, a third-party checkpoint, what ``import_model`` returned, a score
                of one network, or a request.
            dataset: The data set that it was trained for.
            attack: One or several attacks, as in ``pgd:steps=20``.
            eps: Radius of the ball, for attacks that have one.
            norm: Its norm.
            targets: Which classes to aim at: ``next``, ``random`` or ``least-likely``; untargeted by default.
            limit: Attack only the first so many test images; all by default.
            protocol: ``fair`` attacks pixels, ``faithful`` (in full, ``faithful:beard``) normalised images as BEARD
                does.
            seed: Its seed.
            check: Whether to look for signs of gradient masking.
            keep: Folder to keep the changed images in, with a preview.
            network: The network of a third-party checkpoint, where it cannot be told from the weights.
        """
        names = attacks_named([attack] if isinstance(attack, str) else attack, source(dataset).info)
        names = [resolve_mad(name, source(dataset).info) for name in names]
        references, under = each_with_limits(names, eps=eps, norm=norm), attack_protocol(protocol)
        found = find_model(self, model, dataset, network)
        asked = [
            Request(
                "attack",
                model=found,
                dataset=dataset,
                attack=reference,
                targets=targets,
                limit=limit,
                seed=seed,
                protocol=under.written,
                keep=keep is not None,
            )
            for reference in references
        ]
        planner = Planner(self.root, self.device)
        cells = [planner.plan(request) for request in asked]
        checks = [planner.plan(request) for request in checks_of(asked)] if check else []
        name = found.params.get("name") or cells[0].label.partition(" on ")[2]
        about = {"dataset": dataset, "method": f"{', '.join(names)} on {name}", "seed": seed}
        self.store.results.save_run("", {}, [about | {"cells": [cell.id for cell in cells]}], verb="attack")
        self.execute(planner, may_be_unsupported=True)
        scores = [
            self._came_of(cell.id, request, None if keep is None else Path(keep, *_below(said, len(names))))
            for cell, request, said in zip(cells, asked, names, strict=True)
        ]
        whole = scores[0] if len(scores) == 1 else self._worst(asked, scores)
        alarms = dict.fromkeys(alarm for cell in checks for alarm in alarms_in(answer_of(cell.id, self.store), under))
        whole = dataclasses.replace(whole, model=name, dataset=dataset, reported=self._claimed_of(found))
        return dataclasses.replace(whole, checked=check, alarms=list(alarms))

    def _claimed_of(self, model: Request) -> Sequence[Reported]:
        """Return the accuracy that the author of an imported model wrote into its file's name."""
        if model.stage != "model":
            return ()
        upstream = read_card(self.store.artifacts.folder(model.artifact))["upstream"]
        return reported_in_name(Path(upstream.get("imported", "")).stem)

    def _came_of(self, cell: str, asked: Request, folder: Path | None) -> AttackScore:
        """Return what came of one attack; its changed images are copied to a folder, if there is one."""
        record, attack = self.store.results.get(cell), attack_called(asked.attack, attack_protocol(asked.protocol))
        assert record is not None
        name, given = parse_reference(asked.attack)
        about: dict[str, Any] = {
            "params": attacks.spec(attack).as_dict()["params"],
            "given": given,
            "cell": cell,
            "asked": asked,
        }
        about |= {"eps": attack.radius, "norm": attack.measured_in, "targets": asked.targets}
        result = record.result
        if result is None:
            reason = (record.error or "").partition("\n")[0]
            return AttackScore(name, asked.protocol, record.spec["images"], **about, reason=reason)
        if folder is not None:
            self.store.artifacts.export(result["examples"], folder)
        outcomes = ImageOutcomes.of(read_outcomes(self.store, result["outcomes"]))
        about |= {key: result[key] for key in NUMBERS} | {"outcomes": outcomes, "examples": folder}
        about |= {"warnings": list(warnings_in(result["notes"]).values()), "draws": result.get("draws", 0)}
        return AttackScore(name, asked.protocol, result["n"], **about)

    def _worst(self, asked: Sequence[Request], scores: Sequence[AttackScore]) -> AttackScore:
        """Return the worst case over those attacks that have an answer."""
        of = tuple(request for request, score in zip(asked, scores, strict=True) if score.reason is None)
        if not of:
            return worst_of(scores)
        worst = self.answer(Request("worst-case", of=of))
        told = list(warnings_in(worst.get("notes", {})).values())
        return worst_of(scores, worst["clean_accuracy"], worst["robust_accuracy"], told)


def _below(name: str, count: int) -> tuple[str, ...]:
    """Return the folder of one of several attacks."""
    return () if count == 1 else (re.sub(r"[^\w.=-]+", "-", name),)
