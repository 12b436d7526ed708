"""The episodes of a meta-learned defence: what each of them does to the weights, and which weights are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stillproof.core.errors import Diverged
from stillproof.core.seeds import Seeds
from stillproof.train.epochs import make_optimiser
from stillproof.train.meta.adapting import Shots, adapted, draw_shots, right_of
from stillproof.train.meta.attacked_data import Pairs
from stillproof.train.meta.attacked_source import AttackedSource
from stillproof.train.meta.episodes import Drawn, check_ways, draw_episode, draw_support
from stillproof.train.meta.meta_step import PairNetwork, Weights, mean_through_steps
from stillproof.train.meta.pair_loss import MixedPairs, mixed
from stillproof.train.training import Training

if TYPE_CHECKING:
    from stillproof.train.objectives.meta_at import MetaAT

# What it notes: a line for each epoch, and how many episodes had no finite gradient.
CURVE, DIVERGED = "epochs", "diverged_episodes"


@dataclass
class Progress:
    """What a checkpoint must keep besides weights and optimiser.

    Args:
        losses: Losses of the queries of this epoch.
        waiting: Episodes of this epoch since the best answer to a query.
        best_query: The best share right of a query in this epoch.
        diverged: Episodes without a finite gradient, in all epochs.
        curve: One line per epoch: mean loss and episodes, best share right of a query, and that of validation images.
        best: The weights that validation images like best so far.
        summed: The gradients of this epoch, where it has one step.
    """

    losses: list[float] = field(default_factory=list)
    waiting: int = 0
    best_query: float = -1.0
    diverged: int = 0
    curve: list[dict[str, Any]] = field(default_factory=list)
    best: Weights = field(default_factory=dict)
    summed: Weights = field(default_factory=dict)

    def state_dict(self) -> dict[str, Any]:
        """Return all of it."""
        return dict(vars(self))

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        vars(self).update(state)

    def next_epoch(self) -> None:
        """Forget what belongs to one epoch."""
        self.losses, self.waiting, self.best_query, self.summed = [], 0, -1.0, {}


class MetaTraining:
    """Trains a network's body in place."""

    def __init__(self, objective: MetaAT, training: Training, source: AttackedSource) -> None:
        """Say what is learned, and from what."""
        check_ways(len(source.learned.attacks), objective.shape)
        self.objective, self.training, self.source = objective, training, source
        self.network = PairNetwork(training.model.body, objective.eta, objective.smoothing, objective.batch_norm)
        self.optimiser = make_optimiser(training.model.body, training.recipe)
        self.progress = Progress()

    def run(self) -> None:
        """Run all episodes; at the end the body has the weights that validation likes best, or the last."""
        ctx, recipe, episodes = self.training.ctx, self.training.recipe, self.objective.episodes
        parts = self.training.parts(optimiser=self.optimiser, progress=self.progress)
        for number in ctx.loop(recipe.epochs * episodes, name="train", **parts):
            epoch, place = divmod(number, episodes)
            if self.training.is_made(epoch):
                continue
            patience = self.objective.patience
            if not patience or self.progress.waiting < patience:
                with ctx.seeds.child("dropout", number).lent_to_torch(ctx.device):
                    self._episode(number, ctx.seeds.child("episode", number))
            if place + 1 == episodes:
                self._end_epoch(epoch)
        ctx.notes[CURVE], ctx.notes[DIVERGED] = self.progress.curve, self.progress.diverged

    def _episode(self, number: int, seeds: Seeds) -> None:
        """Draw an episode and step; one without a finite gradient is counted, and changes nothing."""
        progress, learned, objective = self.progress, self.source.learned, self.objective
        drawn = draw_episode(learned.attacks, objective.shape, seeds.child("draw"))
        query = learned.pairs(drawn.query)
        supports = self._supports(drawn.support, seeds)
        asked, clip = self._mixed(query, seeds.child("query")), self.training.recipe.clip
        found = mean_through_steps(
            self.network, supports, asked, size=objective.inner_lr, order=objective.order, clip=clip
        )
        if found is None:
            progress.diverged += 1
            return
        mean, steps, loss = found
        right = sum(self._share_right(after, query) for after in steps) / len(steps)
        progress.losses.append(loss)
        progress.waiting = 0 if right > progress.best_query else progress.waiting + 1
        progress.best_query = max(progress.best_query, right)
        if objective.outer == "episode":
            self._step(number, mean)
        else:
            progress.summed = {name: mean[name] + progress.summed.get(name, 0) for name in mean}

    def _supports(self, drawn: Sequence[Drawn], seeds: Seeds) -> list[MixedPairs]:
        """Return the support set of an episode, or that of each attack by itself."""
        pool, objective = self.source.learned, self.objective
        if self.source.supports is not None:
            pool = self.source.supports
            drawn = draw_support(pool.attacks, [way for way, _ in drawn], objective.shape, seeds.child("supports"))
        parts = [drawn] if objective.inner == "joint" else [[one] for one in drawn]
        return [self._mixed(pool.pairs(part), seeds.child("support", at)) for at, part in enumerate(parts)]

    def _mixed(self, pairs: Pairs, seeds: Seeds) -> MixedPairs:
        return mixed(pairs, self.source.learned.clean.num_classes, self.objective.mixup, seeds)

    def _share_right(self, weights: Weights, pairs: Pairs) -> float:
        return right_of(self.network, weights, pairs.attacked, pairs.labels) / len(pairs)

    def _step(self, number: int, gradient: Weights) -> None:
        """Take the outer step."""
        for name, weight in self.training.model.body.named_parameters():
            weight.grad = gradient[name]
        for group in self.optimiser.param_groups:
            group["lr"] = self.lr_at(number)
        self.optimiser.step()

    def lr_at(self, number: int) -> float:
        """Return the outer step size of an episode, counted from 0 over all epochs; it rises evenly at first."""
        episodes, recipe = self.objective.episodes, self.training.recipe
        rising = self.objective.warmup * recipe.epochs * episodes
        return recipe.lr_at(number // episodes) * min(1.0, (number + 1) / rising if rising else 1.0)

    def _end_epoch(self, epoch: int) -> None:
        """Take the step of an epoch that has only one, judge the weights, and put the best back after the last."""
        progress, body = self.progress, self.training.model.body
        if not progress.losses:
            raise Diverged(f"no episode of epoch {epoch + 1} has a finite gradient: try a smaller lr or inner_lr.")
        mean_loss = sum(progress.losses) / len(progress.losses)
        if progress.summed:
            count = len(progress.losses)
            last = (epoch + 1) * self.objective.episodes - 1
            self._step(last, {name: one / count for name, one in progress.summed.items()})
        validation = self._validation()
        liked = [line["validation"] for line in progress.curve]
        if validation is None or not liked or validation > max(liked):
            progress.best = {name: value.detach().clone() for name, value in body.state_dict().items()}
        line = {"loss": mean_loss, "episodes": len(progress.losses), "query": progress.best_query}
        progress.curve.append({**line, "validation": validation})
        progress.next_epoch()
        if epoch + 1 == self.training.recipe.epochs:
            body.load_state_dict(progress.best)
        self.training.record(epoch, mean_loss)

    def _validation(self) -> float | None:
        """Return the mean share right under validation attacks, after a step on a few images under each."""
        shots, judged = self.source.shots, self.source.judged
        if shots is None or judged is None:
            return None
        objective, seeds = self.objective, self.training.ctx.seeds.child("validation")
        size = Shots(objective.val_shots, objective.val_queries, objective.classes)
        kept = {name: value.clone() for name, value in self.training.model.body.state_dict().items()}
        found = []
        for attack in range(len(shots.attacks)):
            few, others = draw_shots(shots, judged, attack, size, seeds.child("attack", attack))
            before, num_classes = self.network.weights(), shots.clean.num_classes
            with seeds.child("dropout", attack).lent_to_torch(self.training.ctx.device):
                after = adapted(self.network, before, few, num_classes, objective.inner_lr)
            found.append(self._share_right(after, others))
            self.training.model.body.load_state_dict(kept)  # batch norms that adapt have seen these images
        return sum(found) / len(found)
