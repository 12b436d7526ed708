"""What cells ask apart from seeds: equal over the repetitions of a row, and over runs that ask the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from stillproof.core import lock
from stillproof.core.spec import Json, digest
from stillproof.report.asked import asked_of, components_of
from stillproof.run.enter import enter
from stillproof.run.plan import Planner
from stillproof.session import Session
from stillproof.store.records import NewCell
from stillproof.store.store import Store, open_store
from stillproof.suites.requests import Request, distilled, real_images, selected, trained

DIGITS = real_images("digits")
ARTIFACT = "a" * 64


@pytest.fixture
def store(tmp_path: Path) -> Iterable[Store]:
    with open_store(str(tmp_path / "stillproof.db")) as found:
        yield found


def accuracy(seed: int, method: str = "dm:steps=3", recipe: str = "smoke", own: bool = True) -> Request:
    made = distilled(DIGITS, method, 1, seed if own else 0, "convnet-3", "smoke")
    return selected(trained(made, "convnet-3", recipe, seed), "last")


def asked(store: Store, requests: Sequence[Request]) -> list[str]:
    """Return what planned requests ask; nothing is computed."""
    planner = Planner(store.artifacts.root)
    cells = [planner.plan(request).id for request in requests]
    enter(store, list(planner.cells.values()))
    found = asked_of(store, cells)
    return [found[cell] for cell in cells]


@pytest.mark.parametrize("own", [True, False])
def test_repetitions_of_a_row_ask_the_same(store: Store, own: bool) -> None:
    found = asked(store, [accuracy(seed, own=own) for seed in range(3)])
    assert len(set(found)) == 1 and len(found[0]) == 64


@pytest.mark.parametrize(
    "other",
    [
        accuracy(0, recipe="smoke:epochs=3"),
        accuracy(0, method="dm:steps=4"),
        accuracy(0, method="random"),
        selected(trained(DIGITS, "convnet-3", "smoke", 0), "last"),
        selected(trained(distilled(DIGITS, "dm:steps=3", 1, 0, "convnet-3", "smoke"), "mlp", "smoke", 0), "last"),
    ],
)
def test_what_else_decides_an_answer_is_asked(store: Store, other: Request) -> None:
    first, second = asked(store, [accuracy(0), other])
    assert first != second


def test_attacks_on_the_networks_of_several_seeds_ask_the_same(store: Store) -> None:
    def attacked(seed: int, attack: str) -> Request:
        model = trained(distilled(DIGITS, "dm:steps=3", 1, seed, "convnet-3", "smoke"), "convnet-3", "smoke", seed)
        return Request("attack", model=model, dataset="digits", attack=attack, limit=20, seed=seed)

    first, second, third = asked(store, [attacked(0, "pgd:steps=3"), attacked(1, "pgd:steps=3"), attacked(0, "fgsm")])
    assert first == second != third


def put(store: Store, spec: Json, needs: Sequence[str] = ()) -> str:
    cell = NewCell(digest(spec), str(spec["stage"]), spec, {}, needs)
    store.results.put([cell])
    return cell.id


def method(**more: object) -> Json:
    return {"name": "dm", "version": 1, "params": {}, **more}


def test_code_and_parameters_called_seed_are_asked_too(store: Store) -> None:
    methods = [
        method(),
        method(version=2),
        method(generations={"distill/dm.py": 2}),
        method(edited="abc"),
        method(own="abc"),
        method(params={"seed": 1}),
    ]
    sets = [put(store, {"stage": "distill", "version": 1, "method": one, "seed": 0}) for one in methods]
    trainings = [put(store, {"stage": "train", "upstream": {"cell": one}, "seed": 0}, [one]) for one in sets]
    assert len(set(asked_of(store, trainings).values())) == len(methods)


def test_other_data_are_another_question(store: Store) -> None:
    cells = [put(store, {"stage": "train", "test": f"digits/test@sha256:{name}", "seed": 0}) for name in "ab"]
    assert len(set(asked_of(store, cells).values())) == 2


def test_a_set_that_is_named_by_content_is_what_made_it_asks(tmp_path: Path) -> None:
    with Session(str(tmp_path / "stillproof.db")) as session:
        store = session.store
        made = [session.distill("digits", "random", 1, seed=seed).artifact for seed in (0, 1)]
        others = [session.distill("digits", "random", 2, seed=0).artifact, ARTIFACT]
        cells = [put(store, {"stage": "train", "upstream": {"artifact": one}, "seed": 3}) for one in (*made, *others)]
        first, second, larger, foreign = (asked_of(store, [cell])[cell] for cell in cells)
        assert first == second and len({first, larger, foreign}) == 3
        assert "distillers/random" in components_of(store, cells)[cells[0]]
        assert "distillers/random" not in components_of(store, cells)[cells[3]]


def test_components_are_those_of_all_that_an_answer_stands_on(store: Store) -> None:
    planner = Planner(store.artifacts.root)
    cell = planner.plan(Request("attack", model=accuracy(0), dataset="digits", attack="fmn:steps=3", limit=20)).id
    enter(store, list(planner.cells.values()))
    found = components_of(store, [cell])[cell]
    assert found.keys() >= {"stages/attack", "stages/distill", "stages/train", "distillers/dm", "attacks/fmn"}
    assert found["attacks/fmn"]["generations"] == lock.generations_in_names()["attacks/fmn"]


def test_of_two_states_of_a_component_the_older_counts(store: Store) -> None:
    older = put(store, {"stage": "distill", "method": method(generations={"a.py": 2}), "seed": 0})
    newer = put(store, {"stage": "distill", "method": method(version=3, generations={"a.py": 3, "b.py": 2}), "seed": 0})
    both = put(store, {"stage": "compare", "first": [older], "second": [newer]})
    assert components_of(store, [both])[both]["distillers/dm"] == {"version": 1, "generations": {"a.py": 2}}


def test_cells_that_are_not_there_are_left_out(store: Store) -> None:
    assert asked_of(store, ["0" * 64]) == {} and components_of(store, ["0" * 64]) == {}


@pytest.mark.parametrize("suite", ["dc-bench", "dd-ranking", "beard", "mad"])
def test_the_seeds_of_every_row_of_a_suite_ask_the_same(tmp_path: Path, suite: str) -> None:
    with Session(str(tmp_path / "stillproof.db")) as session:
        asked = {"dataset": "digits", "scale": "smoke", "ipc": (1,), "seeds": 2}
        planner, rows, config = session.plan_suite(suite, asked)
        enter(session.store, list(planner.cells.values()))
        found = asked_of(session.store, planner.cells)
        several = [row for row in rows if len(row["cells"]) > 1]
        assert several and [row for row in several if len({found[cell] for cell in row["cells"]}) > 1] == []
        assert all(len(row["cells"]) <= config["seeds"] for row in rows), "as bundles want it"
