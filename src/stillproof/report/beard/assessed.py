"""A method's models under all attacks of one mode, and their scores: of one size of sets, or of all sizes pooled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from stillproof.core.errors import Unsupported
from stillproof.report.answers import Answered, mean_of_all
from stillproof.report.beard.attacked import Attacked, Pool, Quantity, attacked, pool_of_seed
from stillproof.report.rows import Values, grouped
from stillproof.score.robustness import attack_efficiency, crei, mean_accuracy, robustness_ratio
from stillproof.score.stats import Summary, summarise, summarise_accuracies

ALPHA = 0.5  # weight of the robustness ratio in CREI; the rest is that of attack efficiency
ROBUST = "robust_accuracy"
WHERE = ("dataset", "network", "method", "defence", "mode")


@dataclass(frozen=True, slots=True)
class Assessed:
    """The models of a method, all with the same number of images per class, or of several numbers, which are pooled.

    All scores are computed seed by seed; a seed that lacks an attack has none.
    """

    row: Answered  # says what they are about
    parts: Sequence[Attacked]

    @property
    def sizes(self) -> str:
        """Say how many images per class there are."""
        numbers = ", ".join("all" if part.ipc is None else str(part.ipc) for part in self.parts)
        return f"pooled: {numbers}" if len(self.parts) > 1 else numbers

    def rows(self) -> list[Answered]:
        """Return all rows that the scores stand on."""
        return [row for part in self.parts for row in part.rows()]

    @property
    def is_timed(self) -> bool:
        """Say whether the time of attacks was asked for."""
        return any(part.time for part in self.parts)

    @property
    def images(self) -> int | None:
        """Return how many test images each model was attacked on."""
        return self.row.counted(ROBUST)

    def ratio(self) -> Summary | None:
        """Return the robustness ratio."""
        return _summary(self._scores("accuracy", robustness_ratio))

    def efficiency(self, what: Quantity = "seconds") -> Summary | None:
        """Return the attack efficiency, on seconds or on passes."""
        return _summary(self._scores(what, attack_efficiency))

    def crei(self, alpha: float = ALPHA) -> Summary | None:
        """Return both in one; on passes, if nothing was timed."""
        what: Quantity = "seconds" if self.is_timed else "passes"
        both = zip(self._scores("accuracy", robustness_ratio), self._scores(what, attack_efficiency), strict=True)
        return _summary([None if rr is None or ae is None else crei(rr, ae, alpha) for rr, ae in both])

    def clean(self) -> Summary | None:
        """Return the clean accuracy on the images that are attacked."""
        return self.accuracies([None if pool is None else fmean(pool[0]) for pool in self._pools("accuracy")])

    def under_attack(self) -> Summary | None:
        """Return the mean accuracy over all attacks."""
        return self.accuracies([None if pool is None else mean_accuracy(pool[1]) for pool in self._pools("accuracy")])

    def worst(self) -> Summary | None:
        """Return the accuracy that is left if each image meets the attack that is worst for it."""
        found = [[part.worst_of_seed(seed) for part in self.parts] for seed in self._seeds()]
        return self.accuracies([mean_of_all(values) for values in found])

    def milliseconds(self) -> Summary | None:
        """Return the mean time of an attack on one image, over all attacks."""
        found: list[float | None] = []
        for seed in self._seeds():
            timed = [row.results[seed] for part in self.parts for row in part.time.values() if not row.unsupported]
            found.append(mean_of_all([None if one is None else 1000 * one["seconds"] / one["images"] for one in timed]))
        return _summary(found)

    def accuracies(self, values: Values) -> Summary | None:
        """Return the summary of accuracies on the images that are attacked, or of their means over the sizes."""
        known = [value for value in values if value is not None]
        # The mean of shares of as many images is a share of all of them together.
        total = None if self.images is None else self.images * len(self.parts)
        return summarise_accuracies(known, total) if known else None

    def _scores(self, what: Quantity, score: Callable[..., float]) -> Values:
        return [None if pool is None else _scored(score, pool) for pool in self._pools(what)]

    def _pools(self, what: Quantity) -> list[Pool | None]:
        return [pool_of_seed(self.parts, what, seed) for seed in self._seeds()]

    def _seeds(self) -> range:
        return range(len(self.row.results))


def assessed(rows: Iterable[Answered]) -> list[Assessed]:
    """Return, for each method and mode, its models of each size, then all sizes together if there are several."""
    found = []
    for group in grouped(rows, *WHERE).values():
        sizes = {ipc: same for (ipc,), same in grouped(group, "ipc").items()}
        parts = {ipc: attacked(ipc, same) for ipc, same in sizes.items()}
        found += [Assessed(_speaker(sizes[ipc]), [part]) for ipc, part in parts.items()]
        if len(parts) > 1:
            found.append(Assessed(_speaker(group), list(parts.values())))
    return found


def _speaker(rows: Sequence[Answered]) -> Answered:
    """Return the first row that knows the number of test images, if there is one: it speaks for all of them."""
    return next((row for row in rows if row.counted(ROBUST) is not None), rows[0])


def _scored(score: Callable[..., float], pool: Pool) -> float | None:
    """Return a score; nothing where it is not defined, as that of one attack alone is not."""
    try:
        return score(*pool)
    except Unsupported:
        return None


def _summary(values: Values) -> Summary | None:
    known = [value for value in values if value is not None]
    return summarise(known) if known else None
