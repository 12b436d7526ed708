from __future__ import annotations

import pytest
from answered import mean, row, tables
from scipy.stats import kendalltau, spearmanr

from stillproof.report.answers import Answered
from stillproof.report.figures.captions import caption
from stillproof.report.rows import by_section
from stillproof.score.agreement import Estimate
from stillproof.score.stats import Summary
from stillproof.suites.dc_bench.transfer import transfer_figures

# By method and network, one value per seed.
Accuracies = dict[str, dict[str, list[float | None]]]
ACCURACIES: Accuracies = {
    "random": {"convnet-3": [0.30, 0.32], "mlp": [0.20, 0.22], "lenet": [0.26, 0.24]},
    "dm": {"convnet-3": [0.50, 0.52], "mlp": [0.30, 0.34], "lenet": [0.20, 0.22]},
    "k-center": {"convnet-3": [0.40, 0.42], "mlp": [0.40, 0.38], "lenet": [0.30, 0.34]},
}


def rows(values: Accuracies) -> list[Answered]:
    return [
        row("transfer", method, 10, seeds, network=network, home="convnet-3")
        for method, networks in values.items()
        for network, seeds in networks.items()
    ]


def test_every_network_is_compared_with_home_seed_by_seed() -> None:
    lines = tables(rows(ACCURACIES), "transfer")["transfer"].rows
    found = {(line["method"], line["network"]): line for line in lines}
    assert found["dm", "convnet-3"]["drop"] is None
    assert mean(found["dm", "mlp"]["drop"]) == pytest.approx((0.20 + 0.18) / 2)
    assert mean(found["random", "lenet"]["accuracy"]) == pytest.approx(0.25)


def test_the_summary_is_over_unseen_networks() -> None:
    found = {line["method"]: line for line in tables(rows(ACCURACIES), "transfer")["transfer-summary"].rows}
    assert mean(found["dm"]["home_accuracy"]) == pytest.approx(0.51)
    assert mean(found["dm"]["unseen"]) == pytest.approx((0.25 + 0.28) / 2)
    assert mean(found["dm"]["drop"]) == pytest.approx((0.25 + 0.24) / 2)
    assert found["dm"]["networks"] == 2


def test_orders_agree_as_scipy_says() -> None:
    lines = tables(rows(ACCURACIES), "transfer")["transfer-ranking"].rows
    found = {line["network"]: line for line in lines}
    assert list(found) == ["mlp", "lenet", "mean of unseen"]
    home = [0.31, 0.51, 0.41]
    for network, other in (
        ("mlp", [0.21, 0.32, 0.39]),
        ("lenet", [0.25, 0.21, 0.32]),
        ("mean of unseen", [0.23, 0.265, 0.355]),
    ):
        line = found[network]
        for key, correlation in (("spearman", spearmanr), ("kendall", kendalltau)):
            estimate = line[key]
            assert isinstance(estimate, Estimate) and estimate.value == pytest.approx(
                correlation(home, other).statistic
            )
            assert estimate.ci95 is not None and estimate.value is not None
            assert estimate.ci95[0] <= estimate.value <= estimate.ci95[1]
        assert line["methods"] == 3


def test_a_network_that_nobody_has_an_answer_on_is_left_out_and_named() -> None:
    silent: Accuracies = {method: {**networks, "vit": [None, None]} for method, networks in ACCURACIES.items()}
    found = tables(rows(silent), "transfer")
    assert [line["networks"] for line in found["transfer-summary"].rows] == [2, 2, 2]
    assert "Left out, since no method has an answer there: vit." in found["transfer-summary"].notes
    assert "vit" not in [line["network"] for line in found["transfer-ranking"].rows]


def test_a_failed_answer_is_never_averaged_away() -> None:
    partly: Accuracies = {**ACCURACIES, "dm": {**ACCURACIES["dm"], "mlp": [None, 0.34]}}
    summary = tables(rows(partly), "transfer")["transfer-summary"].rows[1]["unseen"]
    assert isinstance(summary, Summary) and (summary.n, summary.mean) == pytest.approx((1, 0.28))
    gone: Accuracies = {**ACCURACIES, "dm": {**ACCURACIES["dm"], "mlp": [None, None]}}
    found = tables(rows(gone), "transfer")
    assert found["transfer-summary"].rows[1].get("unseen") is None
    assert any("No mean of dm, 10 images per class" in note for note in found["transfer-summary"].notes)
    assert [line["methods"] for line in found["transfer-ranking"].rows] == [2, 3, 2]


def test_one_seed_has_no_interval_and_one_method_no_order() -> None:
    single = {method: {name: seeds[:1] for name, seeds in networks.items()} for method, networks in ACCURACIES.items()}
    table = tables(rows(single), "transfer")["transfer-ranking"]
    estimate = table.rows[0]["spearman"]
    assert isinstance(estimate, Estimate) and estimate.value is not None and estimate.ci95 is None
    assert any("an interval needs at least two seeds" in note for note in table.notes)
    alone = tables(rows({"dm": ACCURACIES["dm"]}), "transfer")["transfer-ranking"]
    assert isinstance(alone.rows[0]["spearman"], Estimate) and alone.rows[0]["spearman"].value is None
    assert any("an order needs at least two methods" in note for note in alone.notes)


def test_a_run_on_home_alone_has_nothing_unseen() -> None:
    found = tables(rows({"dm": {"convnet-3": [0.5, 0.6]}}), "transfer")
    assert found["transfer-summary"].rows[0].get("unseen") is None and found["transfer-ranking"].rows == []
    assert mean(found["transfer-summary"].rows[0]["home_accuracy"]) == pytest.approx(0.55)


def test_the_map_has_every_method_on_every_network() -> None:
    (figure,) = transfer_figures(by_section(rows(ACCURACIES))).values()
    assert figure.title == "Accuracy on other networks, 10 images per class" and figure.home == "convnet-3"
    found = {(cell.row, cell.column): cell.value for cell in figure.cells}
    assert found == {(row["method"], row["network"]): row.summary() for row in rows(ACCURACIES)}
    assert "Framed: convnet-3" in caption(figure) and "n = 2" in caption(figure)
    assert transfer_figures({}) == {} and tables([], "transfer") == {}
