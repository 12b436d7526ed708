"""The rows that scores are made of: sets and random images, with their labels, with and without augmentation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stillproof.core.reference import changed_reference
from stillproof.report.dd_ranking.chain import STEPS
from stillproof.suites.dd_ranking.settings import Setting
from stillproof.suites.dd_ranking.trials import SIDES, Images, LabelChoice, Trial, Trials
from stillproof.suites.requests import Row


def label_rows(trials: Trials) -> Iterator[Row]:
    """Yield what HLR, IOR and LRS are made of."""
    asked = list(trials.asked())
    for network in dict.fromkeys(trials.network_of(setting) for _, _, setting in asked):
        yield trials.real("labels", network)
    for method, ipc, setting in asked:
        yield from _with_both_labels(trials, "labels", method, ipc, setting, trials.network_of(setting))


def network_rows(trials: Trials) -> Iterator[Row]:
    """Yield the same for other networks; methods distil with the first."""
    asked = list(trials.asked())
    networks = trials.suite.network
    if len(networks) < 2:
        return
    for network in networks:
        yield trials.real("networks", network)
        for method, ipc, setting in asked:
            yield from _with_both_labels(trials, "networks", method, ipc, setting, network)


def teacher_rows(trials: Trials) -> Iterator[Row]:
    """Yield the same for labels of other teachers, for the methods that have one."""
    asked = [one for one in trials.asked() if one[2].labels == "taught"]
    teachers = trials.suite.teachers
    if len(teachers) < 2 or not asked:
        return
    for teacher in teachers:
        for network in dict.fromkeys(trials.network_of(setting) for _, _, setting in asked):
            yield trials.real("teachers", network, teacher=teacher)
        for method, ipc, setting in asked:
            network = trials.network_of(setting)
            rows = _with_both_labels(trials, "teachers", method, ipc, setting, network, teacher=teacher)
            yield from rows


def _with_both_labels(
    trials: Trials, section: str, method: str, ipc: int, setting: Setting, network: str, teacher: str = ""
) -> Iterator[Row]:
    """Yield the set with hard and with own labels, and random images with the same; or with those of a teacher."""
    more: dict[str, Any] = {"teacher": teacher} if teacher else {}
    hard = Trial(method, ipc, "set", "hard", setting.hard_recipe, network, setting)
    yield trials.row(section, hard, **more)
    labels: LabelChoice = "soft" if teacher else "own"
    for images in SIDES:
        trial = Trial(method, ipc, images, labels, setting.recipe, network, setting, teacher=teacher)
        row = trials.row(section, trial, **more)
        yield Row({**row.keys, "labels": "own"}, row.requests)


def augmentation_rows(trials: Trials) -> Iterator[Row]:
    """Yield what ARS is made of."""
    for method, ipc, setting in trials.asked():
        for recipe in (setting.recipe, without_augmentation(setting.recipe)):
            for images in SIDES:
                trial = Trial(method, ipc, images, "own", recipe, trials.network_of(setting), setting)
                yield trials.row("augmentation", trial)


def share_rows(trials: Trials) -> Iterator[Row]:
    """Yield the way from random images to the method's whole: its images, its labels, its augmentation in turn."""
    for method, ipc, setting in trials.asked():
        hard, own = without_augmentation(setting.hard_recipe), without_augmentation(setting.recipe)
        chain: tuple[tuple[Images, LabelChoice, str], ...] = (
            ("random", "hard", hard),
            ("set", "hard", hard),
            ("set", "own", own),
            ("set", "own", setting.recipe),
        )
        for step, (images, labels, recipe) in zip(STEPS, chain, strict=True):
            trial = Trial(method, ipc, images, labels, recipe, trials.network_of(setting), setting)
            yield trials.row("shares", trial, step=step)


def without_augmentation(recipe: str) -> str:
    """Return a recipe that leaves images as they are."""
    return changed_reference(recipe, augment="none")
