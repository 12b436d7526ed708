"""Finds the sets that a run is to compare, checks that they belong to it, and gives each a name of its own."""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stillproof.core.components import datasets, distillers
from stillproof.core.errors import OF_A_PLUGIN, BadInput, UnknownName
from stillproof.core.model_card import check_model_card
from stillproof.core.reference import parse_reference
from stillproof.core.space_text import space_text
from stillproof.core.types import DataInfo, Distilled, PerEpoch, Space, Stored
from stillproof.core.validate import validated
from stillproof.data.load import source
from stillproof.image_finder import LAST, ImportsSets, find_set, is_foreign
from stillproof.importers.import_options import ImportOptions
from stillproof.run.leaked_images import is_unseen, leak_of, refuse_leak
from stillproof.sets.own_recipe import recipe_reference
from stillproof.sets.read import check_fits, read_set
from stillproof.sets.teachers import check_teacher
from stillproof.store.results import is_prefix
from stillproof.suites.fixed_set import ARTIFACT, FixedSet

RESERVED = ("all", "full")  # what rows without a distiller are called
OF_FILES = ("experiment", "decode")  # what may be said of somebody's file, as in ``mine:artifact=a.pt:experiment=0``


@dataclass
class SetFinder:
    """Looks up the sets of one run.

    Args:
        session: Where sets are, and what imports files.
        datasets: What the run is about.
        allow_test_images: Whether sets with test images among their own are let through; their names say so.
        taken: By the names that sets have in the run: each artifact with its data set and its images per class, if
            that name may be shared with other sizes.
    """

    session: ImportsSets
    datasets: Sequence[str]
    allow_test_images: bool = False
    taken: dict[str, dict[str, tuple[str, int] | None]] = field(default_factory=dict)

    def method(self, text: str) -> str:
        """Return a method as the suite reads it."""
        return text if _head(text) in distillers.entries() else self._set(text).reference()

    def _set(self, text: str) -> FixedSet:
        name, what, options, teacher = self._said(text)
        # Somebody's file is taken for what the run is about; an artifact says itself of which data set it is.
        request, card = find_set(self.session, what, self._only(what) if is_foreign(what) else None, options)
        of = (card["dataset"], card["ipc"]) if name else None
        name = self._name(name or self._usual_name(what, request.artifact), request.artifact, of)
        dataset = next((one for one in self.datasets if _same_data(one, card["dataset"])), None)
        if dataset is None:
            about = " and ".join(self.datasets) or "no data set"
            raise BadInput(f"{name} is a set of {card['dataset']}, and this run is about {about}: leave it out.")
        stored = read_set(self.session.store, request.artifact)
        try:
            check_fits(stored, source(dataset).info)
            asked = self._teacher(teacher, stored, source(dataset).info)
        except BadInput as error:
            raise BadInput(f"{name}: {error}") from None
        found = leak_of(self.session.store, request.but(dataset=dataset), self.session.root)
        if not self.allow_test_images:
            refuse_leak(found, name)
        recipe = recipe_reference(stored.recipe, dataset) if stored.recipe else ""
        store = self.session.store
        facts = (card["ipc"], request.count, recipe, request.cell or "", is_unseen(store, request, stored.card.data_id))
        more = (_own_space(stored.space, source(dataset).info), card["labels"], asked)
        leaked = (len(found.exact), len(found.near))
        return FixedSet(found.marked(name), request.artifact, dataset, *facts, *more, *leaked)

    def _teacher(self, text: str, stored: Distilled, info: DataInfo) -> str:
        """Return the model that gave a set its labels, where a person names one."""
        if not text:
            return ""
        if not isinstance(stored.labels, Stored | PerEpoch):
            raise BadInput(f"teacher={text} is of no use to a set whose labels are not stored: leave it out.")
        found = self.session.store.artifacts.read(self.session.store.resolve_artifact(text, "model"))
        check_model_card(found.card)
        check_teacher(found.card, info)
        return found.id

    def _said(self, text: str) -> tuple[str, str, ImportOptions, str]:
        """Return the name that a person gives to a set, what finds it, how a file is read, and a teacher, if any."""
        if Path(text).exists():
            return "", text, LAST, ""
        head, params = parse_reference(text)
        if ARTIFACT in params:
            return head, params[ARTIFACT], _options(head, params), params.get("teacher", "")
        try:
            self.session.store.resolve_artifact(head, "distilled")
        except UnknownName:
            raise self._unknown(head) from None
        if params:
            raise BadInput(f"{head} is an existing set, which takes no parameters: {text!r} has some.")
        return "", head, LAST, ""

    def _unknown(self, head: str) -> BadInput:
        close = difflib.get_close_matches(head, distillers.entries(), n=3)
        close += self.session.store.similar_artifacts(head, "distilled")
        hint = f"did you mean {' or '.join(map(repr, close))}?"
        none = "`stillproof list distillers` lists distillers, and this store has no set of that name."
        return BadInput(f"unknown distiller or set {head!r}; {hint if close else none}{OF_A_PLUGIN}")

    def _only(self, what: str) -> str:
        if len(self.datasets) == 1:
            return self.datasets[0]
        about = " and ".join(self.datasets) or "no data set"
        raise BadInput(f"{what} can be of one data set only, and this run is about {about}: import it first.")

    def _usual_name(self, what: str, artifact: str) -> str:
        folder = Path(what).resolve().name
        if Path(what).exists() and folder != artifact:
            return folder
        known = self.session.store.names_of([artifact], "distilled").get(artifact)
        return (known or artifact[:12]) if is_prefix(what) or folder == artifact else what

    def _name(self, wanted: str, artifact: str, of: tuple[str, int] | None) -> str:
        """Return a name that can stand in a list, and that nothing else in the run has.

        Sets of other sizes may have it if a person gave it to all of them: they are sets of one method. ``of`` is the
        data set and the size then.
        """
        name = re.sub(r"[^\w.@+-]+", "-", wanted).strip("-") or artifact[:12]
        others = [where for other, where in self.taken.get(name, {}).items() if other != artifact]
        used = any(None in (of, where) or of == where for where in others)
        if used or name in distillers.entries() or name in RESERVED:
            name = f"{name}-{artifact[:6]}"
        self.taken.setdefault(name, {})[artifact] = of
        return name


def _options(name: str, params: Mapping[str, str]) -> ImportOptions:
    """Return how a file is read; all other parameters must be those that runs write of existing sets."""
    foreign = is_foreign(params[ARTIFACT])
    allowed = {*(OF_FILES if foreign else ()), *(one.name for one in dataclasses.fields(FixedSet))}
    for key in params.keys() - allowed:
        hint = "a file takes experiment and decode" if foreign else "an existing set takes none"
        raise BadInput(f"unknown parameter {key!r} of set {name!r}: {hint}.")
    how = {key: params[key] for key in OF_FILES if key in params}
    return validated(ImportOptions, {"experiment": -1} | how, f"set {name!r}")


def _own_space(space: Space, info: DataInfo) -> str:
    """Return the space of a set as a text; nothing if training on it is in the usual one of its data set."""
    return "" if space.kind == "pixels" or space == Space.normalised(info) else space_text(space)


def _head(text: str) -> str:
    return re.split(r"[:(]", text, maxsplit=1)[0].strip()


def _same_data(one: str, other: str) -> bool:
    """Say whether two references mean the same data set, or the same folder."""
    if one == other or (Path(one).is_dir() and Path(one).resolve() == Path(other).resolve()):
        return True
    return {_head(one), _head(other)} <= datasets.entries().keys() and source(one) == source(other)
