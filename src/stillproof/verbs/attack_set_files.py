"""Attacked data sets of a session as files: in MAD's folder layout, from others and for others."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stillproof.attacked_sets import AttackedSets
from stillproof.core.errors import BadInput, DataMissing
from stillproof.core.mad_attacks import ATTACKS, PREFIX, number_of
from stillproof.core.mad_sets import set_like
from stillproof.core.safe_name import safe_name
from stillproof.core.spec import Json
from stillproof.core.types import DataInfo, ImageSet, Split
from stillproof.data.load import load, source
from stillproof.importers.mad_folder import AttackFolder, find_attacks, first_of, read_attack
from stillproof.model_finder import GivenModel, find_model
from stillproof.run.attacked_model import AttackedModel, plan_model, read_attacked
from stillproof.run.imported_attack import ImportedAttacks
from stillproof.run.mad_layout import appearing_folder, attack_folders, write_attack
from stillproof.run.stage import Job
from stillproof.store.error_sentences import disk_trouble
from stillproof.store.pools import check_name
from stillproof.verbs.attack_sets import AttackSets
from stillproof.verbs.attacked_pool import are_alike, attacked_cards, attacked_pool

log = logging.getLogger("stillproof")

NUMBERS = frozenset(str(one.number) for one in ATTACKS)


@dataclass(frozen=True)
class ImportedAttackSet:
    """Imported attacked images, in the store now.

    Args:
        made: What came of each attack.
        pool: The pool that they are in.
        found: What was found out about the folder, one sentence each.
    """

    made: AttackedSets
    pool: str
    found: Sequence[str]

    def as_dict(self) -> Json:
        """Return it as JSON values."""
        return self.made.as_dict() | {"pool": self.pool, "found": list(self.found)}


class AttackSetFiles(AttackSets):
    """Imports attacked data sets from folders in MAD's layout, and writes such folders."""

    def attack_set_import(
        self,
        folder: Path | str,
        dataset: str,
        *,
        part: Split = "test",
        model: GivenModel | None = None,
        pool: str | None = None,
        network: str = "",
    ) -> ImportedAttackSet:
        """Import a folder in MAD's layout: an attacked set for each attack, all in one pool.

        The source of each image is the nearest clean image of its class, where the data set is at hand. Pictures that
        are broken or of another size are left out, and named.

        Args:
            folder: The folder, whose folders are attacks.
            dataset: The data set that the images were made from.
            part: Which split of it.
            model: A model to classify the images, clean and attacked, as ``attack`` takes it; it needs the data set.
            pool: Name of the pool; by default that of the folder.
            network: The network of a third-party checkpoint, where it cannot be told from the weights.
        """
        root, info = Path(folder), source(dataset).info
        pool = safe_name(root.resolve().name) or "imported" if pool is None else pool
        check_name(pool)
        with disk_trouble(root):
            attacks, strange = find_attacks(root, info)
        data = self._clean_images(dataset, part, needed=model is not None)
        judge = None if model is None else self._judge(model, dataset, info, network)
        how = ImportedAttacks(self.store, dataset, part, info, data, judge, self.device)
        found = [f"no part of MAD's layout, and left out: {first_of(strange)}."] if strange else []
        with disk_trouble(root):
            made, left_out = self._import_attacks(attacks, how, pool)
        if not made:
            raise BadInput(f"{root} holds no picture that can be used: {left_out[0]}")
        self.store.pools.add(pool, made)
        return ImportedAttackSet(attacked_pool(self.store, pool), pool, [*found, *left_out, *_missing(attacks, info)])

    def attack_set_export(self, given: AttackedSets | str, out: Path | str) -> list[Path]:
        """Write an attacked set in MAD's layout into a new or empty folder; return the folders of the attacks."""
        found = self.found_attack_set(given) if isinstance(given, str) else given
        artifacts = found.images()
        folders, out = attack_folders(list(artifacts)), Path(out)
        with disk_trouble(out), appearing_folder(out) as partial:
            for called, artifact in artifacts.items():
                write_attack(partial / folders[called], self.store.artifacts.arrays(artifact))
        return [out / folder for folder in folders.values()]

    def _import_attacks(
        self, attacks: Sequence[AttackFolder], how: ImportedAttacks, pool: str
    ) -> tuple[list[str], list[str]]:
        """Return the artifacts that were made of folders, and why others were left out, one sentence each."""
        cards = attacked_cards(self.store, pool)
        if not are_alike([how.shared, *cards.values()]):
            raise BadInput(f"pool {pool!r} holds other attacked sets, or another model's answers: name another pool.")
        there = {card["called"]: artifact for artifact, card in cards.items()}
        made, left_out = [], []
        for attack in attacks:
            called, read = _called(attack), read_attack(attack, how.info)
            if not len(read.labels):
                reason = f"none of its {len(attack.files)} pictures can be used: {first_of(read.refused)}"
                left_out.append(f"{called} is left out, since {reason if attack.files else 'it has no picture'}.")
                continue
            artifact = how.keep(called, read)
            if there.get(called, artifact) != artifact:
                raise BadInput(f"pool {pool!r} holds other images of {called} already: name another pool.")
            log.info("%s: %d images", called, len(read.labels))
            made.append(artifact)
        return made, left_out

    def _clean_images(self, dataset: str, part: Split, *, needed: bool) -> ImageSet | None:
        """Return the clean images, if they are at hand; a model must be asked of them, too."""
        try:
            return load(dataset, part, self.root)
        except DataMissing:
            if needed:
                raise
            return None

    def _judge(self, model: GivenModel, dataset: str, info: DataInfo, network: str) -> AttackedModel:
        """Return a model, trained if need be."""
        planner = self._planner()
        planned = plan_model(planner, find_model(self, model, dataset, network), dataset)
        self.execute(planner)
        return read_attacked(planned.spec, Job("", {}, {}, self.store, self.options, lambda _: None), info)


def _called(attack: AttackFolder) -> str:
    return f"{PREFIX}{attack.name}" if attack.name in NUMBERS else attack.name


def _missing(attacks: Sequence[AttackFolder], info: DataInfo) -> list[str]:
    """Name the attacks of MAD's set of such images that have no folder."""
    like, here = set_like(info), {number_of(_called(attack)) for attack in attacks}
    missing = [str(number) for number in like.numbers if number not in here]
    if not missing or here == {None}:
        return []
    return [
        f"{len(missing)} of the {len(like.numbers)} attacks of {like.name.upper()} are not there: {', '.join(missing)}."
    ]
