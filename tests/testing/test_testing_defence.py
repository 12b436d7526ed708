"""Defences that break their contract are told of it, each by the check that it breaks."""

from __future__ import annotations

import pytest

from stillproof.core.components import defences
from stillproof.core.plugins import Plugin, load_plugin
from stillproof.testing.check_defence import check_defence

HEAD = """
from dataclasses import dataclass
from stillproof.plugin import Defence, attack_of, begin_base, defences
@defences.register("wrong", version=1)
@dataclass(frozen=True)
class Wrong(Defence):
    @property
    def attack(self):
        return attack_of("fgsm", {"eps": self.eps})
    def begin(self, training):
        return begin_base("cross-entropy", training)
"""
FAR = "    def harder(self, training, batch, attack=None):\n        return batch.images + 10\n"
STAYS = "    def harder(self, training, batch, attack=None):\n        return batch.images\n"
ANY_EPS = "    def check(self, info):\n        pass\n"


def problems(source: str) -> dict[str, str]:
    plugin = Plugin("wrong.py", source)
    load_plugin(plugin)
    try:
        return {result.check: result.problem for result in check_defence("wrong")}
    finally:
        defences.remove(plugin.module)


@pytest.mark.parametrize(
    ("body", "check", "problem"),
    [
        (FAR, "its attack acts in pixels", "where 0.0313725 is allowed"),
        (STAYS, "its attack acts in pixels", "images stay as they were"),
        (ANY_EPS, "refuses a change", "eps = 1e6 is taken"),
        ("    def fit(self, training): pass\n", "its loss is finite", "3 epochs have 0 losses"),
    ],
)
def test_what_is_wrong_is_found_out(body: str, check: str, problem: str) -> None:
    found = {name: said for name, said in problems(HEAD + body).items() if name.startswith(check)}
    assert len(found) == 1 and problem in next(iter(found.values()))


def test_what_is_no_defence_is_told_so() -> None:
    source = HEAD.replace("(Defence)", "").replace("    @property", "    eps: float = 0.1\n    @property")
    said = problems(source).values()
    assert all("defence 'wrong' is no subclass of stillproof.defend.base.defence.Defence" in text for text in said)


def test_what_is_right_passes() -> None:
    assert set(problems(HEAD).values()) == {""}
