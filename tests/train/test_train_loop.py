from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor
from train_setups import VIT, Fitted, Killed, equal_weights, make_model, train

from stillproof.core.context import Context
from stillproof.core.errors import StillproofError, UnknownName
from stillproof.core.seeds import Seeds
from stillproof.testing.checks import global_generators_untouched
from stillproof.testing.toy import toy_images
from stillproof.train.data import from_images
from stillproof.train.loop import fit
from stillproof.train.recipe import Recipe
from stillproof.train.train_data import TrainData

SHORT = Recipe(epochs=4, batch=10, lr=0.05, decay_epochs=(2,), curve_points=4)
NETWORKS = ["mlp:width=16", "convnet-2-bn:width=4", VIT]


def same(one: Fitted, other: Fitted) -> bool:
    predictions = torch.equal(torch.stack(one.curve.predictions), torch.stack(other.curve.predictions))
    curves = all(
        getattr(one.curve, name) == getattr(other.curve, name)
        for name in ("losses", "epochs", "test_accuracy", "heldout_accuracy")
    )
    kept = one.curve.weights.keys() == other.curve.weights.keys() and all(
        equal_weights(one.curve.weights[epoch], other.curve.weights[epoch]) for epoch in one.curve.weights
    )
    return equal_weights(one.weights, other.weights) and predictions and curves and kept


@pytest.mark.parametrize(
    "recipe",
    [
        Recipe(epochs=20, batch=12, lr=0.1),
        Recipe(epochs=20, batch=12, lr=0.01, optimiser="adam"),
        Recipe(epochs=20, batch=12, lr=0.01, optimiser="adamw"),
        Recipe(epochs=30, batch=12, lr=0.3, objective="mse"),
        Recipe(epochs=20, batch=12, lr=0.3, objective="kl(temperature=2)"),
    ],
    ids=["sgd", "adam", "adamw", "mse", "kl"],
)
def test_it_learns(recipe: Recipe) -> None:
    fitted = train(recipe, test=toy_images())
    assert fitted.curve.test_accuracy[-1] > 0.9
    assert fitted.curve.losses[-1] < fitted.curve.losses[0] / 2
    assert not fitted.model.training


@pytest.mark.parametrize("network", NETWORKS)
def test_the_same_seed_gives_the_same_bytes_and_another_one_does_not(network: str) -> None:
    first = train(SHORT, network=network)
    assert same(first, train(SHORT, network=network))
    assert not equal_weights(first.weights, train(SHORT, network=network, seed=1).weights)


@pytest.mark.parametrize("network", NETWORKS)
def test_it_draws_from_no_global_generator(network: str) -> None:
    with global_generators_untouched():
        train(Recipe(epochs=1, augment="dsa"), network=network)


def test_the_global_generator_does_not_reach_dropout() -> None:
    torch.manual_seed(1)
    first = train(SHORT, network=VIT)
    torch.manual_seed(2)
    assert same(first, train(SHORT, network=VIT))


def test_dropout_draws_anew_in_every_epoch() -> None:
    recipe = Recipe(epochs=3, batch=36, lr=1e-12, momentum=0.0, weight_decay=0.0)  # the weights hardly move
    losses = train(recipe, network=VIT).curve.losses
    assert len(set(losses)) == 3
    losses = train(recipe, network=VIT.replace("dropout=0.3", "dropout=0.0")).curve.losses
    assert max(losses) - min(losses) < 1e-5


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("kill_in", [1, 2, 3])
def test_a_killed_training_goes_on_to_the_very_same_model(tmp_path: Path, network: str, kill_in: int) -> None:
    def report(share: float) -> None:
        if share >= kill_in / SHORT.epochs:
            raise Killed

    with pytest.raises(Killed):
        train(SHORT, network=network, scratch=tmp_path, report=report)
    resumed = train(SHORT, network=network, scratch=tmp_path)
    assert resumed.ctx.notes["resumed_at"] == kill_in
    assert same(resumed, train(SHORT, network=network))


def orders(recipe: Recipe) -> list[list[int]]:
    """Train for two passes with batches of 10; return the order in which each saw the images."""
    model = make_model()
    real = from_images(toy_images(), model.front, "cpu")
    seen: list[list[int]] = []

    def read(index: Tensor) -> Tensor:
        seen.append(index.tolist())
        return real.read(index)

    fit(model, TrainData(read, real.classes, 3, real.source), recipe, Context(Seeds(0)))
    assert [len(batch) for batch in seen] == [10, 10, 10, 6] * 2
    return [[i for batch in half for i in batch] for half in (seen[:4], seen[4:])]


