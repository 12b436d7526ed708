from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from stillproof.core.components import recipes
from stillproof.core.errors import BadInput, UnknownName
from stillproof.data.load import load
from stillproof.nets.home_network import home_network
from stillproof.run import plan, resolve
from stillproof.run.enter import enter
from stillproof.run.estimate import estimate, here
from stillproof.run.plan import Planner
from stillproof.run.resolve import Resolver
from stillproof.session import Session
from stillproof.store.store import open_store
from stillproof.suites.accuracy import Accuracy
from stillproof.suites.requests import Row, distilled, real_images, selected, stored_set, trained
from stillproof.train.recipe import Recipe

NETWORK = "convnet-1:width=4"
DIGITS = real_images("digits")


def planned(tmp_path: Path, **options: Any) -> Planner:
    planner = Planner(tmp_path)
    planner.rows(Accuracy(network=(NETWORK,), **options).rows())
    return planner


def stages(planner: Planner) -> Counter[str]:
    return Counter(cell.stage for cell in planner.cells.values())


def test_a_cell_comes_after_those_that_it_needs(tmp_path: Path) -> None:
    planner = planned(tmp_path, seeds=2, selection="heldout", methods=("random", "dm"))
    seen: set[str] = set()
    for name, cell in planner.cells.items():
        assert name == cell.id and set(cell.needs) <= seen
        seen.add(name)
    trainings = [cell for cell in planner.cells.values() if cell.stage == "train"]
    assert len(trainings) == 10 and sum(bool(cell.needs) for cell in trainings) == 8


def test_a_row_that_may_be_too_large_has_a_reason_instead_of_cells(tmp_path: Path) -> None:
    planner = Planner(tmp_path)
    row = Row({"ipc": 10_000}, (distilled(DIGITS, "random", 10_000, 0, NETWORK),), may_be_too_large=True)
    (stored,) = planner.rows([row])
    assert stored["cells"] == [] and "the smallest class of digits has" in stored["reason"] and not planner.cells
    with pytest.raises(BadInput, match="smallest class"):
        planner.rows([dataclasses.replace(row, may_be_too_large=False)])


def test_equal_questions_are_asked_once_however_they_are_written(tmp_path: Path) -> None:
    planner = Planner(tmp_path)
    one = planner.plan(distilled(DIGITS, "dm:steps=3:batch_real=8", 1, 0, NETWORK))
    same = planner.plan(distilled(DIGITS, "dm", 1, 0, "convnet:depth=1:width=4", "smoke"))
    other = planner.plan(distilled(DIGITS, "dm:steps=4:batch_real=8", 1, 0, NETWORK))
    assert one is same and other is not one and len(planner.cells) == 2


def test_a_set_that_a_suite_made_is_the_same_question_by_its_id(tmp_path: Path) -> None:
    planner = Planner(tmp_path)
    request = distilled(DIGITS, "random", 1, 0, NETWORK)
    made = planner.plan(request).id
    cell = planner.plan(trained(request, NETWORK, "smoke", 0))
    assert planner.plan(trained(stored_set("f" * 64, "digits", made, 10), NETWORK, "smoke", 0)) is cell


def test_seeds_vary_artifacts_under_fair_and_trainings_alone_under_faithful(tmp_path: Path) -> None:
    options: dict[str, Any] = {"seeds": 4, "methods": ("random",), "ipc": (1,), "full_recipe": ""}
    assert stages(planned(tmp_path, protocol="fair", **options)) == {"distill": 4, "train": 4, "select": 4}
    assert stages(planned(tmp_path, protocol="faithful", **options)) == {"distill": 1, "train": 4, "select": 4}


def test_heldout_selection_keeps_the_heldout_part_away_from_distillers_and_full(tmp_path: Path) -> None:
    cells = planned(tmp_path, seeds=1, methods=("random",), ipc=(1,), selection="heldout").cells.values()
    distill = next(cell for cell in cells if cell.stage == "distill")
    assert distill.spec["data"].startswith("digits/fit@")
    for train in (cell for cell in cells if cell.stage == "train"):
        assert train.spec["heldout"].startswith("digits/heldout@") and train.spec["test"].startswith("digits/test@")
        assert train.spec["upstream"].get("data", "digits/fit@").startswith("digits/fit@")


