"""Pools of a session: groups of sets and models with a name, and what attacks leave of all of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stillproof.attack_answers import AttackScore, ImageOutcomes
from stillproof.core.errors import BadInput
from stillproof.core.safe_name import is_file_name
from stillproof.image_finder import export_set, find_set, is_foreign
from stillproof.importers.detect import is_model
from stillproof.model_finder import find_model
from stillproof.report.pools import TITLES, Pool, read_pool
from stillproof.report.runs import find_run_or_call
from stillproof.run.attack_outcomes import read_outcomes
from stillproof.store.links import reached, read_links
from stillproof.store.pools import KINDS, MODELS, SETS
from stillproof.suites.requests import Request
from stillproof.verbs.attacking import Attacking
from stillproof.verbs.pool_scores import PoolScore, ball_of, pool_score


class Pooling(Attacking):
    """Groups what was distilled, trained and imported."""

    def pools(self) -> list[Pool]:
        """Return all pools of the store."""
        return [self.pool(name) for name in self.store.pools.names()]

    def pool(self, name: str) -> Pool:
        """Return a pool with what is in it."""
        return read_pool(self.store, name)

    def pool_add(
        self,
        name: str,
        members: Sequence[str | Path] = (),
        *,
        run: str | None = None,
        dataset: str | None = None,
        network: str = "",
    ) -> list[str]:
        """Put sets and models into a pool, which is made if need be; return the ids of those that are new in it.

        Args:
            name: What the pool is called.
            members: Names, ids or folders of sets and models, and files that ``import`` would take.
            run: A run, or a single call of ``train`` or ``distill``, whose sets and models are added.
            dataset: Data set that third-party files stand for.
            network: The network of a third-party checkpoint, where it cannot be told from the weights.
        """
        if network and not any(is_foreign(str(member)) for member in members):
            raise BadInput("network is for third-party checkpoints, and there is none among these: leave it out.")
        found = [self._member(str(member), dataset, network) for member in members]
        if run is not None:
            found += self._made_by(run)
        if not found:
            raise BadInput("name at least one set or model for the pool, or a run that made some.")
        return self.store.pools.add(name, found)

    def pool_export(self, name: str, out: Path | str) -> list[Path]:
        """Copy all that is in a pool into a folder: ``sets/NAME`` and ``models/NAME``, as artifact folders."""
        pool, places = self.pool(name), []
        for one in pool.members:
            named = is_file_name(one.member.name)  # a store that was merged with another may hold any name
            place = Path(out, TITLES[one.member.kind], one.member.name if named else one.member.artifact[:12])
            if one.member.kind == SETS:
                export_set(self.store, one.member.artifact, place)
            else:
                self.store.artifacts.export(one.member.artifact, place)
            places.append(place)
        return places

    def pool_scores(self, name: str, attacks: Sequence[str], **how: Any) -> PoolScore:
        """Attack all models of a pool, and return BEARD's scores of all together.

        Args:
            name: The pool.
            attacks: At least one attack.
            how: What ``attack`` takes besides: ``eps``, ``limit``, ``targets``, ``protocol``, ``check``.

        Raises:
            BadInput: The pool has no models or mixes data sets, or no attack can be made on a model.
        """
        pool = self.pool(name)
        dataset, models = pool.only_dataset(), pool.of_kind(MODELS)
        if not models:
            raise BadInput(f"pool {name!r} holds no model that could be attacked: add one.")
        under = [self.attack(one.member.artifact, dataset, list(attacks), **how) for one in models]
        return pool_score(name, dataset, [self._judged(score) for score in under])

    def _judged(self, score: AttackScore) -> AttackScore:
        """Return a score whose ``attacks`` are all its attacks, even if there is only one, as suite beard counts them.

        Raises:
            BadInput: None of them can be made.
        """
        every = score.attacks or (score,)
        if all(one.reason is not None for one in every):
            raise BadInput(f"none of these attacks can be made on {score.model}: {every[0].reason}")
        return dataclasses.replace(score, attacks=[self._within_ball(one) for one in every])

    def _within_ball(self, one: AttackScore) -> AttackScore:
        """Return what an attack without a ball comes to within that of its norm, where its protocol asks for that."""
        ball = ball_of(one)
        if ball is None:
            return one
        found = self.answer(Request("within", of=one.asked, norm=ball[0], eps=ball[1]))
        outcomes = ImageOutcomes.of(read_outcomes(self.store, found["outcomes"]))
        return dataclasses.replace(one, robust_accuracy=found["robust_accuracy"], outcomes=outcomes)

    def _member(self, text: str, dataset: str | None, network: str) -> str:
        """Return the id of a set or a model; a third-party file is imported."""
        if not is_foreign(text) and not Path(text, "card.json").is_file():
            return self.store.resolve_artifact(text)
        if not is_foreign(text):
            return self.store.keep_folder(Path(text))
        if dataset is None:
            raise BadInput(f"{text} is a third-party file: name the data set that it stands for with --dataset.")
        if is_model(Path(text)):
            return str(find_model(self, text, dataset, network).artifact)
        return str(find_set(self, text, dataset)[0].artifact)

    def _made_by(self, run: str) -> list[str]:
        """Return the sets and models that the cells of a run made."""
        asked = find_run_or_call(self.store, run)
        with self.store.database.read() as connection:
            links = read_links(connection)
        made = sorted({name for cell in reached(links, asked.cells) for name in links[cell].made})
        return [artifact for kind in KINDS for artifact in self.store.names_of(made, kind)]
