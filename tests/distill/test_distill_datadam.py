from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, cast

import pytest
import torch
from distill_setups import IPC, changed_alike, context
from torch import Tensor, nn

from stillproof.core.components import distillers, networks
from stillproof.core.context import Context
from stillproof.core.errors import BadInput, Unsupported
from stillproof.core.presets import preset_params
from stillproof.core.seeds import Seeds
from stillproof.distill.datadam import DataDAM
from stillproof.nets.body import Body
from stillproof.nets.build import build_network
from stillproof.run.resolve import Resolver
from stillproof.testing.toy import TOY, toy_images


def maps_and_embedding(body: Body, images: Tensor, power: int) -> tuple[list[Tensor], Tensor]:
    """Attention after every ReLU, by hooks, with the unit length written out."""
    kept: list[Tensor] = []
    hooks = [
        m.register_forward_hook(lambda _m, _i, out: kept.append(out)) for m in body.modules() if type(m) is nn.ReLU
    ]
    embedding = body.features(images)
    for hook in hooks:
        hook.remove()
    flat = [(maps.abs() ** power).sum(1).reshape(len(images), -1) for maps in kept]
    return [a / a.square().sum(1, keepdim=True).sqrt() for a in flat], embedding


def reference_loss(method: DataDAM, ctx: Context, images: Tensor, network: str, step: int) -> Tensor:
    """The published loss, layer by layer and class by class, without the library's shortcuts."""
    body = build_network(networks.build(network), TOY, ctx.seeds.child("network"), "cpu")
    real, synthetic = changed_alike(ctx, images, method.batch_real, step)
    real_maps, real_embedding = maps_and_embedding(body, real, method.power)
    maps, embedding = maps_and_embedding(body, synthetic, method.power)
    total, size = torch.zeros(()), method.batch_real
    for label in range(3):
        of_real, of_synthetic = slice(size * label, size * (label + 1)), slice(IPC * label, IPC * (label + 1))
        for goal, found in zip(real_maps[:-1], maps[:-1], strict=True):
            total = total + 100 * (goal[of_real].mean(0) - found[of_synthetic].mean(0)).square().sum()
        gap = real_embedding[of_real].mean(0) - embedding[of_synthetic].mean(0)
        total = total + 100 * 0.01 * gap.square().sum()
    return total


def losses(network: str, power: int) -> tuple[Tensor, Tensor, Tensor]:
    ctx, method = context(network), DataDAM(batch_real=5, power=power)
    images = torch.randn(6, 1, 8, 8, generator=Seeds(3).torch())
    body = ctx.make_network()
    assert isinstance(body, Body)
    matcher = method.matcher(body, toy_images(), images[:1], ctx)
    images.requires_grad_()
    return images, matcher.loss(images, step=4), reference_loss(method, ctx, images, network, step=4)


@pytest.mark.parametrize("power", [1, 4])
@pytest.mark.parametrize("network", ["convnet-3:width=8", "convnet-3-bn:width=8", "convnet-3:width=8:norm=none"])
def test_loss_and_gradient_are_the_papers(network: str, power: int) -> None:
    images, found, expected = losses(network, power)
    torch.testing.assert_close(found, expected)
    (ours,) = torch.autograd.grad(found, images, retain_graph=True)
    (theirs,) = torch.autograd.grad(expected, images)
    torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-5)


def test_power_is_the_exponent_of_activations() -> None:
    first, fourth = (losses("convnet-3:width=8", power)[1].item() for power in (1, 4))
    assert first != pytest.approx(fourth, rel=1e-3)


@pytest.mark.parametrize("network", ["convnet-3:width=8", "convnet-3-bn:width=8"])
def test_more_steps_bring_the_means_together(network: str) -> None:
    ctx = context(network)
    DataDAM(steps=60, batch_real=12, lr=0.2, init="noise").distill(toy_images(), IPC, ctx)
    curve = [entry["loss"] for entry in ctx.history]
    assert sum(curve[-10:]) < 0.8 * sum(curve[:10])


@pytest.mark.parametrize("network", ["vgg-11", "lenet", "alexnet", "convnet-2:width=8:activation=swish"])
def test_other_networks_with_maps_work_too(network: str) -> None:
    made = DataDAM(steps=1, batch_real=2, init="real").distill(toy_images(), 1, context(network))
    assert made.images.shape == (3, 1, 8, 8)


@pytest.mark.parametrize("network", ["resnet-18", "mlp", "convnet-1:width=4"])
def test_networks_without_maps_to_compare_are_refused_in_a_sentence(network: str) -> None:
    with pytest.raises(Unsupported, match=r"at least two activation layers .* this one has [01]: choose another"):
        DataDAM(steps=1, init="real").distill(toy_images(), 1, context(network))


def test_presets_are_the_papers() -> None:
    def params(dataset: str, ipc: int) -> dict[str, Any]:
        return preset_params(distillers.get("datadam"), "paper", dataset, ipc)

    assert params("cifar10", 50) == {"zca": True}
    assert params("fashion_mnist", 51) == {"lr": 10.0}
    assert params("tiny_imagenet", 1) == params("imagenette", 1) == {"task_balance": 0.02}
    table = {"steps": 8000, "lr": 1.0, "momentum": 0.5, "power": 4, "task_balance": 0.01, "init": "k-center"}
    assert table.items() <= dataclasses.asdict(DataDAM()).items()


def test_the_released_code_is_another_method_than_the_table() -> None:
    code = {"steps": 20_000, "power": 1, "batch_real": 64, "init": "real"}
    assert code.items() <= dataclasses.asdict(cast(DataDAM, distillers.build("datadam-code"))).items()


@pytest.mark.parametrize(("scale", "steps"), [("paper", 20_000), ("quick", 150), ("smoke", 3)])
def test_the_released_code_is_itself_at_every_size(tmp_path: Path, scale: str, steps: int) -> None:
    method: Any = Resolver(tmp_path).method("datadam-code", scale, "digits", 1)[0]
    assert (method.power, method.batch_real, method.init, method.steps) == (1, 64, "real", steps)
    other: Any = Resolver(tmp_path).method("datadam-code:batch_real=5", scale, "digits", 1)[0]
    assert other.batch_real == 5, "what is asked for wins over all"


def test_whitening_is_of_normalised_images() -> None:
    assert DataDAM(zca=True).needs.whitening == "normalised" and DataDAM().needs.whitening == ""


def test_the_result_says_how_its_authors_train_on_it() -> None:
    recipe = DataDAM(steps=0, init="real").distill(toy_images(), 1, context("convnet-2:width=4")).recipe
    assert recipe is not None and recipe.name == "dc-bench-dsa"
    assert (recipe.params["epochs"], recipe.params["decay_epochs"], recipe.params["batch"]) == (1801, (902,), 64)


def test_what_cannot_be_optimised_is_refused() -> None:
    for setting in ("lr=-1", "batch_real=0", "power=0", "task_balance=-1"):
        with pytest.raises(BadInput, match="distiller 'datadam'"):
            distillers.build(f"datadam:{setting}")
