from __future__ import annotations

import math
from typing import Any

import pytest
from answered import BROKEN, mean
from ranked import ranked

from stillproof.report.answers import Answered
from stillproof.report.figures.captions import caption
from stillproof.report.rows import by_section
from stillproof.report.tables.table import Mean
from stillproof.report.tables.text import shown
from stillproof.score.stats import summarise
from stillproof.suites.dd_ranking.augmentation import augmentation_figures, augmentation_tables

Values = dict[tuple[str, bool], list[float | None]]
ACCURACIES: Values = {
    ("set", True): [0.80, 0.84],
    ("random", True): [0.70, 0.70],
    ("set", False): [0.60, 0.62],
    ("random", False): [0.65, 0.61],
}


def asked(values: Values, method: str = "rded", ipc: int = 10, **keys: Any) -> list[Answered]:
    return [
        ranked("augmentation", method, ipc, found, images=images, augmented=augmented, **keys)
        for (images, augmented), found in values.items()
    ]


def ars(with_it: float, without: float) -> float:
    return (math.exp((with_it + without) / 2) - math.exp(-1)) / (math.e - math.exp(-1))


def test_ars_is_of_both_gains_over_random_images() -> None:
    (table,) = augmentation_tables(by_section(asked(ACCURACIES)))
    (line,) = table.rows
    assert mean(line["ior_with"]) == pytest.approx(0.12) and mean(line["ior_without"]) == pytest.approx(-0.02)
    assert mean(line["ars"]) == pytest.approx((ars(0.10, -0.05) + ars(0.14, 0.01)) / 2)
    assert isinstance(line["own_without"], Mean) and line["own_without"].summary.mean == pytest.approx(0.61)
    assert line["missing"] == 0 and "published ARS" not in shown(table).header


def test_seeds_that_lack_one_of_the_four_are_left_out_of_the_score() -> None:
    (table,) = augmentation_tables(by_section(asked({**ACCURACIES, ("random", False): [None, 0.61]})))
    (line,) = table.rows
    assert mean(line["ars"]) == pytest.approx(ars(0.14, 0.01)) and mean(line["ior_with"]) == pytest.approx(0.12)
    assert line["missing"] == 1 and f"Missing: {BROKEN}" in table.notes


def test_a_way_that_is_not_there_is_a_dash_with_its_reason() -> None:
    rows = [row for row in asked(ACCURACIES) if row["augmented"]]
    (table,) = augmentation_tables(by_section(rows))
    (line,) = table.rows
    assert line["ars"] is line["ior_without"] is line["own_without"] is None and mean(line["ior_with"])
    told = "no accuracy of own without and random without"
    assert f"No ARS of rded, 10 images per class: {told}." in table.notes
    assert augmentation_figures(by_section(rows)) == {} and augmentation_figures({}) == {}


def test_the_plane_has_one_panel_per_size() -> None:
    rows = [row for ipc in (1, 10) for method in ("random", "rded") for row in asked(ACCURACIES, method, ipc)]
    (figure,) = augmentation_figures(by_section(rows)).values()
    places = [(spot.panel, spot.method) for spot in figure.spots]
    assert places == [
        (size, name) for size in ("1 image per class", "10 images per class") for name in ("random", "rded")
    ]
    for spot in figure.spots:
        assert spot.x is not None and spot.x.ci95 == pytest.approx(summarise([-0.05, 0.01]).ci95)
        assert spot.y is not None and spot.y.ci95 == pytest.approx(summarise([0.10, 0.14]).ci95)
    assert (figure.x.title, figure.y.title) == ("IOR without augmentation (points)", "IOR with augmentation (points)")
    without, augmented = figure.score.x[0], figure.score.y[-1]
    score = figure.score.scores[-1][0]
    assert (figure.score_name, figure.better) == ("ARS", "upper right")
    assert without < 0 < augmented and score == pytest.approx(ars(augmented, without))
    assert "n = 2 seeds" in caption(figure)
