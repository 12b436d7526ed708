"""The models of one number of images per class under all attacks of one mode: what each seed has, with and without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from stillproof.report.answers import Answered

Quantity = Literal["accuracy", "seconds", "passes"]
# What answers call a quantity without an attack and under it; without one, an image is looked at once.
NAMES: Mapping[Quantity, tuple[str | None, str]] = {
    "accuracy": ("clean_accuracy", "robust_accuracy"),
    "seconds": ("clean_seconds", "seconds"),
    "passes": (None, "passes_to_success"),
}
CLEAN_PASSES = 1.0


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

    def of_seed(self, what: Quantity, seed: int) -> tuple[float, list[float]] | None:
        """Return a quantity of a seed's model without an attack and under each; nothing if one of them is missing.

        Passes are those to the first success, which attacks that fool nothing do not have: these are left out.
        """
        before, under = NAMES[what]
        answers = [row.results[seed] for row in (self.time if what == "seconds" else self.accuracy).values()]
        known = [answer for answer in answers if answer is not None]
        if not known or len(known) < len(answers):
            return None
        clean = CLEAN_PASSES if before is None else min(float(answer[before]) for answer in known)  # times differ
        found = [float(answer[under]) for answer in known if answer[under] is not None]
        return (clean, found) if found else None

    def worst_of_seed(self, seed: int) -> float | None:
        """Return the accuracy that is left if each image meets the attack that is worst for it."""
        return None if self.worst is None else self.worst.values("robust_accuracy")[seed]


def attacked(ipc: int | None, rows: Sequence[Answered]) -> Attacked:
    """Return rows of the same models and mode by what they measure."""

    def measured(what: str) -> dict[str, Answered]:
        return {str(row["attack"]): row for row in rows if row["measure"] == what}

    return Attacked(ipc, measured("accuracy"), measured("time"), measured("worst").get("None"))
