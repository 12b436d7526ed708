"""The attacks of the suite: what each is called, what it is for, and whether it can be made here."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from stillproof.core.mad_attacks import is_mad, mad_attack, number_of
from stillproof.core.mad_sets import MadSet, Role

LIBRARIES = ("art", "torchattacks", "foolbox")  # attacks of others, called ``art/CLASS``


@dataclass(frozen=True)
class KnownAttack:
    """An attack of the suite.

    Args:
        called: What it is called, such as ``mad/13``.
        reference: The attack with the parameters that it is asked with.
        role: Whether defences learn it, are chosen by it, or never see it before they are tested.
        reason: Why it cannot be made here, if so.
        artifact: Its images, if they are there already.
    """

    called: str
    reference: str
    role: Role
    reason: str = ""
    artifact: str = ""


def known_as(reference: str, like: MadSet) -> KnownAttack:
    """Return an attack that is to be made, as one of MAD's sets has it."""
    called, name = reference, reference
    if is_mad(reference):
        one = mad_attack(reference)
        called, name = one.name, one.usual
    library = name.partition("/")[0]
    absent = library in LIBRARIES and find_spec(library) is None
    reason = f"{called} is made by {library}, which is not installed: it is left out." if absent else ""
    return KnownAttack(called, reference, role_for(called, like), reason)


def role_for(called: str, like: MadSet) -> Role:
    """Return what an attack is for; one that is none of the set's is never learned from."""
    number = number_of(called)
    return (None if number is None else like.role_of(number)) or "test"