def test_an_epoch_that_is_chosen_needs_a_whole_curve_and_the_last_one_needs_one_point(tmp_path: Path) -> None:
    planner = Planner(tmp_path)
    ways = ("smoke", "smoke:curve_points=1")
    last = {planner.plan(selected(trained(DIGITS, NETWORK, way, 0), "last")).id for way in ways}
    best = {planner.plan(selected(trained(DIGITS, NETWORK, way, 0), "oracle")).id for way in ways}
    assert len(last) == 1 and len(best) == 2
    trainings = [cell for cell in planner.cells.values() if cell.stage == "train"]
    assert [cell.spec["recipe"].get("curve_points", 1) for cell in trainings] == [1, 2]
    assert trainings[0].flops < trainings[1].flops


@pytest.mark.parametrize(
    ("size", "network"),
    [(8, "convnet-1"), (16, "convnet-2"), (28, "convnet-3"), (32, "convnet-3"), (64, "convnet-4"), (128, "convnet-5")],
)
def test_the_home_network_follows_the_size_of_the_images(size: int, network: str) -> None:
    assert home_network(size) == network


def test_home_is_the_network_by_its_name(tmp_path: Path) -> None:
    planner = Planner(tmp_path)
    assert planner.plan(distilled(DIGITS, "dm", 1, 0)) is planner.plan(distilled(DIGITS, "dm", 1, 0, "convnet-1"))
    (row,) = planner.rows(
        [Row({"dataset": "digits", "network": "home", "home": "home"}, (distilled(DIGITS, "dm", 1, 0),))]
    )
    assert (row["network"], row["home"]) == ("convnet-1", "convnet-1")


def test_selections_share_one_training(tmp_path: Path) -> None:
    planner = Planner(tmp_path)
    for rule in ("last", "oracle", "heldout"):
        planner.plan(selected(trained(real_images("digits", "fit"), NETWORK, "smoke", 0, "heldout"), rule))
    assert stages(planner) == {"train": 2, "select": 3}, "those that choose among epochs share one"
    one_point: dict[str, Any] = {"recipe": "smoke:curve_points=1", "full_recipe": "smoke:curve_points=1"}
    planned_both = planned(tmp_path, seeds=1, **one_point)
    planned_both.rows(Accuracy(network=(NETWORK,), seeds=1, selection="oracle", **one_point).rows())
    assert stages(planned_both) == {"expert": 1, "distill": 8, "train": 9, "select": 18}
    with pytest.raises(BadInput, match="held-out"):
        planner.plan(selected(trained(DIGITS, NETWORK, "smoke", 0), "heldout"))


def test_nothing_is_planned_twice_in_ten_thousand_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: Counter[str] = Counter()
    for module, name in ((plan, "digest"), (resolve, "load"), (resolve, "forward_flops")):
        monkeypatch.setattr(module, name, _counted(getattr(module, name), name, calls))
    planner = planned(tmp_path, seeds=1100, methods=("random", "herding", "dm"), ipc=(1,))
    assert len(planner.cells) == calls["digest"] == 1100 * 12
    assert (calls["load"], calls["forward_flops"]) == (2, 1)
    with open_store(str(tmp_path / "s.db")) as store:
        cells = list(planner.cells.values())
        enter(store, cells)
        found = estimate(store, cells, here(store, "cpu", workers=2))
    left = {"train": 4400, "select": 4400, "expert": 1100, "distill": 3300}
    assert (found.cells, found.cached, found.by_stage) == (13200, 0, left)
    assert found.seconds > 0 and not found.calibrated


def _counted(function: Any, name: str, calls: Counter[str]) -> Any:
    def count(*args: Any) -> Any:
        calls[name] += 1
        return function(*args)

    return count


