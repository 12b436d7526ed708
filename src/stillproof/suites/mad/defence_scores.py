"""What came of one defence before all attacks: accuracies before and after its shots, and EDSR, by group of attacks."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from stillproof.core.errors import Unsupported
from stillproof.core.spec import Json
from stillproof.report.answers import Answered
from stillproof.report.rows import grouped
from stillproof.score.edsr import edsr
from stillproof.score.jackknife import jackknifed
from stillproof.score.stats import Summary, summarise, summarise_accuracies
from stillproof.suites.mad.arena import NONE

Against = Literal["victim", "before"]  # what EDSR is measured against: no defence, or the defence before its shots
Places = NDArray[np.intp]
Pairs = Sequence[tuple[Json, Json]]  # what came of each attack, beside the victim's
# Groups of attacks that averages are of, by the roles in them.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "known": ("train",),
    "choosing": ("validation",),
    "unknown": ("test",),
    "all": ("train", "validation", "test"),
}
OF_DEFENDER = ("dataset", "network", "method", "ipc", "defence", "variant", "start", "supports")
OWN = "own"  # what rows of distilled sets say of attacked sets that were made on their own network
EPISODES = "episodes"


@dataclass(frozen=True)
class Scored:
    """One defence, with the victim that attacked sets were made on.

    Args:
        row: One of its rows, for what it is about.
        under: Its row before each attack, by the attack.
        victim: That of the victim.
    """

    row: Answered
    under: Mapping[str, Answered]
    victim: Mapping[str, Answered]

    @property
    def is_victim(self) -> bool:
        """Say whether it is the network that attacked sets were made on, one for all seeds."""
        return bool(self.row["is_victim"])

    def attacks(self, group: str) -> list[str]:
        """Return the attacks of a group."""
        return [name for name, row in self.under.items() if row["role"] in GROUPS[group]]

    def rows(self) -> list[Answered]:
        """Return its rows."""
        return list(self.under.values())

    def clean(self, *, after: bool) -> Summary | None:
        """Return the accuracy on clean images, after the shots of an attack the mean over all attacks."""
        if after:
            return self._accuracy(self.attacks("all"), "sa_after", "n_clean")
        first = next(iter(self.under.values()))
        known = [(answer["sa"], answer["n_clean"]) for answer in first.results if answer is not None]
        if known and (self.is_victim or len(known) == 1):  # all seeds have one
            return single(known[0][0])
        return summarise_accuracies([value for value, _ in known], known[0][1]) if known else None

    def attacked(self, attacks: Iterable[str], *, after: bool) -> Summary | None:
        """Return the mean accuracy on attacked images before or after the shots.

        Before them, a single network is asked of much the same images in each episode: that tells no interval.
        """
        found = self._accuracy(list(attacks), "ra_after" if after else "ra", "n")
        if found is None or after or (found.over == "seeds" and not self.is_victim):
            return found
        return single(found.mean)

    def gain(self, attacks: Iterable[str]) -> Summary | None:
        """Return what shots give on attacked images, the mean over the attacks."""

        def gained(answers: Pairs, at: Places) -> float:
            return float(np.mean([_mean(one["ra_after"], at) - _mean(one["ra"], at) for one, _ in answers]))

        return self._over_seeds(list(attacks), gained)

    def gain_beyond(self, other: Scored, attacks: Iterable[str]) -> Summary | None:
        """Return how much more shots give than they give another network, which drew the same ones."""

        def more(answers: Pairs, at: Places) -> float:
            gains = [[_mean(each["ra_after"], at) - _mean(each["ra"], at) for each in both] for both in answers]
            return float(np.mean([one - beside for one, beside in gains]))

        return dataclasses.replace(self, victim=other.under)._over_seeds(list(attacks), more)

    def edsr(self, attacks: Iterable[str], against: Against = "victim", alpha: float = 1.0) -> Summary | None:
        """Return EDSR, of several attacks the mean; nothing where it is not defined of one of them."""

        def scores(answers: Pairs, at: Places) -> float:
            return float(np.mean([_edsr(*both, at, against, alpha) for both in answers]))

        try:
            return self._over_seeds(list(attacks), scores)
        except Unsupported:
            return None

    def defined(self, attacks: Iterable[str], against: Against = "victim") -> list[str]:
        """Return those of the attacks of which EDSR is defined in every seed that has an answer."""
        return [name for name in attacks if self.edsr([name], against) is not None]

    def curve(self, attacks: Iterable[str]) -> list[Summary]:
        """Return the mean accuracy on attacked images before and after each step, over seeds.

        Where episodes go on from each other, attacks may end at different ones: then as far as all go.
        """
        per_seed = []
        for both in self._known(list(attacks)):
            least = min(len(one["curve"]) for one, _ in both)
            per_seed.append(np.mean([one["curve"][:least] for one, _ in both], axis=0))
        return [summarise([float(one) for one in step]) for step in zip(*per_seed, strict=False)]

    def _accuracy(self, attacks: Sequence[str], key: str, counted: str) -> Summary | None:
        def mean(answers: Pairs, at: Places) -> float:
            return float(np.mean([_mean(one[key], at) for one, _ in answers]))

        found = self._over_seeds(attacks, mean)
        if found is None or found.ci95 is None:
            return found
        if found.over == EPISODES:
            low, high = (min(max(end, 0.0), 1.0) for end in found.ci95)
            return dataclasses.replace(found, ci95=(low, high))
        n = next(answer[counted] for row in self.rows() for answer in row.results if answer is not None)
        return summarise_accuracies(self._values(attacks, mean), n)

    def _over_seeds(self, attacks: Sequence[str], value: Callable[[Pairs, Places], float]) -> Summary | None:
        """Return a value over the seeds that have all attacks; of a single seed over its episodes."""
        known = self._known(attacks)
        if len(known) == 1 and _episodes(known[0]) > 1:
            return dataclasses.replace(jackknifed(lambda at: value(known[0], at), _episodes(known[0])), over=EPISODES)
        found = self._values(attacks, value)
        return summarise(found) if found else None

    def _values(self, attacks: Sequence[str], value: Callable[[Pairs, Places], float]) -> list[float]:
        return [value(both, np.arange(_episodes(both))) for both in self._known(attacks)]

    def _known(self, attacks: Sequence[str]) -> list[Pairs]:
        """Return what came of all attacks, beside the victim's, in those seeds that have an answer of every one."""
        found: list[Pairs] = []
        for seed in range(len(self.row.results) if attacks else 0):
            pairs = [(self.under[name].results[seed], self.victim[name].results[seed]) for name in attacks]
            known = [(one, other) for one, other in pairs if one is not None and other is not None]
            found += [known] if len(known) == len(pairs) else []
        return found


