from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from answered import BROKEN, mean
from ranked import real, sides
from scipy.stats import kendalltau

from stillproof.report.answers import Answered
from stillproof.report.figures.captions import caption
from stillproof.report.methods import Methods
from stillproof.report.rows import by_section
from stillproof.report.tables.table import Table
from stillproof.report.tables.text import shown
from stillproof.score.agreement import Estimate
from stillproof.suites.dd_ranking.orders import network_figures, network_tables, teacher_figures, teacher_tables
from stillproof.suites.dd_ranking.sides import sides_of

# Accuracy of each method's images by network; with random images at 0.5 and real ones at 0.9, LRS grows with it.
Accuracies = Mapping[str, Mapping[str, float | None]]
ACCURACIES: Accuracies = {
    "k-center": {"convnet-1": 0.60, "mlp": 0.55, "vgg-11": 0.40},
    "dm": {"convnet-1": 0.70, "mlp": 0.50, "vgg-11": 0.45},
    "rded": {"convnet-1": 0.80, "mlp": 0.65, "vgg-11": 0.50},
}


def rows(accuracies: Accuracies, key: str = "network") -> list[Answered]:
    found = []
    section = f"{key}s"
    for name in dict.fromkeys(name for by_name in accuracies.values() for name in by_name):
        keys: dict[str, Any] = {key: name}
        found.append(real(section, [0.90, 0.92], **keys))
        for method, by_name in accuracies.items():
            value = by_name[name]
            seeds = [None, None] if value is None else [value, value + 0.01]
            found += sides(section, method, 10, seeds, seeds, [0.5, 0.5], **keys)
    return found


def tables(found: list[Answered]) -> dict[str, Table]:
    return {table.name: table for table in network_tables(by_section(found))}


def test_every_network_has_a_column_of_scores() -> None:
    table = tables(rows(ACCURACIES))["networks"]
    assert shown(table).header[2:] == ["convnet-1 (home)", "mlp", "vgg-11"]
    expected = {str(one.row["network"]): one.lrs() for one in sides_of(by_section(rows(ACCURACIES)), "networks")[:9:3]}
    first = table.rows[0]
    assert {name: first[f"lrs_{name}"] for name in expected} == expected and first["method"] == "k-center"


def test_places_are_by_score_and_equals_share_the_better_one() -> None:
    equal = {**ACCURACIES, "dm": {**ACCURACIES["dm"], "mlp": 0.65}}
    table = tables(rows(equal))["networks-ranks"]
    found = {line["method"]: [line[f"rank_{name}"] for name in ("convnet-1", "mlp", "vgg-11")] for line in table.rows}
    assert found == {"k-center": [3, 3, 3], "dm": [2, 1, 2], "rded": [1, 1, 1]}
    assert "digits, 10 images per class: among k-center, dm, rded." in table.notes


def test_orders_agree_with_that_at_home_as_scipy_says() -> None:
    lines = tables(rows(ACCURACIES))["networks-order"].rows
    assert [(line["home"], line["other"], line["methods"]) for line in lines] == [
        ("convnet-1", "mlp", 3),
        ("convnet-1", "vgg-11", 3),
    ]
    for line, other in zip(lines, ([0.55, 0.50, 0.65], [0.40, 0.45, 0.50]), strict=True):
        estimate = line["kendall"]
        assert isinstance(estimate, Estimate)
        assert estimate.value == pytest.approx(kendalltau([0.6, 0.7, 0.8], other).statistic) and estimate.ci95


def test_two_methods_are_no_order() -> None:
    table = tables(rows({name: ACCURACIES[name] for name in ("dm", "rded")}))["networks-order"]
    estimate = table.rows[0]["kendall"]
    assert isinstance(estimate, Estimate) and estimate.value is None and table.rows[0]["methods"] == 2
    assert "Order under mlp, 10 images per class: an order is compared of at least 3 methods." in table.notes


def test_a_method_without_a_score_has_no_place_and_is_not_averaged_away() -> None:
    gone = {**ACCURACIES, "rded": {**ACCURACIES["rded"], "mlp": None}}
    found = tables(rows(gone))
    assert found["networks"].rows[2]["lrs_mlp"] is None and found["networks"].rows[2]["missing"] == 2
    assert "No LRS of rded, 10 images per class, mlp: no accuracy of hard and own." in found["networks"].notes
    assert f"Missing: {BROKEN}" in found["networks"].notes
    assert [line["rank_mlp"] for line in found["networks-ranks"].rows] == [1, 2, None]
    assert [line["methods"] for line in found["networks-order"].rows] == [2, 3]
    (figure,) = network_figures(by_section(rows(gone))).values()
    assert "A dash: no result." in caption(figure)


def test_one_method_and_one_network_are_a_table_too() -> None:
    found = tables(rows({"dm": {"convnet-1": 0.7}}))
    assert mean(found["networks"].rows[0]["lrs_convnet-1"]) and found["networks-order"].rows == []
    assert found["networks-ranks"].rows[0]["rank_convnet-1"] == 1


def test_heat_maps_show_the_score_and_frame_the_home() -> None:
    (figure,) = network_figures(by_section(rows(ACCURACIES))).values()
    assert (figure.title, figure.measure.title) == ("LRS by network, 10 images per class", "LRS (0 to 100)")
    assert (figure.row_name, figure.column_name) == ("method", "network")
    expected = {
        (str(one.row["method"]), str(one.row["network"])): one.lrs()
        for one in sides_of(by_section(rows(ACCURACIES)), "networks")
    }
    assert {(cell.row, cell.column): cell.value for cell in figure.cells} == expected and len(expected) == 9
    assert "Framed: convnet-1, where the sets were distilled." in caption(figure)
    assert network_figures({}) == {}
    nothing = {method: dict.fromkeys(found) for method, found in ACCURACIES.items()}
    assert network_figures(by_section(rows(nothing))) == {}


def test_teachers_are_compared_with_the_first() -> None:
    found = rows(ACCURACIES, "teacher")
    first, ranks, order = teacher_tables(by_section(found))
    assert shown(first).header[2:] == ["convnet-1 (first)", "mlp", "vgg-11"] and "LRS by teacher" in first.title
    assert [line["rank_mlp"] for line in ranks.rows] == [2, 3, 1]
    assert [line["other"] for line in order.rows] == ["mlp", "vgg-11"]
    (figure,) = teacher_figures(by_section(found)).values()
    assert "Framed: convnet-1, with which the others are compared." in caption(figure)


def test_asking_for_some_methods_leaves_real_images_and_the_order() -> None:
    narrowed = Methods(["dm"]).of(by_section(rows(ACCURACIES)), {"networks"})
    assert {row["method"] for row in narrowed["networks"]} == {"full", "dm"}
    scores, _, order = (Methods(["dm"]).lines_of(table) for table in network_tables(narrowed))
    assert [line["method"] for line in scores.rows] == ["dm"] and mean(scores.rows[0]["lrs_mlp"])
    assert [line["other"] for line in order.rows] == ["mlp", "vgg-11"]
