from __future__ import annotations

from typing import Any

import pytest
from answered import BROKEN, mean, row, tables

from stillproof.report.answers import Answered
from stillproof.report.figures.captions import caption
from stillproof.report.figures.values import Cloud
from stillproof.report.published import Published
from stillproof.report.rows import by_section
from stillproof.report.tables.table import Bytes, Difference, Percent, Seconds
from stillproof.report.tables.text import shown
from stillproof.score.stats import summarise
from stillproof.suites.dc_bench.compression import compression_figures
from stillproof.suites.dc_bench.distribution import distribution_figures
from stillproof.suites.dc_bench.initialisation import initialisation_figures
from stillproof.suites.dc_bench.published import published_step


def compressed() -> list[Answered]:
    return [
        row("compression", "full", None, [0.9, 0.92], recipe="real"),
        row("compression", "random", 1, [0.30, 0.34]),
        row("compression", "dm", 1, [0.40, 0.46]),
        row("compression", "random", 10, [None, 0.50]),
        row("compression", "dm", 10, [0.70, 0.80]),
        row("compression", "dm", 10, [0.70, 0.60], network="mlp"),
    ]


def test_the_gain_over_random_is_seed_by_seed() -> None:
    (table,) = tables(compressed(), "compression").values()
    gains = [line["gain"] for line in table.rows]
    assert gains[0] is gains[1] is gains[3] is gains[5] is None, "there is no random with the same network"
    assert gains[2] == Difference(summarise([0.40 - 0.30, 0.46 - 0.34]))
    assert isinstance(gains[4], Difference) and gains[4].summary == summarise([0.80 - 0.50])
    assert shown(table).rows[0][2] == "all" and f"Missing: {BROKEN}" in table.notes


def test_each_network_has_its_panel_and_the_ceiling_its_recipe() -> None:
    (figure,) = compression_figures(by_section(compressed())).values()
    assert [panel.title for panel in figure.panels] == ["convnet-3", "mlp"]
    home, other = figure.panels
    assert [(level.label, level.value) for level in home.levels] == [("full data", compressed()[0].summary())]
    assert list(other.levels) == [] and "full data: recipe real" in caption(figure)
    assert [(curve.method, [point.x for point in curve.points]) for curve in home.curves] == [
        ("random", [1, 10]),
        ("dm", [1, 10]),
    ]
    assert (figure.title, figure.x_name) == ("Accuracy over images per class", "images per class")
    assert compression_figures(by_section(compressed()[:1])) == {}, "a ceiling alone is no curve"
    assert compression_figures({}) == {} and tables([], "compression") == {}


def started(init: str, means: dict[int, float | None]) -> list[Answered]:
    seeds = {step: [None, None] if value is None else [value - 0.01, value + 0.01] for step, value in means.items()}
    return [row("initialisation", "dm:steps=8", 10, values, init=init, step=step) for step, values in seeds.items()]


def test_steps_to_the_level_that_real_reaches_in_the_end() -> None:
    rows = [
        *started("noise", {8: 0.4, 4: 0.3, 2: 0.2}),
        *started("real", {2: 0.3, 4: 0.5, 8: 0.5}),
        *started("k-center", {2: 0.55, 4: 0.5, 8: 0.6}),
    ]
    (table,) = tables(rows, "initialisation").values()
    noise, real, center = table.rows
    assert (noise["steps_to_level"], noise["share"]) == (None, None) and mean(noise["gain"]) == pytest.approx(-0.1)
    assert (real["steps_to_level"], real["share"], real["gain"]) == (4, Percent(1.0), None)
    assert (center["steps_to_level"], center["share"], center["steps"]) == (2, Percent(0.5), 8)
    assert isinstance(center["level"], Percent) and center["level"].fraction == pytest.approx(0.5)
    (figure,) = initialisation_figures(by_section(rows)).values()
    (panel,) = figure.panels
    assert panel.title == "dm:steps=8, 10 images per class" and figure.x_name == "step of the distillation"
    assert [level.label for level in panel.levels] == ["real in the end"]
    starts = {curve.method: [point.x for point in curve.points] for curve in panel.curves}
    assert starts == {init: [2, 4, 8] for init in ("noise", "real", "k-center")}


def test_without_an_answer_of_real_there_is_no_level() -> None:
    for real in ([], started("real", {2: 0.3, 8: None})):
        rows = [*started("noise", {2: 0.2, 8: 0.4}), *real]
        (table,) = tables(rows, "initialisation").values()
        assert table.rows[0].get("level") is None and mean(table.rows[0]["accuracy"]) == pytest.approx(0.4)
        assert initialisation_figures(by_section(rows))


def test_k_center_is_compared_with_itself() -> None:
    rows = [
        row("k-center", "k-center", 10, [0.40, 0.44], dataset="cifar10"),
        row("k-center", "k-center:embedding=pixels", 10, [0.30, 0.32], dataset="cifar10"),
        row("k-center", "k-center", 50, [0.5, 0.5], dataset="cifar10"),
    ]
    both, one = tables(rows, "k-center")["k-center"].rows
    assert both["difference"] == Difference(summarise([0.40 - 0.30, 0.44 - 0.32]))
    assert isinstance(both["published_pixels"], Published) and both["published_pixels"].mean == 0.3221
    assert isinstance(both["published_embeddings"], Published) and both["published_embeddings"].mean == 0.4149
    assert one["difference"] is None and one["pixels"] is None and mean(one["embeddings"]) == 0.5


