"""Suite dd-ranking: how much of an accuracy is the images' own merit, how much that of labels and augmentation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from stillproof.core.components import suites
from stillproof.core.presets import Preset, Scale
from stillproof.core.reference import changed_reference
from stillproof.report.section import Section, sections_named
from stillproof.suites.augmentation_variants import variant_on
from stillproof.suites.dd_ranking import augmentation, controls, labels, orders, rates, shares, shown_settings
from stillproof.suites.dd_ranking.protocol import DDRankingAsks, ProtocolName, dd_ranking_asks
from stillproof.suites.dd_ranking.settings import Setting
from stillproof.suites.dd_ranking.trials import Trials
from stillproof.suites.or_none import OrNone
from stillproof.suites.requests import Row
from stillproof.suites.row_builder import RowBuilder

SECTIONS = (
    shown_settings.SECTION,
    labels.SECTION,
    augmentation.SECTION,
    shares.SECTION,
    controls.SECTION,
    orders.NETWORKS,
    orders.TEACHERS,
    rates.SECTION,
)

# The published protocol is the suite's defaults.
QUICK = {
    "scale": "quick",
    "dataset": ("digits",),
    "methods": ("random", "k-center", "dm", "rded", "sre2l"),
    "ipc": (10,),
    "seeds": 3,
    "network": ("home", "convnet-1-bn", "mlp"),
    "recipe": "quick",
    "full_recipe": "quick-real",
    "taught_epochs": 100,
    "teachers": ("home-bn", "convnet-2-bn"),
    "teacher_recipe": "teacher-quick",
    "noise": (1.0, 3.0),
}
SMOKE = QUICK | {
    "scale": "smoke",
    "methods": ("random", "rded"),
    "ipc": (1,),
    "seeds": 2,
    "network": ("home", "mlp"),
    "recipe": "smoke",
    "full_recipe": "smoke",
    "taught_epochs": 2,
    "teacher_recipe": "smoke",
    "noise": (1.0,),
    "budget": 2,
}
PRESETS = (Preset("paper", {"scale": "paper"}), Preset("quick", QUICK), Preset("smoke", SMOKE))


@suites.register("dd-ranking", version=1, paper="arXiv:2505.13300")
@dataclass(frozen=True)
class DDRanking:
    """All questions of DD-Ranking.

    Args:
        dataset: Data sets.
        methods: Distillers, with parameters where wanted, and existing sets: an artifact's name, id or folder, or a
            third-party file.
        ipc: Images per class of distilled sets; an existing set has its own number.
        seeds: Repetitions, each with its own random images. Under ``fair`` each has its own distilled set, too; under
            ``faithful`` they share one.
        network: Networks of the section that compares them; methods distil with the first, and the other sections
            train it alone (under ``faithful``, the one that the original has for a method).
        sections: Sections to run.
        recipe: How networks are trained on sets with hard labels.
        augmentation: The augmentation of that recipe; methods with a teacher have recipes of their own.
        taught_epochs: Epochs of those recipes; 0 leaves them as published.
        full_recipe: How networks are trained on all real images; ``none`` leaves them out, and with them HLR and LRS.
        rates: Learning rates that are tried for each recipe, images and labels.
        budget: How many of them, those nearest to the recipe's own; 1 tries none and takes that.
        teachers: Networks of teachers. The first gives the soft labels of the controls; the section of that name
            compares all.
        teacher_recipe: How they are trained.
        noise: Strengths of noise in the controls, in units of a normalised pixel's standard deviation.
        soft_objective: What is minimised there with soft labels.
        protocol: ``fair`` searches every rate by held-out images, ``faithful`` (``faithful:dd-ranking``) as the
            original does.
        scale: Presets of the distillers: smoke, quick or paper.
    """

    dataset: tuple[str, ...] = ("cifar10",)
    methods: tuple[str, ...] = ("random", "dc", "dsa", "dm", "mtt", "datadam", "rded", "sre2l")
    ipc: tuple[int, ...] = (1, 10, 50)
    seeds: int = 5
    network: tuple[str, ...] = ("home", "resnet-18-bn", "vgg-11", "alexnet")
    sections: tuple[str, ...] = tuple(section.name for section in SECTIONS)
    # The original drops the step size after half of 1000 epochs.
    recipe: str = "dc-bench-dsa:epochs=1000:decay_epochs=500:reset_momentum=false"
    augmentation: str = "dsa"
    taught_epochs: int = 0
    full_recipe: OrNone = "real"
    rates: tuple[float, ...] = (0.001, 0.005, 0.01, 0.05, 0.1)
    budget: int = 5
    teachers: tuple[str, ...] = ("home-bn", "resnet-18-bn")
    teacher_recipe: str = "teacher"
    noise: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0)
    soft_objective: str = "kl(temperature=4,scale=true)"
    protocol: ProtocolName = "fair"
    scale: Scale = "paper"

    presets: ClassVar[Sequence[Preset]] = PRESETS
    reports: ClassVar[Sequence[Section[Any]]] = SECTIONS
    without_full: ClassVar[str] = "without them HLR and LRS are missing"

    def __post_init__(self) -> None:
        """Refuse empty questions, rates that nothing can be trained at, and sections that do not exist."""
        for name in ("seeds", "budget"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1")
        for name in ("dataset", "methods", "network", "ipc", "sections", "rates", "teachers"):
            if not getattr(self, name):
                raise ValueError(f"{name} needs at least one value")
        if not all(0 < rate < float("inf") for rate in self.rates) or len(set(self.rates)) < len(self.rates):
            raise ValueError(f"rates must be different positive numbers, not {self.rates}")
        sections_named(SECTIONS, self.sections)

    @property
    def asks(self) -> DDRankingAsks:
        """Return the ways of the protocol."""
        return dd_ranking_asks(self.protocol)

    def rows(self) -> list[Row]:
        """Return the rows of all sections, and those of every search of a learning rate."""
        found = []
        asked = sections_named(SECTIONS, self.sections)
        for dataset in self.dataset:
            ways = self.asks
            builder = RowBuilder.under(ways, dataset, self.network[0], self.seeds, ways.selection, self.scale)
            found += [row for section in asked for row in section.rows(Trials(self, builder))]
        return [*found, *(rates.rate_rows(found) if rates.SECTION.name in self.sections else ())]

    def recipe_on(self, dataset: str) -> str:
        """Return how sets with hard labels are trained on, with the augmentation that is meant on the data set."""
        return changed_reference(self.recipe, augment=variant_on(self.augmentation, dataset))

    def setting(self, method: str, ipc: int, dataset: str) -> Setting:
        """Return how sets of a method are trained on."""
        return self.asks.setting(method, ipc, dataset, self.recipe_on(dataset), self.taught_epochs)
