from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from answered import BROKEN, row
from beard_answers import bacon
from numpy.typing import NDArray
from ranked import real, sides

from stillproof.core.components import suites
from stillproof.core.errors import BadInput
from stillproof.core.presets import SCALES, preset_params
from stillproof.report.answers import Answered
from stillproof.report.figures.captions import caption
from stillproof.report.figures.radar import Radar
from stillproof.report.rows import Rows, by_section
from stillproof.report.section import BETWEEN
from stillproof.report.tables.table import Marked, Mean, Percent
from stillproof.score.dd_ranking import label_robust_score
from stillproof.score.stats import Summary
from stillproof.suites.report_card.card import ReportCard
from stillproof.suites.report_card.making import cards_of
from stillproof.suites.report_card.merging import Way
from stillproof.suites.report_card.standing import Standings
from stillproof.suites.report_card.suite import ReportCard as Suite
from stillproof.suites.report_card.summary import STARS, summary_figures, summary_tables

HARD = {"random": (0.3, 0.32, 0.31), "dm": (0.5, 0.53, 0.51), "dc": (0.52, 0.5, 0.54)}
OTHER = {"random": (0.2, 0.22, 0.21), "dm": (0.4, 0.43, 0.41), "dc": (0.3, 0.31, 0.35)}


def transfer() -> list[Answered]:
    found = [row("transfer", name, 10, values) for name, values in HARD.items()]
    return found + [row("transfer", name, 10, values, network="mlp") for name, values in OTHER.items()]


def labels() -> list[Answered]:
    found = [real("labels", (0.9, 0.9, 0.9))]
    for name, values in HARD.items():
        found += sides("labels", name, 10, values, values, (0.3, 0.3, 0.3))
    return found


def lists(rows: Rows) -> dict[str, list[Answered]]:
    return {name: list(found) for name, found in rows.items()}


def dc_bench() -> Way:
    return Way("dc-bench", {}, ["run 1"], lists(by_section(transfer())))


def ways() -> list[Way]:
    return [dc_bench(), Way("dd-ranking", {}, ["run 1"], lists(by_section(labels())))]


def card(method: str) -> ReportCard:
    (found,) = cards_of(ways(), method, None, None)
    return found


def built(given: Mapping[str, object]) -> Suite:
    suite = suites.build("report-card", given)
    assert isinstance(suite, Suite)
    return suite


@pytest.mark.parametrize("scale", SCALES)
def test_all_suites_are_asked_about_the_same_methods(scale: str) -> None:
    preset = preset_params(suites.get("report-card"), scale, "", 1)
    suite = built(preset)
    parts = dict(suite.parts())
    assert list(parts) == ["dc-bench", "dd-ranking", "beard", "mad"]
    for part in parts.values():
        assert (part.dataset, part.methods, part.ipc, part.scale) == (suite.dataset, suite.methods, suite.ipc, scale)
    small = dataclasses.replace(suite, ipc=suite.ipc[:1], seeds=1)
    whose = {str(asked.keys["section"]).partition(BETWEEN)[0] for asked in small.rows()}
    assert whose == set(parts)


def test_what_suites_ask_alike_is_the_same_request() -> None:
    shared = {"scale": "smoke", "methods": ["dm"], "ipc": [1], "recipe": "smoke", "suites": ["dc-bench", "beard"]}
    rows = suites.build("report-card", shared).rows()
    curves = [request for found in rows if found.keys["section"] == "beard/curves" for request in found.requests]
    trained = {
        request for found in rows if found.keys["section"] == "dc-bench/augmentation" for request in found.requests
    }
    plain = {curve.of.model for curve in curves if "defence" not in curve.of.model.train.params}
    on_dm = {model for model in plain if model.train.on.stage == "distill"}
    assert on_dm and on_dm <= trained


