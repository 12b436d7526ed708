"""What a session says of attacked data sets: what came of each attack, and where its images are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from stillproof.attack.protocols.named import attack_protocol
from stillproof.core.errors import BadInput
from stillproof.core.mad_attacks import number_of
from stillproof.core.mad_sets import ROLES, MadSet
from stillproof.core.spec import Json
from stillproof.data.source_split import divided
from stillproof.report.attacked_set_table import attacked_set_table, role_of, title_of
from stillproof.report.tables.markup import dataframe
from stillproof.report.tables.table import Table
from stillproof.run.imported_attack import IMPORTED

NO_MODEL = "no model"  # in place of one
# What a line takes over from the answer of its cell.
NUMBERS = (
    "n",
    "right",
    "clean_accuracy",
    "robust_accuracy",
    "success",
    "success_ci95",
    "turned",
    "median_linf",
    "median_l2",
    "median_l1",
    "passes_per_image",
    "seconds",
    "bytes",
)


@dataclass(frozen=True)
class UnderOneAttack:
    """What one attack made of the images.

    Args:
        attack: What it is called, such as ``mad/13``.
        reference: The attack with its parameters.
        artifact: Its images in the store; None if it could not be made.
        reason: Why it could not, if so.
        numbers: What came of it, by name; fractions.
        warnings: What it noted that one should know, one sentence each.
    """

    attack: str
    reference: str
    artifact: str | None = None
    reason: str | None = None
    numbers: Json = field(default_factory=dict, repr=False)
    warnings: Sequence[str] = ()

    def as_dict(self, like: MadSet) -> Json:
        """Return it as JSON values; ``like`` is MAD's set of such images, and says what it is for there."""
        return {
            "attack": self.attack,
            "number": number_of(self.attack),
            "title": title_of(self.attack),
            "role": role_of(self.attack, like),
            "reference": self.reference,
            "artifact": self.artifact,
            "reason": self.reason,
            "warnings": list(self.warnings),
            **{key: self.numbers.get(key) for key in NUMBERS},
        }


@dataclass(frozen=True)
class AttackedSets:
    """An attacked data set: the same source images under several attacks.

    Args:
        name: What it is called.
        run: The number that the store finds it by; None if it was not built here.
        dataset: The data set of its sources.
        part: Which split of it.
        model: What was attacked.
        per_class: Sources of every class.
        split: Shares of the sources for training, validation and test.
        protocol: ``fair``, ``faithful:mad``, or ``imported`` if nobody knows.
        like: The set of MAD's that it is measured by.
        attacks: What came of each attack.
        notes: What else to know about it, one sentence each.
    """

    name: str
    run: int | None
    dataset: str
    part: str
    model: str
    per_class: int
    split: Sequence[int]
    protocol: str
    like: MadSet
    attacks: Sequence[UnderOneAttack]
    notes: Sequence[str] = ()

    @property
    def artifacts(self) -> list[str]:
        """Return the artifacts, one for each attack that was made."""
        return [one.artifact for one in self.attacks if one.artifact is not None]

    def images(self) -> dict[str, str]:
        """Return the artifact of each attack that was made, by what the attack is called.

        Raises:
            BadInput: There is none.
        """
        found = {one.attack: one.artifact for one in self.attacks if one.artifact is not None}
        if not found:
            raise BadInput(f"{self.name} has no images yet: build it first.")
        return found

    def as_dict(self) -> Json:
        """Return it as JSON values."""
        return {
            "name": self.name,
            "run": self.run,
            "dataset": self.dataset,
            "part": self.part,
            "model": self.model,
            "per_class": self.per_class,
            "split": list(self.split),
            "protocol": self.protocol,
            "like": self.like.name,
            "notes": list(self.notes),
            "attacks": [one.as_dict(self.like) for one in self.attacks],
        }

    def table(self) -> Table:
        """Return one line per attack."""
        least = "at least " if self.protocol == IMPORTED and not any(self.split) else ""
        title = f"{least}{self.per_class} {self.part} images per class of {self.dataset} under attack"
        about = [*(self._imported() if self.protocol == IMPORTED else self._built()), *self.notes]
        return attacked_set_table([one.as_dict(self.like) for one in self.attacks], title, about, self.like)

    def _imported(self) -> list[str]:
        known = ", ".join(f"{count} {role}" for count, role in zip(self.split, ROLES, strict=True))
        split = f"Split as found, {known} in each class." if any(self.split) else "Classes or attacks differ in size."
        asked = "no model was asked of them" if self.model == NO_MODEL else f"success is what {self.model} says of them"
        return [f"Imported: how they were made is not known, and {asked}. {split}"]

    def _built(self) -> list[str]:
        protocol = attack_protocol(self.protocol)
        counts = divided(self.per_class, self.split)
        shares = ", ".join(f"{count} {role}" for count, role in zip(counts, ROLES, strict=True))
        split = (
            f"Sources of a class are split once, alike for all attacks ({shares}): none is learned from and tested on."
            if protocol.splits_sources_once
            else f"Sources of a class are split for each attack anew ({shares}): those that are tested on are learned "
            "from under other attacks."
        )
        made = f"Protocol {protocol.written}, untargeted, to the last step, on {self.model}. {protocol.sentence}"
        return [made, split]

    def __repr__(self) -> str:
        """Return it as text for people."""
        return repr(self.table())

    def _repr_html_(self) -> str:
        """Return what a notebook displays."""
        return self.table()._repr_html_()

    def to_dataframe(self) -> Any:
        """Return one row per attack as a ``pandas.DataFrame``, with fractions.

        Raises:
            BadInput: pandas is not installed.
        """
        rows = [one.as_dict(self.like) for one in self.attacks]
        return dataframe(list(rows[0]), [list(row.values()) for row in rows])
