from __future__ import annotations

from typing import Any

import pytest
from answered import row, tables
from scipy.stats import kendalltau, spearmanr

from stillproof.report.answers import Answered
from stillproof.report.figures.captions import caption
from stillproof.report.published import Published
from stillproof.report.rows import by_section
from stillproof.report.tables.table import Percent, Seconds
from stillproof.score.agreement import Estimate
from stillproof.suites.dc_bench.search import search_figures

TRUTH = {"a": 0.90, "b": 0.80, "c": 0.70, "d": 0.60, "e": 0.50, "f": 0.40}
SEEN = {"a": 0.6, "b": 0.7, "c": 0.5, "d": 0.4, "e": 0.3, "f": 0.35}
ABOUT: dict[str, Any] = {"space": "nas201", "dataset": "cifar10"}


def searched(method: str, seen: dict[str, float | None], flops: float = 1e6) -> list[Answered]:
    return [
        row(
            "search",
            method,
            None if method == "full" else 50,
            [value, None if value is None else value + 0.02],
            "heldout_accuracy",
            seconds=2.0,
            flops=flops * (index + 1),
            architecture=name,
            **ABOUT,
        )
        for index, (name, value) in enumerate(seen.items())
    ]


def published_truth() -> list[Answered]:
    one = row("search-truth", "full", None, [0.0], truth="published", **ABOUT)
    return [Answered(one.keys, [{"accuracy": TRUTH, "label": "a label", "source": "a.csv"}])]


def trained_truth() -> list[Answered]:
    return [
        row("search-truth", "random", 100, [value - 0.01, value + 0.01], truth="trained", architecture=name, **ABOUT)
        for name, value in TRUTH.items()
    ]


@pytest.mark.parametrize("truth", [published_truth(), trained_truth()], ids=["published", "trained"])
def test_the_order_agrees_as_scipy_says(truth: list[Answered]) -> None:
    table = tables([*truth, *searched("dm", dict(SEEN))], "search")["search"]
    (line,) = table.rows
    for key, correlation in (("spearman", spearmanr), ("kendall", kendalltau)):
        estimate = line[key]
        expected = correlation(list(SEEN.values()), list(TRUTH.values())).statistic
        assert isinstance(estimate, Estimate) and estimate.value == pytest.approx(expected) and estimate.ci95
    assert (line["architectures"], line["dropped"]) == (6, 0)
    by_seed = line["spearman_by_seed"]  # both seeds have the same order
    assert isinstance(by_seed, Estimate) and isinstance(line["spearman"], Estimate)
    assert by_seed.value == pytest.approx(line["spearman"].value)
    assert isinstance(line["published_spearman"], Estimate) and line["published_spearman"].value == -0.37
    told = "a label (a.csv)" if len(truth) == 1 else "training on 100 images per class by random, recipe dc-bench-dsa"
    assert any(note.startswith("True accuracy in nas201") and told in note for note in table.notes)


def test_the_choice_and_what_it_saves() -> None:
    rows = [*published_truth(), *searched("full", dict(SEEN), flops=1e8), *searched("dm", dict(SEEN))]
    full, line = tables(rows, "search")["search-choice"].rows
    assert line["top1"] == Percent(0.80) and line["tied"] == 1 and line["best"] == Percent(0.90)
    assert isinstance(line["regret"], Percent) and line["regret"].fraction == pytest.approx(0.1)
    assert isinstance(line["saved"], Percent) and line["saved"].fraction == pytest.approx(0.99)
    assert full["saved"] is None and line["seconds"] == Seconds(2.0)
    assert isinstance(line["published_top1"], Published) and line["published_top1"].mean == 0.9216
    alone = tables([*published_truth(), *searched("dm", dict(SEEN))], "search")["search-choice"].rows[0]
    assert alone["saved"] is None, "there is nothing to compare with"


def test_those_that_share_the_first_place_are_counted() -> None:
    (line,) = tables([*published_truth(), *searched("dm", {**SEEN, "e": 0.7})], "search")["search-choice"].rows
    assert line["tied"] == 2 and isinstance(line["top1"], Percent) and line["top1"].fraction == pytest.approx(0.65)


def test_an_architecture_without_an_answer_is_dropped_and_counted() -> None:
    rows = [*published_truth(), *searched("full", dict(SEEN), flops=1e8), *searched("dm", {**SEEN, "b": None})]
    found = tables(rows, "search")
    line, chosen = found["search"].rows[1], found["search-choice"].rows[1]
    assert (line["architectures"], line["dropped"]) == (5, 1) and chosen["top1"] == Percent(0.90)
    half = searched("dm", dict(SEEN))
    half[0] = row("search", "dm", 50, [0.6, None], "heldout_accuracy", architecture="a", **ABOUT)
    assert tables([*published_truth(), *half], "search")["search"].rows[0]["dropped"] == 1
    missing_truth = [one for one in trained_truth() if one["architecture"] != "c"]
    assert tables([*missing_truth, *searched("dm", dict(SEEN))], "search")["search"].rows[0]["architectures"] == 5


def test_without_any_truth_there_are_dashes_with_a_reason() -> None:
    found = tables(searched("dm", dict(SEEN)), "search")
    (line,) = found["search"].rows
    assert isinstance(line["spearman"], Estimate) and line["spearman"].value is None and line["dropped"] == 6
    assert found["search-choice"].rows[0].get("top1") is None
    assert "dm: no architecture has an answer." in found["search"].notes
    assert search_figures(by_section(searched("dm", dict(SEEN)))) == {}


def test_elsewhere_nothing_is_published() -> None:
    rows = [*published_truth(), *searched("dm", dict(SEEN))]
    moved = [Answered({**one.keys, "space": "convnet"}, one.results, (), 0, one.efforts) for one in rows]
    assert tables(moved, "search")["search"].rows[0].get("published_spearman") is None


def test_the_scatter_says_what_the_truth_is() -> None:
    rows = [*published_truth(), *searched("dm", dict(SEEN))]
    (figure,) = search_figures(by_section(rows)).values()
    said = caption(figure)
    assert "truth: a label (a.csv)" in said and "mean over seeds, n = 2" in said and "n = 6 architectures" in said
    (panel,) = figure.searches
    assert panel.published and panel.published.spearman == -0.37 and "Correlations" in said
    assert list(panel.truth) == list(TRUTH.values()) and panel.proxy == pytest.approx([v + 0.01 for v in SEEN.values()])
    assert panel.agreement.spearman.ci95 and panel.agreement.kendall.ci95
    assert search_figures({}) == {} and tables([], "search") == {}
