from __future__ import annotations

import dataclasses
from typing import get_args

import pytest
import torch
from distill_setups import SPACE, context
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from stillproof.core.components import distillers, networks
from stillproof.core.context import Context
from stillproof.core.errors import BadInput
from stillproof.core.presets import SCALES, preset_params
from stillproof.core.seeds import Seeds
from stillproof.core.types import ImageSet
from stillproof.distill.dc import DatasetCondensation
from stillproof.distill.dsa import SiameseCondensation
from stillproof.distill.gradients.gradient_matcher import Distance, gradient_distance
from stillproof.distill.gradients.gradient_matching import GradientMatching, InnerTraining
from stillproof.nets.body import Body
from stillproof.nets.build import build_network
from stillproof.testing.checks import global_generators_untouched
from stillproof.testing.toy import EACH, TOY, toy_images
from stillproof.transforms.dsa import DSA
from stillproof.transforms.space import make_front

NETWORK = "convnet-2:width=8"
MOMENT = (4, 1)


def some_images(count: int = 6) -> Tensor:
    return torch.randn(count, 1, 8, 8, generator=Seeds(3).torch())


def reference_distance(kind: Distance, synthetic: list[Tensor], real: list[Tensor]) -> Tensor:
    """The distances of the paper's code, row by row."""
    if kind != "layerwise":
        one = torch.cat([g.reshape(-1) for g in real])
        other = torch.cat([g.reshape(-1) for g in synthetic])
        if kind == "mse":
            return ((one - other) ** 2).sum()
        lengths: Tensor = one.norm() * other.norm()
        return 1 - (one * other).sum() / (lengths + 1e-6)
    total = torch.zeros(())
    for one, other in zip(real, synthetic, strict=True):
        if one.dim() > 1:
            for unit in range(one.shape[0]):
                a, b = one[unit].reshape(-1), other[unit].reshape(-1)
                total = total + 1 - (a * b).sum() / (a.norm() * b.norm() + 1e-6)
    return total


def reference_gradient(
    method: GradientMatching, ctx: Context, images: Tensor, body: nn.Module
) -> tuple[Tensor, Tensor]:
    """Sum the loss over the classes in one graph and differentiate it with respect to all images."""
    data, criterion, augment = toy_images(), nn.CrossEntropyLoss(), DSA()
    images = images.clone().requires_grad_()
    weights = list(body.parameters())
    total = torch.zeros(())
    for label in range(3):
        members = data.of_class(label)
        order = torch.randperm(len(members), generator=ctx.seeds.child("real", *MOMENT, label).torch())
        batch = make_front(SPACE)(data.read(members[order[: method.batch_real]]))
        own = images[2 * label : 2 * label + 2]
        if method.augment is not None:
            seeds = ctx.seeds.child("dsa", *MOMENT, label)
            batch, own = augment.siamese(batch, seeds.torch()), augment.siamese(own, seeds.torch())
        real = torch.autograd.grad(criterion(body(batch), torch.tensor([label] * len(batch))), weights)
        loss = criterion(body(own), torch.tensor([label] * 2))
        synthetic = torch.autograd.grad(loss, weights, create_graph=True)
        total = total + reference_distance(method.distance, list(synthetic), list(real))
    total.backward()  # type: ignore[no-untyped-call]
    assert images.grad is not None
    return total.detach(), images.grad


def check_gradient(method: GradientMatching, network: str = NETWORK) -> None:
    ctx = context(network)
    body = ctx.make_network()
    assert isinstance(body, Body)
    matcher, _ = method.parts(body, toy_images(), 2, ctx)
    loss, gradient = matcher.loss_and_gradient(some_images(), *MOMENT)
    expected_loss, expected = reference_gradient(method, ctx, some_images(), body)
    assert 3 * loss == pytest.approx(float(expected_loss), rel=1e-4)
    torch.testing.assert_close(gradient, expected, rtol=1e-3, atol=1e-4 * float(expected.abs().max()))
    assert float(gradient.abs().max()) > 0


@pytest.mark.parametrize("distance", get_args(Distance))
def test_image_gradient_is_that_of_the_plain_loop(distance: Distance) -> None:
    check_gradient(DatasetCondensation(batch_real=5, distance=distance))


def test_augmented_gradient_is_that_of_the_plain_loop() -> None:
    check_gradient(SiameseCondensation(batch_real=5))


