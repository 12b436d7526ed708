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
from stillproof.attack_answers import NUMBERS, WORST_CASE, AttackScore, ImageOutcomes
from stillproof.core.attack_warnings import warnings_in
from stillproof.core.components import attacks
from stillproof.core.errors import BadInput
from stillproof.core.mad_attacks import meant
from stillproof.core.mad_sets import attacks_named
from stillproof.core.reference import parse_reference
from stillproof.data.load import source
from stillproof.model_finder import GivenModel, find_model
from stillproof.run.attack_alarms import alarms_in, checks_of
from stillproof.run.attack_names import attack_called, has, with_limits
from stillproof.run.attack_outcomes import read_outcomes
from stillproof.run.plan import Planner
from stillproof.run.stage import answer_of
from stillproof.suites.requests import Request
from stillproof.verbs.importing import Importing


class Attacking(Importing):
    """Says how much of a model's accuracy attacks leave."""

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
            model: The name, id or folder of a model, somebody's checkpoint, what ``import_model`` returned, a score of
                one network, or a request.
            dataset: The data set that it was trained for.
            attack: One or several attacks, as in ``pgd:steps=20``.
            eps: Radius of the ball, for those attacks that have one.
            norm: Its norm.
            targets: Which classes to aim at: ``next``, ``random`` or ``least-likely``; any wrong one without a word.
            limit: How many of the first test images; all without a number.
            protocol: ``fair`` attacks pixels, ``faithful`` (in full, ``faithful:beard``) normalised images as BEARD
                does.
            seed: Its seed.
            check: Look for signs that gradients hide where the model errs.
            keep: A folder for the changed images, and a picture of some.
            network: The network of somebody's checkpoint, where its weights do not tell it.
        """
        names = attacks_named([attack] if isinstance(attack, str) else attack, source(dataset).info)
        names = [meant(name, source(dataset).info) for name in names]
        references, under = _limited(names, eps, norm), attack_protocol(protocol)
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
        return dataclasses.replace(whole, model=name, dataset=dataset, checked=check, alarms=list(alarms))

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
        first, told = scores[0], [score for score in scores if score.reason is None]
        about: dict[str, Any] = {"attacks": scores, "targets": first.targets}
        about |= {key: _common([getattr(score, key) for score in scores]) for key in ("eps", "norm")}
        if not told:
            return AttackScore(WORST_CASE, first.protocol, first.n, **about, reason=first.reason)
        pairs = zip(asked, scores, strict=True)
        of = tuple(request for request, score in pairs if score.reason is None)
        about["draws"] = max(score.draws for score in told)
        worst = self.answer(Request("worst-case", of=of))
        about |= {key: worst[key] for key in ("clean_accuracy", "robust_accuracy")}
        about["warnings"] = list(warnings_in(worst.get("notes", {})).values())
        about |= {key: sum(getattr(score, key) for score in told) for key in ("passes_per_image", "seconds")}
        return AttackScore(WORST_CASE, first.protocol, first.n, **about)


def _limited(names: Sequence[str], eps: float | None, norm: Norm | None) -> list[str]:
    """Return attacks with radius and norm; of several, those without a ball are left as they are."""
    if not names:
        raise BadInput("no attack is named: give at least one.")
    balls = [has(attack_called(name), "eps") for name in names]
    if eps is not None and len(names) > 1 and not any(balls):
        raise BadInput(f"none of {', '.join(names)} has an eps: leave it out.")
    only = len(names) == 1
    return [
        with_limits(name, eps=eps if ball or only else None, norm=norm) for name, ball in zip(names, balls, strict=True)
    ]


def _below(name: str, count: int) -> tuple[str, ...]:
    """Return the folder of one of several attacks."""
    return () if count == 1 else (re.sub(r"[^\w.=-]+", "-", name),)


def _common(values: Sequence[Any]) -> Any:
    """Return the value that all have, or nothing."""
    return values[0] if all(value == values[0] for value in values) else None
