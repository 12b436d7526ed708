"""What DC-Bench published for a question, if anything."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from stillproof.core.reference import parse_reference
from stillproof.report.answers import Answered
from stillproof.report.dc_bench.published_values import (
    AUGMENTATIONS,
    KIP_KIND,
    KIP_NOTE,
    LARGE_NETWORK,
    NETWORKS,
    PAPER,
    PER_BATCH,
    SEARCH,
    SEARCH_IPC,
    TABLE_4,
    TABLE_5,
    TABLE_6,
    TABLE_8,
    TABLE_9,
    WHOLE,
)
from stillproof.report.published import Published, PublishedSearch

HOME = "convnet-3"  # what the published sets were made with
UNMADE = ("full", "random")  # have no such network
RECIPES = ("dc-bench", "dc-bench-dsa", "nas-search")
UNCHANGED = {"augment", "shuffle"}  # what the suite itself says of a recipe
WITH_DSA = " They are with DSA."
ABOUT_SETS = {"kip": KIP_KIND, "mtt": "MTT's authors kept the sets that were best on the test images along the way"}

# DC-Bench made MTT's sets without whitening, which MTT's own settings have.
_AS_PUBLISHED = {"mtt:zca=false": "mtt"}

Question = tuple[str, str, int | None, str, str]  # data set, method, ipc, augmentation, network


def published(
    dataset: str, method: str, ipc: int | None, *, augmentation: str = "dsa", network: str = "convnet-3"
) -> Published | None:
    """Return what was published for a question, if anything; ``ipc`` is None for full data.

    A component with parameters of its own (``dm:steps=10``) is another one, and was not published. The paper draws
    augmentations once per batch; that is no other question, only another answer.
    """
    name = _AS_PUBLISHED.get(method, method)
    return _all_values().get((dataset, name, ipc, augmentation.removesuffix(PER_BATCH), network))


def published_search(dataset: str, method: str, ipc: int | None) -> PublishedSearch | None:
    """Return what was published for an architecture search on NAS-Bench-201; ``ipc`` is None for full data."""
    method = _AS_PUBLISHED.get(method, method)
    if dataset != "cifar10" or method not in SEARCH or ipc not in (None, SEARCH_IPC):
        return None
    spearman, top1 = SEARCH[method]
    return PublishedSearch(spearman, _fraction(top1), "Table 3", PAPER)


def published_step(dataset: str, method: str, ipc: int | None) -> float | None:
    """Return the published seconds of one step of synthesis on an A100, if any."""
    known = dict(zip((1, 10, 50), TABLE_8.get(_AS_PUBLISHED.get(method, method), ()), strict=False))
    return known.get(ipc or 0) if dataset == "cifar10" else None


def published_beside(row: Answered, augmentation: str = "dsa") -> Published | None:
    """Return what may stand beside a row: only where it was made and trained as the published ones were."""
    if not is_published_way(row) or (row["method"] not in UNMADE and row["home"] != HOME):
        return None
    return published(row["dataset"], row["method"], row["ipc"], augmentation=augmentation, network=row["network"])


def is_published_way(row: Answered) -> bool:
    """Say whether a row has the published size, recipe and rule; which augmentation it has is looked up elsewhere."""
    if row["scale"] != "paper" or row["selection"] not in (None, "last"):
        return False
    name, changed = parse_reference(row["recipe"] or RECIPES[0])  # sets alone have no recipe
    return name in RECIPES and changed.keys() <= UNCHANGED


def _fraction(percent: float) -> float:
    return round(percent / 100, 6)


@cache
def _all_values() -> dict[Question, Published]:
    return {
        question: Published(_fraction(percent), place, PAPER, note)
        for question, percent, place, note in [*_transfer(), *_compression(), *_augmented()]
    }


def _augmented() -> Iterator[tuple[Question, float, str, str]]:
    for dataset, text in TABLE_4.items():
        for method, ipc, values in _lines(text):
            shifted = method == "kip"
            columns = (*AUGMENTATIONS[1:], AUGMENTATIONS[0]) if shifted else AUGMENTATIONS
            for augmentation, value in zip(columns, values, strict=True):
                if not (shifted and augmentation == "dsa"):  # Table 5 has that one in its right place
                    note = f"{KIP_KIND}; {KIP_NOTE}" if shifted else ABOUT_SETS.get(method, "")
                    yield (dataset, method, ipc, augmentation, "convnet-3"), value, "Table 4", note


def _transfer() -> Iterator[tuple[Question, float, str, str]]:
    for method, ipc, values in _lines(TABLE_5):
        for network, value in zip(NETWORKS, values, strict=True):
            yield ("cifar10", method, ipc, "dsa", network), value, "Table 5", ABOUT_SETS.get(method, "")


def _compression() -> Iterator[tuple[Question, float, str, str]]:
    for method, values in TABLE_6.items():
        for ipc, value in zip((100, 200, 500, 1000), values, strict=True):
            yield ("cifar10", method, ipc, "dsa", "convnet-3"), value, "Table 6", ""
    for ipc, value in zip((1, 10, 50), TABLE_9, strict=True):
        yield ("cifar10", "k-center:embedding=pixels", ipc, "dsa", "convnet-3"), value, "Table 9", ""
    for ipc, value in LARGE_NETWORK.items():
        yield ("cifar10", "random", ipc, "dsa", "resnet-152"), value, "the text", ""
    for (dataset, network), value in WHOLE.items():
        yield (
            (dataset, "full", None, "dsa", network),
            value,
            "the whole-data row",
            "the whole-data row is taken to be with DSA",
        )


def _lines(text: str) -> Iterator[tuple[str, int, list[float]]]:
    for line in text.strip().splitlines():
        method, _, numbers = line.partition(" ")
        for ipc, part in zip((1, 10, 50), numbers.split("/"), strict=True):
            yield method, ipc, [float(number) for number in part.split()]
