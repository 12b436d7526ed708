"""Which attack is meant: by its name, what is said of it, and what the protocol gives it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, cast

from stillproof.attack.base.attack import Attack
from stillproof.attack.base.norms import Norm
from stillproof.attack.foreign.base import ForeignAttack
from stillproof.attack.protocols.fair import FAIR, AttackProtocol
from stillproof.core.components import attacks
from stillproof.core.errors import BadInput
from stillproof.core.mad_attacks import refuse_without_data
from stillproof.core.number_text import number_of, size_text
from stillproof.core.reference import changed_reference, parse_reference, write_reference

USUAL_EPS: Mapping[Norm, float] = {"Linf": 8 / 255, "L2": 128 / 255, "L1": 12.0}


def attack_called(reference: str, protocol: AttackProtocol = FAIR) -> Attack:
    """Return the attack that a reference means; values may be fractions, as in ``pgd:eps=8/255``.

    Where the reference does not say otherwise, it has the parameters that the protocol gives it.
    """
    refuse_without_data(reference)
    name, given = parse_reference(reference)
    built = attacks.build(name, {**protocol.parameters(name), **{key: _number(value) for key, value in given.items()}})
    if not isinstance(built, Attack):
        raise BadInput(f"attack {name!r} is not a subclass of stillproof.plugin.Attack: it cannot be run.")
    return built


def with_limits(reference: str, *, eps: float | None = None, norm: Norm | None = None) -> str:
    """Return an attack's reference with another radius and norm of its ball.

    Another norm without a radius has the usual one: a radius means another thing in every norm.
    """
    name, given = parse_reference(reference)
    for key, value in (("eps", eps), ("norm", norm)):
        if value is not None and key in given:
            raise BadInput(f"{reference!r} gives {key} already: leave it out there, or beside it.")
    if norm is not None:
        reference = _in_norm(name, given, norm, eps_is_given=eps is not None or "eps" in given)
    if eps is not None:
        if not has(attack_called(reference), "eps"):
            raise BadInput(f"attack {name!r} has no eps, since no ball limits it: leave eps out.")
        reference = changed_reference(reference, eps=eps)
    return reference


def each_with_limits(names: Sequence[str], *, eps: float | None = None, norm: Norm | None = None) -> list[str]:
    """Return attacks with radius and norm; of several, those without a ball are left as they are."""
    if not names:
        raise BadInput("no attack is named: give at least one.")
    balls = [has(attack_called(name), "eps") for name in names]
    if eps is not None and len(names) > 1 and not any(balls):
        raise BadInput(f"none of {', '.join(names)} has an eps: leave it out.")
    only = len(names) == 1
    return [
        with_limits(name, eps=eps if ball or only else None, norm=norm) for name, ball in zip(names, balls, strict=True)
    ]


def shown(reference: str) -> str:
    """Return a reference as people write it, with fractions and short numbers."""
    name, given = parse_reference(reference)
    numbers = {key: number_of(value) for key, value in given.items()}
    texts = {key: value if numbers[key] is None else size_text(numbers[key] or 0.0) for key, value in given.items()}
    return write_reference(name, texts)


def has(attack: Attack, name: str) -> bool:
    """Say whether an attack has a parameter; those of other libraries have an eps if there is a ball around images."""
    if isinstance(attack, ForeignAttack):
        return name == "eps" and attack.radius is not None and attack.takes(name)
    return name in {field.name for field in dataclasses.fields(cast(Any, attack))}


def _in_norm(name: str, given: Mapping[str, str], norm: Norm, *, eps_is_given: bool) -> str:
    attack = attack_called(write_reference(name, given))
    if attack.measured_in == norm:
        return write_reference(name, given)
    if not has(attack, "norm"):
        able = sorted(entry.name for entry in attacks.entries().values() if "norm" in entry.params)
        raise BadInput(
            f"attack {name!r} is measured in {attack.measured_in}, and not in {norm}: leave the norm out, or take one "
            f"of those that have several ({', '.join(able)})."
        )
    family = attacks.entry(name).family
    short = (one for one in attacks.entries().values() if (one.family, one.fixed.get("norm")) == (family, norm))
    found = next(short, None)
    if found is not None:  # pgd in L2 is pgd-l2
        return write_reference(found.name, given)
    eps = {} if eps_is_given or not has(attack, "eps") else {"eps": USUAL_EPS[norm]}
    return write_reference(name, {**given, "norm": norm, **eps})


def _number(text: str) -> str | float:
    """Return a fraction as a number, and any other text as it is."""
    value = number_of(text) if "/" in text else None
    return text if value is None else value
