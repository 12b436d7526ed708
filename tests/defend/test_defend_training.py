"""Defended training: what is attacked, in which space, and what it is called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from stillproof.core.context import Context
from stillproof.core.errors import BadInput, UnknownName
from stillproof.core.seeds import Seeds
from stillproof.core.types import Space
from stillproof.defend.base.defence import defence_of
from stillproof.run.plan import Planner
from stillproof.session import Session
from stillproof.suites.requests import Request, distilled, real_images, trained
from stillproof.testing.check_training import toy_model
from stillproof.testing.toy import TOY, toy_images
from stillproof.train.batch import Batch
from stillproof.train.data import from_images
from stillproof.train.model import TrainedModel
from stillproof.train.recipe import Recipe
from stillproof.train.training import Training
from stillproof.transforms.front import Front
from stillproof.transforms.kip_zca import KipZCA
from stillproof.transforms.normalised_zca import NormalisedZCA
from stillproof.transforms.space import make_front
from stillproof.transforms.zca import ZCA

EPS = 0.1
FRONTS: dict[str, Callable[[], Front]] = {
    "pixels": lambda: make_front(Space("pixels")),
    "normalised": lambda: make_front(Space.normalised(TOY)),
    "whitened": lambda: ZCA.fit(toy_images()),
    "normalised and whitened": lambda: NormalisedZCA.fit(toy_images()),
}


def test_a_front_that_forgets_contrast_forgets_that_of_attacked_images_too() -> None:
    front = KipZCA.fit(toy_images())
    data = from_images(toy_images(), front, "cpu")
    training = Training(TrainedModel(front, toy_model().body), data, Recipe(), Context(Seeds(0)))
    seen = front(toy_images().read(slice(0, 10)))
    for times in (1, 2):  # learned images may be of any length
        batch = Batch(times * seen, data.classes[:10], data.classes[:10], torch.arange(10), 0, Seeds(0).child("batch"))
        harder = defence_of("pgd-at:eps=1e-6").harder(training, batch)
        assert torch.allclose(harder, seen, rtol=0.01, atol=0.01)


@pytest.mark.parametrize("front", FRONTS.values(), ids=FRONTS)
def test_attacks_act_in_pixels_wherever_an_unclamped_set_lives(front: Callable[[], Front]) -> None:
    made = front()
    model = TrainedModel(made, toy_model().body)
    data = from_images(toy_images(), made, "cpu")
    training = Training(model, data, Recipe(), Context(Seeds(0)))
    pixels = 3 * toy_images().read(slice(0, 10)) - 1  # as learned images are: from -1 to 2
    batch = Batch(made(pixels), data.classes[:10], data.classes[:10], torch.arange(10), 0, Seeds(0).child("batch"))
    harder = defence_of(f"pgd-at:eps={EPS}").harder(training, batch)
    after = training.to_pixels(harder)
    moved = after - pixels
    assert moved.abs().max() <= EPS + 1e-4
    assert moved.abs().max() > 0.9 * EPS  # a step in the set's own space would be another in pixels
    inside, above, below = (pixels >= 0) & (pixels <= 1), pixels > 1, pixels < 0
    assert above.any() and below.any()
    assert after[inside].min() >= -1e-4 and after[inside].max() <= 1 + 1e-4
    assert moved[above].max() <= 1e-4 and moved[below].min() >= -1e-4  # they may come back, but go no further out


DIGITS = real_images("digits")
PLAIN = trained(DIGITS, "convnet-1:width=8", "quick-real:epochs=3", 0)


def test_a_defence_names_a_cell_of_its_own_and_no_other(tmp_path: Path) -> None:
    planner = Planner(tmp_path)
    plain = planner.plan(PLAIN)
    assert "defence" not in plain.spec
    names = {
        planner.plan(PLAIN.but(defence=name)).id
        for name in ("pgd-at", "pgd-at:eps=0.2", "pgd-at-loss", "trades", "mart", "trs")
    }
    assert len(names | {plain.id}) == 7
    for same in ("pgd-at:steps=10", "pgd-at:eps=8/255"):
        assert planner.plan(PLAIN.but(defence="pgd-at")).id == planner.plan(PLAIN.but(defence=same)).id
    assert planner.plan(trained(DIGITS, "convnet-1:width=8", "quick-real:epochs=3", 0, None, None)).id == plain.id
    defended = planner.plan(PLAIN.but(defence="pgd-at"))
    assert defended.flops == pytest.approx(11 * plain.flops, rel=0.1) and defended.label.endswith(" with pgd-at")


@pytest.mark.parametrize(
    ("defence", "error", "says"),
    [
        ("pgd-at:eps=2", BadInput, "eps = 2 is not allowed: for images of 64 values .* at most 1 in Linf"),
        ("trades:eps=1.5", BadInput, "eps = 1.5 is not allowed"),
        ("pgd", UnknownName, "unknown defence 'pgd'"),
    ],
)
def test_what_cannot_be_done_to_images_fails_while_planning(
    tmp_path: Path, defence: str, error: type[BadInput], says: str
) -> None:
    with pytest.raises(error, match=says):
        Planner(tmp_path).plan(PLAIN.but(defence=defence))


def test_a_session_trains_with_a_defence_that_makes_models_robust(tmp_path: Path) -> None:
    with Session(str(tmp_path / "store.db")) as session:
        how: dict[str, Any] = {"network": "convnet-1:width=8", "recipe": "quick-real:epochs=4", "seeds": 1}
        plain, hard = (session.train("digits", defence=name, **how) for name in (None, "pgd-at:eps=0.1:steps=3"))
        assert plain.defence is None and hard.as_dict()["defence"] == "pgd-at:eps=0.1:steps=3"
        assert "defence pgd-at:eps=0.1:steps=3" in repr(hard) and "defence" not in repr(plain)
        left = [
            session.attack(score.models[0], dataset="digits", attack="pgd:eps=0.1", limit=100).robust_accuracy
            for score in (plain, hard)
        ]
        assert left[0] is not None and left[1] is not None and left[1] > left[0] + 0.1
        cards = [session.store.artifacts.read(score.models[0]).card for score in (plain, hard)]
        assert "defence" not in cards[0] and cards[1]["defence"]["name"] == "pgd-at"


def test_soft_labels_and_whitened_sets_can_be_defended(tmp_path: Path) -> None:
    with Session(str(tmp_path / "store.db")) as session:
        whitened = distilled(DIGITS, "mtt:zca=true:experts=1", 1, 0, "convnet-1:width=4", "smoke")
        soft = "smoke:objective=kl(temperature=4)"
        for name in ("pgd-at:steps=2", "trades:steps=2", "mart:steps=2", "trs:steps=1"):
            asked = trained(whitened, "convnet-1:width=4", soft, 0, defence=name)
            assert session.answer(asked)["losses"][-1] < float("inf")


def test_an_objective_with_a_fit_of_its_own_takes_no_defence() -> None:
    from dataclasses import dataclass

    from stillproof.core.components import objectives
    from stillproof.train.loop import fit
    from stillproof.train.objective import Objective

    @objectives.register("own-fit", version=1)
    @dataclass(frozen=True)
    class OwnFit(Objective):
        def fit(self, training: Training) -> None:
            raise AssertionError

    model = toy_model()
    try:
        with pytest.raises(BadInput, match="no defence can be built on it"):
            data = from_images(toy_images(), model.front, "cpu")
            fit(model, data, Recipe(objective="own-fit"), Context(Seeds(0)), defence=defence_of("pgd-at"))
    finally:
        objectives.remove(__name__)


def test_recipes_of_beard() -> None:
    from stillproof.train.recipe_for import recipe_for

    code, paper = recipe_for("beard", "mnist"), recipe_for("beard-adam", "cifar10")
    assert (code.optimiser, code.lr, code.momentum, code.weight_decay, code.batch) == ("sgd", 0.01, 0.9, 5e-4, 256)
    assert code.epochs == 1001 and code.lr_at(501) == 0.01 and code.lr_at(502) == pytest.approx(0.001)
    assert code.augment == "dsa"  # digits are mirrored too
    assert (paper.optimiser, paper.lr, paper.batch, paper.augment) == ("adam", 1e-4, 128, "dsa")


def test_beard_and_dc_bench_share_what_they_train(tmp_path: Path) -> None:
    planner = Planner(tmp_path)
    on = Request("artifact", artifact="a" * 64, dataset="digits", cell=None, count=10, part="train", name="x")
    ids = {planner.plan(trained(on, "convnet-1", name, 0)).id for name in ("beard", "dc-bench-dsa:augment=dsa")}
    assert len(ids) == 1
