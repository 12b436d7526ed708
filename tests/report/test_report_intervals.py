from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from stillproof.report.answers import Answered
from stillproof.report.captions import seeds_sentence
from stillproof.report.published import Published
from stillproof.report.rows import above
from stillproof.report.tables.beside_published import beside_published
from stillproof.report.tables.table import Difference
from stillproof.score.difference import difference_of_shares
from stillproof.score.stats import Summary, summarise, summarise_accuracies

VALUES = [0.97, 1.0, 0.99]


def answered(name: str = "accuracy", **said: Any) -> Answered:
    return Answered({}, [{name: value, **said} for value in VALUES] + [None])


@pytest.mark.parametrize(("name", "key"), [("accuracy", "n_test"), ("coverage", "real")])
def test_a_share_of_counted_images_has_an_interval_within_0_and_1(name: str, key: str) -> None:
    found = answered(name, **{key: 359}).summary(name)
    assert found == summarise_accuracies(VALUES, 359)
    assert found is not None and found.ci95 is not None and found.ci95[1] <= 1


@pytest.mark.parametrize("row", [answered(), answered("coverage", n_test=359), answered("seconds", n_test=359)])
def test_what_is_not_known_to_be_one_keeps_students_interval(row: Answered) -> None:
    (name,) = {key for result in row.results if result for key in result} - {"n_test"}
    assert row.summary(name) == summarise(VALUES)


def test_answers_that_count_other_images_have_no_common_number() -> None:
    row = Answered({}, [{"accuracy": 0.5, "n_test": 10}, {"accuracy": 0.6, "n_test": 20}])
    assert row.counted() is None and row.summary() == summarise([0.5, 0.6])


PLAIN, SHARE, EQUAL = summarise(VALUES), summarise_accuracies(VALUES, 359), summarise_accuracies([0.0, 0.0], 40)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([PLAIN], "in brackets: Student's 95 % interval."),
        ([SHARE], "in brackets: Student's 95 % interval on the logit scale."),
        ([SHARE, PLAIN], "in brackets: Student's 95 % interval, on the logit scale for what is in %."),
        ([SHARE, summarise([0.5])], "interval on the logit scale (none where n = 1)."),
        (
            [EQUAL],
            "in brackets: Wilson's 95 % interval over the test images, which is wider than Student's over seeds.",
        ),
        (
            [SHARE, EQUAL],
            "Student's 95 % interval over seeds on the logit scale, or Wilson's over the test images where that is the "
            "wider.",
        ),
        (
            [PLAIN, EQUAL],
            "Student's 95 % interval over seeds, or Wilson's over the test images where that is the wider.",
        ),
        (
            [SHARE, PLAIN, EQUAL],
            "over seeds, on the logit scale for what is in %, or Wilson's over the test images where that is the "
            "wider.",
        ),
    ],
)
def test_it_is_said_by_which_rule_intervals_are(values: list[Summary], words: str) -> None:
    assert seeds_sentence(values, "in brackets").endswith(words)


def test_a_difference_of_rows_knows_of_the_images_that_both_were_judged_by() -> None:
    one, other = answered(n_test=359), Answered({}, [{"accuracy": 0.9, "n_test": 359}] * 4)
    assert above(one, other) == Difference(difference_of_shares(VALUES, [0.9] * 3, 359))
    fewer = Answered({}, [{"accuracy": 0.9, "n_test": 40}] * 4)
    assert above(one, fewer) == Difference(difference_of_shares(VALUES, [0.9] * 3, None)), "other images"
    same = dataclasses.replace(one, cells=("a", "b", "c", "d"))
    nothing = above(same, dataclasses.replace(same))
    assert nothing is not None and nothing.summary.ci95 == (0.0, 0.0), "the very same trainings"
    assert above(one, Answered({}, [None] * 4)) is None


def test_a_distance_to_a_published_value_has_the_interval_of_our_mean() -> None:
    line = beside_published(answered(n_test=359), Published(0.9, "Table 1", "", "a paper"))
    distance = line["difference"]
    assert isinstance(distance, Difference) and distance.summary.rule == "logit" and SHARE.ci95 is not None
    assert distance.summary.ci95 == pytest.approx([end - 0.9 for end in SHARE.ci95])
