"""Random images in the space of the set that they are compared with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from stillproof.core.errors import BadInput
from stillproof.core.space_text import space_called, space_text
from stillproof.core.types import Distilled, Space
from stillproof.data.load import load, source
from stillproof.run.plan import Planner
from stillproof.session import Session
from stillproof.sets.fronts import front_of
from stillproof.sets.read import read_set
from stillproof.sets.teachers import load_stored
from stillproof.suites.requests import Request, distilled, real_images, stored_set, trained

DATA = real_images("digits")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with Session(str(tmp_path_factory.mktemp("same-space") / "s.db")) as opened:
        yield opened


def drawn(seed: int = 0, method: str = "random") -> Request:
    return distilled(DATA, method, 2, seed)


def beside(like: Request) -> Request:
    return Request("same-space", of=drawn(), like=like)


def read(session: Session, request: Request) -> Distilled:
    return read_set(session.store, session.answer(request)["artifact"])


def test_images_beside_a_set_in_the_usual_space_are_asked_for_as_before(session: Session) -> None:
    planner = Planner(session.root)
    one, same = (trained(on, "mlp", "smoke", 0) for on in (drawn(), beside(distilled(DATA, "k-center", 2, 0))))
    assert planner.plan(one) is planner.plan(same)


@pytest.mark.parametrize("variant", ["usual", "normalised"])
def test_images_are_whitened_as_the_method_whitens(session: Session, variant: str) -> None:
    method = {"usual": "mtt:zca=true", "normalised": "datadam:zca=true"}[variant]
    planner = Planner(session.root)
    cell = planner.plan(beside(distilled(DATA, method, 2, 0, scale="smoke")))
    assert cell.spec["space"] == {"zca": planner.plan(Request("zca", dataset="digits", variant=variant)).id}
    whitened, plain = read(session, beside(distilled(DATA, method, 2, 0, scale="smoke"))), read(session, drawn())
    assert whitened.space.ref == session.answer(Request("zca", dataset="digits", variant=variant))["artifact"]
    back, pixels = (front_of(one.space, session.store).inverse(one.images) for one in (whitened, plain))
    assert torch.allclose(back, pixels, atol=1e-5)
    if variant == "usual":  # what one asked for by hand before
        assert torch.allclose(whitened.images, read(session, drawn(method="random:zca=true")).images, atol=1e-4)


@pytest.mark.parametrize("method", ["mtt:zca=true", "k-center"])
def test_all_real_images_are_taken_there_when_a_network_is_trained_on_them(session: Session, method: str) -> None:
    alike = Request("same-space", of=DATA, like=distilled(DATA, method, 2, 0, scale="smoke"))
    plain, beside_it = (trained(on, "mlp", "quick-real:epochs=2", 0) for on in (DATA, alike))
    planner = Planner(session.root)
    assert (planner.plan(plain) is planner.plan(beside_it)) == (method == "k-center")
    (model,) = session.answer(beside_it)["models"].values()
    stored = session.store.artifacts.read(model)
    kind, ref = stored.card["space"]["kind"], stored.card["space"]["ref"]
    if method == "k-center":
        assert kind == "normalised"
        return
    assert (kind, ref) == ("zca", session.answer(Request("zca", dataset="digits"))["artifact"])
    digits, seen = load("digits", "test", Path()), load_stored(stored, session.store, "cpu")
    with torch.no_grad():
        accuracy = (seen(digits.read(slice(None))).argmax(1) == digits.labels).double().mean().item()
    assert accuracy == pytest.approx(session.answer(beside_it)["test_accuracy"][-1]) and accuracy > 0.3
    known = stored_set("ab" * 32, "digits", space=space_text(Space("zca", ref=ref)))
    again = session.answer(trained(Request("same-space", of=DATA, like=known), "mlp", "quick-real:epochs=2", 0))
    assert again["test_accuracy"] == session.answer(beside_it)["test_accuracy"], "a whitening that is in the store"


@pytest.fixture(scope="module")
def cifar(tmp_path_factory: pytest.TempPathFactory) -> Planner:
    """A plan for fifty images of each class that are called CIFAR-10."""
    root = tmp_path_factory.mktemp("cifar")
    images, labels = np.zeros((500, 32, 32, 3), np.uint8), np.arange(500) % 10
    np.savez(root / "cifar10.npz", x_train=images, y_train=labels, x_test=images[:10], y_test=labels[:10])
    return Planner(root)


@pytest.mark.parametrize(
    ("method", "ipc", "variant"),
    [
        ("mtt", 10, "usual"),
        ("mtt", 50, ""),
        ("mtt:zca=false", 10, ""),
        ("datadam", 10, "normalised"),
        ("datadam:zca=false", 10, ""),
        ("dm", 10, ""),
    ],
)
def test_presets_decide_as_a_text_does(cifar: Planner, method: str, ipc: int, variant: str) -> None:
    real = real_images("cifar10")
    random = distilled(real, "random", ipc, 0)
    found = cifar.images(Request("same-space", of=random, like=distilled(real, method, ipc, 0)))
    if not variant:
        assert found == cifar.images(random)
    else:
        cell = cifar.cells[found.spec["cell"]]
        assert cell.spec["space"] == {"zca": cifar.ask("zca", dataset="cifar10", variant=variant).id}


def test_a_set_of_the_store_tells_its_space(session: Session) -> None:
    whitened = session.answer(drawn(method="random:zca=true"))["artifact"]
    space = read_set(session.store, whitened).space
    known = stored_set(whitened, "digits", count=20, space=space_text(space))
    assert read(session, beside(known)).space == space
    other = Space("normalised", (0.5,), (0.25,))
    made = read(session, beside(stored_set(whitened, "digits", space=space_text(other))))
    pixels = front_of(space, session.store).inverse(read_set(session.store, whitened).images)
    assert made.space == other and torch.allclose(made.images, (pixels - 0.5) / 0.25, atol=1e-4)


def test_a_space_is_read_back_from_its_text() -> None:
    for space in (Space("zca", ref="ab" * 32), Space("pixels"), Space.normalised(source("cifar10").info)):
        assert space_called(space_text(space)) == space


def test_only_sets_whose_space_is_known_before_can_be_followed(session: Session) -> None:
    with pytest.raises(BadInput, match="its space is not known before"):
        session.answer(beside(Request("noisy", of=drawn(), std=1.0)))
