"""How much one command may ask is limited, however it comes to ask so much."""

from __future__ import annotations

import tracemalloc
from functools import partial
from pathlib import Path

import pytest

from stillproof.core.components import suites
from stillproof.core.errors import BadInput
from stillproof.run import plan
from stillproof.run.plan import Planner
from stillproof.session import Session
from stillproof.suites.requests import Request, at_most, real_images, trained
from stillproof.verbs import running, training

MANY = {"accuracy": "seeds", "beard": "seeds", "mad": "seeds", "dd-ranking": "seeds", "dc-bench": "search_seeds"}


@pytest.mark.parametrize("suite", MANY)
def test_a_suite_that_asks_without_end_is_refused_before_it_takes_memory(suite: str) -> None:
    question = suites.build(suite, {"dataset": ["digits"], MANY[suite]: 10**12})
    tracemalloc.start()
    refused = pytest.raises(BadInput, match=r"^this asks more than .* questions, .*: lower --seeds, or split it\.$")
    with refused, at_most(5000):
        question.rows()
    assert tracemalloc.get_traced_memory()[1] < 30e6
    tracemalloc.stop()


def test_what_is_asked_outside_or_after_counts_no_more() -> None:
    with at_most(2):
        first = [Request("x", n=n) for n in range(2)]
    with at_most(2):
        assert [Request("x", n=n) for n in range(2)] == first
    assert len([Request("x", n=n) for n in range(3)]) == 3


def test_a_plan_takes_no_more_cells_than_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "MOST_CELLS", 2)
    planner = Planner(Path())
    asked = [trained(real_images("digits"), "convnet-1:width=4", "quick-real", seed) for seed in (0, 1, 0, 2)]
    for request in asked[:3]:
        planner.plan(request)
    with pytest.raises(BadInput, match="more than 2 cells, the most of a plan"):
        planner.plan(asked[3])


def test_the_largest_suite_of_a_paper_stays_far_below() -> None:
    largest = suites.build("report-card", {"scale": "paper"})
    with at_most():
        assert len(largest.rows()) > 5000


def test_forecasts_and_single_calls_are_under_the_limit_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for verbs in (running, training):
        monkeypatch.setattr(verbs, "at_most", partial(at_most, 5000))
    with Session(str(tmp_path / "s.db")) as session:
        with pytest.raises(BadInput, match="questions"):
            session.forecast("accuracy", {"dataset": ["digits"], "seeds": 10**12})
        with pytest.raises(BadInput, match="questions"):
            session.train("digits", seeds=10**12)
