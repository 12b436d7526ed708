"""TPGD: PGD against what the model says of the clean image, as TRADES trains with it."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor
from torch.nn import functional as F

from stillproof.attack.stepping.close_start import CloseStart
from stillproof.attack.stepping.walk import Walk
from stillproof.core.components import attacks


@attacks.register("tpgd", version=1, paper="arXiv:1901.08573")
@dataclass(frozen=True)
class TPGD(CloseStart):
    """Move away from the model's answer to the clean image, by Kullback-Leibler divergence; labels play no part."""

    has_target = False

    def gradient(self, walk: Walk) -> Tensor:
        """Return the gradient of the divergence."""
        walk.crafting = walk.crafting.looked()
        gradient, logits = walk.crafting.ask(walk.points, _divergence, truth=walk.crafting.clean_logits)
        walk.crafting.judge(walk.points, logits)
        return gradient


def _divergence(logits: Tensor, clean: Tensor, targets: Tensor | None) -> Tensor:
    return F.kl_div(logits.log_softmax(1), clean.log_softmax(1), reduction="none", log_target=True).sum(1)
