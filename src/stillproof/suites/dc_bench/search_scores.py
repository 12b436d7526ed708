"""What each search of architectures found: its order against the true one, its choice, and what it took."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from stillproof.core.seeds import Seeds
from stillproof.report.answers import Answered, Effort
from stillproof.report.captions import SELECTIONS
from stillproof.report.published import PublishedSearch
from stillproof.report.rows import FULL, Rows, complete, grouped, images
from stillproof.score.agreement import Agreement, no_agreement
from stillproof.score.nas import Choice, choice, rank_agreement, spearman_by_seed
from stillproof.score.stats import Summary
from stillproof.suites.dc_bench.published import is_published_way, published_search


@dataclass(frozen=True, slots=True)
class Truth:
    """True accuracies by architecture, and a sentence on where they come from."""

    values: Mapping[str, float]
    sentence: str


@dataclass(frozen=True, slots=True)
class Searched:
    """One search.

    Args:
        row: The row of its first architecture.
        proxy: What it saw of each architecture: the mean over seeds of the held-out accuracy.
        truth: What each is worth.
        dropped: How many architectures lack the answer of a seed, or a truth.
        agreement: How far the two orders agree.
        by_seed: How far the order of each seed alone agrees, where there are several.
        choice: What it chooses; nothing if there is no architecture.
        seconds: Mean time of a training.
        saved: By what share it takes fewer operations than the same search on full data.
        published: What was published of it.
        told: Where the truth comes from.
    """

    row: Answered
    proxy: Sequence[float]
    truth: Sequence[float]
    dropped: int
    agreement: Agreement
    by_seed: Summary | None
    choice: Choice | None
    seconds: float | None
    saved: float | None
    published: PublishedSearch | None
    told: str


def searches(rows: Rows) -> list[Searched]:
    """Return all searches, in the order of their rows."""
    truths = {key: _truth(found) for key, found in grouped(rows.get("search-truth", []), "dataset", "space").items()}
    found = []
    for key, block in grouped(rows.get("search", []), "dataset", "space").items():
        truth = truths.get(key, Truth({}, "no true accuracy is known"))
        groups = grouped(block, "method", "ipc")
        whole = next((group for (method, _), group in groups.items() if method == FULL), [])
        found += [_searched(group, truth, whole) for group in groups.values()]
    return found


def _searched(group: Sequence[Answered], truth: Truth, whole: Sequence[Answered]) -> Searched:
    first = group[0]
    seen = {str(row["architecture"]): row.mean_of_all("heldout_accuracy") for row in group}
    used = {name: value for name, value in seen.items() if value is not None and name in truth.values}
    proxy, worth = list(used.values()), [truth.values[name] for name in used]
    # The same draws for all methods, so that their intervals differ for no other reason than their answers.
    seeds = Seeds(0).child("search", str(first["dataset"]), str(first["space"]))
    published = first["space"] == "nas201" and is_published_way(first)
    return Searched(
        row=first,
        proxy=proxy,
        truth=worth,
        dropped=len(group) - len(used),
        agreement=rank_agreement(proxy, worth, seeds) if used else no_agreement(0, "no architecture has an answer"),
        by_seed=_by_seed([row for row in group if row["architecture"] in used], worth),
        choice=choice(proxy, worth) if used else None,
        seconds=_mean([_per_training(row, lambda effort: effort.seconds) for row in group]),
        saved=_saved(group, whole) if first["method"] != FULL else None,
        published=published_search(first["dataset"], first["method"], first["ipc"]) if published else None,
        told=truth.sentence,
    )


def _by_seed(rows: Sequence[Answered], worth: Sequence[float]) -> Summary | None:
    seeds = complete(*(row.values("heldout_accuracy") for row in rows))  # every row has every seed
    return spearman_by_seed(seeds, worth) if len(seeds) > 1 else None


def _truth(rows: Sequence[Answered]) -> Truth:
    first = rows[0]
    if first["truth"] == "published":
        result = first.results[0] if first.results else None
        if result is None:
            return Truth({}, "the published accuracies could not be read")
        name, mark, content = str(result["source"]).partition("sha256:")
        return Truth(result["accuracy"], f"{result['label']} ({name}{mark}{content[:12]})")
    means = {str(row["architecture"]): row.mean_of_all() for row in rows}
    what = images(None) if first["ipc"] is None else f"{images(first['ipc'])} by {first['method']}"
    seeds = len(first.results)
    rule = "" if first["selection"] in (None, "last") else f" {SELECTIONS[first['selection']]},"
    told = f"test accuracy after training on {what}, recipe {first['recipe']},{rule} mean over seeds, n = {seeds}"
    return Truth({name: mean for name, mean in means.items() if mean is not None}, told)


def _saved(group: Sequence[Answered], whole: Sequence[Answered]) -> float | None:
    """Compare the work of those architectures that both trained."""
    all_images = {row["architecture"]: _per_training(row, lambda effort: effort.flops) for row in whole}
    pairs = [(_per_training(row, lambda effort: effort.flops), all_images.get(row["architecture"])) for row in group]
    known = [(own, other) for own, other in pairs if own is not None and other]
    return 1 - math.fsum(own for own, _ in known) / math.fsum(other for _, other in known) if known else None


def _per_training(row: Answered, of: Callable[[Effort], float | None]) -> float | None:
    return _mean([of(effort) for effort in row.efforts if effort is not None])


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None
