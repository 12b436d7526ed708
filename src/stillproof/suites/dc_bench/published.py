"""What DC-Bench published for a question, if anything, and beside which rows it may stand."""

from __future__ import annotations

from collections.abc import Sequence

from stillproof.core.reference import parse_reference
from stillproof.report.answers import Answered
from stillproof.report.published import Published, PublishedSearch
from stillproof.suites.dc_bench.published_accuracies import accuracies, averages, fraction
from stillproof.suites.dc_bench.published_values import (
    AUGMENTATIONS,
    HOMES,
    PAPER,
    PER_BATCH,
    SEARCH,
    SEARCH_IPC,
    TABLE_8,
)

UNMADE = ("full", "random")  # have no such network
RECIPES = ("dc-bench", "dc-bench-dsa", "nas-search")
UNCHANGED = {"augment", "shuffle"}  # what the suite itself says of a recipe
WITH_DSA = " They are with DSA."

# DC-Bench made MTT's sets without whitening, which MTT's own settings have.
_AS_PUBLISHED = {"mtt:zca=false": "mtt"}


def published(
    dataset: str, method: str, ipc: int | None, *, augmentation: str = "dsa", network: str = ""
) -> Published | None:
    """Return what was published for a question, if anything; ``ipc`` is None for full data.

    Without a network, it is that of the paper for the data set. A component with parameters of its own
    (``dm:steps=10``) is another one, and was not published. The paper draws augmentations once per batch; that is no
    other question, only another answer.
    """
    name, network = _AS_PUBLISHED.get(method, method), network or HOMES.get(dataset, "")
    return accuracies().get((dataset, name, ipc, augmentation.removesuffix(PER_BATCH), network))


def published_search(dataset: str, method: str, ipc: int | None) -> PublishedSearch | None:
    """Return what was published for an architecture search on NAS-Bench-201; ``ipc`` is None for full data."""
    method = _AS_PUBLISHED.get(method, method)
    if dataset != "cifar10" or method not in SEARCH or ipc not in (None, SEARCH_IPC):
        return None
    spearman, top1 = SEARCH[method]
    return PublishedSearch(spearman, fraction(top1), "Table 3", PAPER)


def published_step(dataset: str, method: str, ipc: int | None) -> float | None:
    """Return the published seconds of one step of synthesis on an A100, if any."""
    known = dict(zip((1, 10, 50), TABLE_8.get(_AS_PUBLISHED.get(method, method), ()), strict=False))
    return known.get(ipc or 0) if dataset == "cifar10" else None


def published_beside(row: Answered, augmentation: str = "dsa") -> Published | None:
    """Return what may stand beside a row: only where it was made and trained as the published ones were."""
    if not is_published_way(row):
        return None
    return published(row["dataset"], row["method"], row["ipc"], augmentation=augmentation, network=row["network"])


def published_average(rows: Sequence[Answered]) -> Published | None:
    """Return the published mean over augmentations, if these rows are of its four, and made and trained as those."""
    names = sorted(row["augmentation"].removesuffix(PER_BATCH) for row in rows)
    if names != sorted(AUGMENTATIONS[1:]) or not all(is_published_way(row) for row in rows):
        return None
    row = rows[0]
    if row["network"] != HOMES.get(row["dataset"]):
        return None
    return averages().get((row["dataset"], _AS_PUBLISHED.get(row["method"], row["method"]), row["ipc"]))


def is_published_way(row: Answered) -> bool:
    """Say whether a row has the published size, set, recipe and rule; its augmentation is looked up elsewhere."""
    if row["scale"] != "paper" or row["selection"] not in (None, "last"):
        return False
    if row["method"] not in UNMADE and row["home"] != HOMES.get(row["dataset"]):
        return False
    name, changed = parse_reference(row["recipe"] or RECIPES[0])  # sets alone have no recipe
    return name in RECIPES and changed.keys() <= UNCHANGED
