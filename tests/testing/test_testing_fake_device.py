"""What names the CPU is found out on a device that is not there."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from stillproof.core.components import attacks, distillers
from stillproof.core.plugins import Plugin, load_plugin
from stillproof.testing.check_attack import check_attack
from stillproof.testing.check_distiller import check_distiller
from stillproof.testing.checks import Broken
from stillproof.testing.fake_device import FAKE, fake_device

ELSEWHERE = "works on another device than the CPU"
ATTACK = """
from dataclasses import dataclass
import torch
from stillproof.attack.stepping.step_attack import IteratedAttack
from stillproof.core.components import attacks
@attacks.register("wrong", version=1)
@dataclass(frozen=True)
class Wrong(IteratedAttack):
    def update(self, walk, gradient):
        return walk.points + self.step_size * (gradient > torch.zeros(gradient.shapeDEVICE))
"""
DISTILLER = """
from dataclasses import dataclass
import torch
from stillproof.core.components import distillers
@distillers.register("wrong", version=1)
@dataclass(frozen=True)
class Wrong:
    def distill(self, data, ipc, ctx):
        index = torch.cat([data.of_class(label)[:ipc] for label in range(data.num_classes)])
        images = ctx.into_space(data.read(index))
        images = images + torch.randn(images.shape, generator=ctx.seeds.torch()MOVED)
        return ctx.distilled(images, data.labels[index], data)
"""


def elsewhere(source: str) -> str:
    """Return what the check of another device says of the one component of a plug-in."""
    plugin = Plugin("wrong.py", source)
    load_plugin(plugin)
    registry, check = (distillers, check_distiller) if "distillers" in source else (attacks, check_attack)
    try:
        return {result.check: result.problem for result in check("wrong")}[ELSEWHERE]
    finally:
        registry.remove(plugin.module)


def test_a_distiller_that_draws_on_the_cpu_and_stays_there_is_found_out() -> None:
    assert "is given tensors of two devices" in elsewhere(DISTILLER.replace("MOVED", ""))
    drawn_there = elsewhere(DISTILLER.replace("MOVED", ", device=ctx.device"))
    assert "by a generator of the CPU: draw there, then move the result" in drawn_there
    assert elsewhere(DISTILLER.replace("MOVED", ").to(ctx.device")) == ""


def test_an_attack_that_names_no_device_is_found_out() -> None:
    assert "is given tensors of two devices" in elsewhere(ATTACK.replace("DEVICE", ""))
    assert elsewhere(ATTACK.replace("DEVICE", ", device=gradient.device")) == ""


def test_it_computes_what_the_cpu_does() -> None:
    generator = torch.Generator().manual_seed(0)
    network = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 3))
    images, labels = torch.rand(5, 1, 8, 8, generator=generator), torch.tensor([0, 1, 2, 0, 1])
    there = copy.deepcopy(network)

    def weights_after(model: nn.Module, device: str) -> dict[str, torch.Tensor]:
        model.to(device)
        optimiser = torch.optim.Adam(model.parameters(), lr=0.1)
        for _ in range(3):
            optimiser.zero_grad()
            F.cross_entropy(model(images.to(device)), labels.to(device)).backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        return {name: value.cpu() for name, value in model.state_dict().items()}

    here = weights_after(network, "cpu")
    with fake_device():
        found = weights_after(there, FAKE)
        assert all(type(value) is torch.Tensor and torch.equal(value, here[name]) for name, value in found.items())


def test_it_refuses_what_a_gpu_refuses_and_nothing_else() -> None:
    with fake_device():
        there, here = torch.arange(6.0, device=FAKE).view(2, 3), torch.ones(2, 3)
        assert str(there.device) == FAKE and there.tolist() == [[0, 1, 2], [3, 4, 5]] and (there * 2).sum().item() == 30
        assert (there + torch.tensor(1.0)).max() == 6, "a single number may come from the CPU"
        assert there[torch.tensor([1])].tolist() == [[3, 4, 5]], "so may places"
        there[0] = 7
        there[:, 1] += 1
        assert there.cpu().tolist() == [[7, 8, 7], [3, 5, 5]], "views and changes in place reach it"
        assert here.copy_(there).device.type == "cpu" and here.to(there).tolist() == there.tolist()
        with pytest.raises(Broken, match="is given tensors of two devices"):
            torch.add(there, torch.ones(2, 3))
        with pytest.raises(Broken, match="is given tensors of two devices"):
            torch.take(torch.ones(3), torch.tensor([1], device=FAKE))
        with pytest.raises(Broken, match="is given tensors of two devices"):
            torch.ones(3).__getitem__(torch.tensor([1], device=FAKE))
        with pytest.raises(RuntimeError, match="numpy"):
            there.numpy()
