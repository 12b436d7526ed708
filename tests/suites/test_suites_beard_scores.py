from __future__ import annotations

from typing import Any

import pytest
from beard_answers import ACCURACY, ATTACKS, bacon, row

from stillproof.report.answers import Answered
from stillproof.report.rows import by_section
from stillproof.report.tables.table import Mean, OutOf, Table, Value
from stillproof.report.tables.text import text_of
from stillproof.score.stats import Summary
from stillproof.suites.beard.method_scores import Assessed, assessed
from stillproof.suites.beard.scores import score_tables


def mean(value: Value) -> float:
    found = value.summary if isinstance(value, Mean) else value
    assert isinstance(found, Summary)
    return found.mean


def by_size(rows: list[Answered]) -> dict[str, Assessed]:
    return {one.sizes: one for one in assessed(rows)}


def tables(rows: list[Answered]) -> dict[str, Table]:
    return {table.name: table for table in score_tables(by_section(rows))}


def test_scores_of_the_shipped_logs_are_the_published_ones() -> None:
    found = by_size(bacon())
    ratios = [found[size].score("rr") for size in ("1", "10", "50", "pooled: 1, 10, 50")]
    assert [round(100 * mean(value), 2) for value in ratios] == [19.78, 12.94, 6.99, 36.83]
    spent = [found[size].score("ae") for size in ("1", "10", "50", "pooled: 1, 10, 50")]
    assert [round(100 * mean(value), 2) for value in spent] == [29.46, 28.71, 31.21, 29.27]
    pooled = found["pooled: 1, 10, 50"]
    assert 100 * mean(pooled.crei()) == pytest.approx(33.05, abs=0.005)
    assert mean(pooled.crei(1.0)) == mean(pooled.score("rr")) and mean(pooled.crei(0.0)) == mean(pooled.score("ae"))


def test_a_published_value_stands_beside_its_own_protocol_alone() -> None:
    there = [line.get("published_crei") for line in tables(bacon())["scores"].rows]
    assert [getattr(value, "printed", None) for value in there] == [None, None, None, "33.05"]
    changes = ("protocol=fair", "scale=quick", "recipe=quick", "dataset=svhn", "network=resnet-18", "selection=oracle")
    for key, value in (change.split("=") for change in changes):
        other: dict[str, Any] = {key: value}
        assert not any(line.get("published_crei") for line in tables(bacon(**other))["scores"].rows), key
    fewer = [one for one in bacon() if one["attack"] != "fgsm"]
    assert not any(line.get("published_crei") for line in tables(fewer)["scores"].rows), "other attacks"
    untimed = [one for one in bacon() if one["measure"] != "time"]
    assert not any(line.get("published_crei") for line in tables(untimed)["scores"].rows), "CREI of passes"


def test_an_attack_that_is_not_supported_is_left_out_of_the_scores() -> None:
    rows = bacon()
    for measure in ("time", "accuracy"):
        keys = {**rows[0].keys, "measure": measure, "attack": "deepfool"}
        rows.insert(0, Answered(keys, [None], ["no targeted form"], unsupported=True))
    found = by_size(rows)["1"]
    assert found.row.counted("n") == 10_000 and found.milliseconds() is not None, "the others speak for it"
    assert round(100 * mean(found.score("rr")), 2) == 19.78 and round(100 * mean(found.score("ae")), 2) == 29.46
    lines = [line for line in tables(rows)["attacks"].rows if line["sizes"] == "1"]
    assert [line["attack"] for line in lines] == ["deepfool", *ATTACKS]
    assert lines[0]["accuracy"] is None and lines[0]["rr"] is None and mean(lines[-1]["ae"]) > 0.9


def test_boards_rank_by_the_modes_that_were_asked_and_by_passes_if_nothing_was_timed() -> None:
    for rows in (bacon(), [one for one in bacon() if one["measure"] != "time"]):
        board = tables(rows)["leaderboard-cifar10-unified"]
        assert [line["rank"] for line in board.rows] == [1] and isinstance(board.rows[0]["crei_targeted"], Summary)
        assert board.rows[0]["sizes"] == "pooled: 1, 10, 50"
        assert not any("CREI is made of passes" in note for note in tables(rows)["attacks"].notes)
        assert any("Nothing was timed" in note for note in board.notes) == all(one["measure"] != "time" for one in rows)


def test_a_seed_that_lacks_an_attack_has_no_score() -> None:
    rows = bacon(seeds=2)
    rows[0] = Answered(rows[0].keys, [rows[0].results[0], None], ["it went off"])
    found = by_size(rows)
    for size, n in (("1", 1), ("10", 2), ("pooled: 1, 10, 50", 1)):
        value = found[size].score("rr")
        assert value is not None and value.n == n
    table = tables(rows)["scores"]
    assert any("it went off" in note for note in table.notes)


def test_one_attack_has_no_ratio_of_its_own_but_one_in_its_pool() -> None:
    rows = [one for one in bacon() if one["attack"] in (None, "fgsm")]
    single = [one for one in assessed(rows) if len(one.parts) == 1]
    assert single and all(one.score("rr") is None and one.crei() is None for one in single)
    lines = {line["sizes"]: line for line in tables(rows)["attacks"].rows}
    lost = {str(ipc): clean - under[0] for ipc, (clean, under) in ACCURACY.items()}
    ratios = {size: 1 - loss / max(lost.values()) for size, loss in lost.items()}
    for size, ratio in ratios.items():
        line = lines[size]
        assert mean(line["rr"]) == pytest.approx(ratio)
        assert mean(line["crei"]) == pytest.approx((mean(line["rr"]) + mean(line["ae"])) / 2)
    assert mean(lines["pooled: 1, 10, 50"]["rr"]) == pytest.approx(sum(ratios.values()) / 3)


