from __future__ import annotations

import numpy as np
import pytest
from beard_answers import ACCURACY, ATTACKS, bacon, row

from stillproof.report.answers import Answered
from stillproof.report.figures.captions import caption
from stillproof.report.figures.values import Bars, Curves, FigureData, Plane
from stillproof.report.rows import by_section
from stillproof.score.stats import Summary
from stillproof.suites.beard.suite import SECTIONS

NAMES = {section.name: section for section in SECTIONS}
EPS = [step / 100 for step in range(9)]


def figures(rows: list[Answered]) -> dict[str, FigureData]:
    found = by_section(rows)
    made = [NAMES[name].figures(found) for name in found]
    return {name: figure for one in made for name, figure in one.items() if isinstance(figure, FigureData)}


def curve(method: str, *starts: float, ipc: int | None = 10, **keys: str) -> Answered:
    """A row of section curves, whose accuracy falls from each seed's start to nothing."""
    answers = [
        {"n": 100, "eps": EPS, "accuracies": [start * (1 - eps / EPS[-1]) for eps in EPS], "area": start / 2}
        for start in starts
    ]
    return row(ipc, "", answers, None, section="curves", method=method, **{"norm": "Linf", **keys})


def test_curves_have_a_panel_per_size_and_all_real_images_in_each() -> None:
    rows = [curve("full", 0.9, ipc=None), curve("dm", 0.8, 0.6, ipc=1), curve("dm", 0.8, ipc=10)]
    figure = figures([*rows, curve("dm", 0.8, defence="pgd-at")])["curves"]
    assert isinstance(figure, Curves) and figure.linear
    assert (figure.x_name, figure.measure.title) == ("eps in Linf, pixels of [0, 1]", "robust accuracy (%)")
    assert [panel.title for panel in figure.panels] == ["1 image per class", "10 images per class"]
    first, second = figure.panels
    assert [one.method for one in first.curves] == [one.method for one in second.curves] == ["full", "dm"]
    points = first.curves[1].points
    assert [point.x for point in points] == EPS
    values = [point.value for point in points]
    assert [value.mean for value in values[::4] if value] == pytest.approx([0.7, 0.35, 0.0])
    assert values[0] is not None and values[0].n == 2 and values[0].ci95 is not None
    assert values[0].ci95[0] < 0.6 and values[0].ci95[1] > 0.8, "the interval of two seeds is wide"
    assert "100 test images; not checked for alarms" in caption(figure)


def test_defended_models_stand_beside_their_own_curve_without_a_defence() -> None:
    rows = [curve("dm", 0.8), curve("dm", 0.7, defence="pgd-at"), curve("random", 0.8, ipc=1)]
    asked = bacon(section="defences", method="dm")
    figure = figures([*rows, *asked])["defences"]
    assert isinstance(figure, Curves)
    assert [panel.title for panel in figure.panels] == ["dm"], "no defence was asked for on the small set"
    assert [one.method for one in figure.panels[0].curves] == ["no defence"]
    figure = figures([*rows, *asked, *bacon(section="defences", method="dm", defence="pgd-at")])["defences"]
    assert isinstance(figure, Curves)
    assert [one.method for one in figure.panels[0].curves] == ["no defence", "pgd-at"]


def test_the_ratio_stands_over_the_sizes_with_a_line_for_all_of_them() -> None:
    figure = figures(bacon(seeds=2))["sizes"]
    assert isinstance(figure, Curves) and figure.measure.title == "RR (0 to 100)"
    (panel,) = figure.panels
    (only,) = panel.curves
    assert (panel.title, only.method, [point.x for point in only.points]) == ("targeted", "bacon", [1, 10, 50])
    assert [round(100 * point.value.mean, 2) for point in only.points if point.value] == [19.78, 12.94, 6.99]
    (level,) = panel.levels
    assert level.label == "bacon, pooled: 1, 10, 50" and round(100 * level.value.mean, 2) == 36.83
    assert level.value.ci95 is not None


def test_crei_goes_from_efficiency_to_ratio() -> None:
    figure = figures(bacon())["alpha"]
    assert isinstance(figure, Curves) and figure.linear and figure.x_name == "weight of RR"
    (panel,) = figure.panels
    assert panel.title == "targeted, ipc pooled: 1, 10, 50"
    means = {point.x: point.value.mean for point in panel.curves[0].points if point.value}
    assert list(means) == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert (round(100 * means[0.0], 2), round(100 * means[1.0], 2)) == (29.27, 36.83)


def test_the_trade_off_has_a_spot_per_size_and_lines_of_what_is_kept() -> None:
    figure = figures(bacon())["trade-off"]
    assert isinstance(figure, Plane)
    assert (figure.x.title, figure.score_name) == ("clean accuracy (%)", "share kept")
    assert figure.y.title == "accuracy in the worst case of all attacks (%)"
    places = {spot.panel: (spot.x, spot.y) for spot in figure.spots}
    assert list(places) == [f"targeted, ipc {ipc}" for ipc in ACCURACY]
    for ipc, (clean, _) in ACCURACY.items():
        x, y = places[f"targeted, ipc {ipc}"]
        assert x is not None and y is not None
        assert [x.mean, y.mean] == pytest.approx([clean / 100, 0.2])
    grid = figure.score
    assert grid.x[0] == grid.y[0] == 0 and grid.scores[0][0] == 1, "of nothing all is kept"
    kept = [[min(robust / clean, 1.0) for clean in grid.x[1:]] for robust in grid.y]
    assert np.allclose([row[1:] for row in grid.scores], kept)


def left(value: float) -> list[dict[str, float]]:
    return [{"n": 100, "robust_accuracy": value}, {"n": 100, "robust_accuracy": value + 0.02}]


def test_convergence_has_a_panel_per_mode_over_the_steps() -> None:
    rows = [
        row(10, "", left(0.5 / steps), None, section="convergence", mode=mode, steps=steps)
        for mode in ("untargeted", "targeted")
        for steps in (1, 10)
    ]
    figure = figures(rows)["convergence"]
    assert isinstance(figure, Curves) and figure.x_name == "steps"
    assert figure.measure.title == "accuracy under attack (%)"
    assert [panel.title for panel in figure.panels] == ["untargeted", "targeted"]
    points = figure.panels[0].curves[0].points
    assert [(point.x, point.value and round(point.value.mean, 6)) for point in points] == [(1, 0.51), (10, 0.06)]


def test_threat_models_are_two_bars_per_method_and_attack() -> None:
    rows = [
        row(10, "", left(0.1 * number), attack, section="threat-models", threat=threat)
        for attack in ATTACKS[:2]
        for number, threat in enumerate(("pixels", "normalised"))
    ]
    figure = figures(rows)["threat-models"]
    assert isinstance(figure, Bars) and figure.group_name == "method"
    assert [(bar.panel, bar.group, bar.method) for bar in figure.bars] == [
        (attack, "bacon", threat) for attack in ATTACKS[:2] for threat in ("pixels", "normalised")
    ]
    values = [bar.value for bar in figure.bars]
    assert all(isinstance(value, Summary) and value.n == 2 and value.ci95 for value in values)
    assert [round(value.mean, 6) for value in values if value] == [0.01, 0.11] * 2
    assert "protocol faithful" in caption(figure)
