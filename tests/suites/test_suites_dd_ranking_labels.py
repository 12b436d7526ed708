from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
from answered import BROKEN, mean
from ranked import N_TEST, ranked, real, sides

from stillproof.report.answers import Answered
from stillproof.report.figures.captions import caption
from stillproof.report.figures.values import Curves, Plane
from stillproof.report.published import Published
from stillproof.report.rows import by_section
from stillproof.report.tables.formats import to_csv
from stillproof.report.tables.table import Difference, Mean, Table, Value
from stillproof.report.tables.text import shown
from stillproof.score.difference import difference_of_shares
from stillproof.score.stats import Summary, summarise
from stillproof.suites.dd_ranking.labels import WEIGHTS, labels_figures, labels_tables

REAL, HARD, OWN, RANDOM = [0.98, 0.97, 0.99], [0.50, 0.55, 0.45], [0.80, 0.82, 0.78], [0.75, 0.85, 0.80]
TAUGHT = {"label_kind": "taught", "recipe": "rded"}


def asked(**keys: Any) -> list[Answered]:
    return [real("labels", REAL), *sides("labels", "rded", 10, HARD, OWN, RANDOM, **TAUGHT, **keys)]


def tables(rows: list[Answered]) -> tuple[Table, Table]:
    scores, weights = labels_tables(by_section(rows))
    return scores, weights


def lrs(seed: int, weight: float = 0.5) -> float:
    alpha = weight * (OWN[seed] - RANDOM[seed]) - (1 - weight) * (REAL[seed] - HARD[seed])
    return (math.exp(alpha) - math.exp(-1)) / (math.e - math.exp(-1))


def summary(value: Value) -> Summary:
    found = value.summary if isinstance(value, Difference | Mean) else value
    assert isinstance(found, Summary)
    return found


def mean_of(value: Value) -> float:
    return summary(value).mean


def is_of(value: Value, seeds: list[float]) -> bool:
    """Say whether a value is the mean of these, with its interval."""
    found, expected = summary(value), summarise(seeds)
    assert found.ci95 is not None and expected.ci95 is not None
    return (found.mean, found.n, *found.ci95) == pytest.approx((expected.mean, expected.n, *expected.ci95))


def test_scores_are_computed_seed_by_seed() -> None:
    (line,) = tables(asked())[0].rows
    assert [mean_of(line[name]) for name in ("real", "hard", "own", "random")] == pytest.approx([0.98, 0.5, 0.8, 0.8])
    assert is_of(line["hlr"], [0.48, 0.42, 0.54]) and is_of(line["ior"], [0.05, -0.03, -0.02])
    assert is_of(line["lrs"], [lrs(seed) for seed in range(3)])
    assert (line["method"], line["ipc"], line["label_kind"], line["missing"]) == ("rded", 10, "taught", 0)


def test_the_weight_is_that_of_the_gain_over_random_images() -> None:
    table = tables(asked())[1]
    (line,) = table.rows
    for weight in WEIGHTS:
        assert mean_of(line[f"lrs_{weight}"]) == pytest.approx(sum(lrs(seed, weight) for seed in range(3)) / 3)
    assert list(WEIGHTS) == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    assert "lrs_0.9_ci95_high" in to_csv(table), "intervals are there for programs"


def test_a_method_with_hard_labels_has_one_training_under_both_names() -> None:
    rows = [real("labels", REAL), ranked("labels", "dm", 10, HARD), ranked("labels", "dm", 10, RANDOM, images="random")]
    (line,) = tables(rows)[0].rows
    assert mean_of(line["hard"]) == mean_of(line["own"]) == pytest.approx(0.5) and line["lrs"] is not None
    broken: list[float | None] = [None, 0.5, 0.5]
    (line,) = tables([real("labels", REAL), *sides("labels", "dm", 10, broken, broken, RANDOM)])[0].rows
    assert line["missing"] == 1, "what is missing is counted once"


