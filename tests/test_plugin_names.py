"""The names that plug-ins may import: they are part of what users build on, so that one that goes is noticed."""

from __future__ import annotations

import pytest

import stillproof.plugin as plugin
from fresh_python import run_python

LASTING = """
Answer Answered Attack Augmented BadInput Bar Bars Batch BatchLoss Body BoundedAttack Bytes ClassMeans Column
Context Crafting Curve CurvePanel Curves DSA DataInfo DataMissing Defence Difference Distilled Form Hard ImageSet Images
IteratedAttack Job LOSSES LogitObjective Needs Norm Number Objective Outcome Passes PerEpoch Percent Planned Planner
Point Preset RealBatches Recipe Request Row RowBuilder Rows Rules Scale Seconds Section Seeds Space Stage StepAttack
StillproofError Stored Summary Table TargetSource TrainedBefore TrainedModel Training Unsupported Value Walk
anywhere attack_of attacks augmentations basis_of begin_base columns compiled datasets defence_of defences descend
distilled distillers diverse_gradient draw_bars draw_curves figures_by grouped initial_images keep_images missing_notes
networks numerics objective_of objectives paired read_set read_trained real_images recipes run_attack selected snapshot
stages steepest suites summarise trained transfer_attack with_momentum
"""


def test_names_that_plug_ins_import_stay() -> None:
    assert set(LASTING.split()) <= set(dir(plugin))
    assert all(getattr(plugin, name) is not None for name in dir(plugin))


def test_a_name_that_there_is_not_says_so() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = plugin.nonsense


def test_a_suite_can_be_written_with_these_names_and_without_torch() -> None:
    names = "Request, Row, RowBuilder, Section, Table, Column, Preset, suites, real_images"
    run_python(f"import sys\nfrom stillproof.plugin import {names}\nassert 'torch' not in sys.modules")
