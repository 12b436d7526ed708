from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from answered import BROKEN, mean
from ranked import N_TEST, ranked

from stillproof.report.answers import Answered
from stillproof.report.figures.captions import caption
from stillproof.report.figures.looks import LOOKS
from stillproof.report.figures.values import Curves
from stillproof.report.rows import by_section
from stillproof.report.tables.table import Table
from stillproof.score.difference import difference_of_shares
from stillproof.suites.dd_ranking.controls import controls_figures, controls_tables
from stillproof.suites.dd_ranking.report_parts import chance_of

Seeds = Sequence[float | None]


def both(method: str, noise: float, soft: Seeds, hard: Seeds, **keys: Any) -> list[Answered]:
    return [
        ranked("controls", method, 10, values, labels=labels, disturbance=noise, **keys)
        for labels, values in (("hard", hard), ("soft", soft))
    ]


def asked() -> list[Answered]:
    return [
        *both("noise", 0.0, [0.30, 0.32, 0.31], [0.10, 0.12, 0.11]),
        *both("random", 0.0, [0.80, 0.82, 0.84], [0.70, 0.73, 0.74]),
        *both("random", 1.0, [0.50, 0.52, 0.54], [0.60, 0.61, 0.66]),
        *both("dm", 0.0, [0.80, 0.85, 0.83], [0.81, 0.82, 0.83]),
        *both("dm", 1.0, [0.80, 0.85, 0.83], [None, None, None]),
    ]


def table_of(rows: list[Answered]) -> Table:
    (table,) = controls_tables(by_section(rows))
    return table


def test_soft_labels_are_compared_with_hard_ones_seed_by_seed() -> None:
    noise, random, disturbed, dm, broken = table_of(asked()).rows
    assert mean(noise["difference"]) == pytest.approx(0.20) and mean(random["soft"]) == pytest.approx(0.82)
    assert [line["lifted"] for line in (noise, random, disturbed, dm, broken)] == ["yes", "yes", "no", "unclear", None]
    assert [line["disturbance"] for line in (random, disturbed)] == ["0", "1"]
    assert broken["difference"] is None and broken["missing"] == 3 and mean(broken["soft"])
    assert f"Missing: {BROKEN}" in table_of(asked()).notes


def test_whether_random_data_is_lifted_is_said_first() -> None:
    first, *others = table_of(asked()).notes
    assert first.startswith("Do soft labels help random data, too? noise, 10 images per class: yes, +20.0 (")
    assert "random, 10 images per class: yes, +9.7 (" in first and "dm" not in first
    assert "Chance: guessing gets 10 % on digits." in others
    single = both("random", 0.0, [0.8], [0.7])
    assert table_of(single).notes[0].endswith("random, 10 images per class: unclear, +10.0 points.")
    assert not table_of(both("dm", 0.0, [0.8], [0.7])).notes[0].startswith("Do soft labels")


def test_curves_are_over_the_noise_and_pure_noise_is_a_line_across() -> None:
    figures = controls_figures(by_section(asked()))
    assert list(figures) == ["controls", "controls-gain"]
    accuracy, gain = figures.values()
    assert isinstance(accuracy, Curves) and isinstance(gain, Curves) and accuracy.linear and gain.linear
    assert accuracy.x_name == gain.x_name == "standard deviation of the added noise" and accuracy.chance == 0.1
    (panel,) = accuracy.panels
    lines = [(curve.method, curve.line(LOOKS[curve.method])) for curve in panel.curves]
    assert lines == [(method, line) for line in ("solid", "dashed") for method in ("random", "dm")], (
        "two lines per method"
    )
    assert accuracy.lines == ("soft labels", "hard labels") and panel.title == "10 images per class"
    assert [(level.label, level.style) for level in panel.levels] == [
        ("pure noise, soft", "solid"),
        ("pure noise, hard", "dashed"),
    ]
    assert [level.value.mean for level in panel.levels] == pytest.approx([0.31, 0.11])
    assert "n = 3 seeds" in caption(accuracy)


def test_the_gain_is_that_of_each_seed() -> None:
    gain = controls_figures(by_section(asked()))["controls-gain"]
    assert isinstance(gain, Curves) and gain.measure.title == "accuracy with soft labels over hard ones (points)"
    (panel,) = gain.panels
    random, dm = panel.curves
    assert [point.x for point in random.points] == [0.0, 1.0] and random.line(LOOKS["random"]) == "solid"
    first, second = (point.value for point in random.points)
    assert first == difference_of_shares([0.80, 0.82, 0.84], [0.70, 0.73, 0.74], N_TEST)
    assert second == difference_of_shares([0.50, 0.52, 0.54], [0.60, 0.61, 0.66], N_TEST)
    assert dm.points[1].value is None and [level.label for level in panel.levels] == ["pure noise"]


def test_what_has_no_answer_is_not_drawn() -> None:
    assert list(controls_figures(by_section(both("random", 0.0, [0.8], [None])))) == ["controls"]
    assert controls_figures(by_section(both("random", 0.0, [None], [None]))) == {} and controls_figures({}) == {}
    assert list(controls_figures(by_section(both("noise", 0.0, [0.3], [0.1])))) == ["controls", "controls-gain"]


def test_chance_is_known_of_data_sets_whose_classes_are() -> None:
    assert chance_of("digits") == chance_of("cifar10") == 0.1 and chance_of("cifar100") == 0.01
    assert chance_of("image_folder:path=somewhere") is None and chance_of("/a/folder") is None
