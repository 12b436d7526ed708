"""Calls that need no session: one scores your own tensors, one loads a distilled set."""

from __future__ import annotations

from torch import Tensor

from stillproof.answers import Score
from stillproof.cli.progress import Display
from stillproof.data.load import data_root
from stillproof.data.load import load as load_data
from stillproof.given import Given
from stillproof.importers.tensor_set import TensorSpace
from stillproof.loaded_set import LoadedSet
from stillproof.nets.home_network import HOME
from stillproof.session import Session


def evaluate(
    images: Tensor,
    labels: Tensor,
    *,
    dataset: str,
    space: TensorSpace = "pixels",
    network: str = HOME,
    recipe: str = "dc-bench",
    seeds: int = 5,
    allow_test_images: bool = False,
    store: str | None = None,
    data: str | None = None,
) -> Score:
    """Score your own tensors: train networks on them and test on the real test set.

    Progress is shown as on the command line: a bar in a terminal, else a line from time to time, on standard error.

    Args:
        images: (N, C, H, W) floats, in [0, 1] or normalised with the data set's mean and std; or 8-bit pixels from 0
            to 255. Channels may come last, and grey images may have none.
        labels: (N,) classes, every class among them; or (N, classes) one-hot rows, probabilities or logits.
        dataset: The data set that they stand for.
        space: Whether the images are pixels or normalised.
        network: The network to train.
        recipe: How to train it.
        seeds: Number of trainings.
        allow_test_images: Whether images that are test images, byte by byte, are let through; the score then says so.
        store: Store for the results; scoring the same tensors again is then free.
        data: Folder of the data sets.
    """
    load_data(dataset, "test", data_root(data))  # before a store is made: without test images there is no score
    with Session(store, data, on_plan=Display().watch) as session:
        made = session.import_tensors(images, labels, dataset, space)
        return session.train(made, network=network, recipe=recipe, seeds=seeds, allow_test_images=allow_test_images)


def load(given: Given, *, dataset: str | None = None, store: str | None = None, data: str | None = None) -> LoadedSet:
    """Load a distilled set: as tensors, as a data set of torch, or in the batches that training on it feeds.

    Args:
        given: The name, id or folder of a set, or a third-party file, which is imported into the store first.
        dataset: What a third-party file stands for.
        store: Store in which sets are looked up by name, and into which third-party files are imported.
        data: Folder of the data sets.
    """
    with Session(store, data, on_plan=Display().watch) as session:
        return session.load(given, dataset=dataset)
