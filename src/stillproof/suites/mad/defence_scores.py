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
from stillproof.score.over_images import Ends, square_and_add
from stillproof.score.stats import Summary, summarise, summarise_accuracies, wider_of
from stillproof.suites.mad.arena import NONE

Against = Literal["victim", "before"]  # what EDSR is measured against: no defence, or the defence before its shots
Places = NDArray[np.intp]
Pair = tuple[Json, Json]  # what came of an attack, beside the victim's
Part = tuple[int, str]  # of a pair, a key of either answer
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
# What answers call the number of different images behind a share: of a mean over episodes, ``n_judged``, which answers
# of earlier versions lack; then that of one episode stands in, which is less.
COUNTED = {
    "sa": ("n_clean",),
    "sa_after": ("n_clean",),
    "ra": ("n_judged", "n"),
    "ra_after": ("n_judged", "n"),
}


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
            return self._accuracy(self.attacks("all"), "sa_after")
        first = next(iter(self.under.values()))
        known = [(answer["sa"], answer["n_clean"]) for answer in first.results if answer is not None]
        if known and (self.is_victim or len(known) == 1):  # all seeds have one
            return single(known[0][0])
        return summarise_accuracies([value for value, _ in known], known[0][1]) if known else None

    def attacked(self, attacks: Iterable[str], *, after: bool) -> Summary | None:
        """Return the mean accuracy on attacked images before or after the shots.

        Before them, a single network is asked of much the same images in each episode: that tells no interval.
        """
        found = self._accuracy(list(attacks), "ra_after" if after else "ra")
        if found is None or after or (found.over == "seeds" and not self.is_victim):
            return found
        return single(found.mean)

    def gain(self, attacks: Iterable[str]) -> Summary | None:
        """Return what shots give on attacked images, the mean over the attacks."""
        gained = _Measure([(0, "ra_after"), (0, "ra")], lambda after, before: after - before)
        return self._over_seeds(list(attacks), gained)

    def gain_beyond(self, other: Scored, attacks: Iterable[str]) -> Summary | None:
        """Return how much more shots give than they give another network, which drew the same ones."""
        parts = [(which, key) for which in (0, 1) for key in ("ra_after", "ra")]
        more = _Measure(parts, lambda after, before, its_after, its_before: after - before - (its_after - its_before))
        return dataclasses.replace(self, victim=other.under)._over_seeds(list(attacks), more)

    def edsr(self, attacks: Iterable[str], against: Against = "victim", alpha: float = 1.0) -> Summary | None:
        """Return EDSR, of several attacks the mean; nothing where it is not defined of one of them."""
        try:
            return self._over_seeds(list(attacks), _edsr(against, alpha))
        except Unsupported:
            return None

    def edsr_by_seed(self, attacks: Iterable[str]) -> list[float]:
        """Return EDSR of each seed that has all of the attacks; nothing where it is not defined of one of them."""
        measure = _edsr("victim", 1.0)
        try:
            return [measure.of(each) for each in self._known(list(attacks))]
        except Unsupported:
            return []

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
        steps = [[float(one) for one in step] for step in zip(*per_seed, strict=False)]
        return [summarise_accuracies(step, self._counted("ra")) for step in steps]

    def _accuracy(self, attacks: Sequence[str], key: str) -> Summary | None:
        mean = _Measure([(0, key)], lambda share: share)
        found = self._over_seeds(attacks, mean)
        if found is None or found.ci95 is None:
            return found
        if found.over == EPISODES:
            low, high = (min(max(end, 0.0), 1.0) for end in found.ci95)
            return dataclasses.replace(found, ci95=(low, high))
        return summarise_accuracies([mean.of(both) for both in self._known(attacks)], self._counted(key))

    def _counted(self, key: str) -> int:
        return next(images_behind(answer, key) for row in self.rows() for answer in row.results if answer is not None)

    def _over_seeds(self, attacks: Sequence[str], measure: _Measure) -> Summary | None:
        """Return a measure over the seeds that have all attacks; of a single seed over its episodes."""
        known = self._known(attacks)
        if len(known) == 1 and _episodes(known[0]) > 1:
            found = jackknifed(lambda at: measure.of(known[0], at), _episodes(known[0]))
            return wider_of(dataclasses.replace(found, over=EPISODES), map(measure.over_images, known))
        if not known:
            return None
        return wider_of(summarise([measure.of(each) for each in known]), map(measure.over_images, known))

    def _known(self, attacks: Sequence[str]) -> list[list[Pair]]:
        """Return what came of all attacks, beside the victim's, in those seeds that have an answer of every one."""
        found: list[list[Pair]] = []
        for seed in range(len(self.row.results) if attacks else 0):
            pairs = [(self.under[name].results[seed], self.victim[name].results[seed]) for name in attacks]
            known = [(one, other) for one, other in pairs if one is not None and other is not None]
            found += [known] if len(known) == len(pairs) else []
        return found


