"""Robust accuracy over the size of the change: curves from one attack per norm, checked by others."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from stillproof.suites.beard.victims import Victim, Victims
from stillproof.suites.requests import Request, Row

CHECKED = (0.25, 0.5, 1.0)  # where curves are checked by attacks with a fixed radius, as shares of the largest
# Looks for the smallest change that fools, so that one run gives the whole curve.
MINIMAL = "fmn:norm={norm}:steps={steps}"
FIXED = "apgd:norm={norm}:steps={steps}:eps={eps!r}"


def curve_rows(victims: Victims) -> Iterator[Row]:
    """Yield one row per model and norm, with and without a defence."""
    for victim in victims.all():
        for norm, reach in victims.reaches.items():
            yield victims.row("curves", victim, partial(_curve, victims, victim, norm, reach), norm=norm)


def _curve(victims: Victims, victim: Victim, norm: str, reach: float, seed: int) -> Request:
    """Ask for the curve of one seed, always in pixels: elsewhere a radius means nothing."""
    steps = victims.suite.curve_steps

    def attack(reference: str) -> Request:
        return victims.attack(victim, reference, "untargeted", seed, protocol="fair")

    checks = [attack(FIXED.format(norm=norm, steps=steps, eps=share * reach)) for share in CHECKED]
    minimal = attack(MINIMAL.format(norm=norm, steps=steps))
    return Request("robust-curve", of=minimal, checks=checks, largest=reach)
