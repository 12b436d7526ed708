"""The values of a configuration of BEARD, one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stillproof.core.errors import BadInput
from stillproof.importers.beard_names import ATTACKS, DATASETS, NETWORKS, known

NONE = (None, "", "None", "none", False)


@dataclass(frozen=True)
class BeardValues:
    """What a configuration says; what it does not say has BEARD's default."""

    path: Path
    values: Mapping[str, Any]

    @property
    def dataset(self) -> str:
        """Return the data set, by its name here."""
        return known("data set", str(self.values["dataset"]), DATASETS)

    @property
    def network(self) -> str:
        """Return the network, by its name here."""
        return known("network", str(self.values["model"]), NETWORKS)

    @property
    def attacks(self) -> dict[str, str]:
        """Return the attacks by their names there, with those here; no attack is none."""
        asked = self.values.get("test_attack")
        wanted = [] if asked in NONE else asked if isinstance(asked, list) else [asked]
        return {name: ours for name in map(str, wanted) if (ours := known("attack", name, ATTACKS)) != "none"}

    @property
    def aims(self) -> list[bool]:
        """Return whether attacks are targeted, untargeted, or both in turn."""
        aims = self.values.get("target_attack", True)
        return [bool(aim) for aim in (aims if isinstance(aims, list) else [aims])]

    @property
    def loads_model(self) -> bool:
        """Say whether it attacks a model that is there, instead of training one."""
        return self.values.get("load_file") not in NONE

    def is_set(self, name: str) -> bool:
        """Say whether a switch is on; all are off by default."""
        return self.values.get(name) not in NONE

    def place(self, name: str) -> Path | None:
        """Return the file that a value names, seen from the configuration's folder; nothing if it names none."""
        return None if self.values.get(name) in NONE else self.path.parent / str(self.values[name])

    def number(self, name: str) -> float | int:
        """Return a number above 0."""
        try:
            value = float(self.values[name])
        except (TypeError, ValueError):
            raise BadInput(f"{self.path}: {name} is {self.values[name]!r}, where a number is needed.") from None
        if not value > 0:
            raise BadInput(f"{self.path}: {name} is {value:g}, where a number above 0 is needed.")
        return int(value) if value.is_integer() else value
