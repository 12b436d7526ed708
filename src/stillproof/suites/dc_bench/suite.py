"""Suite dc-bench: accuracy of distilled sets under augmentation, compression, transfer and architecture search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from stillproof.core.components import suites
from stillproof.core.presets import Preset, Scale
from stillproof.core.reference import changed_reference
from stillproof.core.types import Selection
from stillproof.report.section import Section, sections_named
from stillproof.suites.augmentation_variants import augmentation_of, variant_on
from stillproof.suites.dc_bench import (
    augmentation,
    compression,
    cost,
    distribution,
    initialisation,
    k_center,
    optimiser,
    search,
    transfer,
)
from stillproof.suites.dc_bench.protocol import DCBenchAsks, ProtocolName, dc_bench_asks
from stillproof.suites.dc_bench.search import SpaceName
from stillproof.suites.or_none import OrNone
from stillproof.suites.requests import Row
from stillproof.suites.row_builder import RowBuilder

SECTIONS = (
    augmentation.SECTION,
    compression.SECTION,
    transfer.SECTION,
    search.SECTION,
    initialisation.SECTION,
    k_center.SECTION,
    optimiser.SECTION,
    distribution.SECTION,
    cost.SECTION,
)
QUICK = {
    "scale": "quick",
    "dataset": ("digits",),
    "methods": ("random", "k-center", "herding", "dm"),
    "ipc": (10,),
    "seeds": 3,
    "network": ("home", "convnet-2", "convnet-3", "mlp", "vit:width=64:depth=2:heads=2"),
    "recipe": "quick",
    "augmented_recipe": "quick",
    "full_recipe": "quick-real",
    "augmentations": ("none", "imagenet-aug", "rand-augment", "auto-augment", "dsa"),
    "compression_ipc": (1, 2, 5, 10),
    "large_network": "",  # takes too long without a GPU
    "search_spaces": ("nas201",),
    "architectures": 8,
    "search_ipc": 10,
    "search_seeds": 1,
    "search_recipe": "nas-search:epochs=20",
    "search_full_recipe": "nas-search:epochs=5",
    "truth_recipe": "quick-real:epochs=5",
    "init_methods": ("dm:steps=60",),
    "init_ipc": 1,
}
SMOKE = QUICK | {
    "scale": "smoke",
    "methods": ("random", "dm"),
    "ipc": (1,),
    "seeds": 2,
    "network": ("home", "mlp"),
    "recipe": "smoke",
    "augmented_recipe": "smoke",
    "full_recipe": "smoke",
    "augmentations": ("none", "dsa", "mixup"),
    "compression_ipc": (1, 2),
    "large_network": "mlp",
    "large_ipc": (1,),
    "architectures": 3,
    "search_ipc": 1,
    "search_recipe": "smoke",
    "search_full_recipe": "smoke",
    "truth_recipe": "smoke",
    "init_methods": ("dm:steps=3",),
    "cost_steps": 2,
}
# The published protocol is what the suite has by default.
PRESETS = (Preset("paper", {"scale": "paper"}), Preset("quick", QUICK), Preset("smoke", SMOKE))


@suites.register("dc-bench", version=1, paper="arXiv:2207.09639")
@dataclass(frozen=True)
class DCBench:
    """All questions of DC-Bench.

    Args:
        dataset: Data sets.
        methods: Distillers, with parameters where wanted, and existing sets: an artifact's name, id or folder, or a
            third-party file.
        ipc: Images per class of what is distilled, except in sections that have their own; an existing set has its
            own.
        seeds: Repetitions. Under ``fair`` each has its own distilled set; under ``faithful`` they share one.
        network: Networks of the transfer; methods distil with the first, and the other sections train it alone.
        sections: Sections to run.
        recipe: How networks are trained without augmentation.
        augmented_recipe: How they are trained with one.
        full_recipe: How they are trained on all real images; ``none`` skips the ceiling.
        augmentations: What is tried; DSA does not mirror digits, and AutoAugment has the ImageNet policy on
            Tiny-ImageNet.
        choice_seeds: Repetitions that the best augmentation is chosen by, on held-out images; 0 chooses none.
        compression_ipc: Images per class of the curve.
        large_network: The network of the second curve; ``none`` leaves it out.
        large_methods: Its methods.
        large_ipc: Its images per class.
        search_spaces: Where architectures are searched.
        architectures: How many are drawn from each space.
        search_ipc: Images per class of the sets that they are trained on.
        search_seeds: Repetitions of each.
        search_recipe: How they are trained on those.
        search_full_recipe: How they are trained on all images, for comparison; ``none`` leaves it out.
        truth_source: Where the published accuracies of NAS-Bench-201 come from: a table, or the package that the
            extra ``nas`` installs (validation accuracy).
        truth_recipe: How architectures are trained for the truth, where none is published.
        truth_ipc: On how many random images per class; 0 takes all.
        truth_seeds: Repetitions of that.
        init_methods: Methods of the study of starts, with their numbers of steps.
        init_ipc: Images per class there.
        cost_steps: Steps that are timed.
        mapped_class: The class whose images are mapped.
        selection: Which epoch of a training counts: last, heldout or oracle.
        protocol: What a seed varies, and whether the original's mistakes are kept (``faithful``, in full
            ``faithful:dc-bench``).
        scale: Presets of the distillers: smoke, quick or paper.
    """

    dataset: tuple[str, ...] = ("cifar10",)
    methods: tuple[str, ...] = ("random", "k-center", "dc", "dsa", "dm", "mtt:zca=false", "kip")
    ipc: tuple[int, ...] = (1, 10, 50)
    seeds: int = 5
    network: tuple[str, ...] = (
        "home",
        "mlp",
        "resnet-18",
        "resnet-152",
        "vit",
        "alexnet",
        "vgg-11",
        "lenet",
    )
    sections: tuple[str, ...] = tuple(section.name for section in SECTIONS)
    recipe: str = "dc-bench"
    augmented_recipe: str = "dc-bench-dsa"
    full_recipe: OrNone = "dc-bench-dsa"
    augmentations: tuple[str, ...] = (
        "none",
        "imagenet-aug",
        "rand-augment",
        "auto-augment",
        "auto-augment-imagenet",
        "dsa",
        "mixup",
        "cutmix",
    )
    choice_seeds: int = 1
    compression_ipc: tuple[int, ...] = (1, 10, 50, 100, 200, 500, 1000)
    large_network: OrNone = "resnet-152"
    large_methods: tuple[str, ...] = ("random",)
    large_ipc: tuple[int, ...] = (10, 50, 100, 300, 1000)
    search_spaces: tuple[SpaceName, ...] = ("nas201", "convnet")
    architectures: int = 100
    search_ipc: int = 50
    search_seeds: int = 5
    search_recipe: str = "nas-search"
    search_full_recipe: OrNone = "nas-search:epochs=10"
    truth_source: Literal["table", "hpo-bench"] = "table"
    truth_recipe: str = "real"
    truth_ipc: int = 0
    truth_seeds: int = 1
    init_methods: tuple[str, ...] = ("dc:steps=1000", "dsa:steps=1000", "dm:steps=20000")
    init_ipc: int = 10
    cost_steps: int = 5
    mapped_class: int = 0
    selection: Selection = "last"
    protocol: ProtocolName = "fair"
    scale: Scale = "paper"

    presets: ClassVar[Sequence[Preset]] = PRESETS
    reports: ClassVar[Sequence[Section[Any]]] = SECTIONS

    def __post_init__(self) -> None:
        """Refuse empty questions, and sections that do not exist."""
        for name in ("seeds", "search_seeds", "truth_seeds", "architectures", "cost_steps"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1")
        for name in ("dataset", "methods", "network", "ipc", "sections", "augmentations"):
            if not getattr(self, name):
                raise ValueError(f"{name} needs at least one value")
        sections_named(SECTIONS, self.sections)

    @property
    def asks(self) -> DCBenchAsks:
        """Return the ways of the protocol."""
        return dc_bench_asks(self.protocol)

    def rows(self) -> list[Row]:
        """Return the rows of all sections."""
        builders = [
            RowBuilder.under(self.asks, name, self.network[0], self.seeds, self.selection, self.scale)
            for name in self.dataset
        ]
        asked = sections_named(SECTIONS, self.sections)
        return [row for builder in builders for section in asked for row in section.rows(self, builder)]

    def recipe_with(self, augmentation: str, dataset: str) -> str:
        """Return how networks are trained under an augmentation, in the variant that is meant on the data set."""
        if augmentation == "none":
            return self.recipe
        return changed_reference(self.augmented_recipe, augment=variant_on(augmentation, dataset))

    def recipe_on_real(self, dataset: str) -> str:
        """Return how networks are trained on all real images, its augmentation in the variant that is meant there."""
        augmentation = augmentation_of(self.full_recipe) if self.full_recipe else "none"
        variant = variant_on(augmentation, dataset)
        return self.full_recipe if variant == augmentation else changed_reference(self.full_recipe, augment=variant)
