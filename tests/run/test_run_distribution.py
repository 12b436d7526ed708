from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from fresh_python import run_python
from stillproof.core.components import stages
from stillproof.core.errors import BadInput, Unsupported
from stillproof.core.spec import Json
from stillproof.core.types import Distilled, Stored
from stillproof.data.load import load
from stillproof.run.cell import Cell
from stillproof.run.features import Embedder, read_embedder, sample_of_class
from stillproof.run.plan import Planner
from stillproof.run.stage import Job, Options, Stage, answer_of
from stillproof.run.stages import coverage as coverage_stage
from stillproof.run.stages import map as map_stage
from stillproof.run.stages.coverage import MOST_REAL, NEIGHBOUR
from stillproof.run.stages.map import plane
from stillproof.score.coverage import coverage
from stillproof.session import Session
from stillproof.sets.read import read_set
from stillproof.store.store import Store
from stillproof.suites.requests import Request, distilled, real_images, stored_set, trained
from stillproof.transforms.decode import decode_images

NETWORK = "convnet:depth=1:width=4"
DIGITS = real_images("digits")
LABEL = 3


def a_set(method: str, ipc: int = 2) -> Request:
    return distilled(DIGITS, method, ipc, 0, NETWORK)


PLAIN, WHITENED, GRIDS = a_set("random"), a_set("random:zca=true"), a_set("random:form=grid2x2", 1)
REAL_MODEL = trained(DIGITS, NETWORK, "smoke", 0)
WHITE_MODEL = trained(WHITENED, NETWORK, "smoke", 0)


class Study:
    """A session in which sets, two networks, their coverages and a map were computed, with the plan of it all."""

    def __init__(self, folder: Path) -> None:
        self.session = Session(str(folder / "s.db"))
        self.planner = Planner(self.session.root)
        self.covered = {
            of.method: self.planner.ask("coverage", of=of, model=REAL_MODEL) for of in (PLAIN, WHITENED, GRIDS)
        }
        self.map = self.planner.ask("map", sets=(PLAIN, GRIDS, WHITENED), model=REAL_MODEL, label=LABEL)
        self.planner.plan(WHITE_MODEL)
        self.session.execute(self.planner)

    def result(self, cell: Cell) -> Json:
        return answer_of(cell.id, self.session.store)

    def distilled(self, request: Request) -> Distilled:
        return read_set(self.session.store, self.result(self.planner.plan(request))["artifact"])

    def embedder(self, request: Request) -> Embedder:
        return read_embedder(self.planner.plan(request).id, self.job(self.map))

    def again(self, cell: Cell, **changes: object) -> Json:
        stage: type[Stage] = stages.get(cell.stage)
        return stage.compute(self.job(cell, **changes)).result

    def job(self, cell: Cell, **changes: object) -> Job:
        options = Options(self.session.store.url, self.session.root, "cpu")
        return Job(cell.id, cell.spec | changes, cell.where, self.session.store, options, lambda _: None)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    made = Study(tmp_path_factory.mktemp("study"))
    yield made
    made.session.close()


def test_coverage_is_that_of_features_class_by_class(study: Study) -> None:
    found = study.result(study.covered["random"])
    data, embedder = load("digits", "train", study.session.root), study.embedder(REAL_MODEL)
    body, front = embedder.model.body, embedder.model.front
    images, labels = study.distilled(PLAIN).images, study.distilled(PLAIN).labels.values
    shares = []
    with torch.no_grad():
        for label in range(10):
            real = body.features(front(data.read(data.of_class(label)))).numpy()
            shares.append(coverage(real, body.features(images[labels == label]).numpy(), NEIGHBOUR))
    assert found["per_class"] == shares and min(shares) > 0 and max(shares) < 1
    assert found["coverage"] == pytest.approx(np.mean(shares))
    assert (found["k"], found["real"], found["synthetic"]) == (5, len(data), 20)


def test_a_set_that_is_there_already_is_covered_as_the_cell_that_made_it_says(study: Study) -> None:
    made, planner = study.planner.plan(PLAIN), Planner(study.session.root)
    artifact = study.result(made)["artifact"]
    here = stored_set(artifact, "digits", made.id, 20)
    assert planner.ask("coverage", of=here, model=REAL_MODEL).id == study.covered["random"].id
    foreign = planner.ask("coverage", of=stored_set(artifact, "digits", None, 20), model=REAL_MODEL)
    assert foreign.id != study.covered["random"].id and foreign.spec["set"] == {"artifact": artifact}
    assert study.again(foreign) == study.result(study.covered["random"])
    sets = (stored_set(artifact, "digits"), GRIDS, WHITENED)
    mapped = planner.ask("map", sets=sets, model=REAL_MODEL, label=LABEL)
    assert study.again(mapped) == study.result(study.map)
    other = stored_set(artifact, "digits", part="fit")
    with pytest.raises(BadInput, match="must be of the same real images"):
        planner.ask("map", sets=(other, GRIDS), model=REAL_MODEL, label=LABEL)