def test_a_targeted_attack_succeeds_where_what_was_right_is_wrong_whether_it_hits_its_target_or_not() -> None:
    for protocol, mode, share in (
        ("fair", "targeted", (44.95 - 29.59) / 100),
        ("faithful", "untargeted", 0.2),
        ("faithful", "targeted", None),
    ):
        line = tables(bacon(protocol=protocol, mode=mode))["attacks"].rows[0]
        assert line["success"] is None if share is None else mean(line["success"]) == pytest.approx(share)


def test_disturbed_times_are_told_of() -> None:
    rows = bacon()
    assert not any("DISTURBED" in note for note in tables(rows)["scores"].notes)
    time = next(one for one in rows if one["measure"] == "time").results[0]
    assert time is not None
    time["others_cpu"] = 0.3
    for name in ("scores", "attacks", "alpha", "leaderboard-cifar10-unified"):
        assert any("DISTURBED" in note for note in tables(rows)[name].notes), name
    times = [text_of(line["milliseconds"]) for line in tables(rows)["scores"].rows]
    assert times == ["2.1", "2.03", "2.27", "2.14"]


def test_the_worst_attack_of_the_pool_has_nothing_left() -> None:
    lines = tables(bacon())["attacks"].rows
    assert min(mean(line["rr"]) for line in lines) == pytest.approx(0)
    assert max(mean(line["ae"]) for line in lines) == pytest.approx(1)


def test_boards_rank_by_crei_and_put_what_is_missing_last() -> None:
    better = bacon(method="dm", mode="targeted")
    rows = [*bacon(), *bacon(mode="untargeted"), *better, *bacon(method="dm", mode="untargeted")]
    for one in rows:
        if one["method"] == "dm" and one["measure"] == "accuracy" and one["attack"] != "fgsm":
            for answer in one.results:
                assert answer is not None
                answer["robust_accuracy"] += 0.05
    rows += [*bacon(method="mtt", mode="targeted")]
    found = tables(rows)
    board = found["leaderboard-cifar10-unified"].rows
    assert [(line["rank"], line["method"]) for line in board] == [(1, "dm"), (2, "bacon"), (None, "mtt")]
    assert {f"leaderboard-cifar10-{size}" for size in (1, 10, 50)} <= set(found)


def test_a_mode_without_any_score_does_not_take_ranks_away() -> None:
    alone = [one for one in bacon(mode="untargeted") if one["attack"] in (None, "fgsm") and one["ipc"] == 50]
    found = [one for one in bacon() if one["ipc"] == 50]
    board = tables([*found, *alone])["leaderboard-cifar10-50"].rows
    assert [(line["rank"], line["crei_untargeted"]) for line in board] == [(1, None)], "one attack alone has no ratio"


def test_alarms_stand_beside_robust_numbers() -> None:
    assert {text_of(line["alarms"]) for line in tables(bacon())["scores"].rows} == {"not checked"}
    rung = [{"alarms": ["the gradient is zero"]}]
    checks = [row(ipc, "", [*rung], None, section="alarms") for ipc in ACCURACY]
    lines = tables([*bacon(), *checks])["scores"].rows
    assert [line["alarms"] for line in lines] == [OutOf(1, 1, "not checked")] * 3 + [OutOf(3, 3, "not checked")]
    found = tables([*bacon(), *checks])
    assert {text_of(line["alarms"]) for line in found["leaderboard-cifar10-unified"].rows} == {"3 of 3"}


def test_pooled_accuracies_stay_within_all_and_nothing() -> None:
    better = [
        Answered(one.keys, [*one.results, {**(one.results[0] or {}), "clean_accuracy": 0.95}], ()) for one in bacon()
    ]
    clean = by_size(better)["pooled: 1, 10, 50"].score("clean-accuracy")
    assert clean is not None and clean.n == 2 and clean.rule in ("logit", "images")
    assert clean.ci95 is not None and 0 <= clean.ci95[0] < clean.ci95[1] <= 1
    for one in better:
        if one["measure"] == "accuracy" and one.results[1] is not None:
            one.results[1]["robust_accuracy"] = 0.01
    for line in tables(better)["attacks"].rows:
        found = line["accuracy"]
        assert isinstance(found, Summary) and found.ci95 is not None and 0 <= found.ci95[0] < found.ci95[1] <= 1


def test_boards_of_several_networks_have_names_of_their_own() -> None:
    found = tables([*bacon(), *bacon(network="convnet-3:width=32")])
    assert {"leaderboard-cifar10-convnet-3-1", "leaderboard-cifar10-convnet-3-width-32-1"} <= set(found)


def test_warnings_of_attacks_stand_below_the_tables_once_for_all_models() -> None:
    rows = bacon(seeds=2)
    for one in rows:
        if one["attack"] == "cw" and one["ipc"] != 50:
            for answer in one.results:
                assert answer is not None
                answer["notes"] = {"warnings": {"probabilities": f"it has no logits at {one['ipc']}."}}
    for name in ("scores", "attacks"):
        told = [note for note in tables(rows)[name].notes if note.startswith("Warning")]
        assert told == ["Warning about cw, on 4 models, of the first: it has no logits at 1."]
