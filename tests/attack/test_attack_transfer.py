"""Attacks that are crafted on one model, and judged on others."""

from __future__ import annotations

import torch
from attack_setups import images, trained

from stillproof.attack.base.transfer import transfer_attack
from stillproof.attack.pgd import PGD
from stillproof.core.context import Context
from stillproof.core.seeds import Seeds


def test_what_fools_one_model_is_judged_on_others() -> None:
    pixels, labels = images(60)
    others = {"itself": trained(), "other": trained("mlp:width=32", 1)}
    made, judged = transfer_attack(PGD(eps=0.15), trained(), others, pixels, labels, ctx=Context(Seeds(0)))
    assert made.images is not None and torch.equal(judged["itself"].predictions, made.predictions)
    assert judged["itself"].robust_accuracy == made.robust_accuracy < 0.1
    other = judged["other"]
    assert made.robust_accuracy < other.robust_accuracy < other.clean_accuracy - 0.05
