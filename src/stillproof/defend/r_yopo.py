"""R-YOPO: TRADES whose attack goes through the whole network once for several steps."""

from __future__ import annotations

from dataclasses import dataclass

from stillproof.attack.base.attack import Attack
from stillproof.attack.stepping.first_layer_steps import FirstLayerSteps
from stillproof.core.components import defences
from stillproof.defend.trades import Trades


@defences.register("r-yopo", version=1, paper="arXiv:1905.00877")
@dataclass(frozen=True)
class RobustYOPO(Trades):
    """TRADES-YOPO-m-n: the loss of TRADES, against n steps through the first layer after each of m whole passes.

    The baseline R-YOPO of MAD. Unlike YOPO without TRADES, it adds up no gradients of the weights on the way: in the
    authors' code those of the first layer are thrown away before the loss is taken.

    Args:
        eps: Radius of the Linf ball of the attack, in pixels of [0, 1].
        step: Step size; a quarter of eps by default.
        steps: Whole passes against every batch: m.
        inner: Steps after each, while the slope behind the first layer is held still: n.
        beta: Weight of the divergence; there is none in the authors' code.
        patience: Whole passes that may see an image fooled before it rests; in YOPO itself it never does, as with as
            many as there are passes.
    """

    steps: int = 5
    beta: float = 1.0
    inner: int = 3
    patience: int = 0

    @property
    def attack(self) -> Attack:
        """Return the steps through the first layer."""
        return FirstLayerSteps(eps=self.eps, step=self.step, steps=self.steps, inner=self.inner, patience=self.patience)
