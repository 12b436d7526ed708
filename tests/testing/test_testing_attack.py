"""Attacks that break their contract are told of it, each by the check that it breaks."""

from __future__ import annotations

import pytest

from stillproof.core.components import attacks
from stillproof.core.plugins import Plugin, load_plugin
from stillproof.testing.check_attack import check_attack

HEAD = """
from dataclasses import dataclass, field
from typing import Any
import torch
from stillproof.plugin import Attack, BoundedAttack, StepAttack, attacks
@attacks.register("wrong", version=1)
@dataclass(frozen=True)
class Wrong(StepAttack):
"""
UPDATE = "    def update(self, walk, gradient):\n        return walk.points + self.eps * gradient.sign()\n"
CRAFT = "    def craft(self, crafting):\n        gradient = crafting.gradient(crafting.images)\n"


def problems(body: str) -> dict[str, str]:
    plugin = Plugin("wrong.py", HEAD + body)
    load_plugin(plugin)
    try:
        return {result.check: result.problem for result in check_attack("wrong")}
    finally:
        attacks.remove(plugin.module)


@pytest.mark.parametrize(
    ("body", "check", "problem"),
    [
        (f"    odd: Any = field(default_factory=set)\n{UPDATE}", "its parameters", "TypeError"),
        (f"{CRAFT}        crafting.finish(crafting.images + 0.2)\n", "stays in its ball", "became"),
        (
            f"{CRAFT}        crafting.finish((crafting.images + 0.2).clamp(0, 1))\n",
            "stays in its ball",
            "larger than eps",
        ),
        (f"    has_target = False\n    def check(self, images, targeted): pass\n{UPDATE}", "aims", "takes targets"),
        (UPDATE.replace("gradient.sign()", "torch.rand_like(gradient)"), "draws from no global", "torch's global"),
        (
            UPDATE.replace("walk.points +", "walk.points.mean(0) +"),
            "neither batches nor",
            "images change with those beside them",
        ),
        (
            f"{CRAFT}        crafting.victim.logits(crafting.images)\n",
            "counts the passes",
            "forward passes are counted",
        ),
        (f"{CRAFT}        crafting.victim.model.requires_grad_(True)\n", "leaves the model", ""),
        (
            f"{CRAFT}        next(crafting.victim.model.parameters()).data += 1\n",
            "leaves the model",
            "changes the model's",
        ),
        (f"{CRAFT}        crafting.finish(crafting.images[:1])\n", "serves in training", ""),
    ],
)
def test_what_is_wrong_is_found_out(body: str, check: str, problem: str) -> None:
    found = {name: said for name, said in problems(body).items() if name.startswith(check)}
    assert len(found) == 1 and problem in next(iter(found.values()))


def test_what_is_no_attack_is_told_so() -> None:
    plugin = Plugin("wrong.py", HEAD.replace("(StepAttack)", "") + "    eps: float = 1.0\n")
    load_plugin(plugin)
    try:
        said = [result.problem for result in check_attack("wrong")]
    finally:
        attacks.remove(plugin.module)
    assert all("attack 'wrong' is no subclass of stillproof.attack.base.attack.Attack" in text for text in said)


def test_what_is_right_passes() -> None:
    found = problems(UPDATE)
    assert set(found.values()) == {""} and len(found) == 10
