"""A method's models under all attacks of one mode, and their scores: of one size of sets, or of all sizes pooled."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from stillproof.core.components import metrics
from stillproof.core.reference import write_reference
from stillproof.report.answers import Answered, mean_of_all
from stillproof.report.rows import grouped
from stillproof.score.metric import AttackedModel, AttackOutcome, Metric, UnderAttack
from stillproof.score.stats import Summary, summarise

ALPHA = 0.5  # weight of the robustness ratio in CREI; the rest is that of attack efficiency
ALPHAS = tuple(tenths / 10 for tenths in range(0, 11, 2))  # those that CREI is shown at
# The rows that were assessed last, and what came of them.
_LAST: deque[tuple[list[Answered], list[Assessed]]] = deque(maxlen=2)
WHERE = ("dataset", "network", "method", "defence", "mode")


@dataclass(frozen=True, slots=True)
class Attacked:
    """The models of one number of images per class: their rows by attack, and that of the worst case over all attacks.

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

    def of_seed(self, seed: int) -> AttackedModel:
        """Return a seed's model; attacks that are not supported are left out, as in BEARD."""
        made = {attack: row.answer(seed) for attack, row in self.accuracy.items() if not row.unsupported}
        timed = {attack: row.answer(seed) for attack, row in self.time.items() if not row.unsupported}
        known = [answer.result for answer in made.values() if answer is not None]
        times = [answer.result["clean_seconds"] for answer in timed.values() if answer is not None]
        clean_seconds = min(times, default=None)  # they differ from attack to attack
        attacks = {}
        for attack, answer in made.items():
            time = timed.get(attack)
            # The seconds of an attack begin after the clean predictions, whose time is added: BEARD times whole passes.
            seconds = None if time is None or clean_seconds is None else clean_seconds + time.result["seconds"]
            attacks[attack] = AttackOutcome(None, seconds=seconds)
            if answer is not None:
                found = answer.result
                arrays = answer.arrays
                attacks[attack] = AttackOutcome(found["robust_accuracy"], found["passes_to_success"], seconds, arrays)
        return AttackedModel(
            clean_accuracy=min((result["clean_accuracy"] for result in known), default=None),
            attacks=attacks,
            clean_seconds=clean_seconds,
            worst_case=None if self.worst is None else self.worst.values("robust_accuracy")[seed],
            images=self._images(),
        )

    def _images(self) -> int | None:
        """Return how many test images each model was attacked on."""
        rows = [*self.accuracy.values(), *([] if self.worst is None else [self.worst])]
        return next((count for row in rows if (count := row.counted("n")) is not None), None)


@dataclass(frozen=True, slots=True)
class Assessed:
    """The models of a method, all with the same number of images per class, or of several numbers, which are pooled.

    All scores are computed seed by seed, and each once; a seed that lacks an attack has none.
    """

    row: Answered  # says what they are about
    parts: Sequence[Attacked]
    _evidence: list[UnderAttack] = field(default_factory=list, init=False, repr=False, compare=False)
    _scores: dict[str, Summary | None] = field(default_factory=dict, init=False, repr=False, compare=False)

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

    def evidence(self) -> list[UnderAttack]:
        """Return the models of each seed, those of all sizes together."""
        if not self._evidence:
            seeds = range(len(self.row.results))
            self._evidence.extend(UnderAttack([part.of_seed(seed) for part in self.parts]) for seed in seeds)
        return self._evidence

    def score(self, metric: str) -> Summary | None:
        """Return a metric over the seeds that have it."""
        if metric not in self._scores:
            found: Metric[UnderAttack] = metrics.build(metric)
            self._scores[metric] = found.over_seeds(self.evidence())
        return self._scores[metric]

    def crei(self, alpha: float = ALPHA) -> Summary | None:
        """Return CREI at some weight; on passes, if nothing was timed."""
        return self.score(write_reference("crei" if self.is_timed else "crei-passes", {"alpha": alpha}))

    def milliseconds(self) -> Summary | None:
        """Return the mean time of an attack on one image, over all attacks."""
        found: list[float | None] = []
        for seed in range(len(self.row.results)):
            timed = [row.results[seed] for part in self.parts for row in part.time.values() if not row.unsupported]
            found.append(mean_of_all([None if one is None else 1000 * one["seconds"] / one["images"] for one in timed]))
        known = [value for value in found if value is not None]
        return summarise(known) if known else None


def assessed(rows: Sequence[Answered]) -> list[Assessed]:
    """Return, for each method and mode, its models of each size, then all sizes together if there are several.

    Tables, figures and cards of the same rows share what was computed of them.
    """
    for known, found in _LAST:
        if len(known) == len(rows) and all(one is other for one, other in zip(known, rows, strict=True)):
            return found
    _LAST.append((list(rows), _assessed(rows)))
    return _LAST[-1][1]


def _assessed(rows: Sequence[Answered]) -> list[Assessed]:
    found = []
    for group in grouped(rows, *WHERE).values():
        sizes = {ipc: same for (ipc,), same in grouped(group, "ipc").items()}
        parts = {ipc: _attacked(ipc, same) for ipc, same in sizes.items()}
        found += [Assessed(_speaker(sizes[ipc]), [part]) for ipc, part in parts.items()]
        if len(parts) > 1:
            found.append(Assessed(_speaker(group), list(parts.values())))
    return found


def _attacked(ipc: int | None, rows: Sequence[Answered]) -> Attacked:
    """Return rows of the same models and mode by what they measure."""

    def measured(what: str) -> dict[str, Answered]:
        return {str(row["attack"]): row for row in rows if row["measure"] == what}

    worst = next((row for row in rows if row["measure"] == "worst"), None)
    return Attacked(ipc, measured("accuracy"), measured("time"), worst)


def _speaker(rows: Sequence[Answered]) -> Answered:
    """Return the first row that knows the number of test images, if there is one: it speaks for all of them."""
    return next((row for row in rows if row.counted("n") is not None), rows[0])
