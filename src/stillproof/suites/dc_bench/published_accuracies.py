"""The accuracies that DC-Bench published, by the question that each answers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from stillproof.report.published import Published
from stillproof.suites.dc_bench.published_values import (
    AUGMENTATIONS,
    HOMES,
    KIP_KIND,
    KIP_NOTE,
    LARGE_NETWORK,
    LEADERBOARD,
    LEADERBOARD_NOTE,
    NETWORKS,
    PAPER,
    TABLE_4,
    TABLE_5,
    TABLE_6,
    TABLE_9,
    WHOLE,
)

ABOUT_SETS = {"kip": KIP_KIND, "mtt": "MTT's authors kept the sets that were best on the test images along the way"}
BOARD = "the leaderboard dc-bench.github.io"

Question = tuple[str, str, int | None, str, str]  # data set, method, ipc, augmentation, network


def fraction(percent: float) -> float:
    """Return a printed number of percent as a fraction."""
    return round(percent / 100, 6)


@cache
def accuracies() -> dict[Question, Published]:
    """Return all accuracies; where tables meet, the later one here is named."""
    return {
        question: Published(fraction(percent), place, PAPER, note)
        for question, percent, place, note in [*_best(), *_transfer(), *_compression(), *_augmented()]
    }


@cache
def averages() -> dict[tuple[str, str, int], Published]:
    """Return means over the four augmentations by data set, method and images per class."""
    return {
        (dataset, method, ipc): Published(fraction(average), BOARD, PAPER, ABOUT_SETS.get(method, ""))
        for dataset, text in LEADERBOARD.items()
        for method, ipc, (_, average) in _lines(text)
    }


def _best() -> Iterator[tuple[Question, float, str, str]]:
    for dataset, text in LEADERBOARD.items():
        for method, ipc, (best, _) in _lines(text):
            about = "; ".join(note for note in (ABOUT_SETS.get(method, ""), LEADERBOARD_NOTE) if note)
            yield (dataset, method, ipc, "dsa", HOMES[dataset]), best, BOARD, about


def _augmented() -> Iterator[tuple[Question, float, str, str]]:
    for dataset, text in TABLE_4.items():
        for method, ipc, values in _lines(text):
            shifted = method == "kip"
            columns = (*AUGMENTATIONS[1:], AUGMENTATIONS[0]) if shifted else AUGMENTATIONS
            for augmentation, value in zip(columns, values, strict=True):
                if not (shifted and augmentation == "dsa"):  # Table 5 has that one in its right place
                    note = f"{KIP_KIND}; {KIP_NOTE}" if shifted else ABOUT_SETS.get(method, "")
                    yield (dataset, method, ipc, augmentation, HOMES[dataset]), value, "Table 4", note


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
