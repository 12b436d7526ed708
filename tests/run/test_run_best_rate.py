"""Learning rates that are searched: tried, chosen, trained at, and shared with whoever asks for the same rate."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stillproof.core.errors import BadInput, CellFailed
from stillproof.run.plan import Planner
from stillproof.session import Session
from stillproof.suites.requests import Request, distilled, real_images, selected, trained

NETWORK, EXPLODES = "convnet-1:width=4", 1e12


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session(str(tmp_path / "s.db")) as opened:
        yield opened


def train(rate: float | None = None, part: str = "train", seed: int = 0) -> Request:
    on = distilled(real_images("digits", part), "random", 2, 0)  # type: ignore[arg-type]
    recipe = "quick:epochs=4" + ("" if rate is None else f":lr={rate}")
    return trained(on, NETWORK, recipe, seed, "heldout" if part == "fit" else None)


def choice(*rates: float, rule: str = "heldout") -> Request:
    judged = "last" if rule == "heldout" else "oracle"
    tried = [selected(train(rate, "fit" if rule == "heldout" else "train"), judged) for rate in rates]  # type: ignore[arg-type]
    return Request("best-rate", selected=tried, rates=rates, rule=rule)


def test_the_rate_that_held_out_images_like_best_is_chosen_and_all_are_told(session: Session) -> None:
    found = session.answer(choice(1e-6, 0.05, 0.01))
    judged = {one["rate"]: one["judged"] for one in found["tried"]}
    assert list(judged) == [1e-6, 0.05, 0.01] and found["rule"] == "heldout"
    assert judged[found["chosen"]] == max(judged.values()) > judged[1e-6]
    assert "accuracy" not in found  # no test image has chosen anything, and none is told of
    for rate, accuracy in judged.items():
        assert session.answer(selected(train(rate, "fit"), "last"))["heldout_accuracy"] == accuracy


def test_a_tuned_training_is_the_one_at_the_chosen_rate(session: Session) -> None:
    searched = choice(1e-6, 0.05)
    found = session.answer(Request("tuned", train=train(seed=1), choice=searched))
    assert found["rate"] == session.answer(searched)["chosen"] == 0.05
    same = session.answer(selected(train(0.05, seed=1), "last"))
    assert {key: found[key] for key in same} == same


def test_a_tuned_cell_is_open_until_its_choice_is_made_and_keeps_its_name(session: Session) -> None:
    request = Request("tuned", train=train(), choice=choice(0.01, 0.05))
    planner = Planner(session.root, record=session.store.results.get)
    early = planner.plan(request)
    assert early.open and early.id not in {cell.id for cell in planner.ready()}
    whole = Planner(session.root).plan(train())
    assert early.flops == whole.flops  # so that a forecast counts it, whatever the rate
    session.answer(request)
    late = Planner(session.root, record=session.store.results.get).plan(request)
    assert late.id == early.id and not late.open and len(late.needs) == 2


def test_rates_that_diverge_are_passed_over_and_named(session: Session) -> None:
    found = session.answer(choice(EXPLODES, 0.01))
    assert found["chosen"] == 0.01
    assert found["tried"][0]["judged"] is None and "training diverged: the loss is" in found["tried"][0]["reason"]


def test_where_every_rate_diverges_all_are_named_and_the_training_says_so(session: Session) -> None:
    with pytest.raises(CellFailed, match=r"1e\+12: .*the loss is .*; 1e\+13: .*the loss is"):
        session.answer(Request("tuned", train=train(), choice=choice(EXPLODES, 10 * EXPLODES)))


def test_an_oracle_answers_with_the_best_on_test_images(session: Session) -> None:
    found = session.answer(choice(1e-6, 0.05, rule="oracle"))
    answers = [session.answer(selected(train(rate), "oracle")) for rate in (1e-6, 0.05)]
    assert found["accuracy"] == max(one["accuracy"] for one in answers) and found["rule"] == "oracle"


def test_rates_and_trainings_must_match(session: Session) -> None:
    for rates in ((), (0.1, 0.2)):
        request = Request("best-rate", selected=(selected(train(0.1, "fit"), "last"),), rates=rates, rule="heldout")
        with pytest.raises(BadInput, match="learning rates for 1 trainings"):
            session.answer(request)


def test_only_trainings_are_tuned(session: Session) -> None:
    with pytest.raises(BadInput, match="no training"):
        session.answer(Request("tuned", train=real_images("digits"), choice=choice(0.1)))
