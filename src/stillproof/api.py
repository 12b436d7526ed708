"""One call that scores somebody's own tensors."""

from __future__ import annotations

from torch import Tensor

from stillproof.answers import Score
from stillproof.cli.progress import Display
from stillproof.data.load import data_root, load
from stillproof.importers.tensor_set import TensorSpace
from stillproof.nets.home import HOME
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
    store: str | None = None,
    data: str | None = None,
) -> Score:
    """Score somebody's own tensors: train networks on them and test on the real test set.

    Progress is shown as on the command line: a bar in a terminal, else a line from time to time, on standard error.

    Args:
        images: (N, C, H, W) floats, in [0, 1] or normalised with the data set's mean and std; or 8-bit pixels from 0
            to 255. Channels may come last, and grey images may have none.
        labels: (N,) classes, every class among them; or (N, classes) one-hot rows, probabilities or logits.
        dataset: The data set that they stand for.
        space: Which of the two the images are.
        network: The network to train.
        recipe: How to train it.
        seeds: Number of trainings.
        store: Where results are kept; scoring the same tensors again is then free, however they come.
        data: Where data sets are.
    """
    load(dataset, "test", data_root(data))  # before a store is made: without test images there is no score
    with Display() as display, Session(store, data, on_plan=display.watch) as session:
        made = session.import_tensors(images, labels, dataset, space)
        return session.train(made, network=network, recipe=recipe, seeds=seeds)
