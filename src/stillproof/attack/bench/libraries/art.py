"""Attacks of adversarial-robustness-toolbox."""

from __future__ import annotations

from torch import Tensor, nn

from stillproof.attack.base.norms import ORDERS, Norm
from stillproof.attack.bench.contestant import STEP, Contestant
from stillproof.attack.bench.metered import Metered
from stillproof.attack.foreign.installed import module_of


def art(norm: Norm) -> list[Contestant]:
    """Return the attacks of adversarial-robustness-toolbox that have a norm: only PGD is of use here."""

    def pgd(model: Metered, x: Tensor, y: Tensor, passes: int, eps: float) -> None:
        estimators = module_of("art", ".estimators.classification")
        classifier = estimators.PyTorchClassifier(
            model,
            nn.CrossEntropyLoss(),
            tuple(x.shape[1:]),
            model.classes,
            clip_values=(0, 1),
            device_type="gpu" if x.is_cuda else "cpu",
        )
        steps = max(1, passes // 2)
        attack = module_of("art", ".attacks.evasion").ProjectedGradientDescent(
            classifier,
            norm=ORDERS[norm],
            eps=eps,
            eps_step=STEP * eps,
            max_iter=steps,
            num_random_init=1,
            batch_size=len(x),
            verbose=False,
        )
        attack.generate(x.cpu().numpy(), y.cpu().numpy())

    return [Contestant("pgd", "art", within=pgd)]