def test_optimisers_are_compared() -> None:
    rows = [
        row("optimiser", "dm", 10, [0.40, 0.44], optimiser="sgd", recipe="quick"),
        row("optimiser", "dm", 10, [0.50, None], optimiser="adam", recipe="quick:optimiser=adam"),
    ]
    table = tables(rows, "optimiser")["optimiser"]
    (line,) = table.rows
    assert line["difference"] == Difference(summarise([0.50 - 0.40])) and mean(line["sgd"]) == pytest.approx(0.42)
    assert any("sgd: quick, adam: quick:optimiser=adam" in note for note in shown(table).notes)


def cost(method: str, ipc: int, **changed: Any) -> Answered:
    result = {
        "step_seconds": 0.5,
        "steps_timed": 5,
        "steps": 1000,
        "total_seconds": 500.0,
        "extrapolated": True,
        "peak_bytes": 1000,
        "others_cpu": 0.01,
        "threads": 2,
        "machine": "cpu on a processor",
        "shared_seconds": 0.0,
    }
    keys = row("cost", method, ipc, [0.0], dataset="cifar10").keys
    return Answered(keys, [{**result, **changed}])


def test_costs_are_beside_what_was_published_and_doubtful_ones_are_flagged() -> None:
    rows = [
        cost("dm", 10, others_cpu=0.051),
        cost("random", 10, step_seconds=None, steps=None, extrapolated=False, others_cpu=None, shared_seconds=7.0),
        row("cost", "dc", 10, [None], dataset="cifar10"),
    ]
    (table,) = tables(rows, "cost").values()
    dm, random, failed = table.rows
    assert (dm["step_seconds"], dm["total_seconds"], dm["peak_bytes"]) == (Seconds(0.5), Seconds(500.0), Bytes(1000))
    assert (dm["how"], dm["disturbed"], dm["published_step_seconds"]) == ("extrapolated", "disturbed", Seconds(0.08))
    assert (random["step_seconds"], random["how"], random["disturbed"]) == (None, "measured", None)
    assert (dm["shared_seconds"], random["shared_seconds"]) == (None, Seconds(7.0))
    assert failed.get("total_seconds") is None and failed["published_step_seconds"] == Seconds(3.31)
    assert any(note.startswith("disturbed") and "dm (10 images per class)" in note for note in table.notes)
    assert "a step on an A100 (published)" in shown(table).header and f"Missing: {BROKEN}" in table.notes


def test_published_steps_are_as_in_table_8() -> None:
    assert [published_step("cifar10", "dsa", ipc) for ipc in (1, 10, 50)] == [0.22, 4.47, 20.13]
    assert published_step("cifar10", "mtt", 50) is None and published_step("digits", "dm", 1) is None
    assert published_step("cifar10", "dm", None) is None and published_step("cifar10", "kip", 1) is None


def test_coverage_is_beside_random_s() -> None:
    rows = [
        row("distribution", "random", 10, [0.5, 0.6], "coverage"),
        row("distribution", "dm", 10, [0.4, 0.7], "coverage"),
        row("distribution", "dm", 50, [0.9, 0.9], "coverage"),
    ]
    for one in rows:
        for result in one.results:
            assert result is not None
            result["k"] = 5
    table = tables(rows, "distribution")["distribution"]
    random, dm, more = table.rows
    assert mean(dm["random"]) == mean(random["coverage"]) == pytest.approx(0.55)
    assert dm["gain"] == Difference(summarise([0.4 - 0.5, 0.7 - 0.6])) and random.get("random") is None
    assert more.get("random") is None, "there is no random of as many images"
    assert any("its 5th nearest real neighbour" in note for note in table.notes)


def test_a_map_that_is_missing_is_told_below_the_coverage() -> None:
    rows = [row("distribution", "dm", 10, [0.4, 0.7], "coverage", scale="quick"), row("map", "all", 10, [None])]
    table = tables(rows, "distribution")["distribution"]
    assert f"Missing: {BROKEN}" in table.notes
    assert "scale quick" in shown(table).notes[0]


def test_the_map_shows_every_set() -> None:
    result = {"class_name": "seven", "real": [[0, 0], [1, 1], [2, 0]], "k": 5, "perplexity": 30.0}
    result["sets"] = [{"method": name, "points": [[0.5, 0.5]], "coverage": 0.25} for name in ("random", "dm")]
    about = row("map", "all", 10, [None], label=7, methods=["random", "dm"])
    (figure,) = distribution_figures(by_section([Answered(about.keys, [result])])).values()
    said = caption(figure)
    assert "class seven" in figure.title and "Coverage: random 25.0 %, dm 25.0 %." in said and "perplexity 30" in said
    assert figure.real == [(0, 0), (1, 1), (2, 0)]
    assert figure.clouds == [Cloud(name, [(0.5, 0.5)], 0.25) for name in ("random", "dm")]
    assert distribution_figures(by_section([about])) == {} and distribution_figures({}) == {}


def test_sections_without_rows_have_no_table() -> None:
    for section in ("initialisation", "k-center", "optimiser", "cost", "distribution"):
        assert tables([], section) == {}
