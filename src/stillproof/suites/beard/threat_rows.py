"""Does it matter what is attacked: pixels, or normalised images that are taken for pixels?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from stillproof.core.protocol import Protocol
from stillproof.suites.beard.victims import Victims
from stillproof.suites.requests import Row

THREATS: dict[str, Protocol] = {"pixels": "fair", "normalised": "faithful"}
ATTACKS = ("none", "fgsm", "pgd")  # doing nothing shows what the original's threat model does by itself


def threat_rows(victims: Victims) -> Iterator[Row]:
    """Yield, for each model without a defence, one row per threat model and attack."""
    for victim in victims.undefended():
        for threat, protocol in THREATS.items():
            for attack in ATTACKS:
                ask = partial(victims.attack, victim, attack, "untargeted", protocol=protocol)
                yield victims.row("threat-models", victim, ask, threat=threat, attack=attack)