@pytest.mark.parametrize(
    ("ipc", "words"), [(0, "at least 1"), (-3, "at least 1"), (10_000, "smallest class of digits")]
)
def test_ipc_is_checked(tmp_path: Path, ipc: int, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        Planner(tmp_path).plan(distilled(DIGITS, "random", ipc, 0, NETWORK))


def test_the_smallest_class_itself_is_allowed(tmp_path: Path) -> None:
    planner = Planner(tmp_path)
    smallest = Resolver(tmp_path).data("digits", "train").smallest
    planner.plan(distilled(DIGITS, "random", smallest, 0, NETWORK))
    with pytest.raises(BadInput, match=f"has {smallest} images"):
        planner.plan(distilled(DIGITS, "random", smallest + 1, 0, NETWORK))


def test_unknown_names_fail_while_planning(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean 'herding'"):
        planned(tmp_path, methods=("herdnig",))
    with pytest.raises(UnknownName, match="recipe 'smok'"):
        planned(tmp_path, recipe="smok")


def test_what_the_images_are_normalised_by_is_part_of_the_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ids() -> list[str]:
        planner = Planner(tmp_path)
        on = distilled(DIGITS, "random", 1, 0, NETWORK)
        return [planner.plan(on).id, planner.plan(trained(DIGITS, NETWORK, "smoke", 0)).id]

    before = ids()

    def darker(*args: Any) -> Any:
        data = load(*args)
        return dataclasses.replace(data, info=dataclasses.replace(data.info, mean=(0.1,)))

    monkeypatch.setattr(resolve, "load", darker)
    assert not set(before) & set(ids())


def test_a_set_that_needs_no_network_is_the_same_for_all(tmp_path: Path) -> None:
    planner = Planner(tmp_path)
    for method, cells in (("random", 1), ("k-center:embedding=pixels", 1), ("k-center", 2)):
        found = {planner.plan(distilled(DIGITS, method, 1, 0, name)).id for name in (NETWORK, "mlp")}
        assert len(found) == cells, method


def test_sets_of_one_seed_share_the_network_that_they_are_chosen_by(tmp_path: Path) -> None:
    planner = Planner(tmp_path)
    for method in ("k-center", "herding", "k-center-greedy"):
        for ipc in (1, 5):
            planner.plan(distilled(DIGITS, method, ipc, 3, NETWORK))
    assert stages(planner) == {"expert": 1, "distill": 6}
    planner.plan(distilled(DIGITS, "k-center", 1, 4, NETWORK))
    planner.plan(distilled(DIGITS, "k-center", 1, 3, "mlp"))
    planner.plan(distilled(DIGITS, "k-center:embedding=pixels", 1, 5, NETWORK))
    assert stages(planner) == {"expert": 3, "distill": 9}
    assert [cell.spec["seed"] for cell in planner.cells.values() if cell.stage == "expert"] == [3, 4, 3]


def test_a_recipe_with_behaviour_of_its_own_is_refused(tmp_path: Path) -> None:
    @recipes.register("lazy", version=1)
    @dataclasses.dataclass(frozen=True)
    class Lazy(Recipe):
        def lr_at(self, epoch: float) -> float:
            return 0.0

    try:
        with pytest.raises(BadInput, match="lr_at"):
            Planner(tmp_path).plan(trained(DIGITS, NETWORK, "lazy", 0))
    finally:
        recipes.remove(__name__)


def labels(tmp_path: Path, **options: Any) -> list[str]:
    planner = planned(tmp_path, methods=("random",), ipc=(1,), scale="smoke", recipe="smoke", **options)
    return [cell.label for cell in planner.cells.values() if cell.stage == "train"]


def test_labels_say_a_seed_once(tmp_path: Path) -> None:
    assert labels(tmp_path, seeds=2) == [
        f"train {NETWORK} on full digits seed 0",
        f"train {NETWORK} on full digits seed 1",
        f"train {NETWORK} on random digits ipc 1 seed 0",
        f"train {NETWORK} on random digits ipc 1 seed 1",
    ]
    shared = labels(tmp_path, seeds=2, protocol="faithful")[2:]
    assert shared == [
        f"train {NETWORK} on random digits ipc 1 seed 0",
        f"train {NETWORK} on random digits ipc 1 seed 0, trained with seed 1",
    ]


@pytest.mark.parametrize("written", ["{}", "image_folder:path={}:size=8", "image_folder(path={}, size=8)"])
def test_own_pictures_are_called_by_their_folder(tmp_path: Path, written: str) -> None:
    for part, name in itertools.product(("train", "test"), ("oak", "elm")):
        (tmp_path / "leaves" / part / name).mkdir(parents=True)
        colour = (255 if name == "oak" else 0, 0, len(part))
        Image.new("RGB", (8, 8), colour).save(tmp_path / "leaves" / part / name / "0.png")
    reference = written.format(tmp_path / "leaves")
    session = Session(str(tmp_path / "s.db"))
    with session.store:
        planner, _, _ = session.plan_suite(
            "accuracy", {"dataset": [reference], "scale": "smoke", "network": [NETWORK], "methods": ["k-center"]}
        )
        found = [cell.label for cell in planner.cells.values()]
        assert all("leaves" in label and "image_folder" not in label for label in found), found
        assert session.distill(reference, "random", 1).name.startswith("random-leaves-1ipc-s0-")
        assert all("leaves" not in str(cell.spec) for cell in planner.cells.values()), "content names the question"
