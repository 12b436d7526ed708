"""The sections of suite dd-ranking: the name of each, with its rows, its tables and its figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from stillproof.report.dd_ranking.augmentation import augmentation_figures, augmentation_tables
from stillproof.report.dd_ranking.controls import controls_figures, controls_tables
from stillproof.report.dd_ranking.labels import labels_figures, labels_tables
from stillproof.report.dd_ranking.networks import networks_figures, networks_tables
from stillproof.report.dd_ranking.rates import rates_tables
from stillproof.report.dd_ranking.settings import settings_tables
from stillproof.report.dd_ranking.shares import shares_figures, shares_tables
from stillproof.report.dd_ranking.teachers import teachers_figures, teachers_tables
from stillproof.report.section import Section
from stillproof.suites.dd_ranking.comparisons import (
    augmentation_rows,
    label_rows,
    network_rows,
    share_rows,
    teacher_rows,
)
from stillproof.suites.dd_ranking.controls import control_rows
from stillproof.suites.dd_ranking.setting_rows import setting_rows
from stillproof.suites.dd_ranking.trials import RATES, Trials

if TYPE_CHECKING:
    from stillproof.suites.requests import Row


def _no_rows(_: Trials) -> Iterator[Row]:
    """Yield nothing: searches come with the rows that they are for."""
    return iter(())


SECTIONS: tuple[Section[Callable[[Trials], Iterator[Row]]], ...] = (
    Section("settings", setting_rows, settings_tables),
    Section("labels", label_rows, labels_tables, labels_figures),
    Section("augmentation", augmentation_rows, augmentation_tables, augmentation_figures),
    Section("shares", share_rows, shares_tables, shares_figures),
    Section("controls", control_rows, controls_tables, controls_figures),
    Section("networks", network_rows, networks_tables, networks_figures),
    Section("teachers", teacher_rows, teachers_tables, teachers_figures),
    Section(RATES, _no_rows, rates_tables),
)
