"""Networks that a session trains, and their accuracy."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from stillproof.answers import Score
from stillproof.author_report import AuthorReport, author_reports
from stillproof.core.components import networks, recipes
from stillproof.core.errors import BadInput
from stillproof.core.spec import Json
from stillproof.core.types import Selection
from stillproof.data.load import load, source
from stillproof.given import Given, request_for
from stillproof.nets.home_network import HOME
from stillproof.report.merged import merged_caveat, merged_cells
from stillproof.run.labelled_images import artifact_in
from stillproof.run.leaked_images import Leak, is_unseen, leak_of, refuse_leak
from stillproof.run.plan import Planner
from stillproof.run.stage import answer_of
from stillproof.score.by_class import class_scores
from stillproof.score.stats import summarise_accuracies
from stillproof.sets.artifact import ORIGIN
from stillproof.sets.own_recipe import recipe_on
from stillproof.sets.read import check_fits, read_set
from stillproof.sets.reported import reported_on
from stillproof.sets.teachers import checked_teachers
from stillproof.sets.usual_recipes import DEFAULT_RECIPE
from stillproof.suites.fixed_set import HELDOUT_SEEN
from stillproof.suites.requests import Heldout, Request, at_most, selected, trained
from stillproof.train.replay import check_replay
from stillproof.verbs.importing import Importing


class Training(Importing):
    """Trains networks on sets and data sets."""

    def train(
        self,
        on: Given | Request,
        *,
        dataset: str | None = None,
        network: str = HOME,
        recipe: str | None = None,
        defence: str | None = None,
        seeds: int = 5,
        selection: Selection = "last",
        allow_test_images: bool = False,
    ) -> Score:
        """Train ``seeds`` networks and summarise their test accuracy; without a recipe, by the distilled set's own.

        Args:
            on: What ``distill``, ``import_sets``, ``import_tensors``, ``evaluate`` and ``train`` return; the name or id
                of a set, an artifact folder or a third-party file; a pair of tensors, images and labels; the name of a
                data set, for its real images; or a request.
            dataset: Data set to test on, if not the set's own; required for tensors and third-party files.
            network: The network to train.
            recipe: How to train it.
            defence: Adversarial training, such as ``pgd-at:eps=8/255``; none by default.
            seeds: Number of trainings.
            selection: Which epoch of a training counts: last, heldout or oracle.
            allow_test_images: Whether a set of others that has test images among its own is let through, and marked.

        Raises:
            BadInput: A set that was not made here has images that are test images, byte by byte.
        """
        if seeds < 1:
            raise BadInput(f"seeds = {seeds} is not allowed: at least 1 is needed.")
        request, card = request_for(self, on, dataset)
        found = leak_of(self.store, request, self.root)
        if not allow_test_images:
            refuse_leak(found, str(on) if isinstance(on, str | Path) and Path(on).exists() else self._called(request))
        score = self._score(request, network, recipe, seeds, selection, defence, found)
        return dataclasses.replace(score, reported=self._beside_claims(request, card, score))

    def _score(
        self,
        on: Request,
        network: str,
        recipe: str | None,
        seeds: int,
        selection: Selection,
        defence: str | None,
        found: Leak,
    ) -> Score:
        heldout = selection == "heldout"
        part: Heldout | None = "heldout" if heldout else None
        if heldout and on.stage == "data":
            on = on.but(part="fit")
        planner = self._planner()
        seen, own = heldout and on.stage == "distill" and on.data.params.get("part") != "fit", DEFAULT_RECIPE
        if on.stage == "artifact":
            stored = read_set(self.store, on.params["artifact"])
            fitting = load(on.params["dataset"], "test", self.root).info
            check_fits(stored, fitting)
            seen = heldout and not is_unseen(self.store, on, stored.card.data_id)
            own = recipe_on(stored, networks.build(planner.names.network_name(network, fitting)))
            check_replay(stored.labels, recipes.build(recipe or own))
            checked_teachers(stored, self.store, on.params["dataset"], fitting)
        recipe = recipe or own
        with at_most():
            wanted = [selected(trained(on, network, recipe, seed, part, defence), selection) for seed in range(seeds)]
        cells = [planner.plan(request).id for request in wanted]
        counted = [planner.ask("by-class", of=request).id for request in wanted]
        dataset = planner.images(on).dataset
        trained_as = planner.names.network_name(network, planner.names.data(dataset, "test").info)
        name = found.marked(self._name_of(on, planner))
        about = {"dataset": dataset, "method": name, "network": trained_as, "recipe": recipe}
        about |= {"defence": defence} if defence else {}
        self.store.results.save_run("", {}, [about | {"selection": selection, "cells": cells}], verb="train")
        self.execute(planner, tells=False)
        merged = list(merged_cells(self.store, cells).values())
        results = [answer_of(cell, self.store) for cell in cells]
        accuracies = [result["accuracy"] for result in results]
        return Score(
            accuracy=summarise_accuracies(accuracies, results[0]["n_test"]),
            per_seed=accuracies,
            by_class=class_scores([answer_of(cell, self.store) for cell in counted]),
            models=[result["model"] for result in results],
            trained_on=self._images_of(on, planner),
            name=about["method"],
            dataset=dataset,
            network=trained_as,
            recipe=recipe,
            selection=selection,
            points=results[0]["points"],
            n_test=results[0]["n_test"],
            caveats=[
                *([found.caveat] if found.mark else []),
                *([HELDOUT_SEEN] if seen else []),
                *([merged_caveat(merged)] if merged else []),
            ],
            defence=defence,
        )

    def _called(self, on: Request) -> str:
        """Return what people call what is trained on, before anything is planned."""
        artifact = str(on.params.get("artifact", ""))
        return self.store.names_of([artifact], "distilled").get(artifact) or artifact[:12] or f"what {on.stage} makes"

    def _beside_claims(self, on: Request, card: Json, score: Score) -> list[AuthorReport]:
        """Return what a set's author reports, beside a score on the set's own data set."""
        claims = reported_on(card.get("provenance", {}).get(ORIGIN, {}))
        if not claims or score.dataset != card["dataset"]:
            return []
        info, distilled = source(score.dataset).info, read_set(self.store, on.params["artifact"])
        return author_reports(claims, distilled, score.network, score.recipe, info.name, score.defence)

    def _name_of(self, on: Request, planner: Planner) -> str:
        """Return what people call the images of a single training."""
        if on.stage == "data":
            return str(on.params["dataset"])
        if on.stage != "artifact":
            return str(on.params.get("method") or planner.images(on).label)
        return self._called(on)

    def _images_of(self, on: Request, planner: Planner) -> str:
        """Return the data set whose real images were trained on, or the artifact."""
        if on.stage in ("data", "artifact"):
            return str(on.params["artifact" if on.stage == "artifact" else "dataset"])
        return artifact_in(answer_of(planner.plan(on).id, self.store))
