"""Suite beard: how well do models that were trained on distilled data withstand attacks, and at what cost?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from stillproof.core.components import suites
from stillproof.core.presets import Preset, Scale
from stillproof.core.types import Selection
from stillproof.report.section import Section, sections_named
from stillproof.suites.beard import alarms, convergence, curves, defences, scores, threats
from stillproof.suites.beard.balls import USUAL
from stillproof.suites.beard.protocol import BeardAsks, ProtocolName, beard_asks
from stillproof.suites.beard.victims import Victims
from stillproof.suites.or_none import OrNone
from stillproof.suites.requests import Row
from stillproof.suites.row_builder import RowBuilder

FAR = {"Linf": 0.2, "L2": 1.5}  # bright strokes on black ground withstand more than photographs do
REACHES = {"digits": FAR, "mnist": FAR}
# Curves come first: at the usual radius nothing survives without adversarial training.
SECTIONS = (
    curves.SECTION,
    scores.SECTION,
    convergence.SECTION,
    defences.SECTION,
    threats.SECTION,
    alarms.SECTION,
)
QUICK = {
    "scale": "quick",
    "dataset": ("digits",),
    "methods": ("random", "k-center", "herding", "dm"),
    "ipc": (1, 10),
    "seeds": 3,
    "recipe": "quick",
    "full_recipe": "quick-real",
    "attacks": ("fgsm", "pgd", "pgd-l2", "deepfool"),  # AutoAttack and C&W take minutes for each model
    "targeted_attacks": ("fgsm", "pgd", "pgd-l2"),
    "curve_steps": 30,
    "defences": ("pgd-at",),
    "steps": (1, 10),
    "limit": 100,
    "timed": 100,
}
SMOKE = QUICK | {
    "scale": "smoke",
    "methods": ("random", "dm"),
    "ipc": (1,),
    "seeds": 2,
    "recipe": "smoke",
    "full_recipe": "smoke",
    "attacks": ("fgsm", "pgd:steps=2", "deepfool:steps=2"),
    "targeted_attacks": ("fgsm", "pgd:steps=2"),
    "curve_steps": 5,
    "steps": (1, 2),
    "limit": 40,
    "timed": 20,
}
# The published protocol is the defaults.
PRESETS = (Preset("paper", {"scale": "paper"}), Preset("quick", QUICK), Preset("smoke", SMOKE))


@suites.register("beard", version=1, paper="arXiv:2411.09265")
@dataclass(frozen=True)
class Beard:
    """All questions of BEARD, under a correct threat model.

    Args:
        dataset: Data sets.
        methods: Distillers, with parameters where wanted, and existing sets: an artifact's name, id or folder, or a
            third-party file.
        ipc: Images per class of distilled sets; an existing set has its own number.
        seeds: Repetitions. Under ``fair`` each has its own distilled set; under ``faithful`` they share one.
        network: Networks to train and attack; every method distils with the first.
        sections: Sections to run.
        recipe: Recipe for training on distilled sets.
        full_recipe: How networks are trained on all real images; unless told, by recipe ``real``, and under
            ``faithful`` as on distilled sets; ``none`` leaves them out.
        attacks: Untargeted attacks.
        targeted_attacks: Targeted attacks: they aim at the class after the image's own.
        defences: Ways to train networks that withstand attacks; they are compared on the largest sets.
        steps: Numbers of steps of PGD in the section that asks whether attacks converge.
        curve_steps: Steps of the attacks that curves are made of.
        linf_eps: How far curves reach in Linf, in pixels of [0, 1]; unless told, as far as the data set asks for. It is
            also the ball in which changes of attacks count that look for the nearest in Linf; 8/255 unless told.
        l2_eps: The same in L2, where that ball is 128/255 unless told.
        limit: Attack only the first so many test images; 0 for all.
        timed: Number of these images that attacks are timed on; 0 skips timing.
        protocol: ``fair`` attacks pixels, ``faithful`` (``faithful:beard``) normalised images as the original does.
        selection: Which epoch of a training counts: last, heldout or oracle.
        scale: Presets of the distillers: smoke, quick or paper.
    """

    dataset: tuple[str, ...] = ("cifar10",)
    methods: tuple[str, ...] = ("random", "dc", "dsa", "mtt", "dm", "idm", "bacon")
    ipc: tuple[int, ...] = (1, 10, 50)
    seeds: int = 5
    network: tuple[str, ...] = ("home",)
    sections: tuple[str, ...] = tuple(section.name for section in SECTIONS)
    recipe: str = "beard"
    full_recipe: OrNone | None = None
    attacks: tuple[str, ...] = ("fgsm", "pgd", "pgd-l2", "deepfool", "cw", "autoattack")
    targeted_attacks: tuple[str, ...] = ("fgsm", "pgd", "pgd-l2", "cw")
    defences: tuple[str, ...] = ("pgd-at", "pgd-at-loss", "trades", "mart", "trs")
    steps: tuple[int, ...] = (1, 3, 5, 10, 40)
    curve_steps: int = 100
    linf_eps: float | None = None
    l2_eps: float | None = None
    limit: int = 0
    timed: int = 512
    protocol: ProtocolName = "fair"
    selection: Selection = "last"
    scale: Scale = "paper"

    presets: ClassVar[Sequence[Preset]] = PRESETS
    reports: ClassVar[Sequence[Section[Any]]] = SECTIONS

    def __post_init__(self) -> None:
        """Refuse empty questions, balls that hold nothing, and sections that do not exist."""
        if self.seeds < 1:
            raise ValueError("seeds must be at least 1")
        for name in ("dataset", "network", "ipc", "sections"):
            if not getattr(self, name):
                raise ValueError(f"{name} needs at least one value")
        if not (self.attacks or self.targeted_attacks):
            raise ValueError("attacks or targeted_attacks needs at least one value")
        for name in ("linf_eps", "l2_eps"):
            if (eps := getattr(self, name)) is not None and not eps > 0:
                raise ValueError(f"{name} must be above 0, not {eps:g}")
        for name in ("limit", "timed"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must be at least 0, not {getattr(self, name)}")
        if any(steps < 1 for steps in (*self.steps, self.curve_steps)):
            raise ValueError(f"steps and curve_steps must be at least 1, not {self.steps} and {self.curve_steps}")
        sections_named(SECTIONS, self.sections)

    @property
    def asks(self) -> BeardAsks:
        """Return the ways of the protocol."""
        return beard_asks(self.protocol)

    @property
    def real_recipe(self) -> str:
        """Return how networks are trained on all real images; empty if they are left out."""
        if self.full_recipe is not None:
            return self.full_recipe
        return self.recipe if self.asks.trains_all_alike else "real"

    @property
    def radii(self) -> dict[str, float]:
        """Return the balls in which changes of attacks without one count, by norm."""
        return {norm: USUAL[norm] if eps is None else eps for norm, eps in self._given_eps().items()}

    def reaches(self, dataset: str) -> dict[str, float]:
        """Return how far the curves of a data set reach in each norm."""
        usual = REACHES.get(dataset, USUAL)
        return {norm: usual[norm] if eps is None else eps for norm, eps in self._given_eps().items()}

    def _given_eps(self) -> dict[str, float | None]:
        return {"Linf": self.linf_eps, "L2": self.l2_eps}

    def rows(self) -> list[Row]:
        """Return the rows of all sections, by data set and network."""
        asked = sections_named(SECTIONS, self.sections)
        found = []
        for dataset in self.dataset:
            builder = RowBuilder.under(self.asks, dataset, self.network[0], self.seeds, self.selection, self.scale)
            for network in self.network:
                victims = Victims(self, builder, network)
                found += [row for section in asked for row in section.rows(victims)]
        return found
