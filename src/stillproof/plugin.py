"""The names that plug-ins may import: they stay, whatever moves inside the package.

Each is loaded from its home when it is first used, so that a suite can be planned without torch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from stillproof.core.source import passed_on

if TYPE_CHECKING:
    # Attacks
    from stillproof.attack.base.attack import Attack as Attack
    from stillproof.attack.base.attack import BoundedAttack as BoundedAttack
    from stillproof.attack.base.attack import attack_of as attack_of
    from stillproof.attack.base.crafting import Crafting as Crafting
    from stillproof.attack.base.losses import LOSSES as LOSSES
    from stillproof.attack.base.norms import Norm as Norm
    from stillproof.attack.base.outcome import Outcome as Outcome
    from stillproof.attack.base.rules import Rules as Rules
    from stillproof.attack.base.run import run_attack as run_attack
    from stillproof.attack.base.starts import anywhere as anywhere
    from stillproof.attack.base.transfer import transfer_attack as transfer_attack
    from stillproof.attack.stepping.diversity import diverse_gradient as diverse_gradient
    from stillproof.attack.stepping.momentum import with_momentum as with_momentum
    from stillproof.attack.stepping.steepest import steepest as steepest
    from stillproof.attack.stepping.step_attack import IteratedAttack as IteratedAttack
    from stillproof.attack.stepping.step_attack import StepAttack as StepAttack
    from stillproof.attack.stepping.walk import Walk as Walk

    # Registries
    from stillproof.core.components import attacks as attacks
    from stillproof.core.components import augmentations as augmentations
    from stillproof.core.components import datasets as datasets
    from stillproof.core.components import defences as defences
    from stillproof.core.components import distillers as distillers
    from stillproof.core.components import executors as executors
    from stillproof.core.components import metrics as metrics
    from stillproof.core.components import networks as networks
    from stillproof.core.components import objectives as objectives
    from stillproof.core.components import recipes as recipes
    from stillproof.core.components import stages as stages
    from stillproof.core.components import suites as suites

    # Values and contracts
    from stillproof.core.context import Context as Context
    from stillproof.core.errors import BadInput as BadInput
    from stillproof.core.errors import DataMissing as DataMissing
    from stillproof.core.errors import StillproofError as StillproofError
    from stillproof.core.errors import Unsupported as Unsupported
    from stillproof.core.labels import Hard as Hard
    from stillproof.core.labels import PerEpoch as PerEpoch
    from stillproof.core.labels import Stored as Stored
    from stillproof.core.labels import Taught as Taught
    from stillproof.core.needs import Needs as Needs
    from stillproof.core.needs import TrainedBefore as TrainedBefore
    from stillproof.core.presets import Preset as Preset
    from stillproof.core.presets import Scale as Scale
    from stillproof.core.provenance import numerics as numerics
    from stillproof.core.seeds import Seeds as Seeds
    from stillproof.core.types import DataInfo as DataInfo
    from stillproof.core.types import Distilled as Distilled
    from stillproof.core.types import ImageSet as ImageSet
    from stillproof.core.types import Space as Space

    # Defences
    from stillproof.defend.base.defence import Defence as Defence
    from stillproof.defend.base.defence import defence_of as defence_of

    # Methods
    from stillproof.distill.choosing.chosen_images import keep_images as keep_images
    from stillproof.distill.learning.class_means import ClassMeans as ClassMeans
    from stillproof.distill.learning.descent import descend as descend
    from stillproof.distill.learning.first_images import embedding_for as embedding_for
    from stillproof.distill.learning.first_images import initial_images as initial_images
    from stillproof.distill.learning.real_batches import RealBatches as RealBatches
    from stillproof.nets.body import Body as Body
    from stillproof.nets.compiled import compiled as compiled

    # Reports
    from stillproof.report.answers import Answered as Answered
    from stillproof.report.drawing.bars import draw_bars as draw_bars
    from stillproof.report.drawing.curves import draw_curves as draw_curves
    from stillproof.report.drawing.draw import draw as draw
    from stillproof.report.figures.by_group import basis_of as basis_of
    from stillproof.report.figures.by_group import figures_by as figures_by
    from stillproof.report.figures.radar import Radar as Radar
    from stillproof.report.figures.radar import RadarPanel as RadarPanel
    from stillproof.report.figures.radar import Ray as Ray
    from stillproof.report.figures.score_grid import score_grid as score_grid
    from stillproof.report.figures.values import Bar as Bar
    from stillproof.report.figures.values import Bars as Bars
    from stillproof.report.figures.values import Cloud as Cloud
    from stillproof.report.figures.values import Curve as Curve
    from stillproof.report.figures.values import CurvePanel as CurvePanel
    from stillproof.report.figures.values import Curves as Curves
    from stillproof.report.figures.values import Embedding as Embedding
    from stillproof.report.figures.values import HeatCell as HeatCell
    from stillproof.report.figures.values import HeatMap as HeatMap
    from stillproof.report.figures.values import Level as Level
    from stillproof.report.figures.values import Plane as Plane
    from stillproof.report.figures.values import Point as Point
    from stillproof.report.figures.values import Scatter as Scatter
    from stillproof.report.figures.values import ScoreGrid as ScoreGrid
    from stillproof.report.figures.values import Search as Search
    from stillproof.report.figures.values import Spot as Spot
    from stillproof.report.figures.values import Stack as Stack
    from stillproof.report.figures.values import StackedBars as StackedBars
    from stillproof.report.figures.values import StepCurves as StepCurves
    from stillproof.report.figures.values import StepLine as StepLine
    from stillproof.report.figures.values import StepPanel as StepPanel
    from stillproof.report.measure import Measure as Measure
    from stillproof.report.published import Published as Published
    from stillproof.report.rows import Rows as Rows
    from stillproof.report.rows import above as above
    from stillproof.report.rows import grouped as grouped
    from stillproof.report.rows import missing_notes as missing_notes
    from stillproof.report.rows import paired as paired
    from stillproof.report.section import Section as Section
    from stillproof.report.tables import columns as columns
    from stillproof.report.tables.table import Bytes as Bytes
    from stillproof.report.tables.table import Column as Column
    from stillproof.report.tables.table import Difference as Difference
    from stillproof.report.tables.table import Mean as Mean
    from stillproof.report.tables.table import Number as Number
    from stillproof.report.tables.table import OutOf as OutOf
    from stillproof.report.tables.table import Percent as Percent
    from stillproof.report.tables.table import Seconds as Seconds
    from stillproof.report.tables.table import Share as Share
    from stillproof.report.tables.table import Table as Table
    from stillproof.report.tables.table import Value as Value

    # Stages
    from stillproof.run.cell import Images as Images
    from stillproof.run.cell import Planned as Planned
    from stillproof.run.executor import Executor as Executor
    from stillproof.run.executor import Work as Work
    from stillproof.run.labelled_images import as_pixels as as_pixels
    from stillproof.run.labelled_images import read_images as read_images
    from stillproof.run.plan import Planner as Planner
    from stillproof.run.stage import Answer as Answer
    from stillproof.run.stage import Job as Job
    from stillproof.run.stage import Stage as Stage
    from stillproof.run.trained_models import read_trained as read_trained
    from stillproof.run.work_command import work_command as work_command
    from stillproof.score.metric import AnswerShare as AnswerShare
    from stillproof.score.metric import AttackedModel as AttackedModel
    from stillproof.score.metric import AttackOutcome as AttackOutcome
    from stillproof.score.metric import AugmentationSides as AugmentationSides
    from stillproof.score.metric import LabelSides as LabelSides
    from stillproof.score.metric import Metric as Metric
    from stillproof.score.metric import ShareOfImages as ShareOfImages
    from stillproof.score.metric import ShareUnderAttack as ShareUnderAttack
    from stillproof.score.metric import StoredAnswer as StoredAnswer
    from stillproof.score.metric import UnderAttack as UnderAttack
    from stillproof.score.over_images import square_and_add as square_and_add
    from stillproof.score.over_images import wilson as wilson
    from stillproof.score.score_of_shares import ScoreOfShares as ScoreOfShares
    from stillproof.score.stats import Summary as Summary
    from stillproof.score.stats import summarise as summarise
    from stillproof.score.stats import summarise_accuracies as summarise_accuracies
    from stillproof.sets.read import read_set as read_set

    # Suites
    from stillproof.suites.requests import Request as Request
    from stillproof.suites.requests import Row as Row
    from stillproof.suites.requests import distilled as distilled
    from stillproof.suites.requests import real_images as real_images
    from stillproof.suites.requests import selected as selected
    from stillproof.suites.requests import snapshot as snapshot
    from stillproof.suites.requests import trained as trained
    from stillproof.suites.row_builder import RowBuilder as RowBuilder
    from stillproof.train.backward import BatchLoss as BatchLoss

    # Training
    from stillproof.train.batch import Augmented as Augmented
    from stillproof.train.batch import Batch as Batch
    from stillproof.train.labels import Form as Form
    from stillproof.train.model import TrainedModel as TrainedModel
    from stillproof.train.objective import LogitObjective as LogitObjective
    from stillproof.train.objective import Objective as Objective
    from stillproof.train.objective import begin_base as begin_base
    from stillproof.train.objective import objective_of as objective_of
    from stillproof.train.passes import Passes as Passes
    from stillproof.train.recipe import Recipe as Recipe
    from stillproof.train.target_source import TargetSource as TargetSource
    from stillproof.train.training import Training as Training
    from stillproof.transforms.dsa import DSA as DSA


def __getattr__(name: str) -> Any:
    """Load a name from its home."""
    found = passed_on(__name__).get(name)
    if found is None:
        raise AttributeError(f"module 'stillproof.plugin' has no attribute {name!r}")
    home = importlib.import_module(found.module)
    if hasattr(home, found.name):
        return getattr(home, found.name)
    return importlib.import_module(f"{found.module}.{found.name}")  # a module of a package


def __dir__() -> list[str]:
    """Return all names that plug-ins may import."""
    inside = ("importlib", "typing", "stillproof.core.source", "__future__")
    return sorted(name for name, home in passed_on(__name__).items() if home.module not in inside)
