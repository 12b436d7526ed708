"""Which images the networks of a run have right, from what is stored of them; nothing is computed again."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from stillproof.core.errors import BadInput, DataMissing
from stillproof.run.predictions import read_predictions
from stillproof.run.stage import Job, Options
from stillproof.score.attacked_images import worst_case
from stillproof.store.records import Record
from stillproof.store.store import Store

log = logging.getLogger("stillproof")

RIGHT = ("robust", "right")  # what outcomes call it


def right_images(store: Store, options: Options, cells: Sequence[str]) -> dict[str, npt.NDArray[np.bool_]]:
    """Return whether each image is right, (N,), for those of the cells of which that is stored.

    Predictions are compared with the labels of the data set; where that is not here, or another one by now, their
    images are left out.
    """
    found: dict[str, npt.NDArray[np.bool_]] = {}
    absent = ""
    for cell, record in store.results.get_many(cells).items():
        try:
            if (right := _right_of(record, store, options)) is not None:
                found[cell] = right
        except (DataMissing, BadInput) as error:
            absent = str(error)
    if absent:
        log.warning("which images are right is left out, since the labels are not here as they were: %s", absent)
    return found


def _right_of(record: Record, store: Store, options: Options) -> npt.NDArray[np.bool_] | None:
    if record.status != "done" or record.result is None:
        return None
    if record.stage == "worst-case":
        return worst_case([store.artifacts.arrays(artifact)["robust"] for artifact in record.artifacts])
    if "outcomes" not in record.result:
        return None
    arrays = store.artifacts.arrays(record.result["outcomes"])
    if "predictions" in arrays and "epochs" in arrays:
        job = Job(record.id, record.spec, record.where, store, options, lambda share: None)
        return np.asarray(read_predictions(record.id, job).right.numpy())
    right = next((arrays[name] for name in RIGHT if name in arrays), None)
    return right if right is not None and right.dtype == bool and right.ndim == 1 else None
