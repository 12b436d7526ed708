"""What to ask besides attacks, to warn of numbers that mean little."""

from __future__ import annotations

from collections.abc import Sequence

from stillproof.attack.protocols.fair import AttackProtocol
from stillproof.attack.protocols.named import attack_protocol
from stillproof.core.spec import Json
from stillproof.run.attack_names import USUAL_EPS, attack_called
from stillproof.suites.requests import Request


def checks_of(asked: Sequence[Request]) -> list[Request]:
    """Return the questions whose answers may be alarms: of each ball once, and of what the protocol does by itself."""
    found = []
    for one in asked:
        protocol = attack_protocol(one.protocol)
        attack = attack_called(one.attack, protocol)
        ball = {"eps": attack.radius or USUAL_EPS[attack.measured_in], "norm": attack.measured_in}
        about = {key: one.params[key] for key in ("model", "dataset", "limit", "seed")}
        found.append(Request("attack-check", **about, **ball))
        if protocol.by_itself:
            found.append(one.but(attack="none", targets=None, keep=False))
    return list(dict.fromkeys(found))


def alarms_in(answer: Json, protocol: AttackProtocol) -> list[str]:
    """Return the alarms of a check, or what the protocol does by itself."""
    if "alarms" in answer:
        return list(answer["alarms"])
    clean, left = (100 * answer[key] for key in ("clean_accuracy", "robust_accuracy"))
    if clean == left:
        return []
    return [
        f"the attack is not the only cause of this loss: under {protocol.written}, {protocol.by_itself} alone takes "
        f"accuracy from {clean:.2f} to {left:.2f} % on {answer['n']} images."
    ]
