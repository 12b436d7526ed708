"""The names that plug-ins may import: they are part of what users build on, so that one that goes is noticed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

import stillproof.plugin as plugin
from fresh_python import run_python
from stillproof.report.figures.values import FigureData

DOCS = Path(__file__).parents[1] / "docs"

LASTING = """
Answer AnswerShare Answered Attack Augmented BadInput Bar Bars Batch BatchLoss Body BoundedAttack Bytes ClassMeans
Cloud Column Context Crafting Curve CurvePanel Curves DSA DataInfo DataMissing Defence Difference Distilled
Embedding Form Hard HeatCell HeatMap ImageSet Images IteratedAttack Job LOSSES Level LogitObjective Mean Measure
Needs Norm Number Objective OutOf Outcome Passes PerEpoch Percent Plane Planned Planner Point Preset Published
RealBatches Recipe Request Row RowBuilder Rows Rules Scale Scatter ScoreGrid Search Seconds Section Seeds Share
Space Spot Stack StackedBars Stage StepAttack StepCurves StepLine StepPanel StillproofError Stored Summary Table
TargetSource TrainedBefore TrainedModel Training Unsupported Value Walk anywhere attack_of attacks augmentations
basis_of begin_base columns compiled datasets defence_of defences descend distilled distillers diverse_gradient
draw draw_bars draw_curves figures_by grouped initial_images keep_images missing_notes networks numerics
objective_of objectives paired read_set read_trained real_images recipes run_attack score_grid selected snapshot
stages steepest suites summarise trained transfer_attack with_momentum
"""


def test_names_that_plug_ins_import_stay() -> None:
    assert set(LASTING.split()) <= set(dir(plugin))
    assert all(getattr(plugin, name) is not None for name in dir(plugin))


def test_every_kind_of_figure_is_there() -> None:
    assert {kind.__name__ for kind in get_args(FigureData)} <= set(dir(plugin))


def test_pages_on_plug_ins_name_no_other_place() -> None:
    pages = sorted(DOCS.glob("add-a*.md"))
    other = re.compile(r"\bstillproof\.(?!plugin\b|score\b)[a-z_]+\.[\w.]+")
    named = {page.name: other.findall(page.read_text(encoding="utf-8")) for page in pages}
    assert len(named) > 5 and not any(named.values()), named


def test_a_name_that_there_is_not_says_so() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = plugin.nonsense


def test_a_suite_can_be_written_with_these_names_and_without_torch() -> None:
    names = "Request, Row, RowBuilder, Section, Table, Column, Preset, suites, real_images"
    run_python(f"import sys\nfrom stillproof.plugin import {names}\nassert 'torch' not in sys.modules")