def test_parameters_of_one_suite_are_told_in_its_name_and_networks_to_all() -> None:
    given = {"suites": ["beard:limit=7", "dd-ranking:network=mlp"], "network": "lenet", "recipe": "smoke", "seeds": 2}
    parts = dict(built(given).parts())
    assert parts["beard"].limit == 7 and parts["beard"].network[0] == "lenet" and parts["beard"].recipe == "smoke"
    assert parts["dd-ranking"].network == ("mlp",) and parts["dd-ranking"].seeds == 2


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"suites": ["beards"]}, "suite 'beards' has no part"),
        ({"suites": ["beard", "beard:limit=3"]}, "named twice"),
        ({"suites": ["beard:methods=dm"]}, "cannot be told to a single suite"),
        ({"suites": ["beard:limits=3"]}, "limits"),
        ({"seeds": 0}, "at least 1"),
        ({"methods": []}, "methods needs"),
    ],
)
def test_questions_without_sense_are_refused(given: dict[str, object], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        list(built(given).parts())


def test_a_card_has_the_numbers_of_every_suite_and_says_what_is_missing() -> None:
    found = {one.side.key: one for one in card("dm").sides}
    assert isinstance(found["accuracy"].measured.value, Summary)
    assert found["accuracy"].measured.value.mean == pytest.approx(sum(HARD["dm"]) / 3)
    assert found["transfer"].measured.seeds == pytest.approx(OTHER["dm"])
    scores = [float(label_robust_score(0.9 - value, value - 0.3, 0.5)) for value in HARD["dm"]]
    assert found["lrs"].measured.seeds == pytest.approx(scores)
    assert card("dm").absent["RR"] == "suite beard was not run for it"
    assert card("dm").absent["ARS"] == "suite dd-ranking was run without it"
    assert "worst case, RR, AE, CREI: suite beard was not run for it." in " ".join(repr(card("dm")).split())


def test_ranks_tell_apart_only_what_seeds_show() -> None:
    assert card("random").sides[0].rank_text == "3 of 3"
    assert card("dm").sides[0].rank_text == "2 of 3 (1 to 2)" and card("dc").sides[0].rank_text == "1 of 3 (1 to 2)"


def test_real_images_are_no_method_and_a_lost_seed_is_not_averaged_away() -> None:
    lost = by_section(
        [row("transfer", "dm", 10, (0.5, None, 0.6)), *transfer()[:1], row("transfer", "full", None, (0.9,))]
    )
    (found,) = cards_of([Way("dc-bench", {}, ["run 1"], lists(lost))], "dm", None, None)
    assert found.sides[0].rank_text is None and found.sides[0].of == 1
    assert cards_of([Way("dc-bench", {}, ["run 1"], lists(lost))], "full", None, None) == []


def test_what_is_missing_on_a_card_is_told_with_its_reason() -> None:
    rows = lists(by_section([row("transfer", "dm", 10, (0.5, None, 0.6)), row("transfer", "dc", 10, (None, 0.5, 0.6))]))
    (found,) = cards_of([Way("dc-bench", {}, ["run 1"], rows)], "dm", None, None)
    assert f"Missing: {BROKEN}" in found.table().notes


def test_accuracy_stands_in_where_dc_bench_did_not_ask_for_it() -> None:
    plain = Way("accuracy", {}, ["run 1"], lists(by_section([row("accuracy", "dm", 10, (0.7, 0.7, 0.7))])))
    cost = Way("dc-bench", {}, ["run 2"], lists(by_section([row("cost", "dm", 10, (1.0,), name="total_seconds")])))
    (found,) = cards_of([cost, plain], "dm", None, None)
    assert {one.side.key: one.side.suite for one in found.sides} == {"accuracy": "accuracy", "cost": "dc-bench"}
    (found,) = cards_of([dc_bench(), plain], "dm", None, None)
    assert [one.side.suite for one in found.sides if one.side.key == "accuracy"] == ["dc-bench"]


def test_networks_that_were_tested_on_other_images_are_compared_over_seeds() -> None:
    images = {"dm": 8, "dc": 6, "random": 8}

    def right(cells: Sequence[str]) -> NDArray[np.bool_]:
        return np.ones((3, images[cells[0]]), bool)

    rows = [dataclasses.replace(one, cells=[str(one["method"])] * 3) for one in transfer()]
    found = cards_of([Way("dc-bench", {}, ["run 1"], lists(by_section(rows)))], "dm", None, None, Standings(right))
    assert {one.side.key: one.over for one in found[0].sides}["accuracy"] == "seeds"


def test_an_answer_that_code_has_outgrown_makes_room_for_one_that_it_has_not() -> None:
    way = Way("dc-bench", {})
    fresh, other = row("transfer", "dm", 10, (0.5, 0.6)), row("transfer", "dm", 10, (0.7, 0.8))
    outgrown = dataclasses.replace(fresh, results=[None, None], stale=["distiller dm"] * 2, cells=["a", "b"])
    for run, one in (("run 3", outgrown), ("run 2", dataclasses.replace(fresh, cells=["c", "d"])), ("run 1", other)):
        way.add(run, "transfer", one)
    assert [one.values() for one in way.rows["transfer"]] == [[0.5, 0.6]] and len(way.left_out) == 2


def test_what_another_run_has_of_a_question_is_no_longer_missing() -> None:
    way = Way("dc-bench", {})
    waiting = dataclasses.replace(row("transfer", "dm", 10, (0.5, None)), reasons=[], waiting=1, cells=["a", "b"])
    way.add("run 2", "transfer", waiting)
    way.add("results theirs", "transfer", dataclasses.replace(row("transfer", "dm", 10, (0.5, 0.6)), cells=["a", "b"]))
    (found,) = way.rows["transfer"]
    assert found.values() == [0.5, 0.6] and found.waiting == 0


def test_where_lower_is_better_the_lowest_is_first() -> None:
    (hlr,) = (one for one in card("random").sides if one.side.key == "hlr")
    assert hlr.place is not None and hlr.place.rank == 3


def test_beard_pools_stay_off_the_card() -> None:
    rows = lists(by_section(bacon(seeds=2, mode="untargeted")))
    found = cards_of([Way("beard", {}, ["run 1"], rows)], "bacon", None, None)
    assert [one.ipc for one in found] == [1, 10, 50]
    assert {one.side.key for one in found[0].sides} == {"worst", "rr", "ae", "crei"}


def test_the_summary_has_a_star_where_methods_differ() -> None:
    rows = {f"dc-bench/{name}": found for name, found in dc_bench().rows.items()}
    (table,) = summary_tables(rows)
    shown = {str(line["method"]): line["accuracy %"] for line in table.rows}
    assert isinstance(shown["dm"], Marked) and isinstance(shown["dc"], Marked) and isinstance(shown["random"], Mean)
    assert isinstance(shown["dm"].value, Percent) and shown["dm"].value.fraction == pytest.approx(sum(HARD["dm"]) / 3)
    assert STARS in table.notes
    (radar,) = summary_figures(rows).values()
    assert isinstance(radar, Radar)
    assert [panel.method for panel in radar.shown()] == ["random", "dm", "dc"]
    assert "cannot be excluded" in caption(radar)