def test_intervals_of_scores_know_of_the_test_images() -> None:
    (line,) = tables([real("labels", [0.9] * 3), *sides("labels", "dm", 10, [0.5] * 3, [0.6] * 3, [0.4] * 3)])[0].rows
    assert line["hlr"] == Difference(difference_of_shares([0.9] * 3, [0.5] * 3, N_TEST))
    assert line["ior"] == Difference(difference_of_shares([0.6] * 3, [0.4] * 3, N_TEST))
    lrs = summary(line["lrs"])
    assert lrs.rule == "images" and lrs.ci95 is not None and lrs.ci95[0] < lrs.mean < lrs.ci95[1]


def test_random_images_beside_themselves_gain_nothing_by_definition() -> None:
    rows = [real("labels", [0.9] * 3), *sides("labels", "random", 10, [0.5] * 3, [0.4] * 3, [0.4] * 3)]
    same = ("a", "b", "c")
    rows = [one if one["labels"] == "hard" else dataclasses.replace(one, cells=same) for one in rows]
    (line,) = tables(rows)[0].rows
    assert isinstance(line["ior"], Difference) and line["ior"].summary.ci95 == (0.0, 0.0)


def test_only_seeds_with_all_four_accuracies_have_a_score() -> None:
    rows = sides("labels", "rded", 10, [None, 0.55, 0.45], [0.80, None, 0.78], RANDOM, **TAUGHT)
    table, weights = tables([real("labels", REAL), *rows])
    (line,) = table.rows
    assert (summary(line["hlr"]).n, summary(line["ior"]).n, summary(line["lrs"]).n) == (2, 2, 1)
    assert mean(line["lrs"]) == pytest.approx(lrs(2)) and summary(line["lrs"]).ci95 is None
    assert line["missing"] == 2 and f"Missing: {BROKEN}" in table.notes and f"Missing: {BROKEN}" in weights.notes
    assert shown(table).header[-1] == "n"


def test_a_side_without_any_answer_is_a_dash_with_its_reason() -> None:
    for found, what in (([], "no accuracy of real"), ([real("labels", [None] * 3)], "no accuracy of real")):
        table, weights = tables([*found, *asked()[1:]])
        (line,) = table.rows
        assert line["hlr"] is line["lrs"] is None and line["ior"] is not None
        for one in (table, weights):
            assert f"No LRS of rded, 10 images per class: {what}." in one.notes
        assert dict(zip(shown(table).header, shown(table).rows[0], strict=True))["LRS"] == "-"
        assert labels_figures(by_section([*found, *asked()[1:]])) == {}
    left_out = tables(sides("labels", "rded", 10, HARD, OWN, RANDOM, **TAUGHT, real_recipe=""))[0]
    reason = "no accuracy of real; full_recipe=none left out all real images."
    assert f"No LRS of rded, 10 images per class: {reason}" in left_out.notes
    apart = sides("labels", "rded", 10, [0.5, None], [None, 0.8], [0.7, 0.7], **TAUGHT)
    table = tables([real("labels", REAL[:2]), *apart])[0]
    assert "No LRS of rded, 10 images per class: no seed has all four accuracies." in table.notes


def test_one_seed_has_no_intervals() -> None:
    rows = [real("labels", [0.9]), *sides("labels", "rded", 1, [0.5], [0.8], [0.7], **TAUGHT)]
    table = tables(rows)[0]
    assert summary(table.rows[0]["lrs"]).ci95 is None
    assert "One seed (n = 1), so no intervals over seeds." in shown(table).notes
    assert len(labels_figures(by_section(rows))) == 2


def test_real_images_may_be_asked_for_elsewhere_but_of_the_same_network() -> None:
    (line,) = tables([*asked()[1:], real("networks", REAL)])[0].rows
    assert line["lrs"] is not None
    (line,) = tables([*asked()[1:], real("networks", REAL, network="mlp")])[0].rows
    assert line["lrs"] is None


