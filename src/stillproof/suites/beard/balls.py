"""In which ball do the changes of an attack count that has none of its own?"""

from __future__ import annotations

from collections.abc import Mapping

from stillproof.core.components import attacks
from stillproof.core.reference import parse_reference

USUAL = {"Linf": 8 / 255, "L2": 128 / 255, "L1": 12.0}
# Parameters by which an attack limits its changes itself, where they have a value: a radius, a number of pixels.
LIMITS = ("eps", "epsilon", "farthest", "pixels")
UNTOLD = "L2"  # the norm of attacks that have no choice of it, such as C&W


def ball_for(attack: str, radii: Mapping[str, float] | None = None) -> tuple[str, float] | None:
    """Return norm and radius of the ball that an attack is judged in: the one of the norm that it makes small.

    Args:
        attack: The attack, as people write it.
        radii: The radius in each norm, if it is not the usual one.

    Returns:
        None for an attack that has limits of its own, so that whatever it finds counts; and for one in a norm that
        there is not, which is refused as soon as it is made.
    """
    name, given = parse_reference(attack)
    params = attacks.entry(name).params
    if any(_value(key, given, params) for key in LIMITS):
        return None
    norm = _value("norm", given, params) or UNTOLD
    return (norm, (USUAL | dict(radii or {}))[norm]) if norm in USUAL else None


def _value(key: str, given: Mapping[str, str], params: Mapping[str, str]) -> str:
    """Return what a parameter is given, or else its default, as text; an empty one where it has no value."""
    usual = params.get(key, "").partition(" = ")[2].strip("'\"")
    return given.get(key) or ("" if usual == "None" else usual)
