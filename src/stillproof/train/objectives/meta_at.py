"""Meta-AT: a network that learns to withstand an attack from a few examples of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from stillproof.core.components import objectives
from stillproof.core.errors import BadInput
from stillproof.train.meta.attacked_source import AttackedSource
from stillproof.train.meta.episodes import Shape
from stillproof.train.meta.meta_step import Norms, Order
from stillproof.train.meta.meta_training import MetaTraining
from stillproof.train.objective import Objective
from stillproof.train.training import Training


@objectives.register("meta-at", version=1, paper="doi:10.1007/s11432-024-4880-x")
@dataclass(frozen=True)
class MetaAT(Objective):
    """Learn in episodes: step on images under some attacks, and improve what that step leaves of others.

    The recipe's ``lr`` is the outer step size, its ``clip`` the longest gradient of a task. Where paper and code of MAD
    differ the paper's way is the default; its code takes no second step at all.

    Args:
        ways: Attacks in the support set (A); its code has 2 unless told.
        query_ways: Attacks in the query set, of the same (A_Q).
        shots: Images per class and attack in the support set (k).
        queries: Images per class and attack in the query set (m); sources of the query are in no support set.
        inner_lr: Step size on the support set (beta).
        inner: One step on the support sets of all attacks together, as text and figure 2 have it, or one for each, as
            algorithm 1 is printed.
        order: Whether the gradient goes through the inner step (``second``) or takes it as given (``first``).
        outer: A step for every episode, as in the code, or one with their mean for every epoch, as printed.
        eta: Weight of the divergence between the answers to an attacked image and to its clean source. The code
            has a divergence from the true class in its place.
        smoothing: Label smoothing; 0.1 in the code.
        mixup: Mixing of images and labels by Beta(mixup, mixup), 0 for none. The paper states no number, the code 1.4.
        warmup: Share of all episodes over which the outer step size rises; one of ten epochs in the code.
        batch_norm: What batch norms go by: what they remember (``fixed``), the batch, which they remember
            (``adapted``, as the code does in training), or the batch alone (``episode``).
        images: All images, or those that turned the undefended model (``turned``), as the code's folders suggest.
        classes: Classes of an episode at most.
        episodes: Episodes of an epoch (e).
        patience: Episodes without a better answer to the query after which an epoch ends, as in the code; 0 for never.
        val_shots: Images per class that are adapted to where an epoch is judged (K).
        val_queries: Images per class that it is judged by (M).
    """

    ways: int = 5
    query_ways: int = 1
    shots: int = 15
    queries: int = 6
    inner_lr: float = 0.01
    inner: Literal["joint", "each"] = "joint"
    order: Order = "second"
    outer: Literal["episode", "epoch"] = "episode"
    eta: float = 1.0
    smoothing: float = 0.3
    mixup: float = 1.4
    warmup: float = 0.1
    batch_norm: Norms = "fixed"
    images: Literal["all", "turned"] = "all"
    classes: int = 10
    episodes: int = 100
    patience: int = 20
    val_shots: int = 1
    val_queries: int = 15

    def __post_init__(self) -> None:
        """Refuse what cannot be drawn or stepped."""
        for name in ("ways", "query_ways", "shots", "queries", "classes", "episodes", "val_shots", "val_queries"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        if self.query_ways > self.ways:
            raise ValueError(f"query_ways must be at most ways = {self.ways}, not {self.query_ways}")
        if not self.inner_lr > 0:
            raise ValueError(f"inner_lr must be above 0, not {self.inner_lr:g}")
        for name in ("eta", "mixup", "patience"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative, as {getattr(self, name):g} is")
        for name in ("smoothing", "warmup"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 0 and below 1, not {getattr(self, name):g}")

    @property
    def shape(self) -> Shape:
        """Return the size of an episode."""
        return Shape(self.ways, self.query_ways, self.shots, self.queries, self.classes)

    @property
    def pairs(self) -> int:
        """Return the pairs of images of an episode."""
        return self.classes * (self.ways * self.shots + self.query_ways * self.queries)

    def fit(self, training: Training) -> None:
        """Train for all episodes of all epochs, from a checkpoint if there is one."""
        if not isinstance(training.data.source, AttackedSource):
            raise BadInput("meta-at learns from attacked sets, which these images are not: ask suite mad.")
        MetaTraining(self, training, training.data.source).run()
