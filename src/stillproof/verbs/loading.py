"""Distilled sets that a session hands over, for code of one's own."""

from __future__ import annotations

from stillproof.core.errors import BadInput
from stillproof.data.load import source
from stillproof.given import Given, text_of
from stillproof.image_finder import find_set, names_data
from stillproof.loaded_set import LoadedSet
from stillproof.sets.fronts import front_of
from stillproof.sets.read import check_fits, read_set
from stillproof.sets.teachers import read_teachers
from stillproof.sets.training_space import training_space
from stillproof.verbs.importing import Importing


class Loading(Importing):
    """Hands over distilled sets as tensors, with all that training on them needs."""

    def load(self, given: Given, *, dataset: str | None = None) -> LoadedSet:
        """Return a distilled set, to be used as tensors, as a data set of torch or in a training loop of one's own.

        Args:
            given: The name, id or folder of a set, a third-party file, a pair of tensors, or what ``distill`` and
                ``import_sets`` returned.
            dataset: What it stands for; tensors and files of others need it.
        """
        text = text_of(self, given, dataset)
        if names_data(text):
            raise BadInput(
                f"{text!r} names real images, and no distilled set: load(root, split) of stillproof.datasets.build "
                "reads them."
            )
        request, _ = find_set(self, text, dataset)
        artifact, stands_for = str(request.artifact), str(request.dataset)
        distilled, info = read_set(self.store, artifact), source(stands_for).info
        check_fits(distilled, info)
        return LoadedSet(
            artifact,
            self.store.names_of([artifact], "distilled").get(artifact) or artifact[:12],
            self.store.artifacts.folder(artifact),
            stands_for,
            info,
            distilled,
            front_of(training_space(distilled, info), self.store),
            read_teachers(distilled, self.store, stands_for, info, "cpu"),
        )
