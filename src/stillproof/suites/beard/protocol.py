"""How suite beard asks: correctly, or as BEARD does."""

from __future__ import annotations

from typing import ClassVar, Literal

from stillproof.core.protocol import Protocol, protocol_meant

ProtocolName = Literal["fair", "faithful", "faithful:beard"]


class BeardAsks(Protocol):
    """What is correct; attacks are made under the protocol of the same name."""

    # Whether changes of attacks without a ball count only within the usual one: given their way, such attacks find one
    # for every image.
    judged_within: ClassVar[bool] = True
    # Whether networks are trained on all real images as on distilled sets.
    trains_all_alike: ClassVar[bool] = False


class AsBeard(BeardAsks):
    """What the original does: whatever change such an attack finds counts, and all networks are trained alike."""

    origin = "beard"
    plain = True
    judged_within = False
    trains_all_alike = True


PROTOCOLS = (BeardAsks(), AsBeard())


def beard_asks(name: str) -> BeardAsks:
    """Return the ways that a name means."""
    return protocol_meant(name, PROTOCOLS)