@pytest.mark.parametrize("network", ["mlp:width=8", "convnet-2-bn:width=8", "convnet-2:width=8:norm=layer"])
def test_other_networks_have_the_same_gradient(network: str) -> None:
    check_gradient(DatasetCondensation(batch_real=5), network)


def test_batch_norm_holds_the_statistics_of_all_classes() -> None:
    ctx = context("convnet-2-bn:width=8")
    body = ctx.make_network()
    assert isinstance(body, Body)
    matcher, train = DatasetCondensation(batch_real=5, inner_loop=1).parts(body, toy_images(), 2, ctx)
    norm = body.get_submodule("layers.1")
    matcher.loss_and_gradient(some_images(), *MOMENT)
    assert isinstance(norm, nn.BatchNorm2d) and norm.running_mean is not None and not norm.training
    seen = norm.running_mean.clone()
    pixels = torch.cat([matcher.for_statistics.draw(label, *MOMENT) for label in range(3)])
    assert len(pixels) == 3 * EACH  # 16 of a class were asked for
    convolved = body.get_submodule("layers.0")(pixels)
    torch.testing.assert_close(seen, 0.1 * convolved.detach().mean((0, 2, 3)))  # 0.1 is the momentum of batch norms
    train(some_images(), torch.arange(3).repeat_interleave(2), Seeds(0))
    assert norm.training and not torch.equal(norm.running_mean, seen)


def test_real_and_synthetic_images_share_their_draws() -> None:
    ctx = context()
    body = ctx.make_network()
    assert isinstance(body, Body)
    matcher, _ = SiameseCondensation(batch_real=1).parts(body, toy_images(), 1, ctx)
    real = torch.cat([matcher.real.draw(label, *MOMENT) for label in range(3)])
    same, _ = matcher.loss_and_gradient(real, *MOMENT)
    assert same == pytest.approx(0.0, abs=1e-2)  # equal images, equally changed, have equal gradients
    matcher.augment = None
    changed = matcher.loss_and_gradient(DSA().siamese(real, Seeds(7).torch()), *MOMENT)
    assert changed[0] > 0.1


def test_each_class_has_draws_of_its_own() -> None:
    matcher, _ = SiameseCondensation().parts(
        build_network(networks.build(NETWORK), TOY, Seeds(0), "cpu"), toy_images(), 1, context()
    )
    batch = some_images(2)
    changed = [matcher._siamese(batch, label, step, turn) for label in range(3) for step in range(3) for turn in (0, 1)]
    assert len({tuple(c.flatten().tolist()) for c in changed}) > 9
    assert torch.equal(matcher._siamese(batch[:1], 1, 0, 0), matcher._siamese(batch, 1, 0, 0)[:1])


@pytest.mark.parametrize("method", [DatasetCondensation, SiameseCondensation])
def test_more_steps_bring_the_gradients_together(method: type[GradientMatching]) -> None:
    ctx = context("convnet-1:width=8")
    made = method(steps=40, batch_real=12, outer_loop=2, inner_loop=2, init="noise").distill(toy_images(), 2, ctx)
    losses = [entry["loss"] for entry in ctx.history]
    assert sum(losses[-10:]) < 0.8 * sum(losses[:10])
    assert made.images.shape == (6, 1, 8, 8) and made.labels.values.tolist() == [0, 0, 1, 1, 2, 2]


def test_the_network_is_trained_between_updates_and_not_after_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    trained: list[tuple[str | int, ...]] = []
    monkeypatch.setattr(InnerTraining, "__call__", lambda self, images, labels, seeds: trained.append(seeds.path))
    DatasetCondensation(steps=2, outer_loop=3, inner_loop=1, batch_real=4).distill(toy_images(), 1, context())
    assert trained == [("inner", 0, 0), ("inner", 0, 1), ("inner", 1, 0), ("inner", 1, 1)]