def test_every_image_is_seen_once_per_epoch_in_an_order_of_its_own() -> None:
    first, second = orders(Recipe(epochs=2, batch=10))
    assert sorted(first) == sorted(second) == list(range(36))
    assert first != second != list(range(36)) != first


def test_without_shuffling_every_epoch_has_the_order_of_the_data() -> None:
    assert orders(Recipe(epochs=2, batch=10, shuffle=False)) == [list(range(36))] * 2


def test_the_loss_of_an_epoch_is_the_mean_over_images() -> None:
    recipe = Recipe(epochs=1, batch=25, lr=1e-12, momentum=0.0, weight_decay=0.0)  # batches of 25 and 11
    model = make_model()
    data = from_images(toy_images(), model.front, "cpu")
    expected = torch.nn.functional.cross_entropy(model.body(data.read(torch.arange(36))), data.classes)
    assert train(recipe).curve.losses[0] == pytest.approx(expected.item(), rel=1e-5)


def plain_sgd(recipe: Recipe, *, new_optimiser_at: int | None = None) -> dict[str, Tensor]:
    """Train as one would by hand, with whole batches, where the order of images does not matter but for rounding."""
    model = make_model().train()
    data = from_images(toy_images(), model.front, "cpu")
    optimiser = torch.optim.SGD(model.body.parameters(), recipe.lr, recipe.momentum, weight_decay=recipe.weight_decay)
    for epoch in range(recipe.epochs):
        if epoch == new_optimiser_at:
            optimiser = torch.optim.SGD(
                model.body.parameters(), recipe.lr, recipe.momentum, weight_decay=recipe.weight_decay
            )
        for group in optimiser.param_groups:
            group["lr"] = recipe.lr_at(epoch)
        loss = torch.nn.functional.cross_entropy(model.body(data.read(torch.arange(36))), data.classes)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        norm = (
            sum(float((weight.grad**2).sum()) for weight in model.body.parameters() if weight.grad is not None) ** 0.5
        )
        for weight in model.body.parameters():
            if recipe.clip and norm > recipe.clip and weight.grad is not None:
                weight.grad *= recipe.clip / norm
        optimiser.step()
    return model.body.state_dict()


@pytest.mark.parametrize("reset", [False, True])
def test_a_drop_forgets_the_momentum_only_if_told_to(reset: bool) -> None:
    recipe = Recipe(epochs=6, batch=36, lr=0.2, decay=0.5, decay_epochs=(3,), reset_momentum=reset)
    expected = plain_sgd(recipe, new_optimiser_at=3 if reset else None)
    other = plain_sgd(recipe, new_optimiser_at=None if reset else 3)
    found = train(recipe).weights
    for name in found:
        torch.testing.assert_close(found[name], expected[name], rtol=1e-4, atol=1e-6)
    assert any(not torch.allclose(found[name], other[name], rtol=1e-3, atol=1e-5) for name in found)


def test_a_long_gradient_is_shortened_as_a_whole() -> None:
    recipe = Recipe(epochs=3, batch=36, lr=0.2, clip=0.3)
    found, expected = train(recipe).weights, plain_sgd(recipe)
    other = plain_sgd(Recipe(epochs=3, batch=36, lr=0.2))
    for name in found:
        torch.testing.assert_close(found[name], expected[name], rtol=1e-4, atol=1e-6)
    assert any(not torch.allclose(found[name], other[name], rtol=1e-3, atol=1e-5) for name in found)


def test_a_short_gradient_is_left_as_it_is() -> None:
    unclipped, clipped = (train(Recipe(epochs=2, batch=10, clip=clip)).weights for clip in (0.0, 1e6))
    assert equal_weights(unclipped, clipped)


def test_augmentation_changes_what_is_learnt() -> None:
    plain, augmented = (train(Recipe(epochs=1, augment=name)).weights for name in ("none", "dsa"))
    assert not equal_weights(plain, augmented)


def test_an_unknown_augmentation_is_refused() -> None:
    with pytest.raises(UnknownName, match="unknown augmentation 'dsaa'; did you mean 'dsa'"):
        train(Recipe(epochs=1, augment="dsaa"))


def test_a_diverging_training_says_so_in_one_sentence() -> None:
    with pytest.raises(
        StillproofError, match=r"training diverged: the loss is (nan|inf) in epoch \d+; try a smaller lr"
    ):
        train(Recipe(epochs=50, batch=4, lr=1e10))


def test_without_a_curve_nothing_is_measured() -> None:
    model = make_model()
    ctx = Context(Seeds(0))
    fit(model, from_images(toy_images(), model.front, "cpu"), SHORT, ctx)
    assert equal_weights(model.body.state_dict(), train(SHORT).weights)
    assert ctx.notes["compiled"] is False
