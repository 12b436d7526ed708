"""Objectives that break their contract are told of it, each by the check that it breaks."""

from __future__ import annotations

import pytest

from stillproof.core.components import objectives
from stillproof.core.plugins import Plugin, load_plugin
from stillproof.testing.check_objective import check_objective

HEAD = """
from dataclasses import dataclass, field
from typing import Any, ClassVar
import torch
from torch.nn import functional as F
from stillproof import objectives
from stillproof.train.objective import LogitObjective, Objective, begin_base
@objectives.register("wrong", version=1)
@dataclass(frozen=True)
class Wrong(LogitObjective):
"""
LOGITS = "    def of_logits(self, logits, targets):\n        return "
BEGIN = "    def begin(self, training):\n        base = begin_base('cross-entropy', training)\n"
LOSS = "        def loss(batch):\n            seen.add_(1)\n            return base(batch) * seen\n"
STATE = f"        seen = torch.ones(())\n{LOSS}"


def problems(body: str) -> dict[str, str]:
    plugin = Plugin("wrong.py", HEAD + body)
    load_plugin(plugin)
    try:
        return {result.check: result.problem for result in check_objective("wrong")}
    finally:
        objectives.remove(plugin.module)


@pytest.mark.parametrize(
    ("body", "check", "problem"),
    [
        ("    odd: Any = field(default_factory=set)\n", "its parameters are plain JSON", "TypeError"),
        ("    references: ClassVar = {'base': 'nonsense'}\n    base: str = 'x'\n", "its parameters", "nonsense"),
        ("    references: ClassVar = {'base': 'objectives'}\n    base: str = 'x'\n", "its parameters", "objective 'x'"),
        (f"{LOGITS}logits.sum() * float('nan')\n", "its loss is finite", "training diverged"),
        ("    def fit(self, training): pass\n", "its loss is finite", "3 epochs have 0 losses: use training.record"),
        (f"{LOGITS}0 * F.cross_entropy(logits, targets)\n", "its gradient reaches", "leaves all weights as they were"),
        (f"{LOGITS}logits.detach().sum()\n", "its gradient reaches", "the loss has no gradient"),
        (f"{BEGIN}{STATE}        return loss\n", "a stopped run", "gives another model: use training.keep"),
    ],
)
def test_what_is_wrong_is_found_out(body: str, check: str, problem: str) -> None:
    found = {name: said for name, said in problems(body).items() if name.startswith(check)}
    assert len(found) == 1 and problem in next(iter(found.values()))


def test_draws_outside_the_streams_of_a_batch_are_found_out() -> None:
    body = f"{BEGIN}        import numpy as np\n        return lambda batch: base(batch) * np.random.rand()\n"
    found = problems(body)
    assert "numpy's global generator" in found["draws from no global generator"]
    assert found["the same seed gives the same bytes"] == "two runs under one seed give different models"


def test_what_is_no_objective_is_told_so() -> None:
    plugin = Plugin("wrong.py", HEAD.replace("(LogitObjective)", "") + "    eps: float = 1.0\n")
    load_plugin(plugin)
    try:
        said = [result.problem for result in check_objective("wrong")]
    finally:
        objectives.remove(plugin.module)
    assert all("objective 'wrong' is no subclass of stillproof.train.objective.Objective" in text for text in said)


def test_what_is_right_passes() -> None:
    kept = STATE.replace("torch.ones(())", "training.keep('seen', torch.ones(()))")
    for body in (f"{LOGITS}F.cross_entropy(logits, targets)\n", f"{BEGIN}{kept}        return loss\n"):
        found = problems(body)
        assert set(found.values()) == {""} and len(found) == 7
