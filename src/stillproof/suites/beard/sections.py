"""The sections of suite beard: the name of each, with its rows, its tables and its figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from stillproof.report.beard.alarms import alarm_tables
from stillproof.report.beard.convergence import convergence_figures, convergence_tables
from stillproof.report.beard.curves import curve_figures, curve_tables
from stillproof.report.beard.defences import defence_figures, defence_tables
from stillproof.report.beard.scores import score_figures, score_tables
from stillproof.report.beard.threats import threat_figures, threat_tables
from stillproof.report.section import Section
from stillproof.suites.beard.alarm_rows import alarm_rows
from stillproof.suites.beard.curve_rows import curve_rows
from stillproof.suites.beard.score_rows import defence_rows, score_rows
from stillproof.suites.beard.step_rows import step_rows
from stillproof.suites.beard.threat_rows import threat_rows
from stillproof.suites.beard.victims import Victims

if TYPE_CHECKING:
    from stillproof.suites.requests import Row

# Curves come first: at the usual radius nothing survives without adversarial training.
SECTIONS: tuple[Section[Callable[[Victims], Iterator[Row]]], ...] = (
    Section("curves", curve_rows, curve_tables, curve_figures),
    Section("scores", score_rows, score_tables, score_figures),
    Section("convergence", step_rows, convergence_tables, convergence_figures),
    Section("defences", defence_rows, defence_tables, defence_figures),
    Section("threat-models", threat_rows, threat_tables, threat_figures),
    Section("alarms", alarm_rows, alarm_tables),
)