def test_inner_training_is_plain_sgd() -> None:
    body = build_network(networks.build(NETWORK), TOY, Seeds(0), "cpu")
    twin = build_network(networks.build(NETWORK), TOY, Seeds(0), "cpu")
    images, labels = some_images(), torch.arange(3).repeat_interleave(2)

    def loss_of(x: Tensor, y: Tensor) -> Tensor:
        return nn.functional.cross_entropy(body(x), y)

    InnerTraining(body, loss_of, epochs=2, lr=0.1, batch=4, augment=None)(images, labels, Seeds(5))
    for epoch in range(2):
        order = torch.randperm(6, generator=Seeds(5).child(epoch, "order").torch())
        for index in (order[:4], order[4:]):
            loss = nn.functional.cross_entropy(twin(images[index]), labels[index])
            for weight, slope in zip(
                twin.parameters(), torch.autograd.grad(loss, list(twin.parameters())), strict=True
            ):
                weight.data -= 0.1 * slope
    for ours, theirs in zip(body.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_augmentation_reaches_the_training_of_the_network() -> None:
    def trained(method: GradientMatching) -> Tensor:
        ctx = context()
        body = ctx.make_network()
        assert isinstance(body, Body)
        _, train = method.parts(body, toy_images(), 2, ctx)
        train(some_images(), torch.arange(3).repeat_interleave(2), Seeds(0))
        return body.get_parameter("layers.0.weight").detach()

    assert not torch.equal(trained(DatasetCondensation()), trained(SiameseCondensation()))


def test_published_loops_by_images_per_class() -> None:
    published = {1: (1, 1), 10: (10, 50), 20: (20, 25), 30: (30, 20), 40: (40, 15), 50: (50, 10), 100: (10, 10)}
    for name in ("dc", "dsa"):
        for ipc, (outer, inner) in published.items():
            assert preset_params(distillers.get(name), "paper", "cifar10", ipc) == {
                "outer_loop": outer,
                "inner_loop": inner,
            }


@given(ipc=st.integers(1, 2000), scale=st.sampled_from(SCALES), name=st.sampled_from(["dc", "dsa"]))
def test_every_number_of_images_has_its_loops(ipc: int, scale: str, name: str) -> None:
    found = preset_params(distillers.get(name), scale, "digits", ipc)
    assert found["outer_loop"] <= max(ipc, 2) or ipc > 50
    if scale == "paper" and ipc <= 50:
        lower = max(known for known in (1, 10, 20, 30, 40, 50) if known <= ipc)
        assert found == preset_params(distillers.get(name), scale, "digits", lower)


def test_defaults_are_the_papers() -> None:
    dc, dsa = DatasetCondensation(), SiameseCondensation()
    expected = {"steps": 1000, "lr": None, "momentum": 0.5, "batch_real": 256, "lr_net": 0.01, "batch_net": 256}
    for method in (dc, dsa):
        assert expected.items() <= dataclasses.asdict(method).items() and method.distance == "layerwise"
    assert (dc.init, dc.augment, dsa.init, dsa.augment) == ("noise", None, "real", DSA())


@pytest.mark.parametrize(("name", "recipe"), [("dc", "dc-bench"), ("dsa", "dc-bench-dsa")])
def test_the_set_says_how_its_paper_trains_on_it(name: str, recipe: str) -> None:
    made = distillers.build(f"{name}:steps=0").distill(toy_images(), 1, context())
    assert made.recipe is not None and made.recipe.name == recipe


@pytest.mark.parametrize(("network", "lr"), [("convnet-2:width=4", 0.1), ("mlp:width=8", 0.01)])
def test_an_mlp_has_a_smaller_step_size(network: str, lr: float) -> None:
    body = context(network).make_network()
    assert isinstance(body, Body)
    assert DatasetCondensation().step_size(body) == SiameseCondensation().step_size(body) == lr
    assert DatasetCondensation(lr=0.5).step_size(body) == 0.5
    made = [
        DatasetCondensation(steps=1, batch_real=4, lr=given).distill(toy_images(), 1, context(network)).images
        for given in (None, lr)
    ]
    assert torch.equal(*made)


def named(dataset: str) -> ImageSet:
    return dataclasses.replace(toy_images(), info=dataclasses.replace(TOY, name=dataset))


@pytest.mark.parametrize(
    ("dataset", "network", "augment", "epochs"),
    [
        ("cifar10", "convnet-2:width=4", "none", 301),
        ("mnist", "convnet-2:width=4", "dc-aug", 1001),
        ("mnist", "convnet-2-bn:width=4", "dc-aug(strategy=crop_noise)", 1001),
        ("cifar10", "convnet-2-bn:width=4", "dc-aug(strategy=crop_noise)", 1001),
    ],
)
def test_dc_is_trained_on_as_its_data_set_and_network_ask_for(
    dataset: str, network: str, augment: str, epochs: int
) -> None:
    recipe = DatasetCondensation(steps=0).distill(named(dataset), 1, context(network)).recipe
    assert recipe is not None and (recipe.params["augment"], recipe.params["epochs"]) == (augment, epochs)


@pytest.mark.parametrize("dataset", ["mnist", "svhn", "digits", "fashion_mnist", "cifar10"])
@pytest.mark.parametrize("name", ["dsa", "dm", "idm", "mtt", "datadam"])
def test_digits_are_not_mirrored(name: str, dataset: str) -> None:
    digits = dataset in ("mnist", "svhn", "digits")
    for scale in SCALES:
        method = distillers.build(name, preset_params(distillers.get(name), scale, dataset, 1))
        assert ("flip" in method.strategy.split("_")) != digits  # type: ignore[attr-defined]


def test_bacon_mirrors_the_digits_that_its_authors_mirror() -> None:
    flips = {
        dataset: "strategy" not in preset_params(distillers.get("bacon"), "paper", dataset, 1)
        for dataset in ("mnist", "svhn", "digits")
    }
    assert flips == {"mnist": True, "svhn": True, "digits": False}


@pytest.mark.parametrize("name", ["dsa", "dm", "idm", "bacon", "datadam:init=real"])
def test_a_strategy_is_that_of_the_recipe_too(name: str) -> None:
    made = distillers.build(f"{name}:steps=0:strategy=crop_scale").distill(toy_images(), 1, context())
    assert made.recipe is not None and made.recipe.params["augment"] == "dsa(strategy=crop_scale)"


def test_a_strategy_decides_the_images() -> None:
    def images(strategy: str) -> Tensor:
        method = SiameseCondensation(steps=2, batch_real=4, strategy=strategy)
        return method.distill(toy_images(), 1, context()).images

    assert not torch.equal(images("color"), images("flip"))


def test_cost_counts_real_synthetic_and_training_passes() -> None:
    method = DatasetCondensation(steps=2, outer_loop=3, inner_loop=5, batch_real=100)
    assert method.image_passes(1000, 10, 4) == 2 * 10 * (3 * (3 * 100 + 9 * 4) + 2 * 5 * 3 * 4)


@pytest.mark.parametrize("distance", get_args(Distance))
@given(seed=st.integers(0, 99), scale=st.floats(0.1, 10))
def test_distance_of_equal_gradients_is_zero_and_scale_matters_to_mse_alone(
    distance: Distance, seed: int, scale: float
) -> None:
    generator = torch.Generator().manual_seed(seed)
    one = [torch.randn(4, 3, 3, 3, generator=generator), torch.randn(4, generator=generator)]
    assert float(gradient_distance(distance, one, one)) == pytest.approx(0.0, abs=1e-4)
    scaled = float(gradient_distance(distance, [scale * g for g in one], one))
    expected = (scale - 1) ** 2 * sum(float(g.square().sum()) for g in one) if distance == "mse" else 0.0
    assert scaled == pytest.approx(expected, rel=1e-3, abs=1e-4)


def test_biases_do_not_count_layer_by_layer() -> None:
    weight, bias = torch.ones(2, 3), torch.ones(2)
    assert float(gradient_distance("layerwise", [weight, -bias], [weight, bias])) == pytest.approx(0.0, abs=1e-5)
    assert float(gradient_distance("cos", [weight, -bias], [weight, bias])) > 0.1


def test_dropout_draws_from_the_seed() -> None:
    def made() -> Tensor:
        ctx = context("vit:width=16:depth=1:heads=2:head_width=8:hidden=16:dropout=0.5")
        method = SiameseCondensation(steps=2, batch_real=4, outer_loop=2, inner_loop=1)
        return method.distill(toy_images(), 1, ctx).images

    with global_generators_untouched():
        first, second = made(), made()
    assert torch.equal(first, second)


def test_what_cannot_be_optimised_is_refused() -> None:
    for setting in ("lr=-1", "batch_real=0", "steps=-5", "momentum=1", "outer_loop=0", "inner_loop=-1", "distance=l1"):
        with pytest.raises(BadInput, match="distiller 'dsa'"):
            distillers.build(f"dsa:{setting}")
