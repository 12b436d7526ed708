from __future__ import annotations

from typing import Any

import pytest

from stillproof.report.answers import Answered
from stillproof.report.captions import seeds_sentence
from stillproof.report.published import Published
from stillproof.report.tables.beside_published import beside_published
from stillproof.report.tables.table import Difference
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


PLAIN, SHARE = summarise(VALUES), summarise_accuracies(VALUES, 359)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([PLAIN], "in brackets: Student's 95 % interval."),
        ([SHARE], "in brackets: Student's 95 % interval on the logit scale."),
        ([SHARE, PLAIN], "in brackets: Student's 95 % interval, on the logit scale for what is in %."),
        ([SHARE, summarise([0.5])], "interval on the logit scale (none where n = 1)."),
    ],
)
def test_it_is_said_on_which_scale_intervals_are(values: list[Summary], words: str) -> None:
    assert seeds_sentence(values, "in brackets").endswith(words)


def test_a_distance_to_a_published_value_has_the_interval_of_our_mean() -> None:
    line = beside_published(answered(n_test=359), Published(0.9, "Table 1", "", "a paper"))
    distance = line["difference"]
    assert isinstance(distance, Difference) and distance.summary.on_logit and SHARE.ci95 is not None
    assert distance.summary.ci95 == pytest.approx([end - 0.9 for end in SHARE.ci95])
