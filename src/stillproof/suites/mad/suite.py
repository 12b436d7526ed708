"""Suite mad: which defence adapts to an attack that it has never seen, from a few examples, and at what cost?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from stillproof.core.components import suites
from stillproof.core.mad_sets import SETS, MadSet, mad_set
from stillproof.core.presets import Preset, Scale
from stillproof.core.reference import parse_reference
from stillproof.report.section import Section, sections_named
from stillproof.suites.mad import ablations, attacks, defences, distilled, each_attack, time
from stillproof.suites.mad.arena import Arena
from stillproof.suites.mad.protocol import MadAsks, ProtocolName, mad_asks
from stillproof.suites.mad.variants import changed
from stillproof.suites.or_none import OrNone
from stillproof.suites.requests import Row
from stillproof.suites.row_builder import RowBuilder

SECTIONS = (
    attacks.SECTION,
    defences.SECTION,
    each_attack.SECTION,
    ablations.SECTION,
    time.SECTION,
    distilled.SECTION,
)
DECIDE_SETS = ("attacks", "per_class", "split")  # parameters of attacked sets that are to be made
SMALL_META = "meta-at:shots=10:queries=4:val_queries=4"
QUICK = {
    "scale": "quick",
    "dataset": ("digits",),
    "like": "mad-quick",
    "baseline_recipe": "quick-real",
    "meta": SMALL_META,
    "meta_recipe": "meta-at:epochs=1",
    "queries": 10,
    "episodes": 20,
    "seeds": 1,
    "strong_limit": 50,
    "ways": (2, 5),
    "variants": ("tricks=none", "order=first"),
    "backbones": (),
    "methods": ("random", "dm"),
    "ipc": (10,),
    "distilled_recipe": "quick",
    "own_sets": False,
}
SMOKE = QUICK | {
    "scale": "smoke",
    "like": "mad-smoke",
    "baseline_recipe": "smoke",
    "defences": ("r-fast", "meta-at"),
    "start": "none",
    "meta": "meta-at:ways=2:shots=2:queries=1:episodes=3:val_queries=1",
    "queries": 2,
    "episodes": 2,
    "steps": 2,
    "strong": "pgd:steps=2",
    "strong_limit": 20,
    "ways": (1,),
    "variants": ("order=first",),
    "methods": ("random",),
    "ipc": (1,),
    "distilled_recipe": "smoke",
    "support_methods": ("random",),
}
PRESETS = (Preset("paper", {"scale": "paper"}), Preset("quick", QUICK), Preset("smoke", SMOKE))


@suites.register("mad", version=1, paper="doi:10.1007/s11432-024-4880-x")
@dataclass(frozen=True)
class Mad:
    """All questions of MAD, without an image on both sides.

    Args:
        dataset: Data sets.
        like: The set of MAD's that says which attacks are made, what each is for, and on which network; the one of such
            images unless told.
        attacks: Attacks in place of those, as in ``mad/8:max_iter=5``; what each is for its number says.
        attacked_sets: Attacked existing sets, built or imported, in place of any that would be made: by
            number, name, or pool. What they were made on is the network without a defence, whatever ``network`` and
            ``recipe`` say of others.
        per_class: Sources of every class under attack; as many as the set has unless told.
        split: Shares of the sources for training, validation and test.
        network: The network that is attacked and defended; the set's unless told.
        recipe: How it is trained without a defence; as the set says unless told.
        defences: Robust baselines, other defences, and ``meta-at``.
        baseline_recipe: How all robust baselines are trained; each as its paper says unless told.
        start: What Meta-AT goes on from: ``none``, or a defence.
        meta: Meta-AT, with parameters where wanted.
        meta_recipe: How it is trained.
        shots: Images per class that networks adapt to (K).
        queries: Images per class that they are judged by (M).
        episodes: Episodes of a test.
        steps: Steps of each under ``fair``.
        clean_limit: Number of clean images to test on; 0 for all.
        strong: The attack of AA; ``none`` leaves it out.
        strong_limit: Number of images for it; 0 for all.
        ways: Ways of Meta-AT in section ablations.
        variants: Other changes of Meta-AT there, as in ``inner_lr=0.1,lr=0.01``; ``tricks=none`` stands for all left
            out, ``tricks=mixup`` for that one alone.
        backbones: Other networks there.
        methods: Distillers of section distilled, and existing sets.
        ipc: Images per class there.
        distilled_recipe: How networks are trained there.
        own_sets: Whether networks of distilled sets meet images that were made on themselves, undefended, and not those
            of the network of all real images.
        support_methods: Distillers there that make support sets of attacked images.
        seeds: Repetitions: each has defences and episodes of its own, and all have one victim.
        sections: Sections to run.
        protocol: ``fair``, or ``faithful`` (``faithful:mad``), which is an oracle.
        scale: Presets of the distillers: smoke, quick or paper.
    """

    dataset: tuple[str, ...] = ("cifar10",)
    like: str = ""
    attacks: tuple[str, ...] = ()
    attacked_sets: tuple[str, ...] = ()
    per_class: int | None = None
    split: tuple[int, ...] = (14, 5, 11)
    network: str = ""
    recipe: str = ""
    defences: tuple[str, ...] = ("r-at", "r-fast", "r-free", "r-yopo", "r-atta", "meta-at")
    baseline_recipe: str = ""
    start: str = "r-at"
    meta: str = "meta-at"
    meta_recipe: str = "meta-at"
    shots: int = 1
    queries: int = 15
    episodes: int = 100
    steps: int = 10
    clean_limit: int = 0
    strong: OrNone = "autoattack"
    strong_limit: int = 0
    ways: tuple[int, ...] = (2, 3, 4, 5)
    variants: tuple[str, ...] = (
        *("inner_lr=0.1,lr=0.01", "inner_lr=0.001,lr=0.0001"),
        *(f"tricks={name}" for name in ("none", "sar", "clip", "warmup", "smoothing", "mixup")),
        *("order=first", "inner=each", "outer=epoch", "images=turned", "patience=0"),
    )
    backbones: tuple[str, ...] = ("alexnet",)
    methods: tuple[str, ...] = ("random", "dm", "mtt")
    ipc: tuple[int, ...] = (10, 50)
    distilled_recipe: str = "dc-bench-dsa"
    own_sets: bool = True
    support_methods: tuple[str, ...] = ("random", "dm")
    seeds: int = 3
    sections: tuple[str, ...] = tuple(section.name for section in SECTIONS)
    protocol: ProtocolName = "fair"
    scale: Scale = "paper"

    presets: ClassVar[Sequence[Preset]] = PRESETS
    reports: ClassVar[Sequence[Section[Any]]] = SECTIONS

    def __post_init__(self) -> None:
        """Refuse empty questions, and parts that do not exist."""
        for name in ("seeds", "shots", "queries", "episodes"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("steps", "clean_limit", "strong_limit"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must be at least 0, not {getattr(self, name)}")
        for name in ("dataset", "sections"):
            if not getattr(self, name):
                raise ValueError(f"{name} needs at least one value")
        beside = [name for name in DECIDE_SETS if getattr(self, name) != getattr(type(self), name)]
        if self.attacked_sets and beside:
            raise ValueError(
                f"{beside[0]} means nothing beside attacked_sets, which are made already: leave one of them out"
            )
        for text in self.variants:
            changed(text)
        if self.like:
            mad_set(self.like)
        sections_named(SECTIONS, self.sections)

    @property
    def asks(self) -> MadAsks:
        """Return the ways of the protocol."""
        return mad_asks(self.protocol)

    def like_of(self, dataset: str) -> MadSet:
        """Return the set of MAD's that a data set is treated like."""
        if self.like:
            return mad_set(self.like)
        called, given = parse_reference(dataset)
        found = [one for one in SETS if dataset in (one.dataset, one.faithful_dataset) or called == one.dataset]
        found += [one for one in SETS if given.get("of") == one.dataset]
        return found[0] if found else mad_set("mad-c")

    def rows(self) -> list[Row]:
        """Return the rows of all sections, by data set."""
        asked = sections_named(SECTIONS, self.sections)
        found = []
        for dataset in self.dataset:
            like = self.like_of(dataset)
            shown = like.faithful_dataset if self.asks.shows_large_digits and dataset == like.dataset else dataset
            home = self.network or like.network
            builder = RowBuilder.under(self.asks, shown, home, self.seeds, "last", self.scale)
            arena = Arena(self, builder, like)
            found += [row for section in asked for row in section.rows(arena)]
        return found

    @property
    def changes(self) -> Mapping[str, tuple[str, str]]:
        """Return of each variant the part that it is of, and the parameters that it changes."""
        return {text: changed(text) for text in self.variants}
