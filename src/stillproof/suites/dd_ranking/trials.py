"""What is trained for a row, and how its learning rate is found."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from stillproof.core.components import recipes
from stillproof.core.reference import changed_reference
from stillproof.suites.dd_ranking.settings import Setting
from stillproof.suites.fixed_set import HELDOUT_SEEN, fixed_set
from stillproof.suites.requests import Part, Request, Row, distilled, real_images, selected, trained
from stillproof.suites.row_builder import FULL, RowBuilder

if TYPE_CHECKING:
    from stillproof.suites.dd_ranking.suite import DDRanking

Images = Literal["set", "random", "real"]
LabelChoice = Literal["hard", "own", "soft"]
SET: Literal["set"] = "set"
RANDOM: Literal["random"] = "random"  # as images those of the method of that name
NO_BARE_RECORDING = "its labels were recorded under crops and mixes, and there are none of the images as they are."
SIDES: tuple[Images, ...] = (SET, RANDOM)


@dataclass(frozen=True)
class Trial:
    """One side of a comparison: images, labels and a recipe, which every seed trains anew.

    Args:
        method: The method.
        ipc: Images per class; none for all real images.
        images: The method's own, random real ones of the same number, or all real ones.
        labels: ``hard``, the ``own`` of the method, or ``soft``: the answers of ``teacher``.
        recipe: How the network is trained.
        network: The network.
        setting: The method's.
        disturbance: Standard deviation of noise that is added to the images.
        teacher: The network of that teacher.
        like: The set that all real images are whitened as; they are only normalised without one.
    """

    method: str
    ipc: int | None
    images: Images
    labels: LabelChoice
    recipe: str
    network: str
    setting: Setting
    disturbance: float = 0.0
    teacher: str = ""
    like: Request | None = None


@dataclass(frozen=True)
class Trials:
    """Turns trials of one data set into rows."""

    suite: DDRanking
    builder: RowBuilder

    def row(self, section: str, trial: Trial, **more: Any) -> Row:
        """Return the row of a trial: one training per seed, at a rate that was searched for it if that is asked."""
        rates = self._rates(trial)
        searched = bool(rates)
        there = fixed_set(trial.method)
        stuck = there is not None and there.is_recorded and trial.labels == "own" and _is_unaugmented(trial.recipe)
        requests = [] if stuck else list(self._requests(trial, rates))
        seen = searched and there is not None and not there.unseen and self.suite.asks.chooses_heldout
        about = {
            "network": trial.network,
            "recipe": trial.recipe,
            "images": trial.images,
            "labels": trial.labels,
            "label_kind": trial.setting.labels,
            "augmented": not _is_unaugmented(trial.recipe),
            "rate": "searched" if searched else "own",
            "real_recipe": trial.recipe if trial.images == "real" else self._real_recipe(trial.setting, trial.network),
            "real_whitened": self._whitened_like(trial.method),
            **({"caveat": HELDOUT_SEEN} if seen else {}),
        }
        row = self.builder.row(section, trial.method, trial.ipc, requests, **{**about, **more})
        return replace(row, reason=NO_BARE_RECORDING) if stuck else row

    def _requests(self, trial: Trial, rates: Sequence[float]) -> Iterator[Request]:
        """Ask for the training of every seed; if there are rates, for one at the best of them."""
        choice = None
        if rates and self.suite.asks.chooses_heldout:  # one seed chooses for all
            choice = _best(
                trained(self._on(trial, 0, "fit"), trial.network, trial.recipe, 0, "heldout"), rates, "heldout"
            )
        for seed in range(self.builder.seeds):
            asked = trained(self._on(trial, seed, "train"), trial.network, trial.recipe, seed)
            if choice:
                yield Request("tuned", train=asked, choice=choice)
            else:
                yield _best(asked, rates, "oracle") if rates else selected(asked, self.builder.selection)

    def _rates(self, trial: Trial) -> Sequence[float]:
        """Return the rates that are tried: as many as the budget allows, those nearest to the recipe's own."""
        there = fixed_set(trial.method)
        soft = trial.labels == "own" and (trial.setting.labels == "taught" or (there is not None and there.is_soft))
        kept = soft and trial.images == "set" and not self.suite.asks.taught_sets_are_searched
        if kept or trial.images == "real" or self.suite.budget < 2:
            return ()
        own: float = recipes.build(trial.recipe).lr
        near = sorted(self.suite.rates, key=lambda rate: abs(math.log(rate / own)))
        return sorted(near[: self.suite.budget])

    def _on(self, trial: Trial, seed: int, part: Part) -> Request:
        """Ask for the images of one seed, with their labels."""
        if trial.ipc is None:
            real = real_images(self.builder.dataset, part)
            return Request("same-space", of=real, like=trial.like) if trial.like else real
        own = self.builder.distilled(self.suite.asks.made_as(trial.method), trial.ipc, seed, part)
        images = own if trial.images == "set" else self._random(trial, own, seed, part)
        if trial.disturbance:
            images = Request("noisy", of=images, std=trial.disturbance, seed=seed)
        relabelled = partial(Request, "relabel", of=images)
        kind = trial.setting.labels
        if trial.labels == "soft":
            return relabelled(labels="taught", teachers=(self._teacher(trial.teacher, part),))
        if kind == "hard" or (trial.labels == "own" and trial.images == "set"):
            return images
        if trial.labels == "hard":
            return relabelled(labels="hard")
        teachers = self._asked_teachers(trial, part) if kind == "unknown" else ()
        return relabelled(labels="like", like=own, teachers=teachers)

    def _asked_teachers(self, trial: Trial, part: Part) -> tuple[Request, ...]:
        """Return who can be asked about random images in place of the unknown teacher of stored labels.

        Where nobody is named it is the suite's, for one label per image. Recorded labels have that of their teacher in
        every epoch, and those of another would not be the like of them.
        """
        there = fixed_set(trial.method)
        if there is not None and there.teacher:
            return (Request("model", artifact=there.teacher),)
        recorded = there is not None and there.is_recorded
        return () if recorded else (self._teacher(self.suite.teachers[0], part),)

    def _random(self, trial: Trial, own: Request, seed: int, part: Part) -> Request:
        """Ask for random images, new ones for each seed under both protocols, in the space of the method's."""
        real = real_images(self.builder.dataset, part)
        assert trial.ipc is not None
        images = distilled(real, RANDOM, trial.ipc, seed, self.builder.home, self.builder.scale)
        return images if trial.method == RANDOM else Request("same-space", of=images, like=own)

    def _teacher(self, network: str, part: Part) -> Request:
        return trained(real_images(self.builder.dataset, part), network, self.suite.teacher_recipe, 0)

    def setting(self, method: str, ipc: int) -> Setting:
        """Return how sets of a method are trained on."""
        return self.suite.setting(method, ipc, self.builder.dataset)

    def asked(self) -> Iterator[tuple[str, int, Setting]]:
        """Yield every method with every number of images per class, and its setting."""
        for method, ipc in self.builder.asked(self.suite.methods, self.suite.ipc):
            yield method, ipc, self.setting(method, ipc)

    def network_of(self, setting: Setting) -> str:
        """Return the network that a method's sets are judged by."""
        return setting.network or self.builder.home

    def real_rows(
        self, section: str, asked: Iterable[tuple[str, int, Setting]], network: str = "", **more: Any
    ) -> Iterator[Row]:
        """Yield the rows of all real images that are needed beside sets, each once; of one network, if it is given.

        There are none without a recipe for them.
        """
        if not self.suite.full_recipe:
            return
        found: dict[tuple[str, str, str], Trial] = {}
        for method, ipc, setting in asked:
            name = network or self.network_of(setting)
            recipe = self._real_recipe(setting, name)
            whitened = self._whitened_like(method)
            like = self.builder.distilled(self.suite.asks.made_as(method), ipc, 0) if whitened else None
            trial = Trial(FULL, None, "real", "hard", recipe, name, Setting(recipe, recipe, "hard"), like=like)
            found.setdefault((name, recipe, whitened), trial)
        for (_, _, whitened), trial in found.items():
            yield self.row(section, trial, **more, real_whitened=whitened)

    def _whitened_like(self, method: str) -> str:
        """Return what the whitening of all real images beside a method is called by; nothing without one."""
        there, asks = fixed_set(method), self.suite.asks
        return (there.name if there else method) if asks.whitens_real(asks.made_as(method)) else ""

    def _real_recipe(self, setting: Setting, network: str) -> str:
        asked = self.suite.full_recipe
        return self.suite.asks.real_recipe(asked, setting, self.builder.dataset, network) if asked else ""


def _best(train: Request, rates: Iterable[float], rule: Literal["heldout", "oracle"]) -> Request:
    """Ask for the best of several learning rates."""
    tried = tuple(rates)
    at = [train.but(recipe=changed_reference(train.recipe, lr=rate)) for rate in tried]
    chosen = tuple(selected(one, "oracle" if rule == "oracle" else "last") for one in at)
    return Request("best-rate", selected=chosen, rates=tried, rule=rule)


def _is_unaugmented(recipe: str) -> bool:
    return "augment=none" in recipe


def without_augmentation(recipe: str) -> str:
    """Return a recipe that leaves images as they are."""
    return changed_reference(recipe, augment="none")