def test_the_same_question_has_the_same_answer(study: Study) -> None:
    assert study.again(study.covered["random:zca=true"]) == study.result(study.covered["random:zca=true"])
    assert study.again(study.map) == study.result(study.map)


def test_the_network_is_the_one_of_the_last_epoch(study: Study) -> None:
    curve = study.result(study.planner.plan(REAL_MODEL))
    stored = study.session.store.artifacts.read(curve["models"][str(curve["epochs"][-1])])
    body = study.embedder(REAL_MODEL).model.body
    assert not body.training
    assert all(torch.equal(stored.tensors[name], value) for name, value in body.state_dict().items())


def test_grids_are_taken_apart(study: Study) -> None:
    embedder, grids = study.embedder(REAL_MODEL), study.distilled(GRIDS)
    assert study.result(study.covered["random:form=grid2x2"])["synthetic"] == 40
    chosen = grids.images[grids.labels.values == LABEL]
    with torch.no_grad():
        expected = embedder.model.body.features(decode_images(chosen, "grid2x2")).numpy()
    assert np.array_equal(embedder.distilled(grids, LABEL), expected)


def test_whitened_images_are_seen_as_the_pixels_that_they_stand_for(study: Study) -> None:
    embedder, white = study.embedder(REAL_MODEL), study.distilled(WHITENED)
    assert white.space.kind == "zca" and not torch.allclose(white.images, study.distilled(PLAIN).images, atol=0.1)
    for label in (0, LABEL):  # both sets are the same real images
        plain = embedder.distilled(study.distilled(PLAIN), label)
        assert np.allclose(embedder.distilled(white, label), plain, atol=1e-4)


def test_images_of_the_networks_own_space_go_straight_into_its_body(study: Study) -> None:
    embedder, white = study.embedder(WHITE_MODEL), study.distilled(WHITENED)
    assert embedder.space == white.space
    chosen = white.images[white.labels.values == LABEL]
    with torch.no_grad():
        assert np.array_equal(embedder.distilled(white, LABEL), embedder.model.body.features(chosen).numpy())
    # Normalised ones are whitened on the way, as real ones are.
    assert np.allclose(embedder.distilled(white, LABEL), embedder.distilled(study.distilled(PLAIN), LABEL), atol=1e-4)


def test_a_soft_label_is_of_its_largest_entry(study: Study) -> None:
    plain = study.distilled(PLAIN)
    probs = 0.01 + 0.9 * torch.nn.functional.one_hot(plain.labels.values, 10).float()
    soft = dataclasses.replace(plain, labels=Stored("probs", probs))
    embedder = study.embedder(REAL_MODEL)
    assert np.array_equal(embedder.distilled(soft, LABEL), embedder.distilled(plain, LABEL))


