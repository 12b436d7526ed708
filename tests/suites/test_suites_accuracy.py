from __future__ import annotations

import pytest

from stillproof.core.components import suites
from stillproof.core.errors import BadInput
from stillproof.core.presets import SCALES, preset_params
from stillproof.suites.accuracy import Accuracy


def test_one_row_per_question_and_full_data_first() -> None:
    rows = Accuracy(dataset=("digits", "mnist"), methods=("random", "dm"), ipc=(1, 10), seeds=3).rows()
    assert [(r.keys["dataset"], r.keys["method"], r.keys["ipc"]) for r in rows[:5]] == [
        ("digits", "full", None),
        ("digits", "random", 1),
        ("digits", "dm", 1),
        ("digits", "random", 10),
        ("digits", "dm", 10),
    ]
    assert len(rows) == 10 and all(len(row.requests) == 3 for row in rows)


@pytest.mark.parametrize(("protocol", "seeds"), [("fair", [0, 1, 2]), ("faithful", [0, 0, 0])])
def test_what_a_seed_varies(protocol: str, seeds: list[int]) -> None:
    (row,) = suites.build(
        "accuracy", {"methods": ["random"], "ipc": [1], "seeds": 3, "full_recipe": "", "protocol": protocol}
    ).rows()
    sets = [request.train.on for request in row.requests]
    assert all(made.stage == "distill" for made in sets)
    assert [made.seed for made in sets] == seeds
    assert [request.train.seed for request in row.requests] == [0, 1, 2]
    assert row.keys["protocol"] == protocol


@pytest.mark.parametrize(("selection", "part"), [("last", "train"), ("oracle", "train"), ("heldout", "fit")])
def test_which_data_a_selection_leaves_to_learn_from(selection: str, part: str) -> None:
    for row in suites.build("accuracy", {"seeds": 1, "selection": selection}).rows():
        (request,) = row.requests
        on = request.train.on
        data = on.data if on.stage == "distill" else on
        assert (data.stage, data.dataset, data.part) == ("data", "digits", part) and request.rule == selection
        assert request.train.heldout == ("heldout" if selection == "heldout" else None)


def test_a_second_network_is_trained_on_what_the_first_distilled() -> None:
    rows = Accuracy(network=("convnet-1", "mlp"), methods=("dm",), ipc=(1,), seeds=1, full_recipe="").rows()
    first, second = (request.train for row in rows for request in row.requests if request.stage == "select")
    assert first.on == second.on and (first.network, second.network) == ("convnet-1", "mlp")


@pytest.mark.parametrize("scale", SCALES)
def test_every_scale_is_a_question(scale: str) -> None:
    suite = suites.build("accuracy", preset_params(suites.get("accuracy"), scale, "", 1))
    assert isinstance(suite, Accuracy) and suite.scale == scale and suite.rows()


@pytest.mark.parametrize(
    "params", [{"seeds": 0}, {"ipc": []}, {"dataset": []}, {"selection": "best"}, {"protocol": "mine"}]
)
def test_empty_and_unknown_questions_are_refused(params: dict[str, object]) -> None:
    with pytest.raises(BadInput, match="suite 'accuracy'"):
        suites.build("accuracy", params)
