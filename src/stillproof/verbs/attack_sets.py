"""Attacked data sets of a session: the same images under many attacks, to learn and test defences on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stillproof.attack.foreign.named_by_class import NotInstalled
from stillproof.attack_set_forecast import AttackCost, AttackSetForecast
from stillproof.attack_set_question import AttackSetQuestion, asked_by_mad, asked_of
from stillproof.attacked_sets import AttackedSets
from stillproof.core.mad_sets import set_like
from stillproof.core.spec import Json
from stillproof.data.load import source
from stillproof.model_finder import GivenModel, find_model
from stillproof.run.attack_timing import Timed, time_attack
from stillproof.run.attacked_gallery import attacked_gallery
from stillproof.run.attacks_twice import refuse_attacks_twice
from stillproof.run.cell import Cell
from stillproof.run.plan import Planner
from stillproof.run.stage import Job
from stillproof.verbs.attack_set_finder import attack_set_of
from stillproof.verbs.importing import Importing


class AttackSets(Importing):
    """Builds attacked data sets, and reads them again."""

    def attack_set(
        self,
        dataset: str,
        model: GivenModel,
        attack: str | Sequence[str] = "mad",
        *,
        protocol: str = "fair",
        name: str | None = None,
        network: str = "",
        **how: Any,
    ) -> AttackedSets:
        """Attack some images of every class with each of several attacks, and keep what comes out.

        Nothing is built twice, and a stopped build resumes.

        Args:
            dataset: The data set.
            model: What to attack, as ``attack`` takes it.
            attack: Attacks, as in ``pgd:steps=20``; ``mad/13`` is one of MAD's thirty, ``mad`` all of them, ``mad-m``,
                ``mad-c`` and ``mad-t`` those of MAD's three sets.
            protocol: ``fair`` or ``faithful:mad``.
            name: Its name.
            network: The network of a third-party checkpoint, where it cannot be told from the weights.
            how: ``per_class``, ``split``, ``seed`` and ``part``, as ``AttackSetQuestion`` has them.
        """
        found = find_model(self, model, dataset, network)
        return self.build_attack_set(asked_of(dataset, found, attack, protocol).but(**how), name)

    def attack_set_of(
        self, config: str, *, protocol: str = "fair", name: str | None = None, **how: Any
    ) -> AttackedSets:
        """Build one of MAD's sets with its victim, which is trained for it if need be.

        Args:
            config: ``mad-m``, ``mad-c`` or ``mad-t``; ``mad-quick`` and ``mad-smoke`` are small ones of digits.
            protocol: ``fair`` or ``faithful:mad``.
            name: Its name.
            how: What differs from the configuration: ``attacks``, ``per_class``, ``split``, ``seed``.
        """
        return self.build_attack_set(asked_by_mad(config, protocol).but(**how), name)

    def build_attack_set(self, question: AttackSetQuestion, name: str | None = None) -> AttackedSets:
        """Build what is asked for, as far as it is not there, and return it."""
        planner = self._planner()
        cells, absent = _planned(question, planner)
        victim = question.model.params.get("name") or planner.plan(question.model).label.removeprefix("train ")
        spec = next(iter(cells.values())).spec
        config: Json = {
            "attacks": {called: cell.id for called, cell in cells.items()},
            "model": victim,
            "part": question.part,
            "like": question.like or set_like(source(question.dataset).info).name,
            **{key: spec[key] for key in ("per_class", "split", "protocol")},
            **({"absent": absent} if absent else {}),
        }
        row = {"dataset": question.dataset, "method": f"{len(cells)} attacks on {victim}", "seed": question.seed}
        rows = [row | {"cells": list(config["attacks"].values())}]
        run = self.store.results.save_run("", config, rows, name=name, verb="attack-set")
        self.execute(planner, may_be_unsupported=True)
        return self.found_attack_set(str(run))

    def forecast_attack_set(self, question: AttackSetQuestion) -> AttackSetForecast:
        """Estimate what a set will cost, from a few images of each attack; nothing is kept.

        Attacks on a victim that is not trained yet cannot be timed: they are estimated from their passes.
        """
        planner = self._planner()
        cells, absent = _planned(question, planner)
        states, here = self.store.results.statuses(list(planner.cells)), self._here(planner)
        needed = [cell for cell in planner.cells.values() if cell.id not in {one.id for one in cells.values()}]
        missing = [cell for cell in needed if states.get(cell.id) != "done"]
        costs = []
        for called, cell in cells.items():
            state = "built" if states.get(cell.id) == "done" else "estimated" if missing else "timed"
            timed = Timed() if state != "timed" else time_attack(self._job(cell))
            images = cell.images or 0
            seconds = {"built": 0.0, "estimated": here.seconds(cell)}.get(state, timed.seconds(images))
            costs.append(AttackCost(called, images, timed.passes, seconds, int(cell.disk), timed.reason or state))
        costs += [AttackCost(called, 0, None, 0.0, 0, reason) for called, reason in absent.items()]
        title = f"What {len(cells)} attacks on {question.dataset} take"
        return AttackSetForecast(title, sum(here.seconds(cell) for cell in missing), costs, here.workers)

    def _job(self, cell: Cell) -> Job:
        return Job(cell.id, cell.spec, cell.where, self.store, self.options, lambda _: None)

    def found_attack_set(self, text: str | None = None) -> AttackedSets:
        """Return an existing attacked set: by its number or name, by a pool's name, or the newest that was built.

        Raises:
            BadInput: There is none.
        """
        return attack_set_of(self.store, text)

    def attack_set_gallery(self, given: AttackedSets, out: Path | str) -> Path:
        """Draw one image under every attack of a set, with its change beside it; return the file."""
        attacked_gallery(self.store, given.images(), self.root, given.name).save(out)
        return Path(out)


def _planned(question: AttackSetQuestion, planner: Planner) -> tuple[dict[str, Cell], dict[str, str]]:
    """Return the cell of each attack, and why others have none: their libraries are not installed.

    Raises:
        NotInstalled: No attack is left.
        BadInput: One attack is named in two wordings.
    """
    cells: dict[str, Cell] = {}
    absent: dict[str, str] = {}
    for called, request in question.requests().items():
        try:
            cells[called] = planner.plan(request)
        except NotInstalled as error:
            absent[called] = str(error)
    if not cells:
        raise NotInstalled(next(iter(absent.values())))
    refuse_attacks_twice(cells.items())
    return cells, absent
