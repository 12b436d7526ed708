"""What a trained network of the store said of every test image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from stillproof.report.compare.contender import cell_of_model, tested_networks
from stillproof.report.tables.markup import dataframe
from stillproof.run.predictions import read_predictions
from stillproof.run.stage import Job, Options, finished
from stillproof.store.store import Store


@dataclass(frozen=True)
class StoredPredictions:
    """The answers of one network, one per test image, in the order of the data set.

    Args:
        predictions: The class that it named, (N,).
        labels: The class that is right, (N,).
        right: Whether they are the same, (N,).
        classes: The names of the classes.
        dataset: Whose test images they are.
        model: The network's id.
    """

    predictions: npt.NDArray[np.int64]
    labels: npt.NDArray[np.int64]
    right: npt.NDArray[np.bool_]
    classes: Sequence[str]
    dataset: str
    model: str

    @property
    def accuracy(self) -> float:
        """Return the share that is right."""
        return float(self.right.mean())

    def __repr__(self) -> str:
        """Say whose they are, and how many."""
        right = f"{int(self.right.sum())} of {len(self.right)} right"
        return f"<predictions of model {self.model[:12]} for {self.dataset}: {right}>"

    def to_dataframe(self) -> Any:
        """Return one row per test image, as a data frame of pandas."""
        columns = {"prediction": self.predictions, "label": self.labels, "right": self.right}
        return dataframe(list(columns), list(zip(*columns.values(), strict=True)))


def predictions_of(store: Store, options: Options, text: str) -> StoredPredictions:
    """Return the stored predictions of the model that ``text`` means: its id, prefix or name.

    Raises:
        BadInput: It is no model, or was not trained in this store.
    """
    model = store.resolve_artifact(text, "model")
    cell = cell_of_model(store, model)
    record, (tested,) = finished(cell, store), tested_networks(store, [cell])
    found = read_predictions(cell, Job(cell, record.spec, record.where, store, options, lambda share: None))
    test = found.test
    return StoredPredictions(
        predictions=found.predicted.numpy(),
        labels=test.labels.numpy().copy(),  # the data set's own stay as they are, whatever a caller does
        right=found.right.numpy(),
        classes=list(test.info.class_names) or [str(label) for label in range(test.num_classes)],
        dataset=tested.about["dataset"],
        model=model,
    )
