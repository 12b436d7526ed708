"""The models of one number of images per class under all attacks of one mode: what each seed has, with and without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from stillproof.report.answers import Answered

Quantity = Literal["accuracy", "seconds", "passes"]
# What answers call a quantity without an attack and under it; without one, an image is looked at once. The seconds of
# an attack begin after the clean predictions, whose time is added, as BEARD times whole passes.
NAMES: Mapping[Quantity, tuple[str | None, str]] = {
    "accuracy": ("clean_accuracy", "robust_accuracy"),
    "seconds": ("clean_seconds", "seconds"),
    "passes": (None, "passes_to_success"),
}
CLEAN_PASSES = 1.0
Pool = tuple[list[float], list[list[float]]]  # one clean value per model, and one list of attacks


@dataclass(frozen=True, slots=True)
class Attacked:
    """The rows of some models, by attack, and that of the worst case over all attacks.

    Args:
        ipc: Images per class that they were trained on; none for all images.
        accuracy: Rows of accuracies and passes.
        time: Rows of seconds; none if nothing was timed.
        worst: The row of the worst case.
    """

    ipc: int | None
    accuracy: Mapping[str, Answered]
    time: Mapping[str, Answered]
    worst: Answered | None

    def rows(self) -> list[Answered]:
        """Return all rows."""
        return [*self.accuracy.values(), *self.time.values(), *([] if self.worst is None else [self.worst])]

    def of_seed(self, what: Quantity, seed: int) -> tuple[float, dict[str, float]] | None:
        """Return a quantity of a seed's model without an attack and under each; nothing if one of them is missing.

        Attacks that are not supported are left out, as in BEARD. Passes are those to the first success, which attacks
        that fool nothing do not have: these are left out, too.
        """
        before, under = NAMES[what]
        rows = self.time if what == "seconds" else self.accuracy
        answers = {attack: row.results[seed] for attack, row in rows.items() if not row.unsupported}
        known = {attack: answer for attack, answer in answers.items() if answer is not None}
        if not known or len(known) < len(answers):
            return None
        # Times differ from attack to attack.
        clean = CLEAN_PASSES if before is None else min(float(answer[before]) for answer in known.values())
        first = clean if what == "seconds" else 0.0
        found = {name: first + float(answer[under]) for name, answer in known.items() if answer[under] is not None}
        return (clean, found) if found else None

    def worst_of_seed(self, seed: int) -> float | None:
        """Return the accuracy that is left if each image meets the attack that is worst for it."""
        return None if self.worst is None else self.worst.values("robust_accuracy")[seed]


def pool_of_seed(parts: Sequence[Attacked], what: Quantity, seed: int) -> Pool | None:
    """Return a quantity of a seed's models of all sizes; nothing if one of them is missing."""
    known = [values for part in parts if (values := part.of_seed(what, seed)) is not None]
    if len(known) < len(parts):
        return None
    return [clean for clean, _ in known], [list(under.values()) for _, under in known]


def attacked(ipc: int | None, rows: Sequence[Answered]) -> Attacked:
    """Return rows of the same models and mode by what they measure."""

    def measured(what: str) -> dict[str, Answered]:
        return {str(row["attack"]): row for row in rows if row["measure"] == what}

    return Attacked(ipc, measured("accuracy"), measured("time"), measured("worst").get("None"))
