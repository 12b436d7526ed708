from __future__ import annotations

import pytest

from stillproof.attack.base.norms import Norm
from stillproof.core.components import attacks
from stillproof.core.errors import BadInput
from stillproof.run.attack_names import attack_called, shown, with_limits


@pytest.mark.parametrize(
    ("reference", "eps", "norm", "expected"),
    [
        ("pgd", None, None, "pgd"),
        ("pgd", 0.5, None, "pgd:eps=0.5"),
        ("pgd", None, "L2", "pgd-l2"),
        ("pgd:steps=3", 2.0, "L1", "pgd-l1:steps=3:eps=2.0"),
        ("pgd-l2", None, "L2", "pgd-l2"),
        ("pgd-l2", None, "Linf", f"pgd-l2:norm=Linf:eps={8 / 255}"),
        ("eotpgd", None, "L2", f"eotpgd:norm=L2:eps={128 / 255}"),
        ("eotpgd:eps=1", None, "L2", "eotpgd:eps=1:norm=L2"),
        ("deepfool", None, "Linf", "deepfool:norm=Linf"),
        ("fgsm", None, "Linf", "fgsm"),
        ("cw", None, "L2", "cw"),
    ],
)
def test_a_ball_is_said_beside_the_attack(reference: str, eps: float | None, norm: Norm | None, expected: str) -> None:
    found = with_limits(reference, eps=eps, norm=norm)
    assert attack_called(found) == attack_called(expected)
    assert norm is None or attack_called(found).measured_in == norm


def test_fractions_mean_the_same_number() -> None:
    assert attack_called("pgd:eps=8/255:step=2/255") == attacks.build("pgd", {"eps": 8 / 255, "step": 2 / 255})
    assert attack_called("pgd(eps=4/255,steps=3)") == attacks.build("pgd", {"eps": 4 / 255, "steps": 3})
    with pytest.raises(BadInput, match="eps = '8/0' is not allowed"):
        attack_called("pgd:eps=8/0")


@pytest.mark.parametrize(
    ("reference", "eps", "norm", "words"),
    [
        ("pgd:eps=0.1", 0.2, None, "gives eps already"),
        ("pgd:norm=L2", None, "L2", "gives norm already"),
        ("none", 0.1, None, "attack 'none' has no eps"),
        ("fgsm", None, "L2", r"take one of those that have several \(.*pgd.*\)"),
    ],
)
def test_a_ball_that_an_attack_does_not_have_is_refused(
    reference: str, eps: float | None, norm: Norm | None, words: str
) -> None:
    with pytest.raises(BadInput, match=words):
        with_limits(reference, eps=eps, norm=norm)


def test_references_are_shown_as_people_write_them() -> None:
    assert shown(f"pgd:eps={8 / 255}:steps=20:norm=Linf:random_start=False") == (
        "pgd:eps=8/255:steps=20:norm=Linf:random_start=False"
    )
    assert shown("fgsm") == "fgsm" and shown("cw:kappa=0.0") == "cw:kappa=0"
