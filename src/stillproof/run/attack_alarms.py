"""What to ask besides attacks, so that somebody is warned where their numbers mean little."""

from __future__ import annotations

from collections.abc import Sequence

from stillproof.core.spec import Json
from stillproof.run.attack_names import USUAL_EPS, attack_called
from stillproof.suites.requests import Request


def checks_of(asked: Sequence[Request]) -> list[Request]:
    """Return the questions whose answers may be alarms: of each ball once, and of the clamp under ``faithful``."""
    found = []
    for one in asked:
        attack = attack_called(one.attack, one.protocol)
        ball = {"eps": attack.radius or USUAL_EPS[attack.measured_in], "norm": attack.measured_in}
        about = {key: one.params[key] for key in ("model", "dataset", "limit", "seed")}
        found.append(Request("attack-check", **about, **ball))
        if one.protocol == "faithful":
            found.append(one.but(attack="none", targets=None, keep=False))
    return list(dict.fromkeys(found))


def alarms_in(answer: Json) -> list[str]:
    """Return the alarms of a check, or what the clamp does by itself."""
    if "alarms" in answer:
        return list(answer["alarms"])
    clean, clamped = (100 * answer[key] for key in ("clean_accuracy", "robust_accuracy"))
    if clean == clamped:
        return []
    return [
        f"under faithful, clamping normalised images to [0, 1] takes accuracy from {clean:.2f} to {clamped:.2f} % on "
        f"{answer['n']} images, without any attack."
    ]
