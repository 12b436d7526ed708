"""The comparison of attacks: numbers by hand, all formats, and a figure."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from stillproof.report.attack_bench import BenchComparison, BenchLine
from stillproof.report.drawing.save import save_figure
from stillproof.report.tables.formats import FORMATS

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


def test_the_figure_has_one_panel_per_model_and_the_best_known(tmp_path: Path) -> None:
    figure = comparison().figure()
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["plain", "firm"]
    best, *others = figure.axes[0].lines
    assert len(others) == 2 and best.get_ydata()[0] == 0.75  # type: ignore[index]
    save_figure(figure, tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 5000
