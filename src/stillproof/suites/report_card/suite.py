"""Suite report-card: how good is a distilled set, on every side?"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from stillproof.core.components import suites
from stillproof.core.presets import Preset, Scale, preset_params
from stillproof.core.reference import parse_reference
from stillproof.report.section import Section
from stillproof.suites.report_card.parts import SECTIONS, part_sections, section_name
from stillproof.suites.report_card.summary import SECTION as SUMMARY
from stillproof.suites.requests import Row

# One repetition of MAD's questions takes as long as the other suites together; its intervals are over episodes.
ONCE = "mad:seeds=1"
QUICK = {
    "scale": "quick",
    "dataset": ("digits",),
    "methods": ("random", "k-center", "dm"),
    "ipc": (10,),
    "seeds": 3,
    "suites": ("dc-bench", "dd-ranking", "beard", ONCE),
}
SMOKE = QUICK | {"scale": "smoke", "methods": ("random", "dm"), "ipc": (1,), "seeds": 2}
PRESETS = (Preset("paper", {"scale": "paper"}), Preset("quick", QUICK), Preset("smoke", SMOKE))
# What suites call the recipe for distilled sets, where it is not ``recipe``.
RECIPES = {"mad": "distilled_recipe"}
# All networks meet the same attacked images, so that their EDSR can be compared.
SETTLED: Mapping[str, Mapping[str, Any]] = {"mad": {"own_sets": False}}


@suites.register("report-card", version=1)
@dataclass(frozen=True)
class ReportCard:
    """Several suites at once, about the same methods; what they ask alike is computed once.

    Args:
        dataset: Data sets.
        methods: Distillers, with parameters where wanted, and existing sets: an artifact's name, id or folder, or a
            third-party file.
        ipc: Images per class of distilled sets; an existing set has its own number.
        seeds: Repetitions, in suites that are not given others.
        network: The network that methods distil with and suites train: it takes the place of the first in the list of
            each; that of the scale unless told.
        recipe: How networks are trained on distilled sets, in all suites; as the scale has it unless told.
        suites: The suites, with parameters of theirs where wanted, as in ``beard:limit=100``.
        scale: Presets of the suites and distillers: smoke, quick or paper.
    """

    dataset: tuple[str, ...] = ("cifar10",)
    methods: tuple[str, ...] = ("random", "dc", "dsa", "dm", "mtt")
    ipc: tuple[int, ...] = (1, 10, 50)
    seeds: int = 5
    network: str = ""
    recipe: str = ""
    suites: tuple[str, ...] = ("dc-bench", "dd-ranking", "beard", "mad")
    scale: Scale = "paper"

    presets: ClassVar[Sequence[Preset]] = PRESETS
    reports: ClassVar[Sequence[Section[Any]]] = (SUMMARY, *part_sections())

    def __post_init__(self) -> None:
        """Refuse empty questions, and suites that a report card has no place for."""
        if self.seeds < 1:
            raise ValueError("seeds must be at least 1")
        for name in ("dataset", "methods", "ipc", "suites"):
            if not getattr(self, name):
                raise ValueError(f"{name} needs at least one value")
        named = [parse_reference(text) for text in self.suites]
        for name, given in named:
            if name not in SECTIONS:
                raise ValueError(f"suite {name!r} has no part in a report card, only {', '.join(SECTIONS)} have")
            if twice := sorted({"dataset", "methods", "ipc", "scale", "attacked_sets"} & given.keys()):
                raise ValueError(f"{name}:{twice[0]}=... cannot be told to a single suite: run suite {name} instead")
        if len({name for name, _ in named}) < len(named):
            raise ValueError("a suite is named twice")

    def parts(self) -> Iterator[tuple[str, Any]]:
        """Yield every suite by its name, as it is asked."""
        shared: dict[str, Any] = {"dataset": self.dataset, "methods": self.methods, "ipc": self.ipc}
        shared |= {"seeds": self.seeds, "scale": self.scale}
        for reference in self.suites:
            name, given = parse_reference(reference)
            preset = preset_params(suites.get(name), self.scale, "", 1, suites.entry(name))
            told = {**preset, **shared, **SETTLED.get(name, {})}
            told |= {RECIPES.get(name, "recipe"): self.recipe} if self.recipe else {}
            usual = suites.build(name, {**told, **given})
            yield name, self._at_home(usual) if self.network and "network" not in given else usual

    def rows(self) -> list[Row]:
        """Return the rows of all suites; their sections say whose they are."""
        found = []
        for name, suite in self.parts():
            for row in suite.rows():
                keys = {**row.keys, "section": section_name(name, row.keys.get("section"))}
                found.append(dataclasses.replace(row, keys=keys))
        return found

    def _at_home(self, suite: Any) -> Any:
        """Return a suite whose first network, or only one, is the one that was asked for."""
        known = suite.network
        network = self.network if isinstance(known, str) else (self.network, *known[1:])
        return dataclasses.replace(suite, network=network)
