from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ranked import ranked

from stillproof.core.spec import Json
from stillproof.report.answers import Answered
from stillproof.report.tables.table import Marked, Percent, Table
from stillproof.report.tables.text import shown
from stillproof.suites.dd_ranking.rates import rates_tables

TRIED = {0.001: 0.41, 0.01: 0.72, 0.1: None}


def result(tried: Mapping[float, float | None], chosen: float, rule: str = "heldout") -> Json:
    entries: list[Json] = [{"rate": rate, "judged": judged, "loss": None} for rate, judged in tried.items()]
    for entry in entries:
        if entry["judged"] is None:
            entry["reason"] = "the loss is nan after 3 steps"
    return {"rule": rule, "chosen": chosen, "tried": entries}


def searched(*results: Json | None, **keys: Any) -> Answered:
    about = ranked("rates", "dm", 10, [], **keys).keys
    return Answered(about, results, ["nothing could be trained"] * (None in results))


def table_of(*rows: Answered) -> Table:
    (table,) = rates_tables({"rates": rows})
    return table


def test_every_rate_has_a_cell_and_the_chosen_one_a_star() -> None:
    table = table_of(searched(result(TRIED, 0.01)), searched(result({0.01: 0.6}, 0.01), images="random"))
    first, second = table.rows
    assert (first["chosen"], first["at_0.01"], first["at_0.001"]) == ("0.01", Marked(Percent(0.72)), Percent(0.41))
    assert first["at_0.1"] == "diverged" and "At 0.1: the loss is nan after 3 steps" in table.notes
    assert (second["images"], second.get("at_0.001"), second["seed"]) == ("random", None, None)
    text = shown(table)
    assert text.rows[1][text.header.index("0.001")] == "-"
    assert any("chosen on held-out training images" in note for note in text.notes)


def test_a_choice_by_the_test_images_is_said_loudly_and_may_differ_by_seed() -> None:
    table = table_of(searched(result(TRIED, 0.01, "oracle"), result({0.001: 0.8, 0.01: 0.7}, 0.001, "oracle")))
    assert [(line["seed"], line["chosen"]) for line in table.rows] == [(0, "0.01"), (1, "0.001")]
    assert any("ORACLE: the test images" in note for note in shown(table).notes)


def test_a_search_without_an_answer_is_a_dash_with_its_reason() -> None:
    table = table_of(searched(None))
    assert table.rows[0].get("chosen") is None and table.rows[0]["missing"] == 1
    assert "Missing: nothing could be trained" in table.notes


def test_a_search_under_two_names_is_listed_once() -> None:
    same, other = (searched(result(TRIED, 0.01), images="random") for _ in range(2))
    first = searched(result(TRIED, 0.01), images="set")
    rows = [dataclasses.replace(row, cells=cells) for row, cells in ((first, "a"), (other, "b"), (same, "a"))]
    assert [line["images"] for line in table_of(*rows).rows] == ["set", "random"]
    assert len(table_of(same, other).rows) == 2, "rows whose cells are not known"


def test_a_choice_at_an_end_of_the_list_is_named() -> None:
    (line,) = table_of(searched(result({0.001: 0.8, 0.01: 0.7}, 0.001))).rows
    assert line["end"] == "at an end"
    for inside in (result({0.001: 0.1, 0.01: 0.7, 0.1: 0.2}, 0.01), result({0.01: 0.7}, 0.01)):
        assert table_of(searched(inside)).rows[0]["end"] is None


def test_searches_of_controls_are_told_apart() -> None:
    rows = [searched(result(TRIED, 0.01), disturbance=noise, teacher="mlp") for noise in (0.0, 2.0)]
    assert [line["disturbance"] for line in table_of(*rows).rows] == ["0", "2"]
    assert "noise added" in shown(table_of(*rows)).header
