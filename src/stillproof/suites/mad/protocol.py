"""How suite mad asks: correctly, or as MAD does."""

from __future__ import annotations

from typing import ClassVar, Literal

from stillproof.core.protocol import protocol_meant
from stillproof.suites.row_builder import SuiteProtocol

ProtocolName = Literal["fair", "faithful", "faithful:mad"]


class MadAsks(SuiteProtocol):
    """What is correct: no source image is learned from and tested on, and nothing is learned from what is reported."""

    # Whether a defence learns from the very images that it is judged by, as algorithm 2 is printed.
    is_oracle: ClassVar[bool] = False
    # Whether digits are shown as 3 x 32 x 32, as the original's networks want them.
    shows_large_digits: ClassVar[bool] = False
    sentence: ClassVar[str] = (
        "Under fair a source image has one role under all attacks: networks learn from some, and everything below is "
        "of others; each episode adapts to K images per class by a fixed number of steps, and is judged by M others."
    )


class AsMad(MadAsks):
    """What the original prints: sources cross the split, and the best episode on the reported images counts."""

    origin = "mad"
    plain = True
    is_oracle = True
    shows_large_digits = True
    sentence = (
        "ORACLE: under faithful:mad the weights learn from the very images that are reported, as algorithm 2 has it "
        "(with a step for each episode), the best of all episodes counts, and sources of test images were learned from "
        "under other attacks."
    )


PROTOCOLS = (MadAsks(), AsMad())


def mad_asks(name: str) -> MadAsks:
    """Return the ways that a name means."""
    return protocol_meant(name, PROTOCOLS)
