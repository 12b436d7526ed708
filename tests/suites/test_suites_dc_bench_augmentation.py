from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from answered import BROKEN, mean, row, tables

from stillproof.report.answers import Answered
from stillproof.report.figures.captions import caption
from stillproof.report.published import Published
from stillproof.report.rows import by_section
from stillproof.report.tables.table import Difference
from stillproof.report.tables.text import shown
from stillproof.score.stats import Summary
from stillproof.suites.dc_bench.augmentation import augmentation_figures

Values = dict[str, list[float | None]]
ACCURACIES: Values = {"none": [0.50, 0.60], "dsa": [0.70, 0.60], "mixup": [0.40, 0.80]}
HELDOUT: Values = {"none": [0.9], "dsa": [0.5], "mixup": [0.6]}


def asked(**changed: list[float | None]) -> list[Answered]:
    return [
        row("augmentation", "dm", 10, values, augmentation=name, recipe=f"quick:augment={name}")
        for name, values in {**ACCURACIES, **changed}.items()
    ]


def choices(**changed: list[float | None]) -> list[Answered]:
    return [
        row("augmentation-choice", "dm", 10, values, "heldout_accuracy", augmentation=name)
        for name, values in {**HELDOUT, **changed}.items()
    ]


def test_scores_are_without_the_average_over_and_the_best_of_augmentations() -> None:
    (line,) = tables([*asked(), *choices()], "augmentation")["augmentation-scores"].rows
    assert mean(line["none"]) == pytest.approx(0.55)
    average = line["average"]
    per_seed = np.mean([[0.70, 0.60], [0.40, 0.80]], axis=0)
    assert isinstance(average, Summary) and average.n == 2
    assert (average.mean, average.std) == pytest.approx((per_seed.mean(), per_seed.std(ddof=1)))
    assert line["best_augmentation"] == "mixup", "the choice looks at held-out images, and none is no augmentation"
    assert mean(line["best"]) == pytest.approx(0.6)


def test_without_an_answer_to_choose_by_there_is_no_best() -> None:
    for found in ([], choices(dsa=[None]), [one for one in choices() if one["augmentation"] != "dsa"]):
        table = tables([*asked(), *found], "augmentation")["augmentation-scores"]
        (line,) = table.rows
        assert line["best"] is None and line["best_augmentation"] is None and mean(line["none"])
        assert any(
            note.startswith("No best augmentation of dm, 10 images per class: no result") for note in table.notes
        )
    apart = tables([*asked(), *choices(dsa=[0.1, None], mixup=[None, 0.2])], "augmentation")["augmentation-scores"]
    assert apart.rows[0]["best"] is None and any("no seed has a result" in note for note in apart.notes)


def test_only_seeds_that_all_augmentations_have_are_compared() -> None:
    found = choices(dsa=[0.5, 0.5], mixup=[0.4, None])
    (line,) = tables([*asked(), *found], "augmentation")["augmentation-scores"].rows
    assert line["best_augmentation"] == "dsa"
    partly = tables([*asked(mixup=[None, 0.8]), *choices()], "augmentation")["augmentation-scores"].rows[0]["average"]
    assert isinstance(partly, Summary) and (partly.mean, partly.n) == pytest.approx((0.7, 1))
    assert (
        tables([*asked(mixup=[None, None]), *choices()], "augmentation")["augmentation-scores"].rows[0]["average"]
        is None
    )


def test_equals_are_named() -> None:
    table = tables([*asked(), *choices(mixup=[0.5])], "augmentation")["augmentation-scores"]
    assert table.rows[0]["best_augmentation"] == "dsa"
    assert "Best of dm, 10 images per class: mixup as good as dsa, which comes first." in table.notes


def test_the_published_way_of_choosing_is_called_an_oracle() -> None:
    faithful = [dataclasses.replace(one, keys={**one.keys, "protocol": "faithful"}) for one in asked(dsa=[0.9, 0.9])]
    table = tables(faithful, "augmentation")["augmentation-scores"]
    assert table.rows[0]["best_augmentation"] == "dsa"
    assert any("ORACLE: the test images" in note for note in shown(table).notes)


def test_published_values_stand_beside_ours() -> None:
    rows = [row("augmentation", "random", 10, [0.30, 0.32], augmentation="dsa-per-batch", dataset="cifar10")]
    table = tables(rows, "augmentation")["augmentation"]
    (line,) = table.rows
    assert isinstance(line["published"], Published) and line["published"].mean == 0.31
    assert isinstance(line["difference"], Difference)
    found, own = line["difference"].summary, line["accuracy"]
    assert isinstance(own, Summary) and own.ci95 and found.ci95
    assert found.mean == pytest.approx(0.0) and found.ci95 == pytest.approx((own.ci95[0] - 0.31, own.ci95[1] - 0.31))
    assert any("DC-Bench" in note for note in table.notes)
    assert "published %" not in shown(tables(asked(), "augmentation")["augmentation"]).header


def test_published_scores_stand_beside_the_same_scores_of_ours() -> None:
    about: dict[str, Any] = {
        "dataset": "tiny_imagenet",
        "network": "convnet-4",
        "home": "convnet-4",
        "protocol": "faithful",
    }
    names = ("none", "imagenet-aug-per-batch", "rand-augment-per-batch", "auto-augment-per-batch", "dsa")
    rows = [row("augmentation", "dm", 10, [0.1, 0.2], augmentation=name, **about) for name in names]
    table = tables(rows, "augmentation")["augmentation-scores"]
    (line,) = table.rows
    assert isinstance(line["published_average"], Published) and line["published_average"].mean == 0.1269
    assert isinstance(line["published_best"], Published) and line["published_best"].mean == 0.1351
    assert any("leaderboard" in note for note in table.notes)
    assert "published best %" not in shown(tables([*asked(), *choices()], "augmentation")["augmentation-scores"]).header


def test_failures_are_dashes_with_their_reason() -> None:
    table = tables(asked(mixup=[None, None]), "augmentation")["augmentation"]
    assert table.rows[2]["accuracy"] is None and table.rows[2]["missing"] == 2 and f"Missing: {BROKEN}" in table.notes


def test_the_bars_have_every_augmentation_and_what_was_published() -> None:
    rows = [*asked(), row("augmentation", "random", 10, [0.30, 0.32], augmentation="dsa", dataset="cifar10")]
    ours, published = augmentation_figures(by_section(rows)).values()
    assert [(bar.group, bar.method, bar.panel) for bar in ours.bars] == [
        (name, "dm", "10 images per class") for name in ACCURACIES
    ]
    assert [bar.value for bar in ours.bars] == [one.summary() for one in asked()]
    assert (ours.title, ours.group_name, ours.measure.unit) == ("Accuracy under augmentations", "augmentation", "%")
    assert "protocol fair" in caption(ours) and "n = 2" in caption(ours)
    (bar,) = published.bars
    assert bar.published and bar.published.mean == 0.31 and "Diamonds" in caption(published)


def test_figures_are_named_apart_only_where_there_are_several() -> None:
    rows = asked()
    assert list(augmentation_figures(by_section(rows))) == ["augmentation"]
    other = [dataclasses.replace(one, keys={**one.keys, "network": "convnet:width=4"}) for one in rows]
    assert list(augmentation_figures(by_section([*rows, *other]))) == [
        "augmentation-digits-convnet-3",
        "augmentation-digits-convnet-width-4",
    ]
    assert augmentation_figures(by_section(asked(none=[None], dsa=[None], mixup=[None]))) == {}
    assert augmentation_figures({}) == {} and tables([], "augmentation") == {}
