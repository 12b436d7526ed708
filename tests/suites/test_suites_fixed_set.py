from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillproof.core.components import suites
from stillproof.core.errors import BadInput
from stillproof.core.presets import preset_params
from stillproof.suites.dc_bench.suite import DCBench
from stillproof.suites.fixed_set import HELDOUT_SEEN, FixedSet, fixed_set
from stillproof.suites.requests import Request, Row, distilled, real_images
from stillproof.suites.row_builder import RowBuilder

MINE = FixedSet("mine", "ab" * 32, "digits", 2, 20, recipe="dc-bench-dsa:lr=0.03")
METHOD = MINE.reference()
BUILDER = RowBuilder("digits", "home", 3, "fair", "last", "smoke")

WORDS = st.text("abcxyz0189._-", min_size=1)
RECIPES = st.sampled_from(
    ["", "dc-bench", "fkd:epochs=3:batch=2", "dc-bench-dsa:augment=dsa(strategy=a_b,ratio=2):lr=0.1"]
)


@given(
    name=WORDS,
    dataset=st.sampled_from(["digits", "/a b/leaves", "image_folder:path=/a/b(1):size=64"]),
    ipc=st.integers(1, 1000),
    count=st.integers(1, 10**6),
    recipe=RECIPES,
    cell=st.sampled_from(["", "cd" * 32]),
    unseen=st.booleans(),
    space=st.sampled_from(["", "zca(ref=abab)", "normalised(mean=(0.1,0.2),std=(0.3,0.4))"]),
    labels=st.sampled_from(["", "hard", "per-epoch"]),
)
def test_a_set_is_read_back_from_the_name_that_a_suite_has_for_it(name: str, **facts: Any) -> None:
    made = FixedSet(name, "ab" * 32, **facts)
    assert fixed_set(made.reference()) == made
    assert made.short() == f"{name}:artifact=abababababab"


@pytest.mark.parametrize(
    "method", ["dm", "dm:steps=3", "random:form=grid2x2", "mine:artifact=abababababab", "x(artifact=a)"]
)
def test_a_distiller_is_no_set_nor_is_one_that_was_not_looked_up(method: str) -> None:
    assert fixed_set(method) is None


def test_a_set_stands_once_at_its_own_size_and_only_with_its_own_data() -> None:
    other = dataclasses.replace(MINE, name="other", dataset="mnist").reference()
    methods = (METHOD, "random", other)
    assert list(BUILDER.asked(methods, (1, 2))) == [("random", 1), (METHOD, 2), ("random", 2)]
    assert list(BUILDER.asked(methods, (1, 5))) == [("random", 1), ("random", 5), (METHOD, 2)]
    assert list(BUILDER.asked(("dm", "random"), (5, 1))) == [("dm", 5), ("random", 5), ("dm", 1), ("random", 1)]


def test_a_row_of_a_set_trains_every_seed_on_it() -> None:
    row = BUILDER.accuracy("", METHOD, 1, "smoke")
    assert (row.keys["method"], row.keys["ipc"], row.keys["set"]) == ("mine", 2, MINE.artifact)
    assert "caveat" not in row.keys
    trainings = [request.train for request in row.requests]
    assert [train.seed for train in trainings] == [0, 1, 2] and len({train.on for train in trainings}) == 1
    on = trainings[0].on
    assert (on.stage, on.artifact, on.count, on.cell, on.name) == ("artifact", MINE.artifact, 20, None, "mine")
    made_here = dataclasses.replace(MINE, cell="cd" * 32).reference()
    assert BUILDER.distilled(made_here, 1, 0).cell == "cd" * 32


@pytest.mark.parametrize("unseen", [False, True])
def test_a_set_that_may_have_seen_the_held_out_images_says_so(unseen: bool) -> None:
    builder = dataclasses.replace(BUILDER, selection="heldout")
    keys = builder.accuracy("", dataclasses.replace(MINE, unseen=unseen).reference(), 1, "smoke").keys
    assert keys.get("caveat") == (None if unseen else HELDOUT_SEEN)


def test_a_set_of_another_data_set_is_refused() -> None:
    with pytest.raises(BadInput, match="mine is a set of digits, not of mnist"):
        distilled(real_images("mnist"), METHOD, 1, 0)


def dc_bench(section: str, **options: Any) -> list[Row]:
    preset = preset_params(suites.get("dc-bench"), "smoke", "", 1)
    found = suites.build("dc-bench", {**preset, "methods": [METHOD, "random"], "sections": [section], **options})
    assert isinstance(found, DCBench)
    return [row for row in found.rows() if "set" in row.keys]


@pytest.mark.parametrize(
    ("section", "count"),
    [
        ("augmentation", 3 + 3 + 1),  # none, dsa and mixup, with what chooses the best of them; its own recipe
        ("compression", 1),
        ("transfer", 2),
        ("search", 3),
        ("initialisation", 0),
        ("k-center", 0),
        ("optimiser", 2),
        ("distribution", 1),
        ("cost", 1),
    ],
)
def test_every_section_of_dc_bench_asks_of_a_set_what_can_be_asked(section: str, count: int) -> None:
    rows = dc_bench(section)
    assert len(rows) == count
    assert all((row.keys["method"], row.keys["ipc"]) == ("mine", 2) for row in rows)
    assert bool(rows and rows[0].reason) == (section == "cost")


def test_what_chooses_by_held_out_images_carries_a_caveat() -> None:
    found = {row.keys["section"] for row in [*dc_bench("augmentation"), *dc_bench("search")] if "caveat" in row.keys}
    assert found == {"augmentation-choice", "search"}


def test_where_recipes_are_compared_a_set_is_also_trained_on_as_its_author_does() -> None:
    own = [row for row in dc_bench("augmentation") if row.keys["augmentation"] == "own recipe"]
    assert [row.keys["recipe"] for row in own] == [MINE.recipe]
    unknown = dataclasses.replace(MINE, recipe="").reference()
    assert all(row.keys["augmentation"] != "own recipe" for row in dc_bench("augmentation", methods=[unknown]))


def test_one_set_has_one_coverage_and_a_place_on_the_map() -> None:
    (covered,) = dc_bench("distribution")
    assert len(covered.requests) == 1
    (asked,) = [row for row in suite_rows() if row.keys["section"] == "map"]
    assert asked.keys["methods"] == ["random", "mine (2 per class)"]
    (request,) = asked.requests
    assert [on.stage for on in request.sets] == ["distill", "artifact"]


def suite_rows() -> list[Row]:
    preset = preset_params(suites.get("dc-bench"), "smoke", "", 1)
    return list(
        suites.build("dc-bench", {**preset, "methods": [METHOD, "random"], "sections": ["distribution"]}).rows()
    )


def test_a_set_has_no_start_to_study() -> None:
    with pytest.raises(BadInput, match="mine is an existing set, so its start cannot be varied"):
        dc_bench("initialisation", init_methods=[METHOD])


def test_parts_of_the_real_images_travel_with_the_set() -> None:
    asked: Request = distilled(real_images("digits", "fit"), METHOD, 1, 0)
    assert asked.part == "fit"
