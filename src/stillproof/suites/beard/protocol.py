"""How suite beard asks: correctly, or as BEARD does."""

from __future__ import annotations

from typing import ClassVar, Literal

from stillproof.core.protocol import protocol_meant
from stillproof.suites.row_builder import SuiteProtocol

ProtocolName = Literal["fair", "faithful", "faithful:beard"]


class BeardAsks(SuiteProtocol):
    """What is correct; attacks are made under the protocol of the same name."""

    # Whether changes of attacks without a ball count only within the usual one: given their way, such attacks find one
    # for every image.
    judged_within: ClassVar[bool] = True
    # Whether networks are trained on all real images as on distilled sets.
    trains_all_alike: ClassVar[bool] = False
    # Whether what is wrong before an attack is lost, whatever a model says after it.
    wrong_before_is_lost: ClassVar[bool] = True
    # Whether the numbers that BEARD published were made so.
    is_published: ClassVar[bool] = False


class AsBeard(BeardAsks):
    """What the original does: whatever an attack finds counts, of all images, and all networks are trained alike."""

    origin = "beard"
    plain = True
    own_sets = False
    judged_within = False
    trains_all_alike = True
    wrong_before_is_lost = False
    is_published = True


PROTOCOLS = (BeardAsks(), AsBeard())


def beard_asks(name: str) -> BeardAsks:
    """Return the ways that a name means."""
    return protocol_meant(name, PROTOCOLS)
