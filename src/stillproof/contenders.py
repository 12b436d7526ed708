"""Finds what a person means by the names to compare: methods of a run, models, or sets that are trained on."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stillproof.answers import Score
from stillproof.core.errors import BadInput, UnknownName
from stillproof.core.spec import Json
from stillproof.report.compare.contender import Contender, cell_of_model, contender, tested_networks
from stillproof.report.compare.match import Match
from stillproof.report.compare.of_run import matches_of_run, methods_of
from stillproof.store.artifact_files import read_folder
from stillproof.store.records import Run
from stillproof.store.store import Store
from stillproof.suites.requests import Request
from stillproof.targets import TakesOver, find_target, is_foreign, names_data

Train = Callable[[Request], Score]


@dataclass(frozen=True)
class Found:
    """Every two that are to be compared; ``run`` is whose methods they are, if they are."""

    of: str
    matches: Sequence[Match]
    run: int | None = None
    notes: Sequence[str] = ()


def find(
    session: TakesOver,
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
        raise BadInput(f"{', '.join(names) or 'nothing'} cannot be compared: name at least two, each once.")
    runs = [run] if run is not None else store.results.runs()
    asked = next((one for one in runs if set(names) <= set(methods_of(one))), None)
    if asked is not None:
        matches, notes = matches_of_run(store, asked, names, sections)
        return Found("methods", matches, asked.id, notes)
    if run is not None:
        raise _not_of_run(names, run)
    if sections is not None:
        raise BadInput(f"no run has all of {', '.join(names)} as methods, so that no section of it can be chosen.")
    try:
        models = {name: _model(store, name) for name in names}
    except UnknownName as error:
        near = next((one for one in runs if set(names) & set(methods_of(one))), None)
        raise error if near is None else _not_of_run(names, near) from error
    return _artifacts(session, models, train, dataset)


def _not_of_run(names: Sequence[str], run: Run) -> BadInput:
    methods = methods_of(run)
    other = next(name for name in names if name not in methods)
    known = f"run {run.id} of {run.suite!r}, whose methods are {', '.join(methods) or 'none'}"
    return BadInput(f"{other!r} is not a method of {known}: name methods of one run, or sets, or models.")


def _artifacts(session: TakesOver, models: Mapping[str, str | None], train: Train, dataset: str | None) -> Found:
    """Return the models, or the sets, which are no model, after training on them."""
    sets = [name for name, model in models.items() if model is None]
    if sets and len(sets) < len(models):
        model = next(name for name in models if name not in sets)
        raise BadInput(f"{sets[0]} is a set and {model} is a model: name sets, or models, but not both.")
    if sets:
        found = _of_sets(session, sets, train, dataset)
    else:
        found = [_of_model(session.store, name, str(model)) for name, model in models.items()]
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


def _of_model(store: Store, name: str, model: str) -> Contender:
    shown = store.names_of([model], "model").get(model) or name
    return contender(shown, tested_networks(store, [cell_of_model(store, model)]))


def _of_sets(session: TakesOver, names: Sequence[str], train: Train, dataset: str | None) -> list[Contender]:
    """Train on every set; sets of different data sets are refused before."""
    found = {name: find_target(session, name, dataset) for name in names}
    judged = {name: str(request.dataset) for name, (request, _) in found.items()}
    if len(set(judged.values())) > 1:
        said = ", ".join(f"{name} on {dataset}" for name, dataset in judged.items())
        raise BadInput(f"only answers for the same test images can be compared, but these are tested apart: {said}.")
    return [_of_set(session.store, name, request, card, train) for name, (request, card) in found.items()]


def _of_set(store: Store, name: str, request: Request, card: Json, train: Train) -> Contender:
    score = train(request)
    cells = [cell_of_model(store, model) for model in score.models]
    kept = store.names_of([request.artifact], "distilled") if card else {}
    shown = next(iter(kept.values()), "") or name
    return contender(shown, tested_networks(store, cells), ipc=card.get("ipc"))