def test_how_learning_rates_were_found_is_said() -> None:
    assert "learning rate searched;" in shown(tables(asked())[0]).notes[0]
    rows = asked(protocol="faithful")
    rows[2] = Answered({**rows[2].keys, "rate": "own"}, rows[2].results)
    (line,) = tables(rows)[0].rows
    oracle = "searched on ORACLE: the test images"
    assert line["rate"] == f"hard: {oracle}, own: own, random: {oracle}"
    (figure, _) = labels_figures(by_section(rows)).values()
    assert f"learning rate {oracle}; learning rate own" in caption(figure)


def published_way(method: str, ipc: int, network: str, recipe: str) -> list[Answered]:
    keys = {"scale": "paper", "protocol": "faithful", "dataset": "cifar10", "network": network, "selection": "oracle"}
    keys |= {"real_recipe": "real:augment=dsa:batch=256"}
    rows = sides("labels", method, ipc, HARD, OWN, RANDOM, recipe=recipe, **keys)
    return [real("labels", REAL, **keys), *rows]


def test_published_scores_stand_beside_ours_and_misprints_are_put_right() -> None:
    recipe = "dc-bench-dsa:epochs=1000:decay_epochs=500"
    table = tables(published_way("datadam", 1, "convnet-3", recipe))[0]
    (line,) = table.rows
    there = [line[f"published_{name}"] for name in ("hlr", "ior", "lrs")]
    assert [value.mean for value in there if isinstance(value, Published)] == pytest.approx([0.499, 0.156, 0.202])
    assert any("printed as 20.0, but its own formula gives 20.2, which stands here" in note for note in table.notes)
    text = dict(zip(shown(table).header, shown(table).rows[0], strict=True))
    assert text["published LRS"] == "20.2" and text["published HLR"] == "49.9", "as many digits as the paper has"
    assert "published LRS" not in shown(tables(asked())[0]).header


def test_figures_show_all_methods_of_a_data_set_together() -> None:
    recipe = "dc-bench-dsa:epochs=1000"
    rows = [*published_way("dm", 10, "convnet-3", recipe), *published_way("sre2l", 10, "resnet-18-bn", "sre2l")]
    figures = labels_figures(by_section(rows))
    assert list(figures) == ["labels", "labels-weights"]
    said = caption(figures["labels"])
    for part in (
        "networks: convnet-3 (dm), resnet-18-bn (sre2l)",
        "ORACLE: best epoch on the test set",
        "DD-Ranking, arXiv:2505.13300 (Table 3)",
        "the same LRS",
    ):
        assert part in said
    several = [row for name in ("convnet-3", "mlp") for row in published_way("dm", 10, name, recipe)]
    assert list(labels_figures(by_section(several)))[:2] == ["labels-cifar10-convnet-3", "labels-cifar10-mlp"]
    assert labels_figures({}) == {}


def test_the_plane_has_both_differences_and_what_was_published_of_them() -> None:
    plane = labels_figures(by_section(published_way("dm", 10, "convnet-3", "dc-bench-dsa:epochs=1000")))["labels"]
    assert isinstance(plane, Plane)
    (spot,) = plane.spots
    assert spot.x is not None and is_of(spot.x, [0.48, 0.42, 0.54]), "HLR"
    assert spot.y is not None and is_of(spot.y, [0.05, -0.03, -0.02]), "IOR"
    assert spot.published is not None and [there.mean for there in spot.published] == pytest.approx([0.394, 0.161])
    assert (spot.method, spot.panel) == ("dm", "10 images per class")
    assert plane.x.title == "HLR: lost against real images, hard labels (points)"
    assert (plane.y.title, plane.better) == ("IOR: gained over random images (points)", "upper left")


def test_curves_show_the_score_at_every_weight() -> None:
    curves = labels_figures(by_section(asked()))["labels-weights"]
    assert isinstance(curves, Curves) and curves.linear and curves.measure.title == "LRS (0 to 100)"
    (panel,) = curves.panels
    (curve,) = panel.curves
    assert (panel.title, curve.method) == ("10 images per class", "rded")
    assert [point.x for point in curve.points] == list(WEIGHTS)
    for point in curve.points:
        assert point.value is not None and is_of(point.value, [lrs(seed, point.x) for seed in range(3)])
