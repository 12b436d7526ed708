"""Finds what a person means by the names to compare: methods of a run, models, or sets that are trained on."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stillproof.answers import Score
from stillproof.core.errors import BadInput, UnknownName
from stillproof.core.spec import Json
from stillproof.image_finder import ImportsSets, artifact_request, find_images, is_foreign, names_data
from stillproof.report.compare.contender import Contender, cell_of_model, contender, tested_networks
from stillproof.report.compare.match import Match
from stillproof.report.compare.of_run import matches_of_run, methods_of
from stillproof.run.leaked_images import leak_of
from stillproof.sets.read import read_set
from stillproof.store.artifact_files import read_folder
from stillproof.store.records import Run
from stillproof.store.store import Store
from stillproof.suites.fixed_set import NEAR
from stillproof.suites.requests import Request

Train = Callable[[Request], Score]


@dataclass(frozen=True)
class Found:
    """Every two that are to be compared; ``run`` is whose methods they are, if they are."""

    of: str
    matches: Sequence[Match]
    run: int | None = None
    notes: Sequence[str] = ()


def find(
    session: ImportsSets,
    names: Sequence[str],
    train: Train,
    *,
    dataset: str | None = None,
    run: Run | None = None,
    sections: Collection[str] | None = None,
) -> Found:
    """Return what the names mean: methods, if all of them are of the run, or without one of the newest that has them.

    Args:
        session: Has the store, and imports files.
        names: Methods of a run; or models; or distilled sets and data sets, which are trained on.
        train: What trains on a set.
        dataset: Where sets are tested, if not on their own data set.
        run: The run, if they are its methods.
        sections: Only these sections of the run.
    """
    store = session.store
    if len(set(names)) < 2 or len(set(names)) < len(names):
        raise BadInput(f"{', '.join(names) or 'nothing'} cannot be compared: name at least two different ones.")
    runs = [run] if run is not None else store.results.runs()
    asked = next((one for one in runs if set(names) <= set(methods_of(one))), None)
    if asked is not None:
        matches, notes = matches_of_run(store, asked, names, sections)
        return Found("methods", matches, asked.id, notes)
    if run is not None:
        raise _not_of_run(names, run)
    if sections is not None:
        raise BadInput(f"no run has all of {', '.join(names)} as methods, so no section of it can be chosen.")
    try:
        models = {name: _model(store, name) for name in names}
    except UnknownName as error:
        near = next((one for one in runs if set(names) & set(methods_of(one))), None)
        raise error if near is None else _not_of_run(names, near) from error
    return _artifacts(session, models, train, dataset)


def scored(store: Store, scores: Sequence[Score]) -> Found:
    """Return the networks that scores are of; those of the same set are told apart by what differs, or numbered."""
    if len(scores) < 2:
        raise BadInput("a single score cannot be compared: give at least two.")
    _check_same_test({score.name: score.dataset for score in scores})
    names = _told_apart(scores)
    found = [_of_score(store, name, score) for name, score in zip(names, scores, strict=True)]
    return Found("sets", [Match(*pair) for pair in itertools.combinations(found, 2)])


def _told_apart(scores: Sequence[Score]) -> list[str]:
    keys = [(score.name, score.network, score.recipe, score.selection) for score in scores]
    told = []
    for key in keys:
        alike = [other for other in keys if other[0] == key[0]]
        differs = [part for place, part in enumerate(key) if place and len({other[place] for other in alike}) > 1]
        told.append(", ".join((key[0], *differs)))
    return [f"{name} ({place})" if told.count(name) > 1 else name for place, name in enumerate(told, start=1)]


def _not_of_run(names: Sequence[str], run: Run) -> BadInput:
    methods = methods_of(run)
    other = next(name for name in names if name not in methods)
    known = f"run {run.id} of {run.suite!r}, whose methods are {', '.join(methods) or 'none'}"
    return BadInput(f"{other!r} is not a method of {known}: name methods of one run, or sets, or models.")


def _artifacts(session: ImportsSets, models: Mapping[str, str | None], train: Train, dataset: str | None) -> Found:
    """Return the models, or the sets, which are no model, after training on them."""
    sets = [name for name, model in models.items() if model is None]
    if sets and len(sets) < len(models):
        model = next(name for name in models if name not in sets)
        raise BadInput(f"{sets[0]} is a set and {model} is a model: name sets, or models, but not both.")
    if sets:
        found = _of_sets(session, sets, train, dataset)
    else:
        found = [_of_model(session, name, str(model)) for name, model in models.items()]
    return Found("sets" if sets else "models", [Match(*pair) for pair in itertools.combinations(found, 2)])


def _model(store: Store, name: str) -> str | None:
    """Return the id of the model that a name means; nothing if it means something to train on."""
    if Path(name, "card.json").is_file():
        stored = read_folder(Path(name))
        return stored.id if stored.kind == "model" else None
    if names_data(name) or is_foreign(name):
        return None
    try:
        artifact = store.resolve_artifact(name)
    except UnknownName:
        artifact = store.resolve_artifact(name, "distilled")  # its hint names sets, not whatever else a store holds
    return artifact if artifact in store.names_of([artifact], "model") else None


def _of_model(session: ImportsSets, name: str, model: str) -> Contender:
    store, cell = session.store, cell_of_model(session.store, model)
    shown, networks = store.names_of([model], "model").get(model) or name, tested_networks(store, [cell])
    for artifact in _sets_of_others(store, cell):
        request, _ = artifact_request(store, artifact, networks[0].about["dataset"])
        shown = leak_of(store, request, session.root).marked(shown)
    return contender(shown, networks)


def _sets_of_others(store: Store, cell: str) -> list[str]:
    """Return the existing sets that a network was trained on, as they were or changed."""
    specs = [question.spec for question in store.results.behind([cell]).values()]
    named = [spec[key] for spec in specs for key in ("upstream", "of") if isinstance(spec.get(key), dict)]
    found = dict.fromkeys(str(one["artifact"]) for one in named if "artifact" in one)
    return list(store.names_of(list(found), "distilled"))


def _of_sets(session: ImportsSets, names: Sequence[str], train: Train, dataset: str | None) -> list[Contender]:
    """Train on every set; sets of different data sets are refused before."""
    found = {name: find_images(session, name, dataset) for name in names}
    judged = {name: str(request.dataset) for name, (request, _) in found.items()}
    _check_same_test(judged)
    return [_of_set(session.store, name, request, card, train) for name, (request, card) in found.items()]


def _of_set(store: Store, name: str, request: Request, card: Json, train: Train) -> Contender:
    kept = store.names_of([request.artifact], "distilled") if card else {}
    score, called = train(request), next(iter(kept.values()), "") or name
    return _of_score(store, score.name if score.name.endswith(NEAR) else called, score)


def _of_score(store: Store, name: str, score: Score) -> Contender:
    cells = [cell_of_model(store, model) for model in score.models]
    made = store.names_of([score.trained_on], "distilled")
    ipc = read_set(store, score.trained_on).card.ipc if made else None
    return contender(name, tested_networks(store, cells), ipc=ipc)


def _check_same_test(judged: Mapping[str, str]) -> None:
    if len(set(judged.values())) > 1:
        said = ", ".join(f"{name} on {dataset}" for name, dataset in judged.items())
        raise BadInput(f"only answers for the same test images can be compared, but these are tested apart: {said}.")