def single(value: float) -> Summary:
    """Return a number of one network, which has no interval."""
    return Summary(value, None, 1, None, over="networks")


def common_attacks(every: Sequence[Scored]) -> dict[str, list[str]]:
    """Return the attacks of each group of which EDSR is defined for every one, so that all means are over the same.

    One without any answer yet keeps none from having a mean.
    """
    return {group: _common(every, group) for group in GROUPS}


def _common(every: Sequence[Scored], group: str) -> list[str]:
    found = [(one.attacks(group), set(one.defined(one.attacks(group)))) for one in every]
    answered = [(attacks, defined) for attacks, defined in found if defined]
    return [name for name in found[0][0] if all(name in defined for _, defined in answered)] if answered else []


def scored(rows: Sequence[Answered]) -> list[Scored]:
    """Return every defence of some rows; those of the victim must be among them."""
    adapting = [row for row in rows if row["measure"] == "adapt"]
    victims: dict[tuple[Any, ...], dict[str, Answered]] = {}
    for row in adapting:
        if row["is_victim"] or (row["made_on"] == OWN and row["defence"] == NONE):
            victims.setdefault(_victim_of(row), {})[str(row["attack"])] = row
    return [
        Scored(group[0], {str(row["attack"]): row for row in group}, victims[_victim_of(group[0])])
        for group in grouped(adapting, *OF_DEFENDER).values()
    ]


def _victim_of(row: Answered) -> tuple[Any, ...]:
    """Return what tells the undefended network that a row's attacked sets were made on."""
    return tuple(row[key] for key in (("dataset", "method", "ipc") if row["made_on"] == OWN else ("dataset",)))


def _episodes(both: Pairs) -> int:
    return min(len(one["ra"]) for one, _ in both)


def _mean(values: Sequence[float], at: Places) -> float:
    """Return the mean over some episodes; of an oracle, whose best episode alone counts, that one."""
    return float(np.asarray(values)[at].mean()) if len(values) > 1 else float(values[0])


def _edsr(one: Json, victim: Json, at: Places, against: Against, alpha: float) -> float:
    """Return EDSR of the means over some episodes."""
    base = victim if against == "victim" else one
    before, after, clean_after = _mean(base["ra"], at), _mean(one["ra_after"], at), _mean(one["sa_after"], at)
    return float(edsr(base["sa"], before, clean_after, after, alpha))
