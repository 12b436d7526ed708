from __future__ import annotations

import math

import pytest
import torch
from distill_setups import SPACE
from taught_setups import with_teacher
from torch import Tensor, nn
from torch.nn import functional as F

from stillproof.core.components import distillers
from stillproof.core.context import Context
from stillproof.core.errors import BadInput, Unsupported
from stillproof.core.presets import preset_params
from stillproof.core.seeds import Seeds
from stillproof.core.types import Taught
from stillproof.distill.recovering.recover import one_of_each_class
from stillproof.distill.sre2l import SqueezeRecoverRelabel, View, seen
from stillproof.distill.teacher import teacher_of
from stillproof.testing.toy import toy_images
from stillproof.transforms.front import Front
from stillproof.transforms.space import make_front

TWO_NORMS = "convnet-2-bn:width=8"


def plain_recovery(ctx: Context, method: SqueezeRecoverRelabel, ipc: int) -> Tensor:
    """The authors' loop: one image of each class at a time, from start to end, before the next ones."""
    body: nn.Module = ctx.teachers[0].body  # type: ignore[assignment]
    norms = [module for module in body.modules() if isinstance(module, nn.BatchNorm2d)]
    entering: dict[nn.Module, Tensor] = {}
    hooks = [norm.register_forward_hook(lambda norm, given, _: entering.update({norm: given[0]})) for norm in norms]
    noise = torch.randn(3 * ipc, 1, 8, 8, generator=ctx.seeds.child("noise").torch())
    mean, std = SPACE.mean[0], SPACE.std[0]
    for number in range(ipc):
        images = noise[number::ipc].clone().requires_grad_()
        optimiser = torch.optim.Adam([images], lr=method.lr, betas=(0.5, 0.9), eps=1e-8)
        for step in range(method.steps):
            optimiser.param_groups[0]["lr"] = method.lr * 0.5 * (1 + math.cos(math.pi * step / method.steps))
            loss = F.cross_entropy(
                body(seen(images, method.view, method.jitter, ctx.seeds.child("view", step, number))), torch.arange(3)
            )
            for place, norm in enumerate(norms):
                maps = entering[norm].permute(1, 0, 2, 3).reshape(entering[norm].shape[1], -1)
                assert norm.running_var is not None and norm.running_mean is not None
                gap = torch.norm(norm.running_var - maps.var(1, unbiased=False), 2)
                gap = gap + torch.norm(norm.running_mean - maps.mean(1), 2)
                loss = loss + method.r_bn * (method.first_bn if place == 0 else 1.0) * gap
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            images.data.clamp_(-mean / std, (1 - mean) / std)
        noise[number::ipc] = images.detach()
    for hook in hooks:
        hook.remove()
    return noise


@pytest.mark.parametrize("view", ["whole", "crop"])
@pytest.mark.parametrize("batch", [3, 100])
def test_images_are_those_of_the_authors_loop(view: View, batch: int) -> None:
    ctx = with_teacher(TWO_NORMS)
    method = SqueezeRecoverRelabel(steps=6, jitter=2, r_bn=0.1, view=view, batch=batch)
    made = method.distill(toy_images(), 2, ctx)
    torch.testing.assert_close(made.images, plain_recovery(ctx, method, 2), rtol=1e-3, atol=1e-3)
    assert isinstance(made.labels, Taught) and made.labels.classes.tolist() == [0, 0, 1, 1, 2, 2]
    assert made.recipe is not None and made.recipe.params["objective"] == "kl(temperature=30)"


def test_the_teacher_recognises_what_was_recovered_and_is_left_as_it_was() -> None:
    ctx = with_teacher(epochs=30)
    before = {name: value.clone() for name, value in ctx.teachers[0].state_dict().items()}
    made = SqueezeRecoverRelabel(steps=60, jitter=0).distill(toy_images(), 2, ctx)
    front = make_front(made.space)
    assert isinstance(front, Front)
    pixels = front.inverse(made.images)
    assert float(pixels.min()) >= -1e-6 and float(pixels.max()) <= 1 + 1e-6
    assert ctx.teachers[0](pixels).argmax(1).tolist() == [0, 0, 1, 1, 2, 2]
    losses = [entry["loss"] for entry in ctx.history]
    assert losses[-1] < 0.5 * losses[0]
    assert not any(module._forward_pre_hooks for module in ctx.teachers[0].modules())
    assert all(torch.equal(value, before[name]) for name, value in ctx.teachers[0].state_dict().items())


def test_statistics_matter() -> None:
    gaps = []
    for r_bn in (0.0, 1.0):
        ctx = with_teacher(TWO_NORMS)
        made = SqueezeRecoverRelabel(steps=40, jitter=0, r_bn=r_bn).distill(toy_images(), 1, ctx)
        first = next(m for m in ctx.teachers[0].modules() if isinstance(m, nn.BatchNorm2d))
        entering: list[Tensor] = []
        hook = first.register_forward_pre_hook(lambda _, given, into=entering: into.append(given[0]))
        teacher_of(ctx).body(made.images)
        hook.remove()
        assert first.running_mean is not None
        gaps.append(float((entering[0].mean((0, 2, 3)) - first.running_mean).norm()))
    assert gaps[1] < 0.5 * gaps[0]


def test_groups_have_one_image_of_each_class() -> None:
    assert [part.tolist() for part in one_of_each_class(3, 2, 100)] == [[[0, 2, 4], [1, 3, 5]]]
    assert [part.tolist() for part in one_of_each_class(3, 2, 3)] == [[[0, 2, 4]], [[1, 3, 5]]]
    assert [part.tolist() for part in one_of_each_class(3, 2, 2)] == [[[0, 2]], [[1, 3]], [[4], [5]]]


def test_a_view_shifts_all_images_alike_and_loses_nothing() -> None:
    images = torch.rand(3, 1, 8, 8)
    for seed in range(5):
        changed = seen(images, "whole", 3, Seeds(seed))
        found = {(d, r) for d in range(4) for r in range(4) if torch.equal(images.roll((d, r), (2, 3)), changed)}
        assert len(found) == 1


def test_a_teacher_without_batch_norms_is_refused() -> None:
    with pytest.raises(Unsupported, match=r"convnet-1 has no batch norms.*teacher=convnet-3-bn"):
        SqueezeRecoverRelabel(steps=1, teacher="convnet-1").distill(toy_images(), 1, with_teacher("convnet-1", 1))


def test_published_settings() -> None:
    paper = SqueezeRecoverRelabel()
    assert (paper.steps, paper.lr, paper.r_bn, paper.first_bn, paper.jitter) == (1000, 0.25, 0.01, 10.0, 4)
    tiny = preset_params(distillers.get("sre2l"), "paper", "tiny_imagenet", 50)
    assert (tiny["steps"], tiny["lr"], tiny["r_bn"], tiny["view"]) == (4000, 0.1, 1.0, "crop")
    assert preset_params(distillers.get("sre2l"), "paper", "imagenet", 10)["jitter"] == 32
    assert paper.image_passes(50_000, 100, 50) == 1000 * 5000 * 2 and paper.images_held(100, 50) == 100
    for wrong in ("lr=0", "batch=0", "steps=-1", "jitter=-1", "r_bn=-1"):
        with pytest.raises(BadInput, match="distiller 'sre2l'"):
            distillers.build(f"sre2l:{wrong}")
