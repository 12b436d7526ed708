"""Two contenders side by side: which of their networks are paired, and what must be said beside the difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stillproof.core.errors import BadInput
from stillproof.report.compare.contender import Contender, TestedNetwork

WORDS = {"dataset": "data set", "ipc": "images per class"}


@dataclass(frozen=True, slots=True)
class Match:
    """Two contenders that were tested on the same images."""

    first: Contender
    second: Contender

    def __post_init__(self) -> None:
        """Refuse answers for different images."""
        tests = {network.test for side in (self.first, self.second) for network in side.networks}
        if len(tests) > 1:
            found = " and ".join(sorted(tests))
            raise BadInput(
                f"{self.first.name} and {self.second.name} cannot be compared: they were tested on different images, "
                f"{found}; only predictions for the same images can be paired."
            )

    @property
    def shares_seeds(self) -> bool:
        """Say whether both have an answer of the same seed."""
        return bool(_by_seed(self.first).keys() & _by_seed(self.second).keys())

    @property
    def pairs(self) -> list[tuple[TestedNetwork, TestedNetwork]]:
        """Return the networks of each seed that both have; if there is none, the one at each place."""
        first, second = _by_seed(self.first), _by_seed(self.second)
        if self.shares_seeds:
            return [(first[seed], second[seed]) for seed in sorted(first.keys() & second.keys())]
        return list(zip(self.first.networks, self.second.networks, strict=False))

    @property
    def cells(self) -> tuple[list[str], list[str]]:
        """Return the cells of the networks that are paired."""
        return [one.cell for one, _ in self.pairs], [other.cell for _, other in self.pairs]

    @property
    def about(self) -> Mapping[str, Any]:
        """Return what both say of themselves; where they differ, both of it."""
        return {key: one if one == other else f"{one} / {other}" for key, (one, other) in self._said().items()}

    def caveats(self) -> list[str]:
        """Say what else differs, and which answers were left out."""
        found = []
        different = [
            f"{WORDS.get(key, key)} {one} and {other}" for key, (one, other) in self._said().items() if one != other
        ]
        names = {key: self.first.about.get(key) == self.second.about.get(key) for key in ("network", "recipe")}
        one, other = self.first.networks[0].code, self.second.networks[0].code
        different += [f"the code of their {key}" for key, same in names.items() if same and one[key] != other[key]]
        both = f"{self.first.name} and {self.second.name}"
        if different:
            found.append(f"{both} also differ in {', '.join(different)}: the difference may be due to any of these.")
        if not self.shares_seeds and len(self.pairs) > 1:
            found.append(
                f"{both} share no seeds, so their seeds are compared as two samples (Welch's interval and test)."
            )
        left = len(self.first.networks) + len(self.second.networks) - 2 * len(self.pairs)
        if left:
            found.append(f"{both}: seeds that only one of them has are left out ({left}).")
        return found

    def _said(self) -> dict[str, tuple[Any, Any]]:
        keys = dict.fromkeys((*self.first.about, *self.second.about))
        return {key: (_shown(self.first.about.get(key)), _shown(self.second.about.get(key))) for key in keys}


def _by_seed(side: Contender) -> dict[int, TestedNetwork]:
    return {network.seed: network for network in side.networks}


def _shown(value: Any) -> Any:
    return "all" if value is None else value
