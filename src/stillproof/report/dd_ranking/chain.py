"""The steps from random images to a method's full accuracy, and what each of them adds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stillproof.report.answers import Answered
from stillproof.report.rows import complete, grouped, paired
from stillproof.report.tables.table import Difference
from stillproof.score.stats import Summary, summarise, summarise_accuracies

STEPS = ("random images, hard labels, no augmentation", "its images", "its labels", "its augmentation")


@dataclass(frozen=True, slots=True)
class Chain:
    """One method with one number of images: the accuracy after each of ``STEPS``."""

    row: Answered
    steps: Sequence[Answered | None]

    def rows(self) -> list[Answered]:
        """Return the steps that were asked for."""
        return [row for row in self.steps if row is not None]

    def added(self) -> dict[str, Difference | None]:
        """Return what each step adds to the one before it, seed by seed."""
        pairs = zip(STEPS[1:], self.steps, self.steps[1:], strict=False)
        return {
            name: None if row is None or before is None else paired(row.values(), before.values())
            for name, before, row in pairs
        }

    def whole(self) -> tuple[list[Summary | None], Summary | None]:
        """Return the start with what each step adds, and the total, over those seeds that have all steps."""
        seeds = self._seeds()
        if not seeds:
            return [None] * len(STEPS), None
        parts = [summarise([seed[0] for seed in seeds])]
        parts += [summarise([seed[step] - seed[step - 1] for seed in seeds]) for step in range(1, len(STEPS))]
        counted = next((count for row in reversed(self.rows()) if (count := row.counted())), None)
        return [*parts], summarise_accuracies([seed[-1] for seed in seeds], counted)

    def is_uneven(self) -> bool:
        """Say whether some seeds have some of the steps only."""
        return any(len(self._seeds()) != len(row.results) - row.missing for row in self.rows())

    def _seeds(self) -> list[tuple[float, ...]]:
        return complete(*(row.values() if row is not None else [] for row in self.steps))


def chains_of(rows: Sequence[Answered]) -> list[Chain]:
    """Return what the rows ask about, in their order."""
    return [_chain(group) for group in grouped(rows, "dataset", "network", "method", "ipc").values()]


def _chain(group: Sequence[Answered]) -> Chain:
    found = {row["step"]: row for row in group}
    last = next((found[step] for step in reversed(STEPS) if step in found), group[0])
    return Chain(last, [found.get(step) for step in STEPS])
