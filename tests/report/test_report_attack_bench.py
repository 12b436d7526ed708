"""The comparison of attacks: numbers by hand, all formats, and a figure."""

from __future__ import annotations

import json

import numpy as np
import pytest

from stillproof.report.attack_bench import BenchComparison, BenchLine
from stillproof.report.figures.values import StepLine, StepPanel
from stillproof.report.tables.formats import FORMATS
from stillproof.score.over_images import wilson

INF = float("inf")


def comparison(eps: float | None = None) -> BenchComparison:
    def line(model: str, attack: str, *distances: float) -> BenchLine:
        return BenchLine(model, attack, np.array(distances), 20.0, 1.5)

    lines = [
        line("plain", "fmn", 0.0, 1.0, 2.0, 4.0),
        line("plain", "lib/fmn", 0.0, 2.0, 1.0, INF),
        BenchLine("plain", "lib/broken", reason="lib/broken failed by itself: ValueError: no"),
        line("firm", "fmn", 1.0, 2.0, 3.0, 4.0),
        line("firm", "lib/fmn", INF, INF, INF, INF),
        BenchLine("firm", "lib/broken", reason="lib/broken failed by itself: ValueError: no"),
    ]
    return BenchComparison("digits", "L2", 100, 4, lines, eps)


def test_optimality_is_local_and_global() -> None:
    found = comparison()
    assert found.optimality("fmn") == {"plain": pytest.approx(1 - 0.25 / 1.5), "firm": 1.0}
    rows = {(row["model"], row["attack"]): row for row in found.as_dict()["attacks"]}
    assert rows["firm", "lib/fmn"]["optimality"] == 0.0
    assert rows["plain", "fmn"]["global_optimality"] == pytest.approx((1 - 0.25 / 1.5 + 1) / 2)
    assert rows["plain", "lib/broken"]["optimality"] is None and "ValueError" in rows["plain", "lib/broken"]["reason"]
    # The best known of the plain model are 0, 1, 1, 4: half of what is right is lost at 1.
    assert (rows["plain", "fmn"]["eps"], rows["plain", "fmn"]["robust_accuracy"]) == (1.0, 0.5)
    assert [row["attack"] for row in found.as_dict()["attacks"]][3] == "fmn"
    assert comparison(eps=2.0).as_dict()["attacks"][0]["eps"] == 2.0
    json.dumps(found.as_dict(), allow_nan=False)


def test_where_nothing_is_found_there_is_a_reason_and_no_error() -> None:
    found = BenchComparison("digits", "L2", 1, 2, [BenchLine("plain", "fmn", np.array([0.0, INF]))])
    (row,) = found.as_dict()["attacks"]
    assert row["optimality"] is row["global_optimality"] is None and row["robust_accuracy"] == 0.5
    assert "no attack turned any image" in row["reason"] and "no attack turned any image" in repr(found)


def test_the_table_has_all_forms() -> None:
    table = comparison().table()
    assert "100.0" in repr(table) and "lib/broken failed by itself" in repr(table)
    for form, write in FORMATS.items():
        assert "fmn" in write(table), form


def test_the_figure_has_every_curve_with_its_interval_and_unit() -> None:
    figure = comparison().curves()
    assert (figure.title, figure.x_name) == ("Robust accuracy over eps in L2", "eps in L2")
    assert figure.measure.title == "robust accuracy (%)"
    assert "4 test images of digits, at most 100 passes for each." in figure.note and "Wilson's 95 %" in figure.note
    plain, firm = figure.panels
    assert [(panel.title, [line.attack for line in panel.lines]) for panel in figure.panels] == [
        ("plain", ["fmn", "lib/fmn"]),
        ("firm", ["fmn", "lib/fmn"]),
    ]
    for panel in figure.panels:
        assert panel.best.attack == "best known" and (panel.radii[0], panel.radii[-1]) == (0.0, 4.0)
        assert all(len(line.robust) == len(panel.radii) for line in (panel.best, *panel.lines))
        for robust, (low, high) in zip(panel.best.robust, panel.best.ci95, strict=True):
            assert (low, high) == wilson(round(4 * robust), 4) and low <= robust <= high
    # One image of the plain model is wrong before; the best known of the others are 1, 1 and 4.
    assert at(plain, plain.best, 0.0) == 0.75 and at(plain, plain.best, 2.0) == 0.25 and at(plain, plain.best, 4.0) == 0
    fmn, lib = plain.lines
    assert at(plain, fmn, 1.5) == 0.5 and at(plain, lib, 4.0) == 0.25 and not fmn.ci95
    assert at(firm, firm.lines[1], 4.0) == 1.0, "what finds nothing leaves everything"


def at(panel: StepPanel, line: StepLine, radius: float) -> float:
    """Return what a line has at the last place up to a radius."""
    return line.robust[sum(place <= radius for place in panel.radii) - 1]


def test_the_picture_has_one_panel_per_model_and_a_line_per_curve() -> None:
    figure = comparison().figure()
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["plain", "firm"]
    assert [len(axes.lines) for axes in figure.axes] == [3, 3]