@dataclass(frozen=True)
class _Measure:
    """A score of each attack that is made of shares of images, and its mean over several attacks.

    Args:
        parts: The shares.
        score: Takes these to the score.
    """

    parts: Sequence[Part]
    score: Callable[..., float]

    def of(self, attacks: Sequence[Pair], at: Places | None = None) -> float:
        """Return the mean over the attacks, over some episodes or all."""
        places = np.arange(_episodes(attacks)) if at is None else at
        return float(np.mean([self.score(*(_share(both, part, places) for part in self.parts)) for both in attacks]))

    def over_images(self, attacks: Sequence[Pair]) -> Ends | None:
        """Return the interval of one seed over the images, if the score is defined within those of all its shares.

        All attacks are on the same images, so that of their mean is no narrower: it has the means of the ends.
        """
        places = np.arange(_episodes(attacks))
        try:
            low, high = np.mean([self._over_images(both, places) for both in attacks], axis=0)
        except Unsupported:
            return None
        return float(low), float(high)

    def _over_images(self, both: Pair, at: Places) -> Ends:
        named = [_same_as(both, part) for part in self.parts]
        own = list(dict.fromkeys(named))

        def score(shares: Sequence[float]) -> float:
            moved = dict(zip(own, shares, strict=True))
            return self.score(*(moved[part] for part in named))

        counts = [images_behind(both[which], key) for which, key in own]
        return square_and_add(score, [_share(both, part, at) for part in own], counts)


def _edsr(against: Against, alpha: float) -> _Measure:
    base = 1 if against == "victim" else 0
    parts = [(base, "sa"), (base, "ra"), (0, "sa_after"), (0, "ra_after")]
    return _Measure(parts, lambda sa, ra, its_sa, its_ra: float(edsr(sa, ra, its_sa, its_ra, alpha)))


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


def _episodes(attacks: Sequence[Pair]) -> int:
    return min(len(one["ra"]) for one, _ in attacks)


def _share(both: Pair, part: Part, at: Places) -> float:
    which, key = part
    value = both[which][key]
    return _mean(value, at) if isinstance(value, list) else float(value)


def images_behind(answer: Json, key: str) -> int:
    """Return how many different images a share of an answer is of."""
    return next(int(answer[name]) for name in COUNTED[key] if name in answer)


def _same_as(both: Pair, part: Part) -> Part:
    """Return the first share that is this one by definition: of the same network, or of one that got no shots."""
    which, key = part
    answer = both[which]
    unchanged = answer["ra"] == answer["ra_after"] and set(answer["sa_after"]) == {answer["sa"]}
    return 0 if both[1] is both[0] else which, key.removesuffix("_after") if unchanged else key


def _mean(values: Sequence[float], at: Places) -> float:
    """Return the mean over some episodes; of an oracle, whose best episode alone counts, that one."""
    return float(np.asarray(values)[at].mean()) if len(values) > 1 else float(values[0])