def test_a_class_without_images_is_not_covered(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    labels = study.distilled(PLAIN).labels.values

    def without(store: Store, artifact: str) -> Distilled:
        distilled = read_set(store, artifact)
        if len(distilled.images) == len(labels):
            distilled.labels.values[labels == LABEL] = LABEL + 1
        return distilled

    for module in (coverage_stage, map_stage):
        monkeypatch.setattr(module, "read_set", without)
    before, found = study.result(study.covered["random"]), study.again(study.covered["random"])
    assert found["per_class"][LABEL] == 0 and found["synthetic"] == 20
    assert found["per_class"][LABEL + 1] >= before["per_class"][LABEL + 1]
    plain, grids, white = study.again(study.map)["sets"]
    assert plain["points"] == white["points"] == [] and plain["coverage"] == 0 and len(grids["points"]) == 4


def test_too_few_real_images_have_no_coverage(study: Study) -> None:
    for cell in (study.covered["random"], study.map):
        with pytest.raises(Unsupported, match=r"class \d has 1\d\d real images"):
            study.again(cell, k=200)


def test_many_real_images_are_sampled_the_same_way_each_time(study: Study) -> None:
    data = load("digits", "train", study.session.root)
    some = sample_of_class(data, LABEL, 20)
    assert len(set(some.tolist())) == 20 and bool((data.labels[some] == LABEL).all())
    assert torch.equal(sample_of_class(data, LABEL, MOST_REAL)[:20], some)
    assert sorted(sample_of_class(data, LABEL, MOST_REAL).tolist()) == data.of_class(LABEL).tolist()
    assert study.again(study.covered["random"], most_real=20)["real"] == 200


def test_a_map_places_real_and_distilled_images_on_one_plane(study: Study) -> None:
    found = study.result(study.map)
    assert found["class_name"] == "3" and found["k"] == 5 and found["perplexity"] == 30
    assert (
        len(found["real"]) == found["coverage_real"] == len(load("digits", "train", study.session.root).of_class(LABEL))
    )
    assert [len(entry["points"]) for entry in found["sets"]] == [2, 4, 2]
    for method, entry in zip(("random", "random:form=grid2x2", "random:zca=true"), found["sets"], strict=True):
        # The number beside the picture is the one of the table.
        assert entry["coverage"] == study.result(study.covered[method])["per_class"][LABEL]
    places = np.array(found["real"])
    assert places.shape[1] == 2 and np.array_equal(places, places.round(4)) and np.ptp(places) > 1
    # A set of real images lies on them, whitened or not.
    for entry in (found["sets"][0], found["sets"][2]):
        near = np.linalg.norm(places[:, None] - np.array(entry["points"]), axis=2).min(0)
        assert near.max() < 0.1 * np.ptp(places)


def test_fewer_real_images_are_shown_than_counted(study: Study) -> None:
    found = study.again(study.map, most_shown=10)
    assert len(found["real"]) == 10 and found["coverage_real"] > 100
    assert found["perplexity"] == pytest.approx((10 + 2 + 4 + 2 - 1) / 3)
    assert found["sets"][0]["coverage"] == study.result(study.map)["sets"][0]["coverage"]


def test_features_that_are_all_the_same_have_no_map() -> None:
    with pytest.raises(Unsupported, match="same features"):
        plane([np.ones((9, 4), np.float32)], 2.0)


def test_a_network_that_diverged_has_no_features(study: Study) -> None:
    embedder = study.embedder(REAL_MODEL)
    next(embedder.model.body.parameters()).data.fill_(float("nan"))
    with pytest.raises(Unsupported, match="diverged"):
        embedder.distilled(study.distilled(PLAIN), LABEL)


def test_what_cannot_be_looked_at_together_fails_while_planning(study: Study) -> None:
    planner = Planner(study.session.root)
    fit = distilled(real_images("digits", "fit"), "random", 1, 0, NETWORK)
    for sets, label, words in (
        ((PLAIN, fit), LABEL, r"digits \(fit\) and digits \(train\)"),
        ((), LABEL, "at least one"),
        ((PLAIN,), 10, "no class 10: 0 to 9"),
        ((PLAIN,), -1, "no class -1"),
        ((REAL_MODEL,), LABEL, "is not a distilled set that could be looked at"),
    ):
        with pytest.raises(BadInput, match=words):
            planner.ask("map", sets=sets, model=REAL_MODEL, label=label)
    with pytest.raises(BadInput, match="is not a trained network"):
        planner.ask("coverage", of=PLAIN, model=Request("zca", dataset="digits"))
    spelt = planner.ask("map", sets=(a_set("random:zca=false"),), model=REAL_MODEL, label=LABEL)
    assert spelt is planner.ask("map", sets=(PLAIN,), model=REAL_MODEL, label=LABEL)
    model = planner.plan(REAL_MODEL)
    other = dataclasses.replace(model, where=model.where | {"dataset": "mnist"})
    with pytest.raises(BadInput, match="set of digits needs a network that was trained for it, not one for mnist"):
        coverage_stage.same_source(planner, [PLAIN], other)


def test_a_damaged_network_is_trained_again(tmp_path: Path) -> None:
    session = Session(str(tmp_path / "s.db"))
    planner = Planner(session.root)
    train, cell = planner.plan(REAL_MODEL), planner.ask("coverage", of=PLAIN, model=REAL_MODEL)
    with session.store as store:
        first = Planner(session.root)
        first.plan(REAL_MODEL)
        session.execute(first)
        tensors = store.artifacts.folder(answer_of(train.id, store)["models"]["2"]) / "tensors.safetensors"
        content = bytearray(tensors.read_bytes())
        content[-1] ^= 1
        tensors.write_bytes(content)
        session.execute(planner, must_succeed=False)
        record = store.results.get(cell.id)
        assert record is not None and "trains it again" in (record.error or "")
        session.execute(planner)
        assert answer_of(cell.id, store)["real"] > 0


def test_planning_a_map_does_not_load_what_only_computing_it_needs() -> None:
    run_python("import sys, stillproof.run.stages.map\nassert 'sklearn' not in sys.modules")
