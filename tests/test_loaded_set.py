"""Distilled sets in code of one's own: tensors, data sets of torch, and the very batches that training feeds."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from commands import Commands
from stillproof.core.components import networks, recipes
from stillproof.core.errors import BadInput
from stillproof.core.labels import PerEpoch
from stillproof.core.seeds import Seeds
from stillproof.data.load import load
from stillproof.image_finder import export_set
from stillproof.importers.import_options import ImportOptions
from stillproof.loaded_set import LoadedSet
from stillproof.nets.build import build_network
from stillproof.session import Session
from stillproof.sets.artifact import card_of, extra_files, tensors_of
from stillproof.train import epochs
from stillproof.train.model import TrainedModel, predict
from stillproof.transforms.decode import decode_images

DATA = load("digits", "train", Path())
IMAGES, LABELS = DATA.read(slice(0, 40)), DATA.labels[:40]
SOFT = torch.randn(40, 10, generator=torch.Generator().manual_seed(0))
SMALL, TEACHER = "convnet-1:width=4", "convnet-1-bn:width=4"
RECIPES = {
    "classes": "quick:epochs=2:augment=dsa:batch=16",
    "soft": "quick:epochs=2:augment=mixup:batch=16",
    "softened": "quick:epochs=2:objective=kl",
    "four in one": "quick:epochs=2:batch=50",
    "whitened": "quick:epochs=2:augment=crop-flip",
    "taught": "quick:epochs=2:objective=kl(temperature=4):augment=mixup:batch=16",
    "recorded": "fkd:epochs=3:parts=1",
}
KINDS = list(RECIPES)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session(str(tmp_path / "s.db")) as opened:
        yield opened


@pytest.fixture
def fed(monkeypatch: pytest.MonkeyPatch) -> list[list[tuple[Tensor, Tensor]]]:
    """What training feeds to networks while a test runs, pass by pass."""
    passes: list[list[tuple[Tensor, Tensor]]] = []
    one_epoch = epochs._one_epoch

    def seen(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            passes[-1].append((batch.images.clone(), batch.targets.clone()))
            yield batch

    def watched(batches: Iterator[Any], *rest: Any) -> float:
        passes.append([])
        return one_epoch(seen(batches), *rest)

    monkeypatch.setattr(epochs, "_one_epoch", watched)
    return passes


def a_set(session: Session, kind: str, folder: Path) -> str:
    """Return the id of a set of some kind."""
    file = folder / "mine.pt"
    torch.save({"images": IMAGES, "labels": LABELS}, file)
    match kind:
        case "soft" | "softened":
            return session.import_tensors(IMAGES, SOFT, "digits").artifact
        case "four in one":
            return session.import_sets(file, "digits", ImportOptions(decode="grid2x2")).sets[0].artifact
        case "whitened":
            return session.distill("digits", "random:zca=true", 4).artifact
        case "taught":
            teachers = session.train("digits", network=TEACHER, recipe="smoke", seeds=2).models
            return session.import_sets(file, "digits", ImportOptions(teachers=tuple(teachers))).sets[0].artifact
        case "recorded":
            return recorded(session)
        case _:
            return session.import_tensors(IMAGES, LABELS, "digits").artifact


def recorded(session: Session) -> str:
    """Return a set with a soft label for every image of each of three recorded passes, in batches of 16."""
    draws, passes = torch.Generator().manual_seed(1), 3
    labels = PerEpoch(
        values=LABELS,
        order=torch.stack([torch.randperm(40, generator=draws) for _ in range(passes)]).int(),
        coords=torch.tensor([0.125, 0.0, 0.75, 0.75]).expand(passes, 40, 4).clone(),
        flip=torch.rand(passes, 40, generator=draws) < 0.5,
        mix_index=torch.arange(40).remainder(8).expand(passes, 40).int().clone(),
        mix_lambda=torch.rand(passes, 3, generator=draws),
        mix_box=torch.zeros(passes, 3, 4, dtype=torch.int32),
        logits=torch.randn(passes, 40, 10, generator=draws),
        batch=16,
    )
    made = session.import_tensors(IMAGES, LABELS, "digits")
    recipe = recipes.spec(recipes.build(RECIPES["recorded"]))
    distilled = dataclasses.replace(made.distilled, labels=labels, recipe=recipe)
    files = extra_files(distilled, session.load(made).front)
    return session.store.keep("distilled", tensors_of(distilled), card_of(distilled), extra=files)


def assert_same(batches: Iterator[tuple[Tensor, Tensor]], expected: list[tuple[Tensor, Tensor]]) -> None:
    for (images, targets), (fed_images, fed_targets) in zip(batches, expected, strict=True):
        assert torch.equal(images, fed_images) and torch.equal(targets, fed_targets)


@pytest.mark.parametrize("kind", KINDS)
def test_the_loader_yields_what_training_feeds(
    session: Session, tmp_path: Path, fed: list[list[tuple[Tensor, Tensor]]], kind: str
) -> None:
    artifact = a_set(session, kind, tmp_path)
    fed.clear()
    session.train(artifact, network=SMALL, recipe=RECIPES[kind], seeds=2)
    loader = session.load(artifact).loader(RECIPES[kind], seed=1)
    assert len(fed) == 2 * loader.epochs and len(fed[0]) == len(loader)
    for expected in fed[loader.epochs :]:  # the passes of the second seed
        assert_same(iter(loader), expected)
    assert not torch.equal(fed[0][0][0], fed[loader.epochs][0][0]) or kind == "recorded"


def test_without_a_word_it_is_the_sets_own_recipe(
    session: Session, tmp_path: Path, fed: list[list[tuple[Tensor, Tensor]]]
) -> None:
    file = tmp_path / "res_DSA_digits_ConvNet_4ipc.pt"
    torch.save({"data": [[IMAGES, LABELS]], "accs_all_exps": {}}, file)
    (made,), _ = session.import_sets(file, "digits")
    loader = session.load(made).loader()
    assert loader.recipe.augment.startswith("dsa") and loader.epochs == 1001
    session.train(made, network=SMALL, recipe=f"{made.recipe}:epochs=1:decay_epochs=()", seeds=1)
    assert_same(iter(loader), fed[0])
    assert loader.epoch == 1
    loader.epoch = 0
    assert_same(iter(loader), fed[0])


def test_a_recording_has_an_end(session: Session) -> None:
    loaded = session.load(recorded(session))
    loader = loaded.loader("fkd:epochs=3")
    assert [len(list(loader)) for _ in range(3)] == [3, 3, 3]
    with pytest.raises(BadInput, match="recorded for 3 epochs, and pass 4 is beyond them: set epoch = 0"):
        iter(loader)
    with pytest.raises(BadInput, match="labels are recorded for 3: use at most epochs=3"):
        loaded.loader("fkd:epochs=4")


@pytest.mark.parametrize("kind", KINDS)
def test_images_in_the_space_that_one_asks_for(session: Session, tmp_path: Path, kind: str) -> None:
    loaded, info = session.load(a_set(session, kind, tmp_path)), DATA.info
    own, classes = loaded.tensors("own", "classes")
    pixels, normalised = (loaded.tensors(space, "classes")[0] for space in ("pixels", "normalised"))
    torch.testing.assert_close(normalised * info.std[0] + info.mean[0], pixels)
    assert torch.equal(own, decode_images(loaded.distilled.images, loaded.distilled.decode))
    expected = loaded.front(pixels) if kind == "whitened" else pixels
    torch.testing.assert_close(own, expected, atol=1e-3, rtol=1e-3)
    assert len(pixels) == len(classes) == (160 if kind == "four in one" else 40)


def test_labels_as_one_asks_for_them(session: Session, tmp_path: Path) -> None:
    hard, soft = (session.load((IMAGES, labels), dataset="digits") for labels in (LABELS, SOFT))
    assert torch.equal(hard.tensors()[0], IMAGES) and torch.equal(hard.tensors()[1], LABELS)
    assert torch.equal(hard.tensors(labels="soft")[1].argmax(1), LABELS)
    torch.testing.assert_close(soft.tensors()[1], SOFT.softmax(1))
    assert torch.equal(soft.tensors(labels="classes")[1], SOFT.argmax(1))
    hard.tensors()[0].zero_()
    assert torch.equal(hard.tensors()[0], IMAGES), "the set itself stays as it is"
    taught = session.load(a_set(session, "taught", tmp_path))
    images, labels = taught.tensors()
    with torch.no_grad():
        answers = torch.stack([teacher.model.eval()(images) for teacher in taught.teachers]).mean(0)
    torch.testing.assert_close(labels, answers.softmax(1), atol=1e-5, rtol=1e-4)
    with pytest.raises(BadInput, match=r"a soft label for every epoch .*: ask for labels='classes', or for its loader"):
        session.load(recorded(session)).tensors()
    with pytest.raises(BadInput, match="unknown space 'pixel'; did you mean 'pixels'"):
        hard.tensors("pixel")  # type: ignore[arg-type]


def test_a_data_set_of_torch(session: Session) -> None:
    loaded = session.load((IMAGES, LABELS), dataset="digits")
    assert isinstance(loaded, LoadedSet) and loaded.stands_for == "digits" and loaded.path.is_dir()
    data = loaded.dataset("normalised")
    assert isinstance(data, Dataset) and len(data) == 40
    image, label = data[3]
    assert image.shape == (1, 8, 8) and int(label) == int(LABELS[3])
    assert sum(len(images) for images, _ in DataLoader(data, batch_size=16, shuffle=True)) == 40


def test_a_loop_of_ones_own_learns_what_train_learns(session: Session) -> None:
    made = session.import_tensors(IMAGES, LABELS, "digits")
    score = session.train(made, network=SMALL, recipe="quick:epochs=10", seeds=1)
    loader = session.load(made).loader("quick:epochs=10")
    body = build_network(networks.build(SMALL), DATA.info, Seeds(0).child("train", "network"), "cpu")
    recipe = loader.recipe
    optimiser = torch.optim.SGD(body.parameters(), recipe.lr, recipe.momentum, weight_decay=recipe.weight_decay)
    for _ in range(loader.epochs):
        for images, targets in loader:
            optimiser.zero_grad()
            loader.loss(body(images), targets).backward()  # type: ignore[no-untyped-call]
            optimiser.step()
    test = load("digits", "test", Path())
    right = predict(TrainedModel(loader.front, body), test, "cpu") == test.labels
    assert right.float().mean().item() == pytest.approx(score.per_seed[0], abs=0.01)


def test_what_cannot_be_loaded_is_refused_with_one_sentence(session: Session, tmp_path: Path) -> None:
    torch.save({"images": IMAGES, "labels": LABELS}, tmp_path / "mine.pt")
    given: list[tuple[Any, str]] = [
        ("digits", "'digits' names real images, and no distilled set"),
        (tmp_path / "mine.pt", "say with --dataset which data set it stands for"),
        ("nothing", "unknown artifact 'nothing'"),
        (3, "a value of type int cannot be trained on"),
    ]
    for one, words in given:
        with pytest.raises(BadInput, match=words) as refused:
            session.load(one)
        assert "\n" not in str(refused.value)
    truth = session.load((IMAGES, LABELS), dataset="digits").loader("quick:objective=mse-gt")
    with pytest.raises(BadInput, match="objective 'mse-gt' needs more than logits and targets"):
        truth.loss(torch.zeros(2, 10), torch.zeros(2, 10))


@pytest.mark.parametrize("kind", ["classes", "soft", "taught", "recorded"])
def test_the_lines_of_a_sets_page_run(session: Session, stillproof: Commands, tmp_path: Path, kind: str) -> None:
    artifact, folder = a_set(session, kind, tmp_path), tmp_path / "set"
    page = (session.store.artifacts.folder(artifact) / "README.md").read_text(encoding="utf-8")
    export_set(session.store, artifact, folder)
    (lines,) = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert lines.count("THIS_FOLDER") == 1
    script = lines.replace("THIS_FOLDER", str(folder)) + "print(images.shape, labels.dtype)\n"
    done = stillproof.python(script, cwd=tmp_path)
    assert done.code == 0, done.err
    kind_of_label = "torch.float32" if kind in ("soft", "taught") else "torch.int64"
    assert done.out.splitlines()[-1] == f"torch.Size([40, 1, 8, 8]) {kind_of_label}"
    assert re.match(r"torch\.Size\(\[\d+, 1, 8, 8\]\) torch\.Size\(\[", done.out), "a batch and its targets"
